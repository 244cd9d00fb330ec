"""A player gets the same bytes in every page and email, whatever the cards are that they cannot see.

A stored game is rewritten so that one seat cannot tell the difference
(tests/simulation/games/resampling.py): other hands, another pile, others asked and other answers in secret
steps; and in a battle, others have given standing orders that have not acted yet. What this seat can fetch
stays the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
import time_machine
from django.core import mail
from django.db import transaction
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.api_requests import Limits
from games import services
from games.clocks.countdowns import COUNTDOWN_COLUMNS
from games.links import LinkedDecision, answer_token
from games.models import Game, LogEntry, ReadMarker, Seat, StandingOrder, Table
from games.orders import Aside, problems, suggested
from games.presenters import decision
from games.presenters.position import Position
from games.rules import Options, Ply, Replay, State, legal_moves, observe, pending, replay
from games.services import automatic_moves, lobby
from games.services.continue_game import continue_game
from games.services.progress import Progress
from tests.api.asking import Program
from tests.api.harmless import harmless_answers
from tests.games.playing import submit
from tests.rules.random_play import random_game
from tests.simulation.games.resampling import Log, resampled

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs ask here more often than people's, and one person makes every table."""
    monkeypatch.setattr(lobby, "TABLES_A_DAY", 10**6)
    for limits in ("WITH_TOKEN", "WITHOUT_TOKEN"):
        monkeypatch.setattr(f"condottiere_site.api_requests.{limits}", Limits(10**9, 10**9))


BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
LOOKED = BEGAN + timedelta(days=30)
LOOKED_IN_TIME = BEGAN + timedelta(hours=20)  # before the time of any decision is out
MINUTE = timedelta(minutes=1)
BASE = Options()
PHASES = ("place", "battle", "hand", "keep")
LAST_STEPS = (
    4  # so many are stored by the same command as a player's move; what was before only leaves its log
)
FORM_KEYS = re.compile(rb'name="(csrfmiddlewaretoken|form_key)" value="[\w-]+"')
BOUNDARY = re.compile(rb"={10,}\d+==")
ALSO_TRIED = (
    "pass",
    "discard hand",
    "keep hand",
    "keep nothing",
    "place roma",
    "play 10",
    "play bishop",
    "play",
)


@dataclass(frozen=True)
class Story:
    """Two histories of a running game that one seat, or a spectator, cannot tell apart."""

    players: int
    first: int
    log: Log
    other: Log
    seat: int | None  # None: a spectator
    phase: str
    options: Options


def stories(count: int, *, watched: bool = False, options: Options = BASE) -> Iterator[Story]:
    """Draw random games stopped somewhere, each phase of these options equally often."""
    phases = PHASES[:2] if options.draws_after_battle else PHASES[:3] if options.is_1995 else PHASES
    found: Counter[str] = Counter()
    seed = 0
    while found.total() < count:
        seed += 1
        rng = Random(f"leak {seed}")
        game = random_game(seed, options)
        wanted = min(phases, key=lambda phase: found[phase])
        cuts = _cuts(replay(game.options, game.players, game.first, game.log).states, wanted)
        if not cuts:
            continue
        log = game.log[: rng.choice(cuts)]
        seat = None if watched else rng.randrange(game.players)
        other = resampled(game.options, game.players, game.first, log, seat, rng)
        if other != log:
            found[wanted] += 1
            yield Story(game.players, game.first, log, other, seat, wanted, options)


def _cuts(states: Sequence[State], wanted: str) -> list[int]:
    """Plies at which a game is in this phase; where hands may be discarded, once someone has answered."""
    cuts = [number for number, state in enumerate(states) if state.phase == wanted]
    return [number for number in cuts if states[number - 1].phase == "hand"] if wanted == "hand" else cuts


