"""A simulated season: its people, and the way from the founding of the league to the first round of the next
season.

Everything is done by the site's own commands, outbox, delivery and ticks. The clock jumps to the next moment
at which a person acts or a row is due; the heartbeat is written down at the jump, so that none is taken for
an outage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random

from django.core.mail.message import EmailMessage
from django.test import override_settings
from django.utils.module_loading import import_string

from accounts import clock as site_clock
from accounts.mail.messages import email_of
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import League, LeagueTable, Registration, Season, SubstituteOffer
from games.leagues.services.registration import confirm, leave_season, sign_up
from games.leagues.services.substitutes import accept, decline, volunteer
from games.leagues.services.withdrawals import withdraw
from games.models import Heartbeat
from games.services import Refused
from tests.simulation.games import postbox
from tests.simulation.games.clockwork import POLLED, TICK, Clock, Diary, due_ticks, next_step, polling
from tests.simulation.leagues import checks, habits, organising, playing
from tests.simulation.leagues.chance import drawn_from
from tests.simulation.leagues.checks import Delivered
from tests.simulation.leagues.habits import DAY, HOUR, Person, Plan

FOUNDED = datetime(2026, 1, 5, 12, tzinfo=UTC)  # a Monday
LONGEST = timedelta(days=500)
MOST_IDLE_TICKS = 500
SEASONS = "games.leagues.tasks.run_seasons"
FORGETTING = "games.leagues.tasks.forget_what_is_over"
_EARLIEST = polling(
    (
        *POLLED,
        (SEASONS, Season, "next_action_at", "true"),
        (SEASONS, SubstituteOffer, "until", "answer = 'open'"),
    )
)
NOTE = "The plan was to come from the north, with the Heroine kept for last."


@dataclass
class World:
    """People by account number, planned events, and problems so far."""

    plan: Plan
    clock: Clock = field(default_factory=lambda: Clock(FOUNDED))
    diary: Diary = field(default_factory=Diary)
    people: dict[int, Person] = field(default_factory=dict)
    delivered: list[Delivered] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    sittings: int = 0

    def __post_init__(self) -> None:
        self.rng = Random(f"{self.plan.seed} world")
        self.reached: dict[str, int] = {}
        self.visits: dict[int, datetime] = {}
        self.closed: set[int] = set()  # rounds that were looked at when they were over
        self.due: dict[str, datetime] = {}
        self.is_restless = False  # something was done that a season may go on by
        self.has_awarded = self.has_expelled = self.has_begun_again = False
        self.ticked_at = FOUNDED - TICK
        self.idle = 0

    def live(self) -> None:
        """Run until a table of the second season is running."""
        mail = {"EMAIL_BACKEND": postbox.BACKEND, "BOUNCE_ADDRESS": postbox.BOUNCE_ADDRESS}
        chance = Random(f"{self.plan.seed} secrets")
        with override_settings(**mail), site_clock.use_clock(self.clock), drawn_from(chance):
            with postbox.carried_by(self._carry):
                self._found()
                while not self._is_over():
                    self._go_on()
            self.problems += checks.of_everything(self.league, self.delivered)

    # Founding

    def _found(self) -> None:
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": self.clock.now})
        self.organiser = User.objects.get_or_create_proven("organiser@example.org", "Organiser")
        self.season = organising.found(self.organiser, self.plan)
        self.league: League = self.season.league
        self.begins_at = self.season.begins_at
        for person in habits.drawn(self.plan):
            self._join(person)
        self.diary.note(self.clock.now + DAY, self._a_day)

    def _join(self, person: Person) -> None:
        user = User.objects.get_or_create_proven(person.address, person.name)
        user.frequency = User.Frequency.AT_ONCE if person.is_slow else User.Frequency.DIGEST
        user.save(update_fields=["frequency"])
        self.people[user.pk], self.reached[person.address] = person, user.pk
        for moment, event in self._plans(person, user):
            self.diary.note(moment.replace(microsecond=0), event)

    def _plans(self, person: Person, user: User) -> Iterator[tuple[datetime, Callable[[], object]]]:
        """Plan what they do without an email."""
        if person.plays:
            days = (self.season.signup_ends_at - self.season.opens_at).days
            first = days - 2 if person.is_late else 0
            last = days if person.is_late else days - 2
            signs_up = self.season.opens_at + DAY * self.rng.uniform(first + 0.01, last - 0.01)
            yield signs_up, partial(self._event, sign_up, self.season, user)
        if person.leaves:
            yield self.season.signup_ends_at - 2 * HOUR, partial(self._event, leave_season, self.season, user)
        if person.helps:
            yield self.begins_at - DAY, partial(self._event, volunteer, self.season, user)
        if person.withdraws:
            yield self.begins_at + person.withdraws, partial(self._withdraw, user)
        if person.gone and not person.vanishes:
            yield self.begins_at + person.gone[1], partial(self._play, user.pk)

    def _a_day(self) -> None:
        """Do the daily tasks, also the organiser's."""
        self.diary.note(self.clock.now + DAY, self._a_day)
        import_string(FORGETTING)()
        if not self.has_expelled:
            self.has_expelled = organising.expel_who_vanished(self._now(), self.organiser)
            self.is_restless |= self.has_expelled

    def _now(self) -> Season:
        return Season.objects.select_related("league").get(pk=self.season.pk)

    # From one event to the next

    def _is_over(self) -> bool:
        if self.clock.now > FOUNDED + LONGEST or self.idle > MOST_IDLE_TICKS:
            self.problems.append(f"the season did not come to its end by {self.clock.now:%Y-%m-%d}")
            return True
        return self.has_begun_again

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
        self.due = due_ticks(_EARLIEST)
        if self.is_restless:
            self.due[SEASONS] = self.clock.now

    def _tick(self) -> None:
        """Run the ticks that have something to do."""
        now = self.ticked_at = self.clock.now
        self.idle += 1
        Heartbeat.objects.update(at=now)  # as the ticks since the last event would have left it
        due = [task for task, at in self.due.items() if at <= now]
        for task in due:
            done = import_string(task)()
            if task == SEASONS:
                self.is_restless = False
                self._look_at_rounds()
            elif done and task != "accounts.mail.tasks.deliver_due":
                self.is_restless = True

    def _look_at_rounds(self) -> None:
        """Check each round when it is over."""
        new = checks.over(self.league).exclude(pk__in=self.closed).order_by("pk")
        for round_ in new.select_related("division__season"):
            self.closed.add(round_.pk)
            self.problems += checks.of_round(round_)
        begun = LeagueTable.objects.running().filter(round__division__season__league=self.league)
        self.has_begun_again = begun.filter(round__division__season__number=2).exists()
        if not self.has_awarded:
            self.has_awarded = organising.award_a_table(self._now(), self.organiser)
            self.is_restless |= self.has_awarded

    def _event(self, command: Callable[..., object], *arguments: object) -> None:
        """Run a person's command, which the site may refuse."""
        with suppress(Refused):
            command(*arguments)

    # Emails

    def _carry(self, message: EmailMessage) -> bool:
        email = OutgoingEmail.objects.get(pk=email_of(message.from_email))
        message_id = str(message.extra_headers.get("Message-ID", ""))
        self.delivered.append(
            Delivered(email.kind, message.to[0], str(sorted(email.context.items())), message_id)
        )
        pk = self.reached.get(message.to[0])
        if pk is not None:
            self._think_of(email, pk, self.people[pk])
        return True

    def _think_of(self, email: OutgoingEmail, pk: int, person: Person) -> None:
        """Plan how they act on an email, some time later."""
        now = self.clock.now
        match email.kind:
            case "league_opens":
                if person.stays and not person.vanishes:
                    self._note(now + person.says_after(), partial(self._sign_up_again, pk))
            case "league_confirm":
                if not person.is_silent:
                    self._note(now + person.says_after(), partial(self._confirm, email.context["entry"]))
            case "league_ask":
                answer = person.answers_ask_after()
                if answer is not None:
                    self._note(now + answer[0], partial(self._answer, email.context["ask"], is_yes=answer[1]))
            case "your_turn" | "waiting" | "reminder" | "started" | "stood_in" | "league_reminder":
                self._plan_visit(pk, now + person.comes_after())

    def _note(self, moment: datetime, event: Callable[[], object]) -> None:
        self.diary.note(moment.replace(microsecond=0), event)

    # What people do

    def _is_gone(self, pk: int) -> bool:
        return self.people[pk].is_gone(self.clock.now - self.begins_at)

    def _sign_up_again(self, pk: int) -> None:
        self._event(sign_up, organising.latest_season(self.league), User.objects.get(pk=pk))

    def _confirm(self, entry: int) -> None:
        self._event(confirm, Registration.objects.select_related("user").get(pk=entry))

    def _answer(self, ask: int, *, is_yes: bool) -> None:
        row = SubstituteOffer.objects.select_related("substitute").get(pk=ask)
        if self._is_gone(row.substitute.user_id):
            return
        self._event(accept if is_yes else decline, row)
        if is_yes:
            self._plan_visit(row.substitute.user_id, self.clock.now + HOUR)

    def _withdraw(self, user: User) -> None:
        entry = self.season.entries.filter(user=user).select_related("user").first()
        if entry is not None:
            self._event(partial(withdraw, note=NOTE, reason="A new job, far away"), entry)
            self.is_restless = True

    def _plan_visit(self, pk: int, moment: datetime) -> None:
        """Plan a visit, unless an earlier one is planned."""
        planned = self.visits.get(pk)
        if planned is None or planned > moment or planned <= self.clock.now:
            self.visits[pk] = moment
            self._note(moment, partial(self._visit, pk, moment))

    def _visit(self, pk: int, moment: datetime) -> None:
        if self.visits.get(pk) == moment:
            del self.visits[pk]
            self._play(pk)

    def _play(self, pk: int) -> None:
        """Come back wherever a bot plays for them, and make every decision."""
        if self._is_gone(pk):
            return
        if playing.come_back(pk):
            self.is_restless = True
        for table in playing.tables_of(pk):
            self.sittings += 1
            if playing.sit_down(table, pk, self.people, self._is_there, self.clock):
                self.is_restless = True

    def _is_there(self, pk: int) -> bool:
        """Return whether they are present when others play on."""
        return not self._is_gone(pk) and not self.people[pk].is_slow
