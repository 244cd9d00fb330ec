"""`import_game`: records from elsewhere become finished tables, or are refused in one line each."""

import copy
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from games import tasks
from games.models import Game, LogEntry, Seat, Table
from games.rules import Options, read_record, record_json, verify
from games.services.import_game import LONGEST_LOG
from tests.commands.records import (
    finished,
    give_stdin,
    import_lines,
    lines_of,
    match_records,
    match_with_final_battle,
    run,
)
from tests.games.playing import begin_game, play_to_the_end
from tests.rules.random_play import EVERY_OPTIONS

pytestmark = pytest.mark.django_db

PATCH = pytest.MonkeyPatch


def exported(*, match: bool = False) -> list[dict[str, Any]]:
    """All stored games, exported."""
    games = Game.objects.order_by("pk")[:1] if match else Game.objects.order_by("pk")
    flags = ["--match"] if match else []
    return [record for game in games for record in lines_of(run("export_game", game.pk, *flags).out)]


def without_notes(record: dict[str, Any]) -> dict[str, Any]:
    return record | {"log": [entry[:2] for entry in record["log"]]}


def page(path: str) -> str:
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def pages(table: Table) -> dict[str, str]:
    key, last = table.watch_key, table.games.order_by("number").last()
    paths = ["", "history/0/", f"history/{last.ply}/", f"history/{last.ply // 2}/", "proof/", "record.json"]
    return {path: page(f"/watch/{key}/{path}") for path in paths}


@pytest.mark.sqlite
@pytest.mark.parametrize("options", [Options(), Options("1995"), EVERY_OPTIONS[7], EVERY_OPTIONS[31]])
def test_a_record_comes_back_as_it_went_in_but_for_the_times(monkeypatch: PATCH, options: Options) -> None:
    """A record does not say when each move was made, so the time of the import is used."""
    before = [finished(number, options, players) for number, players in enumerate((2, 3, 6))]
    done = import_lines(monkeypatch, *before)
    assert (done.status, done.err) == (0, "")
    assert [without_notes(record) for record in exported()] == before
    assert run("replay_games").out == "3 games replayed, 0 differences.\n"


@pytest.mark.long
@pytest.mark.parametrize("options", EVERY_OPTIONS)
def test_every_option_set_comes_back(monkeypatch: PATCH, options: Options) -> None:
    before = [finished(number, options, None) for number in range(5)]
    assert import_lines(monkeypatch, *before).status == 0
    assert [without_notes(record) for record in exported()] == before


@pytest.mark.sqlite
def test_a_game_of_this_site_comes_back_the_same(
    anna: Any, bruno: Any, carla: Any, monkeypatch: PATCH
) -> None:
    """Times are kept to the second; the game itself is another row."""
    game = begin_game([anna, bruno, carla])
    play_to_the_end(game)
    text = run("export_game", game.pk).out
    assert import_lines(monkeypatch, text.encode()).status == 0
    copied = Game.objects.latest("pk")
    assert copied.pk != game.pk
    assert run("export_game", copied.pk).out == text
    game.refresh_from_db()
    for name in ("ply", "step", "phase", "result", "players", "first_condottiere", "nonces"):
        assert getattr(copied, name) == getattr(game, name), name
    rows = ("ply", "seat", "move", "decision_step", "via")
    assert list(copied.log.values_list(*rows)) == list(game.log.values_list(*rows))
    assert copied.ended_at == game.ended_at.replace(microsecond=0)
    assert run("replay_games").status == 0


@pytest.mark.long
def test_a_match_becomes_one_table(monkeypatch: PATCH) -> None:
    records = [record_json(record) for record in match_records()]
    assert len(records) > 1
    done = import_lines(monkeypatch, *records)
    assert done.status == 0
    table = Table.objects.get()
    assert table.target == 12
    assert [game.number for game in table.games.order_by("number")] == list(range(1, len(records) + 1))
    assert [without_notes(record) for record in exported(match=True)] == records
    assert f"records 0 to {len(records) - 1}: games " in done.out
    assert run("replay_games").status == 0
    assert "Imported match" in pages(table)[""]


