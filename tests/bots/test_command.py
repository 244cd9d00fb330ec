"""`python -m games.bots duel` prints who won, and answers a bad argument in one sentence."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from games.bots import choose
from games.bots.duel import duel, rotated, wilson
from games.bots.seated_players import PARTS, Thought
from games.bots.strategist import Budget, KnownCards
from games.bots.strategist.likely_hands import EVEN
from games.bots.strategist.weights import PATH, LearnedWeights
from games.orders import Fight, Order, Stop, answer
from games.rules import Event, Move, Observation
from tests.servers import HANGS

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.once


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "games.bots", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANGS, check=False)


def test_it_prints_rates_with_intervals_and_times() -> None:
    done = _run("duel", "--games", "12", "--seed", "7", "--seats", "captain,random,random")
    assert (done.returncode, done.stderr) == (0, "")
    captain, random = done.stdout.splitlines()
    line = r"won [\d.]+ of 12 games, [\d.]+% \([\d.]+% to [\d.]+%\)"
    assert re.fullmatch(rf"captain: {line}, [\d.]+ ms a move, [\d.]+ ms the slowest", captain)
    assert re.fullmatch(rf"random: {line}", random)


def test_every_second_seat_may_give_standing_orders() -> None:
    done = _run("duel", "--games", "4", "--orders", "--seats", "captain,captain,random")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == [
        "captain", "captain with orders", "random",
    ]  # fmt: skip


def test_strategist_thinks_as_long_as_it_is_told() -> None:
    seats = ("--seats", "strategist,random", "--games", "1")
    done = _run("duel", *seats, "--seconds", "0.002")
    mean, slowest = re.findall(r"([\d.]+) ms", done.stdout.splitlines()[0])
    assert float(mean) < 20.0
    assert float(slowest) < 200.0
    playouts = [_run("duel", *seats, "--playouts", "3").stdout.splitlines()[1] for _ in range(2)]
    assert playouts[0] == playouts[1]


def test_parts_of_strategist_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part changes what it thinks about."""
    asked = list[tuple[KnownCards, list[float], bool]]()

    def choose_move(
        seen: Observation, known: KnownCards, _seed: str, _budget: Budget, learned: LearnedWeights
    ) -> Move:
        asked.append((known, learned.of(seen.options, seen.players), learned.hands == EVEN))
        return choose("captain", seen)

    monkeypatch.setattr("games.bots.seated_players.choose_move", choose_move)
    is_left_out = []
    for without in ((), *[(part,) for part in PARTS]):
        asked.clear()
        duel(("strategist", "strategist", "random"), 2, "seed", thought=Thought(1, without=without))
        is_left_out.append(
            (
                not any(any(weights) for _known, weights, _even in asked),
                not any(any(known.hands) for known, _weights, _even in asked),
                any(even for _known, _weights, even in asked),
            )
        )
    assert is_left_out == [
        (False, False, False), (True, False, False), (False, True, False), (False, False, True),
    ]  # fmt: skip


def test_strategist_meets_its_previous_training(tmp_path: Path) -> None:
    own = ("duel", "--games", "2", "--playouts", "2", "--seats", "strategist,previous")
    assert _run(*own, "--previous", str(PATH)).stdout.splitlines()[1].startswith("previous: won ")
    missing, damaged = _run(*own), _run(*own, "--previous", str(tmp_path / "none.json"))
    assert "name their file with --previous" in missing.stderr
    assert "Name a file that `train` wrote" in damaged.stderr
    assert [missing.returncode, damaged.returncode] == [2, 2]


def test_the_same_seed_gives_the_same_games() -> None:
    one, again, other = (
        re.sub(r", [\d.]+ ms.*", "", _run("duel", "--games", "10", "--seed", seed, "--seats", seats).stdout)
        for seed, seats in (("7", "recruit,random"), ("7", "recruit,random"), ("8", "recruit,recruit"))
    )
    assert one == again != other


@pytest.mark.long
def test_an_edition_or_variants_may_be_named() -> None:
    seats = ("--seats", "captain,recruit,random")
    told = {
        re.sub(r", [\d.]+ ms.*", "", _run("duel", "--games", "12", *seats, *options).stdout)
        for options in ((), ("--edition", "1995"), ("--variants", "hidden-cards,capturing-regions"))
    }
    assert len(told) == 3
    points = _run(
        "duel", "--games", "4", "--seats", "captain,random", "--variants", "playing-for-points"
    ).stdout
    assert re.search(r"captain: won .*%\), \d+\.\d points a seat, ", points)


@pytest.mark.parametrize(
    "arguments",
    [
        "duel --games 5 --seats captain,random --edition 1996",
        "duel --games 5 --seats captain,random --variants hidden",
        "duel --games 5 --seats captain,random --variants " + "x" * 5000,
        "duel --games 5 --seats captain,random --edition 1995 --variants hidden-cards",
        "",
        "fight",
        "duel",
        "duel --games 5",
        "duel --games 0 --seats captain,random",
        "duel --games -1 --seats captain,random",
        "duel --games ٣ --seats captain,random",
        "duel --games 99999999999999999999 --seats captain,random",
        "duel --games 5 --seats captain",
        "duel --games 5 --seats strategist,captain --seconds 0",
        "duel --games 5 --seats strategist,captain --seconds nan",
        "duel --games 5 --seats strategist,captain --playouts 0",
        "tournament --games 5",
        "tournament --games 5 --file games.jsonl --tables moon",
        "tournament --games 1 --file none/games.jsonl",
        "train --rounds x",
        "train --games 1 --file none/weights.json",
        "train --games 1 --file games",
        "duel --games 5 --seats strategist,captain --without luck",
        "duel --games 1000001 --seats captain,random",
        "duel --games 5 --seats captain,general",
        "duel --games 5 --seats captain,,random",
        "duel --games 5 --seats " + ",".join(["captain"] * 7),
        "duel --games 5 --seats " + "x" * 5000,
    ],
)
@pytest.mark.long
def test_a_bad_argument_is_answered_in_a_sentence(arguments: str) -> None:
    done = _run(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 300


@pytest.mark.long
def test_a_reader_may_close_the_pipe() -> None:
    seats = ("--seats", "random,random", "--games", "100000")
    command = [sys.executable, "-m", "games.bots", "selfplay", *seats]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait(HANGS)) == (b"", 0)


def test_seats_and_beginners_rotate_fairly() -> None:
    places = [rotated(("captain", "random", "recruit"), game) for game in range(9)]
    for seat in range(3):
        assert sorted(place[seat] for place in places) == ["captain"] * 3 + ["random"] * 3 + ["recruit"] * 3


def test_wilsons_interval_is_the_known_one() -> None:
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == pytest.approx(1.0)


def test_a_standing_order_plays_its_cards_in_turn_from_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[tuple[Fight, Move]] = []

    def watched(order: Order, seen: Observation, since: Sequence[Event]) -> Move | Stop:
        found = answer(order, seen, since)
        if isinstance(order, Fight) and isinstance(found, Move) and found.kind == "play":
            answers.append((order, found))
        return found

    monkeypatch.setattr("games.bots.duel.answer", watched)
    duel(("captain with orders", "captain with orders"), 2, "orders")
    assert answers
    for order, _move in answers:
        played = [move.card for one, move in answers if one is order]
        assert played == list(order.cards[: len(played)])
