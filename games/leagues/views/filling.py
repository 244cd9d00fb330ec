"""What an organiser decides about people: who is in a season, who goes, who moves, and who takes a seat."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import present
from accounts.models import User
from accounts.post.outbox import delayed
from games.leagues.access import (
    get_organised_division,
    get_organised_entry,
    get_organised_season,
    get_organised_vacancy,
)
from games.leagues.commands.absence import expel
from games.leagues.commands.helping import play_on, seat_substitute
from games.leagues.commands.rulings import fill_gap, move_entry
from games.leagues.forms.importing import levels_of
from games.leagues.forms.ruling import MoveForm, SubstituteForm
from games.leagues.forms.words import ReasonForm
from games.leagues.models import Entry, Invited, Season, Vacancy
from games.leagues.needs import name_of
from games.leagues.overview.names import name_in, names_in
from games.leagues.overview.rulings import divisions_of, has_begun, helpers_of
from games.leagues.overview.running import OVER, Way
from games.leagues.views.acts import Act, act_page
from games.leagues.views.organising import person, read_or_send
from games.leagues.views.ruling import rulings_of


@require_safe
@login_required
def players(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Everybody in a season, by division, and whoever is invited to it."""
    found = get_organised_season(request, number, season)
    everybody, letters = divisions_of(found), dict(levels_of(found))
    divisions = [row for row in everybody if row.division]
    invited = list(found.invited.all())
    late = delayed(one.letter_key for one in invited if one.state == Invited.State.SENT)
    context = {
        "league": found.league,
        "season": found,
        "divisions": divisions,
        "others": [row for row in everybody if not row.division],
        "invited": [(one, letters.get(one.level or 0), one.letter_key in late) for one in invited],
        "helpers": helpers_of(found),
        "has_waiting": found.entries.filter(state=Entry.State.WAITING).exists(),
        "is_over": found.state in OVER,
        "may_move": len(divisions) > 1 and found.state == Season.State.RUNNING and not has_begun(found),
    }
    return render(request, "leagues/organise/players.html", context)


@read_or_send
@login_required
def expel_entry(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Somebody plays no more in a season."""
    found = get_organised_entry(request, number, pk)
    name = name_in(found.season.league_id, found.user)
    act = Act(
        _("Expel %(name)s from season %(number)d") % {"name": name, "number": found.season.number},
        (
            _("%(name)s plays no more in this season, nor helps in it, and is marked as expelled.")
            % {"name": name},
            _("At tables that are being played a bot plays at once, and somebody is sought for each seat."),
            _("%(name)s is told, with your reason. This cannot be taken back.") % {"name": name},
        ),
        _("Expel"),
        _("%(name)s is expelled.") % {"name": name},
        is_final=True,
    )
    form = ReasonForm(request.POST or None)

    def command() -> None:
        expel(found, person(request), form.cleaned_data["reason"])

    return act_page(request, found.season.league, act, form, command, players_of(found.season))


@read_or_send
@login_required
def move(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Somebody plays in another division."""
    found = get_organised_entry(request, number, pk)
    season, name = found.season, name_in(found.season.league_id, found.user)
    now_in = found.division.letter if found.division else _("none")
    act = Act(
        _("Move %(name)s to another division") % {"name": name},
        (
            _("%(name)s is in division %(division)s now.") % {"name": name, "division": now_in},
            _("He plays in the other division, which is possible until its first round has begun."),
            _("%(name)s is told, with your reason.") % {"name": name},
        ),
        _("Move"),
        _("%(name)s is moved.") % {"name": name},
    )
    divisions = [one for one in season.divisions.all() if one.pk != found.division_id]
    form = MoveForm(divisions, request.POST or None)

    def command() -> None:
        move_entry(found, person(request), form.cleaned_data["level"], form.cleaned_data["reason"])

    return act_page(request, season.league, act, form, command, players_of(season))


@read_or_send
@login_required
def fill(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Who has waited longest gets a free place of a division."""
    division = get_organised_division(request, number, pk)
    season = division.season
    act = Act(
        _("Fill a free place of division %(division)s") % {"division": division.letter},
        (
            _("Whoever has waited longest gets it, and plays from the next round on."),
            _("He is told, with your reason. The rounds before count as not played."),
        ),
        _("Fill the place"),
        _("The place is filled."),
    )
    form = ReasonForm(request.POST or None)

    def command() -> None:
        fill_gap(division, person(request), present.now(), form.cleaned_data["reason"])

    return act_page(request, season.league, act, form, command, players_of(season))


@read_or_send
@login_required
def give_seat(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """A seat for which somebody is sought goes to somebody who helps, or to the organiser."""
    found = get_organised_vacancy(request, number, pk)
    season = _season(found)
    act = Act(
        _("Give a seat at %(table)s to somebody") % {"table": name_of(found.table)},
        (
            *_why(found),
            _("He gets the seat with its hand, its notes and a whole reserve of time, whosever turn it was."),
            _("He is told, and nobody else is asked any more."),
        ),
        _("Give the seat"),
        _("The seat is taken."),
        others=(Way(_url("vacancy_bot", found), _("Leave it to its bot")),),
    )
    form = SubstituteForm(_willing(season, person(request)), request.POST or None)

    def command() -> None:
        user = User.objects.get(pk=form.cleaned_data["user"])
        seat_substitute(found, person(request), user, form.cleaned_data["reason"])

    return act_page(request, season.league, act, form, command, rulings_of(season))


@read_or_send
@login_required
def leave_to_bot(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """A seat for which somebody is sought stays the bot's."""
    found = get_organised_vacancy(request, number, pk)
    season = _season(found)
    act = Act(
        _("Leave a seat at %(table)s to its bot") % {"table": name_of(found.table)},
        (
            *_why(found),
            _("The bot plays there to the end of the game, and nobody is sought any more."),
            _("Whoever only stayed away may still come back."),
        ),
        _("Leave it to the bot"),
        _("The bot plays on."),
        others=(Way(_url("vacancy_give", found), _("Give it to somebody")),),
    )
    form = ReasonForm(request.POST or None)
    return act_page(
        request,
        season.league,
        act,
        form,
        lambda: play_on(found, person(request), form.cleaned_data["reason"]),
        rulings_of(season),
    )


def players_of(season: Season) -> str:
    """Where a season's people are listed for who runs it."""
    return reverse("season_players", args=[season.league_id, season.number])


def _willing(season: Season, organiser: User) -> list[tuple[int, str]]:
    helpers = season.substitutes.filter(stopped_at=None).exclude(user=organiser).select_related("user")
    names = names_in([season.league_id], [one.user for one in helpers])
    return [*names.items(), (organiser.pk, _("I myself"))]


def _why(vacancy: Vacancy) -> tuple[str, ...]:
    """Whose seat it was; nobody's name where nobody is to know who sat where."""
    if vacancy.left_by is None or vacancy.table.table.is_anonymous:
        return (_("Its player is not there."),)
    return (f"{name_in(_season(vacancy).league_id, vacancy.left_by)}: {vacancy.get_why_display()}.",)


def _url(name: str, vacancy: Vacancy) -> str:
    return reverse(name, args=[_season(vacancy).league_id, vacancy.pk])


def _season(vacancy: Vacancy) -> Season:
    return vacancy.table.round.division.season