@pytest.mark.parametrize("says_match", [True, False])
@pytest.mark.long
def test_a_final_battle_finds_its_seats_at_the_table_of_its_match(
    monkeypatch: PATCH, says_match: bool
) -> None:
    records = [record_json(record) for record in match_with_final_battle()]
    stated = copy.deepcopy(records)
    if not says_match:
        del records[-1]["match"]
    assert import_lines(monkeypatch, *records).status == 0
    battle = Game.objects.latest("number")
    assert Table.objects.get().size == 3
    assert battle.final_battle[0] is None
    assert battle.fighters == (1, 2)
    assert set(battle.log.values_list("seat", flat=True)) == {None, 1, 2}
    assert set(battle.result["winners"]) <= {1, 2}
    assert [without_notes(record) for record in exported(match=True)] == stated
    assert run("replay_games").status == 0
    assert all("Bruno" in text for text in pages(battle.table).values())


def test_a_final_battle_alone_is_a_table_of_those_who_fought_it(monkeypatch: PATCH) -> None:
    record = record_json(match_with_final_battle()[-1])
    without_match = {key: value for key, value in record.items() if key != "match"}
    assert import_lines(monkeypatch, without_match).status == 0
    assert [without_notes(each) for each in exported()] == [without_match]
    assert list(Seat.objects.values_list("name", flat=True)) == ["Bruno", "Carla"]
    pages(Table.objects.get())


def test_games_from_the_middle_of_a_match_keep_their_numbers_and_secrets(monkeypatch: PATCH) -> None:
    records = [record_json(record) for record in match_records()][1:]
    assert import_lines(monkeypatch, *records).status == 0
    assert [without_notes(record) for record in exported(match=True)] == records
    assert all(verify(read_record(record)).proved for record in exported(match=True))


def test_the_address_shows_the_game_to_anyone_who_has_it(monkeypatch: PATCH) -> None:
    done = import_lines(monkeypatch, finished())
    game = Game.objects.select_related("table").get()
    watch = f"{settings.SITE_URL}/watch/{game.table.watch_key}/"
    assert done.out == f"record 0: game {game.pk}: {watch} {watch}history/0/\n"
    shown = pages(game.table)
    assert "It was imported from a record" in shown[""]
    assert "Replay the game" in shown[""]
    assert "Imported game" in shown["history/0/"]
    assert "We have just checked this game. The secret matches the commitment" in shown["proof/"]
    assert "so the site does not know" in shown["proof/"]
    assert json.loads(shown["record.json"]) == exported()[0]
    assert watch not in page("/watch/")
    for path in (f"/games/{game.pk}/", f"/tables/{game.table_id}/"):
        assert Client().get(path).status_code in (302, 404)


def test_anyone_may_look_where_the_operator_says_so(monkeypatch: PATCH) -> None:
    import_lines(monkeypatch, finished(), watch="anyone")
    assert Table.objects.get().watch_key in page("/watch/")


def test_a_record_without_its_secret_is_shown_as_unproved(monkeypatch: PATCH) -> None:
    record = finished() | {"secret": None, "commitment": "", "nonces": [], "first_by": "table"}
    assert ", unproved: " in import_lines(monkeypatch, record).out
    assert [without_notes(each) for each in exported()] == [record]
    table = Table.objects.get()
    assert not table.secret
    shown = pages(table)
    assert "can’t be checked" in shown["proof/"]
    assert "The check failed" not in shown["proof/"]
    assert run("replay_games").status == 0


def test_proved_and_unproved_games_of_a_match_do_not_share_a_table(monkeypatch: PATCH) -> None:
    first, second, *_ = [record_json(record) for record in match_records()]
    unproved = first | {"secret": None, "commitment": "", "nonces": [], "first_by": "table"}
    assert import_lines(monkeypatch, unproved, second).status == 0
    assert Table.objects.count() == 2
    assert [verify(read_record(record)).proved for record in exported()] == [False, True]


