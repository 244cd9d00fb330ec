"""Builds a large site: a few games and a season, played by the site's own code, and copied many times."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from django.db import connection

from accounts import clock
from accounts.mail.models import OutgoingEmail
from games.bots import choose
from games.models import Game
from games.models.replay import replayed
from games.rules import Phase, State, observe, pending
from tests.games.playing import begin_game, play_to_the_end, submit
from tests.leagues.world import a_running_season, people
from tests.load.copying import copy_since, marks

RUNNING_SHARE = 10  # one game of ten is running
SEASONS = 100
SEASON_PLAYERS = 8


@dataclass(frozen=True)
class Site:
    """How large the site is that was built."""

    games: int
    running: int
    seasons: int
    seconds: float
    megabytes: float  # on disk


def build(games: int, seasons: int) -> Site:
    """Build a site with about this many games, a tenth of them running, and this many seasons."""
    began = monotonic()
    before = marks()
    _ten_games()
    _send_emails()
    copy_since(before, games // RUNNING_SHARE - 1)
    before = marks()
    _a_season()
    _send_emails()
    copy_since(before, seasons - 1)
    running = Game.objects.filter(ended_at=None).count()
    seconds = monotonic() - began
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = cursor.fetchone()[0]
    return Site(Game.objects.count(), running, seasons, round(seconds, 1), round(size / 1e6))


def _ten_games() -> None:
    """Play nine games to the end and one to the middle of a battle, by four people each."""
    players = people(12)
    for number in range(RUNNING_SHARE - 1):
        seated = [players[(number * 3 + seat) % len(players)] for seat in range(4)]
        play_to_the_end(begin_game(seated, pace="day", name=f"Game {number}"), seed=number)
    _fight(begin_game(players[:4], pace="day", watch="anyone", name="Running game"))


def _send_emails() -> None:
    """Record all emails as sent. Millions of deleted ones would slow down each look for due ones."""
    OutgoingEmail.objects.update(state=OutgoingEmail.State.SENT, sent_at=clock.now())


def _fight(game: Game) -> None:
    """Let Captains play until several cards lie in a battle."""
    while not _is_in_the_middle(state := replayed(game).state):
        decision = pending(state)[0]
        submit(game, decision.seat, choose("captain", observe(state, decision.seat)), decision.decision_step)
        game.refresh_from_db()


def _is_in_the_middle(state: State) -> bool:
    return state.ply > 60 and state.phase == Phase.BATTLE and sum(map(len, state.lines)) >= 6


def _a_season() -> None:
    players = people(SEASON_PLAYERS, "League")
    a_running_season(players[0], players)
