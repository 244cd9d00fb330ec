"""Pages on which an organiser invites players, makes decisions and fills seats."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from accounts import clock
from accounts.mail.outbox import delayed
from accounts.models import User
from accounts.times import day_element, with_times
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
from games.leagues.selectors.league_tables import points_as_played, points_text, table_view
from games.leagues.selectors.organiser_dashboard import Way
from games.leagues.selectors.text import exactly, name_in, names_in
from games.leagues.services import invitations
from games.leagues.services.adjudication import (
    adjudicate_by_hand,
    award,
    extend_by_hand,
    move_entry,
)
from games.leagues.services.invitations import BadRows
from games.leagues.services.open_seats import play_on, seat_substitute
from games.leagues.services.withdrawals import expel, fill_gap
from games.leagues.views.organising import ConfirmAction, confirm_page, person, read_or_send, show_form
from games.narration.cast import and_list
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
        messages.success(request, _("You invited %(email)s.") % {"email": email})


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
            said = ngettext("You invited %(n)d player.", "You invited %(n)d players.", count)
            messages.success(request, said % {"n": count})
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
        messages.success(request, _("You withdrew the invitation."))
    return redirect("season_players", number, found.season.number)


# Rounds and tables. Each decision has a page that first shows its effects.


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
    words: dict[str, str | int] = {
        "round": found.number,
        "division": found.division.letter,
        "ends": day_element(found.ends_at),
    }
    act = ConfirmAction(
        # Translators: round is a number; division is a letter of the alphabet.
        _("Extend round %(round)d of division %(division)s") % words,
        (
            # Translators: ends is a date.
            with_times(_("The round currently ends on %(ends)s."), words),
            _("All its tables get the extra days."),
            _("We’ll email your reason to the players who are still playing."),
        ),
        _("Extend the round"),
        _("You extended the round."),
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
        _("Adjudicate a table"),
        (
            # Translators: names is a list of players, such as "Anna, Bruno and Carla".
            _("Players: %(names)s.") % {"names": and_list([name for _seat, name in seats_by_name(found)])},
            _("The game ends now, and its result counts. Choose below whether anyone wins."),
            _("If no one wins, all players share the points of all places equally."),
            _("We’ll email your reason to all its players."),
            _("You can’t undo this."),
        ),
        _("End the game"),
        _("You ended the game."),
        subject=table_name(found),
        is_final=True,
        others=(Way(_extend_url(found.round), _("Extend the round")),),
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
        _("Award points"),
        (
            *_points_now(found),
            _("The points you enter replace the points as played. An empty field keeps them."),
            _("The standings show that points were awarded, and the table’s page shows your reason."),
            _("We’ll email the players. A later award replaces this one."),
        ),
        _("Award points"),
        _("You awarded the points."),
        subject=table_name(found),
    )
    form = AwardForm(seats_by_name(found), points_as_played(found), request.POST or None)

    def command() -> None:
        award(found, person(request), form.points, form.cleaned_data["reason"])

    return confirm_page(request, season.league, act, form, command, rulings_of(season))


def _points_now(found: LeagueTable) -> tuple[str, ...]:
    """Return the table's points so far, once its result is counted."""
    view = table_view(found)
    if view.facts is None:
        return ()
    words = {"points": points_text(view), "total": exactly(view.total)}
    return (
        # Translators: points is a list of players with their points.
        _("Points now: %(points)s.") % words,
        # Translators: total is a number of points, such as 11 or 5.5.
        _("Total: %(total)s.") % words,
    )


def table_name(row: LeagueTable) -> str:
    """Return where a table belongs, for the line below a page's heading."""
    words = {"table": row.number, "round": row.round.number, "division": row.round.division.letter}
    if _season_of_table(row).most_divisions == 1:
        # Translators: round and table are numbers.
        return _("Round %(round)d, table %(table)d") % words
    # Translators: division is a letter of the alphabet; round and table are numbers.
    return _("Division %(division)s, round %(round)d, table %(table)d") % words


