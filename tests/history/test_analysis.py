"""The analysis of a finished game: asked for by a button, made decision by decision in the background."""

from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.db import OperationalError, transaction
from django.test import Client

from accounts import clock
from games.bots import thinker
from games.bots.analysis import LEAST_LOSS, Cost, costliest, questions_of
from games.models import Analysis, Game
from games.models.replay import replayed
from games.narration.battles import Battle, battles_in
from games.presenters.analysis import APART, BOTTOM, RIGHT, TOP
from games.rules import Replay, observe, parse_move
from games.services import analysis as analyses
from games.services.game_endings import end_by_table
from games.services.thinking_process import THINKER, NoThought
from games.tasks import think
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db

BUTTON = "Analyse the game"


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.strategist.judging.DEALS", 2)
    monkeypatch.setattr(thinker, "PLAYOUTS", 2)
    monkeypatch.setattr(THINKER, "ask", lambda function, *arguments: function(*arguments))


@pytest.fixture
def game(anna: Any, bruno: Any) -> Game:
    game = begin_game([anna, bruno])
    play_to_the_end(game)
    return Game.objects.get(pk=game.pk)


@pytest.fixture
def hers(anna: Any, signed_in: Any) -> Client:
    return signed_in(anna)


def battles(played: Replay) -> tuple[Battle, ...]:
    return battles_in([entry.events for entry in played.plies])


def read(client: Client, game: Game) -> str:
    return unescape(client.get(f"/games/{game.pk}/analysis/").content.decode())


def finish() -> None:
    for _ in range(50):
        if analyses.analyse(Analysis.objects.get().asked_at):
            return
    raise AssertionError("it never ends")


def test_a_get_asks_nothing_and_the_button_starts_it(hers: Client, game: Game) -> None:
    assert BUTTON in read(hers, game)
    assert think() == 0
    assert not Analysis.objects.exists()
    asked = hers.post(f"/games/{game.pk}/analysis/")
    assert asked["Location"] == f"/games/{game.pk}/analysis/"
    page = read(hers, game)
    assert "Strategist is thinking. Moves judged: 0 of " in page
    assert 'http-equiv="refresh"' in page
    hers.post(f"/games/{game.pk}/analysis/")
    assert Analysis.objects.count() == 1


def test_a_finished_analysis_has_a_chart_a_table_and_the_costliest_decisions(
    hers: Client, game: Game
) -> None:
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    found = Analysis.objects.get()
    played = replayed(game)
    questions = list(questions_of(played, game.players))
    assert len(questions) == sum(entry.seat is not None for entry in played.plies)
    assert [one["ply"] for one in found.judged] == [question.ply for question in questions]
    page = read(hers, game)
    assert "This is the opinion of a bot, Strategist." in page
    assert '<svg class="chances"' in page
    assert page.count('<polyline class="course seat-') == game.players
    assert "style=" not in page
    assert BUTTON not in page
    assert page.count('<th scope="row">') == len(questions)
    begun = battles(played)
    assert page.count('<th scope="rowgroup"') == len(begun)
    assert len(re.findall(rf'<path class="across" d="M\d+ {TOP}V{BOTTOM}"/>', page)) == len(begun)
    places = [int(x) for x in re.findall(r'<text class="below" x="(\d+)"', page)]
    assert all(right - left >= APART for left, right in pairwise(places))
    named = costliest([Cost(one["ply"], one["loss"]) for one in found.judged if "loss" in one])
    assert 0 < len(named) <= 3
    for cost in named:
        assert f"/history/{cost.ply}/?as=" in page
    chronicle = unescape(hers.get(f"/games/{game.pk}/chronicle/").content.decode())
    assert "Strategist’s opinion" in chronicle


def test_the_line_ends_with_the_result(hers: Client, game: Game) -> None:
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    page, winners = read(hers, game), replayed(game).state.result.winners
    for seat in range(game.players):
        (points,) = re.findall(rf'class="course seat-{seat}" points="([^"]+)"', page)
        assert points.endswith(f"{RIGHT},{TOP if seat in winners else BOTTOM}")
    *_rest, last = re.findall(r'<td class="number">(\d+)</td>', page)
    assert last == ("100" if game.players - 1 in winners else "0")


