"""Pages on which an organiser decides who plays a seat."""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts import clock
from accounts.models import User
from games.leagues.access import get_organised_open_seat, get_organised_table
from games.leagues.forms.league_fields import ReasonForm
from games.leagues.forms.table_forms import ReplaceForm, SubstituteForm
from games.leagues.models import LeagueTable, OpenSeat, Season
from games.leagues.selectors.desk import desk_row
from games.leagues.selectors.names_in_leagues import name_in, names_in
from games.leagues.selectors.organiser_links import OrganiserLink
from games.leagues.services.seat_decisions import play_on, replace_seated, seat_substitute, willing
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person
from games.leagues.views.organiser_desk import desk_of, season_of_table, table_name


@decides(get_organised_table)
def replace(request: HttpRequest, found: LeagueTable) -> OrganiserDecision:
    """Give a player's seat to someone else."""
    season = season_of_table(found)
    return OrganiserDecision(
        season.league,
        _("Replace a player"),
        (
            _("The new player gets the seat’s hand, and a full reserve of time."),
            _("The other player leaves this table but stays in the season."),
            _("We’ll email your reason to both."),
        ),
        _("Replace the player"),
        _("You replaced the player."),
        subject=table_name(found),
        form=ReplaceForm(
            request.POST or None,
            choices={"seat": _seated_people(found), "user": _people_not_seated(request, found, season)},
        ),
        act=lambda given: replace_seated(
            found, given["seat"], person(request), User.objects.get(pk=given["user"]), given["reason"]
        ),
        back=desk_of(season),
    )


def _people_not_seated(request: HttpRequest, found: LeagueTable, season: Season) -> list[tuple[int, str]]:
    """Return who can be offered a seat of the table; a second click names someone who has it by now."""
    willing = _choices_of_substitutes(season, person(request))
    if request.method == "POST" or found.table is None:
        return willing
    seated = {seat.user_id for seat in found.table.all_seats() if not seat.played_by}
    return [(pk, name) for pk, name in willing if pk not in seated]


def _seated_people(found: LeagueTable) -> list[tuple[int, str]]:
    """Return the seats that people play, by name; none at an anonymous table, whose seats are secret."""
    if found.table is None or found.table.is_anonymous:
        return []
    row = desk_row(found, clock.now())
    return [(seat.number, row.names[seat.number]) for seat in found.table.all_seats() if not seat.played_by]


@decides(get_organised_open_seat)
def give_seat(request: HttpRequest, found: OpenSeat) -> OrganiserDecision:
    """Give an open seat to a substitute or to the organiser."""
    season = _season_of(found)
    return OrganiserDecision(
        season.league,
        _("Give a seat to a substitute"),
        (
            _why_open(found),
            _("The substitute gets the seat’s hand and notes, and a full reserve of time."),
            _("We’ll email them, and stop asking other substitutes."),
        ),
        _("Give the seat"),
        _("You gave the seat to a substitute."),
        subject=table_name(found.table),
        others=(OrganiserLink(_url("open_seat_bot", found), _("Leave the seat to the bot")),),
        form=SubstituteForm(
            request.POST or None, choices={"user": _choices_of_substitutes(season, person(request))}
        ),
        act=lambda given: seat_substitute(
            found, person(request), User.objects.get(pk=given["user"]), given["reason"]
        ),
        back=desk_of(season),
    )


@decides(get_organised_open_seat)
def leave_to_bot(request: HttpRequest, found: OpenSeat) -> OrganiserDecision:
    """Leave an open seat to the bot until the end of the game."""
    season = _season_of(found)
    return OrganiserDecision(
        season.league,
        _("Leave a seat to the bot"),
        (
            _why_open(found),
            _("The bot plays until the end of the game, and we stop asking substitutes."),
            _("A player who is only away can still come back."),
        ),
        _("Leave the seat to the bot"),
        _("You left the seat to the bot."),
        subject=table_name(found.table),
        others=(OrganiserLink(_url("open_seat_give", found), _("Give the seat to a substitute")),),
        form=ReasonForm(request.POST or None),
        act=lambda given: play_on(found, person(request), given["reason"]),
        back=desk_of(season),
    )


def _choices_of_substitutes(season: Season, organiser: User) -> list[tuple[int, str]]:
    names = names_in([season.league_id], [one for one in willing(season) if one != organiser])
    return [*names.items(), (organiser.pk, pgettext("as the substitute for a seat", "You"))]


def _why_open(open_seat: OpenSeat) -> str:
    """Return whose seat it was and why it is open; no name at an anonymous table."""
    if open_seat.left_by is None or open_seat.table.game_table.is_anonymous:
        return _("The seat has no player now.")
    name = name_in(_season_of(open_seat).league_id, open_seat.left_by)
    match OpenSeat.Why(open_seat.why):
        case OpenSeat.Why.AWAY:
            # Translators: name is a player who missed several turns.
            sentence = _("%(name)s is away.")
        case OpenSeat.Why.WITHDRAWN:
            # Translators: name is a player.
            sentence = _("%(name)s withdrew from the season.")
        case OpenSeat.Why.EXPELLED:
            # Translators: name is a player.
            sentence = _("%(name)s was expelled from the season.")
        case OpenSeat.Why.LEFT:
            # Translators: name is a substitute.
            sentence = _("%(name)s gave up the seat.")
    return sentence % {"name": name}


def _url(name: str, open_seat: OpenSeat) -> str:
    return reverse(name, args=[_season_of(open_seat).league_id, open_seat.pk])


def _season_of(open_seat: OpenSeat) -> Season:
    return open_seat.table.round.division.season