def test_what_the_notes_say_is_kept(monkeypatch: PATCH) -> None:
    record = finished()
    start = datetime(2020, 2, 29, 23, 59, tzinfo=UTC)
    vias = [*LogEntry.Via.values, "mail", "api", "organiser"]
    for number, entry in enumerate(record["log"]):
        at = (start + timedelta(hours=number)).isoformat()
        entry.append({"at": at} if entry[0] is None else {"at": at, "via": vias[number % len(vias)]})
    assert import_lines(monkeypatch, record).status == 0
    assert exported() == [record]
    game = Game.objects.get()
    assert game.started_at == start
    assert game.ended_at == game.moved_at == start + timedelta(hours=len(record["log"]) - 1)


def test_a_game_the_table_ended_keeps_its_word(monkeypatch: PATCH) -> None:
    record = finished()
    short = record | {"log": record["log"][:20], "ended": "agreement"}
    for result in (None, {"winners": [0, 2], "reason": "most regions"}, {"winners": [], "reason": None}):
        Table.objects.update(watch="nobody")
        LogEntry.objects.all().delete()
        Game.objects.all().delete()
        done = import_lines(monkeypatch, short | {"result": result})
        assert done.status == 0, done.err
        assert [without_notes(each) for each in exported()] == [short | {"result": result}]
        assert run("replay_games").status == 0
        shown = pages(Table.objects.latest("pk"))
        assert "Everyone agreed to end the game" in shown[""]


def test_a_game_against_bots_and_former_players_can_be_imported(monkeypatch: PATCH) -> None:
    record = finished()
    names = ["Montefeltro (bot)", "a former player", "Guest", "Anna (1)", "Anna (2)", "Sforza (bot)"]
    record |= {"players": names[: len(record["players"])]}
    done = import_lines(monkeypatch, record)
    assert done.status == 0, done.err
    assert exported()[0]["players"] == record["players"]


def test_names_are_shown_as_text_and_namesakes_by_their_seat(monkeypatch: PATCH) -> None:
    record = finished() | {"players": ["<b>Anna</b>", "Bruno", "Bruno"]}
    assert import_lines(monkeypatch, record).status == 0
    shown = pages(Table.objects.get())
    assert "&lt;b&gt;Anna&lt;/b&gt;" in shown[""]
    assert all("<b>Anna" not in text for path, text in shown.items() if path != "record.json")
    assert exported()[0]["players"] == ["<b>Anna</b>", "Bruno (2)", "Bruno (3)"]


# What is refused: one line each, nothing stored, the rest imported.


def changed(**keys: Any) -> dict[str, Any]:
    return finished() | keys


def relogged(ply: int, *entry: Any) -> dict[str, Any]:
    record = finished()
    record["log"][ply] = list(entry)
    return record


def noted(note: Any) -> dict[str, Any]:
    record = finished()
    record["log"][3] = [*record["log"][3][:2], note]
    return record


def swapped() -> dict[str, Any]:
    record = finished()
    words = record["log"][0][1].split()
    other = next(number for number in range(2, len(words)) if words[number] != words[1])
    words[1], words[other] = words[other], words[1]
    record["log"][0][1] = " ".join(words)
    return record


TOMORROW = (timezone.now() + timedelta(days=2)).isoformat()
LOG = len(finished()["log"])

