"""Bots in the seats of ordinary tables: who may seat them, what they answer, and that they tell no one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, LogEntry, ReadMarker, Seat, Table
from games.models.replay import replayed
from games.rules import Replay, State, pending, replay
from games.services.continue_game import continue_game
from games.services.progress import Progress
from tests.practice.playing_as_a_guest import eager, play_on
from tests.rules.random_play import random_game
from tests.simulation.games.resampling import Log, resampled

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOT = 2  # the bot's seat in the tests of secret answers


def table_of(host: Any, size: int) -> Table:
    return services.make_table(host, name="Table 42", size=size, entry="open")


def seat(client: Client, table: Table, strength: str = "recruit", roster: int | None = None) -> Any:
    """Press the host's button to add bots, with this many people seated."""
    about = {"strength": strength, "roster": table.seats.count() if roster is None else roster}
    return client.post(f"/tables/{table.pk}/bot/", about, follow=True)


@pytest.mark.long
def test_one_person_and_bots_play_a_whole_game(anna: Any, signed_in: Any) -> None:
    hers, table = signed_in(anna), table_of(anna, 4)
    for strength in ("recruit", "captain", "recruit"):
        seat(hers, table, strength)
    page = hers.get(f"/tables/{table.pk}/").content.decode()
    for name in ("Montefeltro (bot)", "Gattamelata (bot)", "Colleoni (bot)", "Recruit", "Captain"):
        assert name in page
    begun = hers.post(f"/tables/{table.pk}/confirm/")
    game = Game.objects.get()
    assert begun["Location"] == f"/games/{game.pk}/"
    assert play_on(hers, f"/games/{game.pk}/", eager) > 5
    deliver_due()
    assert set(OutgoingEmail.objects.values_list("to_user", flat=True)) == {anna.pk}
    assert OutgoingEmail.objects.filter(kind="game_over").count() == 1


def test_a_bot_can_be_taken_out_again(anna: Any, bruno: Any, signed_in: Any) -> None:
    hers, table = signed_in(anna), table_of(anna, 3)
    services.take_seat(table, bruno)
    seat(hers, table)
    services.confirm(table.seats.get(user=bruno))
    bot = table.seats.get(bot="recruit")
    assert bot.confirmed_at is not None
    hers.post(f"/tables/{table.pk}/remove/{bot.pk}/")
    assert not table.seats.exclude(bot="").exists()
    assert table.seats.get(user=bruno).confirmed_at is None
    seat(hers, table, "captain")
    asked = OutgoingEmail.objects.filter(kind="confirm", to_user=bruno)
    assert asked.count() == 2  # once for either set of players
    assert OutgoingEmail.objects.filter(kind="removed").count() == 0


def test_the_same_button_pressed_twice_seats_one_bot(anna: Any, signed_in: Any) -> None:
    hers, table = signed_in(anna), table_of(anna, 4)
    for _press in range(2):
        assert "You added a bot." in seat(hers, table, roster=1).content.decode()
    assert table.seats.exclude(bot="").count() == 1


def test_a_company_that_has_changed_is_looked_at_first(anna: Any, bruno: Any, signed_in: Any) -> None:
    hers, table = signed_in(anna), table_of(anna, 3)
    services.take_seat(table, bruno)
    assert "The players have changed" in seat(hers, table, roster=1).content.decode()
    assert not table.seats.exclude(bot="").exists()


def test_a_full_table_takes_no_bot(anna: Any, bruno: Any, signed_in: Any) -> None:
    hers, table = signed_in(anna), table_of(anna, 2)
    services.take_seat(table, bruno)
    assert "All seats at this table are taken." in seat(hers, table).content.decode()
    assert "Add the bot" not in hers.get(f"/tables/{table.pk}/").content.decode()


@pytest.mark.parametrize(
    "wrong", [{"strength": "general"}, {"strength": ""}, {"roster": "x"}, {"roster": "99"}]
)
def test_a_bot_that_there_is_not_is_refused(anna: Any, signed_in: Any, wrong: dict[str, str]) -> None:
    table = table_of(anna, 3)
    about = {"strength": "recruit", "roster": "1"} | wrong
    assert signed_in(anna).post(f"/tables/{table.pk}/bot/", about).status_code == 400
    assert table.seats.count() == 1


