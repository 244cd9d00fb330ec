"""No page reads more rows because there is more of anything on the site that is not its own.

By default on a small site, where PostgreSQL has to look rows up one by one wherever it can; with `--long`
on a larger one, where it chooses for itself.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.models import Block, User
from games import services
from games.chat.models import Channel, ChannelReadMarker, Member, Message
from games.chat.services import begin_channel, write
from games.leagues.models import Division, League, LeagueTable, Organiser, Rating, Registration, Round, Season
from games.links import person_path
from games.models import Game, Invitation, LogEntry, ReadMarker, Seat, Table
from games.models.tables import new_join_key
from tests.faults.stage import copies, more_people
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.leagues import world as leagues

pytestmark = [pytest.mark.django_db, pytest.mark.once]

SMALL, LARGE = (200, 400), (1_500, 4_500)  # how many of everything there are, and how many more
SLACK = 1.3  # how a row is found may change a little with the size of the tables
# A list of tables counts the finished games of the people it names: these are their own.
OF_PEOPLE_NAMED = re.compile(r'COUNT\(.*FROM "games_seat(change)?".*\'finished\'', re.DOTALL)
PUBLIC = ("/", "/tables/", "/watch/", "/leagues/", "/leagues/ratings/2007/")


@pytest.fixture(autouse=True)
def on_postgresql(db: None, long: bool) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL tells how many rows it has read")
    with connection.cursor() as cursor:
        if long:
            cursor.execute("SET LOCAL random_page_cost = 1.1")  # as on a disk without moving parts
        else:
            for way in ("seqscan", "hashjoin", "mergejoin"):
                cursor.execute(f"SET LOCAL enable_{way} = off")


@pytest.fixture(autouse=True)
def _lists_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill limited lists before the site grows."""
    monkeypatch.setattr("games.views.lobby.MOST_TABLES", 60)
    monkeypatch.setattr("games.views.spectating.MOST_GAMES", 60)
    monkeypatch.setattr("games.leagues.selectors.player_ratings.MOST_RATINGS", 60)
    monkeypatch.setattr("games.leagues.selectors.league_page.MOST_LEAGUES", 60)


@pytest.fixture
def reader(anna: User, bruno: User, carla: User, stranger: User, signed_in: Any) -> Client:
    """Return a person with games, chat, a table, an invitation, a league, a rating and a block."""
    game = begin_game([anna, bruno], watch="anyone")
    write(Seat.objects.get(table=game.table, user=bruno), "A word.")
    play_to_the_end(begin_game([anna, bruno, carla], watch="anyone"))
    open_seats = seat_table([bruno, carla], size=4).seats
    write(
        open_seats.get(user=bruno),
        "A word.",
        channel=begin_channel(open_seats.all()[0], open_seats.all()[1:]),
    )
    services.invite(open_seats.all()[0].table, anna.email)
    season = leagues.a_running_season(bruno, [anna, carla, stranger], division_size=3)
    leagues.seat_by_hand(season.divisions.get().rounds.order_by("number")[0], [anna, carla, stranger])
    Rating.objects.create(user=anna, edition="2007", mu=25.0, sigma=3.0, tables=9)
    Block.objects.create(by=anna, whom=stranger)
    client: Client = signed_in(anna)
    return client


def pages(anna: User) -> list[str]:
    """Return every public list, and each kind of page for a signed-in person."""
    running, finished = (Game.objects.order_by("pk")[number] for number in (0, 1))
    league = f"/leagues/{League.objects.order_by('pk')[0].pk}/"
    division = f"{league}season/1/division/1/"
    table, watch = f"/tables/{running.table_id}/", f"/watch/{running.table.watch_key}/"
    gathering = f"/tables/{Invitation.objects.order_by('pk')[0].table_id}/"
    return [
        *PUBLIC,
        *(league + page for page in ("", "log/", "all-time/", "season/1/")),
        *(division + page for page in ("", "round/1/", "round/1/table/1/", "standing.csv", "seating.json")),
        f"/leagues/players/{anna.pk}/",
        person_path(anna.pk),
        *("/games/", gathering, f"/games/{running.pk}/", f"/games/{running.pk}/arrangements/"),
        *(f"/games/{finished.pk}/{page}" for page in ("", "history/3/", "chronicle/", "proof/")),
        *(table + page for page in ("", "chat/", "chat-with/", "deals/", "people/")),
        *(watch, f"{watch}chat/"),
        *("/me/", "/me/hours/", "/me/blocks/", "/me/emails/", "/me/emails/preferences/", "/me/messages/"),
    ]