REFUSED: dict[str, tuple[Any, str]] = {
    "nothing": (b"\n", ": not JSON"),
    "words": (b"Once upon a time\n", ": not JSON"),
    "bytes": (b"\xff\xfe\x00\n", ": not JSON"),
    "ten megabytes": (b"\xe9x" * 5_000_000 + b"\n", ": not JSON"),
    "too long": (b" " * ((1 << 24) + 1) + b"\n", ": longer than"),
    "brackets": (b"[" * 100_000 + b"\n", ": not JSON"),
    "a number": (17, ": a record is a JSON object"),
    "a list": ([finished()], ": a record is a JSON object"),
    "another format": (changed(format="condottiere-game-record/2"), ": unknown format"),
    "an unknown key": (changed(colour="red"), ": unknown key"),
    "an unknown edition": (changed(edition="2018"), ": unknown edition"),
    "a hundred players": (changed(players=["Anna"] * 100), ": wrong number of players: 100"),
    "players of the wrong type": (changed(players=[1, 2, 3]), ": `players` must be"),
    "a seat of the wrong type": (changed(first_condottiere=True), ": `first_condottiere`"),
    "a log of the wrong type": (changed(log="shuffle"), ": `log` must be"),
    "an entry of the wrong type": (relogged(5, 0, 17), ", entry 5: a move is a text"),
    "a NUL in a name": (changed(players=["An\x00na", "B", "C"]), ": the name at seat 0"),
    "a NUL in a move": (relogged(5, 0, "pass\x00"), ", entry 5: "),
    "a NUL in a result": (
        changed(log=finished()["log"][:9], ended="abandoned", result={"winners": [], "reason": "\x00"}),
        ": unknown `reason`",
    ),
    "half a character": (changed(players=["\ud800", "B", "C"]), ": the name at seat 0"),
    "a turned name": (changed(players=["A", "\u202eB", "C"]), ": the name at seat 1"),
    "an empty name": (changed(players=["A", "B", " "]), ": the name at seat 2"),
    "a long name": (changed(players=["A" * 81, "B", "C"]), ": the name at seat 0"),
    "a huge name": (changed(players=["A" * 5_000_000, "B", "C"]), ": the name at seat 0"),
    "a running game": (changed(log=finished()["log"][:9], result=None), ", entry 9: no result is stated"),
    "no result": (changed(result=None), f", entry {LOG}: no result is stated"),
    "a wrong winner": (
        changed(result=finished()["result"] | {"winners": [0, 1, 2]}),
        f", entry {LOG}: the log does not lead to the result",
    ),
    "a result too early": (changed(log=finished()["log"][:-1]), f", entry {LOG - 1}: the log does not lead"),
    "a move too many": (changed(log=[*finished()["log"], [0, "pass"]]), f", entry {LOG}: The game is over."),
    "an illegal move": (relogged(1, 0, "keep nothing"), ", entry 1: "),
    "another shuffle": (swapped(), ", entry 0: shuffle 0 is not the one that the secret makes"),
    "another secret": (changed(secret="00" * 32), ": the secret does not fit the commitment"),
    "another first": (
        changed(first_condottiere=(finished()["first_condottiere"] + 1) % 3),
        ": the first Condottiere is not",
    ),
    "an end beside the rules": (changed(ended="agreement"), f", entry {LOG}: `ended` is stated"),
    "winners who did not play": (
        changed(log=finished()["log"][:9], ended="agreement", result={"winners": [7], "reason": None}),
        ": `winners` must be",
    ),
    "winners twice": (
        changed(log=finished()["log"][:9], ended="agreement", result={"winners": [1, 1], "reason": None}),
        ": `winners` must be",
    ),
    "a note of the wrong type": (noted("web"), ", entry 3: the third element"),
    "an unknown note": (noted({"thoughts": "hm"}), ", entry 3: unknown key 'thoughts'"),
    "an unknown way": (noted({"via": "pigeon"}), ", entry 3: unknown `via` 'pigeon'"),
    "a way of the wrong type": (noted({"via": ["web"]}), ", entry 3: unknown `via`"),
    "a time that is none": (noted({"at": "yesterday"}), ", entry 3: `at` must be"),
    "a time of the wrong type": (noted({"at": 1600000000}), ", entry 3: `at` must be"),
    "a time without zone": (noted({"at": "2020-01-01T00:00:00"}), ", entry 3: `at` must be"),
    "a time of old": (noted({"at": "0001-01-01T00:00:00+14:00"}), ", entry 3: `at` must be"),
    "a time to come": (noted({"at": TOMORROW}), ", entry 3: `at` must be"),
    "an endless log": (changed(log=[[0, "pass"]] * (LONGEST_LOG + 1)), ": the log has more than"),
}


@pytest.mark.parametrize("first", range(0, len(REFUSED), 12))
def test_each_is_refused_in_one_line_and_the_others_are_imported(monkeypatch: PATCH, first: int) -> None:
    records, reasons = zip(*list(REFUSED.values())[first : first + 12], strict=True)
    done = import_lines(monkeypatch, finished(1), *records, finished(2))
    assert done.status == 1
    for number, (line, reason) in enumerate(zip(done.refusals, reasons, strict=True), start=1):
        assert line.startswith(f"record {number}{reason}")
        assert len(line) < 200
    assert Game.objects.count() == Table.objects.count() == 2
    assert run("replay_games").status == 0


