"""Every kind of email, at its longest: short enough for mail programs, readable on a phone and as text."""

from __future__ import annotations

import base64
import re
from collections import Counter
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.core import mail
from django.db import transaction
from django.test import override_settings
from django.urls import resolve
from django.utils import translation

from accounts import clock
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import LONGEST_SUBJECT
from accounts.mail.receiving import require_ours
from games.map.raster import _rendered
from games.map.region_names import region_name
from games.map.svg import draw
from games.rules import board
from tests.clocks.passing import Wall
from tests.emails.every_kind import ACCOUNT_EMAILS, CHAT, NOTE, NOTICE, Post, emails_of_every_kind
from tests.emails.league_kinds import ABOUT
from tests.look.test_board_drawing import SIX_SEATS
from tests.words.pseudo import nested, texts_of, untranslated

pytestmark = pytest.mark.django_db  # else there is no database where these tests run alone

MOST_BYTES = 50_000  # Gmail cuts an email off at 102 kB
MOST_BYTES_OF_THE_LAST = 20_000
MOST_BYTES_WITH_PICTURE = 100_000
DROPPED = re.compile(
    r"<(?:svg|style|script|link|form|video|iframe)\b|display:\s*(?:inline-)?(?:flex|grid)|float:|url\(|position:"
)
WIDEST_TEXT = 72
MOST_WORDS = 80  # of a reminder
LONGEST_TOKEN = 40
TIME_OF_DAY = re.compile(r"\b\d\d:\d\d\b")
ZONE = re.compile(r"\((Rome|UTC)\)")
PHONE = {"width": 390, "height": 844}
THUMB = 44

# What people typed, addresses, and the own names of languages.
TYPED = re.compile(
    "|".join(name for _code, name in settings.LANGUAGES)
    + r"|http://testserver\S*|[0-9a-f]{32,64}|\S+@\S+|K7QX-M2PD"
    r"|\b(Anna|Bruno|Carla Francesca|Carla|Dario Bentivoglio|Dario|Elena Montefeltro|Elena|Fabio)\b"
    r"|Francesca di Montefeltro|Montefeltro|The l[\w ]*…|The long war for Italy|The war of the year \d+"
    r"|The league of those who have time on Sundays"
    r"|Family chat|hooks\.slack\.com|UTC|Rome|python -m games.rules verify FILE"
)
QUOTED = {  # sentences that people wrote
    "He said the same to me last week.",
    "I leave Siena to you",
    *CHAT[1].split("\n\n"),
    "I leave",
    "Siena",
    "to you",
    "if you leave",
    NOTICE["user_agent"],
    "Shall we begin on ****?",
    "Shall we begin on **Sunday**?",
    "Shall we begin on",
    "They promise what is not theirs to give.",
    "Promises bind nobody here.",
    "They shout.",
    "It is summer, and nobody has time.",
    *NOTE.split("\n"),
    *ABOUT.split("\n\n"),
    *(" ".join(text.split()) for text in (NOTE, ABOUT)),  # as a list of emails shows them
}
SIGNS = " ,.:;·–—-…“”'()0123456789>*"

# What an account or an operator's page is about
FOR_AN_ACCOUNT = {"account", "channel_off", "reported", "site_failing"}
NEW_ADDRESS = ACCOUNT_EMAILS["email_changed"]["to_email"]  # its notice goes to the old one
BESIDE_THE_MATTER = {"league_table"}  # what a game is part of; that may be open to everyone