class World:
    """One table at which every story is played, and the seat that looks at it."""

    def __init__(
        self,
        story: Story,
        people: Sequence[User],
        monkeypatch: pytest.MonkeyPatch,
        pace: str = "none",
        *,
        is_brief: bool = False,
    ) -> None:
        self.story, self.patch, self.is_brief = story, monkeypatch, is_brief
        self.has_clock = pace != "none"
        self.looked = LOOKED_IN_TIME if self.has_clock else LOOKED
        self.stranger = Client()
        self.program: Program | None = None
        seated = list(people[: story.players])
        self.viewer = None if story.seat is None else seated[story.seat]
        with time_machine.travel(BEGAN, tick=False):
            self.table = services.make_table(
                seated[0],
                name="The long road",
                size=story.players,
                entry="link",
                watch="anyone",
                pace=pace,
                options_json={"edition": story.options.edition, "variants": list(story.options.variants)},
            )
            for person in seated[1:]:
                services.take_seat(self.table, person)
        Table.objects.filter(pk=self.table.pk).update(state=Table.State.PLAYING)
        self.pk = self.table.pk

    def seen(self, log: Log, client: Client, *, has_orders: bool = False) -> dict[str, bytes]:
        """Return everything the viewer can get of the game with this log, by address."""
        told = self._stored(log)
        if has_orders and told.state.phase == "battle":
            self._order(told.state)
        with time_machine.travel(self.looked, tick=False):
            if self.viewer is None:
                return self._watched()
            return self._pages(client, told.state) | self._emails()

    def _order(self, state: State) -> None:
        """All others in the battle who aren't asked now give standing orders."""
        lot, game = Random(repr(self.story)), Game.objects.get()
        asked = {decision.seat for decision in pending(state)}
        for seat in set(range(self.story.players)) - {*asked, self.story.seat}:
            seen = observe(state, seat)
            order = lot.choice([Aside(lot.random() < 0.5), suggested(seen)])
            if not problems(order, seen):
                mine = Seat.objects.get(table=self.table, number=seat)
                with time_machine.travel(BEGAN + state.step * MINUTE, tick=False):
                    services.give_order(game, mine, order, state.step)

    def _watched(self) -> dict[str, bytes]:
        """Return what a spectator with the link and no account can get."""
        here = f"/watch/{self.table.watch_key}/"
        paths = ["/watch/", here, f"{here}proof/", f"{here}history/0/", f"{here}record.json"]
        paths += [f"/tables/{self.table.pk}/chat/", f"/join/{self.table.join_key}/", "/tables/", "/"]
        told = {path: _bytes(self.stranger.get(path)) for path in paths}
        return told | self._told_to_programs(Program(), self._paths_of_watchers())

    def _paths_of_watchers(self) -> list[str]:
        """Return what programs may ask of a table that others watch."""
        key = f"watch/{self.table.watch_key}"
        parts = ("", "/news", "/news?since=5", "/history", "/record")
        return ["watch", key, f"{key}/channels", *(f"{key}/games/1{part}" for part in parts)]

    def _told_to_programs(self, program: Program, paths: Sequence[str]) -> dict[str, bytes]:
        answers = {f"api {path}": program.get(path) for path in paths}
        return {path: _bytes(_uncounted(answer)) for path, answer in answers.items()}

    def _stored(self, log: Log) -> Replay:
        """Store the game as if it had been played this way; secret answers come at any time."""
        LogEntry.objects.all().delete()
        OutgoingEmail.objects.all().delete()
        Game.objects.all().delete()
        ReadMarker.objects.all().delete()  # how far the viewer has read
        columns = ("pending_decision", "decision_step", "asked_since", *COUNTDOWN_COLUMNS)
        unasked = {column: Seat._meta.get_field(column).get_default() for column in columns}
        Seat.objects.update(**unasked | {"reserve": timedelta(hours=72) if self.has_clock else None})
        told = replay(self.table.options, self.story.players, self.story.first, log)
        assert told.error is None
        at = self._written_down_at_once(told)
        while at < len(told.plies):
            ply, before, after = told.plies[at], told.states[at], told.states[at + 1]
            assert ply.seat is not None
            owed = list(takewhile(lambda entry: entry.seat is None, told.plies[at + 1 :]))
            piles = iter([entry.move.cards for entry in owed])
            self.patch.setattr(automatic_moves, "shuffled", lambda *_, piles=piles: next(piles))
            with time_machine.travel(_moment(before, after), tick=False):
                submit(Game.objects.get(), ply.seat, ply.move, before.step, self._via(ply))
            at += 1 + len(owed)
        stored = LogEntry.objects.order_by("ply").values_list("seat", "move")
        assert [tuple(entry) for entry in stored] == [(seat, text) for seat, text in log]
        return told

    def _written_down_at_once(self, told: Replay) -> int:
        """Store all but the last steps; return how many entries those were."""
        last = told.state.step - LAST_STEPS
        public = [
            number
            for number, state in enumerate(told.states)
            if state.phase not in ("shuffle", "hand") and state.step <= max(last, 1)
        ]
        until = public[-1]
        game = Game.objects.create(
            pk=self.pk,
            table=self.table,
            players=self.story.players,
            first_condottiere=self.story.first,
            nonces=["00" * 16] * self.story.players,
            phase="shuffle",
            started_at=BEGAN,
            moved_at=BEGAN,
        )
        entries = [
            LogEntry(
                game=game,
                ply=number,
                seat=ply.seat,
                move=str(ply.move),
                at=BEGAN,
                decision_step=_decision_step(told, number),
                via=self._via(ply),
            )
            for number, ply in enumerate(told.plies[:until])
        ]
        state = told.states[until]
        now = BEGAN + state.step * MINUTE
        with transaction.atomic(), time_machine.travel(now, tick=False):
            continue_game(game, Progress(state, entries), now)
        return until

    def _via(self, ply: Ply) -> str:
        """Where a clock runs, it passed and kept hands for the others, as far as these did so."""
        by_clock = self.has_clock and ply.seat != self.story.seat and str(ply.move) in ("pass", "keep hand")
        return "clock" if by_clock else "web"

    def _pages(self, client: Client, state: State) -> dict[str, bytes]:
        here = f"/games/{self.pk}/"
        paths = ["/", "/games/", here, f"{here}proof/", f"{here}history/0/", f"{here}record.json"]
        paths += [f"/tables/{self.table.pk}/", f"{here}arrangements/"]
        assert self.story.seat is not None
        moves = [str(move) for move in legal_moves(state, self.story.seat)] or ["pass"]
        lot = Random(repr(self.story))
        tried = list(dict.fromkeys([lot.choice(moves), lot.choice(ALSO_TRIED)]))
        stranger = self.stranger
        stranger.cookies.clear()
        answers = {path: client.get(path) for path in paths}
        for decision_step in (state.step, self._earlier_decision(state)):
            link = f"/answer/{self._token(decision_step)}/"
            answers[f"link {decision_step}"] = stranger.get(link)
            for move in [] if self.is_brief and decision_step != state.step else tried:
                form = {"move": move, "decision_step": decision_step}
                path = f"{link}confirm/?{urlencode(form)}"
                answers[path] = stranger.get(path)
                for access, door_client in ((here, client), (link, stranger)):
                    if move not in moves or decision_step != state.step:
                        sent = f"post {access} {move} {decision_step}"
                        answers[sent] = door_client.post(f"{access}move/", form, follow=True)
        told = {path: _bytes(answer) for path, answer in answers.items()}
        return told | self._told_to_a_program(state, [move for move in tried if move not in moves])

    def _told_to_a_program(self, state: State, tried: Sequence[str]) -> dict[str, bytes]:
        """Return what a program with the viewer's token gets at every address of the interface."""
        here, table = f"games/{self.pk}", f"tables/{self.table.pk}"
        paths = [
            "me",
            "waiting",
            "games",
            "games?state=finished",
            "tables",
            table,
            f"{table}/channels",
            f"{table}/deals",
        ]
        paths += [
            here,
            f"{here}/news",
            f"{here}/news?since={state.step}",
            f"{here}/history",
            f"{here}/record",
        ]
        paths += [f"{table}/channels/table/messages"]
        program = self._program()
        answers = {}
        for move in tried:
            sent = {"step": state.step, "move": move}
            answers[f"api {move}"] = program.post(f"{here}/moves", sent)
        order = {"step": state.step - 1, "order": {"kind": "aside"}}
        answers |= harmless_answers(program, self.table.pk, self.pk, which=self._requests_sent())
        answers["api order"] = program.post(f"{here}/order", order)
        told = {path: _bytes(_uncounted(answer)) for path, answer in answers.items()}
        told |= self._told_to_programs(program, [*paths, *self._paths_of_watchers()])
        assert told[f"api {here}"].startswith(b"200")
        return told

    def _requests_sent(self) -> slice:
        """Return which requests that write are sent: all, or if brief each in one phase of the game."""
        return slice(PHASES.index(self.story.phase), None, len(PHASES)) if self.is_brief else slice(None)

    def _program(self) -> Program:
        if self.program is None:
            self.program = Program(self.viewer)
        return self.program

    def _earlier_decision(self, state: State) -> int:
        """Return the step of a decision this seat has made; if none, of one it was never asked for."""
        answered = (
            LogEntry.objects.filter(seat=self.story.seat, decision_step__lt=state.step)
            .order_by("-ply")
            .first()
        )
        return answered.decision_step if answered and answered.decision_step is not None else 0

    def _token(self, decision_step: int) -> str:
        assert self.story.seat is not None
        assert self.viewer is not None
        return answer_token(LinkedDecision(self.pk, self.story.seat, self.viewer.pk, decision_step))

    def _emails(self) -> dict[str, bytes]:
        """Return the emails to the viewer that are sent now, with headers."""
        assert self.viewer is not None
        OutgoingEmail.objects.exclude(to_user=self.viewer).delete()
        OutgoingEmail.objects.update(message_id="<email-1@testserver>")
        mail.outbox.clear()
        deliver_due()
        mine = [email.message().as_bytes() for email in mail.outbox if email.to == [self.viewer.email]]
        return {f"email {number}": BOUNDARY.sub(b"-", text) for number, text in enumerate(mine)}


