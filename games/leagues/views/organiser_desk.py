"""Pages on which an organiser invites players, makes decisions and fills seats."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts import clock
from accounts.mail.outbox import delayed
from accounts.models import User
from accounts.times import day
from accounts.views import name_required
from games.leagues.access import (
    get_organised_division,
    get_organised_invitation,
    get_organised_open_seat,
    get_organised_registration,
    get_organised_round,
    get_organised_season,
    get_organised_table,
)
from games.leagues.forms.league_forms import (
    AdjudicateForm,
    AwardForm,
    ExtendForm,
    ImportForm,
    InviteForm,
    MoveForm,
    ReasonForm,
    SubstituteForm,
    levels_of,
)
from games.leagues.models import Invitation, LeagueTable, OpenSeat, Registration, Round, Season
from games.leagues.selectors.league_log import (
    divisions_of,
    has_begun,
    helpers_of,
    open_seats_of,
    rounds_of,
    seats_by_name,
)
from games.leagues.selectors.league_tables import points_as_played, points_told, table_view
from games.leagues.selectors.organiser_dashboard import OVER, Way
from games.leagues.selectors.organiser_tasks import name_of
from games.leagues.selectors.standings import in_points
from games.leagues.selectors.text import name_in, names_in
from games.leagues.services import invitations
from games.leagues.services.adjudication import (
    adjudicate_by_hand,
    award,
    extend_by_hand,
    fill_gap,
    move_entry,
)
from games.leagues.services.invitations import BadRows
from games.leagues.services.substitutes import play_on, seat_substitute
from games.leagues.services.withdrawals import expel
from games.leagues.views.organising import ConfirmAction, confirm_page, person, read_or_send, show_form
from games.narration.moves import and_list
from games.services import Refused


@read_or_send
@login_required
@name_required
def invite(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Invite several people, with an error for each address that can't be invited."""
    found = get_organised_season(request, number, season)
    form = InviteForm(found, request.POST or None)
    if request.method == "POST" and form.is_valid():
        for email, name in form.cleaned_data["invited"].items():
            _invite(request, found, email, form.cleaned_data.get("level"), name)
        return redirect("season_players", number, season)
    return show_form(request, "leagues/organise/invite.html", form, league=found.league, season=found)


def _invite(request: HttpRequest, season: Season, email: str, level: int | None, name: str) -> None:
    try:
        invitations.invite(season, person(request), email, level, name)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("%(email)s is invited.") % {"email": email})


