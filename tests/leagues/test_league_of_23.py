"""A league of 23 through its pages: founded, signed up for, drawn, played, corrected, and its next season."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import League, LeagueTable, Registration, Season, Standing
from games.leagues.tasks import notify_organisers, run_seasons
from tests import recompute_season
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.league_pages import division_path, path_of, read, words_of
from tests.leagues.organisers_desk import as_shown, plan_page, text_of
from tests.leagues.world import DAY

pytestmark = [pytest.mark.django_db, pytest.mark.long]

PLAYERS = 23
IDLE_QUERIES = 21  # of a tick that has nothing to do


class Played:
    """The league as its people play it: what the organiser sends, and what each week brings."""

    def __init__(self, wall: Wall) -> None:
        self.wall = wall
        self.began = wall.now
        self.organiser = world.person("Olga")
        self.players = world.people(PLAYERS)
        self.clients: dict[int, Client] = {}
        self.sent: Counter[int] = Counter()  # forms that the organiser sent, by week

    def client(self, user: User) -> Client:
        if user.pk not in self.clients:
            self.clients[user.pk] = Client()
            self.clients[user.pk].force_login(user)
        return self.clients[user.pk]

    def week(self, moment: datetime) -> int:
        return (moment - self.began) // timedelta(days=7)

    def organise(self, path: str, form: dict[str, Any]) -> Any:
        """Send a form as the organiser; it must be taken."""
        self.sent[self.week(self.wall.now)] += 1
        answer = self.client(self.organiser).post(path, form)
        assert answer.status_code == 302, words_of(answer.content.decode())[:600]
        return answer

    def act(self, user: User, path: str, form: dict[str, Any] | None = None) -> None:
        """Send a form as a player; no message says that it was refused."""
        answer = self.client(user).post(path, form or {})
        assert answer.status_code == 302, words_of(answer.content.decode())[:600]

    def ticks(self) -> None:
        for _tick in range(20):
            if not run_seasons():
                notify_organisers()
                return
        raise AssertionError("each tick finds something to do")

    def pass_days(self, days: float) -> None:
        self.wall.now += days * DAY
        self.ticks()

    def emails_by_week(self) -> Counter[int]:
        made = OutgoingEmail.objects.filter(to_user=self.organiser).values_list("created_at", flat=True)
        return Counter(self.week(moment) for moment in made)


@pytest.fixture
def played(wall: Wall) -> Played:
    return Played(wall)


def found(played: Played) -> Season:
    """Found the league and plan its first season, on the pages."""
    played.organise(
        reverse("new_league"), {"name": "League of 23", "about": "Slow games.", "is_private": "no"}
    )
    league = League.objects.get()
    plan = plan_page(played.client(played.organiser), league.pk)
    day = played.wall.now.date()
    plan |= {
        "opens_at": day.isoformat(),
        "signup_ends_at": (day + timedelta(days=7)).isoformat(),
        "begins_at": (day + timedelta(days=14)).isoformat(),
        "places": 24,
        "most_divisions": 2,
        "size": 4,
        "rounds": 4,
        "tables_at_once": 2,
        "promoted": 2,
        "promoted_share": 0,
        "table_days": 20,
        "pause_days": 7,
        "final": Season.Final.FIRST,
        "pace": "none",
    }
    played.organise(reverse("plan_season", args=[league.pk]), plan)
    played.ticks()
    return Season.objects.get()


def sign_up(played: Played, season: Season) -> list[User]:
    """Sign up and confirm on the pages; three are away when the tables begin."""
    for user in played.players:
        played.act(user, path_of("season_sign_up", season))
    away = played.players[3:6]
    for user in away:
        first = season.begins_at.date() - timedelta(days=2)
        form = {"first": first.isoformat(), "last": (first + timedelta(days=9)).isoformat()}
        played.act(user, "/me/hours/holidays/", form)
    played.pass_days(8)
    for user in played.players:
        played.act(user, path_of("season_confirm", season))
    page = read(played.client(away[0]), path_of("season", season))
    assert "away" in words_of(page)
    return away


def tables(season: Season) -> Iterator[LeagueTable]:
    yield from LeagueTable.objects.running().filter(round__division__season=season).order_by("pk")


def play(played: Played, season: Season) -> None:
    """Play all tables, one each day; halfway someone complains, and a winner is corrected."""
    is_corrected = False
    for _day in range(150):
        season.refresh_from_db()
        if season.state == Season.State.CLOSED:
            assert is_corrected
            return
        for table in list(tables(season))[:2]:
            world.finish(table)
            played.ticks()
            if not is_corrected and not table.round.is_final:
                is_corrected = True
                complain(played, LeagueTable.objects.get(pk=table.pk))
        played.pass_days(1)
    raise AssertionError("the season does not end")


def complain(played: Played, table: LeagueTable) -> None:
    """Someone tells the organiser about a result, who corrects the winner and answers."""
    season, where = table.round.division.season, [table.round.division.season.league_id]
    author = table.assignments.all()[0].entry.user
    form = {"where": str(table.pk), "about": "result", "text": "The winner agreed to lose."}
    played.act(author, path_of("season_tell", season), form)
    assert "The winner agreed to lose." in text_of(
        played.client(played.organiser).get(reverse("concern_reply", args=[*where, season.concerns.get().pk]))
    )
    address = reverse("table_award", args=[*where, table.pk])
    sent = as_shown(played.client(played.organiser).get(address).context["form"])
    first = next(name for name, value in sent.items() if name.startswith("place_") and str(value) == "1")
    second = next(name for name, value in sent.items() if name.startswith("place_") and str(value) == "2")
    sent |= {first: 2, second: 1, "fill": "places"}
    played.sent[played.week(played.wall.now)] += 1
    filled = as_shown(played.client(played.organiser).post(address, sent).context["form"])
    reason = {"reason": "It was agreed.", "another_total": "on"}
    played.organise(address, {name: value for name, value in filled.items() if name != "fill"} | reason)
    reply = reverse("concern_reply", args=[*where, season.concerns.get().pk])
    played.organise(reply, {"outcome": "award", "answer": "I corrected the winner."})


def is_recomputed(season: Season) -> None:
    """The script that knows nothing of the site finds the same, and check_leagues finds nothing."""
    file = json.loads(read(Client(), path_of("season_json", season)))
    assert recompute_season.winner(file) == file["winner"]
    for division in file["divisions"]:
        assert recompute_season.recomputed(file, division) == recompute_season.stated(division)
    said = StringIO()
    call_command("check_leagues", stdout=said)
    assert "Differences found: 0" in said.getvalue()


def test_a_league_of_23_through_its_pages(played: Played, capsys: Any) -> None:
    season = found(played)
    away = sign_up(played, season)
    played.pass_days(7)
    season.refresh_from_db()
    assert season.state == Season.State.RUNNING
    assert season.entries.filter(state=Registration.State.PLAYING).count() == PLAYERS
    with CaptureQueriesContext(connection) as idle:
        assert run_seasons() == 0
    queries = len(idle)
    assert 0 < queries <= IDLE_QUERIES
    play(played, season)
    is_recomputed(season)
    final = season.divisions.get(level=1).rounds.get(is_final=True)
    assert final.tables.get().collected_at is not None
    standings = Standing.objects.filter(division__season=season)
    assert standings.count() == PLAYERS
    for user in away:  # a holiday over the start cost no one the season
        assert standings.get(entry__user=user).tables > 0
    moved = {one.entry.user_id: one.next_level for one in standings.exclude(next_level=None)}
    assert sum(1 for one in standings if one.division.level == 2 and one.next_level == 1) >= 2
    following = season.league.seasons.get(number=2)
    played.wall.now = max(played.wall.now, following.opens_at)
    played.ticks()
    for user in played.players:
        played.act(user, path_of("season_sign_up", following))
    reserved = dict(following.entries.values_list("user", "reserved"))
    assert {user: reserved[user] for user in moved} == moved
    for division in season.divisions.all():
        assert read(Client(), division_path(division, "division_embed"))
    with capsys.disabled():
        print(f"\nqueries of an idle tick: {queries}; weeks: {played.week(played.wall.now) + 1}")
        print(f"forms sent by the organiser, by week: {sorted(played.sent.items())}")
        print(f"emails to the organiser, by week: {sorted(played.emails_by_week().items())}")
