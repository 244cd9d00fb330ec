"""Make the move, or give the standing order, that a line of a reply says."""

from __future__ import annotations

from accounts.characters import cut
from games.links import LinkedDecision
from games.models import Game, LogEntry, Seat
from games.models.replay import replayed_for
from games.narration.seat_names import shown_names
from games.orders import Aside
from games.presenters.position import Position
from games.replies.line_meanings import OrderAlone, Play, Unclear, Unread, meaning_of
from games.replies.outcomes import LONGEST_QUOTE, Fact, ReplyOutcome, fact
from games.rules import IllegalMove, parse_move
from games.services import (
    AlreadyPlayed,
    BadOrder,
    NotAsked,
    Refused,
    StaleOrder,
    give_order_after,
    submit_move,
)


def make_replied_move(game: Game, seat: Seat, decision: LinkedDecision, line: str) -> Fact:
    """Do what a line says about this decision; return what came of it."""
    view = _view_of(game, seat)
    if view.decision_step != decision.decision_step:
        return _order_later(view, seat, decision, line)
    match meaning_of(line, view):
        case Play(move, order):
            return _submit(game, seat, decision, Play(move, order))
        case OrderAlone(Aside() as order):  # one to hold needs a card first
            return _submit(game, seat, decision, Play(parse_move("pass"), order))
        case Unclear(card):
            return fact(ReplyOutcome.UNCLEAR, card=card)
    return fact(ReplyOutcome.UNREAD, text=cut(line, LONGEST_QUOTE))


def is_asked_for(seat: Seat, line: str) -> bool:
    """Return whether a line is a move or a standing order, and a running game asks this seat for one."""
    for game in Game.objects.running().filter(table=seat.table_id):
        view = _view_of(game, seat)
        if view.decision_step is not None and not isinstance(meaning_of(line, view), Unread):
            return True
    return False


def _view_of(game: Game, seat: Seat) -> Position:
    names = shown_names(seat.table.all_seats(), seat.user)
    return Position(game, replayed_for(game, seat.number), names, seat.number, reader=seat.number)


def _submit(game: Game, seat: Seat, decision: LinkedDecision, play: Play) -> Fact:
    try:
        played = submit_move(
            game.pk, seat, play.move, decision.decision_step, LogEntry.Via.EMAIL, order=play.order
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
    """Stand aside or hold after the answer to the decision; anything else came too late."""
    meaning = meaning_of(line, view)
    if isinstance(meaning, OrderAlone) and view.seen.asked is None:
        try:
            give_order_after(view.game, seat, meaning.order, decision.decision_step)
        except BadOrder as bad:
            return fact(ReplyOutcome.BAD_ORDER, wrong=bad.problems[0].wrong, card=bad.problems[0].card)
        except (StaleOrder, Refused):
            return _too_late(view, seat, decision)
        return fact(ReplyOutcome.ORDERED)
    return _too_late(view, seat, decision)


def _too_late(view: Position, seat: Seat, decision: LinkedDecision) -> Fact:
    moves = view.game.log.filter(seat=seat.number, decision_step=decision.decision_step)
    return fact(ReplyOutcome.KEPT if moves.exists() else ReplyOutcome.CLOSED)
