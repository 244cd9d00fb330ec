"""What signed-in players do in a season: sign up, confirm, leave, withdraw and offer to substitute.

Each action is a POST to its own URL. The message afterwards says what comes next.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.characters import cut
from accounts.models import User
from games.leagues.access import get_season
from games.leagues.models import Registration, Season
from games.leagues.models.substitutes import LONGEST_NOTE
from games.leagues.selectors.next_steps import waiting_list_text, what_comes_next
from games.leagues.services import registration, skipping, substitutes, withdrawals
from games.leagues.services.league_texts import LONGEST_REASON
from games.services import Refused

JoiningAction = Callable[[HttpRequest, Season, User], str]


def about_season(act: JoiningAction) -> Callable[[HttpRequest, int, int], HttpResponse]:
    """Make a POST view for a signed-in player from an action on one season.

    The message shown is the action's return value, or the reason for a refusal.
    """

    @wraps(act)
    @require_POST
    @login_required
    def done(request: HttpRequest, number: int, season: int) -> HttpResponse:
        access, found = get_season(request, number, season)
        assert access.user is not None
        try:
            messages.success(request, act(request, found, access.user))
        except Refused as refused:
            messages.error(request, str(refused))
        return redirect("season", number, season)

    return done


@about_season
def sign_up(request: HttpRequest, season: Season, user: User) -> str:
    """Sign up for a place, or for the waiting list if all are taken; or ask to join."""
    entry = registration.sign_up(season, user, request.POST.get("answer", ""))
    return _with_next_step(_signed_up_text(entry), entry)


def _signed_up_text(entry: Registration) -> str:
    if entry.state == Registration.State.REQUESTED:
        return _("You asked to join.")
    if entry.state == Registration.State.WAITING:
        return waiting_list_text(entry.season)
    return _("You signed up.")


@about_season
def confirm(request: HttpRequest, season: Season, user: User) -> str:
    """Confirm that the player will play."""
    entry = registration.confirm(_get_own_entry(season, user))
    return _with_next_step(_("You confirmed that you’ll play."), entry)


@about_season
def leave(request: HttpRequest, season: Season, user: User) -> str:
    """Leave a season that has not begun."""
    registration.leave_season(season, user)
    return _("You left the season. You can sign up again while sign-up is open.")


@about_season
def skip(request: HttpRequest, season: Season, user: User) -> str:
    """Skip the player's next table, named by its round, or undo that."""
    return _skip_or_undo(_get_own_entry(season, user), request.POST)


def _skip_or_undo(entry: Registration, data: QueryDict) -> str:
    """Skip the table of the round that was sent, or undo it; return what to say."""
    sent = str(data.get("round", ""))
    number = int(sent) if sent.isdecimal() else 0
    if data.get("action") == "undo-skip":
        skipping.undo_skip(entry, number)
        return _("You play your next table after all.")
    skipping.skip(entry, number)
    return _("You skip your next table. You can undo this until it begins.")


@about_season
def withdraw(request: HttpRequest, season: Season, user: User) -> str:
    """Withdraw from a running season.

    Only the substitutes who take the seats see the note.
    """
    withdrawals.withdraw(
        _get_own_entry(season, user),
        note=cut(request.POST.get("note", "").strip(), LONGEST_NOTE),
        reason=cut(request.POST.get("reason", "").strip(), LONGEST_REASON),
    )
    return _("You withdrew from the season. We’re asking substitutes to take your seats.")


@about_season
def volunteer(request: HttpRequest, season: Season, user: User) -> str:
    """Volunteer as a substitute."""
    substitutes.volunteer(season, user)
    return _("Thank you. We’ll email you when it’s your turn to take a seat. You can always decline.")


@about_season
def stop_volunteering(request: HttpRequest, season: Season, user: User) -> str:
    """Stop being a substitute."""
    substitutes.stop_volunteering(season, user)
    return _("You’re no longer a substitute. We won’t offer you seats in this season.")


def _get_own_entry(season: Season, user: User) -> Registration:
    entry = season.entries.select_related("season__league", "user").filter(user=user).first()
    if entry is None:
        raise Http404
    return entry


def _with_next_step(said: str, entry: Registration) -> str:
    following = what_comes_next(entry.season, entry)
    return f"{said} {following}".strip()
