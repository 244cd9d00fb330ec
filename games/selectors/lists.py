"""Lists of tables and games: what waits for a user, open tables, running and finished games, rematches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import clock
from accounts.durations import time_for, time_in
from accounts.models import Block, User
from accounts.names import first_in_sentence
from games.map.board import BoardView
from games.models import Game, Invitation, Seat, Table
from games.models.glimpses import last_event
from games.models.matches import ends_match, fighters_after
from games.narration.cast import Cast, and_list
from games.narration.endings import ending_text
from games.narration.event_sentences import narrate
from games.narration.roster import roster_at
from games.narration.seat_names import shown_names
from games.rules import events as happened

MOST_WAITING = 100
LAST_FINISHED = 5


# What waits for a user: moves, full tables, invitations, and matches that wait for their confirmation


@dataclass
class WaitingRow:
    """One thing that waits for a user: its page, the reason, since when, and the deadline if any."""

    name: str
    page: str  # the URL name
    pk: int
    why: str
    since: datetime
    due_at: datetime | None = None  # when the site moves for the user
    table: int | None = None  # its number, if a game is played
    is_next_due: bool = False  # among several that wait for the user
    unread: int = 0  # messages at the table
    game: GameRow | None = None

    @property
    def left(self) -> str:
        """How far ahead the deadline is."""
        return time_in(self.due_at) if self.due_at else ""

    @property
    def is_out(self) -> bool:
        """Whether the site may move at any moment."""
        return self.due_at is not None and self.due_at <= clock.now()

    @property
    def waited(self) -> str:
        """Since when it waits, in words."""
        return time_for(self.since)


def waiting_for(user: User, most: int = MOST_WAITING) -> list[WaitingRow]:
    """Return what waits for this user, the longest waiting first: games, full tables, invitations."""
    found = [*_questions(user), *_pauses(user), *_confirmations(user), *_invitations(user)]
    due = sorted(row.due_at for row in found if row.due_at)
    for row in found:
        row.is_next_due = len(due) > 1 and row.due_at == due[0]
    return sorted(found, key=lambda row: row.since)[:most]


def games_in(rows: Iterable[WaitingRow]) -> list[Game]:
    """Return the games among these rows, in one query."""
    return list(
        Game.objects.filter(pk__in=[row.pk for row in rows if row.page == "game"]).select_related("table")
    )


def _questions(user: User) -> Iterable[WaitingRow]:
    waiting = Seat.objects.waiting_for(user)
    columns = "table__name", "game_pk", "pending_decision", "asked_since", "due_at", "table"
    for name, game, kind, since, due_at, table in waiting.values_list(*columns)[:MOST_WAITING]:
        yield WaitingRow(name, "game", game, _why(kind), since, due_at, table)


def _why(pending_decision: str | None) -> str:
    match pending_decision:
        case "place":
            return _("Choose a region to fight for")
        case "battle":
            return _("Play a card or pass")
        case "hand":
            return _("Discard your hand or keep it")
    return _("Choose the cards to keep")


def _pauses(user: User) -> Iterable[WaitingRow]:
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
        .only("created_at", "table__name", "table__host__name", "table__host__deleted_at")
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


# Open tables and offered seats


def open_tables(reader: User | None = None) -> QuerySet[Table]:
    """Return tables open to anyone with a free seat for the reader, the oldest first.

    Tables of people who block the reader, or whom the reader blocks, are left out. An anonymous table stays
    in, if only the reader blocks. Otherwise blocking people one by one would reveal who sits there.
    """
    found = Table.objects.gathering().annotate_taken().filter(entry=Table.Entry.OPEN, free__gt=0)  # type: ignore[misc]  # annotated
    if reader is not None:
        found = found.exclude(_is_against(reader, table="pk", host="host", is_anonymous="is_anonymous"))
    return found.select_related("host").order_by("created_at", "pk")


def tables_opened(since: datetime, reader: User) -> QuerySet[Table]:
    """Return the tables that others opened since then and the reader may join, the oldest first."""
    own = Seat.objects.filter(table=OuterRef("pk"), user=reader)
    return open_tables(reader).exclude(Exists(own)).filter(created_at__gt=since)


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


class OthersTurn(NamedTuple):
    """Whose turn it is besides the reader, and until when."""

    name: str
    move_by: datetime
    is_out: bool


@dataclass
class GameRow:
    """One of a user's games, and its current state."""

    game: Game
    names: Cast
    unread: int = 0  # messages at its table

    @property
    def board(self) -> BoardView | None:
        """What the small map of a running game shows; None where nothing was noted."""
        seen = self.game.glimpse
        return BoardView(seen["control"], seen["battle"], seen["pope"], names=self.names) if seen else None

    @property
    def last_told(self) -> str:
        """What happened last, as everyone saw it, told to this reader."""
        event = last_event(self.game.glimpse)
        return "".join(narrate([event], self.names)) if event else ""

    @property
    def lead(self) -> str:
        """The players one region from winning, or else those with most regions."""
        if near := self.game.glimpse.get("near"):
            # Translators: names are players, such as "Anna and you".
            return _("One region from winning: %(names)s") % {"names": self.names.listed(near)}
        held = Counter(self.game.glimpse.get("control", {}).values())
        most = max(held.values(), default=0)
        if most < 2:
            return ""
        leading = self.names.listed(sorted(seat for seat in held if held[seat] == most))
        # Translators: names are players, such as "Anna and you"; each holds n regions.
        return _("Most regions: %(names)s (%(n)d)") % {"names": leading, "n": most}

    @property
    def others(self) -> list[OthersTurn]:
        """The others with a pending decision and a deadline that everyone at the table knows.

        Anonymous tables tell none, as on the page of the game.
        """
        if self.game.phase == "hand" or self.game.table.anonymity:
            return []
        now = clock.now()
        return [
            OthersTurn(first_in_sentence(self.names[seat.number]), seat.due_at, seat.due_at <= now)
            for seat in self._asked
            if seat.due_at and seat.number != self.names.reader
        ]

    @property
    def _asked(self) -> list[Seat]:
        """The seats with a decision that is public; the phase may be read a moment before them."""
        return [seat for seat in self.game.table.all_seats() if seat.pending_decision not in (None, "hand")]

    @property
    def waits_for(self) -> str:
        """The players with a pending decision, as far as it is public."""
        if self.game.phase == "hand":
            return _("Some players may discard their hand. The site keeps secret who they are.")
        asked = [seat.number for seat in self._asked]
        # Translators: names are players, such as "Anna and Bruno".
        return _("Waiting for: %(names)s") % {"names": self.names.listed(asked)} if asked else ""

    @property
    def result_text(self) -> str:
        """The winners and the reason, in words."""
        result = self.game.result
        if self.game.ended:
            return ending_text(self.game, self.names)
        if not result:
            return ""
        points = result.get("points")
        ended = happened.GameEnded(tuple(result["winners"]), result["reason"], points and tuple(points))
        return narrate([ended], self.names)[0]


