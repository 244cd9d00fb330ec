"""An invitation to a season, by its letter's link: to sign up, or to decline."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.models import User
from games.forms import TakeSeatForm
from games.leagues.commands import inviting
from games.leagues.models import Entry, Invited
from games.leagues.views.by_link.entries import of_entry
from games.leagues.views.by_link.opened import Button, NothingSaid, Opened


def of_invitation(invited: Invited) -> Opened:
    owner = User.objects.filter(email=invited.email, deleted_at=None).first()
    entry = _entry_by(invited, owner)
    if entry is not None:
        return of_entry(entry)
    may_answer = invited.state in (Invited.State.SENT, Invited.State.DECLINED)
    is_open = may_answer and invited.season.is_open
    buttons = [Button("sign_up", _("Sign up"))] if is_open else []
    if is_open and invited.state == Invited.State.SENT:
        buttons.append(Button("decline", _("Decline"), is_quiet=True))
    needs_name = is_open and (owner is None or not owner.name_chosen)
    return Opened(
        invited.season,
        owner,
        _("%(name)s invites you to a league") % {"name": invited.by.shown_name},
        (_how_invited(invited),),
        tuple(buttons),
        {
            "sign_up": lambda request: _signed_up(request, invited, owner),
            "decline": lambda request: _refused(invited),
        },
        TakeSeatForm(initial={"name": invited.name}) if needs_name else None,
    )


def _entry_by(invited: Invited, owner: User | None) -> Entry | None:
    """What became of an invitation that was accepted: whoever has no other letter yet leaves by its link."""
    if invited.state != Invited.State.ACCEPTED:
        return None
    return invited.season.entries.select_related("season__league", "user").filter(user=owner).first()


def _how_invited(invited: Invited) -> str:
    if not invited.season.is_open and invited.state in (Invited.State.SENT, Invited.State.DECLINED):
        return _("The sign-up is not open.")
    return {
        Invited.State.SENT: _("You play only if you sign up yourself. These are its terms."),
        Invited.State.ACCEPTED: _("You have signed up."),
        Invited.State.DECLINED: _("You have declined; you may still sign up."),
        Invited.State.WITHDRAWN: _("This invitation has been withdrawn."),
    }[Invited.State(invited.state)]


def _signed_up(request: HttpRequest, invited: Invited, owner: User | None) -> str:
    """By the invited address, whose owner gets an account if he has none. Raises NothingSaid for a name that
    cannot be had; then there is no account either."""
    with transaction.atomic():
        person = owner if owner is not None and owner.name_chosen else _newcomer(request, invited)
        entry = inviting.accept_invitation(invited, person)
    if entry.state == Entry.State.WAITING:
        return _("All places are taken: you wait for one.")
    return _("You have signed up.")


def _newcomer(request: HttpRequest, invited: Invited) -> User:
    form = TakeSeatForm(request.POST)
    if not form.is_valid():
        raise NothingSaid(form)
    try:
        return User.objects.get_or_create_proven(invited.email, form.cleaned_data["name"])
    except ValidationError as error:
        form.add_error("name", error)
        raise NothingSaid(form) from error


def _refused(invited: Invited) -> str:
    inviting.decline_invitation(invited)
    return _("You have declined. Nobody writes to you about it again.")
