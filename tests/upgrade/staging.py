"""A small site with one of everything, made with the code of the release it is run with.

The moment and all chance are fixed, so that the same code makes the same rows.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import time_machine
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.management import call_command

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.models import Holiday
from accounts.push.models import Push, PushSubscription
from games import services
from games.chat.models import Channel, SealedNote
from games.chat.services import write
from games.chat.services.channels import public_channel
from games.chat.services.deal_answers import answer
from games.chat.services.deals import Proposed, ProposedPromise, propose
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import show_cards
from games.clocks.outages import beat_heart
from games.leagues.models import Season
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import sign_up
from games.models import Game, Seat
from games.models.replay import replayed
from games.orders import Aside
from games.rules import EDITIONS, HIGHEST_TARGET, State, observe, pending
from games.services.moves import is_in_battle
from games.services.practice import begin_practice
from tests.chat.dealing import channel_of, seat_of
from tests.games.playing import begin_game, decision_of, play_to_the_end, play_until, seat_table, submit
from tests.leagues import world
from tests.matches.playing import POINTS, begin_match
from tests.people import all_proven
from tests.push.services import AUTH, in_base64

MOMENT = datetime(2026, 3, 2, 12, tzinfo=UTC)
NAMES = ("Anna", "Bruno", "Carla", "Dario")
ZONES = ("Europe/Rome", "America/New_York", "Asia/Tokyo", "Europe/Warsaw")
LANGUAGES = ("en", "en", "pl", "ru")
TURNS_SENT, EMAILS_SENT = 3, 6  # of all emails; the others stay queued
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@contextmanager
def fixed() -> Iterator[Any]:
    """Fix the time and all chance."""
    chance = random.Random("a site that is kept")
    random.seed("its emails")  # for the boundaries of their parts
    with (
        time_machine.travel(MOMENT, tick=False) as traveller,
        patch("os.urandom", chance.randbytes),
        patch("random._urandom", chance.randbytes),  # of the module secrets
        patch("games.map.raster._rendered", lambda _drawing: b""),  # maps would be most of the bytes
    ):
        yield traveller


def build() -> None:
    """Build the site in an empty database."""
    with fixed() as traveller:
        call_command("migrate", interactive=False, verbosity=0)
        beat_heart(MOMENT)
        people = _people()
        _season(people)
        traveller.shift(HOUR)
        _games_over(people)
        _games(people)
        traveller.shift(HOUR)
        _talk(people)
        _orders(people)
        _gathering(people)
        traveller.shift(5 * MINUTE)
        turns = OutgoingEmail.objects.filter(kind="your_turn").order_by("-pk")[:TURNS_SENT]
        OutgoingEmail.objects.filter(pk__in=[email.pk for email in turns]).update(not_before=MOMENT - MINUTE)
        deliver_due(is_over=lambda: CapturedEmail.objects.count() >= EMAILS_SENT)
        beat_heart(MOMENT + 2 * HOUR + 5 * MINUTE)


def _people() -> list[Any]:
    people = all_proven({f"{name.lower()}@example.org": name for name in NAMES})
    for person, zone, language in zip(people, ZONES, LANGUAGES, strict=True):
        person.time_zone, person.language = zone, language
        person.save()
    anna, bruno = people[:2]
    anna.quiet_from, anna.quiet_until = datetime(2026, 1, 1, 22).time(), datetime(2026, 1, 1, 7).time()
    anna.days_off, anna.push_kinds = [5, 6], list(Push.Kind.values)
    anna.save()
    Holiday.objects.create(user=bruno, first=(MOMENT + 9 * DAY).date(), last=(MOMENT + 12 * DAY).date())
    key = ec.derive_private_key(1, ec.SECP256R1()).public_key()
    PushSubscription.objects.create(
        user=anna,
        endpoint="https://push.example.org/1",
        p256dh=in_base64(key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)),
        auth=in_base64(AUTH),
    )
    return people


def _season(people: Sequence[Any]) -> None:
    """A season with one round over and one of the second round's tables; and one with open sign-up."""
    more = world.people(4)
    season = world.a_running_season(
        people[0], [*people, *more], rounds=3, size=4, terms=world.TERMS | {"pace": "day"}
    )
    run_seasons(MOMENT)
    world.finish_all(season.divisions.get().rounds.get(number=1))
    run_seasons(MOMENT)
    second = season.divisions.get().rounds.get(number=2)
    world.finish(second.tables.order_by("number")[0])
    run_seasons(MOMENT)
    planned = world.a_season(world.a_league(people[1], "Spring League"), state=Season.State.SIGN_UP)
    world.reschedule(planned)
    sign_up(planned, people[2])


