"""When a season acts next, what it can draw and begin now, and how outages move its dates."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Count, F, Max, Model, Prefetch, Q, QuerySet

from accounts import clock
from accounts.availability import back_at, hours_of_person
from accounts.models import User
from accounts.working_hours import Hours
from games.clocks.outages import OUTAGE
from games.leagues.models import Division, LeagueTable, Registration, Round, Season, SeatAssignment
from games.leagues.seating import LEAST_AT_TABLE
from games.models import Heartbeat, Outage

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Model)


def run_for_all(rows: Iterable[Row], event: Callable[[Row, datetime], object], now: datetime) -> int:
    """Run a function for each row and count the rows where it did something; log and skip failures."""
    return sum([_done_or_logged(row, event, now) for row in list(rows)])


def _done_or_logged(row: Row, event: Callable[[Row, datetime], object], now: datetime) -> bool:
    try:
        return bool(event(row, now))
    except Exception:  # whatever is wrong with one row
        logger.exception("%s %s of a league could not go on", row._meta.model_name, row.pk)
        return False


# Outages while a table is played: time in which no one could play does not count.


Span = tuple[datetime, datetime]


def last_outage() -> int:
    """Return the ID of the latest known outage, or 0."""
    return Outage.objects.aggregate(last=Max("pk"))["last"] or 0


def given_back(row: LeagueTable) -> timedelta:
    """Return the outage time not yet given back to this table.

    Time given back for an earlier outage is not given again.
    """
    spans = Outage.objects.filter(end__gt=row.begins_at, start__lt=row.ends_at).order_by("pk")
    known = [(outage.pk, _within(row, outage)) for outage in spans]
    before = [span for pk, span in known if pk <= row.outage]
    return _length([span for _pk, span in known]) - _length(before)


def lost_since(moment: datetime) -> timedelta:
    """Return how much of the time since then the site was down."""
    spans = Outage.objects.filter(end__gt=moment).values_list("start", "end")
    return _length([(max(start, moment), end) for start, end in spans])


def _within(row: LeagueTable, outage: Outage) -> Span:
    return max(outage.start, row.begins_at or outage.start), min(outage.end, row.deadline)


def _length(spans: Iterable[Span]) -> timedelta:
    """Return the total length of these spans, counting overlaps once."""
    length, covered = timedelta(0), None
    for start, end in sorted(spans):
        begin = start if covered is None else max(start, covered)
        length += max(end - begin, timedelta(0))
        covered = end if covered is None else max(end, covered)
    return length


def is_watched(now: datetime) -> bool:
    """Return whether the site has checked its clocks recently.

    After an outage it has not, and the lost time is not given back yet. Until then no one is late.
    """
    heart = Heartbeat.objects.order_by("pk").first()
    return heart is None or now - heart.at <= OUTAGE


# When a season has something to do by date. Every service that changes a date or a state reschedules the
# season; the tick looks at nothing else.


SHORT_LASTS = timedelta(days=30)  # until a season with too few players is cancelled


def reschedule(season: Season) -> None:
    """Store when the tick should next look at this season; the caller holds its lock."""
    season.next_action_at = next_action_at(season)
    season.save(update_fields=["next_action_at"])


def next_action_at(season: Season) -> datetime | None:
    """Return the earliest moment at which something is due by date, possibly in the past; None for never."""
    match season.state:
        case Season.State.PLANNED:
            return season.opens_at
        case Season.State.SIGN_UP:
            return season.signup_ends_at
        case Season.State.CONFIRMING:
            return min(draws_at(season), reminds_at(season))
        case Season.State.RUNNING:
            return _of_tables(season)
    return None


def is_full(season: Season) -> bool:
    """Return whether as many have signed up as can play."""
    taking = (Registration.State.SIGNED_UP, Registration.State.CONFIRMED)
    return season.entries.filter(state__in=taking).count() >= season.max_players


def is_prolonged(season: Season) -> bool:
    """Return whether the sign-up was extended after players had been asked to confirm."""
    return season.asked_at is not None and season.signup_ends_at > season.asked_at


def draws_at(season: Season) -> datetime:
    """Return when the time to confirm ends; a past moment if all players have confirmed.

    Once the sign-up has been extended, return its end.
    """
    if is_prolonged(season) and not is_full(season):
        last = [season.short_since + SHORT_LASTS] if season.short_since else []
        return min([season.signup_ends_at, *last])
    if season.entries.filter(state=Registration.State.SIGNED_UP).exists():
        return answers_by(season)
    return season.asked_at or season.signup_ends_at


def answers_by(season: Season) -> datetime:
    """Return the deadline to confirm: the season's days after its players were asked, plus outages."""
    asked_at = season.asked_at or season.signup_ends_at
    return asked_at + timedelta(days=season.confirm_days) + lost_since(asked_at)


