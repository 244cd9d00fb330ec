"""A user's running and finished games, as rows of a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.names import first_in_sentence
from games.map.board import BoardView
from games.models import Game, Seat
from games.models.glimpses import last_event
from games.narration.cast import Cast
from games.narration.endings import ending_text
from games.narration.event_sentences import narrate
from games.narration.seat_names import shown_names
from games.rules import Phase
from games.rules import events as happened


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
        if self.game.phase == Phase.HAND or self.game.table.anonymity:
            return []
        now = clock.now()
        return [
            OthersTurn(first_in_sentence(self.names[seat.number]), seat.due_at, seat.due_at <= now)
            for seat in self._deciding
            if seat.due_at and seat.number != self.names.reader
        ]

    @property
    def _deciding(self) -> list[Seat]:
        """The seats with a decision that is public; the phase may be read a moment before them."""
        return [
            seat for seat in self.game.table.all_seats() if seat.pending_decision not in (None, Phase.HAND)
        ]

    @property
    def waits_for(self) -> str:
        """The players with a pending decision, as far as it is public."""
        if self.game.phase == Phase.HAND:
            return _("Some players may discard their hand. The site keeps secret who they are.")
        asked = [seat.number for seat in self._deciding]
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
    columns = "table", "number", "bot", "played_by_bot", "name", "pending_decision", "due_at"
    of_names = "user__name", "user__owner", "user__deleted_at", "user__is_active", "user__hides_page"
    seats = Prefetch("table__seats", Seat.objects.select_related("user").only(*columns, *of_names))
    prefetch_related_objects(listed, seats)
    return {game.pk: GameRow(game, _cast_of(game, reader)) for game in listed}


def _cast_of(game: Game, reader: User) -> Cast:
    seats = game.table.all_seats()
    own = next((seat.number for seat in seats if seat.user_id == reader.pk), None)
    return Cast(shown_names(seats, reader), own)
