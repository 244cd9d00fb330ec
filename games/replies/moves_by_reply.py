"""Make the move, or give the standing order, that a line of a reply says."""

from __future__ import annotations

from accounts.characters import cut
from games.links import LinkedDecision
from games.models import Game, LogEntry, Seat
from games.models.replay import replayed_for
from games.narration.seat_names import shown_names
from games.orders import Aside
from games.presenters.position import Position
from games.replies.line_meanings import Play, StandAside, Unclear, meaning_of
from games.replies.outcomes import LONGEST_QUOTE, Fact, ReplyOutcome, fact
from games.rules import IllegalMove, parse_move
from games.services import AlreadyPlayed, BadOrder, NotAsked, Refused, StaleOrder, give_order, submit_move


def make_replied_move(game: Game, seat: Seat, decision: LinkedDecision, line: str) -> Fact:
    """Do what a line says about this decision; return what came of it."""
    view = _view_of(game, seat)
    if view.decision_step != decision.decision_step:
        return _order_later(view, seat, decision, line)
    match meaning_of(line, view):
        case Play(move, order):
            return _submit(game, seat, decision, Play(move, order))
        case StandAside():
            return _submit(game, seat, decision, Play(parse_move("pass"), Aside()))
        case Unclear(card):
            return fact(ReplyOutcome.UNCLEAR, card=card)
    return fact(ReplyOutcome.UNREAD, text=cut(line, LONGEST_QUOTE))


def _view_of(game: Game, seat: Seat) -> Position:
    names = shown_names(seat.table.all_seats(), seat.user)
    return Position(game, replayed_for(game, seat.number), names, seat.number, reader=seat.number)


def _submit(game: Game, seat: Seat, decision: LinkedDecision, play: Play) -> Fact:
    try:
        played = submit_move(
            game, seat, play.move, decision.decision_step, LogEntry.Via.EMAIL, order=play.order
        )
    except IllegalMove as error:
        return fact(ReplyOutcome.ILLEGAL, reason=error.reason.name)
    except BadOrder as bad:
        return fact(ReplyOutcome.BAD_ORDER, wrong=bad.problems[0].wrong, card=bad.problems[0].card)
    except AlreadyPlayed:
        return fact(ReplyOutcome.KEPT)
    except (NotAsked, Refused):
        return fact(ReplyOutcome.CLOSED)
    if played.again:
        return fact(ReplyOutcome.KEPT)
    return fact(ReplyOutcome.PLAYED, move=str(play.move), has_order=play.order is not None)


def _order_later(view: Position, seat: Seat, decision: LinkedDecision, line: str) -> Fact:
    """Stand aside after the answer to the decision; anything else came too late."""
    answers = LogEntry.objects.filter(game=view.game, seat=seat.number, decision_step__isnull=False)
    newest = answers.order_by("-ply").values_list("decision_step", flat=True).first()
    is_newest = newest == decision.decision_step and view.seen.asked is None
    if is_newest and meaning_of(line, view) == StandAside():
        return _stand_aside(view, seat)
    is_kept = answers.filter(decision_step=decision.decision_step).exists()
    return fact(ReplyOutcome.KEPT if is_kept else ReplyOutcome.CLOSED)


def _stand_aside(view: Position, seat: Seat) -> Fact:
    try:
        give_order(view.game, seat, Aside(), view.replay.state.step)
    except BadOrder as bad:
        return fact(ReplyOutcome.BAD_ORDER, wrong=bad.problems[0].wrong, card=bad.problems[0].card)
    except (StaleOrder, Refused):
        return fact(ReplyOutcome.CLOSED)
    return fact(ReplyOutcome.ORDERED)