def reminds_at(season: Season) -> datetime:
    """Return when players who have not confirmed are reminded: a day before the deadline.

    Once they were, or the sign-up has been extended, return the moment of the draw.
    """
    if season.reminded_at or is_prolonged(season):
        return draws_at(season)
    return answers_by(season) - timedelta(days=1)


def _of_tables(season: Season) -> datetime | None:
    """Return the first due moment of any table; the season's start if something can be done at once."""
    if season.league.is_paused(clock.now()):
        return season.league.paused_until
    divisions = list(season.divisions.all())
    for division in divisions:
        division.season = season
    if is_played(season) or any(round_to_draw(division) for division in divisions):
        return season.begins_at
    running = LeagueTable.objects.running().filter(round__division__season=season)
    due = [moment for row in running for moment in moments(season, row)]
    return min([*due, *[one.due for division in divisions for one in ready_tables(division)]], default=None)


def moments(season: Season, row: LeagueTable) -> Iterator[datetime]:
    """Yield when a running table is due to be reminded, extended or adjudicated."""
    if row.reminded_at is None:
        yield row.deadline - timedelta(days=season.remind_days)
    if late_rule(season) != Season.Late.ORGANISER or (season.extension_days and not row.is_extended):
        yield row.deadline


def late_rule(season: Season) -> str:
    """Return the season's rule for late tables; without an organiser to decide, most regions win."""
    if season.late == Season.Late.ORGANISER and not season.league.organisers.exists():
        return Season.Late.REGIONS
    return season.late


def is_played(season: Season) -> bool:
    """Return whether all rounds are drawn and all their tables counted."""
    undrawn = Round.objects.filter(division__season=season, draw__isnull=True)
    open_tables = LeagueTable.objects.filter(round__division__season=season, collected_at=None)
    return not undrawn.exists() and not open_tables.exists()


# Rounds that can be drawn and tables that can begin


def round_to_draw(division: Division) -> Round | None:
    """Return the first round that is not drawn, if it can be drawn now.

    A Swiss round needs results: all of the round before. If players play at several tables at once, half of
    it is enough, and all of the one before that.
    """
    left = Count("tables", filter=Q(tables__collected_at=None))
    rounds = list(division.rounds.annotate(played=Count("tables"), left=left).order_by("number"))
    drawn = [one for one in rounds if one.draw is not None]
    if len(drawn) == len(rounds):
        return None
    if division.season.format != Season.Format.SWISS or not drawn or not drawn[-1].left:
        return rounds[len(drawn)]
    is_half_over = division.season.tables_at_once > 1 and 2 * drawn[-1].left <= drawn[-1].played
    is_clear = all(not one.left for one in drawn[-2:-1])
    return rounds[len(drawn)] if is_half_over and is_clear else None


@dataclass(frozen=True, slots=True)
class Ready:
    """A planned table whose players have room, with those who sit down at it, in the order of seats.

    It begins at `at`: in the past, that is now, or once the players who are away are back or it has waited
    for long enough. Then it begins without those of them who are `away` still.
    """

    row: LeagueTable
    entries: tuple[Registration, ...]
    at: datetime
    away: tuple[Registration, ...] = ()

    @property
    def due(self) -> datetime:
        """When the season has to look at it: at once if its waiting has not been noted yet."""
        season = self.row.round.division.season
        return season.begins_at if self.row.waits_since is None else self.at

    @property
    def is_enough(self) -> bool:
        """Whether these players make a table; otherwise they have a bye."""
        return len(self.entries) >= min(self.row.round.division.season.size, LEAST_AT_TABLE)


