"""Pages on which an organiser decides about tables and open seats."""

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
from accounts.models import User
from accounts.times import day_element, with_times
from games.leagues.access import (
    get_organised,
    get_organised_open_seat,
    get_organised_season,
    get_organised_table,
)
from games.leagues.forms.league_forms import (
    AdjudicateForm,
    AwardForm,
    ExtendForm,
    MessageForm,
    PauseLeagueForm,
    ReasonForm,
    ReplaceForm,
    SubstituteForm,
)
from games.leagues.models import League, LeagueTable, OpenSeat, Season
from games.leagues.selectors.desk import desk, desk_row, position_of
from games.leagues.selectors.exact_numbers import exactly
from games.leagues.selectors.league_tables import points_as_played, points_text, table_view
from games.leagues.selectors.names_in_leagues import name_in, names_in
from games.leagues.selectors.organiser_dashboard import OrganiserLink
from games.leagues.selectors.organiser_lists import audiences, seats_by_name
from games.leagues.services.adjudication import (
    adjudicate_by_hand,
    award,
    extend_by_hand,
)
from games.leagues.services.desk import pause_league, remind_now, replace_seated, resume_league, write
from games.leagues.services.open_seats import play_on, seat_substitute, willing
from games.leagues.services.season_end import CORRECTABLE, is_correctable
from games.leagues.views.organising import Decision, decides, person
from games.narration.cast import and_list
from games.services import Refused


@require_safe
@login_required
def show_desk(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Show all tables of a season as spectators may know them, with what the organiser can do."""
    found = get_organised_season(request, number, season)
    context = {
        "league": found.league,
        "season": found,
        "desk": desk(found, clock.now()),
        "is_over": found.state != Season.State.RUNNING,
        "may_award": is_correctable(found),
        "corrections_end": found.closed_at and found.closed_at + CORRECTABLE,
    }
    return render(request, "leagues/organise/desk.html", context)


@require_POST
@login_required
def remind(request: HttpRequest, number: int, pk: int) -> HttpResponse:
    """Remind the players whose turn it is, and say who was reminded as far as everyone may know it."""
    found = get_organised_table(request, number, pk)
    try:
        names = remind_now(found, person(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        # Translators: names is a list of players, such as "Anna and Bruno"
        named, secret = _("You reminded %(names)s."), _("You reminded the players who are deciding.")
        messages.success(request, named % {"names": and_list(names)} if names else secret)
    return redirect(desk_of(_season_of_table(found)))


@decides(get_organised_table)
def replace(request: HttpRequest, found: LeagueTable) -> Decision:
    """Give a player's seat to someone else."""
    season = _season_of_table(found)
    return Decision(
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
            choices={"seat": _seated_people(found), "user": _not_seated(request, found, season)},
        ),
        act=lambda given: replace_seated(
            found, given["seat"], person(request), User.objects.get(pk=given["user"]), given["reason"]
        ),
        back=desk_of(season),
    )


def _not_seated(request: HttpRequest, found: LeagueTable, season: Season) -> list[tuple[int, str]]:
    """Return who can be offered a seat of the table; a second click names someone who has it by now."""
    willing = _willing(season, person(request))
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


@decides(get_organised_season)
def write_message(request: HttpRequest, found: Season) -> Decision:
    """Write to the players of a table or a division, or to everyone in the season."""
    targets = audiences(found)
    choices = {"to": [(key, one.words) for key, one in targets.items()]}
    return Decision(
        found.league,
        _("Write to players"),
        (_("We’ll email the message with your name, as each player’s notification settings say."),),
        _("Send the message"),
        _("You sent the message."),
        form=MessageForm(request.POST or None, choices=choices, initial={"to": request.GET.get("to", "")}),
        act=lambda given: write(found, person(request), targets[given["to"]].row, given["text"]),
        back=desk_of(found),
    )


# A pause of the whole league


@decides(get_organised)
def pause(request: HttpRequest, league: League) -> Decision:
    """Pause the whole league until a day."""
    resume_now = OrganiserLink(reverse("league_resume", args=[league.pk]), _("End the pause now"))
    return Decision(
        league,
        _("Pause the league"),
        (
            _("All clocks of its running tables stop, and the ends of tables move by as much."),
            _("No table begins, and no one is reminded. Players may still move."),
            _("We’ll email your reason to all players."),
        ),
        _("Pause the league"),
        _("You paused the league."),
        others=(resume_now,) if league.paused_until else (),
        form=PauseLeagueForm(request.POST or None, initial={"until": league.paused_until}),
        act=lambda given: pause_league(league, person(request), given["until"], given["reason"]),
    )