def _games_over(people: Sequence[Any]) -> None:
    play_to_the_end(begin_game(people[:3], watch="anyone"))
    play_to_the_end(begin_match(people[:2], 1))
    play_to_the_end(begin_match(people[:3], HIGHEST_TARGET))  # its second game waits for the players
    begin_practice(None, opponents=2, strength=Seat.Bot.RECRUIT, form_key=uuid4())


def _games(people: Sequence[Any]) -> None:
    """A running game of each edition and option, and of all options together."""
    for edition in EDITIONS.values():
        alone = [(variant,) for variant in edition.variants]
        for variants in dict.fromkeys([(), *alone, edition.variants]):
            options = {"options_json": {"edition": edition.name, "variants": list(variants)}}
            if "playing-for-points" in variants:
                options |= {"target": 20, "chain": POINTS["chain"]}
            name = " ".join([edition.name, *variants])[:60]
            game = begin_game(people, pace="day", name=name, **options)
            play_until(game, lambda state, _decision: state.phase == "battle" and state.ply > 15)
            _one_more_move(game)


def _one_more_move(game: Game) -> None:
    """Play one move as players do, so that the next player's email is queued."""
    decision = decision_of(game)
    move = observe(replayed(game).state, decision.seat).legal[0]
    submit(game, decision.seat, move, decision.decision_step)


def _in_battle(people: Sequence[Any], **terms: Any) -> Game:
    game = begin_game(people, pace="day", **terms)
    play_until(game, lambda state, _decision: _all_fight(state))
    return game


def _all_fight(state: State) -> bool:
    """Return whether a battle is on in which everyone has cards and no one has passed."""
    return (
        state.phase == "battle"
        and state.ply > 10
        and all(observe(state, seat).hand and is_in_battle(state, seat) for seat in range(state.players))
    )


def _talk(people: Sequence[Any]) -> None:
    """Messages, a deal that is agreed and one proposed, a sealed note, shown cards, a shared hour."""
    anna, bruno, carla = people[:3]
    game = _in_battle([anna, bruno, carla], name="The talkative table")
    table = game.table
    seats = [seat_of(table, person) for person in (anna, bruno, carla)]
    everyone: Channel = public_channel(table)
    write(seats[0], "Good luck to all. *May the best one win.*", channel=everyone)
    private = channel_of(table, anna, bruno)
    write(seats[1], "Let us keep out of each other's way.", channel=private)
    promise = ProposedPromise(seats[0].number, "no attack", "roma")
    stands = propose(seats[0], private, Proposed("I leave Rome to you.", (seats[1].number,), (promise,)))
    answer(seats[1], stands.pk, accepts=True)
    proposed = Proposed("Help me in the next battle.", (seats[0].number,))
    propose(seats[2], channel_of(table, carla, anna), proposed)
    seal_note(seats[1], everyone, "I think that Anna wins.", SealedNote.Opens.GAME)
    hand = observe(replayed(game).state, seats[0].number).hand
    assert hand
    show_cards(seats[0], hand[:1], private)
    start = MOMENT + 2 * DAY
    (hour,) = services.propose_hours(seats[0], [(start, start + HOUR)], is_weekly=False)
    services.answer_hour(hour, seats[1], accepts=True)
    services.write_note(game, anna, "Bruno likes bishops.")


def _orders(people: Sequence[Any]) -> None:
    """A player who is not asked stands aside for the rest of the battle."""
    game = _in_battle(people[:3], name="The table with an order")
    state = replayed(game).state
    asked = pending(state)[0].seat
    seat = Seat.objects.get(table=game.table, number=(asked + 1) % state.players)
    services.give_order(game, seat, Aside(even_with_one_rival=True), state.step)


def _gathering(people: Sequence[Any]) -> None:
    table = seat_table(people[:2], size=4, entry="invitation", name="A table that gathers")
    services.invite(table, "elena@example.org")
