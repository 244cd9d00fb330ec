"""What a player can do to end a game or to leave it, as their page shows it. Reads only."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.mail.outbox import delayed
from accounts.names import first_in_sentence
from games.models import Game, Invitation, Proposal, Seat, Table
from games.models.matches import last_game
from games.narration.cast import Cast
from games.narration.endings import Names
from games.narration.proposal_words import ProposalWords, proposal_words


@dataclass(frozen=True)
class WaysOut:
    """What one player can do to end a game, or to leave it."""

    game: Game
    seat: Seat
    names: Names
    proposal: Proposal | None
    offer: Invitation | None  # of this player's seat, to someone who has not answered yet

    @property
    def is_offer_delayed(self) -> bool:
        """Whether the email with the offer was not accepted yet and is being retried."""
        return self.offer is not None and is_delayed(self.offer)

    @property
    def can_end(self) -> bool:
        """Whether there is a game to end; between two games of a match, players can only leave."""
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
    def words(self) -> ProposalWords | None:
        """The open proposal as this player reads it."""
        if self.proposal is None:
            return None
        return proposal_words(self.proposal, self.proposer, is_mine=self.is_mine)

    @property
    def agreed(self) -> str:
        """The players who have agreed, the proposer first."""
        if self.proposal is None:
            return ""
        return Cast(self.names, self.seat.number).listed(self.proposal.accepted)


def ways_out(game: Game, seat: Seat, names: Names) -> WaysOut | None:
    """Return a person's ways out of a game they play; None where nothing goes on, and for guests."""
    if seat.user_id is None or seat.table.state != Table.State.PLAYING or not _is_last(game):
        return None
    return WaysOut(game, seat, names, _open_proposal(game), open_offer(seat))


def _is_last(game: Game) -> bool:
    if not game.table.is_match:
        return True
    return last_game(game.table) == game if game.last_number is None else game.last_number == game.number


def _open_proposal(game: Game) -> Proposal | None:
    if game.is_over or game.newest_proposal is None:
        return None
    return game.proposals.filter(closed_at=None).first()


def is_delayed(offer: Invitation) -> bool:
    """Return whether its email was not accepted yet and is being retried."""
    return bool(delayed([offer.email_key]))


def open_offer(seat: Seat) -> Invitation | None:
    """Return the offer of this seat to someone who has not answered yet."""
    if seat.sent_offer is None:
        return None
    return seat.invitations.filter(state=Invitation.State.SENT).first()
