"""The interface for programs: tables that gather players, and one's own seat there."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from pydantic import BeforeValidator, Field

from accounts.api_access import ANYONE, NO_TOKEN_NEEDED, PLAY, READ, owner_of_token
from accounts.api_problems import ApiProblem, field_errors
from accounts.models import User
from accounts.names import first_in_sentence
from games import services
from games.access import get_hosted_table, get_invitation, get_joinable_table, get_table, reader_of
from games.api.shapes import TableInList, TableSeen, address, table_seen
from games.forms.new_table import TableForm
from games.forms.shuffle_words import WordsForm
from games.models import Seat, Table
from games.narration.roster import host_at, roster_at
from games.selectors.open_tables import open_tables, tables_of

MOST_TABLES = 100
MOST_SETTINGS = 100  # and values of one
LONGEST_BODY = 20_000  # of words, before they're counted as the form does
# Fields of the form that programs can't fill in: people are invited once there is a table (hosting.py).
_NOT_SENT = ("invited", "people", "groups", "form_key")

router = Router(tags=["tables"])


def _require_few(given: object) -> object:
    """Refuse more settings than there can be at once: to say what is wrong with each would take long."""
    values = given.values() if isinstance(given, dict) else ()
    sizes = [len(values), *(len(value) for value in values if isinstance(value, list))]
    if max(sizes) > MOST_SETTINGS:
        raise ValueError("too many settings")
    return given


class NewTable(Schema, extra="forbid"):
    """A new table. `key` is a UUID of the program's own: the same key again makes no second table.

    `settings` are fields of the form for a new table; what is left out has the form's default.
    """

    key: UUID
    name: Annotated[str, Field(max_length=200)]
    size: Annotated[int, Field(ge=2, le=6)] = 4
    entry: str = Table.Entry.INVITATION
    settings: Annotated[dict[str, str | int | bool | list[str]], BeforeValidator(_require_few)] = {}


class WordsIn(Schema, extra="forbid"):
    """The person's own words for the shuffle; empty for none. The site stores only their nonce."""

    words: Annotated[str, Field(max_length=LONGEST_BODY)]


@router.get(
    "/tables",
    auth=ANYONE,
    response=list[TableInList],
    summary="Tables that anyone may join",
    openapi_extra=NO_TOKEN_NEEDED,
)
def tables(request: HttpRequest) -> list[TableInList]:
    """Return tables that look for players, the oldest first, at most 100."""
    reader = reader_of(request)
    found = open_tables(reader).prefetch_related("seats__user")[:MOST_TABLES]
    return [_in_list(table, reader, address("join", table.join_key)) for table in found]


@router.get("/me/tables", auth=READ, response=list[TableInList], summary="Your tables that look for players")
def own_tables(request: HttpRequest) -> list[TableInList]:
    """Return the tables where the person has a seat and the game has not begun, the oldest first."""
    person = owner_of_token(request)
    found = tables_of(person).prefetch_related("seats__user")[:MOST_TABLES]
    return [_in_list(table, person, address("table", table.pk)) for table in found]


@router.get("/tables/{number:table_id}", auth=READ, response=TableSeen, summary="A table")
def table(request: HttpRequest, table_id: int) -> TableSeen:
    """Return a table where the person sits, to which they're invited, or that anyone may join."""
    return seen_now(request, get_table(request, table_id))


@router.delete("/tables/{number:table_id}", auth=PLAY, response=TableSeen, summary="Cancel your table")
def cancel(request: HttpRequest, table_id: int) -> TableSeen:
    """Cancel the table before its game begins, as its host. Cancelling it again changes nothing."""
    found = get_hosted_table(request, table_id)
    if found.state != Table.State.CANCELLED:
        services.cancel(found)
    return seen_now(request, found)


@router.post("/tables", auth=PLAY, response=TableSeen, summary="Make a table")
def make_table(request: HttpRequest, sent: NewTable) -> TableSeen:
    """Make a table with the person as its host. The same key again returns the same table."""
    host = owner_of_token(request)
    if not host.name_chosen:
        raise ApiProblem(409, "no-name", _("Choose your name first. The people you invite will see it."))
    form = TableForm(_as_typed(sent), host_email=host.email)
    if not form.is_valid():
        said = _("The table was not made: some of its settings are wrong.")
        raise ApiProblem(422, "bad-input", said, field_errors(form))
    made = services.make_table(host, **form.cleaned_data)
    return seen_now(request, made)


