"""Sets up tables and plays games through the services, for tests that need a certain position."""

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import clock
from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, Seat, Table
from games.models.locking import seats_of
from games.models.replay import replayed
from games.orders import Order
from games.rules import Decision, Move, Options, State, apply, legal_moves, new_game, parse_move, pending
from games.services.automatic_moves import bots_among, play_automatic_moves
from games.services.continue_game import continue_game
from games.services.lobby import ask_everybody_to_confirm
from games.services.orders import RunningOrders
from games.services.progress import Progress
from games.services.start import start_game


def seat_table(people: Sequence[Any], **terms: Any) -> Table:
    """Make a table of these people, with the first as host; no one has confirmed."""
    table = _seated(people, terms)
    if len(people) == table.size:
        with transaction.atomic():
            ask_everybody_to_confirm(table)
    return table


def begin_game(people: Sequence[Any], **terms: Any) -> Game:
    """Begin a game of these people."""
    table = _seated(people, terms)
    table.seats.update(confirmed_at=clock.now())
    with transaction.atomic():
        start_game(table)
    return Game.objects.get(table=table)


def _seated(people: Sequence[Any], terms: dict[str, Any]) -> Table:
    """Store what `take_seat` leaves in one step: most tests are about what comes later."""
    secret = hashlib.sha256(b"the same deals in every run").digest()
    terms = {"name": "Table 42", "size": len(people), "entry": "open", "secret": secret} | terms
    table = services.make_table(people[0], **terms)
    Seat.objects.bulk_create(
        Seat(table=table, user=person, number=number) for number, person in enumerate(people[1:], 1)
    )
    return table


Policy = Callable[[State, Decision, Sequence[Move]], Move]


def play_until(
    game: Game, enough: Callable[[State, Decision], bool], seed: int = 1, policy: Policy | None = None
) -> State:
    """Play random legal moves until a decision satisfies `enough`, or to the end; return the last state.

    They are stored at once. They leave what moves made one by one leave, except the emails that asked for
    each (test_playing_at_once.py compares the two).
    """
    rng, now = random.Random(seed), clock.now()
    with transaction.atomic():
        locked = Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game.pk)
        progress, bots = Progress(replayed(locked).state), bots_among(seats_of(locked))
        orders = RunningOrders(locked, progress.since)
        while (found := _next_move(progress.state, enough, rng, policy)) is not None:
            decision, move = found
            progress.play(locked, decision.seat, move, now, decision_step=decision.decision_step, via="web")
            play_automatic_moves(locked, progress, bots, orders, now)
        if progress.entries:
            continue_game(locked, progress, now)
    game.refresh_from_db()
    return progress.state


def submit_until(game: Game, enough: Callable[[State, Decision], bool], seed: int = 1) -> State:
    """Play the moves of `play_until` one by one, as players would; return the last state."""
    rng = random.Random(seed)
    while (found := _next_move(state := replayed(game).state, enough, rng)) is not None:
        decision, move = found
        submit(game, decision.seat, move, decision.decision_step, "web")
    game.refresh_from_db()
    return state


def _next_move(
    state: State, enough: Callable[[State, Decision], bool], rng: random.Random, policy: Policy | None = None
) -> tuple[Decision, Move] | None:
    """Return a pending decision and its answer; None if one satisfies `enough` or none is left."""
    decisions = pending(state)
    if not decisions or any(enough(state, decision) for decision in decisions):
        return None
    decision = rng.choice(decisions)
    moves = legal_moves(state, decision.seat)
    return decision, policy(state, decision, moves) if policy else rng.choice(moves)


def game_where(
    people: Sequence[Any], enough: Callable[[State, Decision], bool], seed: int = 1
) -> tuple[Game, State]:
    """A stored game in which some open decision satisfies `enough`, and its state.

    It is looked for in memory, with shuffles of its own, and stored when found.
    """
    rng = random.Random(seed)
    for _ in range(2000):
        state, log = _random_log(rng, len(people), enough)
        if pending(state):
            return _stored(people, log), state
    raise AssertionError("no such position in 2,000 games")


def _random_log(
    rng: random.Random, players: int, enough: Callable[[State, Decision], bool]
) -> tuple[State, list[tuple[int | None, Move]]]:
    state, log = new_game(Options(), players, 0), list[tuple[int | None, Move]]()
    while not any(enough(state, decision) for decision in pending(state)):
        if state.is_over:
            break
        if state.phase == "shuffle":
            pile = list(state.shuffle_pile)
            rng.shuffle(pile)
            seat, move = None, parse_move(" ".join(["shuffle", *pile]))
        else:
            seat = rng.choice(pending(state)).seat
            move = _likely(rng, legal_moves(state, seat))
        state, _ = apply(state, seat, move)
        log.append((seat, move))
    return state, log


def _likely(rng: random.Random, moves: Sequence[Move]) -> Move:
    """Choose a move, Mercenaries first, so that hands without one come up often."""
    mercenaries = [move for move in moves if move.card and move.card.isdigit()]
    return rng.choice(mercenaries) if mercenaries and rng.random() < 0.8 else rng.choice(moves)


@transaction.atomic
def _stored(people: Sequence[Any], log: Sequence[tuple[int | None, Move]]) -> Game:
    game = begin_game(people)
    OutgoingEmail.objects.all().delete()
    game.log.all().delete()
    game.first_condottiere = 0
    game.save()
    progress = Progress(new_game(Options(), len(people), 0))
    now = timezone.now()
    for seat, move in log:
        progress.play(game, seat, move, now)
    with transaction.atomic():
        continue_game(game, progress, now)
    return game


def play_to_the_end(game: Game, seed: int = 1) -> State:
    """Play random legal moves to the end."""
    return play_until(game, lambda _state, _decision: False, seed)


def decision_of(game: Game) -> Decision:
    """Return the first open decision."""
    return pending(replayed(game).state)[0]


def submit(
    game: Game, seat: int, move: Move, decision_step: int, via: str = "web", order: Order | None = None
) -> services.Played:
    """Submit the move of the player who has this seat now."""
    holder = Seat.objects.get(table=game.table_id, number=seat)
    return services.submit_move(game.pk, holder, move, decision_step, via, order)


def answer(game: Game, text: str, via: str = "web") -> None:
    """Answer the first open decision with this move."""
    decision = decision_of(game)
    submit(game, decision.seat, parse_move(text), decision.decision_step, via)
    game.refresh_from_db()


def legal_texts(game: Game) -> list[str]:
    state = replayed(game).state
    return [str(move) for move in legal_moves(state, pending(state)[0].seat)]
