"""What lies beside a game on its player's page, read at once: most of it is usually not there, and need not
be asked for. Shows nothing by itself and writes nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import connection

from accounts import present
from accounts.addresses import normal_address
from accounts.composed import rows
from accounts.post.failing import TRIED_ANEW_AFTER
from games.links import list_of
from games.models import Game, Invitation, Seat, Seen

_QUERY = """
SELECT seen.id, seen.number, seen.step,
  (SELECT text FROM games_note WHERE game_id = game.id AND user_id = seat.user_id),
  (SELECT COUNT(*) FROM games_seat WHERE user_id = seat.user_id AND asked_since IS NOT NULL
     AND table_id <> game.table_id),
  EXISTS (SELECT 1 FROM games_game AS later WHERE later.table_id = game.table_id
     AND later.number > game.number),
  EXISTS (SELECT 1 FROM games_proposal WHERE game_id = game.id AND closed_at IS NULL),
  EXISTS (SELECT 1 FROM games_invitation WHERE seat_id = seat.id AND state = %s),
  EXISTS (SELECT 1 FROM games_timeevent WHERE game_id = game.id),
  EXISTS (SELECT 1 FROM games_seatchange AS change JOIN games_game AS later ON later.id = change.game_id
     WHERE later.table_id = game.table_id AND later.number >= game.number),
  EXISTS (SELECT 1 FROM accounts_holiday WHERE user_id = seat.user_id),
  EXISTS (SELECT 1 FROM post_silenced WHERE address = %s AND list_id = %s),
  EXISTS (SELECT 1 FROM post_failingaddress WHERE since > %s AND address IN ({addresses}))
FROM games_game AS game JOIN games_seat AS seat ON seat.table_id = game.table_id
LEFT JOIN games_seen AS seen ON seen.table_id = game.table_id AND seen.user_id = seat.user_id
WHERE game.id = %s AND seat.id = %s
"""


class Surroundings(NamedTuple):
    """The player's own affairs, and whether there is anything of each kind."""

    seen: Seen | None
    note: str | None
    waiting_elsewhere: int
    has_later_games: bool
    has_proposal: bool
    has_offer: bool
    has_time_events: bool
    has_seat_changes: bool
    has_holidays: bool
    is_silenced: bool
    mail_fails: bool  # to anybody at the table, as far as the player may know

    @property
    def lacking(self) -> frozenset[str]:
        """What the game has none of: `Game.lacks`."""
        has = {
            "later games": self.has_later_games,
            "proposals": self.has_proposal,
            "offers": self.has_offer,
            "time events": self.has_time_events,
            "seat changes": self.has_seat_changes,
            "own holidays": self.has_holidays,
            "silence": self.is_silenced,
            "failing mail": self.mail_fails,
        }
        return frozenset(name for name, is_there in has.items() if not is_there)


def surroundings_of(game: Game, seat: Seat) -> Surroundings:
    """Everything beside the game for the person who has this seat, in one query."""
    # Where nobody knows who is who, nothing may tell whose mail fails: his own is all that is looked for.
    looked_at = [seat] if game.table.veil else game.table.all_seats()
    addresses = [normal_address(one.user.email) for one in looked_at if one.user]
    query = _QUERY.format(addresses=", ".join(["%s"] * len(addresses)))
    known = [Invitation.State.SENT, normal_address(seat.person.email), list_of(game)]
    since = connection.ops.adapt_datetimefield_value(present.minute() - TRIED_ANEW_AFTER)
    found = rows(query, *known, since, *addresses, game.pk, seat.pk)[0]
    return Surroundings(_seen(game, seat, found[:3]), found[3], found[4], *map(bool, found[5:]))


def _seen(game: Game, seat: Seat, found: tuple[Any, ...]) -> Seen | None:
    pk, number, step = found
    if pk is None:
        return None
    return Seen(pk=pk, table=game.table, user=seat.person, number=number, step=step)
