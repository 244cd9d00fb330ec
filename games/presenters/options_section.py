"""What a player can do around the game, besides playing: other pages, notes, a rematch, emails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.urls import reverse

from accounts.mail.models import SuppressedAddress
from accounts.mail.suppression import suppressions_of
from games.access import GameAccess
from games.models import Note, Seat
from games.presenters.position import Position
from games.presenters.reading import Reading
from games.selectors.rematches import Rematch, rematch_for
from games.services.play_on import may_take_back, take_back_key


@dataclass(frozen=True)
class OptionsSection:
    """Links to other pages about the game, and the player's own note.

    Email links and guests get none of a player's private extras.
    """

    proof_url: str = ""  # empty once the game is over, because its result has this link
    arrangements_url: str = ""
    hours_url: str = ""
    note: str = ""  # the player's own about the game
    rematch: Rematch | None = None
    games_waiting: int | None = None  # for the player, this one too; None for those without an account
    waiting_elsewhere: int = 0  # other games that wait for the player, once this one does not


def options_section(
    access: GameAccess, position: Position, reading: Reading, *, has_hours: bool
) -> OptionsSection:
    """Return what this access can do around the game; `has_hours`: also share hours with others."""
    proof = "" if access.game.is_over or access.is_link else reading.proof_url
    if not access.is_seated:
        return OptionsSection(proof)
    waiting = _games_waiting(access)
    return OptionsSection(
        proof_url=proof,
        arrangements_url=reverse("game_arrangements", args=[access.game.pk]),
        hours_url=reverse("game_hours", args=[access.game.pk]) if has_hours else "",
        note=note_at(access),
        rematch=rematch_for(access.game, access.seat.person),
        games_waiting=waiting,
        waiting_elsewhere=waiting if position.decision_step is None else 0,
    )


def take_back_key_at(access: GameAccess, position: Position) -> UUID | None:
    """Return the key of the form that takes back the player's last move; None where they can't."""
    game, seat = access.game, access.seat
    if game.is_over or access.is_link or seat.played_by_bot or not may_take_back(game, seat):
        return None
    plies = zip(game.plies_read, position.replay.plies, strict=True)
    own = [number for number, entry in plies if entry.seat == seat.number]
    return take_back_key(game.table, own[-1]) if own else None


def note_at(access: GameAccess) -> str:
    """Return the player's own note about the game; empty for none."""
    if access.game.waiting_for_reader is not None:  # read for the player, with their note
        return access.game.note_of_reader or ""
    notes = Note.objects.filter(game=access.game, user=access.seat.person)
    return notes.values_list("text", flat=True).first() or ""


def _games_waiting(access: GameAccess) -> int:
    """Return the number of games that wait for the player, counted with the game if it is only read."""
    counted = access.game.waiting_for_reader
    return Seat.objects.asked(access.seat.person).count() if counted is None else counted


@dataclass(frozen=True)
class EmailSection:
    """Whether emails about the game reach its players."""

    failing: Mapping[str, SuppressedAddress] = field(default_factory=dict)  # the addresses at this table
    of_reader: SuppressedAddress | None = None  # the reader's own, if it fails
    is_off: bool = False  # the reader has turned off turn emails
    is_due: bool = False  # the reader plays on, so an email would tell them of their turn


def email_section(access: GameAccess) -> EmailSection:
    """Return whether emails reach the players, and what the page says of the reader's own."""
    seats = [seat for seat in access.seat.table.all_seats() if seat.suppression is not None]
    failing = suppressions_of([seat.user.email for seat in seats if seat.user]) if seats else {}
    reader = access.seat.user
    if reader is None:
        return EmailSection(failing)
    is_due = access.seat.number in access.game.fighters
    return EmailSection(failing, failing.get(reader.email), reader.gets_no_emails, is_due)
