"""A place in a season or an invitation to one, opened by an email's link."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.models import User
from accounts.zones import follow_browser
from games.access import reader_of
from games.forms.invitations import TakeSeatForm
from games.leagues.models import Invitation, Registration, Season
from games.leagues.selectors.introductions import about_in_short
from games.leagues.selectors.next_steps import (
    back_label,
    holiday_text,
    place_text,
    waiting_list_text,
    what_comes_next,
)
from games.leagues.services import invitations, registration
from games.leagues.services.starting_holidays import holiday_over_start
from games.leagues.views.link_page import Button, InvalidForm, LinkPage


def place_page(entry: Registration) -> LinkPage:
    """Return the page on which a player confirms their place or leaves the season."""
    season = entry.season
    may_leave = entry.state in (
        Registration.State.SIGNED_UP,
        Registration.State.CONFIRMED,
        Registration.State.WAITING,
    )
    away = holiday_over_start(entry) if entry.has_place_ahead else None
    confirms, leaves = _("Confirm that I’ll play"), _("Leave the season")
    if away and entry.can_confirm:
        confirms, leaves = back_label(away), _("Skip this season")
    holiday = holiday_text(entry, away) if away else ()
    buttons = [Button("confirm", confirms)] if entry.can_confirm else []
    if may_leave and season.state in Season.BEFORE_PLAY:
        buttons.append(Button("leave", leaves, is_quiet=True))
    return LinkPage(
        season,
        _("Do you want to play?") if entry.can_confirm else _("Your place"),
        tuple(filter(None, (place_text(entry), what_comes_next(season, entry), *holiday))),
        tuple(buttons),
        {"confirm": lambda request: _confirm(entry), "leave": lambda request: _leave(entry)},
    )


def _confirm(entry: Registration) -> str:
    registration.confirm(entry)
    return _("You confirmed that you’ll play.")


def _leave(entry: Registration) -> str:
    registration.leave_season(entry.season, entry.user)
    return _("You left the season.")


def invitation_page(invited: Invitation, owner: User | None) -> LinkPage:
    """Return the page on which an invited person signs up or declines; `owner` has the invited address."""
    entry = _entry_by(invited, owner)
    if entry is not None:
        return place_page(entry)
    may_answer = invited.state in (Invitation.State.SENT, Invitation.State.DECLINED)
    is_open = may_answer and invited.season.is_open
    buttons = [Button("sign_up", _("Sign up"))] if is_open else []
    if is_open and invited.state == Invitation.State.SENT:
        buttons.append(Button("decline", pgettext("button", "Decline"), is_quiet=True))
    needs_name = is_open and (owner is None or not owner.name_chosen)
    return LinkPage(
        invited.season,
        # Translators: name is the league's organiser.
        _("%(name)s invites you to a league") % {"name": invited.by.shown_name},
        (*(about_in_short(invited.season.league) if is_open else ()), _invitation_text(invited)),
        tuple(buttons),
        {
            "sign_up": lambda request: _sign_up(request, invited, owner),
            "decline": lambda request: _decline_invitation(invited),
        },
        TakeSeatForm(initial={"name": invited.name}) if needs_name else None,
    )


def _entry_by(invited: Invitation, owner: User | None) -> Registration | None:
    """Return the registration made from an accepted invitation.

    Players with no other email yet use the invitation's link to leave the season.
    """
    if invited.state != Invitation.State.ACCEPTED:
        return None
    return invited.season.entries.select_related("season__league", "user").filter(user=owner).first()


def _invitation_text(invited: Invitation) -> str:
    if not invited.season.is_open and invited.state in (Invitation.State.SENT, Invitation.State.DECLINED):
        return _("Sign-up for this season isn’t open.")
    return {
        Invitation.State.SENT: _("You only play if you sign up. Read the rules below first."),
        Invitation.State.ACCEPTED: _("You signed up."),
        Invitation.State.DECLINED: _("You declined, but you can still sign up."),
        Invitation.State.WITHDRAWN: _("This invitation was withdrawn."),
    }[Invitation.State(invited.state)]


def _sign_up(request: HttpRequest, invited: Invitation, owner: User | None) -> str:
    """Sign up the owner of the invited address, creating an account if there is none.

    Raises InvalidForm if the name is not allowed; no account is created then.
    """
    with transaction.atomic():
        person = owner if owner is not None and owner.name_chosen else _create_account(request, invited)
        entry = invitations.accept_invitation(invited, person)
    if reader_of(request) in (None, person):
        follow_browser(request, person)
    if entry.state == Registration.State.WAITING:
        return waiting_list_text(entry.season)
    return _("You signed up.")


def _create_account(request: HttpRequest, invited: Invitation) -> User:
    form = TakeSeatForm(request.POST)
    if not form.is_valid():
        raise InvalidForm(form)
    try:
        return User.objects.get_or_create_proven(invited.email, form.cleaned_data["name"])
    except ValidationError as error:
        form.add_error("name", error)
        raise InvalidForm(form) from error


def _decline_invitation(invited: Invitation) -> str:
    invitations.decline_invitation(invited)
    return _("You declined. We won’t email you about this season again.")
