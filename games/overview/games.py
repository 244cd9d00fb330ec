"""Somebody's running and finished games, as a list shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from games.models import Game, Seat
from games.names import shown_names
from games.rules import events as happened
from games.telling.endings import told_ending
from games.telling.narration import and_list, narrate


@dataclass
class GameRow:
    """One game of somebody's, and how it stands."""

    game: Game
    names: tuple[str, ...]
    unread: int = 0  # messages at its table

    @property
    def waits_for(self) -> str:
        """Who is asked, as far as the table may know."""
        if self.game.phase == "hand":
            return _("hands may be discarded; who is asked stays secret")
        asked = [
            self.names[seat.number]
            for seat in self.game.table.all_seats()
            if seat.asked_kind not in (None, "hand")  # also if the phase was read a moment before the seats
        ]
        return _("waits for %(names)s") % {"names": and_list(asked)} if asked else ""

    @property
    def told_result(self) -> str:
        """Who won and how."""
        result = self.game.result
        if self.game.ended:
            return told_ending(self.game, self.names)
        if not result:
            return ""
        points = result.get("points")
        ended = happened.GameEnded(tuple(result["winners"]), result["reason"], points and tuple(points))
        return narrate([ended], self.names)[0]


def running_games(user: User) -> QuerySet[Game]:
    """The running games that ask this person nothing, the latest moved first."""
    mine = Game.objects.running().filter(table__seats__user=user, table__seats__asked_since=None)
    return _with_company(mine).order_by("-moved_at", "-pk")


def finished_games(user: User) -> QuerySet[Game]:
    """This person's finished games, the latest first."""
    mine = Game.objects.filter(table__seats__user=user, ended_at__isnull=False)
    return _with_company(mine).order_by("-ended_at", "-pk")


def _with_company(games: QuerySet[Game]) -> QuerySet[Game]:
    columns = "table", "number", "bot", "name", "asked_kind", "user__name", "user__deleted_at"
    seats = Prefetch("table__seats", Seat.objects.select_related("user").only(*columns))
    return games.select_related("table").prefetch_related(seats)


def game_rows(games: Iterable[Game], reader: User) -> list[GameRow]:
    """These games of the reader's as rows of a list."""
    return [GameRow(game, shown_names(game.table.all_seats(), reader)) for game in games]
