"""What becomes of a text: only harmless HTML, in time, and without links that open somebody's seat."""

import re
import time
from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from games.press.cleaning import LONGEST_MESSAGE, carries_token, cleaned
from games.press.rendering import rendered

pytestmark = pytest.mark.once

TAGS = {"p", "br", "hr", "em", "strong", "a", "ul", "ol", "li", "blockquote", "code", "pre"}
VOID = {"br", "hr"}
REL = "nofollow noopener noreferrer"
TOKEN = "WzEsMiwzXQ:1xUMyq:f4nVlUwx0uAi85sc8T4qX5jx22gbhACcOnsJ8HquLLw"
SECOND = 1.5  # a busy machine's allowance; it takes a tenth


class Allowed(HTMLParser):
    """Fails at the first thing in the tree that is not on the list."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.links: list[str] = []
        self.deepest = 0
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        given_attributes = dict(attrs)
        assert len(given_attributes) == len(attrs)
        if tag == "a" and "href" in given_attributes:
            self._check_link(given_attributes.pop("href") or "")
        if tag == "a":
            assert (
                given_attributes.pop("rel", "nofollow noopener noreferrer") == "nofollow noopener noreferrer"
            )
        if tag == "ol":
            assert re.fullmatch(r"\d{1,9}", given_attributes.pop("start", "1") or "")
        assert given_attributes == {}, (tag, attrs)
        if tag not in VOID:
            self.open.append(tag)
            self.deepest = max(self.deepest, len(self.open))

    def _check_link(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.scheme in ("http", "https")
        assert parts.hostname
        assert not carries_token(address)
        self.links.append(address)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")


def checked(typed: str) -> Allowed:
    """The tree of what is shown of a typed text, once it is found harmless."""
    text = cleaned(typed)
    html = rendered(text)
    assert len(html) < 20 * LONGEST_MESSAGE
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]", html)
    tree = Allowed(html)
    assert tree.deepest < 30
    return tree


PIECES = st.sampled_from(
    [
        *"*_`~[]()<>!#&\\\"'=:;/-+.|{}^$@ \n\t\r\0",
        "http://a.example/x",
        "https://",
        "javascript:alert(1)",
        "data:text/html,x",
        "](",
        "![",
        "<script>",
        "</p>",
        "<img src=x onerror=alert(1)>",
        "<!--",
        "<![CDATA[",
        "<?",
        "&#x6a;avascript:",
        "&lt;script&gt;",
        "> ",
        "- ",
        "1. ",
        "    ",
        "```",
        "\u202e",
        "\u2028",
        "\u0301",
        "[a]: http://b.example",
        f"http://testserver/answer/{TOKEN}/",
        f"/seat/{TOKEN}",
        "style=x",
        "é",
        "漢",
        "🂡",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.lists(PIECES, max_size=60).map("".join), st.text(max_size=200)))
@example("[x](javascript:alert(1))")
@example("[x](JaVaScRiPt&colon;alert(1))")
@example("<javascript:alert(1)>")
@example("[x](data:text/html;base64,PHNjcmlwdD4=)")
@example("[x](vbscript:x) [y](//evil.example) [z](/accounts/logout/) [w](#x) [v](mailto:a@b.example)")
@example('[x](http://a.example "onmouseover=alert(1)")')
@example('http://a.example/"onmouseover="alert(1)')
@example("[x](http://[)")
@example("<svg/onload=alert(1)><math><mtext></mtext></math>")
def test_nothing_but_harmless_html_comes_out(typed: str) -> None:
    checked(typed)


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet="*_`[]()<>!&\\ \na0:h", min_size=1, max_size=12),
    st.text(alphabet="*_`[]()>- \nab1.", max_size=6),
)
def test_repeated_marks_are_shown_in_time(repeated: str, end: str) -> None:
    started = time.monotonic()
    checked((repeated * LONGEST_MESSAGE)[: LONGEST_MESSAGE - len(end)] + end)
    assert time.monotonic() - started < SECOND


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
def test_a_bomb_is_defused_in_time(name: str) -> None:
    started = time.monotonic()
    checked(BOMBS[name][:LONGEST_MESSAGE])
    assert time.monotonic() - started < SECOND


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
        "http://testserver/{door}/{token}/",
        "https://testserver:8000/{door}/{token}/confirm/?move=pass",
        "HTTP://TESTSERVER/{door}/{token}",
        "testserver/{door}/{token}",
        "(/{door}/{token}/)",
        "[my seat](http://testserver/{door}/{token}/)",
        "[my seat](</{door}/{token}/>)",
        "<http://testserver/{door}/{token}/>",
        "**http://testserver/{door}/{token}/**",
        "`http://testserver/{door}/{token}/`",
        "http://testserver\\/{door}/{token}/",
        "http://testserver&#47;{door}&#x2f;{token}/",
        "[x]: http://testserver/{door}/{token}/\n\n[x]",
        "https://mail.example/?url=http%3A%2F%2Ftestserver%2F{door}%2F{token}%2F&x=1",
        "https://mail.example/?url=http%253A%252F%252Ftestserver%252F{door}%252F{token}",
        "http://127.0.0.1:8000/{door}/{token}/",
    ],
)
@pytest.mark.parametrize(
    "door", ["answer", "seat", "invitation", "talk", "operator/sign-in", "post/unsubscribe"]
)
def test_a_personal_link_to_this_site_is_taken_out(typed: str, door: str) -> None:
    encoded = door.replace("/", "%2F") if "%2F" in typed else door
    text = cleaned("Look: " + typed.format(door=encoded, token=TOKEN))
    assert TOKEN not in text
    assert TOKEN not in rendered(text)
    assert "(link taken out)" in text


def test_an_escaped_letter_does_not_hide_a_personal_link() -> None:
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
        "https://talks.example/talk/what_a_very_long_title_it_has",
        "http://testserver/games/12/",
        "http://testserver/tables/12/talk/",
        "the answer/question game",
    ],
)
def test_other_words_and_links_stay(typed: str) -> None:
    assert cleaned(typed) == typed
