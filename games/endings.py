"""A table's own ways to end a game, in words: who gave a seat to whom, and what all agreed upon (R49).

Reads stored rows only; what the rules themselves end is told by narration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from games.matches import last_game
from games.models import Game, Invitation, Proposal, Seat, SeatChange, Table
from games.names import bot_name
from games.narration import and_list

Names = Sequence[str]


def told_ending(game: Game, names: Names) -> str:
    """How the table ended the game and who won by that; empty where it did not."""
    if not game.ended:
        return ""
    winners = [names[seat] for seat in (game.result or {}).get("winners", [])]
    if game.ended == Game.Ended.ABANDONED:
        return _("Abandoned: nobody wins.")
    if not winners:
        return _("Ended by common consent: nobody wins.")
    words = {"names": and_list(winners)}
    if len(winners) > 1:
        return _("Ended by common consent: %(names)s share the victory with the most regions.") % words
    return _("Ended by common consent: %(names)s wins with the most regions.") % words


def told_change(change: SeatChange) -> str:
    """That one seat went to somebody else."""
    words = {
        "before": first_in_sentence(change.before.shown_name),
        "after": change.after.shown_name if change.after else bot_name(change.seat),
    }
    return _("%(before)s gave the seat to %(after)s.") % words


@dataclass(frozen=True)
class WaysOut:
    """What one player can do to end a game, or to leave it."""

    game: Game
    seat: Seat
    names: Names
    proposal: Proposal | None
    offer: Invitation | None  # of his seat, to somebody who has not answered yet

    @property
    def can_end(self) -> bool:
        """Whether there is a game to end; between two games of a match one can only leave."""
        return not self.game.is_over

    @property
    def is_mine(self) -> bool:
        return self.proposal is not None and self.proposal.seat == self.seat.number

    @property
    def has_agreed(self) -> bool:
        return self.proposal is not None and self.seat.number in self.proposal.accepted

    @property
    def proposer(self) -> str:
        return first_in_sentence(self.names[self.proposal.seat]) if self.proposal else ""

    @property
    def agreed(self) -> str:
        """Who has said yes, the proposer first among them."""
        return and_list([self.names[seat] for seat in self.proposal.accepted]) if self.proposal else ""


def ways_out(game: Game, seat: Seat, names: Names) -> WaysOut | None:
    """The ways out of a game for a person who plays it; None where nothing goes on, and for guests."""
    if seat.user_id is None or seat.table.state != Table.State.PLAYING or last_game(seat.table) != game:
        return None
    proposal = None if game.is_over else game.proposals.filter(closed_at=None).first()
    offer = seat.invitations.filter(state=Invitation.State.SENT).first()
    return WaysOut(game, seat, names, proposal, offer)