def running_games(user: User) -> QuerySet[Game]:
    """Return the running games in which this user has no pending decision, the latest moved first."""
    mine = Game.objects.running().filter(table__seats__user=user, table__seats__asked_since=None)
    return mine.select_related("table").order_by("-moved_at", "-pk")


def finished_games(user: User) -> QuerySet[Game]:
    """Return this user's finished games, the latest first."""
    mine = Game.objects.filter(table__seats__user=user, ended_at__isnull=False)
    return mine.select_related("table").order_by("-ended_at", "-pk")


def game_rows(games: Iterable[Game], reader: User) -> dict[int, GameRow]:
    """Return these games of the reader as rows of a list, by number; the players of all in one query."""
    listed = list(games)
    columns = "table", "number", "bot", "name", "pending_decision", "due_at", "user__name", "user__deleted_at"
    seats = Prefetch("table__seats", Seat.objects.select_related("user").only(*columns))
    prefetch_related_objects(listed, seats)
    return {game.pk: GameRow(game, _cast_of(game, reader)) for game in listed}


def _cast_of(game: Game, reader: User) -> Cast:
    seats = game.table.all_seats()
    own = next((seat.number for seat in seats if seat.user_id == reader.pk), None)
    return Cast(shown_names(seats, reader), own)


# Games that anyone may watch


@dataclass
class WatchRow:
    """A game anyone may watch: its players' names and, once it is over, its winners' names."""

    game: Game
    names: str
    winners: str

    @property
    def replay_url(self) -> str:
        """The address where stepping through a finished game begins."""
        table = self.game.table
        if table.is_match:
            return reverse("watch_game_history", args=[table.watch_key, self.game.number, 0])
        return reverse("watch_history", args=[table.watch_key, 0])


def games_anyone_watches() -> QuerySet[Game]:
    """Return the games anyone may watch, the running ones first."""
    return Game.objects.to_watch().select_related("table").prefetch_related("table__seats__user")


def showpiece() -> WatchRow | None:
    """Return the newest game that anyone may replay and that was won by the rules.

    Returns None if none of the last few is one: the whole list is never searched.
    """
    newest = games_anyone_watches().filter(ended_at__isnull=False)[:LAST_FINISHED]
    return next(iter(watch_rows(game for game in newest if game.result and not game.ended)), None)


def watch_rows(games: Iterable[Game]) -> list[WatchRow]:
    """Return these games as rows of a list."""
    rows = []
    for game in games:
        names = shown_names(game.table.seats.all(), None)
        winners = [names[seat] for seat in game.result["winners"]] if game.result else []
        rows.append(WatchRow(game, and_list(names), and_list(winners)))
    return rows


# The rematch of a finished game, for one of its players


@dataclass(frozen=True)
class Rematch:
    """The state of a finished game's rematch, for one of its players."""

    table: Table | None  # None: no one has asked for one yet
    host: str = ""  # by the name that the game's players know
    has_seat: bool = False
    invited: int = 0  # how many would be, if the player asks for it now
    free: int = 0  # seats of former players who cannot be invited

    @property
    def can_sit_down(self) -> bool:
        return self.table is not None and self.table.is_gathering and not self.has_seat

    @property
    def label(self) -> str:
        """What the player can do about it, for a button; empty if nothing."""
        if self.has_seat:
            return _("Open the rematch")
        if self.table is not None:
            return _("Take your seat in the rematch") if self.can_sit_down else ""
        if self.invited:
            return _("Ask for a rematch")
        return _("Create a rematch") if self.free else _("Play a rematch")


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