@router.post("/tables/{number:table_id}/seat", auth=PLAY, response=TableSeen, summary="Take a seat")
def take_seat(request: HttpRequest, table_id: int) -> TableSeen:
    """Take a seat at a table that anyone may join, or to which the person is invited."""
    person, found = owner_of_token(request), get_table(request, table_id)
    invitation = get_invitation(request, found)
    is_seated = found.seats.filter(user=person).exists()
    if found.entry != Table.Entry.OPEN and invitation is None and not is_seated:
        raise Http404
    services.take_seat(found, person, invitation)
    return seen_now(request, found)


@router.post("/join/{slug:key}/seat", auth=PLAY, response=TableSeen, summary="Take a seat by a link")
def join(request: HttpRequest, key: str) -> TableSeen:
    """Take a seat at the table of a joining link, which ends with this key. Safe to repeat."""
    found = get_joinable_table(key)
    services.take_seat(found, owner_of_token(request))
    return seen_now(request, found)


@router.post(
    "/tables/{number:table_id}/words",
    auth=PLAY,
    response=TableSeen,
    summary="Give your words for the shuffle",
)
def give_words(request: HttpRequest, table_id: int, sent: WordsIn) -> TableSeen:
    """Make the person's own words part of the shuffles, until they confirm. They replace older ones."""
    found, form = get_table(request, table_id), WordsForm({"words": sent.words})
    seat = _own_seat(request, found)
    if not form.is_valid():
        said = _("The request has a missing, wrong or unknown field.")
        raise ApiProblem(422, "bad-input", said, field_errors(form))
    services.give_words(seat, form.cleaned_data["words"])
    return seen_now(request, found)


@router.delete("/tables/{number:table_id}/seat", auth=PLAY, response={204: None}, summary="Leave a table")
def leave(request: HttpRequest, table_id: int) -> Status[None]:
    """Give up the person's seat before the game begins. A seat they don't have is no error."""
    seats = Seat.objects.select_related("table").filter(user=owner_of_token(request))
    seat = seats.filter(table=table_id).first()
    if seat is not None:
        services.leave(seat)
    return Status(204, None)


@router.delete(
    "/tables/{number:table_id}/invitation",
    auth=PLAY,
    response={204: None},
    summary="Decline an invitation",
)
def decline(request: HttpRequest, table_id: int) -> Status[None]:
    """Decline an invitation to a table. Declining it again changes nothing."""
    invitation = get_invitation(request, get_table(request, table_id))
    if invitation is None:
        raise Http404
    services.decline(invitation)
    return Status(204, None)


@router.post(
    "/tables/{number:table_id}/confirmation", auth=PLAY, response=TableSeen, summary="Confirm a table"
)
def confirm(request: HttpRequest, table_id: int) -> TableSeen:
    """Agree to the settings and the players. The last confirmation starts the game."""
    found = get_table(request, table_id)
    services.confirm(_own_seat(request, found))
    return seen_now(request, found)


def _own_seat(request: HttpRequest, table: Table) -> Seat:
    return get_object_or_404(table.seats.select_related("table"), user=owner_of_token(request))


def _in_list(table: Table, reader: User | None, page: str) -> TableInList:
    return TableInList(
        id=table.pk,
        name=table.name,
        edition=table.options.edition,
        variants=list(table.options.variants),
        size=table.size,
        free=table.size - table.taken,  # type: ignore[attr-defined]  # of annotate_taken
        takes_bots=table.welcomes_bots,
        host=first_in_sentence(host_at(table, reader)),
        page=page,
    )


def seen_now(request: HttpRequest, table: Table) -> TableSeen:
    """Return the table after a change, as its page shows it."""
    person = owner_of_token(request)
    now = Table.objects.select_related("host").get(pk=table.pk)
    is_invited = get_invitation(request, now) is not None
    return table_seen(now, roster_at(now, person), person.pk, is_invited=is_invited)


def _as_typed(sent: NewTable) -> QueryDict:
    """Return the table as a browser would post its form. Raises ApiProblem for a field it doesn't have."""
    known = set(TableForm.base_fields) - {*_NOT_SENT, "name", "size", "entry"}
    if unknown := sorted(set(sent.settings) - known):
        errors = [{"field": name, "detail": _("There is no such setting.")} for name in unknown]
        raise ApiProblem(
            422, "bad-input", _("The table was not made: some of its settings are wrong."), errors
        )
    typed = QueryDict(mutable=True)
    given: dict[str, Any] = {"name": sent.name, "size": sent.size, "entry": sent.entry, **sent.settings}
    for name, field in TableForm.base_fields.items():
        value = given.get(name, field.initial() if callable(field.initial) else field.initial)
        if isinstance(value, list | tuple):
            typed.setlist(name, [str(one) for one in value])
        elif value is not None and value is not False and value != "":
            typed[name] = "on" if value is True else str(value)
    typed["form_key"] = str(sent.key)
    return typed
