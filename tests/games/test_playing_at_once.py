"""The tests' shortcut to a finished game stores the same rows as single moves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.db import transaction

from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, LogEntry, Seat
from tests.games.playing import begin_game, play_to_the_end, submit_until

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

OF_ITS_MOMENT = {
    "id",
    "game",
    "table",
    "at",
    "taken_at",
    "confirmed_at",
    "is_first_game",  # of the two games, only one is
    "started_at",
    "moved_at",
    "ended_at",
}


def begun(people: list[Any], bots: int, **terms: Any) -> Game:
    size = len(people) + bots
    table = services.make_table(people[0], name="A", size=size, entry="open", secret=b"s" * 32, **terms)
    for person in people[1:]:
        services.take_seat(table, person)
    for roster in range(len(people), size):
        services.seat_bot(table, "recruit", roster)
    for seat in table.seats.people():
        services.confirm(seat)
    return Game.objects.select_related("table").get(table=table)


def left_by(game: Game) -> list[dict[str, Any]]:
    """Return the rows of the game without its times, and the emails of its end."""
    game.refresh_from_db()
    rows = [game, *LogEntry.objects.filter(game=game).order_by("ply"), *Seat.objects.filter(table=game.table)]
    told = [
        {
            field.name: getattr(row, field.attname)
            for field in row._meta.fields
            if field.name not in OF_ITS_MOMENT
        }
        for row in rows
    ]
    emails = OutgoingEmail.objects.filter(kind="game_over", context__game=game.pk).order_by("key")
    return [*told, *({"to": email.to_address, "seat": email.context["seat"]} for email in emails)]


@pytest.mark.parametrize("bots", [0, 1])
@pytest.mark.parametrize("variants", [[], ["hidden-cards", "draw-after-battle"]])
@pytest.mark.long
def test_a_game_written_down_at_once_is_the_game_played_move_by_move(
    anna: Any, bruno: Any, bots: int, variants: list[str]
) -> None:
    terms = {"bots": bots, "options_json": {"edition": "2007", "variants": variants}}
    one, other = begun([anna, bruno], **terms), begun([anna, bruno], **terms)
    submit_until(one, lambda state, decision: False, seed=3)
    play_to_the_end(other, seed=3)
    assert one.is_over
    assert left_by(one) == left_by(other)


@time_machine.travel(datetime(2026, 3, 1, 12, tzinfo=UTC), tick=False)
def test_a_game_begun_at_once_is_the_game_begun_seat_by_seat(anna: Any, bruno: Any, carla: Any) -> None:
    people, told = [anna, bruno, carla], []
    for begins in (lambda: begun(people, 0), lambda: begin_game(people, secret=b"s" * 32)):
        with transaction.atomic():
            rows = left_by(begins())
            emails = OutgoingEmail.objects.exclude(kind="confirm").order_by("kind", "to_address")
            told.append((rows, list(emails.values_list("kind", "to_address"))))
            transaction.set_rollback(True)
    assert told[0] == told[1]
    assert len(told[0][1]) == len(people)