def _decision_step(told: Replay, number: int) -> int | None:
    return told.states[number].step if told.plies[number].seat is not None else None


def _moment(before: State, after: State) -> datetime:
    """What the table sees happens once a minute; a secret answer comes whenever it likes."""
    if after.step > before.step:
        return BEGAN + after.step * MINUTE
    return BEGAN + before.step * MINUTE + timedelta(seconds=Random(repr(after)).randrange(1, 59))


def _uncounted(answer: Any) -> Any:
    """Return an answer without what is counted by this very test, which asks more often for the second."""
    for header in ("RateLimit", "Retry-After"):
        del answer[header]
    return answer


def _bytes(answer: Any) -> bytes:
    """Return status, headers and body, without what is random in each answer."""
    headers = sorted(f"{name}: {value}" for name, value in answer.headers.items())
    body = FORM_KEYS.sub(b"", answer.content)
    return "\n".join([str(answer.status_code), *headers, ""]).encode() + body


@pytest.fixture
def people(anna: User, bruno: User, carla: User, dario: User, elena: User, fabio: User) -> list[User]:
    return [anna, bruno, carla, dario, elena, fabio]


def test_what_a_seat_cannot_know_changes_no_byte_that_it_gets(
    people: list[User], signed_in: Any, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    told: Counter[str] = Counter()
    for story in stories(60 if long else 4):
        first, second = seen_twice(story, people, signed_in, monkeypatch, is_brief=not long)
        assert first.keys() == second.keys()
        for what, seen in first.items():
            assert seen == second[what], f"{story}\n{what}"
        told["answers"] += len(first)
        told["emails"] += "email 0" in first
        told["orders"] += StandingOrder.objects.count()
        told[story.phase] += 1
    assert min(told[phase] for phase in PHASES) >= 1
    assert told["emails"] >= 1
    assert told["orders"] >= 1
    assert told["answers"] > 4 * 15


def test_what_the_table_cannot_know_changes_no_byte_that_a_spectator_gets(
    people: list[User], signed_in: Any, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    told: Counter[str] = Counter()
    for story in stories(40 if long else 4, watched=True):
        first, second = seen_twice(story, people, signed_in, monkeypatch)
        assert first.keys() == second.keys()
        for what, seen in first.items():
            assert seen == second[what], f"{story}\n{what}"
        told["pages"] += sum(seen[:4] == b"200\n" for seen in first.values())
        told[story.phase] += 1
    assert min(told[phase] for phase in PHASES) >= 1
    assert told["pages"] >= 4 * 6


@pytest.mark.long
@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        Options("1995"),
        Options("2007", ("hidden-cards",)),
        Options("2007", ("draw-after-battle",)),
        Options("2007", ("capturing-regions", "draw-after-battle", "hidden-cards")),
    ],
    ids=str,
)
def test_with_other_rules_it_changes_no_byte_either(
    people: list[User],
    signed_in: Any,
    monkeypatch: pytest.MonkeyPatch,
    options: Options,
    watched: bool,
) -> None:
    """R25, R26, R37 to R40, R46: cards drawn, cards face down, hands discarded before the choice."""
    for story in stories(12, watched=watched, options=options):
        first, second = seen_twice(story, people, signed_in, monkeypatch)
        assert first.keys() == second.keys()
        for what, seen in first.items():
            assert seen == second[what], f"{story}\n{what}"


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.long
def test_with_a_clock_it_changes_no_byte_either(
    people: list[User], signed_in: Any, monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    """R17: neither deadlines and reserves nor what the clock answered tell whom a secret decision was put to,
    though everyone's calendar is another."""
    for number, person in enumerate(people):
        person.days_off, person.time_zone = [number], ("UTC", "Asia/Tokyo")[number % 2]
        person.save()
    seen_deadlines = 0
    for story in stories(16, watched=watched):
        first, second = seen_twice(story, people, signed_in, monkeypatch, pace="day")
        assert first.keys() == second.keys()
        for what, seen in first.items():
            assert seen == second[what], f"{story}\n{what}"
            seen_deadlines += b"Move by" in seen or b" must move by " in seen
    assert seen_deadlines >= 1


@pytest.mark.long
def test_with_emails_of_every_move_and_emails_that_collect_it_changes_no_byte_either(
    people: list[User], signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R17: neither how many emails come nor what they say tells who was asked in secret or answered last."""
    for number, person in enumerate(people):
        person.every_move, person.frequency = True, ("at once", "batched", "digest")[number % 3]
        person.save()
    told: Counter[str] = Counter()
    for story in stories(30):
        first, second = seen_twice(story, people, signed_in, monkeypatch)
        assert first.keys() == second.keys()
        for what, seen in first.items():
            assert seen == second[what], f"{story}\n{what}"
            told["moved"] += b"List-Id: " in seen and b"<moves-" in seen
    assert told["moved"] >= 1


def seen_twice(
    story: Story,
    people: list[User],
    signed_in: Any,
    monkeypatch: pytest.MonkeyPatch,
    pace: str = "none",
    *,
    is_brief: bool = False,
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return what the viewer gets of each history; if brief, no answers to what they decided before."""
    world = World(story, people, monkeypatch, pace, is_brief=is_brief)
    with time_machine.travel(world.looked, tick=False):
        client = signed_in(world.viewer) if world.viewer else Client()
    return world.seen(story.log, client), world.seen(story.other, client, has_orders=True)


def _number_of_entries(position: Position) -> str:
    return f"{position.game.ply} entries"


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.long
def test_the_comparison_would_notice_that_someone_answered_in_secret(
    people: list[User], signed_in: Any, monkeypatch: pytest.MonkeyPatch, watched: bool
) -> None:
    monkeypatch.setattr(decision, "_waiting", _number_of_entries)
    in_secret = (story for story in stories(16, watched=watched) if story.phase == "hand")
    both = (seen_twice(story, people, signed_in, monkeypatch) for story in in_secret)
    assert any(first != second for first, second in both)
