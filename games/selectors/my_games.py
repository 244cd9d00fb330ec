"""What waits for a user: moves, full tables, invitations, and matches that wait for their confirmation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, F, Max, QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.names import first_in_sentence
from games.models import Game, Invitation, Seat, Table
from games.models.matches import fighters_after
from games.narration.times import moment, time_since, time_until

MOST_WAITING = 100


class Waiting(NamedTuple):
    """One thing that waits for a user: its page, the reason, since when, and the deadline if any."""

    name: str
    page: str  # the URL name
    pk: int
    why: str
    since: datetime
    due_at: datetime | None = None  # when the clock plays for the user
    table: int | None = None  # its number, if a game is played


@dataclass
class WaitingRow:
    """The same, as a page shows it at one moment."""

    name: str
    page: str  # the URL name
    pk: int
    why: str
    due_at: datetime | None
    left: str  # time left until then
    is_out: bool  # the clock may play at any moment
    is_next_due: bool  # among several that wait for the user
    waited: str  # since when, in words
    table: int | None
    unread: int = 0  # messages at the table

    @property
    def until(self) -> str:
        """The deadline in words."""
        return moment(self.due_at) if self.due_at else ""


def waiting_for(user: User, most: int = MOST_WAITING) -> list[WaitingRow]:
    """Return what waits for this user, the longest waiting first: games, full tables, invitations."""
    found = [*_questions(user), *_pauses(user), *_confirmations(user), *_invitations(user)]
    due = sorted(row.due_at for row in found if row.due_at)
    next_due = due[0] if len(due) > 1 else None
    now = clock.now()
    return [_row(row, next_due, now) for row in sorted(found, key=lambda row: row.since)[:most]]


def _row(row: Waiting, next_due: datetime | None, now: datetime) -> WaitingRow:
    return WaitingRow(
        row.name,
        row.page,
        row.pk,
        row.why,
        row.due_at,
        time_until(row.due_at, now) if row.due_at else "",
        row.due_at is not None and row.due_at <= now,
        row.due_at is not None and row.due_at == next_due,
        time_since(row.since),
        row.table,
    )


def questions_to(user: User, *, beside: Game | None = None) -> QuerySet[Seat]:
    """Return this user's seats with a pending decision, the longest waiting first, except in `beside`."""
    waiting = Seat.objects.waiting_for(user)
    return waiting.exclude(table=beside.table_id) if beside else waiting


def _questions(user: User) -> Iterable[Waiting]:
    columns = "table__name", "game_pk", "pending_decision", "asked_since", "due_at", "table"
    for name, game, kind, since, due_at, table in questions_to(user).values_list(*columns)[:MOST_WAITING]:
        yield Waiting(name, "game", game, _why(kind), since, due_at, table)


def _why(pending_decision: str | None) -> str:
    match pending_decision:
        case "place":
            return _("Choose the region to fight for")
        case "battle":
            return _("Play a card or pass")
        case "hand":
            return _("Discard your hand or keep it")
    return _("Choose the cards to keep")


def _pauses(user: User) -> Iterable[Waiting]:
    """Yield finished games of matches whose next game waits for this user to see the result."""
    mine = Seat.objects.filter(user=user, table__next_game_at__isnull=False)
    seats = {seat.table_id: seat for seat in mine.only("table", "number", "ready_for")[:MOST_WAITING]}
    if not seats:
        return
    last = (
        Game.objects.filter(table__in=seats)
        .order_by()
        .values("table")
        .annotate(last=Max("pk"))
        .values("last")
    )
    for game in Game.objects.filter(pk__in=last).select_related("table").order_by("ended_at", "pk"):
        seat = seats[game.table_id]
        waits = seat.ready_for <= game.number and seat.number in fighters_after(game)
        if waits and game.ended_at is not None:
            why = _("See how the game ended, then go on")
            yield Waiting(game.table.name, "game", game.pk, why, game.ended_at)


def _confirmations(user: User) -> Iterable[Waiting]:
    """Yield full tables that this user has not confirmed yet."""
    unconfirmed = Seat.objects.filter(user=user, confirmed_at=None, table__state=Table.State.GATHERING)
    full = (
        Table.objects.filter(pk__in=unconfirmed.values("table"))
        .values("pk", "name")
        .annotate(taken=Count("seats"), full_since=Max("seats__taken_at"))
        .filter(taken=F("size"))
        .order_by("full_since", "pk")
        .values_list("pk", "name", "full_since")
    )
    for pk, name, since in full[:MOST_WAITING]:
        yield Waiting(name, "table", pk, _("The table is full: say that it may begin"), since)


def _invitations(user: User) -> Iterable[Waiting]:
    """Yield tables with a free seat and an unanswered invitation for this user."""
    open_ones = (
        Invitation.objects.to_person(user)
        .filter(state=Invitation.State.SENT, table__state=Table.State.GATHERING, is_kept_back=False)
        .select_related("table__host")
        .only("created_at", "table__name", "table__host__name", "table__host__deleted_at")
        .order_by("pk")
    )
    for invitation in open_ones[:MOST_WAITING]:
        table = invitation.table
        host = first_in_sentence(table.host.shown_name) if table.host else ""
        why = _("%(host)s invites you") % {"host": host}
        yield Waiting(table.name, "table", table.pk, why, invitation.created_at)


def away_from(user: User) -> Iterable[Mapping[str, Any]]:
    """Return the games in which a bot plays for this absent user, with the name of each table."""
    away = Seat.objects.filter(user=user, table__state=Table.State.PLAYING).exclude(played_by_bot="")
    return away.values("pk", "table__name").annotate(game_pk=Max("table__games")).order_by("pk")
