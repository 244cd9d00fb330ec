"""`python -m games.bots tournament` keeps a line for each game and goes on where the file stops."""

from pathlib import Path

import pytest

from games.bots.seated_players import Thought
from games.bots.strategist.training import train
from games.bots.strategist.weights import read_weights
from games.bots.tournament import (
    TABLES,
    OtherTournament,
    described_tournament,
    play_tournament,
    read_games,
)
from games.rules import Options

LITTLE = Thought(playouts=4)
pytestmark = pytest.mark.once


def test_it_goes_on_where_the_file_stops(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    list(play_tournament(path, ["random play"], 2, "seed", LITTLE, 1))
    before = path.read_text()
    path.write_text(before + '{"table": "random pl')  # killed while it wrote
    lines = list(play_tournament(path, ["random play"], 3, "seed", LITTLE, 1))
    assert path.read_text().startswith(before)
    assert sorted(game["game"] for game in read_games(path)) == [0, 1, 2]
    assert len(lines) == 1
    assert lines[0].startswith("random play: won ")
    assert "of 3 games" in lines[0]


@pytest.mark.parametrize(
    ("seed", "thought"),
    [("other", LITTLE), ("seed", Thought(playouts=5)), ("seed", Thought(playouts=4, without=("value",)))],
)
def test_a_file_has_games_of_one_kind(tmp_path: Path, seed: str, thought: Thought) -> None:
    path = tmp_path / "games.jsonl"
    list(play_tournament(path, ["random play"], 1, "seed", LITTLE, 1))
    before = path.read_text()
    with pytest.raises(OtherTournament, match="name another file"):
        list(play_tournament(path, ["random play"], 2, seed, thought, 1))
    assert path.read_text() == before


def test_the_same_seed_gives_the_same_games(tmp_path: Path) -> None:
    told = []
    for name in ("one", "other"):
        list(play_tournament(tmp_path / name, ["3 seats"], 1, "seed", LITTLE, 1))
        told.append([(game["won"], game["moves"]) for game in read_games(tmp_path / name)])
    assert told[0] == told[1]


def test_shares_are_told_as_multiples_of_a_fair_one() -> None:
    game = {"table": "3 seats", "kinds": ["strategist", "captain", "captain"], "moves": 10, "thinking": 1.0}
    games = [game | {"won": {"strategist": float(number < 2)}, "slowest": 0.2} for number in range(3)]
    (line,) = described_tournament(games)
    assert line.startswith("3 seats: won 2 of 3 games, 2.00 times its fair share (0.62 to 2.82), Elo +241")
    assert line.endswith("100 ms a move, 200 ms the slowest")


def test_each_edition_and_option_has_a_table() -> None:
    assert {table.options.edition for table in TABLES} == {"1995", "2007"}
    assert {variant for table in TABLES for variant in table.options.variants} == {
        "bigger-kingdoms", "capturing-regions", "draw-after-battle", "hidden-cards", "playing-for-points",
    }  # fmt: skip
    assert {len(table.kinds) for table in TABLES} == {2, 3, 4, 5, 6}


@pytest.mark.long
def test_training_writes_the_same_weights_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.strategist.training.OPTIONS", (Options(),))
    monkeypatch.setattr("games.bots.strategist.training.SEATS", (3,))
    monkeypatch.setattr("games.bots.strategist.training._SHARES", {})
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    lines = list(train(one, "seed", games=1, rounds=1, playouts=2))
    list(train(other, "seed", games=1, rounds=1, playouts=2))
    assert [line.partition(":")[0] for line in lines] == ["captains", "own games 1"]
    assert one.read_bytes() == other.read_bytes()
    assert set(read_weights(one).parts["1995, 3 seats"]) == {0.0}
    assert set(read_weights(one).parts["2007, 3 seats"]) != {0.0}
