"""`replay_games`: names the first bad entry of tampered rows, and changes nothing."""

import threading
from math import inf
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.management.commands import replay_games
from games.models import Game, LogEntry, Seat, Table
from games.models.replay import replayed
from games.rules import CARDS, parse_move, pending, read_record, record_json
from games.selectors import stored_games
from games.services.import_game import import_games
from games.services.practice import begin_practice
from tests.commands.records import finished, import_lines, match_with_final_battle, run
from tests.conftest import test_database_url
from tests.games.playing import begin_game, play_to_the_end, play_until, submit
from tests.matches.playing import ready
from tests.matches.test_playing_a_match import begin_match, play_out
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def running(people: list[Any]) -> Game:
    game = begin_game(people)
    play_until(game, lambda state, decision: state.phase == "battle" and state.ply > 30)
    return game


@pytest.fixture
def over(db: None) -> Game:
    return import_games([read_record(finished())], "link")[0]


def said() -> list[str]:
    """The differences; the summary and the exit status go with their number."""
    done = run("replay_games")
    *lines, summary = done.out.splitlines()
    assert done.err == ""
    assert done.status == bool(lines)
    assert summary.endswith(f"{len(lines)} difference{'' if len(lines) == 1 else 's'}.")
    return lines


@pytest.mark.long
def test_nothing_differs_in_games_of_every_kind(
    people: list[Any], running: Game, over: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_out(begin_match(people, 5))
    begin_match(people, 12)
    begin_practice(None, 2, Seat.Bot.RECRUIT, uuid4())
    import_lines(monkeypatch, finished(), *[record_json(record) for record in match_with_final_battle()])
    by_table = begin_game(people)
    play_until(by_table, lambda state, decision: state.ply > 20)
    Game.objects.filter(pk=by_table.pk).update(ended="abandoned", ended_at=timezone.now())
    by_table.table.seats.update(pending_decision=None, decision_step=None, asked_since=None)
    assert said() == []


def test_all_is_well_where_nothing_was_played(db: None) -> None:
    assert run("replay_games").out == "0 games replayed, 0 differences.\n"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("place atlantis", "the move cannot be read"),
        ("play 10 10 10", "the move cannot be read"),
        ("keep nothing", "This move does not answer the open decision."),
    ],
)
@pytest.mark.long
def test_the_first_bad_ply_is_named(running: Game, move: str, reason: str) -> None:
    ply = running.log.filter(seat__isnull=False)[4].ply
    running.log.filter(ply__gt=ply, ply__lt=ply + 3).update(move="nonsense")
    running.log.filter(ply=ply).update(move=move)
    assert said() == [f"game {running.pk}, ply {ply}: {reason}"]


def test_a_move_that_is_legal_is_found_where_the_log_stops_fitting(over: Game) -> None:
    entry = over.log.filter(move__startswith="place ").first()
    wrong = next(f"place {region}" for region in ("roma", "milano") if f"place {region}" != entry.move)
    over.log.filter(pk=entry.pk).update(move=wrong)
    (line, *_) = said()
    assert line.startswith(f"game {over.pk}")
    assert int(line.split("ply ")[1].split(":")[0]) > entry.ply


@pytest.mark.long
def test_a_missing_entry_and_another_seat_are_named(over: Game, running: Game) -> None:
    over.log.filter(ply=7).delete()
    entry = running.log.filter(seat__isnull=False).first()
    LogEntry.objects.filter(pk=entry.pk).update(seat=(entry.seat + 1) % 3)
    assert sorted(said()) == sorted(
        [
            f"game {over.pk}, ply 7: the entry is missing from the log",
            f"game {running.pk}, ply {entry.ply}: This seat is not asked for a move now.",
        ]
    )


def test_a_shuffle_that_the_secret_does_not_make_is_named_while_the_game_runs(people: list[Any]) -> None:
    game = begin_game(people)
    entry = game.log.get(ply=0)
    cards = list(parse_move(entry.move).cards)
    game.log.filter(ply=0).update(move=" ".join(["shuffle", *reversed(cards)]))
    assert f"game {game.pk}, ply 0: the shuffle is not the one that the secret makes" in said()
    Table.objects.update(secret=b"\1" * 32)
    assert any("first Condottiere" in line or "the shuffle" in line for line in said())


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"ply": 3}, "ply is 3, and {0.ply} by the log"),
        ({"step": 3}, "step is 3, and {0.step} by the log"),
        ({"phase": "keep"}, "phase is keep, and over by the log"),
        ({"result": None}, "the result is not the one the log leads to"),
        ({"result": {"winners": [0, 1, 2], "reason": "x"}}, "the result is not the one the log leads to"),
        ({"ended_at": None}, "ended_at is not set, but the game is over"),
        ({"glimpse": {}}, "the glimpse is not the one the log leads to"),
        ({"ended": "agreement"}, "`ended` is set, but the rules ended the game"),
    ],
)
def test_each_column_is_compared(over: Game, change: dict[str, Any], what: str) -> None:
    Game.objects.filter(pk=over.pk).update(**change)
    assert said() == [f"game {over.pk}, ply {over.ply}: {what.format(over)}"]


