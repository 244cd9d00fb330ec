"""Simulated people without a site: many games in little time, for their lengths and turn emails.

People, rules, bots, standing orders, working hours and clocks are those of world.py. Left out are rows,
ticks, bounces and the text of emails, and what hosts do. So nothing of the site is checked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random

from accounts.mail.send_times import next_send_at
from accounts.models import User
from accounts.working_hours import Hours, open_spans
from games.bots import choose
from games.clocks.counted_hours import HIDDEN
from games.clocks.policy import PACES, Countdown
from games.clocks.reminder_times import reminders
from games.orders import HOLD, Order, Stop, answer, is_over, kind_of
from games.rules import (
    Decision,
    Event,
    FinalBattleBegun,
    Move,
    Options,
    RegionChosen,
    apply,
    legal_moves,
    new_game,
    observe,
    parse_move,
    pending,
    redact,
)
from tests.simulation.games import people
from tests.simulation.games.clockwork import Clock, Diary
from tests.simulation.games.founding import furnish
from tests.simulation.games.people import Person
from tests.simulation.games.report import SECONDS_A_DAY, Figures
from tests.simulation.games.world import BEGINS, LONGEST, Plan

EMAIL_HOLD = timedelta(minutes=1)  # of an email about a turn (EMAIL_HOLD)
HOLD_WHILE_HERE = timedelta(minutes=2)  # at the agreed hour, for players whose page is open
SECONDS_TO_PLAY = (15, 90)  # at the agreed hour
MOST_MISSES = 3  # in a row, before a bot plays
ABSENT_PLAYED_BY = "captain"


@dataclass(eq=False)
class Guest:
    """A person at several tables: their account's settings, next visit and digest."""

    person: Person
    user: User
    chairs: list[Chair] = field(default_factory=list)
    visits_at: datetime | None = None
    digest_at: datetime | None = None

    def hours(self, now: datetime) -> Hours:
        """Return the hours that the site knows of now."""
        told = tuple((first, last) for at, first, last in self.person.holidays if at <= now)
        return Hours(self.person.zone, self.person.quiet, frozenset(self.person.days_off), told)


@dataclass(eq=False)
class Chair:
    """A seat of one game."""

    game: QuickGame
    number: int
    guest: Guest
    reserve: timedelta
    asked: Decision | None = None
    asked_at: datetime = BEGINS
    stop: Stop | None = None  # why the standing order asks
    order: tuple[Order, int] | None = None  # and the number of events before it
    misses: int = 0
    is_away: bool = False  # a bot plays