def test_only_the_host_seats_bots(anna: Any, bruno: Any, stranger: Any, signed_in: Any) -> None:
    table = table_of(anna, 3)
    services.take_seat(table, bruno)
    for client in (signed_in(bruno), signed_in(stranger)):
        assert seat(client, table).status_code == 404
    assert Client().post(f"/tables/{table.pk}/bot/", {"strength": "recruit", "roster": 2}).status_code == 302
    assert signed_in(anna).get(f"/tables/{table.pk}/bot/").status_code == 405
    assert not table.seats.exclude(bot="").exists()


def test_a_table_that_plays_takes_no_bot(anna: Any, bruno: Any, signed_in: Any) -> None:
    table = table_of(anna, 2)
    services.take_seat(table, bruno)
    for own in table.seats.all():
        services.confirm(own)
    assert "has already started" in seat(signed_in(anna), table).content.decode()
    assert table.seats.count() == 2


def secret_decisions(count: int) -> Iterator[tuple[int, Log, Log, int]]:
    """Yield moments when a person is asked about their hand, in two versions that look the same to them.

    In one version the bot is asked as well, in the other it is not.
    """
    found = seed = 0
    while found < count:
        seed += 1
        game = random_game(seed)
        states = replay(game.options, game.players, game.first, game.log).states if game.players == 3 else ()
        for ply, state in enumerate(states):
            if state.phase != "hand" or states[ply - 1].phase == "hand":
                continue
            viewer, log = Random(seed).randrange(BOT), game.log[:ply]
            other = resampled(game.options, 3, game.first, log, viewer, Random(seed))
            if _bot_differs(state, replay(game.options, 3, game.first, other).state):
                found += 1
                yield game.first, log, other, viewer


def _bot_differs(one: State, other: State) -> bool:
    """Return both versions: the bot decides in one only, a person in both, so the step stays open."""
    asked = [{decision.seat for decision in pending(state)} for state in (one, other)]
    return (BOT in asked[0]) != (BOT in asked[1]) and all(seats - {BOT} for seats in asked)


@pytest.mark.long
def test_no_one_can_tell_whether_a_bot_was_asked_about_its_hand(
    anna: Any, bruno: Any, signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R17: a bot's answer is as secret as a person's, in its time and its count too."""
    with time_machine.travel(NOON, tick=False):
        table = services.make_table(anna, name="The long road", size=3, entry="link")
        services.take_seat(table, bruno)
        services.seat_bot(table, "recruit", 2)
        Table.objects.update(state=Table.State.PLAYING)
        clients = [signed_in(anna), signed_in(bruno)]
        for first, *tellings, viewer in secret_decisions(6):
            entries = []
            seen = []
            for log in tellings:
                _store(table, first, log)
                entries.append(LogEntry.objects.count() - len(log))
                seen.append(_seen(clients[viewer], table.pk))
            assert sorted(entries) == [0, 1]
            assert seen[0] == seen[1]


def _decision_step(told: Replay, ply: int) -> int | None:
    """Return when the decision of this entry came up; None for the site's own entries."""
    return None if told.plies[ply].seat is None else told.states[ply].step


def _store(table: Table, first: int, log: Log) -> None:
    """Store the game as it is at this moment, with the bot's answer."""
    LogEntry.objects.all().delete()
    OutgoingEmail.objects.all().delete()
    Game.objects.all().delete()
    ReadMarker.objects.all().delete()  # how far the viewer has read
    Seat.objects.update(pending_decision=None, decision_step=None, asked_since=None)
    told = replay(table.options, 3, first, log)
    game = Game.objects.create(
        pk=table.pk,
        table=table,
        players=3,
        first_condottiere=first,
        nonces=["00" * 16] * 3,
        phase="shuffle",
        started_at=NOON,
        moved_at=NOON,
    )
    entries = [
        LogEntry(game=game, ply=ply, seat=owner, move=text, at=NOON, decision_step=_decision_step(told, ply))
        for ply, (owner, text) in enumerate(log)
    ]
    with transaction.atomic():
        continue_game(game, Progress(told.state, entries), NOON)
    assert replayed(game).state.phase == "hand"


def _seen(client: Client, game: int) -> dict[str, bytes]:
    paths = ("/", "/games/", f"/games/{game}/", f"/games/{game}/proof/", f"/tables/{game}/")
    return {
        path: re.sub(rb'name="(csrfmiddlewaretoken|form_key)" value="[\w-]+"', b"", client.get(path).content)
        for path in paths
    }
