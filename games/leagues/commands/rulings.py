"""What an organiser decides about rounds, tables and people, with a reason. Whom it touches is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from games.commands import Refused, adjudicate
from games.commands.timing import PRESSED_TWICE
from games.leagues.commands.deeds import write_down
from games.leagues.commands.gaps import fill_gap
from games.leagues.commands.late import prolong, still_played
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.people import require_organiser
from games.leagues.commands.rating import rate_anew
from games.leagues.commands.rounds import locked_round
from games.leagues.commands.words import cleaned_reason
from games.leagues.models import Award, Deed, Division, Entry, LeagueTable, Round, Season
from games.models import Table

__all__ = ["adjudicate_by_hand", "award", "extend_by_hand", "fill_gap", "move_entry"]

MOST_DAYS = 90
MOST_POINTS = 1000


# Tables


@transaction.atomic
def award(table: LeagueTable, by: User, points: Sequence[int | None], reason: str) -> Award:
    """The points of a table that is over, one for each position, whatever was played; None is as played.

    The last award counts; the same again is the same. Raises Refused until the table is counted, once the
    season is closed, for what are no points, and as all that organisers do.
    """
    table, season = _ruled(table, by)
    reason = cleaned_reason(reason)
    _require_awardable(table, season)
    _require_points(points, table.chairs.count())
    last = table.awards.last()
    if last is not None and (last.points, last.reason, last.by_id) == (list(points), reason, by.pk):
        return last
    awarded = Award.objects.create(table=table, points=list(points), reason=reason, by=by)
    rate_anew(LeagueTable.objects.filter(pk=table.pk))
    write_down(
        Deed.Kind.AWARDED,
        season,
        by,
        touched=_people_of(table),
        reason=reason,
        facts={"points": list(points)},
        round=table.round,
        table=table,
    )
    return awarded


def _ruled(table: LeagueTable, by: User) -> tuple[LeagueTable, Season]:
    """The table as it is while its season is held by one of its organisers."""
    pk = Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=table.pk)
    season = locked_season(pk)
    require_organiser(season.league, by)
    return LeagueTable.objects.select_related("table", "round__division").get(pk=table.pk), season


def _require_awardable(table: LeagueTable, season: Season) -> None:
    if season.state != Season.State.RUNNING:
        raise Refused(_("This season is closed, and its places are published."))
    if table.table.state != Table.State.FINISHED:
        raise Refused(_("This table is still played at."))
    if table.facts is None:
        raise Refused(_("This table's result is being counted. Try again in a minute."))


def _require_points(points: Sequence[int | None], seats: int) -> None:
    if len(points) != seats:
        raise Refused(_("Say for each seat what it gets."))
    for point in points:
        if point is not None and (type(point) is not int or not 0 <= point <= MOST_POINTS):
            raise Refused(_("Points are whole numbers from 0 to %(most)d.") % {"most": MOST_POINTS})


def _people_of(table: LeagueTable) -> Iterable[User]:
    """Whoever was seated there, and whoever sits there now."""
    seated = [chair.entry.user for chair in table.chairs.select_related("entry__user")]
    return [*seated, *[seat.person for seat in table.table.seats.people()]]


@transaction.atomic
def adjudicate_by_hand(table: LeagueTable, by: User, with_winner: bool, reason: str) -> None:
    """End what is played at a table whose time is out: the players with most regions win, or nobody does.

    Raises Refused before the round's end, where nothing is played, between two games of a match, and as all
    that organisers do.
    """
    table, season = _ruled(table, by)
    reason, now = cleaned_reason(reason), present.now()
    if table.table.state != Table.State.PLAYING:
        raise Refused(_("This table is over already."))
    if table.round.ends_at > now:
        raise Refused(_("Its time is not out: it may be played until the end of its round."))
    if adjudicate(table.table, with_winner=with_winner, now=now) is None:
        raise Refused(_("Between two games of a match nothing can be ended; wait until the next has begun."))
    write_down(
        Deed.Kind.ADJUDICATED,
        season,
        by,
        touched=_people_of(table),
        reason=reason,
        round=table.round,
        table=table,
    )


# Rounds


@transaction.atomic
def extend_by_hand(round_: Round, by: User, days: int, reason: str) -> Round:
    """The round ends so many days later, from now on if its end has passed. The days that the season itself
    gives to what is late are not used up by this. Pressed twice it is done once.

    Raises Refused for a round that is not being played, and as all that organisers do.
    """
    round_, season = locked_round(round_)
    require_organiser(season.league, by)
    reason, was_extended = cleaned_reason(reason), round_.is_extended
    if round_.state != Round.State.PLAYING:
        raise Refused(_("Only a round that is being played can be given more time."))
    if not 1 <= days <= MOST_DAYS:
        raise Refused(_("A round is given one to %(most)d days more.") % {"most": MOST_DAYS})
    if _was_just_done(round_, by, reason):
        return round_
    prolong(round_, season, max(round_.ends_at, present.now()) + timedelta(days=days))
    round_.is_extended = was_extended
    round_.save(update_fields=["is_extended"])
    put_off(season)
    facts = {"until": round_.ends_at.isoformat()}
    people = [person for table in still_played(round_) for person in _people_of(table)]
    write_down(Deed.Kind.EXTENDED, season, by, touched=people, reason=reason, facts=facts, round=round_)
    return round_


def _was_just_done(round_: Round, by: User, reason: str) -> bool:
    just_now = present.now() - PRESSED_TWICE
    done = Deed.objects.filter(kind=Deed.Kind.EXTENDED, round=round_, by=by, reason=reason)
    return done.filter(at__gt=just_now).exists()


# People


@transaction.atomic
def move_entry(entry: Entry, by: User, level: int, reason: str) -> Entry:
    """Somebody plays in another division, which is possible until a round of either has begun. Where he is
    already is no move.

    Raises Refused where no such division is, or too few would stay in the old one, and as all that
    organisers do.
    """
    season = locked_season(entry.season_id)
    require_organiser(season.league, by)
    entry = Entry.objects.select_related("user", "division").get(pk=entry.pk)
    reason = cleaned_reason(reason)
    if entry.state != Entry.State.PLAYING or entry.division is None:
        raise Refused(_("Only who plays in a running season can be moved."))
    if entry.division.level == level:
        return entry
    division = _free_to_come(season, level)
    _require_free_to_go(season, entry.division)
    facts = {"from": entry.division.level, "to": level}
    entry.division = division
    entry.save(update_fields=["division"])
    write_down(Deed.Kind.MOVED, season, by, touched=[entry.user], reason=reason, facts=facts)
    return entry


def _free_to_come(season: Season, level: int) -> Division:
    division = season.divisions.filter(level=level).first()
    if division is None:
        raise Refused(_("There is no such division."))
    _require_not_begun(division)
    if _playing(division) >= season.division_size:
        raise Refused(_("That division is full."))
    return division


def _require_free_to_go(season: Season, division: Division) -> None:
    _require_not_begun(division)
    if _playing(division) <= season.size:
        raise Refused(_("Too few would stay in his division for a table."))


def _require_not_begun(division: Division) -> None:
    if division.rounds.exclude(state=Round.State.PLANNED).exists():
        raise Refused(_("Rounds have begun: whoever plays stays in his division until the season's end."))


def _playing(division: Division) -> int:
    return division.entries.filter(state=Entry.State.PLAYING).count()
