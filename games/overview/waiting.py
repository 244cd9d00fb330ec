"""What waits for somebody: his moves, full tables, invitations, matches that go on when he has seen."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import F, Max, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from accounts import present
from accounts.composed import rows
from accounts.models import User
from accounts.names import first_in_sentence
from games.matches import fighters_after
from games.models import Game, Invitation, Seat, Table
from games.overview.statements import UNREAD, composed, instant, instant_or_none
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
    unread: int = 0  # messages, where a game is played


class WaitingRow(NamedTuple):
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
    unread: int

    @property
    def until(self) -> str:
        """His deadline in words."""
        return moment(self.due_at) if self.due_at else ""


_HOLDINGS = """
SELECT
  (SELECT COUNT(*) FROM games_game AS game JOIN games_seat AS seat ON seat.table_id = game.table_id
     WHERE seat.user_id = me.id AND game.ended_at IS NULL AND seat.asked_since IS NULL),
  (SELECT COUNT(*) FROM games_game AS game JOIN games_seat AS seat ON seat.table_id = game.table_id
     WHERE seat.user_id = me.id AND game.ended_at IS NOT NULL),
  (SELECT COUNT(*) FROM games_seat AS seat JOIN games_table AS board ON board.id = seat.table_id
     WHERE seat.user_id = me.id AND board.state = 'gathering'),
  EXISTS (SELECT 1 FROM games_seat WHERE user_id = me.id AND asked_since IS NOT NULL),
  EXISTS (SELECT 1 FROM games_seat AS seat JOIN games_table AS board ON board.id = seat.table_id
     WHERE seat.user_id = me.id AND board.next_game_at IS NOT NULL),
  EXISTS (SELECT 1 FROM games_seat AS seat JOIN games_table AS board ON board.id = seat.table_id
     WHERE seat.user_id = me.id AND seat.confirmed_at IS NULL AND board.state = 'gathering'
       AND board.size <= (SELECT COUNT(*) FROM games_seat WHERE table_id = board.id)),
  EXISTS (SELECT 1 FROM games_invitation
     WHERE state = 'sent' AND (user_id = me.id OR (user_id IS NULL AND LOWER(email) = LOWER(me.email)))),
  EXISTS (SELECT 1 FROM games_seat WHERE user_id = me.id AND stand_in <> ''),
  EXISTS (SELECT 1 FROM post_failingaddress WHERE address = LOWER(me.email))
FROM accounts_user AS me WHERE me.id = %(reader)s
"""
_QUESTIONS = composed(
    """
SELECT board.name, (SELECT MAX(id) FROM games_game WHERE table_id = board.id), seat.asked_kind,
  seat.asked_since, seat.due_at, {unread}
FROM games_seat AS seat JOIN games_table AS board ON board.id = seat.table_id
WHERE seat.user_id = %(reader)s AND seat.asked_since IS NOT NULL
ORDER BY seat.asked_since, seat.id LIMIT %(most)s
""",
    unread=UNREAD,
)


class Holdings(NamedTuple):
    """How much of each kind somebody has, so that what he has none of need not be asked for."""

    running: int = 1
    finished: int = 1
    gathering: int = 1
    questions: bool = True
    pauses: bool = True
    confirmations: bool = True
    invitations: bool = True
    away: bool = True
    failing: bool = True


ANYTHING = Holdings()  # nobody has looked: all is asked for


def holdings_of(user: User) -> Holdings:
    """In one query."""
    return Holdings(*rows(_HOLDINGS, reader=user.pk)[0])


def waiting_for(user: User, has: Holdings = ANYTHING, most: int = MOST_WAITING) -> list[WaitingRow]:
    """What waits for this person, the longest waiting first: games, full tables, invitations."""
    found = [
        *(_questions(user) if has.questions else ()),
        *(_pauses(user) if has.pauses else ()),
        *(_confirmations(user) if has.confirmations else ()),
        *(_invitations(user) if has.invitations else ()),
    ]
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
        row.unread,
    )


def questions_to(user: User, *, beside: Game | None = None) -> QuerySet[Seat]:
    """The seats in which this person owes a move, the longest waiting first, but not the one in `beside`."""
    waiting = Seat.objects.waiting_for(user)
    return waiting.exclude(table=beside.table_id) if beside else waiting


def _questions(user: User) -> Iterable[Waiting]:
    for name, game, kind, since, due_at, unread in rows(_QUESTIONS, reader=user.pk, most=MOST_WAITING):
        yield Waiting(name, "game", game, _why(kind), instant(since), instant_or_none(due_at), unread)


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
