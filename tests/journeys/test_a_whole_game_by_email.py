"""Three people play a whole game through the real parts: PostgreSQL, Redis, a Celery worker and beat, SMTP
and a web server. Once the table is made they know nothing but the emails that arrive.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection

from accounts.mail.models import OutgoingEmail
from games.emails.choices import MOST_SHOWN
from games.links import LinkedDecision, read_answer_token
from games.models import Game, LogEntry, Seat, Table
from games.narration.vocabulary import card_names
from games.rules import Options as RulesOptions
from games.rules import Replay, observe, pending, read_record, replay, verify
from tests.conftest import SmtpSink
from tests.journeys.emails import code_in, hand_in, link_after, text_links, text_of
from tests.journeys.playing import grouped
from tests.journeys.tactics import Tactician
from tests.journeys.visiting import Page, Visitor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

PEOPLE = {"anna@example.org": "Anna", "bruno@example.org": "Bruno", "carla@example.org": "Carla"}
# The table's part in the shuffles: with it this game is short and yet asks every kind of decision.
SECRET = hashlib.sha256(b"A whole game by letter 2886").digest()
MOST_EMAILS = 150


class Reader:
    """A player who acts on emails: opens a link in a fresh browser and presses buttons."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.name = PEOPLE[address]
        self.tactician = Tactician()
        self.opened = 0

    def act_on(self, email: EmailMessage) -> None:
        """Do what the email offers, if anything."""
        ways = {"/invitation/": self._take_the_seat, "/seat/": self._confirm, "/answer/": self._answer}
        for link in text_links(email):
            for beginning, act in ways.items():
                if urlsplit(link).path.startswith(beginning):
                    act(email)
                    return

    def _take_the_seat(self, email: EmailMessage) -> None:
        visitor = Visitor()
        page = visitor.get(link_after(email, "Take the seat"))
        assert "Anna invites you to this table" in page.words
        page = visitor.press(page.form("name"), page.form("name").button("Take the seat"), name=self.name)
        assert f"You have a seat, {self.name}." in page.words or "The table is full" in page.words

    def _confirm(self, email: EmailMessage) -> None:
        if "Confirm or leave" not in text_of(email):
            return  # news with a link to one's seat; nothing is asked
        visitor = Visitor()
        page = visitor.get(link_after(email, "Confirm or leave"))
        for name in PEOPLE.values():
            assert name in page.words
        form = next(form for form in page.forms if any("Confirm" in button.words for button in form.buttons))
        page = visitor.press(form)
        assert "You have confirmed" in page.words or "The game has started" in page.words

    def _answer(self, email: EmailMessage) -> None:
        """Use a choice's own link in every other email that has all of them, else the page."""
        visitor, self.opened = Visitor(), self.opened + 1
        offered = offers_in(email)
        cards_left_out = len(offered) >= MOST_SHOWN and any(move.startswith("play") for move in offered)
        if offered and self.opened % 2 and not cards_left_out:
            page = visitor.get(next(iter(offered.values())))
            if not page.has_form("move/"):
                return self._find_it_closed(page)
            chosen = self.tactician.chosen(list(offered))
            page = self._confirm_move(visitor, visitor.get(offered[chosen]), chosen)
        else:
            page = visitor.get(link_after(email, "(no sign-in needed)"))
            if not page.has_form("move/"):
                return self._find_it_closed(page)
        while page.has_form("move/"):
            page = self._choose_on(visitor, page)
        return None

    def _find_it_closed(self, page: Page) -> None:
        """Return whether the previous visit already made this decision before its email went out."""
        assert re.search("This link was for an earlier turn|That turn is over|The game is over", page.words)
        assert "Your hand" not in page.words
        assert "Sign in as" in page.words

    def _choose_on(self, visitor: Visitor, page: Page) -> Page:
        """Make the decision of a game page and return the next page."""
        form = page.form("move/")
        if "card" in form.choices:
            hand = form.choices["card"]
            kept = self.tactician.chosen([f"keep {' '.join(cards)}" for cards in (hand[:1], hand[:2])])
            return _made(visitor.press(form, form.button("Keep these cards"), card=kept.split()[1:]))
        offered = grouped(button.value for button in form.buttons if button.name == "move")
        return self._press_one(visitor, page, offered[self.tactician.chosen(list(offered))])

    def _press_one(self, visitor: Visitor, page: Page, moves: list[str]) -> Page:
        """Play a card in one of its ways, each of which has its button."""
        chosen = self.tactician.chosen(moves) if len(moves) > 1 else moves[0]
        form = page.form("move/")
        button = next(button for button in form.buttons if button.value == chosen)
        return _made(visitor.press(form, button))

    def _confirm_move(self, visitor: Visitor, page: Page, chosen: str) -> Page:
        """Press the button of a confirmation, or one of several on the game page."""
        assert page.status == 200, page.words
        if "What will happen" in page.words:
            form = page.form("move/")
            alone = next(button for button in form.buttons if button.name in ("", "move"))  # without an order
            return _made(visitor.press(form, alone))
        values = [button.value for button in page.form("move/").buttons]
        return self._press_one(visitor, page, [value for value in values if value.startswith(f"{chosen} ")])


