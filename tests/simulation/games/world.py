"""A simulated world: some tables, the people who sit at them, and the way to the end of their games.

Everything is done by the site's own commands, outbox, delivery and ticks. The clock jumps to the next moment
at which a person acts or a row is due. Between two such moments a real site's ticks find nothing to do and
only beat the heart; here that beat is written down at the jump, so that no jump is taken for an outage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random

from django.core.mail.message import EmailMessage
from django.test import override_settings
from django.utils.module_loading import import_string

from accounts.availability import announce_holiday
from accounts.mail.models import OutgoingEmail
from accounts.mail.own_addresses import numbers_in
from accounts.mail.receiving import receive
from games import services
from games.links import ANSWER_AGE, REPLIES
from games.models import Game, Heartbeat, LogEntry, Seat, Table
from games.models.replay import replayed
from games.orders import HOLD, Order, kind_of
from games.replies.outcomes import RECEIPT
from games.rules import Move, observe
from tests.games.playing import submit
from tests.replies.programs import gmail, reply
from tests.simulation.games import people, postbox
from tests.simulation.games.checks import problems
from tests.simulation.games.clockwork import TICK, Clock, Diary, due_ticks, next_step, simulated_time
from tests.simulation.games.founding import do_as_host, enrolled, made_table
from tests.simulation.games.people import DAY, USUAL, Levers, Person
from tests.simulation.games.postbox import report_of_failure
from tests.simulation.games.report import Figures, counted
from tests.simulation.games.retelling import tells_hidden
from tests.simulation.games.scanning import Scanner

BEGINS = datetime(2026, 1, 5, 12, tzinfo=UTC)  # a Monday; each club begins a week after the one before
LONGEST = timedelta(days=1500)
MOST_IDLE_TICKS = 500
COMES_BACK_AFTER = timedelta(minutes=4)


@dataclass(frozen=True)
class Plan:
    """The plan of a world: its games and its seed."""

    players: int
    pace: str
    seed: int
    club: int = 10  # tables whose people know each other; each sits at about two
    looked_into: float = 0.02  # share of the ticks whose emails are built again with other hidden cards
    levers: Levers = USUAL

    def clubs(self, games: int) -> Iterator[tuple[int, int]]:
        """Yield the number of each club, and of its tables, for this many games."""
        for number, first in enumerate(range(0, games, self.club)):
            yield number, min(self.club, games - first)


@dataclass
class Club:
    """One simulated world: some tables and their players."""

    plan: Plan
    number: int
    tables_wanted: int
    rng: Random = field(init=False)
    clock: Clock = field(init=False)
    diary: Diary = field(default_factory=Diary)
    people: dict[int, Person] = field(default_factory=dict)  # by the account's number
    reached: dict[str, int] = field(default_factory=dict)  # the accounts by their addresses
    tables: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    looked_into: int = 0

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.plan.seed} {self.number}")
        self.lot = Random(f"{self.plan.seed} {self.number} emails")
        self.start = BEGINS + self.number * 7 * DAY
        self.clock = Clock(self.start)
        self.scanner = Scanner()
        self.planned: dict[int, datetime] = {}  # each person's next visit
        self.to_reply: dict[tuple[int, int], EmailMessage] = {}  # turn emails, by game and decision
        self.ticked_at = self.start - TICK
        self.idle = 0
        self.due: dict[str, datetime] = {}
        self.orders: Counter[str] = Counter()  # given, by kind
        self.stops: Counter[str] = Counter()  # answered by their players, by reason

    def lived(self) -> Figures:
        """Run from the first table to the end of the last game; return the figures and the problems."""
        self.live()
        figures = counted()
        figures.opened, figures.looked_into = len(self.scanner.opened), self.looked_into
        figures.orders, figures.stops = self.orders, self.stops
        figures.problems = [*self.problems, *self.scanner.wrong, *problems(self.people)]
        return figures

    def live(self) -> None:
        """Run until the last game is over and its last email sent."""
        with (
            override_settings(**postbox.SETTINGS),
            simulated_time(self.clock),
            postbox.carried_by(self._carry),
        ):
            self._found()
            while not self._is_over():
                self._go_on()

    # Founding

    def _found(self) -> None:
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": self.clock.now})
        home = self.rng.choice(people.ZONES)
        count = max(self.plan.players, -(-self.tables_wanted * self.plan.players // 2))
        for number in range(1, count + 1):
            lot = f"{self.plan.seed} {self.number} {number}"
            person = people.drawn(number, self.start, self.plan.pace, home, Random(lot))
            self._join(self.plan.levers.pulled(person, Random(f"{lot} levers")))
        for _ in range(self.tables_wanted):
            at = self.start + timedelta(seconds=self.rng.randrange(2 * 24 * 3600))
            self.diary.note(at, self._make_table)

    def _join(self, person: Person) -> None:
        user = enrolled(person)
        self.people[user.pk], self.reached[person.address] = person, user.pk
        for announced_at, first, last in person.holidays:
            self.diary.note(announced_at, partial(announce_holiday, user, first, last))
        if person.gone and person.comes_back:
            self.diary.note(person.next_awake(person.gone[1]), partial(self._visit, user.pk))
        self._plan_look(user.pk)

    def _make_table(self) -> None:
        seated = self.rng.sample(sorted(self.people), self.plan.players)
        table = made_table(f"Table {len(self.tables) + 1}", seated, self.plan.pace, self.rng)
        self.tables.append(table.pk)
        for action in people.actions_of_host(self.clock.now, self.rng):
            self.diary.note(action.at, partial(do_as_host, table, action))

    # From one event to the next

    def _is_over(self) -> bool:
        if self.clock.now > self.start + LONGEST or self.idle > MOST_IDLE_TICKS:
            self.problems.append(f"club {self.number} did not come to its end")
            return True
        return len(self.tables) == self.tables_wanted and not self.due and not _are_playing()

    def _go_on(self) -> None:
        """Move to the next moment with an event."""
        moment, is_tick = next_step(self.diary, self.due, self.ticked_at)
        self.clock.go_to(moment)
        if is_tick:
            self._tick()
        else:
            self.idle = 0
            for action in self.diary.due(self.clock.now):
                action()
        self.due = self._next_ticks()

    def _next_ticks(self) -> dict[str, datetime]:
        return due_ticks()

    def _tick(self) -> None:
        """Run the ticks that have something to do."""
        now = self.ticked_at = self.clock.now
        self.idle += 1
        Heartbeat.objects.update(at=now)  # as the ticks since the last event would have left it
        if self.lot.random() < self.plan.looked_into:
            self._look_into_emails()
        for task, at in self.due.items():
            if at <= now:
                self._run(task)

    def _run(self, task: str) -> None:
        import_string(task)()

    # Emails

    def _carry(self, message: EmailMessage) -> bool:
        pk = self.reached[message.to[0]]
        person = self.people[pk]
        if person.refuses:
            return False
        if person.bounces:
            back = partial(receive, message.from_email, report_of_failure(person.address))
            self.diary.note(self.clock.now + COMES_BACK_AFTER, back)
            return True
        if person.scans:
            self.scanner.opens(message)
        [email] = numbers_in(message.from_email, postbox.BOUNCE_ADDRESS, "bounces", 1)
        kind = OutgoingEmail.objects.values_list("kind", flat=True).get(pk=email)
        if kind == RECEIPT:
            return True
        if person.replies and "Reply-To" in message.extra_headers:
            self._keep_to_reply(message)
        self._plan_visit(pk, person.answers_at(self.clock.now, reminded=kind == "reminder"))
        return True

    def _keep_to_reply(self, message: EmailMessage) -> None:
        address = message.extra_headers["Reply-To"]
        game, _seat, _user, step = numbers_in(address, postbox.REPLY_ADDRESS, REPLIES, 4, ANSWER_AGE)
        self.to_reply[game, step] = message

    def _look_into_emails(self) -> None:
        """Build the emails that go out now with other hidden cards too, and compare."""
        for email in OutgoingEmail.objects.due(self.clock.now).select_related("to_user"):
            found = tells_hidden(email, self.lot)
            self.looked_into += found is not None
            if found:
                self.problems.append(f"email {email.pk} ({email.kind}) tells of hidden cards")

    def _plan_visit(self, pk: int, moment: datetime) -> None:
        """Plan a visit, unless an earlier one is planned."""
        planned = self.planned.get(pk)
        if planned is None or planned > moment:
            self.planned[pk] = moment
            self.diary.note(moment, lambda: self._visit_as_planned(pk, moment))

    def _visit_as_planned(self, pk: int, moment: datetime) -> None:
        if self.planned.get(pk) == moment:
            del self.planned[pk]
            self._visit(pk)

    def _plan_look(self, pk: int) -> None:
        moment = self.people[pk].looks_again_at(self.clock.now)
        self.diary.note(moment, lambda: self._look(pk))

    def _look(self, pk: int) -> None:
        self._visit(pk)
        self._plan_look(pk)

    # What people do

    def _visit(self, pk: int) -> None:
        """A person visits: they confirm full tables, come back, and make their decisions."""
        if self.people[pk].is_gone(self.clock.now):
            return
        while (action := self._next_action(pk)) is not None:
            action()
        if self.people[pk].uses_orders:
            self._look_ahead(pk)

    def _next_action(self, pk: int) -> Callable[[], object] | None:
        """Return what they find to do; read only the needed columns, because they look often."""
        mine = Seat.objects.filter(user=pk).order_by("asked_since", "pk")
        for seat, table, number, state, decision_step, played_by_bot, confirmed in mine.values_list(
            *_LOOKED_AT
        ):
            if decision_step is not None and not played_by_bot:
                return partial(self._answer, self.people[pk], table, number, decision_step)
            if played_by_bot and state == Table.State.PLAYING:
                return partial(services.come_back, Seat.objects.select_related("table", "user").get(pk=seat))
            if confirmed is None and state == Table.State.GATHERING and _is_full(seat):
                return partial(services.confirm, Seat.objects.select_related("table", "user").get(pk=seat))
        return None

    def _answer(self, person: Person, table: int, seat: int, decision_step: int) -> None:
        game = Game.objects.select_related("table").filter(table=table).latest("number")
        state = replayed(game).state
        move = person.chooses(observe(state, seat))
        order = person.orders_after(move, state, seat)
        self._note_stop(table, seat, move)
        self._note_order(order)
        email = self.to_reply.pop((game.pk, decision_step), None)
        if email is None or order is not None:
            submit(game, seat, move, decision_step, LogEntry.Via.LINK, order)
        else:
            self._reply(email, game, decision_step, move)

    def _reply(self, email: EmailMessage, game: Game, decision_step: int, move: Move) -> None:
        """Answer an email about a turn by replying to it."""
        receive(email.extra_headers["Reply-To"], reply(gmail, email, str(move), only="text"))
        taken = game.log.filter(decision_step=decision_step, via=LogEntry.Via.EMAIL)
        if list(taken.values_list("move", flat=True)) != [str(move)]:
            self.problems.append(f"the reply {move} to game {game.pk} was not taken")

    def _note_stop(self, table: int, seat: int, move: Move) -> None:
        """Count why a standing order asks the seat that answers now, if one does, and whether it passes."""
        stop = Seat.objects.values_list("order_stop", flat=True).get(table=table, number=seat)
        if stop:
            self.stops[f"{stop[0]}, then {move.kind}"] += 1

    def _note_order(self, order: Order | None) -> None:
        if order is not None:
            self.orders[kind_of(order)] += 1

    def _look_ahead(self, pk: int) -> None:
        """Give standing orders in battles in which others are asked."""
        asks_others = Seat.objects.filter(user=pk, decision_step=None, played_by_bot="")
        for seat in asks_others.filter(table__games__phase="battle", table__games__ended_at=None):
            game = Game.objects.select_related("table").filter(table=seat.table_id).latest("number")
            given = game.standing_orders.filter(seat=seat.number).first()
            if given is not None and given.order != HOLD:  # standing aside does that too
                continue
            state = replayed(game).state
            order = self.people[pk].orders_ahead(state, seat.number)
            if order is not None:
                self._note_order(order)
                services.give_order(game, seat, order, state.step)


_LOOKED_AT = ("pk", "table", "number", "table__state", "decision_step", "played_by_bot", "confirmed_at")


def _is_full(seat: int) -> bool:
    table = Table.objects.get(seats=seat)
    return table.seats.count() == table.size


def _are_playing() -> bool:
    return Table.objects.filter(state__in=(Table.State.GATHERING, Table.State.PLAYING)).exists()
