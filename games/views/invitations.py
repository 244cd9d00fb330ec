"""Invitations by email link, without signing in. The links sign no one in."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.middleware import in_recipients_locale
from accounts.models import User
from accounts.zones import follow_browser
from games import services
from games.access import reader_of
from games.forms.invitations import TakeSeatForm
from games.forms.shuffle_words import WordsForm, words_typed
from games.links import BadLink, read_invitation_token, seat_token
from games.models import Invitation, Seat
from games.models.matches import last_game
from games.models.replay import replayed_for
from games.narration.roster import roster_at
from games.presenters.position import Position
from games.presenters.seats import PlayersSection, players_section
from games.private_pages import private_page
from games.services import Refused


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation by its email link, which proves the address; it signs no one in."""
    try:
        pk = read_invitation_token(token)
        found = Invitation.objects.select_related("table__host", "user", "seat__user").get(pk=pk)
        invited = _invited(found)
        if invited is not None and not invited.is_active:
            raise BadLink
    except (BadLink, Invitation.DoesNotExist):
        return render(request, "games/bad_link.html", status=404)
    if request.method == "POST":
        return in_recipients_locale(invited, request, lambda: _answer_invitation(request, found, token))
    return in_recipients_locale(invited, request, lambda: _show_invitation(request, found))


def _invited(found: Invitation) -> User | None:
    """Return the invited person's account, if they already have one."""
    return found.user or User.objects.filter(email=found.email).first()


def _show_invitation(
    request: HttpRequest, found: Invitation, form: TakeSeatForm | None = None, status: int = 200
) -> HttpResponse:
    invited = _invited(found)
    roster = roster_at(found.table, invited)
    mine = roster.seat_of(invited) if invited else None
    signed_in = reader_of(request)
    context = {
        "invitation": found,
        "table": found.table,
        "roster": roster,
        "mine": mine,
        "seat_token": seat_token(mine) if mine else "",
        "other": signed_in if signed_in and not found.is_to(signed_in) else None,
        "others_seat": roster.seat_of(signed_in) if signed_in else None,
        "words_form": WordsForm(),
        "form": form or _name_asked(found, invited),
    }
    if found.seat_id is not None:
        context["players"] = _players_of(found, roster.names)
    return render(request, "games/invitation.html", context, status=status)


def _name_asked(found: Invitation, invited: User | None) -> TakeSeatForm | None:
    """Return the name form for a person without an account; it starts with the name the host gave them."""
    return None if invited and invited.name_chosen else TakeSeatForm(initial={"name": found.name})


def _players_of(found: Invitation, names: tuple[str, ...]) -> PlayersSection | None:
    """Return the players of the game in which a seat is offered, as everyone at the table sees them."""
    game = last_game(found.table)
    return players_section(Position(game, replayed_for(game, None), names, None)) if game else None


def _answer_invitation(request: HttpRequest, found: Invitation, token: str) -> HttpResponse:
    """Accept or decline the invitation. Where two people are possible, the form says who accepts."""
    action = request.POST.get("action", "")
    form = TakeSeatForm(request.POST)
    try:
        if action == "decline":
            _decline(found)
        elif action == "accept":
            with transaction.atomic():  # creates no account if the seat is refused
                person = _who_accepts(request, found, form)
                if person is None:
                    return _show_invitation(request, found, form, 400)
                if found.seat_id is not None:
                    return _seated(request, services.take_over(found, person))
                words = words_typed(request.POST)
                return _seated(request, services.take_seat(found.table, person, found, words))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("invitation", token)


def _decline(found: Invitation) -> None:
    if found.seat_id is None:
        services.decline(found)
    else:
        services.close_offer(found, Invitation.State.DECLINED)


def _seated(request: HttpRequest, mine: Seat) -> HttpResponse:
    if reader_of(request) in (None, mine.person):
        follow_browser(request, mine.person)
    messages.success(request, _("You have taken a seat."))
    if request.user == mine.user:
        return redirect("table", mine.table_id)
    return redirect("seat", seat_token(mine))


def _who_accepts(request: HttpRequest, found: Invitation, form: TakeSeatForm) -> User | None:
    """Return the signed-in person if they say so, else the owner of the invited address.

    Creates the account if needed. Returns None when a new person's name is wrong; the form then says why.
    """
    signed_in = reader_of(request)
    if signed_in and request.POST.get("as") == "me":
        return signed_in
    if found.user is not None:
        return found.user
    if User.objects.filter(email=found.email, name_chosen=True).exists():
        return User.objects.get_or_create_proven(found.email)
    if not form.is_valid():
        return None
    try:
        return User.objects.get_or_create_proven(found.email, form.cleaned_data["name"])
    except ValidationError as error:
        form.add_error("name", error)
        return None
