"""Propose, answer and judge deals, as players and the tick do."""

from typing import Any

from games.chat import services as chat_services
from games.chat.models import Channel, Deal
from games.chat.services.deal_answers import answer
from games.chat.services.deal_judging import judge_deals
from games.chat.services.deals import Proposed, ProposedPromise, propose
from games.models import Game, Seat, Table
from games.models.replay import replayed
from games.rules import legal_moves, pending
from tests.games.playing import submit

TEXT = "I help you in the next battle, if you help me in the one after."


def seat_of(table: Table, person: Any) -> Seat:
    return Seat.objects.select_related("table", "user").get(table=table, user=person)


def channel_of(table: Table, *people: Any) -> Channel:
    """Return the private channel of these people; without people, the public one."""
    if not people:
        return chat_services.messages.public_channel(table)
    seats = [seat_of(table, person) for person in people]
    return chat_services.begin_channel(seats[0], seats[1:])


def proposed_to(table: Table, author: Any, *others: Any, channel: Channel | None = None, **more: Any) -> Deal:
    """Propose a deal to the others, in their private channel unless another is given."""
    promises = tuple(more.pop("promises", ()))
    seats = tuple(seat_of(table, person).number for person in others)
    what = Proposed(more.pop("text", TEXT), seats, promises, **more)
    return propose(seat_of(table, author), channel or channel_of(table, author, *others), what)


def standing(table: Table, author: Any, *others: Any, **more: Any) -> Deal:
    """Propose a deal that everyone accepts."""
    deal = proposed_to(table, author, *others, **more)
    for person in others:
        answer(seat_of(table, person), deal.pk, accepts=True)
    deal.refresh_from_db()
    return deal


def no_attack(seat: int, region: str) -> ProposedPromise:
    return ProposedPromise(seat, "no attack", region)


def play(game: Game, *wanted: str) -> None:
    """The seat to move makes the first of its moves that begins this way."""
    state = replayed(Game.objects.select_related("table").get(pk=game.pk)).state
    decision = pending(state)[0]
    moves = legal_moves(state, decision.seat)
    move = next(move for begin in wanted for move in moves if str(move).startswith(begin))
    submit(game, decision.seat, move, decision.decision_step, "web")
    game.refresh_from_db()


def chooser(game: Game) -> int:
    """Return the seat that chooses the region."""
    state = replayed(game).state
    assert state.phase == "place"
    return pending(state)[0].seat


def marks(deal: Deal) -> list[str]:
    """Return the state of each promise, and of the free words last."""
    return [promise.state for promise in deal.promises.all()]


def tick() -> int:
    return judge_deals()
