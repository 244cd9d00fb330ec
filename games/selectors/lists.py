"""Lists of tables and games: open tables, running and finished games, rematches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.models import Block, User
from games.models import Game, Seat, Table
from games.models.matches import ends_match
from games.narration.endings import told_ending
from games.narration.moves import and_list, narrate
from games.narration.roster import roster_at, shown_names
from games.rules import events as happened


def open_tables(reader: User | None = None) -> QuerySet[Table]:
    """Return tables open to anyone with a free seat for the reader, the oldest first.

    Tables of people who block the reader, or whom the reader blocks, are left out. An anonymous table stays
    in, if only the reader blocks. Otherwise blocking people one by one would reveal who sits there.
    """
    found = Table.objects.gathering().annotate_taken().filter(entry=Table.Entry.OPEN, free__gt=0)  # type: ignore[misc]
    if reader is not None:
        found = found.exclude(_is_against(reader, table="pk", host="host", is_anonymous="is_anonymous"))
    return found.select_related("host").order_by("created_at", "pk")


def tables_of(reader: User) -> QuerySet[Table]:
    """Return the tables where the reader has a seat and the game has not begun, the oldest first."""
    return Table.objects.gathering().of(reader).annotate_taken().select_related("host").order_by("pk")


def offered_seats(reader: User | None = None) -> QuerySet[Seat]:
    """Return absent players' seats that the reader may take, at tables open to anyone, the oldest first.

    As with open tables, seats among people who block the reader, or whom the reader blocks, are left out.
    """
    absent = Seat.objects.filter(user__isnull=False).exclude(played_by_bot="")
    open_to_all = absent.filter(
        table__entry=Table.Entry.OPEN, table__state=Table.State.PLAYING, table__absent=Table.Absent.OFFER
    )
    if reader is not None:
        columns = {"host": "table__host", "is_anonymous": "table__is_anonymous"}
        open_to_all = open_to_all.exclude(_is_against(reader, table="table", **columns))
    return open_to_all.select_related("table", "user").order_by("pk")


def _is_against(reader: User, *, table: str, host: str, is_anonymous: str) -> Q:
    """Return a condition: the host or a player at a row's table blocks the reader, or is blocked.

    It is evaluated row by row, because a list shows few of all tables. `table`, `host` and `is_anonymous`
    name the row's columns.
    """
    seats = Seat.objects.filter(table=OuterRef(table))
    block = Block.objects.filter(by=reader)
    blocking = Exists(Block.objects.filter(whom=reader, by=OuterRef(host))) | Exists(
        seats.filter(user__blocks__whom=reader)
    )
    blocked = Exists(block.filter(whom=OuterRef(host))) | Exists(seats.filter(user__in=block.values("whom")))
    return Q(blocking) | Q(blocked, **{is_anonymous: False})


# A user's running and finished games, as rows of a list


@dataclass
class GameRow:
    """One of a user's games, and its current state."""

    game: Game
    names: tuple[str, ...]
    unread: int = 0  # messages at its table

    @property
    def waits_for(self) -> str:
        """The players with a pending decision, as far as it is public."""
        if self.game.phase == "hand":
            return _("hands may be discarded; who is asked stays secret")
        asked = [
            self.names[seat.number]
            for seat in self.game.table.all_seats()
            if seat.pending_decision
            not in (None, "hand")  # in case the phase was read a moment before the seats
        ]
        return _("waits for %(names)s") % {"names": and_list(asked)} if asked else ""

    @property
    def told_result(self) -> str:
        """The winners and the reason, in words."""
        result = self.game.result
        if self.game.ended:
            return told_ending(self.game, self.names)
        if not result:
            return ""
        points = result.get("points")
        ended = happened.GameEnded(tuple(result["winners"]), result["reason"], points and tuple(points))
        return narrate([ended], self.names)[0]


def running_games(user: User) -> QuerySet[Game]:
    """Return the running games in which this user has no pending decision, the latest moved first."""
    mine = Game.objects.running().filter(table__seats__user=user, table__seats__asked_since=None)
    return _with_company(mine).order_by("-moved_at", "-pk")


def finished_games(user: User) -> QuerySet[Game]:
    """Return this user's finished games, the latest first."""
    mine = Game.objects.filter(table__seats__user=user, ended_at__isnull=False)
    return _with_company(mine).order_by("-ended_at", "-pk")


def _with_company(games: QuerySet[Game]) -> QuerySet[Game]:
    columns = "table", "number", "bot", "name", "pending_decision", "user__name", "user__deleted_at"
    seats = Prefetch("table__seats", Seat.objects.select_related("user").only(*columns))
    return games.select_related("table").prefetch_related(seats)


def game_rows(games: Iterable[Game], reader: User) -> list[GameRow]:
    """Return these games of the reader as rows of a list."""
    return [GameRow(game, shown_names(game.table.all_seats(), reader)) for game in games]


# The rematch of a finished game, for one of its players


@dataclass(frozen=True)
class Rematch:
    """The state of a finished game's rematch, for one of its players."""

    table: Table | None  # None: nobody has asked for one yet
    host: str = ""  # by the name that the game's players know
    has_seat: bool = False
    invited: int = 0  # how many would be, if the player asks for it now
    free: int = 0  # seats of former players who cannot be invited

    @property
    def can_sit_down(self) -> bool:
        return self.table is not None and self.table.is_gathering and not self.has_seat


def rematch_for(game: Game, user: User) -> Rematch | None:
    """Return the rematch for this player; None while the game runs, and before the end of its match."""
    if not game.is_over or (game.table.is_match and not ends_match(game)):
        return None
    table = Table.objects.filter(rematch_of=game).select_related("host").first()
    if table is None or table.never_began:
        others = game.table.seats.exclude(user=user).filter(bot="")
        invited = others.filter(user__is_active=True).count()
        return Rematch(None, invited=invited, free=others.count() - invited)
    host = roster_at(game.table, user).name_of(table.host) if table.host else ""
    return Rematch(table, host, table.seats.filter(user=user).exists())
