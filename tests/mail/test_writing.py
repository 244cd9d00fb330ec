"""What an email looks like when it arrives: headers, threads, language and zone, text and HTML."""

import re
from email import utils as email_utils
from typing import Any

import pytest

from accounts.mail.delivery import deliver_due
from accounts.mail.messages import LINE_LENGTH, first_paragraph, one_line, without_margins, wrapped
from accounts.mail.models import LONGEST_SUBJECT
from accounts.mail.subjects import fit_subject, name_in_subject
from accounts.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def arrived(greet: Any, smtp_sink: Any) -> Any:
    """Queue a greeting, deliver it, and return it as it arrived."""

    def email(to: Any = "anna@example.org", **context: Any) -> Any:
        greet(to, **context)
        assert deliver_due() == 1
        return smtp_sink.messages[-1]

    return email


def part(email: Any, kind: str) -> str:
    return str(email.get_body((kind,)).get_content()).replace("\r\n", "\n")


def test_an_email_says_who_sent_it_and_has_one_recipient(arrived: Any, smtp_sink: Any) -> None:
    email = arrived()
    assert email["From"] == "Condottiere by email <condottiere@testserver>"
    assert email["To"] == "anna@example.org"
    assert (email["Cc"], email["Bcc"]) == (None, None)
    assert smtp_sink.recipients == [["anna@example.org"]]
    assert email["Auto-Submitted"] == "auto-generated"
    assert email_utils.parsedate_to_datetime(email["Date"])


def test_emails_of_one_game_are_one_thread(arrived: Any) -> None:
    first, second = arrived(thread="game-42"), arrived(thread="game-42")
    assert first["References"] == second["References"] == "<game-42@testserver>"
    assert first["In-Reply-To"] == second["In-Reply-To"] == "<game-42@testserver>"
    assert first["Message-ID"] != second["Message-ID"]
    assert first["Message-ID"].endswith("@testserver>")


def test_an_email_of_a_list_says_which_and_how_to_leave_it(arrived: Any) -> None:
    email = arrived(list_id="game-42", list_name="Table 42")
    assert email["List-Id"] == '"Table 42" <game-42.testserver>'
    assert email["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = email["List-Unsubscribe"]
    assert link.startswith("<http://testserver/mail/unsubscribe/")
    assert link.partition(">")[0].strip("<") in part(email, "plain")
    assert link.partition(">")[0].strip("<") in part(email, "html")


def test_every_email_asks_programs_not_to_answer_and_says_its_kind_to_gmail(arrived: Any) -> None:
    email = arrived(list_id="game-42", list_name="Table 42")
    assert email["X-Auto-Response-Suppress"] == "OOF, AutoReply"
    kind, sender = email["Feedback-ID"].split(":")
    assert 5 <= len(sender) <= 15  # as Google asks
    assert kind == "greeting"
    assert "anna" not in email["Feedback-ID"]


def test_an_email_of_no_list_has_nothing_to_leave(arrived: Any) -> None:
    email = arrived()
    assert all(email[name] is None for name in ("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post"))
    assert "unsubscribe" not in part(email, "plain") + part(email, "html")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('Anna\'s "best" table', '"Anna\'s \\"best\\" table" <game-42.testserver>'),
        ("a\r\nBcc: all@example.org", '"a Bcc: all@example.org" <game-42.testserver>'),
        ("<evil@example.org>", '"<evil@example.org>" <game-42.testserver>'),
        ("Café", "Café <game-42.testserver>"),
    ],
)
def test_a_tables_name_cannot_break_the_headers(arrived: Any, name: str, shown: str) -> None:
    email = arrived(list_id="game-42", list_name=name)
    assert email["List-Id"] == shown
    assert email["Bcc"] is None


@pytest.mark.parametrize(
    "subject",
    ["Hello\r\nBcc: all@example.org", "Hello\nX-Evil: 1\n\nbody", "Hello\u2028Bcc: x", "Hello\x1b\x85"],
)
def test_a_subject_cannot_add_headers(arrived: Any, subject: str) -> None:
    email = arrived(subject=subject)
    assert email["Subject"].startswith("Hello")
    assert "\n" not in email["Subject"]
    assert (email["Bcc"], email["X-Evil"]) == (None, None)


def test_a_very_long_subject_is_cut(arrived: Any) -> None:
    assert len(arrived(subject="x" * 5000)["Subject"]) == LONGEST_SUBJECT


