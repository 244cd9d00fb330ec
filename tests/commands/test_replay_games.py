"""`replay_games`: names the first bad entry of tampered rows, and changes nothing."""

import threading
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Game, LogEntry, Seat, Table
from games.models.replay import replayed
from games.rules import CARDS, parse_move, pending, read_record, record_json
from games.selectors import integrity
from games.services.import_game import import_games
from games.services.practice import begin_practice
from tests.commands.records import finished, import_lines, match_with_final_battle, run
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
    play_until(game, lambda state, question: state.phase == "battle" and state.ply > 30)
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
    play_until(by_table, lambda state, question: state.ply > 20)
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
        ("keep nothing", "This move does not answer the question that is asked."),
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
def test_a_question_that_is_left_over_is_found(over: Game, running: Game) -> None:
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


def test_logs_are_read_one_by_one(people: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity, "CHUNK", 2)
    for _ in range(5):
        begin_game(people)
    with CaptureQueriesContext(connection) as captured:
        assert run("replay_games").out == "5 games replayed, 0 differences.\n"
    logs = [query["sql"] for query in captured if 'FROM "games_logentry"' in query["sql"]]
    assert len(logs) == 5


def test_a_game_that_goes_on_meanwhile_is_read_again(running: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move between two queries must not look like a difference."""
    moved = []

    class Interrupted(integrity.Stored):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            if not moved:
                question = pending(replayed(running).state)[0]
                moved.append(question)
                submit(running, question.seat, parse_move("pass"), question.decision_step, "web")

    monkeypatch.setattr(integrity, "Stored", Interrupted)
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
