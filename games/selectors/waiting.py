"""What waits for a user: moves, full tables, invitations, and results to see before the next game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max
from django.utils.translation import gettext as _

from accounts import clock
from accounts.durations import time_for, time_in
from accounts.models import User
from accounts.names import first_in_sentence
from games.models import Game, Invitation, Seat, Table
from games.models.matches import fighters_after
from games.rules import Phase
from games.selectors.own_decisions import own_decisions
from games.selectors.own_games import GameRow

MOST_WAITING = 100


@dataclass
class WaitingRow:
    """One thing that waits for a user: its page, the reason, since when, and the deadline if any."""

    name: str
    page: str  # the URL name
    pk: int
    why: str
    since: datetime
    move_by: datetime | None = None  # the end of the time for the move; then that of the reserve
    due_at: datetime | None = None  # when the site moves for the user
    table: int | None = None  # its number, if a game is played
    is_next_due: bool = False  # among several that wait for the user
    unread: int = 0  # messages at the table
    game: GameRow | None = None

    @property
    def left(self) -> str:
        """How far ahead the deadline is."""
        return time_in(self.move_by) if self.move_by else ""

    @property
    def is_out(self) -> bool:
        """Whether the site may move at any moment."""
        return self.due_at is not None and self.due_at <= clock.now()

    @property
    def waited(self) -> str:
        """Since when it waits, in words."""
        return time_for(self.since)


def waiting_for(user: User) -> list[WaitingRow]:
    """Return what waits for this user, the longest waiting first: games, full tables, invitations."""
    found = [*_open_decisions(user), *_results_to_see(user), *_confirmations(user), *_invitations(user)]
    due = sorted(row.move_by for row in found if row.move_by)
    for row in found:
        row.is_next_due = len(due) > 1 and row.move_by == due[0]
    return sorted(found, key=lambda row: row.since)[:MOST_WAITING]


def games_in(rows: Iterable[WaitingRow]) -> list[Game]:
    """Return the games among these rows, in one query."""
    return list(
        Game.objects.filter(pk__in=[row.pk for row in rows if row.page == "game"]).select_related("table")
    )


def _open_decisions(user: User) -> Iterable[WaitingRow]:
    for seat, game, move_by in own_decisions(user, MOST_WAITING):
        why, since = _what_to_do(seat.pending_decision), seat.asked_since
        assert since is not None
        yield WaitingRow(seat.table.name, "game", game, why, since, move_by, seat.due_at, seat.table_id)


def _what_to_do(pending_decision: str | None) -> str:
    match pending_decision:
        case Phase.PLACE:
            return _("Choose a region to fight for")
        case Phase.BATTLE:
            return _("Play a card or pass")
        case Phase.HAND:
            return _("Discard your hand or keep it")
    return _("Choose the cards to keep")


def _results_to_see(user: User) -> Iterable[WaitingRow]:
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
            why = _("See how the game ended and go on to the next")
            yield WaitingRow(game.table.name, "game", game.pk, why, game.ended_at)


def _confirmations(user: User) -> Iterable[WaitingRow]:
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
        yield WaitingRow(name, "table", pk, _("The table is full. Confirm that you are ready"), since)


def _invitations(user: User) -> Iterable[WaitingRow]:
    """Yield tables with a free seat and an unanswered invitation for this user."""
    open_ones = (
        Invitation.objects.to_person(user)
        .filter(state=Invitation.State.SENT, table__state=Table.State.GATHERING, is_kept_back=False)
        .select_related("table__host")
        .only(
            "created_at", "table__name", "table__host__name", "table__host__deleted_at", "table__host__owner"
        )
        .order_by("pk")
    )
    for invitation in open_ones[:MOST_WAITING]:
        table = invitation.table
        host = first_in_sentence(table.host.shown_name) if table.host else ""
        why = _("%(host)s invited you") % {"host": host}
        yield WaitingRow(table.name, "table", table.pk, why, invitation.created_at)


def away_from(user: User) -> Iterable[Mapping[str, Any]]:
    """Return the games in which a bot plays for this absent user, with the name of each table."""
    away = Seat.objects.filter(user=user, table__state=Table.State.PLAYING).exclude(played_by_bot="")
    return away.values("pk", "table__name").annotate(game_pk=Max("table__games")).order_by("pk")