def test_words_of_players_are_text_in_text_and_harmless_in_html(arrived: Any) -> None:
    email = arrived(words="<b>Anna</b> & <script>alert(1)</script>")
    assert "<b>Anna</b> & <script>alert(1)</script>" in part(email, "plain")
    assert "&lt;script&gt;" in part(email, "html")
    assert "<script" not in part(email, "html")


def test_a_list_of_emails_shows_the_first_paragraph_and_not_the_headline(arrived: Any) -> None:
    html = part(
        arrived(
            words="<b>Anna</b> has passed, and the battle for Siena goes on.\nPlay a card.\n\nNothing else."
        ),
        "html",
    )
    shown = re.search(r'<div class="preview"[^>]*>(.*?)</div>', html, re.DOTALL)
    assert shown
    assert shown[1] == "&lt;b&gt;Anna&lt;/b&gt; has passed, and the battle for Siena goes on. Play a card."


def test_after_a_greeting_it_shows_the_next_paragraph_too() -> None:
    assert first_paragraph("Hello Zoe,\n\nAnna invites you.\n\nMore.") == "Hello Zoe, Anna invites you."
    assert first_paragraph("Anna is back.\n\nSee the table:\nhttp://testserver/") == "Anna is back."


def test_an_email_tells_the_time_in_its_readers_zone(arrived: Any, anna: User) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="Asia/Tokyo")
    anna.refresh_from_db()
    assert "At 21:00." in part(arrived(anna), "plain")
    assert "At 12:00." in part(arrived("nobody@example.org"), "plain")


def test_paragraphs_are_folded_and_tables_and_links_are_not(arrived: Any) -> None:
    link = "http://testserver/answer/" + "x" * 150 + "/"
    text = part(arrived(words="A long sentence. " * 20, link=link), "plain")
    assert any(link in line for line in text.splitlines())
    assert (
        "    Anna          10  6  Drummer      4   a line of a table that is longer than any paragraph may be"
        in text
    )
    too_long = [
        line
        for line in text.splitlines()
        if len(line) > LINE_LENGTH and "http" not in line and "Anna" not in line
    ]
    assert too_long == []
    assert "\n-- \n" in text


def test_styles_stand_on_the_elements_and_nothing_is_fetched(arrived: Any) -> None:
    page = part(arrived(), "html")
    assert 'class="button"' in page
    assert "style=" in page.split('class="button"')[1][:40]
    assert "prefers-color-scheme" in page
    assert "<link" not in page
    assert "<script" not in page
    assert "src=" not in page


def test_a_picture_travels_inside_the_email(arrived: Any) -> None:
    email = arrived(picture=True)
    pictures = [piece for piece in email.walk() if piece.get_content_type() == "image/png"]
    assert [piece["Content-ID"] for piece in pictures] == ["<map>"]
    assert 'src="cid:map"' in part(email, "html")
    assert pictures[0].get_content().startswith(b"\x89PNG")


def test_header_text_is_one_line() -> None:
    assert one_line(" a\r\n\tb\u2029c\x85d ") == "a b c d"


def test_an_indented_sentence_is_folded_below_itself() -> None:
    folded = wrapped("News\n  " + "Bruno played a card. " * 8).splitlines()
    assert folded[1].startswith("  Bruno")
    assert all(line.startswith("    ") for line in folded[2:])
    assert max(map(len, folded)) <= LINE_LENGTH


def test_blank_lines_are_never_more_than_one() -> None:
    assert wrapped("\n\na\n\n\n\nb  \n") == "a\n\nb\n"


def test_names_in_a_subject_are_shortened_longest_first() -> None:
    long, short = (
        name_in_subject("The league of those who have time on Sundays only"),
        name_in_subject("Anna"),
    )
    told = fit_subject(f"{short} won: {long}")
    assert told.startswith("Anna won: The league of those who")
    assert told.endswith("…")
    assert len(told) <= LONGEST_SUBJECT
    assert fit_subject(f"Your turn: {name_in_subject('Friday game')}") == "Your turn: Friday game"


def test_the_html_has_no_blank_lines_and_indents_but_those_that_people_write(arrived: Any) -> None:
    lines = part(arrived(), "html").splitlines()
    assert lines
    assert [line for line in lines if not line.strip() or line.startswith(" ")] == []
    written = "<pre class='a'>  two\n\n   spaces\n</pre>"
    assert (
        without_margins(f"<div>\n\n  {written}\n  \n  <p>a\n   b</p>\n") == f"<div>\n{written}\n<p>a\nb</p>\n"
    )
