"""A pass says beforehand what it does: in random games, exactly what the rules then do, and no more than a
seat can know."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from games.narration.foretelling import foretell
from games.orders import LISTED
from games.presenters.choices import Choices
from games.presenters.ending_pass import PASS, ending_of_pass, pass_gist, pass_sentence, settled_cards
from games.presenters.hand import hand_cards
from games.rules import Move, Options, State, apply, legal_moves, observe, parse_move, preview, replay_record
from games.rules import events as happened
from games.rules.selfplay import selfplay_game
from tests.rules.stage import staged

NAMES = ["Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio"]
OPTIONS = [
    Options(),
    Options("1995"),
    Options("2007", ("hidden-cards",)),
    Options("2007", ("capturing-regions",)),
    Options("2007", ("hidden-cards", "capturing-regions")),
]
IDS = ["-".join([options.edition, *options.variants]) for options in OPTIONS]
DECIDED = (
    happened.RegionConquered,
    happened.RegionDefended,
    happened.NobodyConquered,
    happened.GameEnded,
)


def positions(options: Options, games: int = 12) -> Iterator[tuple[State, int]]:
    """Every battle position of random games, with the seat to move."""
    for number in range(games):
        for state in replay_record(selfplay_game(options, None, "passing", number)).states:
            if state.phase == "battle" and state.turn is not None:
                yield state, state.turn


def ended_by(state: State, seat: int, move: Move) -> list[object]:
    """Return who takes the region, the token and the game, if this move ends the battle; empty if not."""
    _, events = apply(state, seat, move)
    if not any(isinstance(event, happened.BattleCompared) for event in events):
        return []
    told = [event for event in events if isinstance(event, DECIDED)]
    token = [event.seat for event in events if isinstance(event, happened.CondottiereHanded)]
    return [*told, *token]


def said(state: State, seat: int) -> tuple[str, str]:
    """Return what the heading and the answer say of a pass; empty if nothing."""
    ending = ending_of_pass(preview(state, seat, PASS))
    return (pass_sentence(ending, NAMES), pass_gist(ending, NAMES)) if ending else ("", "")


def hidden_otherwise(state: State, seat: int, rng: Random) -> State:
    """Return a state that this seat can't tell from the given one: what it does not see is dealt again."""
    others = [other for other in range(state.players) if other != seat]
    unseen = [*state.pile]
    for other in others:
        unseen += [*state.hands[other], *state.face_down[other]]
    rng.shuffle(unseen)

    def drawn(count: int) -> tuple[int, ...]:
        cards = tuple(sorted(unseen[:count]))
        del unseen[:count]
        return cards

    hands, down = [*state.hands], [*state.face_down]
    for other in others:
        hands[other], down[other] = drawn(len(hands[other])), drawn(len(down[other]))
    return state.replace(hands=tuple(hands), face_down=tuple(down), pile=tuple(unseen))


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: "-".join([options.edition, *options.variants])
)
def test_a_pass_says_exactly_what_it_then_does(options: Options) -> None:
    told, rng = 0, Random(5)
    for state, seat in positions(options):
        ending = ending_of_pass(preview(state, seat, PASS))
        others = [down for other, down in enumerate(state.face_down) if other != seat]
        ends = ended_by(state, seat, PASS)
        assert bool(ending) == (bool(ends) and not any(others))
        assert said(hidden_otherwise(state, seat, rng), seat) == said(state, seat)
        if ending:
            told += 1
            assert list(ending) == ends[: len(ending)]
            assert said(state, seat)[1] in " ".join(foretell(ending, NAMES))
            assert said(state, seat)[0].startswith("Everyone else has passed. ")
    assert told > 20


def variations(state: State, seat: int, rng: Random) -> Iterator[State]:
    """Yield states after some of the cards whose only effect is strength; none if that ends the battle."""
    for _ in range(3):
        after, cards = state, [card for card in observe(state, seat).hand or () if card in LISTED]
        for card in rng.sample(cards, rng.randrange(len(cards) + 1)):
            if after.phase == "battle" and len(after.hands[seat]) > 1:
                after, _events = apply(after, seat, parse_move(f"play {card}"))
        yield after


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: "-".join([options.edition, *options.variants])
)
def test_a_settled_card_changes_nothing_of_how_the_battle_ends(options: Options) -> None:
    rng, found = Random(7), set[str]()
    for state, seat in positions(options):
        settled = settled_cards(observe(state, seat))
        assert settled == settled_cards(observe(hidden_otherwise(state, seat, rng), seat))
        assert not settled or ending_of_pass(preview(state, seat, PASS))
        found |= settled
        plain = ended_by(state, seat, PASS)
        for before in variations(state, seat, rng) if settled & LISTED else [state]:
            for move in legal_moves(before, seat):
                if move.card in settled and (before is state or move.card in LISTED):
                    after, _events = apply(before, seat, move)
                    ends = ended_by(before, seat, move) or ended_by(after, seat, PASS)
                    if before is state or "courtesan" in settled:
                        assert ends == plain, (move, observe(before, seat))
                    else:  # Courtesans, which are not settled, may have changed who gets the token
                        assert ends[:1] == plain[:1], (move, observe(before, seat))
    assert found & LISTED
    assert "surrender" in found


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("6|1", "Everyone else has passed. Anna takes Roma if you pass."),
        ("1|6", "Everyone else has passed. Bruno takes Roma if you pass."),
        ("6|6", "Everyone else has passed. No one takes Roma if you pass."),
    ],
)
def test_the_heading_names_who_takes_the_region(lines: str, told: str) -> None:
    state = staged("5|-", lines).replace(out=0b10, turn=0)
    assert said(state, 0)[0] == told


@pytest.mark.parametrize(
    ("hand", "lines", "idle"),
    [
        ("1 10 courtesan winter surrender", "6 2|1", "1 10 winter surrender"),  # it may still win the token
        ("1 10 bishop", "6|1", "1 10"),
        ("1 2", "1|10", "1 2"),
        ("1 10", "1|10", ""),
        ("1 winter", "1|10", ""),  # the 1 may help once it is Winter
        ("winter 1", "6|2 2", "1"),  # in Winter the other would lead
        ("2 surrender", "1 1 1 spring|5", "2 surrender"),
        ("2", "1 1 1 1 1 spring|heroine", ""),  # it takes the bonus from five others
    ],
)
def test_a_card_that_is_of_no_more_use_looks_so(hand: str, lines: str, idle: str) -> None:
    state = staged(f"{hand}|-", lines).replace(out=0b10, turn=0)
    seen = observe(state, 0)
    cards = hand_cards(seen, lambda move: preview(state, 0, move))
    marked = {held.card for held in cards if held.idle}
    assert marked == {*idle.split()}
    for held in cards:
        assert (held.gist == "no effect now") == (held.card in marked)
        assert not (held.card in marked and (held.leads or held.standing))


def test_the_choice_to_pass_says_what_becomes_of_the_region() -> None:
    state = staged("5 3|-", "6|1").replace(out=0b10, turn=0)
    choices = Choices(observe(state, 0), NAMES, lambda move: preview(state, 0, move))
    (given,) = [pick for pick in choices.picks if pick.held is None]
    assert (given.gist, given.label) == ("Anna will take Roma.", "Pass, Anna will take Roma.")
    (offered,) = [choice for choice in choices.every if choice.text == "pass"]
    assert "Anna will take Roma." in offered.sentences
    still = state.replace(out=0)
    choices = Choices(observe(still, 0), NAMES, lambda move: preview(still, 0, move))
    assert [pick.gist for pick in choices.picks if pick.held is None] == [""]
