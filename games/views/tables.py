"""Creating and filling a table, for people who are signed in or have the joining link."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.addresses import readable_address
from accounts.mail.outbox import delayed, not_reached
from accounts.models import User
from accounts.views.profile import name_required
from accounts.zones import follow_browser
from games import services
from games.access import get_hosted_table, get_invitation, get_joinable_table, get_table, person_of, reader_of
from games.chat.muted_people import muted_by
from games.forms.bots import BotForm
from games.forms.invitations import InviteForm
from games.forms.new_table import TableForm
from games.forms.shuffle_words import WordsForm, words_typed
from games.forms.table_names import proposed_name
from games.models import Invitation, Seat, Table
from games.models.games_for_pages import read_roster
from games.models.matches import last_game
from games.models.replay import replayed_for
from games.narration.roster import Roster, roster_at
from games.presenters.position import Position
from games.presenters.seats import players_section
from games.selectors.fellow_players import known_people
from games.services import Refused, may_be_taken
from games.services.table_news import told_of
from games.views.page_version import waiting_version


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@name_required
def new_table(request: HttpRequest) -> HttpResponse:
    """Show the form for a new table; it keeps what was typed when something is wrong."""
    host = person_of(request)
    usual = {"form_key": uuid.uuid4(), "name": proposed_name()}
    known = known_people(host, muted_by(host))
    form = TableForm(request.POST or None, host_email=host.email, known=known, initial=usual)
    if request.method != "POST" or not form.is_valid():
        return render(request, "games/new_table.html", {"form": form}, status=400 if form.errors else 200)
    try:
        table = services.make_table(host, **form.cleaned_data)
    except Refused as refused:
        form.add_error(None, str(refused))
        return render(request, "games/new_table.html", {"form": form}, status=429)
    messages.success(request, _("You created the table."))
    if form.names_host:
        messages.info(request, _("We left out your own address, because you already have the first seat."))
    return redirect("table", table.pk)


@require_safe
@login_required
def table(request: HttpRequest, table_id: int) -> HttpResponse:
    """Show the settings, the roster and, until the first deal, the possible actions."""
    return show_table(request, get_table(request, table_id))


def show_table(
    request: HttpRequest, table: Table, invite_form: InviteForm | None = None, status: int = 200
) -> HttpResponse:
    """Render the table's page for a signed-in person."""
    viewer = person_of(request)
    read_roster(table)
    roster = roster_at(table, viewer)
    version = waiting_version(table, roster)
    if version and request.GET.get("have") == version:
        return HttpResponse(status=204)
    invitations = list(table.invitations.exclude(state=Invitation.State.ACCEPTED).select_related("user"))
    keys = [invitation.email_key for invitation in invitations]
    lost, late = not_reached(keys), delayed(keys)
    context = {
        "table": table,
        "version": version,
        "poll_seconds": settings.CHAT_POLL_SECONDS,
        "roster": roster,
        "mine": roster.seat_of(viewer),
        "invitation": get_invitation(request, table),
        "is_host": table.host_id == viewer.pk,
        "invitations": [(one, one.email_key in lost, one.email_key in late) for one in invitations],
        "first_come": sum(i.state == Invitation.State.SENT for i in invitations) > len(roster.free),
        "invite_form": invite_form or _invite_form(table, viewer, roster),
        "words_form": WordsForm(),
        "bot_form": BotForm(initial={"roster": len(roster.seats)}),
        "game": last_game(table),
        "told_services": told_of(table),
    }
    return render(request, "games/table.html", context, status=status)


def _invite_form(table: Table, viewer: User, roster: Roster) -> InviteForm | None:
    """Return the host's form to invite people; None where no one can be invited."""
    if table.host_id != viewer.pk or not table.is_gathering or roster.is_full:
        return None
    return InviteForm(known=known_people(viewer, muted_by(viewer)))


@require_POST
@login_required
def take(request: HttpRequest, table_id: int) -> HttpResponse:
    """Take a seat at an open table, or at one to which the signed-in person is invited."""
    table = get_table(request, table_id)
    invitation = get_invitation(request, table)
    has_seat = table.seats.filter(user=person_of(request)).exists()  # a second click
    if table.entry != Table.Entry.OPEN and invitation is None and not has_seat:
        raise Http404
    return _done(
        request,
        table,
        lambda: services.take_seat(table, person_of(request), invitation, words_typed(request.POST)),
        _("You have taken a seat."),
    )


@require_POST
@login_required
def decline(request: HttpRequest, table_id: int) -> HttpResponse:
    """Decline an invitation from the table's page."""
    table = get_table(request, table_id)
    invitation = get_invitation(request, table)
    if invitation is None:
        raise Http404
    services.decline(invitation)
    messages.success(request, _("You declined the invitation to %(table)s.") % {"table": table.name})
    return redirect("my_games")


@require_POST
@login_required
def confirm(request: HttpRequest, table_id: int) -> HttpResponse:
    """Agree to the settings and the roster."""
    table, seat = _own_seat(request, table_id)
    return _done(request, table, lambda: services.confirm(seat), _("You confirmed."))


@require_POST
@login_required
def words(request: HttpRequest, table_id: int) -> HttpResponse:
    """Give your own words for the shuffle, or withdraw them, before confirming."""
    table, seat = _own_seat(request, table_id)
    try:
        services.give_words(seat, words_typed(request.POST))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, words_kept(request))
    return redirect("table", table.pk)


