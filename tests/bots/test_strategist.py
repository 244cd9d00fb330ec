"""Strategist answers every decision with a legal move, always the same one, from what its seat may know."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from games.bots.strategist import Budget, DamagedWeights, KnownCards, choose_move
from games.bots.strategist.card_numbers import CARDS, NUMBER_OF, PUNCHES
from games.bots.strategist.chance import Chance, growth
from games.bots.strategist.lessons import captain, shuffle
from games.bots.strategist.likely_hands import EVEN, Likelihoods
from games.bots.strategist.position_value import chances
from games.bots.strategist.search import played_out
from games.bots.strategist.stakes import Stakes
from games.bots.strategist.weights import PATH, own_weights, read_weights
from games.bots.strategist.world_building import Dealer
from games.rules import (
    Observation,
    Options,
    Phase,
    State,
    apply,
    new_final_battle,
    new_game,
    observe,
    parse_move,
    pending,
    redact,
    replay,
)
from tests.bots.test_answers import EVERY_OPTION_SET
from tests.rules.random_play import random_game
from tests.rules.stage import staged
from tests.simulation.games.resampling import resampled

SHORT = Budget(playouts=12)
pytestmark = pytest.mark.once


def _asked(options: Options, players: int, seed: int, count: int) -> list[tuple[Observation, KnownCards]]:
    """Some decisions of a random game, with what the seat remembers."""
    game = random_game(seed, options, players, passing=0.3, cut=200)
    played = replay(options, players, game.first, game.log)
    known = [KnownCards.none(players)] * players
    found = []
    for state, ply in zip(played.states, played.plies, strict=False):
        found += [(observe(state, decision.seat), known[decision.seat]) for decision in pending(state)]
        known = [hands.after(redact(ply.events, seat)) for seat, hands in enumerate(known)]
    rare = [each for each in found if each[0].phase in (Phase.HAND, Phase.KEEP)][:2]
    return rare + Random(seed).sample(found, min(count, len(found)))


@pytest.mark.parametrize(
    "players",
    [pytest.param(count, marks=[] if count in (2, 6) else pytest.mark.long) for count in range(2, 7)],
)
def test_every_move_is_legal_and_the_same_again(players: int) -> None:
    kinds: Counter[str] = Counter()
    for number, options in enumerate(EVERY_OPTION_SET[players - 2 :: 5]):
        for seen, known in _asked(options, players, number, 4):
            move = choose_move(seen, known, "seed", SHORT)
            assert move in seen.legal
            assert choose_move(seen, known, "seed", SHORT) == move
            kinds[seen.phase] += 1
    assert kinds["place"]
    assert kinds["battle"]
    assert kinds["hand"] + kinds["keep"]


def test_imagined_cards_agree_with_what_the_seat_knows() -> None:
    remembered = 0
    for number, options in enumerate(EVERY_OPTION_SET):
        for seen, known in _asked(options, 2 + number % 5, 1000 + number, 6):
            chance = Chance(number)
            for _ in range(2):
                world = Dealer(seen, known, own_weights().hands).deal(chance)
                _agrees(seen, known, world)
            remembered += sum([len(hand) for hand in known.hands])
    assert remembered > 20


def _agrees(seen: Observation, known: KnownCards, world) -> None:
    everywhere = Counter(
        [CARDS[card] for group in (*world.hands, *world.down, *world.lines) for card in group]
    )
    assert everywhere <= Counter(seen.options.copies)
    if seen.phase == Phase.PLACE and sum(map(bool, seen.hand_sizes)) <= 1:
        return  # a new round is imagined
    everywhere = Counter([CARDS[card] for group in (*world.hands, *world.down) for card in group]) + Counter(
        [card for line in (*seen.lines, seen.discards) for card in line]
    )
    assert everywhere <= Counter(seen.options.copies)
    assert [CARDS[card] for card in world.hands[seen.seat]] == list(seen.hand)
    assert tuple([len(hand) for hand in world.hands]) == seen.hand_sizes
    assert tuple([bool(down) for down in world.down]) == seen.face_down
    for seat, hand in enumerate(known.hands):
        if seat != seen.seat:
            assert Counter(hand) <= Counter(world.hands[seat])


def test_what_is_remembered_is_true() -> None:
    """What a seat believes to be in a hand is in that hand."""
    believed = 0
    for number, options in enumerate(EVERY_OPTION_SET):
        game = random_game(number, options, 3, passing=0.2, cut=150)
        played = replay(options, 3, game.first, game.log)
        known = KnownCards.none(3)
        for ply, after in zip(played.plies, played.states[1:], strict=True):
            known = known.after(redact(ply.events, 0))
            for seat in (1, 2):
                if after.before is None:
                    assert Counter(known.hands[seat]) <= Counter(after.hands[seat])
                    believed += len(known.hands[seat])
    assert believed > 100


def test_what_a_seat_cannot_know_changes_no_move() -> None:
    differing = 0
    for seed in range(8):
        rng, game = Random(seed), random_game(seed)
        states = replay(game.options, game.players, game.first, game.log).states
        cut = rng.choice([ply for ply, state in enumerate(states) if pending(state) and ply > 1])
        seat = rng.choice(pending(states[cut])).seat
        log = resampled(game.options, game.players, game.first, game.log[:cut], seat, rng)
        other = replay(game.options, game.players, game.first, log).state
        differing += other.hands != states[cut].hands
        assert _chosen(states[cut], seat) == _chosen(other, seat)
    assert differing > 4


def test_a_hand_that_shrinks_is_imagined_to_get_better() -> None:
    real = even = likely = 0.0
    for state, seen in [each for seed in range(6) for each in _late_decisions(seed)]:
        others = [seat for seat in range(3) if seat != seen.seat]
        real += sum([PUNCHES[NUMBER_OF[card]] for seat in others for card in observe(state, seat).hand or ()])
        even += _imagined_punch(seen, EVEN)
        likely += _imagined_punch(seen, own_weights().hands)
    assert abs(likely - real) < 0.5 * abs(even - real)


def _late_decisions(seed: int) -> list[tuple[State, Observation]]:
    """Decisions of a game by captains in which all have played a third of their hands."""
    chance = Chance(seed)
    state = new_game(Options(), 3, 0)
    found = []
    while not state.is_over:
        if state.shuffle_pile:
            state, _ = apply(state, None, shuffle(state, chance))
            continue
        seat = pending(state)[0].seat
        seen = observe(state, seat)
        if seen.phase == Phase.BATTLE and 0 < max(seen.hand_sizes) <= 7:
            found.append((state, seen))
        state, _ = apply(state, seat, captain(seen, ""))
    return found


def _imagined_punch(seen: Observation, likelihoods: Likelihoods) -> float:
    """What the others' hands bring in imagined worlds, on average."""
    dealer, chance = Dealer(seen, KnownCards.none(3), likelihoods), Chance(1)
    hands = [world.hands for world in [dealer.deal(chance) for _ in range(8)]]
    others = [hand for each in hands for seat, hand in enumerate(each) if seat != seen.seat]
    return sum([PUNCHES[card] for hand in others for card in hand]) / len(hands)