class QuickGame:
    """One game: its position, its seats, and what it counted."""

    def __init__(self, club: QuickClub, guests: Sequence[Guest], now: datetime, lot: str) -> None:
        self.club, self.begun, self.rng = club, now, Random(lot)
        self.pace = PACES[club.plan.pace]
        self.state = new_game(Options(), len(guests), self.rng.randrange(len(guests)))
        self.told: list[Event] = []
        self.emails: list[int] = []  # about turns, of each battle
        self.between = 0  # and between battles
        self.is_over = False
        self.here: list[Chair] = []  # at the agreed hour
        self.chairs = [Chair(self, at, guest, self.pace.reserve) for at, guest in enumerate(guests)]
        for chair in self.chairs:
            chair.guest.chairs.append(chair)
        self.hour_lot = Random(f"{lot} hour")
        if self.hour_lot.random() * 100 < club.plan.levers.hours:
            club.diary.note(self._best_hour(now), self._meet)
        self.go_on(now)

    # Moves

    def play(self, seat: int | None, move: Move) -> None:
        self.state, events = apply(self.state, seat, move)
        self.told += events
        self.club.figures.moves += seat is not None
        if any(isinstance(event, RegionChosen | FinalBattleBegun) for event in events):
            self.emails.append(0)

    def go_on(self, now: datetime) -> None:
        """Let shuffles, bots and standing orders go on until a person must decide."""
        while not self.state.is_over and self._plays_on():
            pass
        for chair in self.chairs:
            if chair.order and (self._is_out(chair) or is_over(self._since(chair))):
                chair.order = None
        self._ask(now)
        if self.state.is_over and not self.is_over:
            self.end(now)

    def _plays_on(self) -> bool:
        if self.state.shuffle_pile:
            pile = list(self.state.shuffle_pile)
            self.rng.shuffle(pile)
            self.play(None, parse_move(" ".join(("shuffle", *pile))))
            return True
        for decision in pending(self.state):
            chair = self.chairs[decision.seat]
            move = self._by_bot(chair) or self._by_order(chair)
            if move is not None:
                self.play(decision.seat, move)
                return True
        return False

    def _by_bot(self, chair: Chair) -> Move | None:
        seen = observe(self.state, chair.number)
        return choose(ABSENT_PLAYED_BY, seen) if chair.is_away else None

    def _by_order(self, chair: Chair) -> Move | None:
        if chair.order is None:
            return None
        seen = observe(self.state, chair.number)
        found = answer(chair.order[0], seen, redact(self._since(chair), chair.number))
        if isinstance(found, Stop):
            chair.order, chair.stop = None, found
            return None
        self.club.figures.ordered += 1
        return found

    def _since(self, chair: Chair) -> list[Event]:
        assert chair.order is not None
        return self.told[chair.order[1] :]

    def _is_out(self, chair: Chair) -> bool:
        return observe(self.state, None).passed[chair.number]

    def end(self, now: datetime, *, is_abandoned: bool = False) -> None:
        figures, self.is_over = self.club.figures, True
        for chair in self.chairs:
            chair.asked = None
        days = (now - self.begun).total_seconds() / SECONDS_A_DAY
        figures.lengths.append(days)
        figures.player_days += days * len(self.chairs)
        figures.abandoned += is_abandoned
        figures.turn_emails.append(sum(self.emails) + self.between)
        figures.battle_emails += self.emails

    # Decisions and emails

    def _ask(self, now: datetime) -> None:
        asked = {decision.seat: decision for decision in pending(self.state)}
        for chair in self.chairs:
            decision = asked.get(chair.number)
            if decision != chair.asked:
                chair.asked, chair.asked_at = decision, now
                if decision is not None and not chair.is_away:
                    self._notify(chair, decision, now)
                if chair in self.here:
                    self._answer_soon(chair)

    def _notify(self, chair: Chair, decision: Decision, now: datetime) -> None:
        note, due_at = self.club.diary.note, self._due_at(chair, decision, now)
        note(due_at, partial(self._time_out, chair, decision))
        if not chair.guest.person.takes_mail:
            return
        note(self._email_at(chair, decision, now, due_at), partial(self._email, chair, decision))
        for moment in reminders(chair.guest.person.reminders, now, due_at):
            note(moment, partial(self._remind, chair, decision))

    def _due_at(self, chair: Chair, decision: Decision, now: datetime) -> datetime:
        """Return when the seat's time runs out; a secret decision has no reserve and waits for all (R17)."""
        if decision.kind == HIDDEN:
            waited_for = [one for one in self.chairs if not one.is_away]
            return max(
                Countdown(now, self.pace.per_decision).due_at(one.guest.hours(now)) for one in waited_for
            )
        return self._countdown(chair, now).due_at(chair.guest.hours(now))

    def _countdown(self, chair: Chair, since: datetime) -> Countdown:
        return Countdown(since, self.pace.per_decision, chair.reserve)

    def _email_at(self, chair: Chair, decision: Decision, now: datetime, due_at: datetime) -> datetime:
        """Return when the seat's email goes out (games/services/notifications.py)."""
        guest, at_once = chair.guest, now + (HOLD_WHILE_HERE if chair in self.here else EMAIL_HOLD)
        due = next_send_at(guest.user, now, now)
        is_alone = decision.kind != HIDDEN and any(not one.is_away for one in self.chairs if one != chair)
        if due is not None and is_alone and guest.person.at_once_when_alone:
            opens, _closes = next(open_spans(guest.hours(now), now))
            due = min(due, opens) if opens > now else None
        if due is None or min(reminders(guest.person.reminders, now, due_at)) <= due:
            return at_once
        if guest.digest_at is None or guest.digest_at <= now or due < guest.digest_at:
            guest.digest_at = max(due, at_once)
        return guest.digest_at

    def _email(self, chair: Chair, decision: Decision) -> None:
        if chair.asked is not decision or chair.is_away:
            return
        if self.state.phase == "battle":
            self.emails[-1] += 1
        else:
            self.between += 1
        self.club.figures.emails["your_turn"] += 1
        self.club.write_to(chair.guest, is_reminder=False)

    def _remind(self, chair: Chair, decision: Decision) -> None:
        if chair.asked is decision and not chair.is_away:
            self.club.figures.emails["reminder"] += 1
            self.club.write_to(chair.guest, is_reminder=True)

    # The agreed hour

    def _best_hour(self, now: datetime) -> datetime:
        """Return the hour of the coming week at which most of the players are awake."""
        hours = [now + people.DAY + hour * people.HOUR for hour in range(7 * 24)]
        self.hour_lot.shuffle(hours)
        return max(hours, key=lambda at: sum(chair.guest.person.is_awake(at) for chair in self.chairs))

    def _meet(self) -> None:
        """Gather those who come to the hour, this week and in each that follows."""
        now = self.club.clock.now
        if self.is_over:
            return
        self.here = [chair for chair in self.chairs if self._comes(chair.guest.person, now)]
        self.club.diary.note(now + people.HOUR, self.here.clear)
        self.club.diary.note(now + 7 * people.DAY, self._meet)
        for chair in list(self.here):
            if chair.is_away:
                self.come_back(chair, now)
            else:
                self._answer_soon(chair)

    def _comes(self, person: Person, now: datetime) -> bool:
        is_free = self.hour_lot.random() * 100 < people.AT_THE_HOUR
        return is_free and person.is_awake(now) and not person.is_gone(now)

    def _answer_soon(self, chair: Chair) -> None:
        if chair.asked is not None:
            moment = self.club.clock.now + timedelta(seconds=self.hour_lot.randint(*SECONDS_TO_PLAY))
            self.club.diary.note(moment, partial(self._answer_here, chair, chair.asked))

    def _answer_here(self, chair: Chair, decision: Decision) -> None:
        if chair.asked is decision and chair in self.here:
            self.answer(chair, self.club.clock.now)

    # What people and their clocks do

    def answer(self, chair: Chair, now: datetime) -> None:
        """Let the seat's person answer, and give a standing order with it."""
        person, decision = chair.guest.person, chair.asked
        assert decision is not None
        move = person.chooses(observe(self.state, chair.number))
        order = person.orders_after(move, self.state, chair.number)
        if chair.stop is not None:
            self.club.figures.stops[f"{chair.stop.why}, then {move.kind}"] += 1
        if decision.kind != HIDDEN:
            chair.misses = 0
        self._close(chair, decision, move, now)
        if order is not None:
            self.give(chair, order)
        self.go_on(now)

    def give(self, chair: Chair, order: Order) -> None:
        chair.order = (order, len(self.told))
        self.club.figures.orders[kind_of(order)] += 1

    def _close(self, chair: Chair, decision: Decision, move: Move, now: datetime) -> None:
        if decision.kind != HIDDEN:
            settled = self._countdown(chair, chair.asked_at).settled(chair.guest.hours(now), now)
            chair.reserve = settled.reserve
        chair.asked = chair.stop = chair.order = None
        self.play(chair.number, move)

    def _time_out(self, chair: Chair, decision: Decision) -> None:
        """Play the default move; after too many in a row a bot plays on."""
        if chair.asked is not decision or chair.is_away:
            return
        now, others = self.club.clock.now, [one for one in self.chairs if one != chair]
        chair.misses += decision.kind != HIDDEN
        if chair.misses >= MOST_MISSES and all(one.is_away for one in others):
            self.end(now, is_abandoned=True)
            return
        self.club.figures.time_outs += 1
        moves = legal_moves(self.state, chair.number)
        usual = [move for move in moves if str(move) in {"pass", "keep hand"}]
        longest = max(len(move.cards) for move in moves)
        kept = [move for move in moves if len(move.cards) == longest]
        self._close(chair, decision, usual[0] if usual else self.rng.choice(kept), now)
        chair.is_away = chair.misses >= MOST_MISSES
        self.go_on(now)

    def come_back(self, chair: Chair, now: datetime) -> None:
        chair.is_away, chair.misses = False, 0
        self.go_on(now)


