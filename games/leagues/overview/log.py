"""A league's log: what was done in it, by whom, to whom, and why. Everybody who may read the league reads it;
the reasons are for its people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.leagues.models import Deed, Division, League
from games.leagues.overview.course_in_words import at
from games.leagues.overview.names import names_in
from games.press.models.messages import TAKEN_OUT
from games.telling.narration import and_list

_TOUCH_ALL = (Deed.Kind.EXTENDED, Deed.Kind.NO_ORGANISER)  # a whole round's players, or the league's


@dataclass(frozen=True)
class Line:
    """A deed in words."""

    deed: Deed
    who: str
    told: str
    where: str
    reason: str


def deeds_of(league: League) -> QuerySet[Deed]:
    """All deeds, the newest first, with all that their lines say."""
    known = league.deeds.select_related("by", "season", "round__division", "table__round__division")
    return known.prefetch_related("touched", "table__chairs__entry__user").order_by("-pk")


def lines_of(deeds: Iterable[Deed], *, with_reasons: bool) -> list[Line]:
    """The deeds as they are told to a reader."""
    deeds = list(deeds)
    names = names_in({deed.league_id for deed in deeds}, _people_of(deeds))
    return [_line(deed, names, with_reasons) for deed in deeds]


def reason_of(deed: Deed) -> str:
    """Why it was done: the organiser's own words, or what the season went by."""
    match deed.facts.get("why"):
        case Deed.TOO_FEW:
            return _("Too few players have signed up.")
        case Deed.NO_ORGANISER_LEFT:
            return _("Nobody organises the league any more.")
    return _(TAKEN_OUT) if deed.reason == TAKEN_OUT else deed.reason


def _people_of(deeds: Iterable[Deed]) -> Iterator[User]:
    for deed in deeds:
        yield from deed.touched.all()
        yield from [chair.entry.user for chair in deed.table.chairs.all()] if deed.table else ()
        if deed.by:
            yield deed.by


def _line(deed: Deed, names: Mapping[int, str], with_reasons: bool) -> Line:
    who = names[deed.by.pk] if deed.by else _("The season")
    reason = reason_of(deed) if with_reasons else ""
    return Line(deed, who, _told(deed, names), _where(deed), reason)


def _told(deed: Deed, names: Mapping[int, str]) -> str:
    """What was done, to whom, and what else is to be said."""
    said = _awarded(deed, names) if deed.kind == Deed.Kind.AWARDED else _to_whom_and_what(deed, names)
    return f"{deed.get_kind_display()}: {said}" if said else str(deed.get_kind_display())


def _awarded(deed: Deed, names: Mapping[int, str]) -> str:
    """Who got how many points; whoever got none by it has what was played."""
    chairs = deed.table.chairs.all() if deed.table else ()
    given = zip(chairs, deed.facts.get("points", ()), strict=False)
    return ", ".join(
        [f"{names[chair.entry.user_id]} ({points})" for chair, points in given if points is not None]
    )


def _to_whom_and_what(deed: Deed, names: Mapping[int, str]) -> str:
    touched = () if deed.kind in _TOUCH_ALL else deed.touched.all()
    told = [names[person.pk] for person in touched if person.pk != deed.by_id]
    return " · ".join(filter(None, (and_list(sorted(told)), _facts(deed))))


def _facts(deed: Deed) -> str:
    """What its facts say, to this reader."""
    facts = deed.facts
    match deed.kind:
        case Deed.Kind.DRAWN if "seed" in facts:
            return _("the seed is %(seed)s") % {"seed": facts["seed"]}
        case Deed.Kind.EXTENDED | Deed.Kind.SIGN_UP_LONGER if "until" in facts:
            return _("until %(moment)s") % {"moment": at(datetime.fromisoformat(facts["until"]))}
        case Deed.Kind.IMPORTED if "players" in facts:
            count = facts["players"]
            return ngettext("%(count)d player", "%(count)d players", count) % {"count": count}
        case Deed.Kind.MOVED if "to" in facts:
            levels = {
                "before": Division(level=facts["from"]).letter,
                "after": Division(level=facts["to"]).letter,
            }
            return _("from division %(before)s to division %(after)s") % levels
        case Deed.Kind.FILLED if "division" in facts:
            words = {"division": Division(level=facts["division"]).letter, "round": facts["round"]}
            return _("division %(division)s, from round %(round)d on") % words
        case Deed.Kind.NO_ORGANISER if facts.get("is_last"):
            return _(
                "nobody organises it now: what has begun is played to its end, and no other season follows"
            )
    return ""


def _where(deed: Deed) -> str:
    """The season, and the round or table, that it was about."""
    found = deed.table.round if deed.table else deed.round
    parts = [_("season %(n)d") % {"n": deed.season.number} if deed.season else ""]
    if found:
        words = {"letter": found.division.letter, "n": found.number}
        parts.append(_("division %(letter)s, round %(n)d") % words)
    if deed.table:
        parts.append(_("table %(n)d") % {"n": deed.table.number})
    return ", ".join(filter(None, parts))