# What each email to a player asks: the page of its link, and the button or form there that answers.
MOVE = r'<form [^>]*method="post"[^>]*action="[^"]*/move/"'
DECISIONS = {
    "your_turn": ("answer", MOVE),
    "turn_link": ("answer", MOVE),
    "reminder": ("answer", MOVE),
    "waiting": ("answer", MOVE),
    "reply_receipt": ("answer", MOVE),
    "chat_receipt": ("chat_answer", '<textarea [^>]*name="text"'),
    "invitation": ("invitation", 'value="accept"'),
    "hand_over": ("invitation", 'value="accept"'),
    "confirm": ("seat", 'value="confirm"'),
    "closing_soon": ("seat", 'value="keep_open"'),
    "hours_proposed": ("seat", 'value="accept_hour"'),
    "end_proposed": ("seat", 'value="accept"'),
    "time_proposed": ("seat", 'value="accept"'),
    "stood_in": ("seat", 'value="back"'),
    "game_over": ("seat", 'value="(?:rematch|go_on)"'),
    "message": ("chat_answer", '<textarea [^>]*name="text"|You can’t write at this table until'),
    "league_reminder": ("answer", MOVE),
}
NOT_ALWAYS_ASKED = {"waiting", "game_over"}  # a digest of chat alone; a rematch that others began
# Pages of one's account, with more to read, or to offer a seat; no email asks for anything there.
READ_SIGNED_IN = {
    *("my_hours", "email_preferences", "my_games", "game_hour_file"),
    *("chat_emails", "channel_emails", "game_arrangements"),
    *BESIDE_THE_MATTER,
}

Sent = dict[str, list[Any]]


@pytest.fixture(scope="module")
def post(django_db_setup: None, django_db_blocker: Any, request: pytest.FixtureRequest) -> Post:
    """The emails, and what their links open. They are made once; their causes are rolled back."""
    wall = Wall()
    memory = override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
    with django_db_blocker.unblock(), transaction.atomic():
        with clock.use_clock(wall), memory:
            mail.outbox = []  # of an earlier module
            post = emails_of_every_kind(wall, opens_all=bool(request.config.getoption("--long")))
        transaction.set_rollback(True)
    return post


@pytest.fixture(scope="module")
def sent(post: Post) -> Sent:
    """Return the emails by kind."""
    return post.sent


def html_of(email: Any) -> str:
    return str(email.alternatives[0][0])


def of_all(sent: Sent) -> list[tuple[str, Any]]:
    return [(f"{kind}: {email.subject}", email) for kind, emails in sent.items() for email in emails]


def test_no_kind_is_left_out(sent: Sent) -> None:
    assert set(sent) == set(EMAIL_KINDS)


def test_every_kind_is_translated(post: Post) -> None:
    """Every text is in a translated message, and no message is built from pieces."""
    wrong = []
    for kind, email in post.translated.items():
        texts = [email.subject, email.body, "\n".join(texts_of(html_of(email)))]
        left = [line for text in texts for line in untranslated(text) if TYPED.sub("", line).strip(SIGNS)]
        left = [line for line in left if line.strip("> ") not in QUOTED]
        wrong += [f"{kind}: not translated: {line}" for line in left]
        wrong += [f"{kind}: built from pieces: {message}" for text in texts for message in nested(text)]
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)
    assert set(post.translated) == set(post.sent)


def test_no_kind_has_a_sentence_in_another_language(post: Post) -> None:
    english = {kind: email for (code, kind), email in post.in_languages.items() if code == "en"}
    wrong = [
        f"{code}, {kind}: {line}"
        for (code, kind), email in post.in_languages.items()
        if code != "en"
        for line in _sentences(english[kind]) & _sentences(email)
        if len(set(re.findall(r"[^\W\d]{3,}", line)) - _kept_names(code))
        > 1  # a length of time may be the same
    ]
    assert wrong == []


def _kept_names(code: str) -> set[str]:
    """Return the regions that a language calls as English does."""
    with translation.override(code):
        return {region_name(region) for region in board.REGIONS} & set(map(board.region_name, board.REGIONS))


def test_a_list_of_regions_may_be_the_same_and_a_region_with_another_name_may_not() -> None:
    assert {"Ferrara", "Spoleto"} <= _kept_names("pl")
    assert _kept_names("ru") == set()


def _sentences(email: Any) -> set[str]:
    """Return the sentences of both parts without what people typed."""
    quoted = re.compile("|".join(re.escape(words) for words in sorted(QUOTED, key=len, reverse=True)))
    text = " ".join(quoted.sub("", " ".join([email.subject, *email.body.split()])).split())
    pieces = [
        *re.split(r"(?<=[.:?!])\s+", text),
        *(quoted.sub("", piece) for piece in texts_of(html_of(email))),
    ]
    return {TYPED.sub("", piece) for piece in pieces}


