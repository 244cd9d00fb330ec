"""A reply gets one email: its receipt with what is asked now, or the turn email that follows from it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.receiving import receive
from accounts.models import User
from games.chat.models import Message
from games.models import Game, Table
from games.models.locking import seats_of
from games.rules import Decision, Phase, State, apply, parse_move
from games.services.notifications import email_about, is_answered_by_turn
from tests.games.playing import answer, legal_texts, play_until
from tests.replies.conftest import delivered, turn_email
from tests.replies.programs import gmail, reply

pytestmark = pytest.mark.django_db

NOT_SENT = "The rest was not sent."
HOW = f"{NOT_SENT} To write to everyone, begin with “say:”."


def answers_to(email: Any, words: str) -> list[Any]:
    """Reply twice, as mail servers may; return all emails to the writer that leave then."""
    source = reply(gmail, email, words)
    for _ in range(2):
        receive(email.extra_headers["Reply-To"], source)
    return [one for one in delivered() if one.to == email.to]


def test_a_reply_after_which_its_player_is_asked_again_gets_one_email(game: Game) -> None:
    email = turn_email()
    (following,) = answers_to(email, "siena")  # R4: the chooser acts first
    assert following.body.startswith("You chose to fight for Siena.\n\nPlay a card or pass.")
    assert "You chose to fight for Siena." in following.alternatives[0][0]
    assert "/confirm/?move=pass" in following.body
    assert following.subject == f"Re: {email.subject}"
    assert following.extra_headers["In-Reply-To"]
    assert following.extra_headers["Auto-Submitted"] == "auto-replied"
    seat = next(seat for seat in seats_of(game) if seat.decision_step is not None)
    about = email_about(game, seat)
    assert about is not None
    assert (about.kind, about.state) == ("your_turn", OutgoingEmail.State.SENT)
    (then,) = answers_to(following, "pass")
    assert then.body.startswith("You passed.")


def test_the_receipt_of_a_games_last_move_says_its_result_once(game: Game) -> None:
    play_until(game, _can_end, seed=5)
    email = turn_email()
    emails = answers_to(email, "pass")
    (receipt,) = [one for one in emails if one.subject.startswith("Re: ")]
    assert receipt.body.startswith("You passed.")
    assert receipt.body.count("won the game") == 1
    assert receipt.alternatives[0].content.count("won the game") == 1
    for told in ("Play a rematch", "Turning points"):
        assert told in next(one.body for one in emails if one.subject.startswith("Game over"))


def _can_end(state: State, decision: Decision) -> bool:
    """Return whether a pass ends the game here."""
    if decision.kind != Phase.BATTLE:
        return False
    after, _events = apply(state, decision.seat, parse_move("pass"))
    return after.phase == Phase.OVER


def test_readers_of_the_daily_email_get_it_too_and_are_not_told_again(game: Game, people: list[Any]) -> None:
    email = turn_email()
    daily = {"frequency": User.Frequency.DIGEST, "at_once_when_alone": False}
    User.objects.filter(email=email.to[0]).update(**daily)
    (following,) = answers_to(email, "siena")
    assert "Play a card or pass." in following.body
    OutgoingEmail.objects.filter(kind="waiting").update(not_before=clock.now())
    assert [one for one in delivered() if one.to == email.to] == []
    assert OutgoingEmail.objects.get(kind="waiting").state == OutgoingEmail.State.OVERTAKEN


def test_someone_who_wants_no_turn_emails_gets_the_choices_in_the_receipt(game: Game) -> None:
    email = turn_email()
    User.objects.filter(email=email.to[0]).update(frequency=User.Frequency.NEVER, at_once_when_alone=False)
    (receipt,) = answers_to(email, "siena")
    assert OutgoingEmail.objects.get(kind="reply_receipt").state == OutgoingEmail.State.SENT
    assert receipt.body.startswith("You chose to fight for Siena.")
    assert "/confirm/?move=pass" in receipt.body


def test_a_turn_that_is_over_before_its_email_leaves_needs_the_receipt(game: Game) -> None:
    email = turn_email()
    receive(email.extra_headers["Reply-To"], reply(gmail, email, "siena"))
    answer(game, "pass")  # on the page
    (receipt,) = [one for one in delivered() if one.to == email.to]
    assert receipt.body.startswith("You chose to fight for Siena.")


def test_the_receipt_of_a_message_repeats_the_choices(game: Game) -> None:
    email = turn_email()
    (receipt,) = answers_to(email, "say: Good luck!")
    assert Message.objects.get().text == "Good luck!"
    assert receipt.body.startswith("Your message is sent.")
    assert "Choose a region to fight for." in receipt.body
    assert "/confirm/?move=place+siena" in receipt.body
    for body in (receipt.body, receipt.alternatives[0][0]):
        assert "Use the link in the email" not in body


@pytest.mark.parametrize(
    ("below", "is_named"),
    [
        ("Well fought, everyone!", True),
        ("Thanks!\n\nShall we go on on Sunday?", True),
        ("Thanks!\n\nAnna", False),
        ("http://testserver/answer/1.0.1.1.a/confirm/?move=place+siena", False),
        ("say: Well fought!", False),
        ("", False),
    ],
)
def test_words_below_a_move_that_go_nowhere_are_named(game: Game, below: str, is_named: bool) -> None:
    email = turn_email()
    User.objects.filter(email=email.to[0]).update(name="Anna Ricci")
    receive(email.extra_headers["Reply-To"], reply(gmail, email, f"siena\n\n{below}"))
    told = next(one for one in delivered() if one.to == email.to).body
    assert told.startswith("You chose to fight for Siena.")
    assert (HOW in " ".join(told.split())) == is_named
    assert told.count("begin with “say:”") == 1


def test_where_no_one_may_write_the_rest_says_why(game: Game) -> None:
    email = turn_email()
    Table.objects.filter(pk=game.table_id).update(chat=Table.Chat.NONE)
    (told,) = answers_to(email, "siena\n\nWell fought, everyone!")
    assert NOT_SENT in told.body
    assert "begin with" not in told.body.partition("Play a card")[0]


def test_a_late_move_with_words_below_says_both(game: Game) -> None:
    email = turn_email()
    answer(game, "place siena")
    play_until(game, lambda state, decision: state.ply > 30)
    (receipt,) = [
        one for one in answers_to(email, "roma\n\nWhat a battle that was!") if one.subject.startswith("Re: ")
    ]
    assert "You have already made your move for that turn." in receipt.body
    assert HOW in " ".join(receipt.body.split())


def test_a_turn_that_comes_before_the_receipt_leaves_answers_the_reply_too(game: Game) -> None:
    (asked,) = answers_to(turn_email(), "siena")
    card = next(text for text in legal_texts(game) if text.startswith("play "))
    receive(asked.extra_headers["Reply-To"], reply(gmail, asked, card.removeprefix("play ")))
    for _other in range(2):
        answer(game, "pass")
    (email,) = [one for one in delivered() if one.to == asked.to]
    text = " ".join(email.body.split())
    assert text.startswith("You played ")
    assert "Everyone else has passed. Siena is yours if you pass." in text
    for part in (email.body, email.alternatives[0][0]):
        assert re.findall(r"confirm/\?move=(\w+)", part)[0] == "pass"
    assert "such as “Pass” or “" in text
    assert "Carla passed." in text
    assert email.extra_headers["In-Reply-To"]
    assert [one for one in delivered() if one.to == asked.to] == []
    receipts = OutgoingEmail.objects.filter(kind="reply_receipt")
    assert {(row.state, is_answered_by_turn(row)) for row in receipts} == {
        (OutgoingEmail.State.OVERTAKEN, True)
    }


def test_a_turn_whose_email_leaves_at_another_hour_is_told_of_in_the_receipt(game: Game) -> None:
    (asked,) = answers_to(turn_email(), "siena")
    daily = {"frequency": User.Frequency.DIGEST, "at_once_when_alone": False}
    User.objects.filter(email=asked.to[0]).update(**daily)
    card = next(text for text in legal_texts(game) if text.startswith("play "))
    receive(asked.extra_headers["Reply-To"], reply(gmail, asked, card.removeprefix("play ")))
    for _other in range(2):
        answer(game, "pass")
    (receipt,) = [one for one in delivered() if one.to == asked.to]
    assert receipt.body.startswith("You played ")
    assert "Siena is yours if you pass." in receipt.body
    assert OutgoingEmail.objects.get(kind="waiting").state == OutgoingEmail.State.QUEUED
