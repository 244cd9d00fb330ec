"""Which of a person's games is their first, and which of the guide's hints they have read.

The guide gives hints in a first game. Practice games don't count, but hints that were read there stay read.
It is noted on the seat when the game begins, so that pages and emails need not look for it. Only its own
player's pages and emails may tell of it.
"""

from __future__ import annotations

from collections.abc import Collection

from accounts.full_disk import optional_write
from accounts.models import User
from games.models import Seat, SiteName, Table

GUIDE_COLUMNS = ("is_first_game", "hints_read")


def mark_first_games(table: Table) -> None:
    """Note at which seats of this table, whose game begins now, people play their first game."""
    seats = list(table.seats.people())
    played = _have_played([seat.person.pk for seat in seats], but_at=table)
    for seat in seats:
        if seat.user_id not in played:
            set_guide(seat, is_first_game=True)
            seat.save(update_fields=GUIDE_COLUMNS)


def guide_newcomer(seat: Seat) -> None:
    """Set the guide's columns for the user who has just been given this seat; save nothing."""
    user = seat.user_id
    set_guide(seat, is_first_game=user is not None and not _have_played([user], but_at=seat.table))


def set_guide(seat: Seat, *, is_first_game: bool) -> None:
    """Set whether this is its player's first game, and the hints they have read; save nothing."""
    seat.is_first_game = is_first_game
    seat.hints_read = hints_read_by(seat.user) if is_first_game else []


def _have_played(users: Collection[int], *, but_at: Table) -> set[int]:
    """Return which of these people have a seat in a game elsewhere that is not practice."""
    elsewhere = Seat.objects.filter(user__in=users, table__games__isnull=False).exclude(table=but_at)
    practice = SiteName.beginning("practice")
    return set(elsewhere.exclude(table__name__startswith=practice).values_list("user", flat=True))


def hints_read_by(user: User | None) -> list[str]:
    """Return the hints this person has read in earlier games."""
    if user is None:
        return []
    seats = Seat.objects.filter(user=user).exclude(hints_read=[]).order_by("-pk")
    return seats.values_list("hints_read", flat=True).first() or []


def read_hint(seat: Seat, key: str) -> None:
    """Record that the guide's hint has been read."""
    if key not in seat.hints_read:
        seat.hints_read = [*seat.hints_read, key]
        with optional_write("a hint that was read"):
            seat.save(update_fields=["hints_read"])