def test_no_language_has_brackets_in_brackets_or_a_longer_line(post: Post) -> None:
    """A moment has its city in brackets already."""
    wrong = []
    for (code, kind), email in post.in_languages.items():
        joined = " ".join(email.body.split())
        wrong += [(code, kind, found) for found in re.findall(r"\([^()]*\([^()]*\)[^()]*\)", joined)]
        lines = [line for line in email.body.splitlines() if "://" not in line]
        wrong += [(code, kind, line) for line in lines if len(line) > WIDEST_TEXT]
        wrong += [(code, kind, email.subject)] if len(email.subject) > LONGEST_SUBJECT else []
    assert wrong == []
    assert {code for code, _kind in post.in_languages} == {code for code, _name in settings.LANGUAGES}


def test_an_email_with_a_time_of_day_names_its_zone(sent: Sent) -> None:
    with_times = [(name, email) for name, email in of_all(sent) if TIME_OF_DAY.search(email.body)]
    assert len({name.partition(":")[0] for name, _email in with_times}) > 5
    for text in ("body", "html"):
        told = [(name, html_of(email) if text == "html" else email.body) for name, email in with_times]
        assert [name for name, words in told if not ZONE.search(words)] == []


def test_every_link_opens_for_a_reader_who_is_not_signed_in(post: Post) -> None:
    wrong = [(one.kind, one.name, one.status) for one in post.opened if one.status != 200]
    assert wrong == []


def test_no_kind_leads_only_to_a_sign_in_form(post: Post) -> None:
    kinds = {one.kind for one in post.opened}
    opening = {one.kind for one in post.opened if one.sign_in is None and one.name != "unsubscribe"}
    told_alone = {
        "removed",
        "cancelled",
        "closed",
        "league_cancelled",
        "report_decided",
        "seat_taken",
        "check",
    }
    assert kinds - opening - told_alone == FOR_AN_ACCOUNT


def test_every_decision_is_answered_behind_its_link_without_signing_in(post: Post) -> None:
    asking = {kind for kind, known in EMAIL_KINDS.items() if known.asks and not kind.startswith("league_")}
    assert asking <= set(DECISIONS)
    wrong = list[tuple[str, str, int]]()
    for kind, (name, answer) in DECISIONS.items():
        pages = [(email, one) for email, one in post.answering if one.kind == kind and one.name == name]
        asked = {id(email) for email, _one in pages}
        silent = {id(email) for email in post.sent[kind]} - asked - post.passed_over
        wrong += [(kind, "no link", len(silent))] if silent and kind not in NOT_ALWAYS_ASKED else []
        wrong += [] if asked else [(kind, "none asked", 0)]
        wrong += [(kind, "no answer", one.status) for _email, one in pages if not re.search(answer, one.html)]
    assert Counter(wrong) == {}


def test_an_email_about_a_chat_invites_those_alone_to_write_who_may(post: Post) -> None:
    chats = [(email, one) for email, one in post.answering if one.name == "chat_answer"]
    assert chats
    for email, one in chats:
        invites = "Read the chat and reply" in " ".join(email.body.split())
        assert invites == ('name="text"' in one.html), email.body


def test_no_link_about_a_table_asks_to_sign_in_except_to_read_more(post: Post) -> None:
    others = ("league_", *FOR_AN_ACCOUNT)
    asked = [one for one in post.opened if one.sign_in is not None and not one.kind.startswith(others)]
    assert {(one.kind, one.name) for one in asked if one.name not in READ_SIGNED_IN} == set()


def test_no_email_has_two_links_to_its_game(sent: Sent) -> None:
    for kind, email in of_all(sent):
        paths = set(re.findall(r"http://testserver(/[^\s<>\"?#]+)", email.body))
        assert len([path for path in paths if path.startswith("/seat/")]) <= 1, kind
        assert not re.findall(r"next=/games/\d+/\s", email.body), kind


