"""What somebody's own page lists: what waits for him, what runs, what is over. Reads stored columns only.

No game is replayed here, and nobody is named of whom the table may not know that he is asked (R17).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from django.db import connection
from django.db.models import F, Max, OuterRef, Prefetch, QuerySet, Subquery, prefetch_related_objects
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from accounts.names import first_in_sentence
from games.company import company_at
from games.matches import ends_match, fighters_after
from games.models import Game, Invitation, Seat, Table
from games.names import shown_names
from games.rules import events as happened
from games.telling.endings import told_ending
from games.telling.narration import and_list, narrate
from games.telling.told_times import moment, time_until

MOST_WAITING = 100


@dataclass(frozen=True)
class Waiting:
    """One thing that waits for somebody: where, what for, since when, and until when at most."""

    name: str
    address: str
    why: str
    since: datetime
    due_at: datetime | None = None  # when the clock answers for him
    table_id: int | None = None  # where a game is played
    is_next_due: bool = False  # of several that wait for him

    @property
    def until(self) -> str:
        """His deadline in words; empty where no clock runs."""
        return moment(self.due_at) if self.due_at else ""

    @property
    def left(self) -> str:
        return time_until(self.due_at, present.now()) if self.due_at else ""

    @property
    def is_out(self) -> bool:
        """Whether the clock may answer at any moment."""
        return self.due_at is not None and self.due_at <= present.now()


@dataclass(frozen=True)
class GameRow:
    """One game of somebody's, and in a few words how it stands."""

    game: Game
    names: tuple[str, ...]

    @property
    def table_id(self) -> int:
        return self.game.table_id

    @property
    def company(self) -> str:
        return and_list(list(self.names))

    @property
    def waits_for(self) -> str:
        """Who is asked, as far as the table may know."""
        if self.game.phase == "hand":
            return _("hands may be discarded; who is asked stays secret")
        asked = [
            name
            for name, seat in zip(self.names, self.game.table.seats.all(), strict=True)
            if seat.asked_kind not in (None, "hand")  # also if the phase was read a moment before the seats
        ]
        return _("waits for %(names)s") % {"names": and_list(asked)} if asked else ""

    @property
    def result(self) -> str:
        """Who won and how."""
        if self.game.ended:
            return told_ending(self.game, self.names)
        if not self.game.result:
            return ""
        points = self.game.result.get("points")
        ended = happened.GameEnded(
            tuple(self.game.result["winners"]), self.game.result["reason"], points and tuple(points)
        )
        return narrate([ended], self.names)[0]


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
FROM accounts_user AS me WHERE me.id = %s
"""


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
    with connection.cursor() as cursor:
        cursor.execute(_HOLDINGS, [user.pk])
        return Holdings(*cursor.fetchone())


def waiting_for(user: User, has: Holdings = ANYTHING) -> list[Waiting]:
    """What waits for this person, the longest waiting first: games, full tables, invitations."""
    found = [
        *(_questions(user) if has.questions else ()),
        *(_pauses(user) if has.pauses else ()),
        *(_confirmations(user) if has.confirmations else ()),
        *(_invitations(user) if has.invitations else ()),
    ]
    due = sorted(row.due_at for row in found if row.due_at)
    next_due = due[0] if len(due) > 1 else None
    marked = (replace(row, is_next_due=row.due_at is not None and row.due_at == next_due) for row in found)
    return sorted(marked, key=lambda row: row.since)[:MOST_WAITING]


def questions_to(user: User, *, beside: Game | None = None) -> QuerySet[Seat]:
    """The seats in which this person owes a move, the longest waiting first, but not the one in `beside`."""
    waiting = Seat.objects.waiting_for(user)
    return waiting.exclude(table=beside.table_id) if beside else waiting


def _questions(user: User) -> Iterable[Waiting]:
    for seat in questions_to(user)[:MOST_WAITING]:
        assert seat.asked_since is not None
        address = reverse("game", args=[seat.game_pk])  # type: ignore[attr-defined]  # of waiting_for
        yield Waiting(
            seat.table.name, address, _why(seat.asked_kind), seat.asked_since, seat.due_at, seat.table_id
        )


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
            yield Waiting(game.table.name, reverse("game", args=[game.pk]), why, game.ended_at)


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
        address = reverse("table", args=[pk])
        yield Waiting(name, address, _("The table is full: say that it may begin"), since)


def _invitations(user: User) -> Iterable[Waiting]:
    """Tables with a free seat for this person, who has not answered yet."""
    open_ones = (
        Invitation.objects.to_person(user)
        .filter(state=Invitation.State.SENT, table__state=Table.State.GATHERING)
        .select_related("table__host")
        .order_by("pk")
    )
    for invitation in open_ones[:MOST_WAITING]:
        table = invitation.table
        host = first_in_sentence(table.host.shown_name) if table.host else ""
        why = _("%(host)s invites you") % {"host": host}
        yield Waiting(table.name, reverse("table", args=[table.pk]), why, invitation.created_at)


def away_from(user: User) -> QuerySet[Seat]:
    """The seats in which a bot plays for this person until he is back; `game_pk` is the game."""
    away = Seat.objects.filter(user=user, table__state=Table.State.PLAYING).exclude(stand_in="")
    return away.annotate(game_pk=Max("table__games")).select_related("table").order_by("pk")


def offered_seats() -> QuerySet[Seat]:
    """The seats of players who stay away that anyone may take, at tables open to anyone; the oldest first."""
    absent = Seat.objects.filter(user__isnull=False).exclude(stand_in="")
    open_to_all = absent.filter(
        table__entry=Table.Entry.OPEN, table__state=Table.State.PLAYING, table__absent=Table.Absent.OFFER
    )
    return open_to_all.select_related("table__host", "user").order_by("pk")


def gathering_tables(user: User) -> QuerySet[Table]:
    """The tables at which this person has a seat and whose game has not begun, the oldest first."""
    return Table.objects.gathering().of(user).annotate_taken().select_related("host").order_by("pk")


def running_games(user: User) -> QuerySet[Game]:
    """This person's running games that ask him nothing, the latest moved first."""
    asking = questions_to(user).order_by().values("table")
    running = Game.objects.of(user).running().exclude(table__in=asking)
    return running.select_related("table").order_by("-moved_at", "-pk")