def test_a_move_without_an_alternative_has_a_chance_too(
    hers: Client, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no better choice, and is never among those that cost most."""
    monkeypatch.setattr("games.bots.analysis.Question.is_choice", False)
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    found = Analysis.objects.get()
    assert not found.has_gaps
    assert all(set(one) == {"ply", "seat", "chances"} for one in found.judged)
    assert "No decision cost much." in read(hers, game)


def test_an_analysis_of_an_earlier_release_is_shown(hers: Client, game: Game) -> None:
    """It has neither cards nor moves without an alternative."""
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    found = Analysis.objects.get()
    later = {"cards", "season"}
    kept = [one for one in found.judged if "loss" in one][:-1]
    found.judged = [{name: one[name] for name in one if name not in later} for one in kept]
    found.save()
    assert not found.has_gaps
    page = read(hers, game)
    assert page.count('<th scope="row">') == len(kept)
    assert BUTTON not in page


def test_what_was_best_with_all_hands_open_is_said_apart(hers: Client, game: Game) -> None:
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    judged = Analysis.objects.get().judged
    named = [cost.ply for cost in costliest([Cost(one["ply"], one["loss"]) for one in judged])]
    opened = [one for one in judged if "open" in one]
    assert opened
    assert {one["ply"] for one in opened} <= set(named)
    page = read(hers, game)
    assert page.count('<p class="soft">With all hands open: ') == len(opened)
    for one in opened:
        seen = observe(replayed(game).states[one["ply"]], one["seat"])
        assert parse_move(one["open"]["best"]) in seen.legal
        if one["open"]["chance"] - one["open"]["now"] >= LEAST_LOSS:
            assert f"with a chance of {round(100 * one['open']['chance'])}%" in page


def test_it_goes_on_where_a_killed_worker_left_it(hers: Client, game: Game) -> None:
    hers.post(f"/games/{game.pk}/analysis/")
    stops = iter([False, False, False, False, True, *[True] * 5])
    assert analyses.analyse(Analysis.objects.get().asked_at, lambda: next(stops)) == 0
    first = Analysis.objects.get().judged
    assert first
    finish()
    assert Analysis.objects.get().judged[: len(first)] == first


def test_a_process_that_cannot_think_leaves_nothing_stuck(
    hers: Client, game: Game, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def ask(*_question: Any) -> Any:
        raise NoThought("DamagedWeights")

    monkeypatch.setattr(THINKER, "ask", ask)
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    assert "DamagedWeights" in caplog.text
    page = read(hers, game)
    assert "Strategist couldn’t analyse this game." in page
    assert BUTTON in page
    monkeypatch.setattr(THINKER, "ask", lambda function, *arguments: function(*arguments))
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    assert BUTTON not in read(hers, game)
    assert all("chances" in one for one in Analysis.objects.get().judged)


def test_a_decision_is_judged_again_if_the_process_died(
    hers: Client, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gap in the analysis would stay for ever."""
    deaths = iter([True, True, False] * 1000)

    def ask(function: Any, *arguments: Any) -> Any:
        if next(deaths):
            raise NoThought("killed")
        return function(*arguments)

    monkeypatch.setattr(THINKER, "ask", ask)
    hers.post(f"/games/{game.pk}/analysis/")
    finish()
    assert all("chances" in one for one in Analysis.objects.get().judged)


def test_its_button_carries_the_forms_token(anna: Any, game: Game) -> None:
    hers = Client(enforce_csrf_checks=True)
    hers.force_login(anna)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', read(hers, game)[-9000:])
    assert token
    hers.post(f"/games/{game.pk}/analysis/", {"csrfmiddlewaretoken": token[1]})
    assert Analysis.objects.exists()


def test_switched_off_half_way_it_says_that_there_is_none(hers: Client, game: Game, settings: Any) -> None:
    hers.post(f"/games/{game.pk}/analysis/")
    settings.STRATEGIST = False
    page = read(hers, game)
    assert "Strategist couldn’t analyse this game." in page
    assert "No decision cost much." not in page
    assert BUTTON not in page


def test_switched_off_pages_lead_only_to_an_analysis_that_is_there(
    hers: Client, game: Game, settings: Any
) -> None:
    def is_linked() -> set[bool]:
        pages = [
            hers.get(f"/games/{game.pk}/{name}/").content.decode() for name in ("history/0", "chronicle")
        ]
        return {f'href="/games/{game.pk}/analysis/"' in page for page in pages}

    assert is_linked() == {True}
    hers.post(f"/games/{game.pk}/analysis/")
    settings.STRATEGIST = False
    assert is_linked() == {False}
    settings.STRATEGIST = True
    finish()
    settings.STRATEGIST = False
    assert is_linked() == {True}


def test_there_are_so_many_a_day(hers: Client, game: Game, settings: Any) -> None:
    settings.ANALYSES_A_DAY = 0
    said = hers.post(f"/games/{game.pk}/analysis/", follow=True).content.decode()
    assert "no time for more analyses today" in said
    assert BUTTON not in said  # not tomorrow either
    assert not Analysis.objects.exists()


def test_a_game_without_a_move_has_no_button(anna: Any, bruno: Any, signed_in: Any) -> None:
    game = begin_game([anna, bruno])
    with transaction.atomic():
        end_by_table(game, Game.Ended.AGREEMENT, (), clock.now())
    assert BUTTON not in read(signed_in(anna), game)


def test_what_fails_half_way_can_be_asked_for_again(
    hers: Client, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part would look like the whole."""
    hers.post(f"/games/{game.pk}/analysis/")
    stops = iter([False, False, False, False, True])
    analyses.analyse(clock.now(), lambda: next(stops))
    assert Analysis.objects.get().judged

    def ask(*_question: Any) -> Any:
        raise OperationalError

    monkeypatch.setattr(THINKER, "ask", ask)
    assert analyses.analyse(clock.now()) == 0
    assert Analysis.objects.get().ended_at
    page = read(hers, game)
    assert "Strategist couldn’t analyse this game." in page
    assert BUTTON in page


def test_of_two_workers_one_leaves_an_analysis_to_the_other(
    hers: Client, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    hers.post(f"/games/{game.pk}/analysis/")
    monkeypatch.setattr(analyses, "STORED_EVERY", -1.0)
    asked = list[str]()

    def ask(function: Any, *arguments: Any) -> Any:
        asked.append(function.__name__)
        if len(asked) == 1:
            stops = iter([*[False] * 6, True, True])
            analyses.analyse(clock.now(), lambda: next(stops))  # the other worker
        return function(*arguments)

    monkeypatch.setattr(THINKER, "ask", ask)
    assert analyses.analyse(clock.now()) == 0
    judged = Analysis.objects.get().judged
    assert len(judged) > 1
    assert [one["ply"] for one in judged] == sorted({one["ply"] for one in judged})
    assert asked.count("outlook") == len(judged) + 1
    finish()


def test_a_seat_is_judged_by_what_it_knew(game: Game) -> None:
    """Nothing of other hands is in a question."""
    for question in questions_of(replayed(game), game.players):
        assert question.seen.seat is not None
        assert question.move in question.seen.legal
        for seat, hand in enumerate(question.known.hands):
            assert len(hand) <= question.seen.hand_sizes[seat]


def test_only_what_cost_something_is_named() -> None:
    costs = [Cost(1, 0.01), Cost(9, 0.5), Cost(3, 0.2), Cost(5, 0.0), Cost(7, 0.3), Cost(8, 0.1)]
    assert costliest(costs) == [Cost(3, 0.2), Cost(7, 0.3), Cost(9, 0.5)]
    assert costliest(costs[:1]) == []
