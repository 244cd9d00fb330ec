"""What waits for somebody: his moves, full tables, invitations, matches that go on when he has seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from accounts.names import first_in_sentence
from games.matches import fighters_after
from games.models import Game, Invitation, Seat, Table
from games.telling.told_times import moment, time_since, time_until

MOST_WAITING = 100


class Waiting(NamedTuple):
    """One thing that waits for somebody: where, what for, since when, and until when at most."""

    name: str
    page: str  # the name of its address
    pk: int
    why: str
    since: datetime
    due_at: datetime | None = None  # when the clock answers for him
    table: int | None = None  # its number, where a game is played


@dataclass
class WaitingRow:
    """The same as a page shows it at one moment."""

    name: str
    page: str  # the name of its address
    pk: int
    why: str
    due_at: datetime | None
    left: str  # how long it is till then
    is_out: bool  # the clock may answer at any moment
    is_next_due: bool  # of several that wait for him
    waited: str  # since when, in words
    table: int | None
    unread: int = 0  # messages at the table

    @property
    def until(self) -> str:
        """His deadline in words."""
        return moment(self.due_at) if self.due_at else ""


def waiting_for(user: User, most: int = MOST_WAITING) -> list[WaitingRow]:
    """What waits for this person, the longest waiting first: games, full tables, invitations."""
    found = [*_questions(user), *_pauses(user), *_confirmations(user), *_invitations(user)]
    due = sorted(row.due_at for row in found if row.due_at)
    next_due = due[0] if len(due) > 1 else None
    now = present.now()
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
    """The seats in which this person owes a move, the longest waiting first, but not the one in `beside`."""
    waiting = Seat.objects.waiting_for(user)
    return waiting.exclude(table=beside.table_id) if beside else waiting


def _questions(user: User) -> Iterable[Waiting]:
    for seat in questions_to(user)[:MOST_WAITING]:
        assert seat.asked_since is not None
        game = seat.game_pk  # type: ignore[attr-defined]  # of waiting_for
        why = _why(seat.asked_kind)
        yield Waiting(seat.table.name, "game", game, why, seat.asked_since, seat.due_at, seat.table_id)


def _why(asked_kind: str | None) -> str:
    match asked_kind:
        case "place":
            return _("Choose the region to fight for")
        case "battle":
            return _("Play a card or pass")
        case "hand":
            return _("Discard your hand or keep it")
    return _("Choose the cards to keep")


def _pauses(user: User) -> Iterable[Waiting]:
    """Games of matches after which the next waits for this person to have seen how it ended."""
    mine = Seat.objects.filter(user=user, table__next_game_at__isnull=False)
    ready = Seat.objects.filter(user=user, table=OuterRef("table"))
    last = Table.objects.filter(pk__in=mine.values("table")).annotate(last=Max("games")).values("last")
    games = (
        Game.objects.filter(pk__in=last)
        .annotate(my_seat=Subquery(ready.values("number")), ready_for=Subquery(ready.values("ready_for")))
        .filter(ready_for__lte=F("number"))
        .select_related("table")
        .order_by("ended_at", "pk")
    )
    for game in games[:MOST_WAITING]:
        plays_on = game.my_seat in fighters_after(game)  # type: ignore[attr-defined]  # added above
        if plays_on and game.ended_at is not None:
            why = _("See how the game ended, then go on")
            yield Waiting(game.table.name, "game", game.pk, why, game.ended_at)


def _confirmations(user: User) -> Iterable[Waiting]:
    """Full tables at which this person has not said yet that it may begin."""
    unconfirmed = Seat.objects.filter(user=user, confirmed_at=None, table__state=Table.State.GATHERING)
    full = (
        Table.objects.filter(pk__in=unconfirmed.values("table"))
        .annotate_taken()
        .filter(free=0)  # type: ignore[misc]  # added one line above
        .annotate(full_since=Max("seats__taken_at"))
        .order_by("full_since", "pk")
        .values_list("pk", "name", "full_since")
    )
    for pk, name, since in full[:MOST_WAITING]:
        yield Waiting(name, "table", pk, _("The table is full: say that it may begin"), since)


def _invitations(user: User) -> Iterable[Waiting]:
    """Tables with a free seat for this person, who has not answered yet."""
    open_ones = (
        Invitation.objects.to_person(user)
        .filter(state=Invitation.State.SENT, table__state=Table.State.GATHERING, is_kept_back=False)
        .select_related("table__host")
        .order_by("pk")
    )
    for invitation in open_ones[:MOST_WAITING]:
        table = invitation.table
        host = first_in_sentence(table.host.shown_name) if table.host else ""
        why = _("%(host)s invites you") % {"host": host}
        yield Waiting(table.name, "table", table.pk, why, invitation.created_at)


def away_from(user: User) -> QuerySet[Seat]:
    """The seats in which a bot plays for this person until he is back; `game_pk` is the game."""
    away = Seat.objects.filter(user=user, table__state=Table.State.PLAYING).exclude(stand_in="")
    return away.annotate(game_pk=Max("table__games")).select_related("table").order_by("pk")
