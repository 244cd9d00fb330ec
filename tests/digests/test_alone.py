"""A player who alone holds up a game is emailed at once, whatever they chose for their turns."""

from datetime import time
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games.models import Seat
from games.services.practice import begin_practice
from tests.digests.days import (
    DAY,
    HOUR,
    MINUTE,
    Days,
    asked,
    fresh,
    games_of,
    of_kind,
    play_on,
    play_until_asked,
    to,
    wants,
)
from tests.digests.test_email_preferences import choose
from tests.digests.test_one_click import click, undo_path
from tests.games.playing import game_where

pytestmark = pytest.mark.django_db
COLLECTED = pytest.mark.parametrize("frequency", ["batched", "digest"])


def one_game(days: Days, people: list[Any], **preferences: Any) -> tuple[Any, Any]:
    """A game and the person with its first decision, who chose these emails before it was put."""
    game = games_of(people, 1)[0]
    person = asked(game)
    wants(person, **{"at_once_when_alone": True, "digest_at": time(8), **preferences})
    days.clear()
    play_until_asked(game, person)
    return game, person


def test_a_new_account_has_it(anna: Any) -> None:
    assert anna.at_once_when_alone


@COLLECTED
def test_an_open_decision_is_told_once_and_at_once(days: Days, people: list[Any], frequency: str) -> None:
    game, person = one_game(days, people, frequency=frequency)
    assert len(of_kind("your_turn", to(person, days.pass_by(2 * MINUTE)))) == 1
    assert to(person, days.pass_by(2 * DAY)) == []
    play_until_asked(game, person)
    assert len(of_kind("your_turn", to(person, days.pass_by(2 * DAY)))) == 1
    assert not OutgoingEmail.objects.filter(kind="waiting").exists()


@COLLECTED
def test_a_secret_decision_waits_as_its_player_chose(days: Days, people: list[Any], frequency: str) -> None:
    """An email at once would tell that no one else was asked (R17)."""
    for person in people:
        wants(person, frequency=frequency, at_once_when_alone=True)
    game, _state = game_where(people, lambda _state, decision: decision.kind == "hand")
    asked = Seat.objects.filter(table=game.table, pending_decision="hand")
    assert asked
    for seat in asked:
        assert [email.kind for email in OutgoingEmail.objects.filter(to_user=seat.user)] == ["waiting"]


def test_quiet_hours_stay_quiet_and_their_end_brings_one_email(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    """Also when the player saves their preferences in between."""
    game, person = one_game(
        days, people, frequency="digest", quiet_from=time(11), quiet_until=time(18), digest_at=time(20)
    )
    assert to(person, days.pass_by(5 * HOUR)) == []
    choose(signed_in(person), how="digest", digest_at="20:00", at_once_when_alone="on")
    assert len(of_kind("waiting", to(person, days.pass_by(HOUR)))) == 1
    assert days.sent[-1][0].hour == 18
    assert to(person, days.pass_by(DAY)) == []
    days.now += DAY
    wants(fresh(person), at_once_when_alone=True, days_off=[days.now.weekday()])
    play_until_asked(game, person)
    emails = to(person, days.pass_by(DAY))
    assert len(of_kind("waiting", emails)) == len(emails) == 1, "on a day off, the daily email"


def test_turning_it_off_puts_a_moved_digest_back_to_its_hour(
    days: Days, people: list[Any], signed_in: Any
) -> None:
    _game, person = one_game(
        days, people, frequency="digest", quiet_from=time(11), quiet_until=time(18), digest_at=time(20)
    )
    choose(signed_in(person), how="digest", digest_at="20:00")
    assert to(person, days.pass_by(7 * HOUR)) == []
    assert len(of_kind("waiting", to(person, days.pass_by(HOUR)))) == 1


def test_a_click_on_it_leaves_one_email_a_day_and_can_be_undone(days: Days, people: list[Any]) -> None:
    game, person = one_game(days, people, frequency="digest")
    (email,) = of_kind("your_turn", to(person, days.pass_by(HOUR)))
    assert "one email a day" in click(email)
    assert (fresh(person).frequency, fresh(person).at_once_when_alone) == ("digest", False)
    (confirming,) = days.pass_by(MINUTE)
    play_until_asked(game, person)
    assert len(of_kind("waiting", to(person, days.pass_by(DAY)))) == 1
    client = Client()
    assert "When a game waits only for you" in client.get(undo_path(confirming)).content.decode()
    client.post(undo_path(confirming))
    assert fresh(person).at_once_when_alone


def test_a_click_on_another_turns_email_is_not_overridden(days: Days, people: list[Any]) -> None:
    game, person = one_game(days, people, frequency="at once")
    click(of_kind("your_turn", to(person, days.pass_by(HOUR)))[0])
    days.pass_by(MINUTE)
    play_until_asked(game, person)
    assert of_kind("your_turn", to(person, days.pass_by(DAY))) == []


def test_against_bots_alone_no_one_waits(days: Days, anna: Any) -> None:
    wants(anna, frequency="digest", at_once_when_alone=True)
    game = begin_practice(anna, 2, "recruit", uuid4())
    play_on(game)
    assert not OutgoingEmail.objects.filter(kind="your_turn").exists()