def test_a_later_game_of_a_match_follows_from_the_one_before(people: list[Any]) -> None:
    match = begin_match(people, 30)
    play_to_the_end(match, seed=1)
    second = ready(match.table, 2)
    assert second is not None
    assert said() == []
    for change in ({"points_before": [9, 9, 9]}, {"first_condottiere": (second.first_condottiere + 1) % 3}):
        Game.objects.filter(pk=second.pk).update(**change)
        assert f"game {second.pk}: it does not begin as the game before it leads to" in said()
        second.save()


def test_an_end_that_was_not_is_named(running: Game) -> None:
    Game.objects.filter(pk=running.pk).update(ended_at=timezone.now())
    assert said() == [f"game {running.pk}, ply {running.ply}: ended_at is set, but the game runs"]


@pytest.mark.parametrize(
    "change",
    [
        {"pending_decision": None, "decision_step": None, "asked_since": None},
        {"pending_decision": "keep"},
        {"decision_step": F("decision_step") + 1},
        {"asked_since": None},
    ],
)
@pytest.mark.long
def test_what_the_seats_are_asked_is_compared_and_no_one_named(running: Game, change: Any) -> None:
    Seat.objects.filter(decision_step__isnull=False).update(**change)
    assert said() == [f"game {running.pk}, ply {running.ply}: the seats are not asked what the log leads to"]


@pytest.mark.long
def test_a_decision_that_is_left_over_is_found(over: Game, running: Game) -> None:
    for game in (over, running):
        idle = game.table.seats.filter(decision_step=None).first()
        Seat.objects.filter(pk=idle.pk).update(
            pending_decision="battle", decision_step=3, asked_since=timezone.now()
        )
    assert len(said()) == 2


def test_when_a_move_was_asked_is_compared(over: Game) -> None:
    entry = over.log.filter(seat__isnull=False)[5]
    LogEntry.objects.filter(pk=entry.pk).update(decision_step=99_999)
    assert said() == [f"game {over.pk}, ply {entry.ply}: decision_step is not when that was asked"]


@pytest.mark.parametrize(
    "change",
    [
        {"first_condottiere": 9},
        {"players": 9},
        {"final_battle": [1, None]},
        {"nonces": ["x"]},
        {"number": 99},
    ],
)
def test_a_setup_that_cannot_be_is_named_without_a_traceback(over: Game, change: dict[str, Any]) -> None:
    Game.objects.filter(pk=over.pk).update(**change)
    assert all(line.startswith(f"game {over.pk}") for line in said())
    assert said() != []


@pytest.mark.parametrize("options", [{}, [], {"edition": "2018", "variants": []}, {"edition": 7}])
def test_options_that_cannot_be_are_named(over: Game, options: Any) -> None:
    Table.objects.update(options_json=options)
    (line,) = said()
    assert line.startswith(f"game {over.pk}: the setup cannot be read")


def test_only_the_games_that_are_named_are_replayed(over: Game, running: Game) -> None:
    LogEntry.objects.update(move="nonsense")
    done = run("replay_games", "--game", over.pk)
    assert done.status == 1
    assert done.out.splitlines()[-1] == "1 game replayed, 1 difference."
    assert len(run("replay_games", "--game", over.pk, running.pk).out.splitlines()) == 3
    assert len(run("replay_games", "--game", over.pk, "--game", running.pk).out.splitlines()) == 3
    unknown = run("replay_games", "--game", 987654)
    assert (unknown.status, unknown.err) == (1, "There is no game 987654.\n")
    huge = run("replay_games", "--game", 10**30)
    assert (huge.status, huge.err) == (1, f"There is no game {10**30}.\n")


@pytest.mark.long
def test_nothing_hidden_is_told_of_a_running_game(running: Game) -> None:
    """Whatever is changed, the output contains no card, secret or move."""
    Seat.objects.update(pending_decision=None)
    for entry in running.log.all():
        with transaction.atomic():
            LogEntry.objects.filter(pk=entry.pk).update(move=entry.move + " 10 courtesan scarecrow")
            told = " ".join(said()).split(": ")[-1]
            transaction.set_rollback(True)
        assert not set(told.split()) & {*CARDS, running.table.secret.hex()}
    assert said() != []


@pytest.mark.long
def test_it_only_selects_and_opens_no_transaction(over: Game, running: Game) -> None:
    with CaptureQueriesContext(connection) as captured:
        run("replay_games")
    assert {query["sql"].split()[0] for query in captured} == {"SELECT"}
    assert not [query for query in captured if "FOR UPDATE" in query["sql"]]
    assert len(captured) < 20


def selects(*arguments: object) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert run("replay_games", *arguments).status == 0
    return [query["sql"] for query in captured]