def test_a_page_for_an_account_says_so_knows_the_address_and_comes_after_the_code(post: Post) -> None:
    asked = [one for one in post.opened if one.sign_in is not None]
    assert {one.kind for one in asked} >= FOR_AN_ACCOUNT
    for one in asked:
        assert resolve(urlsplit(one.following).path).url_name == one.name
        assert 'class="notice"' in one.html or one.following == "/", one.following
        if one.name not in BESIDE_THE_MATTER:
            assert one.sign_in["login"].value() in (one.to, NEW_ADDRESS), (one.kind, one.name)


def test_none_is_so_long_that_a_mail_program_would_cut_it(sent: Sent) -> None:
    long = {name: len(html_of(email).encode()) for name, email in of_all(sent)}
    assert {name: size for name, size in long.items() if size > MOST_BYTES} == {}


def test_a_games_last_email_is_an_email_and_not_a_book(sent: Sent) -> None:
    assert len(sent["game_over"]) > 6
    assert max(len(html_of(email).encode()) for email in sent["game_over"]) <= MOST_BYTES_OF_THE_LAST


def test_with_its_map_an_email_stays_small(sent: Sent) -> None:
    rest = max(len(email.message().as_bytes()) for _name, email in of_all(sent) if email.attachments)
    picture = len(base64.encodebytes(_rendered(draw(SIX_SEATS, sheet=""))))  # theirs are dots here
    assert rest + picture <= MOST_BYTES_WITH_PICTURE


def test_they_use_nothing_that_mail_programs_drop(sent: Sent) -> None:
    found = [(name, DROPPED.findall(html_of(email).partition("</head>")[2])) for name, email in of_all(sent)]
    assert [(name, dropped) for name, dropped in found if dropped] == []


def test_subjects_fit_a_phone_and_a_games_turns_share_one(sent: Sent) -> None:
    assert [name for name, email in of_all(sent) if len(email.subject) > LONGEST_SUBJECT] == []
    by_game: dict[str, set[str]] = {}
    for email in sent["your_turn"]:
        by_game.setdefault(email.extra_headers["References"], set()).add(email.subject)
    assert {len(subjects) for subjects in by_game.values()} == {1}


def test_programs_that_answer_and_programs_that_unsubscribe_know_what_to_do(sent: Sent) -> None:
    for name, email in of_all(sent):
        headers = email.extra_headers
        assert headers["X-Auto-Response-Suppress"] == "OOF, AutoReply", name
        assert re.fullmatch(r"[a-z_-]+:condottiere", headers["Feedback-ID"]), name
        if "List-Id" in headers:
            by_mail = re.fullmatch(r"<http://\S+>, <mailto:(\S+)>", headers["List-Unsubscribe"])
            assert by_mail, name
            require_ours(by_mail[1])


def test_a_reminder_is_a_deadline_a_task_and_a_link(sent: Sent) -> None:
    assert max(len(email.body.partition("\n-- \n")[0].split()) for email in sent["reminder"]) <= MOST_WORDS


def test_the_tokens_in_links_are_short(sent: Sent) -> None:
    paths = [
        urlsplit(link).path
        for _name, email in of_all(sent)
        for link in re.findall(r"http://testserver/[^\s<>\"]+", email.body)
    ]
    parts = [part for path in paths for part in path.split("/")]
    assert [part for part in parts if len(part) > LONGEST_TOKEN] == []


def test_as_text_it_is_no_wider_than_can_be_quoted(sent: Sent) -> None:
    wide = [
        (name, line)
        for name, email in of_all(sent)
        for line in email.body.splitlines()
        if len(line) > WIDEST_TEXT and "://" not in line
    ]
    assert wide == []


def test_the_sign_before_the_reason_has_the_reason_in_the_next_line(sent: Sent) -> None:
    """Mail programs hide or grey what follows it."""
    assert [name for name, email in of_all(sent) if not re.search(r"\n-- \n\S", email.body)] == []


