"""Pages on which an organiser extends, adjudicates and scores tables."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import clock
from accounts.time_elements import day_element, with_times
from games.leagues.access import get_assisted_table, get_organised_table
from games.leagues.forms.award_form import AwardForm, TableResult, filled_in
from games.leagues.forms.table_forms import AdjudicateForm, ExtendForm
from games.leagues.models import LeagueTable, Season
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.results.stored_facts import facts_as_played, facts_of
from games.leagues.selectors.desk import desk_row, position_of
from games.leagues.selectors.exact_numbers import exactly
from games.leagues.selectors.league_tables import points_text, table_view
from games.leagues.selectors.organiser_links import OrganiserLink
from games.leagues.selectors.organiser_lists import seats_by_name
from games.leagues.selectors.table_seats import TableSeat
from games.leagues.services.adjudication import adjudicate_by_hand, require_late
from games.leagues.services.awards import award, require_awardable
from games.leagues.services.season_end import corrections_end, is_correctable
from games.leagues.services.table_deadlines import extend_by_hand
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person, refusal_of
from games.leagues.views.organiser_desk import desk_of, season_of_table, table_name


@decides(get_assisted_table)
def extend(request: HttpRequest, found: LeagueTable) -> OrganiserDecision:
    """Extend a table."""
    season = season_of_table(found)
    return OrganiserDecision(
        season.league,
        _("Extend a table"),
        (
            *_end_text(found),
            _("We’ll email your reason to its players."),
        ),
        _("Extend the table"),
        _("You extended the table."),
        subject=table_name(found),
        form=ExtendForm(request.POST or None),
        act=lambda given: extend_by_hand(
            found, person(request), given["days"], given["reason"], given["hours"]
        ),
        back=desk_of(season),
    )


def _end_text(found: LeagueTable) -> tuple[str, ...]:
    if found.ends_at is None:
        return ()
    # Translators: ends is a date.
    return (with_times(_("The table currently ends on %(ends)s."), {"ends": day_element(found.ends_at)}),)


@decides(get_organised_table)
def adjudicate(request: HttpRequest, found: LeagueTable) -> OrganiserDecision:
    """Adjudicate the game of a table as it is now."""
    season = season_of_table(found)
    return OrganiserDecision(
        season.league,
        _("Adjudicate a table"),
        (
            # Translators: names is a list of players, such as "Anna, Bruno and Carla".
            _("Players: %(names)s.") % {"names": desk_row(found, clock.now()).players},
            *position_of(found, clock.now()),
            _("The game ends now, and its result counts. Choose below whether anyone wins."),
            _("We’ll email your reason to all its players."),
            _("You can’t undo this."),
        ),
        _("End the game"),
        _("You ended the game."),
        subject=table_name(found),
        is_final=True,
        others=(
            OrganiserLink(reverse("table_extend", args=[season.league_id, found.pk]), _("Extend the table")),
        ),
        form=AdjudicateForm(request.POST or None),
        act=lambda given: adjudicate_by_hand(
            found, person(request), given["result"] == Season.Late.REGIONS, given["reason"]
        ),
        back=desk_of(season),
        refusal=refusal_of(lambda: require_late(found, clock.now())),
    )


@decides(get_organised_table)
def award_points(request: HttpRequest, found: LeagueTable) -> OrganiserDecision:
    """Correct a table's places, regions and points, whatever was played."""
    season, result = season_of_table(found), _result_of(found)
    sent = request.POST or None
    form = filled_in(result, request.POST) if "fill" in request.POST else AwardForm(result, sent)
    withdraws = form.is_bound and form.is_valid() and form.is_empty
    return OrganiserDecision(
        season.league,
        _("Correct the result"),
        (
            *_points_so_far(found),
            _("Leave places and regions as they are, and the winner stays as played too."),
            _("The players in 1st place win. If all players share it, no one wins."),
            *_points_rules(result),
            *([_("Fill in everything as played to withdraw the award.")] if result.is_awarded else ()),
            _("The table’s page shows the result as played and as corrected, with your reason."),
            *_correction_rules(season),
            _("We’ll email the players. A later award replaces this one."),
        ),
        _("Correct the result"),
        _("You withdrew the award.") if withdraws else _("You corrected the result."),
        subject=table_name(found),
        form=form,
        fills=_fills(result),
        act=lambda given: award(found, person(request), form.points, given["reason"], form.results),
        back=desk_of(season),
        refusal=refusal_of(lambda: require_awardable(found, season)),
    )


def _result_of(found: LeagueTable) -> TableResult:
    """Return the table's result, its seats in order once it is counted."""
    rules, is_awarded = scoring_rules_of(season_of_table(found)), found.awards.exists()
    gives_points = not found.round.is_final
    if found.facts is None:
        return TableResult(seats_by_name(found), rules, is_awarded=is_awarded, gives_points=gives_points)
    seats = [(seat.number or 0, _seat_name(seat)) for seat in table_view(found).seats]
    return TableResult(seats, rules, facts_as_played(found), facts_of(found), is_awarded, gives_points)


def _seat_name(seat: TableSeat) -> str:
    """Return whom a seat is named after: its player, or the last substitute in a seat of no one."""
    substitutes = [one.name for one in seat.held if one.person is not None]
    return substitutes[-1] if seat.person is None and substitutes else seat.name


def _points_rules(result: TableResult) -> tuple[str, ...]:
    """Return what the fields of points are for, or why there are none."""
    if not result.gives_points:
        return (
            _("The final decides who wins the season. It gives no points."),
            _("An empty field is as played."),
        )
    return (_("Points that differ from what the places give are awarded. An empty field is as played."),)


def _fills(result: TableResult) -> tuple[tuple[str, str], ...]:
    """Return the ways to fill in the form without saving it."""
    if not result.gives_points:
        return (("played", _("Fill in everything as played")),) if result.is_awarded else ()
    if result.played is None:
        return ()
    places = ("places", _("Fill in the points of these places"))
    return (places, ("played", _("Fill in everything as played"))) if result.is_awarded else (places,)


def _correction_rules(season: Season) -> tuple[str, ...]:
    """Return what an award changes once the season is over, or that it's too late."""
    until = corrections_end(season)
    if until is None:
        return ()
    words = {"until": day_element(until)}
    if not is_correctable(season):
        # Translators: until is a date.
        return (with_times(_("Results could be corrected until %(until)s. They are final now."), words),)
    return (
        _("The season is over. Its ranks, promotions and relegations are computed again."),
        _("The places reserved in the next season follow, unless its sign-up is over."),
        # Translators: until is a date.
        with_times(_("You can correct results until %(until)s."), words),
    )


def _points_so_far(found: LeagueTable) -> tuple[str, ...]:
    """Return the table's points so far, once its result is counted."""
    view = table_view(found)
    if view.facts is None or found.round.is_final:
        return ()
    words = {"points": points_text(view), "total": exactly(view.total)}
    return (
        # Translators: points is a list of players with their points.
        _("Points now: %(points)s.") % words,
        # Translators: total is a number of points, such as 11 or 5.5.
        _("Total: %(total)s.") % words,
    )