@pytest.mark.long
def test_more_games_and_matches_take_no_more_queries(people: list[Any]) -> None:
    play_out(begin_match(people, 12))
    begin_game(people, pace="day")
    few = len(selects())
    play_out(begin_match(people, 12))
    for _ in range(3):
        begin_game(people, pace="day")
    assert len(selects()) == few


def test_logs_are_read_some_games_at_a_time(people: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_games, "MOST_AT_ONCE", 2)
    for _ in range(5):
        begin_game(people)
    logs = [sql for sql in selects() if 'FROM "games_logentry"' in sql]
    assert len(logs) == 3
    assert run("replay_games").out == "5 games replayed, 0 differences.\n"


def test_running_games_and_games_since_a_moment_can_be_chosen(over: Game, people: list[Any]) -> None:
    running, old = begin_game(people), begin_game(people)
    Game.objects.update(moved_at="2026-03-02T12:00Z", ended_at=None)
    Game.objects.filter(pk=over.pk).update(ended_at="2026-03-03T12:00Z")
    Game.objects.filter(pk=running.pk).update(moved_at="2026-03-04T12:00Z")
    LogEntry.objects.update(move="nonsense")

    def replayed_games(*arguments: str) -> set[int]:
        lines = run("replay_games", *arguments).out.splitlines()[:-1]
        return {int(line.split()[1].rstrip(",:")) for line in lines}

    assert replayed_games() == {over.pk, running.pk, old.pk}
    assert replayed_games("--running") == {running.pk, old.pk}
    assert replayed_games("--since", "2026-03-03") == {over.pk, running.pk}
    assert replayed_games("--since", "2026-03-03T13:00+01:00") == {over.pk, running.pk}
    assert replayed_games("--since", "2026-03-03T13:01+01:00") == {running.pk}
    assert replayed_games("--running", "--since", "2026-03-03") == {running.pk}
    assert replayed_games("--since", "2999-01-01") == set()


@pytest.mark.parametrize("text", ["yesterday", "2026-02-30", "2026-03-02T25:00", "", "١"])
def test_a_time_that_is_none_is_refused(db: None, text: str) -> None:
    done = run("replay_games", "--since", text)
    assert done.status == 1
    assert done.err == f"{text!r} is not a time. Write it like 2026-03-02T14:00 or 2026-03-02T14:00+01:00.\n"


def test_a_time_out_of_range_is_refused(db: None) -> None:
    done = run("replay_games", "--since", "0001-01-01T00:00+01:00")
    assert (done.status, "out of range" in done.err) == (1, True)


def test_games_are_named_or_chosen_but_not_both(over: Game) -> None:
    for more in (["--running"], ["--since", "2026-03-02"]):
        done = run("replay_games", "--game", over.pk, *more)
        assert (done.status, done.out) == (1, "")
        assert done.err == "--game names the games. Leave --running and --since out.\n"


def test_it_says_how_far_it_is(people: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_games, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(replay_games, "PROGRESS_EVERY", 0)
    games = [begin_game(people) for _ in range(5)]
    games[1].log.update(move="nonsense")
    done = run("replay_games")
    assert [line.rpartition(",")[0] for line in done.err.splitlines()] == [
        "2 of 5 games replayed, 1 difference",
        "4 of 5 games replayed, 1 difference",
    ]
    assert len(done.out.splitlines()) == 2


@pytest.mark.django_db(transaction=True)
def test_several_processes_say_the_same_in_the_same_order(
    people: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [begin_game(people) for _ in range(5)]
    LogEntry.objects.filter(game__in=games[::2]).update(move="nonsense")
    alone = run("replay_games")
    monkeypatch.setenv("DATABASE_URL", test_database_url())
    monkeypatch.setattr(replay_games, "MOST_AT_ONCE", 1)
    monkeypatch.setattr(replay_games, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(replay_games, "PROGRESS_EVERY", inf)
    monkeypatch.setattr(replay_games, "cores", lambda: 2)
    assert run("replay_games") == alone
    assert len(alone.out.splitlines()) == 4


def test_a_game_that_goes_on_meanwhile_is_read_again(running: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move between two queries must not look like a difference."""
    moved = []

    class Interrupted(stored_games.Stored):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            if not moved:
                decision = pending(replayed(running).state)[0]
                moved.append(decision)
                submit(running, decision.seat, parse_move("pass"), decision.decision_step, "web")

    monkeypatch.setattr(stored_games, "Stored", Interrupted)
    assert said() == []
    assert moved


@pytest.mark.once  # SQLite locks no rows
@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_it_waits_for_no_one_who_plays(running: Game) -> None:
    done: list[Any] = []

    def check() -> None:
        done.append(run("replay_games"))
        connections.close_all()

    with transaction.atomic():
        Game.objects.select_for_update().get(pk=running.pk)
        thread = threading.Thread(target=check)
        thread.start()
        thread.join(HANGS)
        assert [each.status for each in done] == [0]