def _made(page: Page) -> Page:
    """Return the page after a move, which says so."""
    assert page.status == 200
    assert re.search(r"You (chose|played|passed|kept|discarded)", page.words)
    return page


def offers_in(email: EmailMessage) -> dict[str, str]:
    """Return the moves that have their own links in the email."""
    found = {}
    for link in text_links(email):
        parts = urlsplit(link)
        if parts.path.startswith("/answer/") and parts.path.endswith("/confirm/"):
            words = parse_qs(parts.query)
            if "order" not in words:
                found[words["move"][0]] = link
    return found


@pytest.fixture
def site(live_server: Any, settings: Any, celery_processes: Callable[..., None], redis_url: str) -> str:
    """Start the site with its worker and beat; return its address."""
    assert connection.vendor == "postgresql"
    settings.SITE_URL = live_server.url
    celery_processes(
        SITE_URL=live_server.url, EMAIL_HOLD="0", DJANGO_SETTINGS_MODULE="tests.journeys.quick_settings"
    )
    return str(live_server.url)


@pytest.mark.early
def test_three_people_play_a_whole_game_by_email_alone(site: str, smtp_sink: SmtpSink) -> None:
    anna = sign_up(site, smtp_sink, "anna@example.org")
    make_the_table(site, anna)
    Table.objects.update(secret=SECRET)
    play_by_email(smtp_sink, [Reader(address) for address in PEOPLE])

    game = Game.objects.get()
    told = replay(
        RulesOptions(),
        3,
        game.first_condottiere,
        LogEntry.objects.order_by("ply").values_list("seat", "move"),
    )
    assert told.error is None
    emails_name_the_winner_of_the_log(smtp_sink, told)
    emails_are_as_promised(smtp_sink, game)
    each_decision_has_one_email(smtp_sink, game, told)
    no_email_shows_anothers_hand(smtp_sink, told)
    every_kind_of_move_was_made(told)
    record = anna.get(f"{site}/games/{game.pk}/record.json")
    checked = verify(read_record(json.loads(record.html)))
    assert (checked.ok, checked.proved) == (True, True)


def sign_up(site: str, sink: SmtpSink, address: str) -> Visitor:
    """A new person signs in with an email address and the code from the email."""
    visitor = Visitor()
    page = visitor.get(f"{site}/")
    page = visitor.get(next(link for link in page.links if "/accounts/login/" in link))
    page = visitor.press(page.form("login"), page.form("login").buttons[0], login=address)
    email = sink.wait_for(1)[0]
    page = visitor.press(page.form("code"), page.form("code").buttons[0], code=code_in(email))
    assert "What should others call you?" in page.words
    page = visitor.press(page.form("name"), page.form("name").button("Save"), name=PEOPLE[address])
    assert f"Welcome, {PEOPLE[address]}" in page.words
    return visitor


def make_the_table(site: str, anna: Visitor) -> None:
    page = anna.get(f"{site}/tables/new/")
    invited = "\n".join(address for address in PEOPLE if not address.startswith("anna"))
    form = page.form("invited")
    page = anna.press(form, form.button("Create the table"), name="The long road", size="3", invited=invited)
    assert "You created the table." in page.words
    assert "bruno@example.org" in page.words


def play_by_email(sink: SmtpSink, readers: list[Reader]) -> None:
    """Everyone acts on each email as it arrives, until three emails say that the game is over."""
    by_address = {reader.address: reader for reader in readers}
    read, finished = 1, 0  # Anna's code has been read
    while finished < len(readers):
        assert read < MOST_EMAILS
        sink.wait_for(read + 1)
        email, recipients = sink.messages[read], sink.recipients[read]
        assert len(recipients) == 1
        by_address[recipients[0]].act_on(email)
        finished += str(email["Subject"]).startswith("Game over")
        read += 1


def game_emails(sink: SmtpSink) -> list[EmailMessage]:
    return [email for email in sink.messages if str(email["References"] or "").startswith("<game-")]


def final_emails(sink: SmtpSink) -> list[EmailMessage]:
    return [email for email in sink.messages if str(email["Subject"]).startswith("Game over")]


