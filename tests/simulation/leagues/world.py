"""A simulated season: its people, and the way from the founding of the league to the end of its last table.

At their tables people do as in games/world.py. What they do in the league is done by its own services. Emails
are not built, but they are marked as sent, counted, and answered.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from random import Random

from accounts.mail.delivery_status import close
from accounts.mail.leases import claim
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import LeagueTable, Registration, Season, SubstituteOffer
from games.leagues.services.offer_answers import accept, decline
from games.leagues.services.registration import confirm, leave_season, sign_up
from games.leagues.services.substitutes import volunteer
from games.leagues.services.withdrawals import withdraw
from games.models import Heartbeat, Seat
from games.services import Refused
from games.services.notifications import decisions_in
from tests.simulation.games import people
from tests.simulation.games.clockwork import POLLED, due_ticks, polling, simulated_time
from tests.simulation.games.people import DAY, HOUR
from tests.simulation.games.world import LONGEST, MOST_IDLE_TICKS, Club
from tests.simulation.leagues import checks, habits, organising
from tests.simulation.leagues.chance import drawn_from
from tests.simulation.leagues.habits import ACCEPTS, DECLINES, Plan, Role

HOME = "Europe/Rome"
SEASONS, CLOCK = "games.leagues.tasks.run_seasons", "games.tasks.run_clock"
ORGANISERS = "games.leagues.tasks.notify_organisers"
DELIVERY = "accounts.mail.tasks.deliver_due"
_FINISHED = "collected_at IS NULL AND table_id IN (SELECT id FROM games_table WHERE state = 'finished')"
_EARLIEST = polling(
    (
        *POLLED,
        (SEASONS, Season, "next_action_at", "true"),
        (SEASONS, SubstituteOffer, "until", "answer = 'open'"),
        (SEASONS, LeagueTable, "begins_at", _FINISHED),
    )
)


class World(Club):
    """One simulated season."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.games, 0, 0)
        self.of_season = plan
        self.roles: dict[int, Role] = {}  # by the account's number
        self.is_restless = False  # something was done that a season may go on by
        self.bots = 0  # seats at which one plays for an absent player

    def live(self) -> None:
        """Run until the season is over, then check it."""
        chance = Random(f"{self.of_season.seed} secrets")
        with simulated_time(self.clock), drawn_from(chance):
            self._found()
            while not self._is_over():
                self._go_on()
            self.problems += checks.problems(self.season)

    def _found(self) -> None:
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": self.clock.now})
        self.organiser = User.objects.get_or_create_proven("organiser@example.org", "Organiser")
        self.season = organising.found(self.organiser, self.of_season)
        for number, role in enumerate(habits.roles(self.of_season), start=1):
            lot = f"{self.of_season.seed} {number}"
            person = people.drawn(number, self.season.begins_at, self.of_season.pace, HOME, Random(lot))
            self._join(self.of_season.levers.pulled(person, Random(f"{lot} levers")))
            user = User.objects.get(pk=self.reached[person.address])
            self.roles[user.pk] = role
            self._plan_role(role, user)
        self.diary.note(self.clock.now + DAY, self._a_day)

    def _plan_role(self, role: Role, user: User) -> None:
        season, note = self.season, self._note
        if role.plays:
            first, last = (5.1, 6.9) if role.is_late else (0.1, 5.0)
            note(season.opens_at + DAY * self.rng.uniform(first, last), partial(sign_up, season, user))
        if role.leaves:
            note(season.signup_ends_at - 2 * HOUR, partial(leave_season, season, user))
        if role.helps:
            note(season.begins_at - DAY, partial(volunteer, season, user))
        if role.withdraws is not None:
            note(season.begins_at + role.withdraws, partial(self._withdraw, user))

    def _note(self, moment: datetime, command: Callable[[], object]) -> None:
        self.diary.note(moment.replace(microsecond=0), partial(self._do, command))

    def _do(self, command: Callable[[], object]) -> None:
        """Do something in the league, which the site may refuse."""
        with suppress(Refused):
            command()
        self.is_restless = True

    def _a_day(self) -> None:
        self.diary.note(self.clock.now + DAY, self._a_day)
        self._do(partial(organising.daily, self._now(), self.organiser))

    def _now(self) -> Season:
        return Season.objects.select_related("league").get(pk=self.season.pk)

    # From one event to the next

    def _is_over(self) -> bool:
        if self.clock.now > self.start + LONGEST or self.idle > MOST_IDLE_TICKS:
            self.problems.append(f"the season did not come to its end by {self.clock.now:%Y-%m-%d}")
            return True
        return self.season.state in Season.OVER

    def _next_ticks(self) -> dict[str, datetime]:
        due = due_ticks(_EARLIEST)
        return due | {SEASONS: self.clock.now} if self.is_restless else due

    def _run(self, task: str) -> None:
        if task == DELIVERY:
            self._deliver()
            return
        super()._run(task)
        if task == SEASONS:
            super()._run(ORGANISERS)
            self.season, self.is_restless = self._now(), False
        elif task == CLOCK:
            bots, self.bots = self.bots, Seat.objects.exclude(played_by_bot="").count()
            self.is_restless |= bots != self.bots

    def _visit(self, pk: int) -> None:
        away = Seat.objects.filter(user=pk).exclude(played_by_bot="").exists()
        super()._visit(pk)
        self.is_restless |= away

    # Emails

    def _deliver(self) -> None:
        """Send all emails that are due, but those about decisions that are made."""
        for email in OutgoingEmail.objects.due(self.clock.now).select_related("to_user"):
            if not claim(email, self.clock.now):
                continue
            person = self.people.get(email.to_user_id or 0)
            if not _is_wanted(email):
                close(email, OutgoingEmail.State.OVERTAKEN, self.clock.now)
            elif person is not None and not person.takes_mail:
                close(email, OutgoingEmail.State.FAILED, self.clock.now, address_fails=True)
            elif close(email, OutgoingEmail.State.SENT, self.clock.now) and person is not None:
                self._think_of(email, person)

    def _think_of(self, email: OutgoingEmail, person: people.Person) -> None:
        """Plan how they act on an email, some time later."""
        pk, role = self.reached[person.address], self.roles[self.reached[person.address]]
        at = person.answers_at(self.clock.now, reminded=email.kind == "reminder")
        match email.kind:
            case "league_confirm":
                if not role.is_silent:
                    self._note(at, partial(self._confirm, email.context["entry"]))
            case "league_ask":
                self._note(at, partial(self._answer_ask, email.context["ask"]))
            case _:
                self._plan_visit(pk, at)

    # What people do

    def _confirm(self, entry: int) -> None:
        confirm(Registration.objects.select_related("user").get(pk=entry))

    def _answer_ask(self, ask: int) -> None:
        drawn, row = self.rng.random(), SubstituteOffer.objects.select_related("substitute").get(pk=ask)
        pk = row.substitute.user_id
        if self.people[pk].is_gone(self.clock.now) or drawn > ACCEPTS + DECLINES:
            return
        (accept if drawn < ACCEPTS else decline)(row)
        self._plan_visit(pk, self.people[pk].next_awake(self.clock.now + HOUR))

    def _withdraw(self, user: User) -> None:
        entry = self.season.entries.filter(user=user).select_related("user").first()
        if entry is not None:
            withdraw(entry, note="The plan was to keep the Heroine for last.", reason="A new job, far away")


def _is_wanted(email: OutgoingEmail) -> bool:
    """Return whether the email is not about a decision, or one that is still open."""
    about, context = decisions_in(email), email.context
    if email.kind == "reminder":
        about = [(context["game"], context["seat"], context["decision_step"])]
    seats = Seat.objects.filter(user=email.to_user_id, played_by_bot="")
    return not about or any(
        seats.filter(table__games=game, number=seat, decision_step=step).exists()
        for game, seat, step in about
    )