def ready_tables(division: Division) -> list[Ready]:
    """Return the planned tables whose players have room, by round and number.

    They play at fewer tables than the season lets a player play at once. So a slow table holds up no one but
    its own players. A table that waits for players who are away leaves the others their room.
    None begins while the league is paused.
    """
    if division.season.league.is_paused(clock.now()):
        return []
    now, busy, ready = clock.now(), tables_held(division), []
    for row in _planned(division):
        one = _ready(row, now)
        if one.is_enough and not all(has_room(entry, busy, division.season) for entry in one.entries):
            continue
        ready.append(one)
        busy.update([entry.user_id for entry in one.entries] if one.is_enough and one.at <= now else [])
    return ready


def _ready(row: LeagueTable, now: datetime) -> Ready:
    entries = tuple([at.entry for at in row.assignments.all() if sits_down(at.entry, row.round)])
    back = {entry: back_at(entry.user, entry.user.holidays.all(), now) for entry in entries}
    away = {entry: moment for entry, moment in back.items() if moment is not None}
    one = Ready(row, entries, row.round.division.season.begins_at)
    if not away or not one.is_enough:
        return one
    until = waits_until(row, row.round.division.season)
    if now < until:
        return replace(one, at=min(max(away.values()), until))
    here = tuple([entry for entry in entries if entry not in away])
    return replace(one, entries=here, away=tuple(away))


def waits_until(row: LeagueTable, season: Season) -> datetime:
    """Return until when a table waits for players who are away."""
    return (row.waits_since or clock.now()) + timedelta(days=season.away_days)


def sits_down(entry: Registration, round_: Round) -> bool:
    """Return whether this player takes their seat in a round, or its tables play without them."""
    user, is_skipped = entry.user, round_.number in entry.skipped
    is_here = user.is_active and user.deleted_at is None
    return entry.state == Registration.State.PLAYING and is_here and not is_skipped


def has_room(entry: Registration, busy: Mapping[int, int], season: Season) -> bool:
    """Return whether this player may begin another table now; otherwise the table waits."""
    return busy.get(entry.user_id, 0) < season.tables_at_once


def tables_held(division: Division) -> Counter[int]:
    """Return how many running tables each player of the division plays at, not counting others' seats."""
    running = LeagueTable.objects.running().filter(round__division=division)
    held = SeatAssignment.objects.filter(table__in=running, table__table__seats__user=F("entry__user"))
    return Counter(held.values_list("entry__user", flat=True))


def _planned(division: Division) -> list[LeagueTable]:
    rows = list(
        LeagueTable.objects.planned()
        .filter(round__division=division)
        .select_related("round")
        .prefetch_related(
            Prefetch("assignments", SeatAssignment.objects.select_related("entry__user")),
            "assignments__entry__user__holidays",
        )
        .order_by("round__number", "number")
    )
    for row in rows:
        row.round.division = division
    return rows


def next_round(entry: Registration) -> int | None:
    """Return the round of the player's next table that has not begun, drawn or not; None if there is none."""
    if entry.division is None or entry.state != Registration.State.PLAYING:
        return None
    rounds = rounds_ahead(entry.division, entry).filter(number__gte=entry.from_round)
    return rounds.values_list("number", flat=True).first()


def rounds_ahead(division: Division, entry: Registration) -> QuerySet[Round]:
    """Return the rounds that are not drawn, or whose table with this player has not begun, in order."""
    planned = Q(tables__table=None, tables__assignments__entry=entry)
    return division.rounds.filter(Q(draw__isnull=True) | planned).order_by("number").distinct()


def recheck_waiting_seasons(user: User, hours_before: Hours, now: datetime, **_: object) -> None:
    """Have the seasons that may wait for this player looked at again, if their holidays have changed."""
    if hours_of_person(user).holidays != hours_before.holidays:
        playing = Registration.objects.filter(user=user, state=Registration.State.PLAYING)
        seasons = Season.objects.filter(state=Season.State.RUNNING, entries__in=playing)
        seasons.filter(divisions__rounds__tables__waits_since__isnull=False).update(next_action_at=now)