def rulings_of(season: Season) -> str:
    """Return the path of the list of a season's rounds and tables."""
    return reverse("season_rulings", args=[season.league_id, season.number])


def _extend_url(found: Round) -> str:
    return reverse("round_extend", args=[found.division.season.league_id, found.pk])


def _season_of_table(table: LeagueTable) -> Season:
    return table.round.division.season


# Players and open seats


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
        "is_over": found.state in Season.OVER,
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
        # Translators: name is a player; number is the season's.
        _("Expel %(name)s from season %(number)d") % {"name": name, "number": found.season.number},
        (
            # Translators: name is a player.
            _("%(name)s can no longer play or substitute in this season, and is marked as expelled.")
            % {"name": name},
            _("At tables in progress, a bot takes over at once. We ask substitutes to take each seat."),
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
            _("You can’t undo this."),
        ),
        _("Expel the player"),
        # Translators: name is a player.
        _("You expelled %(name)s.") % {"name": name},
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
    act = ConfirmAction(
        # Translators: name is a player.
        _("Move %(name)s to another division") % {"name": name},
        (
            *_division_now(found, name),
            _("You can only move players until the first round begins."),
            # Translators: name is a player.
            _("We’ll email your reason to %(name)s.") % {"name": name},
        ),
        _("Move the player"),
        # Translators: name is a player.
        _("You moved %(name)s to another division.") % {"name": name},
    )
    divisions = [one for one in season.divisions.all() if one.pk != found.division_id]
    form = MoveForm(divisions, request.POST or None)

    def command() -> None:
        move_entry(found, person(request), form.cleaned_data["level"], form.cleaned_data["reason"])

    return confirm_page(request, season.league, act, form, command, players_of(season))


def _division_now(entry: Registration, name: str) -> tuple[str, ...]:
    """Return the division that the player is in, if any."""
    if entry.division is None:
        return ()
    words = {"name": name, "division": entry.division.letter}
    # Translators: name is a player; division is a letter of the alphabet.
    return (_("%(name)s is in division %(division)s now.") % words,)


@read_or_send
@login_required
def fill(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Fill a free place of a division with the player who has waited longest."""
    division = get_organised_division(request, number, pk)
    season = division.season
    act = ConfirmAction(
        # Translators: division is a letter of the alphabet.
        _("Fill a free place in division %(division)s") % {"division": division.letter},
        (
            _("The first player on the waiting list takes the place and plays from the next round."),
            _("Earlier rounds count as not played for them."),
            _("We’ll email them your reason."),
        ),
        _("Fill the place"),
        _("You filled the place."),
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
        _("Give a seat to a substitute"),
        (
            _why(found),
            _("The substitute gets the seat’s hand and notes, and a full reserve of time."),
            _("We’ll email them, and stop asking other substitutes."),
        ),
        _("Give the seat"),
        _("You gave the seat to a substitute."),
        subject=table_name(found.table),
        others=(Way(_url("open_seat_bot", found), _("Leave the seat to the bot")),),
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
        _("Leave a seat to the bot"),
        (
            _why(found),
            _("The bot plays until the end of the game, and we stop asking substitutes."),
            _("A player who is only away can still come back."),
        ),
        _("Leave the seat to the bot"),
        _("You left the seat to the bot."),
        subject=table_name(found.table),
        others=(Way(_url("open_seat_give", found), _("Give the seat to a substitute")),),
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
    return [*names.items(), (organiser.pk, pgettext("as the substitute for a seat", "You"))]


def _why(open_seat: OpenSeat) -> str:
    """Return whose seat it was and why it is open; no name at an anonymous table."""
    if open_seat.left_by is None or open_seat.table.table.is_anonymous:
        return _("The seat has no player now.")
    name = name_in(_season(open_seat).league_id, open_seat.left_by)
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
    return reverse(name, args=[_season(open_seat).league_id, open_seat.pk])


def _season(open_seat: OpenSeat) -> Season:
    return open_seat.table.round.division.season