def site_grows(count: int, host: User) -> None:
    """Add this many games, open tables, channels, invitations, leagues and ratings."""
    people = more_people(count)
    games_grow(people, host)
    leagues_grow(people)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def games_grow(people: list[User], host: User) -> None:
    game = Game.objects.order_by("pk").first()
    open_table = Table.objects.gathering().order_by("pk").first()
    assert game is not None
    assert open_table is not None
    now = clock.now()
    played = copies(Table, ((game.table, new_table(name="Played")) for _ in people))
    games = copies(
        Game,
        (
            (game, {"table": table, "ended_at": now, "moved_at": now, "anyone_watches": number % 2 == 0})
            for number, table in enumerate(played)
        ),
    )
    entries = list(game.log.all()[:3])
    copies(LogEntry, ((entry, {"game": game}) for game in games for entry in entries))
    gathering = copies(
        Table, ((open_table, new_table(created_at=now + timedelta(seconds=1))) for _ in people)
    )
    seat = open_table.seats.order_by("number")[0]
    copies(Seat, ((seat, {"table": table, "user": host}) for table in [*played, *gathering]))
    copies(
        Seat, ((seat, {"table": table, "user": who, "number": 1}) for table, who in _pairs(played, people))
    )
    ReadMarker.objects.bulk_create(
        ReadMarker(table=table, user=who, number=1, step=1) for table, who in _pairs(played, people)
    )
    invitation = Invitation.objects.order_by("pk").first()
    copies(
        Invitation,
        ((invitation, {"table": table, "email": who.email}) for table, who in _pairs(gathering, people)),
    )
    for channel in Channel.objects.order_by("pk")[:2]:
        chat_grows(channel, played if channel.table_id == game.table_id else gathering, people)


def chat_grows(channel: Channel, tables: list[Table], people: list[User]) -> None:
    channels = copies(Channel, ((channel, {"table": table}) for table in tables))
    said = channel.messages.order_by("pk")[0]
    copies(Message, ((said, {"channel": one, "author": who}) for one, who in _pairs(channels, people)))
    ChannelReadMarker.objects.bulk_create(
        ChannelReadMarker(channel=one, user=who, last_read=1) for one, who in _pairs(channels, people)
    )
    if channel.is_private:
        Member.objects.bulk_create(Member(channel=one, user=who) for one, who in _pairs(channels, people))


def leagues_grow(people: list[User]) -> None:
    """Give each new person a league and a table in it."""
    row = LeagueTable.objects.select_related("round__division__season__league").order_by("pk")[0]
    division, season = row.round.division, row.round.division.season
    made = copies(League, ((season.league, _keys()) for _ in people))
    Organiser.objects.bulk_create(Organiser(league=one, user=who) for one, who in _pairs(made, people))
    seasons = copies(Season, ((season, {"league": one, "form_key": uuid.uuid4()}) for one in made))
    divisions = copies(Division, ((division, {"season": one}) for one in seasons))
    rounds = copies(Round, ((row.round, {"division": one}) for one in divisions))
    tables = copies(Table, ((row.table, new_table()) for _ in people))
    copies(LeagueTable, ((row, {"round": one, "table": at}) for one, at in _pairs(rounds, tables)))
    Registration.objects.bulk_create(
        Registration(season=one.season, division=one, user=who, state=Registration.State.PLAYING)
        for one, who in _pairs(divisions, people)
    )
    Rating.objects.bulk_create(
        Rating(user=who, edition="2007", mu=20.0 + number % 97 / 10, sigma=2.5, tables=5)
        for number, who in enumerate(people)
    )


def _keys() -> dict[str, Any]:
    return {"form_key": uuid.uuid4(), "join_key": new_join_key()}


def new_table(**columns: object) -> dict[str, Any]:
    """Return the columns in which a copy of a table differs, and these."""
    return {**_keys(), "watch_key": new_join_key(), **columns}


def _pairs(rows: Iterable[Any], people: list[User]) -> Iterator[tuple[Any, User]]:
    return zip(rows, people, strict=True)


def rows_read(client: Client, path: str) -> int:
    """Return how many rows the database reads for a page."""
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200, path
    statements = [query["sql"] for query in captured if query["sql"].startswith("SELECT")]
    return sum(_rows_of(sql) for sql in statements if not OF_PEOPLE_NAMED.search(sql))


def _rows_of(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement.replace("%", "%%"))
        return sum(_scanned(cursor.fetchone()[0][0]["Plan"]))


def _scanned(node: dict[str, Any]) -> Iterator[int]:
    """Yield the rows each scan of a plan read, including those it filtered out."""
    if "Scan" in node["Node Type"]:
        left_out = ("Rows Removed by Filter", "Rows Removed by Index Recheck")
        looked_at = node["Actual Rows"] + sum(node.get(name, 0) for name in left_out)
        yield round(looked_at * node["Actual Loops"])
    for part in node.get("Plans", ()):
        yield from _scanned(part)


def test_pages_read_no_more_rows_on_a_larger_site(
    reader: Client, anna: User, bruno: User, long: bool
) -> None:
    first, more = LARGE if long else SMALL
    site_grows(first, bruno)
    read = [(reader, path) for path in pages(anna)] + [(Client(), path) for path in PUBLIC]
    for client, path in read:
        client.get(path)  # what is new to its reader is so once
    before = [rows_read(*page) for page in read]
    site_grows(more, bruno)
    after = [rows_read(*page) for page in read]
    grown = [
        f"{path}: {few} rows became {many}"
        for (_client, path), few, many in zip(read, before, after, strict=True)
        if many > few * SLACK
    ]
    if grown:
        pytest.fail("\n".join(grown), pytrace=False)


@pytest.mark.long
def test_a_list_that_reads_a_whole_table_would_be_noticed(reader: Client, bruno: User) -> None:
    site_grows(SMALL[0], bruno)
    whole = Invitation.objects.filter(email__iexact="anna@example.org")
    assert _rows_of(str(whole.query).replace("anna@example.org", "'anna@example.org'")) >= SMALL[0]
