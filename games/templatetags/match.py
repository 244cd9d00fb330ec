"""Template tags for how a match stands. Read only."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from games.links import seat_url
from games.models import Game, Seat
from games.standings import Standings, standings_as_rows, standings_of
from games.telling.columns import in_columns
from games.viewing.game_view import GameView

register = template.Library()


@register.simple_tag
def match_standings(
    game: Game, names: Sequence[str], seat: Seat | None = None, *, watching: bool = False
) -> Standings | None:
    """How the match of this game stands for the reader who has this seat; None for a game by itself."""
    return standings_of(game, names, seat, watching=watching)


@register.simple_tag
def match_in_letter(view: GameView) -> Standings | None:
    """The same for the reader of a letter."""
    mine = next((seat for seat in view.game.table.seats.all() if seat.number == view.viewer), None)
    return standings_of(view.game, view.names, mine)


@register.simple_tag
def seat_link(seat: Seat) -> str:
    """Where this seat's person answers for it without signing in."""
    return seat_url(seat)


@register.filter
def standings_text(standings: Standings) -> str:
    """The standings in columns."""
    return in_columns(standings_as_rows(standings))