def finished_games(user: User) -> QuerySet[Game]:
    """This person's finished games, the latest first."""
    finished = Game.objects.of(user).filter(ended_at__isnull=False)
    return finished.select_related("table").order_by("-ended_at", "-pk")


def read_company(*lists: Iterable[Game]) -> None:
    """Reads who sits at the tables of all these games, in one query."""
    seats = Prefetch("table__seats", Seat.objects.select_related("user").order_by("number"))
    prefetch_related_objects([game for games in lists for game in games], seats)


def rows(games: Iterable[Game], viewer: User) -> Sequence[GameRow]:
    """Games with their company, which has been read, as `viewer` may see it."""
    return [GameRow(game, shown_names(game.table.seats.all(), viewer)) for game in games]


@dataclass(frozen=True)
class Rematch:
    """How the rematch of a finished game stands for one of its players."""

    table: Table | None  # None: nobody has asked for one yet
    host: str = ""  # as the game's players know him
    has_seat: bool = False
    invited: int = 0  # how many would be, if he asks for it now
    free: int = 0  # seats of former players, whom nobody can invite

    @property
    def can_sit_down(self) -> bool:
        return self.table is not None and self.table.is_gathering and not self.has_seat


def rematch_for(game: Game, user: User) -> Rematch | None:
    """The rematch as this player finds it; None while the game runs, and before the end of its match."""
    if not game.is_over or (game.table.is_match and not ends_match(game)):
        return None
    table = Table.objects.filter(rematch_of=game).select_related("host").first()
    if table is None or table.never_began:
        others = game.table.seats.exclude(user=user).filter(bot="")
        invited = others.filter(user__is_active=True).count()
        return Rematch(None, invited=invited, free=others.count() - invited)
    host = company_at(game.table, user).name_of(table.host) if table.host else ""
    return Rematch(table, host, table.seats.filter(user=user).exists())