def test_numbers_that_belong_together_stay_on_one_line(sent: Sent) -> None:
    """In tables with narrow columns, "4 or 5" ended a line after "or"."""
    apart, together = re.compile(r"\d or \d|\d h \d"), re.compile(r"\d\xa0or\xa0\d|\d\xa0h\xa0\d")
    shown = [(name, unescape(html_of(email))) for name, email in of_all(sent)]
    assert [name for name, html in shown if apart.search(html)] == []
    kinds = {name.partition(":")[0] for name, html in shown if together.search(html)}
    assert kinds > {"your_turn", "started", "reminder", "clocks_changed"}


def test_no_one_needs_as_many_connected_regions_as_in_total(sent: Sent) -> None:
    """A column said "3 or 3" where any 3 regions win."""
    needed = re.compile(r"(\d)\xa0or\xa0(\d)")
    pairs = {pair for _name, email in of_all(sent) for pair in needed.findall(unescape(html_of(email)))}
    assert len(pairs) > 1
    assert [pair for pair in pairs if pair[0] >= pair[1]] == []


def test_an_email_about_a_pause_says_once_how_long_it_lasts(sent: Sent) -> None:
    texts = [" ".join(email.body.split()) for email in sent["clocks_changed"]]
    assert any("pause the game until" in text for text in texts)
    assert [text for text in texts if "The game is paused until" in text] == []


def test_an_email_about_the_end_of_a_pause_says_by_when_or_on_whom_the_game_waits(sent: Sent) -> None:
    resumed = [email for email in sent["clocks_changed"] if email.subject.startswith("Resumed")]
    for text in (part for email in resumed for part in (email.body, html_of(email))):
        assert ("Move by " in text) != ("Waiting for: " in text), text
    assert {"Move by " in email.body for email in resumed} == {True, False}


def test_pictures_travel_with_the_email_and_are_told_in_words(sent: Sent) -> None:
    pictures = [tag for _name, email in of_all(sent) for tag in re.findall(r"<img[^>]*>", html_of(email))]
    assert pictures
    for tag in pictures:
        assert 'src="cid:' in tag
        assert re.search(r'alt="[^"]{10,}"', tag)


def test_their_colours_are_those_of_the_pages() -> None:
    look = Path(settings.BASE_DIR) / "condottiere_site/static/look"
    tokens = "".join((look / name).read_text(encoding="utf-8") for name in ("site.css", "table.css"))
    layout = (Path(settings.BASE_DIR) / "templates/emails/_layout.html").read_text(encoding="utf-8")
    colours = r"#(?:[0-9a-f]{6}|[0-9a-f]{3})\b"
    assert set(re.findall(colours, layout)) - set(re.findall(colours, tokens)) == set()


def test_a_list_of_emails_shows_what_happened_next_to_the_subject(sent: Sent) -> None:
    """It showed the site's name and the headline, which repeats the subject."""
    for name, email in of_all(sent):
        shown = re.search(r'<div class="preview"[^>]*>(.*?)</div>', html_of(email), re.DOTALL)
        assert shown, name
        words = " ".join(unescape(shown[1]).split())
        assert words, name
        assert words not in email.subject, name
        assert "---" not in words, name


def test_a_subject_that_asks_has_no_colon_after_its_question(sent: Sent) -> None:
    asking = [email.subject for _name, email in of_all(sent) if "?" in email.subject]
    assert len(asking) > 1
    assert [subject for subject in asking if "?:" in subject] == []


def test_what_people_wrote_in_a_league_is_set_off_from_the_words_of_the_site(sent: Sent) -> None:
    """Someone could have written a sentence there that passes for the site's own."""
    written = {"It is summer, and nobody has time.", *ABOUT.split("\n\n")}
    kinds = set[str]()
    for kind in (kind for kind in sent if kind.startswith("league_")):
        for email in sent[kind]:
            for words in (one for one in written if one in email.body and f"Reason: {one}" not in email.body):
                kinds.add(kind)
                assert f"\n\n    {words}\n\n" in email.body, kind
                assert re.search(f"<blockquote[^>]*>{words}</blockquote>", html_of(email)), kind
    assert kinds == {"league_answer", "league_invitation", "league_message", "league_request"}