@decides(get_organised)
def resume(request: HttpRequest, league: League) -> Decision:
    """End the pause of the whole league now."""
    return Decision(
        league,
        _("End the pause"),
        (
            _("Clocks run again from now on, and tables begin as planned."),
            _("We’ll email your reason to all players."),
        ),
        _("End the pause"),
        _("You ended the pause."),
        form=ReasonForm(request.POST or None),
        act=lambda given: resume_league(league, person(request), given["reason"]),
    )


# Late and finished tables


@decides(get_organised_table)
def extend(request: HttpRequest, found: LeagueTable) -> Decision:
    """Extend a table."""
    season = _season_of_table(found)
    return Decision(
        season.league,
        _("Extend a table"),
        (
            *_end_of(found),
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


def _end_of(found: LeagueTable) -> tuple[str, ...]:
    if found.ends_at is None:
        return ()
    # Translators: ends is a date.
    return (with_times(_("The table currently ends on %(ends)s."), {"ends": day_element(found.ends_at)}),)


@decides(get_organised_table)
def adjudicate(request: HttpRequest, found: LeagueTable) -> Decision:
    """Adjudicate the game of a table as it is now."""
    season = _season_of_table(found)
    return Decision(
        season.league,
        _("Adjudicate a table"),
        (
            # Translators: names is a list of players, such as "Anna, Bruno and Carla".
            _("Players: %(names)s.") % {"names": and_list([name for _seat, name in seats_by_name(found)])},
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
            found, person(request), given["result"] == "regions", given["reason"]
        ),
        back=desk_of(season),
    )


@decides(get_organised_table)
def award_points(request: HttpRequest, found: LeagueTable) -> Decision:
    """Award a table's points, whatever was played."""
    season, is_awarded = _season_of_table(found), found.awards.exists()
    form = AwardForm(
        seats_by_name(found), points_as_played(found), request.POST or None, is_awarded=is_awarded
    )
    return Decision(
        season.league,
        _("Award points"),
        (
            *_points_now(found),
            _("The points you enter replace the points as played. An empty field keeps them."),
            *([_("Leave all fields empty to withdraw the award.")] if is_awarded else ()),
            _("The standings show that points were awarded, and the table’s page shows your reason."),
            *_if_over(season),
            _("We’ll email the players. A later award replaces this one."),
        ),
        _("Award points"),
        _("You withdrew the award.") if form.is_empty else _("You awarded the points."),
        subject=table_name(found),
        form=form,
        act=lambda given: award(found, person(request), form.points, given["reason"]),
        back=desk_of(season),
    )


def _if_over(season: Season) -> tuple[str, ...]:
    """Return what an award changes once the season is over, or that it's too late."""
    if season.closed_at is None:
        return ()
    words = {"until": day_element(season.closed_at + CORRECTABLE)}
    if not is_correctable(season):
        # Translators: until is a date.
        return (with_times(_("Results could be corrected until %(until)s. They are final now."), words),)
    return (
        _("The season is over. Its places, promotions and relegations are computed again."),
        _("The places reserved in the next season follow, unless its sign-up is over."),
        # Translators: until is a date.
        with_times(_("You can correct results until %(until)s."), words),
    )


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


def desk_of(season: Season) -> str:
    """Return the path of a season's desk."""
    return reverse("season_desk", args=[season.league_id, season.number])


def _season_of_table(table: LeagueTable) -> Season:
    return table.round.division.season


# Open seats


@decides(get_organised_open_seat)
def give_seat(request: HttpRequest, found: OpenSeat) -> Decision:
    """Give an open seat to a substitute or to the organiser."""
    season = _season(found)
    return Decision(
        season.league,
        _("Give a seat to a substitute"),
        (
            _why(found),
            _("The substitute gets the seat’s hand and notes, and a full reserve of time."),
            _("We’ll email them, and stop asking other substitutes."),
        ),
        _("Give the seat"),
        _("You gave the seat to a substitute."),
        subject=table_name(found.table),
        others=(OrganiserLink(_url("open_seat_bot", found), _("Leave the seat to the bot")),),
        form=SubstituteForm(request.POST or None, choices={"user": _willing(season, person(request))}),
        act=lambda given: seat_substitute(
            found, person(request), User.objects.get(pk=given["user"]), given["reason"]
        ),
        back=desk_of(season),
    )


@decides(get_organised_open_seat)
def leave_to_bot(request: HttpRequest, found: OpenSeat) -> Decision:
    """Leave an open seat to the bot until the end of the game."""
    season = _season(found)
    return Decision(
        season.league,
        _("Leave a seat to the bot"),
        (
            _why(found),
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


def _willing(season: Season, organiser: User) -> list[tuple[int, str]]:
    names = names_in([season.league_id], [one for one in willing(season) if one != organiser])
    return [*names.items(), (organiser.pk, pgettext("as the substitute for a seat", "You"))]


def _why(open_seat: OpenSeat) -> str:
    """Return whose seat it was and why it is open; no name at an anonymous table."""
    if open_seat.left_by is None or open_seat.table.game_table.is_anonymous:
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