def emails_name_the_winner_of_the_log(sink: SmtpSink, told: Replay) -> None:
    outcome = observe(told.state, None).outcome
    assert outcome is not None
    assert len(outcome.winners) == 1
    winner = Seat.objects.get(number=outcome.winners[0]).user.name
    emails = final_emails(sink)
    assert sorted(email["To"] for email in emails) == sorted(PEOPLE)
    for email in emails:
        told = "you" if PEOPLE[str(email["To"])] == winner else winner
        assert email["Subject"] == f"Game over, {told} won: The long road"
        won = "You" if email["To"].startswith(winner.lower()) else winner
        assert re.search(rf"{won} won the game with \d connected regions\.", text_of(email))
        assert email.get_content_type() == "multipart/related" or any(
            part.get_content_type() == "image/png" for part in email.walk()
        )


def emails_are_as_promised(sink: SmtpSink, game: Game) -> None:
    """Check the headers of every email."""
    ids = [str(email["Message-ID"]) for email in sink.messages]
    assert len(set(ids)) == len(ids)
    threads = {str(email["References"]) for email in game_emails(sink)}
    assert threads == {f"<game-{game.pk}@localhost>"}
    for email, recipients in zip(sink.messages, sink.recipients, strict=True):
        assert recipients == [email["To"]]
        assert email["Cc"] is None
        assert email["Bcc"] is None
        assert email["Auto-Submitted"] == "auto-generated"
        assert not any(address in str(email["From"]) for address in PEOPLE)
    for email in game_emails(sink):
        assert f"<game-{game.pk}.localhost>" in email["List-Id"]
        assert email["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert "/mail/unsubscribe/" in email["List-Unsubscribe"]


def asked_in(email: EmailMessage) -> LinkedDecision | None:
    """Return the decision an email is about."""
    tokens = [urlsplit(link).path.split("/")[2] for link in text_links(email) if "/answer/" in link]
    decisions = {read_answer_token(token) for token in tokens}
    assert len(decisions) <= 1
    return decisions.pop() if decisions else None


def each_decision_has_one_email(sink: SmtpSink, game: Game, told: Replay) -> None:
    """Check that each decision has its email, unless it was made in the same visit before that went out."""
    asked = {(decision.seat, decision.decision_step) for state in told.states for decision in pending(state)}
    decisions = [decision for email in game_emails(sink) if (decision := asked_in(email))]
    written = Counter((decision.seat, decision.decision_step) for decision in decisions)
    assert set(written.values()) == {1}
    assert set(written) <= asked
    rows = OutgoingEmail.objects.filter(kind="your_turn")
    assert rows.count() == len(asked)
    assert rows.filter(state=OutgoingEmail.State.SENT).count() == len(written)
    assert (
        rows.exclude(state=OutgoingEmail.State.SENT).exclude(state=OutgoingEmail.State.OVERTAKEN).count() == 0
    )
    seats = {seat.number: seat.user.email for seat in Seat.objects.select_related("user")}
    for email in game_emails(sink):
        decision = asked_in(email)
        assert decision is None or seats[decision.seat] == email["To"]


def no_email_shows_anothers_hand(sink: SmtpSink, told: Replay) -> None:
    seats = {seat.user.email: seat.number for seat in Seat.objects.select_related("user")}
    emails_with_hands = 0
    for email in game_emails(sink):
        if email in final_emails(sink):
            continue
        reader = seats[email["To"]]
        decision = asked_in(email)
        state = next(
            state
            for state in told.states[1:]
            if decision is None
            or any(d.seat == reader and d.decision_step == decision.decision_step for d in pending(state))
        )
        hands = {seat: observe(state, seat).hand or () for seat in range(3)}
        assert hand_in(email) == card_names(hands[reader])
        emails_with_hands += 1
        text = " ".join(text_of(email).split())
        for other in set(hands) - {reader}:
            if len(hands[other]) > 2 and hands[other] != hands[reader]:
                assert card_names(hands[other]) not in text.replace(card_names(hands[reader]), "")
        for name in re.findall(r"(\w+) got \d+ cards?: ", text):
            assert name == PEOPLE[str(email["To"])]
    assert emails_with_hands > 20


def every_kind_of_move_was_made(told: Replay) -> None:
    moves = [str(ply.move) for ply in told.plies if ply.seat is not None]
    wanted = [r"place \w+", r"play \d+", r"play bishop (?!off)\w+", r"play scarecrow \d+", "pass"]
    wanted += ["discard hand", "keep hand", r"keep (?!hand)\w+ \w+"]
    assert [kind for kind in wanted if not any(re.fullmatch(kind, move) for move in moves)] == []
