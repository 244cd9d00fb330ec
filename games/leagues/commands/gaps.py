"""Places that somebody left while the season ran, and who comes into them from the waiting list."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.post.outbox import queue
from games.commands import Refused
from games.leagues.commands.deeds import write_down
from games.leagues.commands.each import for_each
from games.leagues.commands.locking import locked_season
from games.leagues.commands.people import require_organiser
from games.leagues.commands.words import cleaned_reason
from games.leagues.models import Deed, Division, Entry, Round, Season


def fill_gaps(now: datetime) -> int:
    """The tick: in seasons that fill gaps, whoever waits gets the place of somebody who left; in how
    many divisions."""
    waiting = Entry.objects.filter(season=OuterRef("pk"), state=Entry.State.WAITING)
    left = _left().filter(season=OuterRef("pk"))
    running = Season.objects.filter(state=Season.State.RUNNING, fills_gaps=True)
    seasons = running.filter(Exists(waiting), Exists(left)).order_by("pk")
    divisions = Division.objects.filter(season__in=seasons).order_by("season", "-level")
    return for_each(divisions, _fill_all, now)


def _fill_all(division: Division, now: datetime) -> int:
    count = 0
    while fill_gap(division, None, now) is not None:
        count += 1
    return count


@transaction.atomic
def fill_gap(division: Division, by: User | None, now: datetime, reason: str = "") -> Entry | None:
    """Who has waited longest plays in this division from its next round on, in the place of who left.

    By itself where the season does that and as long as there is a gap: None where not. An organiser may do
    it as long as the division has room. Raises Refused where nobody waits, no round is to come or no place
    is free, and as all that organisers do.
    """
    season = locked_season(division.season_id)
    require_organiser(season.league, by)
    reason = cleaned_reason(reason) if by else ""
    gap, round_, waiting = _gap(division), _next_round(division), _first_waiting(season)
    has_place = gap is not None or (by is not None and _has_room(division, season))
    refusal = _why_not(season, has_place=has_place, round_=round_, waiting=waiting)
    if by is None and (refusal or not season.fills_gaps):
        return None
    if refusal:
        raise Refused(refusal)
    assert round_ is not None
    assert waiting is not None
    _bring_in(waiting, division, round_, gap, now)
    write_down(
        Deed.Kind.FILLED,
        season,
        by,
        touched=[waiting.user],
        reason=reason,
        facts={"division": division.level, "round": round_.number},
        round=round_,
    )
    return waiting


def _why_not(season: Season, *, has_place: bool, round_: Round | None, waiting: Entry | None) -> str:
    if season.state != Season.State.RUNNING:
        return _("This season is not running.")
    if round_ is None:
        return _("No further round of this division is to come.")
    if not has_place:
        return _("No place is free in this division.")
    return "" if waiting else _("Nobody waits for a place.")


def _left() -> QuerySet[Entry]:
    """Who played and is out, and whose place nobody has yet."""
    out = (Entry.State.WITHDRAWN, Entry.State.EXPELLED)
    return Entry.objects.filter(division__isnull=False, state__in=out, replaced_by=None)


def _gap(division: Division) -> Entry | None:
    return _left().filter(division=division).order_by("out_at", "pk").first()


def _has_room(division: Division, season: Season) -> bool:
    return division.entries.filter(state=Entry.State.PLAYING).count() < season.division_size


def _next_round(division: Division) -> Round | None:
    return division.rounds.filter(state=Round.State.PLANNED).order_by("number").first()


def _first_waiting(season: Season) -> Entry | None:
    waiting = season.entries.filter(state=Entry.State.WAITING, user__is_active=True)
    return waiting.select_related("user").order_by("signed_at", "pk").first()


def _bring_in(entry: Entry, division: Division, round_: Round, gap: Entry | None, now: datetime) -> None:
    entry.state, entry.division, entry.from_round = Entry.State.PLAYING, division, round_.number
    entry.in_place_of, entry.confirmed_at = gap, now
    entry.save(update_fields=["state", "division", "from_round", "in_place_of", "confirmed_at"])
    key = f"league_place:{entry.pk}:{now.isoformat()}"
    queue("league_place", to=entry.user, key=key, about={"entry": entry.pk})
