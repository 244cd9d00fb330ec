"""What an organiser decides about rounds and tables: each on a page that shows what follows."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.leagues.access import get_organised_round, get_organised_season, get_organised_table
from games.leagues.commands.rulings import adjudicate_by_hand, award, extend_by_hand
from games.leagues.forms.ruling import AdjudicateForm, AwardForm, ExtendForm
from games.leagues.models import LeagueTable, Round, Season
from games.leagues.needs import name_of
from games.leagues.overview.explaining import in_points
from games.leagues.overview.outlook import day
from games.leagues.overview.rulings import rounds_of, seats_by_name, vacancies_of
from games.leagues.overview.running import Way
from games.leagues.overview.tables import points_as_played, points_told, table_view
from games.leagues.views.acts import Act, act_page
from games.leagues.views.organising import person, read_or_send
from games.telling.narration import and_list


@require_safe
@login_required
def rulings(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """All rounds and tables that have begun, and the seats for which somebody is sought."""
    found = get_organised_season(request, number, season)
    context = {
        "league": found.league,
        "season": found,
        "rounds": rounds_of(found),
        "vacancies": vacancies_of(found),
        "is_over": found.state != Season.State.RUNNING,
    }
    return render(request, "leagues/organise/rulings.html", context)


@read_or_send
@login_required
def extend(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """A round ends later."""
    found = get_organised_round(request, number, pk)
    season = found.division.season
    words = {"round": found.number, "division": found.division.letter, "ends": day(found.ends_at)}
    act = Act(
        _("Give round %(round)d of division %(division)s more time") % words,
        (
            _("It ends on %(ends)s so far: tables that still play then are extended or decided.") % words,
            _("All its tables get the days you name; its players are told, with your reason."),
        ),
        _("Give more time"),
        _("The round has more time."),
    )
    form = ExtendForm(request.POST or None)

    def command() -> None:
        extend_by_hand(found, person(request), form.cleaned_data["days"], form.cleaned_data["reason"])

    return act_page(request, season.league, act, form, command, rulings_of(season))


@read_or_send
@login_required
def adjudicate(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """A table's game is ended as it stands."""
    found = get_organised_table(request, number, pk)
    season = _season(found)
    act = Act(
        _("Adjudicate %(table)s") % {"table": name_of(found)},
        (
            _("Its players: %(names)s.")
            % {"names": and_list([name for _seat, name in seats_by_name(found)])},
            _("Its game ends as it stands, and counts. The players with most regions win, or nobody does."),
            _("Where nobody wins, all players share the points of all places equally."),
            _("All its players are told, with your reason. This cannot be taken back."),
        ),
        _("End the game"),
        _("The game is over."),
        is_final=True,
        others=(Way(_extend_url(found.round), _("Give its round more time")),),
    )
    form = AdjudicateForm(request.POST or None)

    def command() -> None:
        adjudicate_by_hand(found, person(request), form.with_winner, form.cleaned_data["reason"])

    return act_page(request, season.league, act, form, command, rulings_of(season))


@read_or_send
@login_required
def award_points(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """A table's points are set, whatever was played."""
    found = get_organised_table(request, number, pk)
    season = _season(found)
    act = Act(
        _("Award the points of %(table)s") % {"table": name_of(found)},
        (
            *_as_it_stands(found),
            _("The points you type count instead of those that were played; an empty field leaves them."),
            _("The standing shows that they were awarded, and the table's page your reason."),
            _("Its players are told. A later award takes the place of this one."),
        ),
        _("Award the points"),
        _("The points are awarded."),
    )
    form = AwardForm(seats_by_name(found), points_as_played(found), request.POST or None)

    def command() -> None:
        award(found, person(request), form.points, form.cleaned_data["reason"])

    return act_page(request, season.league, act, form, command, rulings_of(season))


def _as_it_stands(found: LeagueTable) -> tuple[str, ...]:
    """What the table has brought so far, once it is counted."""
    view = table_view(found)
    if view.facts is None:
        return ()
    words = {"points": points_told(view), "total": in_points(view.total)}
    return (_("As it stands: %(points)s; %(total)s in all.") % words,)


def rulings_of(season: Season) -> str:
    """Where a season's rounds and tables are listed for who runs it."""
    return reverse("season_rulings", args=[season.league_id, season.number])


def _extend_url(found: Round) -> str:
    return reverse("round_extend", args=[found.division.season.league_id, found.pk])


def _season(table: LeagueTable) -> Season:
    return table.round.division.season
