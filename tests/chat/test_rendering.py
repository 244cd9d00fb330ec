"""Rendering of texts: only harmless HTML, fast enough, and without links that open someone's seat."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from games.chat.text import rendered
from games.chat.text_cleaning import LONGEST_MESSAGE, cleaned
from tests.chat.fuzzing import DANGEROUS, DOORS, PERSONAL, TOKEN, Tree, check

pytestmark = pytest.mark.once


def checked(typed: str) -> Tree:
    """Return the tree of a rendered text, after checking that it is harmless and complete."""
    shown = check(typed)
    assert shown.tree is not None
    return shown.tree


PIECES = st.sampled_from(DANGEROUS + PERSONAL)


@given(st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=200)))
@example("[x](javascript:alert(1))")
@example("[x](JaVaScRiPt&colon;alert(1))")
@example("<javascript:alert(1)>")
@example("[x](data:text/html;base64,PHNjcmlwdD4=)")
@example("[x](vbscript:x) [y](//evil.example) [z](/accounts/logout/) [w](#x) [v](mailto:a@b.example)")
@example('[x](http://a.example "onmouseover=alert(1)")')
@example('http://a.example/"onmouseover="alert(1)')
@example('[<http://a.example/>](http://b.example/ "title")')
@example("<svg/onload=alert(1)><math><mtext></mtext></math>")
@example("[x](http://[)")
@example("[x](http://a%20b/) [y](<HTTP://A.EXAMPLE 漢>)")
@example("\U000e0324 \u2065 \ufff3")
def test_nothing_but_harmless_html_comes_out_and_no_email_is_lost(typed: str) -> None:
    check(typed)


@given(
    st.text(alphabet="*_`[]()<>!&\\ \na0:h", min_size=1, max_size=12),
    st.text(alphabet="*_`[]()>- \nab1.", max_size=6),
)
@pytest.mark.long
def test_repeated_marks_are_shown_without_much_work(repeated: str, end: str) -> None:
    check((repeated * LONGEST_MESSAGE)[: LONGEST_MESSAGE - len(end)] + end)


BOMBS = {
    "ten thousand asterisks": "*" * 10_000,
    "quotes of quotes": ">" * 2000 + " deep" + "\n>" * 900,
    "quotes on every line": "\n".join(">" * depth + " deep" for depth in range(60)),
    "lists in lists": "\n".join("  " * depth + "- deep" for depth in range(60)),
    "brackets": "[" * 2000 + "a" + "]" * 2000,
    "links in links": "[a](" * 1000,
    "images in images": "![" * 2000,
    "nested emphasis": "*a **b " * 500 + "c* d** " * 70,
    "ticks": "".join("e" + "`" * length for length in range(1, 88)),
    "angle brackets": "<" * 4000,
    "entities": "&amp;" * 800,
    "one address defined and used for ever": "[a]: http://x.example/" + "y" * 3000 + "\n\n" + "[a] " * 240,
    "addresses": "http://a " * 440,
    "escapes": "\\*" * 2000,
    "percent signs": "/answer/%25252525" * 230,
    "blank lines": "a" + "\n" * 3990 + "b",
    "accents": "e" + "\u0301" * 3990,
    "tabs": "\t" * 3999 + "a",
    "fences": "```\n" * 1000,
    "numbers": "999999999. a\n" * 300,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_defused(name: str) -> None:
    checked(BOMBS[name][:LONGEST_MESSAGE])


@pytest.mark.parametrize(
    "name", ["quotes of quotes", "lists in lists", "nested emphasis", "quotes on every line"]
)
def test_what_is_nested_too_deeply_is_shown_as_it_was_typed(name: str) -> None:
    tree = checked(BOMBS[name][:LONGEST_MESSAGE])
    assert "".join("".join(tree.text).split()) == "".join(BOMBS[name][:LONGEST_MESSAGE].split())


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("**bold** and *leaning*", "<p><strong>bold</strong> and <em>leaning</em></p>"),
        ("# not a heading", "<p># not a heading</p>"),
        ("title\n=====", "<p>title<br>\n=====</p>"),
        ("> said\n\nyes", "<blockquote>\n<p>said</p>\n</blockquote>\n<p>yes</p>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("<b>5 < 6 & 7</b>", "<p>&lt;b&gt;5 &lt; 6 &amp; 7&lt;/b&gt;</p>"),
        ("---", "<p>---</p>"),
        ("-", "<p>-</p>"),
        ("* * *", "<p>* * *</p>"),
        ("&lt;b&gt; &copy;", "<p>&amp;lt;b&amp;gt; &amp;copy;</p>"),
        ("```to you\nPlay 10\n```", "<pre><code>to you\nPlay 10\n</code></pre>"),
        ("a\u202eb\x00c\x07", "<p>abc</p>"),
        ("a\u2028b\rc", "<p>a<br>\nb<br>\nc</p>"),
        ("می\u200cخواهم 👩\u200d🎨", "<p>می\u200cخواهم 👩\u200d🎨</p>"),
    ],
)
def test_how_it_is_shown(typed: str, shown: str) -> None:
    assert rendered(cleaned(typed)).strip() == shown


@pytest.mark.parametrize(
    "typed",
    [
        "see http://a.example/x_y_z?p=1.",
        "see <http://a.example/x_y_z?p=1>.",
        "[see](http://a.example/x_y_z?p=1)",
    ],
)
def test_addresses_become_links_that_vouch_for_nothing(typed: str) -> None:
    html = rendered(cleaned(typed))
    assert 'href="http://a.example/x_y_z?p=1" rel="nofollow noopener noreferrer"' in html


@pytest.mark.parametrize(
    "typed",
    [
        "http://testserver/{access}/{token}/",
        "https://testserver:8000/{access}/{token}/confirm/?move=pass",
        "HTTP://TESTSERVER/{access}/{token}",
        "testserver/{access}/{token}",
        "(/{access}/{token}/)",
        "[my seat](http://testserver/{access}/{token}/)",
        "[my seat](</{access}/{token}/>)",
        "<http://testserver/{access}/{token}/>",
        "**http://testserver/{access}/{token}/**",
        "`http://testserver/{access}/{token}/`",
        "http://testserver\\/{access}/{token}/",
        "http://testserver&#47;{access}&#x2f;{token}/",
        "[x]: http://testserver/{access}/{token}/\n\n[x]",
        "https://mail.example/?url=http%3A%2F%2Ftestserver%2F{access}%2F{token}%2F&x=1",
        "https://mail.example/?url=http%253A%252F%252Ftestserver%252F{access}%252F{token}",
        "http://127.0.0.1:8000/{access}/{token}/",
        "//testserver/{access}/{token}/",
        "http://anna:secret@testserver/{access}/{token}/",
        "http://testserver./{access}/{token}/",
        "http://testserver//{access}//{token}/",
        "http://testserver/games/../{access}/{token}/",
        "http://testserver/%2e%2e/./{access}/{token}/",
        "http://testserver\\{access}\\{token}",
        "http://testserver/**{access}**/{token}/",
        "http://**testserver**/{access}/_{token}_/",
        "http://testserver/[{access}](x)/<{token}>",
        "http://test\u200bserver/{access}/\u202e{token}",
        "http://test\u200dserver/{access}/{token}",
        "http://ｔｅｓｔｓｅｒｖｅｒ/{access}/{token}/",
        "http://ⓣestserver／{access}／{token}/",
        "http://testserver%2F{access}%252F{token}",
        "http://testserver/{access}/{token}/../an/end",
        "> > - http://testserver/{access}/{token}/",
    ],
)
def test_a_personal_link_to_this_site_is_taken_out(typed: str) -> None:
    for access in DOORS:
        encoded = access.replace("/", "%2F") if "%2F" in typed else access
        text = cleaned("Look: " + typed.format(access=encoded, token=TOKEN))
        assert TOKEN not in text
        assert TOKEN not in rendered(text)
        assert "(link removed)" in text


def test_an_escaped_email_does_not_hide_a_personal_link() -> None:
    for hidden in (
        "http://testserver/%61nswer/",
        "http://testserver/&#97;nswer/",
        "http://testserver/\\answer/",
    ):
        assert TOKEN not in rendered(cleaned(f"[x]({hidden}{TOKEN}/)")).partition('href="')[2], hidden


@pytest.mark.parametrize(
    "typed",
    [
        "either/seat/table",
        "https://chats.example/chat/what_a_very_long_title_it_has",
        "http://testserver/games/12/",
        "http://testserver/tables/12/chat/",
        "the answer/question game",
    ],
)
def test_other_words_and_links_stay(typed: str) -> None:
    assert cleaned(typed) == typed


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Winter is near", '<span class="card-word">Winter</span> is near'),
        ("to Siena, then", 'to <span class="region-word">Siena</span>, then'),
        (
            "**Roma**, Bishop!",
            '<strong><span class="region-word">Roma</span></strong>, <span class="card-word">Bishop</span>!',
        ),
        ("the heroine of the story, this winter", "the heroine of the story, this winter"),
        ("SPRING, Winters, Sienas, xRoma", "SPRING, Winters, Sienas, xRoma"),
        ("`play Winter`", "<code>play Winter</code>"),
        ("Win*ter*", "Win<em>ter</em>"),
    ],
)
def test_the_names_of_cards_and_regions_are_marked(typed: str, shown: str) -> None:
    assert rendered(cleaned(typed)).strip() == f"<p>{shown}</p>"


def test_no_name_is_marked_in_a_link() -> None:
    assert "<span" not in rendered(cleaned("[Siena](http://a.example/) http://Roma.example/Winter"))


def test_every_card_with_a_name_and_every_region_is_marked() -> None:
    from games.narration.vocabulary import CARD_NAMES
    from games.rules import REGIONS, region_name

    html = rendered(" ".join([*map(str, CARD_NAMES.values()), *map(region_name, REGIONS)]))
    assert html.count('<span class="card-word">') == len(CARD_NAMES)
    assert html.count('<span class="region-word">') == len(REGIONS)


def test_no_one_marks_a_word_of_their_own() -> None:
    assert "&lt;span" in rendered(cleaned('<span class="card-word">the table</span>'))


def test_a_link_shows_its_title_and_one_without_words_its_address() -> None:
    assert ">x (and so on)</a>" in rendered('[x](http://a.example/ "and so on")')
    assert ">http://a.example/y</a>" in rendered("[](http://a.example/y)")
