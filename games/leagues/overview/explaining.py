"""Every number of a standing explains itself: the sentences. Gets values, reads nothing."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from games.leagues.overview.numbers import as_people_read, exactly
from games.leagues.overview.rules_in_words import ordinal
from games.leagues.scoring import Decided, RoundResult, Score, Term, TieBreak, What


def in_points(number: Fraction) -> str:
    """Points as a sentence says them."""
    return _("1 point") if number == 1 else _("%(n)s points") % {"n": exactly(number)}


def about_points(number: Fraction) -> str:
    """The same where there is no room for more than two places."""
    return _("1 point") if number == 1 else _("%(n)s points") % {"n": as_people_read(number)}


def told_term(term: Term) -> str:
    """One reason for points, without them."""
    words = {"n": term.count, "among": among_in_words(term.among), "place": ""}
    match term.what:
        case What.REGIONS:
            return ngettext("%(n)d region", "%(n)d regions", term.count) % words
        case What.BONUS:
            return _("a victory by a connected group")
        case What.PLACE:
            words["place"] = ordinal(term.count)
            return (_("%(place)s shared by %(among)s") if term.among > 1 else "%(place)s") % words
        case What.VICTORY:
            return (_("victory shared by %(among)s") if term.among > 1 else _("victory")) % words
        case What.DEFEAT:
            return _("no victory")
        case What.AWARDED:
            return _("awarded by an organiser")
        case What.ABANDONED:
            return _("the table was abandoned")
        case What.BYE if term.count:
            tables = ngettext("the average of %(n)d table", "the average of %(n)d tables", term.count)
            return _("sat out, for %(average)s") % {"average": tables % words}
        case What.FIRST_BYE:
            told = ngettext(
                "sat out with no table of their own, for the average of the division's %(n)d seat",
                "sat out with no table of their own, for the average of the division's %(n)d seats",
                term.count,
            )
            return told % words
    return _("sat out")


def among_in_words(number: int) -> str:
    """How many share something."""
    return {2: _("two"), 3: _("three"), 4: _("four"), 5: _("five"), 6: _("six")}.get(number, str(number))


def told_score(score: Score) -> str:
    """What points are for, and how many they are: "3 regions: 3 points"."""
    terms = [f"{told_term(term)}: {in_points(term.amount)}" for term in score.terms]
    told = ", ".join(terms)
    if len(score.terms) < 2:
        return told
    return _("%(terms)s; in all %(points)s") % {"terms": told, "points": in_points(score.points)}


def told_share(score: Score, share: Fraction) -> str:
    """The same for who gets a part of it."""
    return _told_share(score, share, get_language())


@lru_cache(maxsize=4096)  # a long standing says the same few sentences over and over
def _told_share(score: Score, share: Fraction, _language: str) -> str:
    if share == 1:
        return told_score(score)
    words = {"told": told_score(score), "share": share, "points": in_points(score.points * share)}
    if not share:
        return _("%(told)s, of which nothing is his") % words
    return _("%(told)s, of which %(share)s is his: %(points)s") % words


def told_result(result: RoundResult) -> str:
    """What a round brought somebody."""
    return told_share(result.score, result.share)


def told_decision(decided: Decided, above: str) -> str:
    """Why somebody stands below who has as many points."""
    numbers = {"name": above, "mine": as_people_read(decided.value), "other": as_people_read(decided.above)}
    match decided.tie_break:
        case TieBreak.DIRECT:
            told = _("behind %(name)s by the direct result, in points per table: %(mine)s against %(other)s")
        case TieBreak.WINS:
            told = _("behind %(name)s by victories: %(mine)s against %(other)s")
        case TieBreak.REGIONS:
            told = _("behind %(name)s by regions: %(mine)s against %(other)s")
        case TieBreak.STRENGTH:
            told = _("behind %(name)s by the strength of opponents: %(mine)s against %(other)s")
        case TieBreak.LOT:
            told = _("behind %(name)s by lot: drawn as number %(mine)s, not %(other)s")
    return told % numbers
