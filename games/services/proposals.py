"""Proposals to all players of a running game: end it (R49), pause its clocks, or give more time.

Bots agree, including those that play for absent players. The last player to agree carries it out.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue_each
from accounts.rate_limits import hit
from games.clocks.pauses import PRESSED_TWICE, carry_out, require_sense
from games.models import Game, Proposal, Seat
from games.models.locking import Refused, locked_for, present_people, require_present, require_running
from games.services.game_endings import end_by_table, holding_most_regions

PROPOSALS_A_DAY = 10
ENDS = (Proposal.What.MOST_REGIONS, Proposal.What.NONE)


@transaction.atomic
def propose_end(seat: Seat, game: Game, what: str) -> Proposal:
    """Propose to all players that the game end now with this result (R49).

    Bots agree at once, so this may end the game. Repeating the proposal returns the open one, or the one that
    ended the game. Raises Refused if another one is open, or the game is over.
    """
    if what not in ENDS:
        raise Refused(_("Choose one of the results on the page."))
    game = locked_for(game, seat)
    same = game.proposals.filter(seat=seat.number, what=what)
    standing = same.order_by("pk").last()
    if standing is not None and (standing.closed_at is None or game.ended == Game.Ended.AGREEMENT):
        return standing
    return _propose(game, seat, what, None)


@transaction.atomic
def propose_time(seat: Seat, game: Game, what: str, amount: int | None = None) -> Proposal:
    """Propose to pause the clocks, to resume them, or to give more time for the pending decisions.

    `amount` is the days of a pause, or the open hours of more time. If no one else has to agree, it is done
    at once. Repeating the proposal returns the open one, or one closed a moment ago.

    Raises Refused if another one is open, no clock runs, or the change makes no sense now.
    """
    game, now = locked_for(game, seat), clock.now()
    same = game.proposals.filter(seat=seat.number, what=what, amount=amount)
    standing = same.order_by("pk").last()
    if standing is not None and (standing.closed_at or now) > now - PRESSED_TWICE:
        return standing
    require_sense(game, what, amount, now)
    return _propose(game, seat, what, amount)


def _propose(game: Game, seat: Seat, what: str, amount: int | None) -> Proposal:
    require_running(game)
    require_present(seat)
    if game.proposals.filter(closed_at=None).exists():
        raise Refused(_("There is already an open proposal. Answer it first."))
    if not hit("propose end", str(seat.user_id), PROPOSALS_A_DAY):
        raise Refused(
            _("You have reached the limit of proposals for today (%(most)d). Try again tomorrow.")
            % {"most": PROPOSALS_A_DAY}
        )
    now = clock.now()
    proposal = Proposal.objects.create(
        game=game, seat=seat.number, what=what, amount=amount, accepted=[seat.number], made_at=now
    )
    if not _carry_out_unless_awaited(game, proposal, now):
        _tell_others(game, proposal, seat)
    return proposal


def _tell_others(game: Game, proposal: Proposal, seat: Seat) -> None:
    kind = "end_proposed" if proposal.what in ENDS else "time_proposed"
    others = present_people(game).exclude(pk=seat.pk)
    people = {f"end:{proposal.pk}:{other.pk}": other.person for other in others}
    queue_each(kind, people, {"game": game.pk, "proposal": proposal.pk})


@transaction.atomic
def accept_proposal(seat: Seat, proposal: Proposal) -> None:
    """Agree to a proposal; the last player to agree carries it out. Safe to repeat.

    Raises Refused if it is closed, the game is over, or a bot plays for this player.
    """
    game = locked_for(proposal.game, seat)
    standing = game.proposals.get(pk=proposal.pk)
    if seat.number in standing.accepted and (game.is_over or not _was_refused(game, standing)):
        return
    require_running(game)
    if standing.closed_at is not None:
        raise Refused(_("That proposal was refused or withdrawn."))
    require_present(seat)
    standing.accepted = sorted([*standing.accepted, seat.number])
    standing.save(update_fields=["accepted"])
    _carry_out_unless_awaited(game, standing, clock.now())


@transaction.atomic
def refuse_proposal(seat: Seat, proposal: Proposal) -> None:
    """Reject a proposal, or withdraw one's own; the game continues unchanged. Safe to repeat.

    Raises Refused if the game is over, or a bot plays for this player.
    """
    game = locked_for(proposal.game, seat)
    require_running(game)
    require_present(seat)
    game.proposals.filter(pk=proposal.pk, closed_at=None).update(closed_at=clock.now())


def carry_out_if_agreed(game: Game, now: datetime) -> bool:
    """Carry out the open proposal if it waited only for a player who has left or is now absent.

    Returns whether it was carried out. Call this under the game's lock.
    """
    standing = game.proposals.filter(closed_at=None).first()
    return standing is not None and _carry_out_unless_awaited(game, standing, now)


def _carry_out_unless_awaited(game: Game, proposal: Proposal, now: datetime) -> bool:
    """Carry out the proposal if no one has to agree any more; return whether it was carried out."""
    if _is_awaited(game, proposal):
        return False
    if proposal.what in ENDS:
        winners = holding_most_regions(game) if proposal.what == Proposal.What.MOST_REGIONS else ()
        end_by_table(game, Game.Ended.AGREEMENT, winners, now)
    else:
        proposal.closed_at = now
        proposal.save(update_fields=["closed_at"])
        carry_out(game, proposal.what, proposal.amount, None, now)
    return True


def _is_awaited(game: Game, proposal: Proposal) -> bool:
    return present_people(game).exclude(number__in=proposal.accepted).exists()


def _was_refused(game: Game, proposal: Proposal) -> bool:
    return proposal.closed_at is not None and _is_awaited(game, proposal)
