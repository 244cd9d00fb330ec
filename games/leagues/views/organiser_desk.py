"""The organiser's desk: all tables of a season, reminders and messages."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_POST, require_safe

from accounts import clock
from games.leagues.access import get_assisted_season, get_assisted_table
from games.leagues.forms.table_forms import OrganiserMessageForm
from games.leagues.models import LeagueTable, Season
from games.leagues.selectors.concern_texts import concern_lines
from games.leagues.selectors.desk import desk
from games.leagues.selectors.organiser_lists import audiences
from games.leagues.services.organiser_messages import write_to_players
from games.leagues.services.permissions import is_organiser
from games.leagues.services.season_end import corrections_end, is_correctable
from games.leagues.services.table_reminders import remind_now
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person
from games.narration.cast import and_list
from games.services import Refused


@require_safe
@login_required
def show_desk(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Show all tables of a season as spectators may know them, with what the reader can do."""
    found, now = get_assisted_season(request, number, season), clock.now()
    runs = is_organiser(found.league, person(request))
    context = {
        "league": found.league,
        "season": found,
        "desk": desk(found, now),
        "is_organiser": runs,
        "told": concern_lines(found.league, person(request), now, found) if runs else (),
        "is_over": found.state != Season.State.RUNNING,
        "may_award": runs and is_correctable(found),
        "corrections_end": corrections_end(found),
    }
    return render(request, "leagues/organise/desk.html", context)


@require_POST
@login_required
def remind(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Remind the players whose turn it is.

    The message afterwards names them, unless it is secret whose turn it is.
    """
    found = get_assisted_table(request, number, pk)
    try:
        names = remind_now(found, person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        # Translators: names is a list of players, such as "Anna and Bruno"
        named, secret = _("You reminded %(names)s."), _("You reminded the players who are deciding.")
        messages.success(request, named % {"names": and_list(names)} if names else secret)
    return redirect(desk_of(season_of_table(found)))


@decides(get_assisted_season)
def write_message(request: HttpRequest, found: Season) -> OrganiserDecision:
    """Write to the players of a table or a division, or to everyone in the season."""
    targets = audiences(found)
    choices = {"to": [(key, one.words) for key, one in targets.items()]}
    return OrganiserDecision(
        found.league,
        _("Write to players"),
        (_("We’ll email the message with your name, as each player’s notification settings say."),),
        _("Send the message"),
        _("You sent the message."),
        form=OrganiserMessageForm(
            request.POST or None, choices=choices, initial={"to": request.GET.get("to", "")}
        ),
        act=lambda given: write_to_players(found, person(request), targets[given["to"]].row, given["text"]),
        back=desk_of(found),
    )


def table_name(row: LeagueTable) -> str:
    """Return a table's number with its round and division, for the line below a page's heading."""
    if row.round.is_final:
        return pgettext("table", "Final")
    words = {"table": row.number, "round": row.round.number, "division": row.round.division.letter}
    if season_of_table(row).most_divisions == 1:
        # Translators: round and table are numbers.
        return _("Round %(round)d, table %(table)d") % words
    # Translators: division is a letter of the alphabet; round and table are numbers.
    return _("Division %(division)s, round %(round)d, table %(table)d") % words


def desk_of(season: Season) -> str:
    """Return the path of a season's desk."""
    return reverse("season_desk", args=[season.league_id, season.number])


def season_of_table(table: LeagueTable) -> Season:
    """Return the season in which the table is played."""
    return table.round.division.season
