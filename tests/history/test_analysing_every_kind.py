"""Games of every edition and option, final battles and games that were played on can be analysed."""

from __future__ import annotations

from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from games.bots import thinker
from games.models import Analysis, Game
from games.rules import Options, read_record
from games.services import ask_analysis
from games.services.analysis import analyse
from games.services.import_game import import_games
from games.services.thinking_process import THINKER
from tests.commands.records import finished, match_with_final_battle
from tests.games.playing import play_to_the_end
from tests.rules.random_play import EVERY_OPTIONS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.strategist.judging.DEALS", 1)
    monkeypatch.setattr(thinker, "PLAYOUTS", 1)
    monkeypatch.setattr(THINKER, "ask", lambda function, *arguments: function(*arguments))


def analysed(game: Game) -> Analysis:
    ask_analysis(game)
    assert analyse(Analysis.objects.get(game=game).asked_at) == 1
    return Analysis.objects.get(game=game)


def moves_after(game: Game, ply: int) -> list[int]:
    """The entries of players from this one on."""
    return list(
        game.log.filter(seat__isnull=False, ply__gte=ply).order_by("ply").values_list("ply", flat=True)
    )


@pytest.mark.long
@pytest.mark.parametrize("options", EVERY_OPTIONS, ids=str)
def test_a_game_with_any_options(options: Options) -> None:
    game = import_games([read_record(finished(5, options, 2))], "link")[0]
    found = analysed(game)
    assert not found.has_gaps
    assert [one["ply"] for one in found.judged] == moves_after(game, 0)
    page = unescape(Client().get(f"/watch/{game.table.watch_key}/analysis/").content.decode())
    assert "Chances to win" in page


def test_a_final_battle() -> None:
    battle = import_games(match_with_final_battle(), "link")[-1]
    assert not analysed(battle).has_gaps
    page = Client().get(f"/watch/{battle.table.watch_key}/game/{battle.number}/analysis/")
    assert "Chances to win" in page.content.decode()


@pytest.mark.long
def test_of_a_game_that_was_played_on_the_own_entries_alone(client: Client) -> None:
    old = import_games([read_record(finished(5, Options(), 3))], "link")[0]
    path = f"/watch/{old.table.watch_key}/history/40/play-on/"
    begun: Any = client.post(path, {"seat": 0, "strength": "captain", "form_key": str(uuid4())})
    game = Game.objects.exclude(pk=old.pk).get()
    play_to_the_end(game)
    found = analysed(Game.objects.get(pk=game.pk))
    assert [one["ply"] for one in found.judged] == moves_after(game, 40)
    page = client.get(f"{begun['Location']}analysis/").content.decode()
    assert "Chances to win" in page
    assert f"{begun['Location']}history/40/" not in page.partition("course-title")[2]
