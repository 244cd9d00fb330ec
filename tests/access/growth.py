"""The world of tests/access lives on, and what each of its pages asks of the database is counted.

Every run reads each kind of page once, as one of those who may, in turn; `--long` about everything it can be
about, as everyone.
"""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.mail.models import CapturedEmail
from accounts.models import User
from games import services
from games.chat.models import Message, SealedNote
from games.chat.services import begin_channel, write
from games.chat.services.channels import public_channel
from games.chat.services.deals import Proposed, propose
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import hand_of, show_cards
from games.links import LinkedDecision, answer_token
from games.models import Game, SeatChange, Table, TimeEvent
from games.models.replay import replayed
from games.rules import Decision, State, legal_moves, pending
from tests.access.headers import lacking
from tests.access.leagues import leagues_live_on
from tests.access.rows import Row, read_rows, rows_for
from tests.access.world import Address, World, addresses
from tests.games.playing import begin_game, game_where, play_to_the_end, play_until, seat_table
from tests.leagues import world

READERS = ("anonymous", "asked", "host", "staff")
RUNNING = ("running", "watched")

SEATS = 'SELECT "games_seat"."id", '
RARE = ("table_replace", "table_adjudicate", "table_award")  # by which organisers decide about a table

# Pages that may ask more often in a larger world, and how much more often each part of it may cost.
ALLOWED: dict[str, int] = {}


def read_pages(*, is_long: bool) -> list[tuple[Row, Address, str]]:
    """Every address of ours that is read; about each table or game it can be about, or for each row about one
    of them, if someone is shown it."""
    rows = read_rows()
    return [
        (row, address, about)
        for address in addresses()
        for row in rows_for(address.name, "GET", rows)
        if not row.is_room and (is_long or readers_of(row))
        for about in (row.about if is_long else row.about[:1])
        if about != "wrong"
    ]


def readers_of(row: Row) -> list[str]:
    """Return the roles that may see the page."""
    return [role for role in READERS if "200" in row.allows(role)]


class Growth:
    """More and more things happen in a world."""

    def __init__(self, world: World, *, is_long: bool) -> None:
        self.people, self.subjects = world.people, world.subjects
        self.world, self.is_long = world, is_long
        self.wrong = set[str]()  # what pages lack

    def live_on(self) -> None:
        """Add more of everything that a page could list."""
        seated = [self.people[name] for name in ("anna", "bruno", "carla")]
        for subject in RUNNING:
            self._play_on(subject)
        for asked in (0, 1):
            game_where(seated, lambda state, decision, asked=asked: decision.seat == asked)
        for terms in ({}, {"watch": Table.Watch.ANYONE}):
            play_to_the_end(begin_game(seated, **terms))
        for entry in ("open", "link", "invitation"):
            services.invite(seat_table(seated, size=5, entry=entry), "bruno2@example.org")
        seat_table([self.people["stranger"]], size=4, entry="open")
        for subject in {about for _row, _address, about in read_pages(is_long=self.is_long)}:
            self._chat(self.subjects[subject], seated)
        self._emails_and_days()
        names = [f"newcomer{User.objects.count()}{email}" for email in "abc"]
        leagues_live_on(self.subjects, [world.person(name) for name in names])

    def _play_on(self, subject: str) -> None:
        """Play until Bruno, who may pass, is to move again."""
        values = self.subjects[subject]
        game = Game.objects.get(pk=values["game_id"])
        ply = game.ply
        play_until(game, lambda state, decision: state.ply > ply + 5 and bruno_may_pass(state, decision))
        game.refresh_from_db()
        assert not game.is_over
        decision = next(one for one in pending_of(game) if one.seat == 1)
        bruno = self.people["bruno"].pk
        values["decision_step"] = decision.decision_step
        values["answer.token"] = answer_token(LinkedDecision(game.pk, 1, bruno, decision.decision_step))
        self._change(game, ply)
        self._say_more(game)

    def _change(self, game: Game, ply: int) -> None:
        """Give time, and let Carla's seat change hands, once while its player is away; propose a time."""
        anna, carla, gone = (self.people[name] for name in ("anna", "carla", "gino"))
        TimeEvent.objects.create(game=game, kind="extended", ply=ply, by=anna, at=clock.now())
        for before, after in ((carla, gone), (gone, carla)):
            TimeEvent.objects.create(game=game, kind="stood in", ply=ply, seat=2, at=clock.now())
            SeatChange.objects.create(game=game, seat=2, ply=ply, before=before, after=after, at=clock.now())
        start = clock.now() + datetime.timedelta(days=1)
        times = [(start, start + datetime.timedelta(hours=1))]
        services.propose_hours(game.table.seats.get(user=anna), times, is_weekly=False)

    def _say_more(self, game: Game) -> None:
        """Say everything of which the site tells something in the chat."""
        channel, number = public_channel(game.table), Message.objects.count()
        seat = game.table.seats.get(number=0)
        seal_note(seat, channel, f"Note {number}.", SealedNote.Opens.GAME)
        show_cards(seat, hand_of(replayed(game).state, seat)[:1], channel)
        propose(seat, channel, Proposed(f"Deal {number}.", (1, 2)))

    def _chat(self, values: dict[str, Any], seated: list[Any]) -> None:
        table = Table.objects.filter(pk=values.get("table_id", 0), practice_key=None).first()
        if table is None or table.state == Table.State.CANCELLED:
            return
        seats = [table.seats.get(user=person) for person in seated]
        write(seats[0], "Another word.")
        if table.state != Table.State.FINISHED:
            write(seats[0], "Another word among us.", channel=begin_channel(seats[0], seats[1:]))

    def _emails_and_days(self) -> None:
        for number in range(3):
            CapturedEmail.objects.create(
                to="x@example.org", subject=f"Email {number}", text="x", html="<p>x</p>"
            )
            first = datetime.date(2020, 2, 1) + datetime.timedelta(days=number * 3)
            self.people["bruno"].holidays.create(first=first, last=first)

    def counts(self) -> dict[str, int]:
        """Return how many queries each page costs each reader."""
        found = {}
        for turn, (row, address, about) in enumerate(read_pages(is_long=self.is_long)):
            path, form = self.world.address(address, about), self.world.form(address.name, about)
            may = readers_of(row)
            for role in READERS if self.is_long else [may[turn % len(may)]]:
                connection.queries_log.clear()  # it holds no more than 9,000
                with CaptureQueriesContext(connection) as captured:
                    answer = self.world.ask(role, "GET", path, form)
                page = f"{address.name} about {about} for {role}"
                found[page] = len(captured)
                asked = Counter(query["sql"] for query in captured)
                twice = any(n > 1 and sql.startswith(SEATS) for sql, n in asked.items())
                if twice and address.name not in RARE:
                    self.wrong.add(f"{page} reads the same seats twice")
                self.wrong |= {f"{page} {wrong}" for wrong in lacking(address.name, answer)}
        return found


def bruno_may_pass(state: State, decision: Decision) -> bool:
    return decision.seat == 1 and "pass" in map(str, legal_moves(state, 1))


def pending_of(game: Game) -> tuple[Decision, ...]:
    return tuple(pending(replayed(game).state))


def grown(before: dict[str, int], after: dict[str, int]) -> list[str]:
    """Return the pages that now cost more than before, beyond what is allowed."""
    return [
        f"{page}: {before[page]} queries became {count}"
        for page, count in after.items()
        if count > before[page] + ALLOWED.get(page.split()[0], 0)
    ]
