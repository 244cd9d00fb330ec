"""Signed links in emails: make and read tokens that each open one thing. Decides nothing.

A token is signed, not encrypted: anyone who holds it can read it, so nothing secret may be put inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.urls import reverse

from accounts import tokens
from accounts.addresses import absolute_url
from accounts.mail.own_addresses import tagged
from games.models import Game, Invitation, Seat

ANSWER_AGE = timedelta(days=120)
REPLIES = "replies"  # what the addresses of replies are signed for
INVITATION_AGE = timedelta(days=60)
SEAT_AGE = timedelta(days=60)
CHRONICLE_AGE = timedelta(days=730)  # the last email of a game is kept, and nothing in that game is secret


class BadLink(Exception):
    """The token is broken, foreign or expired. The error does not say which."""


@dataclass(frozen=True)
class LinkedDecision:
    """One decision of one person's seat in one game: all that an answer link opens."""

    game: int
    seat: int
    user: int
    decision_step: int


def answer_token(decision: LinkedDecision) -> str:
    return _sign("answer", [decision.game, decision.seat, decision.user, decision.decision_step])


def read_answer_token(token: str) -> LinkedDecision:
    """Return the decision that a link was made for. Raises BadLink."""
    game, seat, user, decision_step = _read("answer", token, ANSWER_AGE, 4)
    return LinkedDecision(game, seat, user, decision_step)


def invitation_token(invitation: Invitation) -> str:
    return _sign("invitation", [invitation.pk])


def read_invitation_token(token: str) -> int:
    """Return the invitation's number. Raises BadLink."""
    return _read("invitation", token, INVITATION_AGE, 1)[0]


def seat_token(seat: Seat) -> str:
    assert seat.user_id is not None  # emails go to people
    return _sign("seat", [seat.pk, seat.user_id])


def read_seat_token(token: str) -> tuple[int, int]:
    """Return the seat's number and its person's. Raises BadLink."""
    seat, user = _read("seat", token, SEAT_AGE, 2)
    return seat, user


def chronicle_token(game: Game, user: int) -> str:
    return _sign("chronicle", [game.pk, user])


def read_chronicle_token(token: str) -> tuple[int, int]:
    """Return the numbers of the game and of a person who played in it. Raises BadLink."""
    game, user = _read("chronicle", token, CHRONICLE_AGE, 2)
    return game, user


def person_key(person: int) -> str:
    """Return the key of a person, by which pages name them.

    It stays the same, and names no one: without the signature, counting would list every account.
    """
    return tokens.sign("person", person)


def person_path(person: int) -> str:
    """Return the path of a person's page, which opens for everyone who has it."""
    return reverse("person", args=[person_key(person)])


def player_path(seat: Seat) -> str:
    """Return the path of the page of a seat's player; empty if their name leads nowhere.

    Bots have no page, and at an anonymous table no name leads anywhere until everyone's is shown.
    """
    if seat.user is None or seat.anonymity or not seat.user.has_page:
        return ""
    return person_path(seat.user.pk)


def read_person_key(key: str) -> int:
    """Return the number of the person whose page this is. Raises BadLink."""
    try:
        return tokens.read_numbers("person", key, 1)[0]
    except tokens.BadToken as error:
        raise BadLink from error


def answer_url(decision: LinkedDecision) -> str:
    return absolute_url(reverse("answer", args=[answer_token(decision)]))


def reply_address(decision: LinkedDecision) -> str:
    """Return the address that a reply to an email about this decision goes to; empty if none are read."""
    if not settings.REPLY_ADDRESS:
        return ""
    numbers = (decision.game, decision.seat, decision.user, decision.decision_step)
    return tagged(settings.REPLY_ADDRESS, REPLIES, *numbers, dated=True)


def invitation_url(invitation: Invitation) -> str:
    return absolute_url(reverse("invitation", args=[invitation_token(invitation)]))


def seat_url(seat: Seat) -> str:
    return absolute_url(reverse("seat", args=[seat_token(seat)]))


def chronicle_url(game: Game, user: int, page: str = "") -> str:
    """Return the URL of a finished game's chronicle, or of a related page ("_record", "_proof")."""
    return absolute_url(reverse("chronicle" + page, args=[chronicle_token(game, user)]))


def _sign(purpose: str, numbers: list[int]) -> str:
    """Sign these numbers. Each purpose has its own salt, so that no token opens another kind of access."""
    return tokens.sign(purpose, *numbers, dated=True)


def _read(purpose: str, token: str, age: timedelta, length: int) -> list[int]:
    try:
        return tokens.read_numbers(purpose, token, length, age)
    except tokens.BadToken as error:
        raise BadLink from error


def list_of(game: Game) -> str:
    """Return the list a game's emails belong to, which the unsubscribe link turns off."""
    return f"game-{game.pk}"


def digests_to(user: int | None) -> str:
    """Return the thread of the emails that tell this person of several games at once."""
    return f"waiting-{user}"