@read_or_send
@login_required
@name_required
def import_list(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Invite everyone on a list, or no one if any line is wrong.

    Errors are shown by line, and the list stays in the form.
    """
    found = get_organised_season(request, number, season)
    form = ImportForm(request.POST or None, request.FILES or None)
    wrong: tuple[tuple[int, str], ...] = ()
    if request.method == "POST" and form.is_valid():
        try:
            count = invitations.import_players(found, person(request), form.list)
        except BadRows as bad:
            wrong = bad.errors
            form = _to_mend(form)
        except Refused as refused:
            form.add_error(None, str(refused))
        else:
            told = ngettext("%(n)d player is invited.", "%(n)d players are invited.", count)
            messages.success(request, told % {"n": count})
            return redirect("season_players", number, season)
    context = {"league": found.league, "season": found, "wrong": wrong}
    return show_form(request, "leagues/organise/import.html", form, status=400 if wrong else None, **context)


def _to_mend(form: ImportForm) -> ImportForm:
    """Return the form with the list as text to correct, even if it was uploaded as a file."""
    return ImportForm(initial={"text": form.text_to_mend})


@require_POST
@login_required
def withdraw(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Withdraw an invitation that has not been answered."""
    found = get_organised_invitation(request, number, pk)
    try:
        invitations.withdraw_invitation(found, person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("The invitation is withdrawn."))
    return redirect("season_players", number, found.season.number)


# # Rounds and tables. Each decision has a page that first shows its effects.


@require_safe
@login_required
def rulings(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """List all rounds and tables that have begun, and the open seats."""
    found = get_organised_season(request, number, season)
    context = {
        "league": found.league,
        "season": found,
        "rounds": rounds_of(found),
        "open_seats": open_seats_of(found),
        "is_over": found.state != Season.State.RUNNING,
    }
    return render(request, "leagues/organise/rulings.html", context)


@read_or_send
@login_required
def extend(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Extend a round."""
    found = get_organised_round(request, number, pk)
    season = found.division.season
    words = {"round": found.number, "division": found.division.letter, "ends": day(found.ends_at)}
    act = ConfirmAction(
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

    return confirm_page(request, season.league, act, form, command, rulings_of(season))


@read_or_send
@login_required
def adjudicate(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Adjudicate the game of a table as it is now."""
    found = get_organised_table(request, number, pk)
    season = _season_of_table(found)
    act = ConfirmAction(
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

    return confirm_page(request, season.league, act, form, command, rulings_of(season))


@read_or_send
@login_required
def award_points(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Award a table's points, whatever was played."""
    found = get_organised_table(request, number, pk)
    season = _season_of_table(found)
    act = ConfirmAction(
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

    return confirm_page(request, season.league, act, form, command, rulings_of(season))


def _as_it_stands(found: LeagueTable) -> tuple[str, ...]:
    """Return the table's points so far, once its result is counted."""
    view = table_view(found)
    if view.facts is None:
        return ()
    words = {"points": points_told(view), "total": in_points(view.total)}
    return (_("As it stands: %(points)s; %(total)s in all.") % words,)


def rulings_of(season: Season) -> str:
    """Return the path of the list of a season's rounds and tables."""
    return reverse("season_rulings", args=[season.league_id, season.number])


def _extend_url(found: Round) -> str:
    return reverse("round_extend", args=[found.division.season.league_id, found.pk])


def _season_of_table(table: LeagueTable) -> Season:
    return table.round.division.season


# # Players and open seats


@require_safe
@login_required
def players(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """List everyone in a season by division, and everyone invited."""
    found = get_organised_season(request, number, season)
    everybody, emails = divisions_of(found), dict(levels_of(found))
    divisions = [row for row in everybody if row.division]
    invited = list(found.invited.all())
    late = delayed(one.email_key for one in invited if one.state == Invitation.State.SENT)
    context = {
        "league": found.league,
        "season": found,
        "divisions": divisions,
        "others": [row for row in everybody if not row.division],
        "invited": [(one, emails.get(one.level or 0), one.email_key in late) for one in invited],
        "helpers": helpers_of(found),
        "has_waiting": found.entries.filter(state=Registration.State.WAITING).exists(),
        "is_over": found.state in OVER,
        "may_move": len(divisions) > 1 and found.state == Season.State.RUNNING and not has_begun(found),
    }
    return render(request, "leagues/organise/players.html", context)


@read_or_send
@login_required
def expel_entry(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Expel a player from a season."""
    found = get_organised_registration(request, number, pk)
    name = name_in(found.season.league_id, found.user)
    act = ConfirmAction(
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

    return confirm_page(request, found.season.league, act, form, command, players_of(found.season))


@read_or_send
@login_required
def move(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Move a player to another division."""
    found = get_organised_registration(request, number, pk)
    season, name = found.season, name_in(found.season.league_id, found.user)
    now_in = found.division.letter if found.division else _("none")
    act = ConfirmAction(
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

    return confirm_page(request, season.league, act, form, command, players_of(season))


@read_or_send
@login_required
def fill(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Fill a free place of a division with the player who has waited longest."""
    division = get_organised_division(request, number, pk)
    season = division.season
    act = ConfirmAction(
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
        fill_gap(division, person(request), clock.now(), form.cleaned_data["reason"])

    return confirm_page(request, season.league, act, form, command, players_of(season))


@read_or_send
@login_required
def give_seat(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Give an open seat to a substitute or to the organiser."""
    found = get_organised_open_seat(request, number, pk)
    season = _season(found)
    act = ConfirmAction(
        _("Give a seat at %(table)s to somebody") % {"table": name_of(found.table)},
        (
            *_why(found),
            _("He gets the seat with its hand, its notes and a whole reserve of time, whosever turn it was."),
            _("He is told, and nobody else is asked any more."),
        ),
        _("Give the seat"),
        _("The seat is taken."),
        others=(Way(_url("open_seat_bot", found), _("Leave it to its bot")),),
    )
    form = SubstituteForm(_willing(season, person(request)), request.POST or None)

    def command() -> None:
        user = User.objects.get(pk=form.cleaned_data["user"])
        seat_substitute(found, person(request), user, form.cleaned_data["reason"])

    return confirm_page(request, season.league, act, form, command, rulings_of(season))


@read_or_send
@login_required
def leave_to_bot(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Leave an open seat to the bot until the end of the game."""
    found = get_organised_open_seat(request, number, pk)
    season = _season(found)
    act = ConfirmAction(
        _("Leave a seat at %(table)s to its bot") % {"table": name_of(found.table)},
        (
            *_why(found),
            _("The bot plays there to the end of the game, and nobody is sought any more."),
            _("Whoever only stayed away may still come back."),
        ),
        _("Leave it to the bot"),
        _("The bot plays on."),
        others=(Way(_url("open_seat_give", found), _("Give it to somebody")),),
    )
    form = ReasonForm(request.POST or None)
    return confirm_page(
        request,
        season.league,
        act,
        form,
        lambda: play_on(found, person(request), form.cleaned_data["reason"]),
        rulings_of(season),
    )


def players_of(season: Season) -> str:
    """Return the path of the list of a season's players."""
    return reverse("season_players", args=[season.league_id, season.number])


def _willing(season: Season, organiser: User) -> list[tuple[int, str]]:
    helpers = season.substitutes.filter(stopped_at=None).exclude(user=organiser).select_related("user")
    names = names_in([season.league_id], [one.user for one in helpers])
    return [*names.items(), (organiser.pk, _("I myself"))]


def _why(open_seat: OpenSeat) -> tuple[str, ...]:
    """Return whose seat it was and why it is open; no name at an anonymous table."""
    if open_seat.left_by is None or open_seat.table.table.is_anonymous:
        return (_("Its player is not there."),)
    return (f"{name_in(_season(open_seat).league_id, open_seat.left_by)}: {open_seat.get_why_display()}.",)


def _url(name: str, open_seat: OpenSeat) -> str:
    return reverse(name, args=[_season(open_seat).league_id, open_seat.pk])


def _season(open_seat: OpenSeat) -> Season:
    return open_seat.table.round.division.season