class QuickClub:
    """Some tables, the people who sit at them, and the way to the end of their games."""

    def __init__(self, plan: Plan, number: int, tables: int) -> None:
        self.plan, self.number, self.figures, self.diary = plan, number, Figures(), Diary()
        self.rng = Random(f"{plan.seed} {number}")
        self.start = BEGINS + number * 7 * people.DAY
        self.clock = Clock(self.start)
        home = self.rng.choice(people.ZONES)
        count = max(plan.players, -(-tables * plan.players // 2))
        self.guests = [self._guest(at, home) for at in range(1, count + 1)]
        self.left = tables
        for table in range(tables):
            seated = self.rng.sample(self.guests, plan.players)
            at = self.start + timedelta(seconds=self.rng.randrange(48 * 3600))
            lot = f"{plan.seed} {number} game {table}"
            self.diary.note(at, partial(self._begin, seated, at, lot))

    def _begin(self, seated: Sequence[Guest], at: datetime, lot: str) -> None:
        QuickGame(self, seated, at, lot)

    def _guest(self, number: int, home: str) -> Guest:
        lot = f"{self.plan.seed} {self.number} {number}"
        drawn = people.drawn(number, self.start, self.plan.pace, home, Random(lot))
        person = self.plan.levers.pulled(drawn, Random(f"{lot} levers"))
        guest = Guest(person, furnish(User(email=person.address), person))
        if person.gone and person.comes_back:
            self.diary.note(person.next_awake(person.gone[1]), partial(self._visit, guest))
        self._plan_look(guest)
        return guest

    def lived(self) -> Figures:
        """Run to the end of the last game."""
        while len(self.figures.lengths) < self.left and self.clock.now < self.start + LONGEST:
            assert self.diary.next is not None
            self.clock.go_to(self.diary.next)
            for action in self.diary.due(self.clock.now):
                action()
        return self.figures

    def write_to(self, guest: Guest, *, is_reminder: bool) -> None:
        """Plan the visit that an email leads to, unless an earlier one is planned."""
        moment = guest.person.answers_at(self.clock.now, reminded=is_reminder)
        if guest.visits_at is None or guest.visits_at > moment:
            guest.visits_at = moment
            self.diary.note(moment, partial(self._visit_as_planned, guest, moment))

    def _visit_as_planned(self, guest: Guest, moment: datetime) -> None:
        if guest.visits_at == moment:
            guest.visits_at = None
            self._visit(guest)

    def _plan_look(self, guest: Guest) -> None:
        moment = guest.person.looks_again_at(self.clock.now)
        self.diary.note(moment, partial(self._look, guest))

    def _look(self, guest: Guest) -> None:
        self._visit(guest)
        self._plan_look(guest)

    def _visit(self, guest: Guest) -> None:
        """A person comes back, answers all that they are asked, and gives standing orders."""
        now = self.clock.now
        if guest.person.is_gone(now):
            return
        for chair in guest.chairs:
            if chair.is_away and not chair.game.is_over:
                chair.game.come_back(chair, now)
        while asked := [chair for chair in guest.chairs if chair.asked]:
            asked[0].game.answer(asked[0], now)
        for chair in guest.chairs:
            self._look_ahead(chair)

    def _look_ahead(self, chair: Chair) -> None:
        game, person = chair.game, chair.guest.person
        is_holding = chair.order is not None and chair.order[0] == HOLD  # aside does that too
        if not game.is_over and game.state.phase == "battle" and (chair.order is None or is_holding):
            order = person.orders_ahead(game.state, chair.number)
            if order is not None:
                game.give(chair, order)


def simulated(plan: Plan, games: int, processes: int) -> Figures:
    """Return the figures of this many games, played in this many processes at once."""
    figures = Figures()
    clubs = [(plan, *club) for club in plan.clubs(games)]
    with ProcessPoolExecutor(processes) as pool:
        for found in pool.map(_lived, clubs):
            figures.add(found)
    return figures


def _lived(club: tuple[Plan, int, int]) -> Figures:
    return QuickClub(*club).lived()