def test_the_text_part_has_the_times_and_lengths_of_the_html(sent: Sent) -> None:
    """The answer to a reply said only in HTML how long the reserve lasts."""
    number = re.compile(r"\b\d+(?::\d\d)?\b")
    wrong = []
    for name, email in of_all(sent):
        html = unescape(re.sub(r"<[^>]+>", " ", html_of(email).partition("</head>")[2]))
        sentences = [line for line in html.splitlines() if TIME_OF_DAY.search(line)]
        told = set(number.findall(email.body))
        wrong += [(name, line) for line in sentences if not set(number.findall(line)) <= told]
    assert wrong == []


def test_the_text_part_lists_all_choices_or_says_that_there_are_more(sent: Sent) -> None:
    """A hand's last cards were missing from the list, and nothing said so."""
    counts = []
    for name, email in of_all(sent):
        found = re.search(r"all (\d+) choices", " ".join(html_of(email).split()))
        if found and "/confirm/" in email.body:
            links = set(re.findall(r"/confirm/\?move=[^&\s]+", email.body))
            assert len(links) == int(found[1]) or found[0] in email.body, name
            counts.append(len(links) == int(found[1]))
    assert set(counts) == {True, False}


SIZES = """() => [document.documentElement.scrollWidth,
  ...[...document.querySelectorAll('.button, .button-quiet')].map(it => it.getBoundingClientRect().height)]"""


def test_on_a_phone_nothing_scrolls_sideways_and_a_thumb_finds_the_buttons(sent: Sent, browser: Any) -> None:
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    page = context.new_page()
    try:
        for kind, emails in sent.items():
            page.set_content(html_of(max(emails, key=lambda email: len(html_of(email)))))
            width, *heights = page.evaluate(SIZES)
            assert width <= PHONE["width"], kind
            assert min(heights, default=THUMB) >= THUMB, kind
    finally:
        context.close()


LOOKING_LIKE_THE_GAME = ("your_turn", "moved", "started", "game_over", "waiting", "message", "invitation")
LEAST_CONTRAST = 4.5
FAINT = """least => {
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const ground = element => {
    const [r, g, b, a = 1] = parts(getComputedStyle(element).backgroundColor);
    return a ? [r, g, b] : element.parentElement ? ground(element.parentElement) : [255, 255, 255];
  };
  const faint = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const element = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !element.getClientRects().length) continue;
    const pair = [light(parts(getComputedStyle(element).color)), light(ground(element))];
    const [dark, bright] = pair.sort((a, b) => a - b);
    if ((bright + .05) / (dark + .05) < least) faint.push(walk.currentNode.data.trim());
  }
  return faint;
}"""


@pytest.mark.parametrize(("scheme", "has_sheet"), [("light", True), ("dark", True), ("light", False)])
def test_they_are_readable_in_the_dark_and_without_their_style_sheet(
    sent: Sent, browser: Any, scheme: str, has_sheet: bool
) -> None:
    context = browser.new_context(viewport=PHONE, color_scheme=scheme)
    page = context.new_page()
    try:
        for kind in LOOKING_LIKE_THE_GAME:
            html = html_of(max(sent[kind], key=lambda email: len(html_of(email))))
            page.set_content(html if has_sheet else re.sub(r"<style>.*?</style>", "", html, flags=re.S))
            assert page.evaluate(FAINT, LEAST_CONTRAST) == [], kind
            assert page.locator("html").evaluate("html => html.scrollWidth") <= PHONE["width"], kind
    finally:
        context.close()


def test_every_email_that_can_be_replied_to_is_recognised_when_a_reply_quotes_it(post: Post) -> None:
    replied_to = {
        kind for kind, emails in post.sent.items() if any("Reply-To" in one.extra_headers for one in emails)
    }
    assert {"your_turn", "reminder", "reply_receipt", "message"} <= replied_to
    with_hand = {kind for kind, emails in post.sent.items() if any("Your hand" in one.body for one in emails)}
    assert (replied_to - {"check"}) | with_hand | {
        "waiting"
    } <= post.remembered  # no one gets a reply to a check
