"""Leagues for tests: people, a running season, tables that end at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from accounts import clock
from accounts.models import User
from games import services
from games.leagues.models import (
    Division,
    Invitation,
    League,
    LeagueTable,
    Organiser,
    Registration,
    Round,
    Season,
    SeatAssignment,
)
from games.leagues.services.invitations import invite_players
from games.leagues.services.player_lists import Listed
from games.leagues.services.round_draws import draw_rounds
from games.leagues.services.schedule import reschedule
from games.leagues.services.table_starts import start_tables
from games.models import Game, Seat, Table
from games.models.matches import last_game
from tests.games.playing import play_to_the_end
from tests.people import all_proven, proven

DAY = timedelta(days=1)
SEED = hashlib.sha256(b"the same draws in every run").hexdigest()
# The usual game, but no one's clock runs: a test that moves time by weeks means the round's time.
TERMS = {"options_json": {"edition": "2007", "variants": []}, "pace": "none"}


def person(name: str) -> User:
    """Return a person with an account."""
    return proven(f"{name.lower()}@example.org", name)


def people(count: int, prefix: str = "Player") -> list[User]:
    """Return this many people: Player01, Player02 and so on."""
    names = [f"{prefix}{number:02}" for number in range(1, count + 1)]
    return all_proven({f"{name.lower()}@example.org": name for name in names})


def a_league(organiser: User, name: str = "Autumn League", *, is_private: bool = False) -> League:
    """Return a league that this person runs."""
    league = League.objects.create(name=name, is_private=is_private)
    Organiser.objects.create(league=league, user=organiser)
    return league


def invite(season: Season, by: User, email: str, level: int | None = None, name: str = "") -> Invitation:
    """Invite this address; return the invitation."""
    assert invite_players(season, by, [Listed(1, email, name, level)]) == 1
    return season.invited.get(email=email)


def a_season(league: League, **plan: Any) -> Season:
    """Plan the league's next season, with one table at a time; its sign-up opens now, and it begins in ten
    days."""
    now = clock.now()
    usual = {
        "number": league.seasons.count() + 1,
        "terms": TERMS,
        "tables_at_once": 1,
        "opens_at": now,
        "signup_ends_at": now + 7 * DAY,
        "begins_at": now + 10 * DAY,
    }
    return Season.objects.create(league=league, **(usual | plan))


def running(season: Season, *divisions: Sequence[User]) -> Season:
    """The season in which these people play, the highest division first: divided, but no round is drawn. It
    begins now."""
    now = clock.now()
    ago = now - season.begins_at
    season.opens_at, season.signup_ends_at = season.opens_at + ago, season.signup_ends_at + ago
    season.state, season.seed, season.begins_at = Season.State.RUNNING, SEED, now
    season.save()
    for level, players in enumerate(divisions, start=1):
        division = Division.objects.create(season=season, level=level)
        playing = {"division": division, "state": Registration.State.PLAYING, "confirmed_at": now}
        Registration.objects.bulk_create(
            Registration(season=season, user=user, **playing) for user in players
        )
        numbers = range(1, season.rounds + 1)
        Round.objects.bulk_create(Round(division=division, number=number) for number in numbers)
    reschedule(season)
    return season


def a_running_season(organiser: User, *divisions: Sequence[User], **plan: Any) -> Season:
    """Return a league's season in which these people play from now on."""
    return running(a_season(a_league(organiser), **plan), *divisions)


def begin(season: Season, now: datetime | None = None) -> None:
    """Draw the rounds that can be drawn, and begin the tables that can begin, as the tick does."""
    for division in season.divisions.all():
        draw_rounds(division, now or clock.now())
        start_tables(division, now or clock.now())


def seat_by_hand(round_: Round, *tables: Sequence[User], byes: Sequence[User] = ()) -> list[LeagueTable]:
    """The round is drawn with these people at its tables, each in the order of seats, which begin; with the
    same deals in every run."""
    drawn = [[user.pk for user in table] for table in tables]
    round_.draw = {"tables": drawn, "byes": [user.pk for user in byes], "scores": None}
    round_.save(update_fields=["draw"])
    for user in byes:
        round_.byes.create(entry=round_.division.season.entries.get(user=user))
    return [_seated(round_, number, players) for number, players in enumerate(tables, start=1)]


def _seated(round_: Round, number: int, players: Sequence[User]) -> LeagueTable:
    season = round_.division.season
    secret = hashlib.sha256(f"{round_.division.level} {round_.number} {number}".encode()).digest()
    terms = {"name": f"Round {round_.number}, table {number}", "secret": secret} | season.terms
    game = services.create_scheduled_table(players, source=str(round_), source_path="/leagues/", **terms)
    now = clock.now()
    ends_at = now + season.table_days * DAY
    table = LeagueTable.objects.create(
        round=round_, number=number, table=game.table, begins_at=now, ends_at=ends_at
    )
    entries = {entry.user_id: entry for entry in season.entries.all()}
    SeatAssignment.objects.bulk_create(
        SeatAssignment(table=table, position=seat.number, entry=entries[seat.user_id or 0])
        for seat in game.table.seats.order_by("number")
    )
    return table


def game_at(table: LeagueTable) -> Game:
    """Return the table's present or last game."""
    game = last_game(Table.objects.get(pk=table.table_id))
    assert game is not None
    return game


def seat_at(table: LeagueTable, user: User) -> Seat:
    """Return this person's present seat there."""
    return Seat.objects.select_related("table", "user").get(table=table.table_id, user=user)


def finish(table: LeagueTable, seed: int = 1) -> Game:
    """Play the table's game or match to its end by random moves, each its player's own."""
    game = game_at(table)
    while True:
        if not game.is_over:
            play_to_the_end(game, seed)
        at_the_end = Table.objects.get(pk=table.table_id)
        if at_the_end.state == Table.State.FINISHED:
            return game_at(table)
        for seat in at_the_end.seats.people():
            following = services.be_ready(seat, game.number + 1)
        assert following is not None
        game, seed = following, seed + 1


def finish_running(season: Season, seed: int = 1) -> None:
    """Play all running tables of a season to their ends."""
    for table in LeagueTable.objects.running().filter(round__division__season=season).order_by("pk"):
        finish(table, seed + table.number)


def finish_all(round_: Round, seed: int = 1) -> list[LeagueTable]:
    """Play all running tables of a round to their ends."""
    tables = list(round_.tables.filter(table__state=Table.State.PLAYING))
    for table in tables:
        finish(table, seed + table.number)
    return tables
