"""The interface for programs: what the host of a table does before its game begins."""

from __future__ import annotations

from typing import Annotated

from django.db import transaction
from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import PLAY, READ, owner_of_token
from accounts.api_problems import ApiProblem, field_errors
from accounts.models import User
from games import services
from games.access import get_hosted_table
from games.api.gathering import seen_now
from games.api.shapes import TableSeen
from games.chat.muted_people import muted_by
from games.forms.bots import BotForm
from games.forms.invitations import InviteForm
from games.links import person_key
from games.models import Invitation, Table
from games.selectors.fellow_players import KnownPeople, known_people

router = Router(tags=["tables"])


class PersonToInvite(Schema):
    """Someone whom the person can invite by name: a bot of theirs, or a player they know from a game."""

    key: str
    name: str
    is_bot: bool


class InvitationSeen(Schema):
    """An invitation that no one has accepted. `state` is sent, declined or withdrawn.

    Each table has numbers of its own for its invitations.
    """

    number: int
    to: str
    state: str


class InvitationIn(Schema, extra="forbid"):
    """The person to invite: the `key` of someone from `/me/people`, or an email address."""

    person: Annotated[str, Field(max_length=100)] = ""
    email: Annotated[str, Field(max_length=320)] = ""


class NewBot(Schema, extra="forbid"):
    """A bot for a free seat. `taken` is how many seats were taken when you looked."""

    strength: Annotated[str, Field(max_length=20)]
    taken: Annotated[int, Field(ge=1, le=6)]


@router.get("/me/people", auth=READ, response=list[PersonToInvite], summary="People you can invite by name")
def people(request: HttpRequest) -> list[PersonToInvite]:
    """Return the person's own bots, then those with whom they have played, the latest first."""
    return [
        PersonToInvite(key=person_key(one.pk), name=one.shown_name, is_bot=one.is_bot)
        for one in _known(request).people
    ]


@router.get(
    "/tables/{number:table_id}/invitations",
    auth=READ,
    response=list[InvitationSeen],
    summary="The invitations to your table",
)
def invitations(request: HttpRequest, table_id: int) -> list[InvitationSeen]:
    """Return the invitations that no one has accepted; none once the game has begun."""
    return _invitations(get_hosted_table(request, table_id))


@router.post(
    "/tables/{number:table_id}/invitations",
    auth=PLAY,
    response=list[InvitationSeen],
    summary="Invite someone to your table",
)
def invite(request: HttpRequest, table_id: int, sent: InvitationIn) -> list[InvitationSeen]:
    """Invite someone, as the table's host. An invitation that waits for an answer isn't sent again."""
    found, host = get_hosted_table(request, table_id), owner_of_token(request)
    if not host.name_chosen:
        raise ApiProblem(409, "no-name", _("Choose your name first. The people you invite will see it."))
    if sent.person and sent.email:
        errors = [{"field": "email", "detail": _("Give either a person or an email address.")}]
        raise ApiProblem(422, "bad-input", _("No one was invited."), errors)
    if sent.person:
        services.invite_person(found, _person(request, sent.person), again=False)
        return _invitations(found)
    form = InviteForm({"invited": sent.email})
    if not form.is_valid():
        errors = [one | {"field": "email"} for one in field_errors(form)]
        raise ApiProblem(422, "bad-input", _("No one was invited."), errors)
    with transaction.atomic():  # a request that is refused changes nothing
        # In a fixed order, because each counts against a shared limit.
        for email, name in sorted(form.cleaned_data["invited"].items()):
            services.invite(found, email, name, again=False)
    return _invitations(found)


@router.delete(
    "/tables/{number:table_id}/invitations/{number:number}",
    auth=PLAY,
    response=list[InvitationSeen],
    summary="Withdraw an invitation",
)
def withdraw(request: HttpRequest, table_id: int, number: int) -> list[InvitationSeen]:
    """Withdraw an invitation that waits for an answer. Withdrawing it again changes nothing."""
    found = get_hosted_table(request, table_id)
    numbered = _numbered(found)
    if number not in numbered:
        raise Http404
    if numbered[number].state != Invitation.State.WITHDRAWN:
        services.withdraw(numbered[number])
    return _invitations(found)


@router.post("/tables/{number:table_id}/bots", auth=PLAY, response=TableSeen, summary="Give a seat to a bot")
def seat_bot(request: HttpRequest, table_id: int, sent: NewBot) -> TableSeen:
    """Give a free seat to a bot, as the table's host. The same request again seats no second one."""
    found = get_hosted_table(request, table_id)
    form = BotForm({"strength": sent.strength, "roster": sent.taken})
    if not form.is_valid():
        raise ApiProblem(422, "bad-input", _("Choose one of the bots on the table page."), field_errors(form))
    services.seat_bot(found, **form.cleaned_data)
    return seen_now(request, found)


@router.delete(
    "/tables/{number:table_id}/seats/{number:seat_id}",
    auth=PLAY,
    response=TableSeen,
    summary="Remove a player or a bot",
)
def remove(request: HttpRequest, table_id: int, seat_id: int) -> TableSeen:
    """Free a seat before the game begins, as the table's host. A seat that is free already is no error."""
    found = get_hosted_table(request, table_id)
    seat = found.seats.select_related("user", "table").filter(pk=seat_id).first()
    if seat is not None:
        services.remove(seat)
    return seen_now(request, found)


@router.post(
    "/tables/{number:table_id}/keep-open", auth=PLAY, response=TableSeen, summary="Keep looking for players"
)
def keep_open(request: HttpRequest, table_id: int) -> TableSeen:
    """Keep the table open as long as a new one would be, as its host. Safe to repeat."""
    return seen_now(request, services.keep_open(get_hosted_table(request, table_id)))


def _known(request: HttpRequest) -> KnownPeople:
    person = owner_of_token(request)
    return known_people(person, muted_by(person))


def _person(request: HttpRequest, key: str) -> User:
    """Return someone the person can invite by name. Raises ApiProblem for anyone else."""
    found = {person_key(one.pk): one for one in _known(request).people}
    if key not in found:
        errors = [{"field": "person", "detail": _("This isn’t one of the possible values.")}]
        raise ApiProblem(422, "bad-input", _("No one was invited."), errors)
    return found[key]


def _invitations(table: Table) -> list[InvitationSeen]:
    return [
        InvitationSeen(number=number, to=one.addressed, state=one.state)
        for number, one in _numbered(table).items()
        if one.state != Invitation.State.ACCEPTED
    ]


def _numbered(table: Table) -> dict[int, Invitation]:
    """Return a table's invitations by their numbers; none once it no longer gathers players.

    In a running game, players offer their seats: not even the host knows to whom.
    """
    return dict(enumerate(table.invitations.select_related("user"), 1)) if table.is_gathering else {}
