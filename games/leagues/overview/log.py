"""A league's log: what was done in it, by whom, to whom, and why. Everybody who may read the league reads it;
the reasons are for its people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from games.leagues.models import Deed, League
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
    return [_line(deed, with_reasons) for deed in deeds]


def _line(deed: Deed, with_reasons: bool) -> Line:
    who = deed.by.shown_name if deed.by else _("The season")
    reason = deed.reason if with_reasons else ""
    return Line(deed, who, _told(deed), _where(deed), reason)


def _told(deed: Deed) -> str:
    """What was done, to whom, and what else is to be said."""
    said = _awarded(deed) if deed.kind == Deed.Kind.AWARDED else _to_whom_and_what(deed)
    return f"{deed.get_kind_display()}: {said}" if said else str(deed.get_kind_display())


def _awarded(deed: Deed) -> str:
    """Who got how many points; whoever got none by it has what was played."""
    chairs = deed.table.chairs.all() if deed.table else ()
    given = zip(chairs, deed.words.split(", "), strict=False)
    return ", ".join(
        [f"{chair.entry.user.shown_name} ({points})" for chair, points in given if points != "–"]
    )


def _to_whom_and_what(deed: Deed) -> str:
    named = () if deed.kind in _TOUCH_ALL else deed.touched.all()
    names = [person.shown_name for person in named if person.pk != deed.by_id]
    return " · ".join(filter(None, (and_list(sorted(names)), _words(deed))))


def _words(deed: Deed) -> str:
    match deed.kind:
        case Deed.Kind.DRAWN if deed.words:
            return _("the seed is %(seed)s") % {"seed": deed.words}
        case Deed.Kind.EXTENDED | Deed.Kind.SIGN_UP_LONGER if deed.words:
            return _("until %(moment)s") % {"moment": deed.words}
    return deed.words


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