def _chosen(state: State, seat: int) -> str:
    return str(choose_move(observe(state, seat), KnownCards.none(state.players), "seed", SHORT))


def test_a_final_battle_is_imagined_to_its_end() -> None:
    state = new_final_battle(Options("2007", ("playing-for-points",)), (3, 3, None), 0)
    state, _ = apply(state, None, parse_move(" ".join(("shuffle", *state.shuffle_pile))))
    seen = observe(state, 0)
    world = Dealer(seen, KnownCards.none(3), own_weights().hands).deal(Chance(1))
    end = played_out(world, Stakes(seen))
    assert end.winners
    assert set(end.winners) <= {0, 1}


def test_the_caller_may_cut_a_thought_off() -> None:
    asked = []
    seen, known = _asked(Options(), 3, 5, 1)[0]

    def is_spent() -> bool:
        asked.append(True)
        return len(asked) == 3

    assert choose_move(seen, known, "seed", Budget(10**9, is_spent)) in seen.legal
    assert len(asked) == 3


def test_someone_who_is_not_asked_is_answered_nothing() -> None:
    state = new_game(Options(), 3, 0)
    with pytest.raises(ValueError, match="when its seat is asked"):
        choose_move(observe(state, 0), KnownCards.none(3), "seed", SHORT)


@pytest.mark.parametrize("text", [None, "", "{}", "[]", '{"2007, 2 seats": [1]}', "\x00"])
def test_missing_or_damaged_weights_are_said(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "weights.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DamagedWeights, match=r"weights\.json"):
        read_weights(path)


def test_a_weight_that_is_no_number_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(re.sub(r"\[-?\d+", '["x"', PATH.read_text(), count=1))
    with pytest.raises(DamagedWeights):
        read_weights(path)


def test_the_weights_are_small() -> None:
    assert PATH.stat().st_size < 100_000


def test_chance_is_the_same_on_every_machine() -> None:
    chance = Chance.of("seed")
    assert [chance.below(100) for _ in range(5)] == [21, 38, 25, 69, 26]
    assert growth(1.0) == 2.712991624253442
    assert NUMBER_OF["1"] == 0


def test_chances_are_shares_of_one_game() -> None:
    for seen, known in _asked(Options(), 4, 3, 8):
        world = Dealer(seen, known, own_weights().hands).deal(Chance(1))
        assert sum(chances(world, own_weights().of(seen.options, 4))) == pytest.approx(1.0)
    world.winners = (1, 3)
    assert chances(world, own_weights().of(Options(), 4)) == [0.0, 0.5, 0.0, 0.5]


def test_a_region_that_almost_wins_raises_the_chance() -> None:
    state = staged("10 6 3 | 10 6 3 | 10 6 3", control="napoli=1 spoleto=1 roma=1", battle=None)
    world = Dealer(observe(state, 0), KnownCards.none(3), own_weights().hands).deal(Chance(1))
    chance = chances(world, own_weights().of(Options(), 3))
    assert chance[1] > max(chance[0], chance[2])
