"""Points in words: what they are for, and which tie-break decided."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.leagues.scoring.scoring_methods import TieBreak
from games.leagues.scoring.table_facts import SeatFacts
from games.leagues.scoring.table_points import LeagueScore, PointsFor, Term
from games.leagues.scoring.tie_breaks import Decided
from games.leagues.selectors.exact_numbers import as_people_read, exactly
from games.leagues.selectors.scoring_rules import ordinal


def in_points(number: Fraction) -> str:
    """Return points as a phrase."""
    return _with_noun(number, exactly(number))


def about_points(number: Fraction) -> str:
    """Return points as a phrase, rounded to two decimal places."""
    return _with_noun(number, as_people_read(number))


def _with_noun(number: Fraction, text: str) -> str:
    if number.denominator == 1:
        return ngettext("%(n)s point", "%(n)s points", int(number)) % {"n": text}
    # Translators: n is a number with a fraction, such as 7.5 or 7.32 (exactly 161/22)
    return pgettext("not a whole number", "%(n)s points") % {"n": text}


def term_text(term: Term) -> str:
    """Return what points are given for, as the label of their number."""
    match term.what:
        case PointsFor.REGIONS:
            text = ngettext("%(n)d region", "%(n)d regions", term.count)
        case PointsFor.BONUS:
            text = _("Victory by a connected group")
        case PointsFor.PLACE:
            text = _shared_place_text(term) if term.among > 1 else ordinal(term.count)
        case PointsFor.VICTORY if term.among > 1:
            text = ngettext(
                "Victory shared by %(among)d player", "Victory shared by %(among)d players", term.among
            )
        case PointsFor.VICTORY:
            text = pgettext("what points are for", "Victory")
        case PointsFor.DEFEAT:
            text = pgettext("what points are for", "No victory")
        case PointsFor.AWARDED:
            text = _("Awarded by an organiser")
        case PointsFor.ABANDONED:
            text = pgettext("what points are for", "Abandoned table")
        case _:
            text = _bye_text(term)
    return text % {"n": term.count, "among": term.among}


def _bye_text(term: Term) -> str:
    if term.what == PointsFor.BYE and term.count:
        return ngettext(
            "Bye (average of their own %(n)d table)", "Bye (average of their own %(n)d tables)", term.count
        )
    if term.what == PointsFor.TYPICAL_BYE:
        return ngettext(
            "Bye (average of the division’s %(n)d seat)",
            "Bye (average of the division’s %(n)d seats)",
            term.count,
        )
    return pgettext("what points are for", "Bye")


def _shared_place_text(term: Term) -> str:
    return {
        1: ngettext(
            "1st place, shared by %(among)d player", "1st place, shared by %(among)d players", term.among
        ),
        2: ngettext(
            "2nd place, shared by %(among)d player", "2nd place, shared by %(among)d players", term.among
        ),
        3: ngettext(
            "3rd place, shared by %(among)d player", "3rd place, shared by %(among)d players", term.among
        ),
        4: ngettext(
            "4th place, shared by %(among)d player", "4th place, shared by %(among)d players", term.among
        ),
        5: ngettext(
            "5th place, shared by %(among)d player", "5th place, shared by %(among)d players", term.among
        ),
    }[term.count]


def score_text(score: LeagueScore) -> str:
    """Return what the points are for and how many there are: "3 regions: 3 points"."""
    return _join_labels(_labels_with_points(score))


def _labels_with_points(score: LeagueScore) -> list[tuple[str, str]]:
    """Return labels with points; the total is the last if there are several."""
    terms = [(term_text(term), in_points(term.amount)) for term in score.terms]
    if len(terms) > 1:
        terms.append((pgettext("label of points", "total"), in_points(score.points)))
    return terms


def _join_labels(terms: Iterable[tuple[str, str]]) -> str:
    return "; ".join([f"{label}: {points}" for label, points in terms])


def share_text(score: LeagueScore, share: Fraction) -> str:
    """Return what the points are for, and which share of them a player gets."""
    if share == 1:
        return score_text(score)
    # Translators: share is a fraction, such as 3/4
    label = _("this player’s share, %(share)s") % {"share": share}
    return _join_labels([*_labels_with_points(score), (label, in_points(score.points * share))])


def place_beside(score: LeagueScore, seat: SeatFacts) -> str:
    """Return the seat's place at its table in words; empty if its points already name it."""
    is_played = score.terms[0].what in (PointsFor.REGIONS, PointsFor.VICTORY, PointsFor.DEFEAT)
    return ordinal(seat.place) if is_played else ""


def decision_text(decided: Decided, above: str) -> str:
    """Return why a player is below another with the same points."""
    numbers = {"name": above, "mine": as_people_read(decided.value), "other": as_people_read(decided.above)}
    match decided.tie_break:
        case TieBreak.HEAD_TO_HEAD:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on head to head, in points per table: %(mine)s against %(other)s")
        case TieBreak.WINS:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on victories: %(mine)s against %(other)s")
        case TieBreak.REGIONS:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on regions: %(mine)s against %(other)s")
        case TieBreak.STRENGTH_OF_SCHEDULE:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s on strength of schedule: %(mine)s against %(other)s")
        case TieBreak.LOT:
            # Translators: name is the player above; mine is the lower player's number, other that of name
            text = _("Below %(name)s by lot: number %(mine)s in the draw, against number %(other)s")
    return text % numbers