@require_POST
@login_required
def leave(request: HttpRequest, table_id: int) -> HttpResponse:
    """Give up your seat before the game begins."""
    seat = Seat.objects.select_related("table").filter(table=table_id, user=person_of(request)).first()
    if seat is None:  # a second click, or a stranger: the answer tells neither whether the table exists
        messages.info(request, _("You have no seat at that table."))
        return redirect("my_games")
    try:
        services.leave(seat)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("table", table_id)
    messages.success(request, _("You left %(table)s.") % {"table": seat.table.name})
    return redirect("my_games")


@require_POST
@login_required
def invite(request: HttpRequest, table_id: int) -> HttpResponse:
    """Invite more people as the host. Addresses that cannot be invited are named; the rest are invited."""
    table = get_hosted_table(request, table_id)
    host = person_of(request)
    form = InviteForm(request.POST, known=known_people(host, muted_by(host)))
    if not form.is_valid():
        return show_table(request, table, form, 400)
    if not host.name_chosen:
        form.add_error("invited", _("Choose your name first. The people you invite will see it."))
        return show_table(request, table, form, 400)
    for email, name in form.cleaned_data["invited"].items():
        try:
            services.invite(table, email, name)
        except Refused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, _("You invited %(email)s.") % {"email": readable_address(email)})
    for person in form.chosen():
        try:
            services.invite_person(table, person)
        except Refused as refused:
            messages.error(request, str(refused))
        else:
            messages.success(request, _("You invited %(name)s.") % {"name": person.shown_name})
    return redirect("table", table.pk)


@require_POST
@login_required
def withdraw(request: HttpRequest, table_id: int, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation, as the host."""
    table = get_hosted_table(request, table_id)
    invitation = get_object_or_404(table.invitations, pk=invitation_id)
    return _done(request, table, lambda: services.withdraw(invitation), _("You withdrew the invitation."))


@require_POST
@login_required
def remove(request: HttpRequest, table_id: int, seat_id: int) -> HttpResponse:
    """Remove a player from their seat, as the host."""
    table = get_hosted_table(request, table_id)
    seat = table.seats.select_related("user").filter(pk=seat_id).first()
    if seat is None:
        messages.info(request, _("That seat is already free."))
        return redirect("table", table.pk)
    return _done(
        request, table, lambda: services.remove(seat), _("You removed the player. The seat is free again.")
    )


@require_POST
@login_required
def seat_bot(request: HttpRequest, table_id: int) -> HttpResponse:
    """Give an open seat to a bot, as the host."""
    table = get_hosted_table(request, table_id)
    form = BotForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose one of the bots on the table page."))
        return show_table(request, table, status=400)
    return _done(request, table, lambda: services.seat_bot(table, **form.cleaned_data), _("You added a bot."))


@require_POST
@login_required
def cancel(request: HttpRequest, table_id: int) -> HttpResponse:
    """Cancel the table before its game begins, as the host."""
    table = get_hosted_table(request, table_id)
    return _done(request, table, lambda: services.cancel(table), _("You cancelled the table."))


@require_POST
@login_required
def keep_open(request: HttpRequest, table_id: int) -> HttpResponse:
    """Keep looking for players, for as long as at a new table, as the host."""
    table = get_hosted_table(request, table_id)
    return _done(request, table, lambda: services.keep_open(table), _("The table stays open."))


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, key: str) -> HttpResponse:
    """Show a table by its joining link. Anyone sees the settings; a signed-in person may take a seat."""
    table = get_joinable_table(key)
    viewer = reader_of(request)
    if request.method == "POST" and viewer:
        try:
            services.take_seat(table, viewer, words=words_typed(request.POST))
        except Refused as refused:
            messages.error(request, str(refused))
            return redirect("join", key)
        follow_browser(request, viewer)
        messages.success(request, _("You have taken a seat."))
        return redirect("table", table.pk)
    if viewer and table.seats.filter(user=viewer).exists():
        return redirect("table", table.pk)
    roster = roster_at(table, viewer)
    absent = [(seat, name) for seat, name in roster.named if may_be_taken(seat)]
    context = {"table": table, "roster": roster, "words_form": WordsForm(), "absent": absent}
    game = last_game(table) if absent else None
    if game is not None:
        context["players"] = players_section(Position(game, replayed_for(game, None), roster.names, None))
    return render(request, "games/join.html", context)


def _done(request: HttpRequest, table: Table, command: Callable[[], object], said: str) -> HttpResponse:
    """Run a service and report success or the reason for failure.

    Redirects to the table, or to the game it started.
    """
    try:
        command()
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("table", table.pk)
    messages.success(request, said)
    game = last_game(table)
    return redirect("game", game.pk) if game else redirect("table", table.pk)


def words_kept(request: HttpRequest) -> str:
    """Return the message after someone gave or withdrew words for the shuffle."""
    if request.POST.get("words"):
        return _("Your words are part of the shuffles. Keep a copy: we don’t store them.")
    return _("You added no words of your own to the shuffles.")


def _own_seat(request: HttpRequest, table_id: int) -> tuple[Table, Seat]:
    table = get_table(request, table_id)
    return table, get_object_or_404(table.seats.select_related("table"), user=person_of(request))