def test_garbage_of_many_lines_is_not_read_to_its_end(monkeypatch: PATCH) -> None:
    done = import_lines(monkeypatch, finished(), b"garbage\n" * 1_000_000)
    assert done.status == 1
    assert len(done.refusals) == 20
    assert done.refusals[-1] == "record 20 and all after it: this is no file of records, one a line"
    assert Game.objects.count() == 1


@pytest.mark.parametrize("name", ["missing", ".", "missing/deeper", "a\0b", "x" * 5000])
def test_a_file_that_cannot_be_read_is_named(db: None, tmp_path: Path, name: str) -> None:
    done = run("import_game", f"{tmp_path}/{name}")
    assert done.status == 2
    assert len(done.refusals) == 1
    assert done.err.startswith("Cannot read ")


def test_a_file_is_read_as_standard_input_is(tmp_path: Path) -> None:
    path = tmp_path / "Ü.jsonl"
    path.write_text(json.dumps(finished()))
    assert run("import_game", path).status == 0
    assert Game.objects.count() == 1


def test_an_empty_file_holds_nothing(monkeypatch: PATCH) -> None:
    give_stdin(monkeypatch, b"")
    done = run("import_game", "-")
    assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.sqlite
def test_the_same_file_twice_is_refused(monkeypatch: PATCH) -> None:
    records = [finished(0), *[record_json(record) for record in match_records()]]
    assert import_lines(monkeypatch, *records).status == 0
    before = Game.objects.count()
    again = import_lines(monkeypatch, *records, finished(1))
    assert again.status == 1
    assert len(again.refusals) == len(records)
    assert again.refusals[0].startswith("record 0: this game is already imported, as game ")
    assert again.refusals[1].startswith("record 1: this game is already imported, as game ")
    assert again.refusals[2] == "record 2: refused with record 1, which is of the same match"
    assert Game.objects.count() == before + 1
    assert import_lines(monkeypatch, records[2]).status == 1
    other = records[0] | {"players": ["Dario", "Elena", "Fabio"]}
    assert import_lines(monkeypatch, other).status == 0


@pytest.mark.sqlite
@pytest.mark.parametrize("wrong", ["result", "points", "key", "secret"])
def test_a_match_is_imported_whole_or_not_at_all(monkeypatch: PATCH, wrong: str) -> None:
    records = [record_json(record) for record in match_records(20)]
    assert len(records) > 2
    second = records[1]
    if wrong == "result":
        second["result"] = records[0]["result"] | {"points": [0, 0, 0]}
    elif wrong == "points":
        second["match"] = second["match"] | {"points": [9, 9, 9]}
    elif wrong == "key":
        second["colour"] = "red"
    else:
        second["secret"] = "00" * 32
    done = import_lines(monkeypatch, finished(), *records, finished(1))
    assert done.status == 1
    assert len(done.refusals) == len(records)
    together = ": refused with record 2, which is of the same match"
    assert done.refusals[0] == f"record 1{together}"
    assert together not in done.refusals[1]
    assert done.refusals[2] == f"record 3{together}"
    assert Game.objects.count() == 2


@pytest.mark.sqlite
def test_two_matches_in_a_file_are_two_tables(monkeypatch: PATCH) -> None:
    both = [record_json(record) for seed in (1, 2) for record in match_records(6, seed)]
    assert import_lines(monkeypatch, *both).status == 0
    assert Table.objects.count() == 2


def test_an_imported_table_is_left_alone_by_what_tables_do(monkeypatch: PATCH) -> None:
    import_lines(monkeypatch, finished())
    Table.objects.update(created_at=timezone.now() - timedelta(days=900), closes_at=timezone.now())
    assert tasks.delete_old_practice() == tasks.close_unfilled() == tasks.begin_next_games() == 0
    assert Game.objects.count() == 1
