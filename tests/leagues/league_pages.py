"""Tables with results set by hand, and pages as people and programs read them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from django.test import Client
from django.urls import reverse

from accounts import clock
from accounts.models import User
from games.leagues.models import Division, LeagueTable, Season
from games.leagues.results.stored_facts import facts_json
from games.leagues.scoring.table_facts import Holder, SeatFacts, TableFacts
from games.models import Table
from tests.leagues import world
from tests.leagues.tables_by_hand import EIGHT, SEASON
from tests.tidy import tidy

CELL = r"<t[hd].*?</t[hd]>"
NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elsa", "Fabio", "Gina", "Hugo")


def is_over(table: LeagueTable, facts: TableFacts) -> None:
    """The table has ended so, whatever was played."""
    table.facts, table.collected_at = facts_json(facts), clock.now()
    table.save(update_fields=["facts", "collected_at"])
    Table.objects.filter(pk=table.table_id).update(state=Table.State.FINISHED)


def by_hand(organiser: User, **plan: Any) -> Season:
    """The season of eight in three rounds of tables_by_hand, of which all tables are over."""
    people = {number: world.person(name) for number, name in zip(EIGHT, NAMES, strict=True)}
    season = world.a_running_season(organiser, list(people.values()), rounds=3, division_size=8, **plan)
    for round_ in season.divisions.get().rounds.all():
        rows = [table for table in SEASON if table.round == round_.number]
        tables = world.seat_by_hand(round_, *[[people[player] for player in one.seated] for one in rows])
        for table, facts in zip(tables, rows, strict=True):
            is_over(table, with_accounts(facts, people))
    return season


def with_accounts(facts: TableFacts, people: Mapping[int, User]) -> TableFacts:
    """The facts in which players are these people's accounts."""
    return replace(facts, seats=tuple([_seat(seat, people) for seat in facts.seats]))


def _seat(seat: SeatFacts, people: Mapping[int, User]) -> SeatFacts:
    held = [Holder(one.player and people[one.player].pk, one.turns) for one in seat.holders]
    return replace(seat, holders=tuple(held))


def path_of(name: str, season: Season, *more: int) -> str:
    return reverse(name, args=[season.league_id, season.number, *more])


def division_path(division: Division, name: str = "division") -> str:
    return path_of(name, division.season, division.level)


def read(client: Client, path: str, status: int = 200) -> str:
    """The whole page."""
    answer = client.get(path)
    assert answer.status_code == status, path
    return str(answer.content.decode())


def words_of(html: str) -> str:
    """What stands on a page between its header and its footer, without marks."""
    main = html.partition("<main")[2].partition("</main>")[0].partition(">")[2]
    in_lines = re.sub(r"</?(a|b|strong|abbr)\b[^>]*>", "", main)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?time[^>]*>", "", in_lines))).split())


def text_of(client: Client, path: str) -> str:
    """Return the words of the page at a path."""
    return words_of(read(client, path))


def rows_of(html: str) -> list[list[str]]:
    """The cells of a page's first table, without what stands small below a name, and without reasons."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    body = re.sub(r'<tr class="why.*?</tr>', "", body, flags=re.S)
    body = re.sub(r'<(span|b) class="(small soft|you|badge)">.*?</\1>', "", body, flags=re.S)
    return [
        [" ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in re.findall(CELL, row, re.S)]
        for row in re.findall(r"<tr.*?</tr>", body, re.S)
    ]


def standing_of(html: str) -> list[list[str]]:
    """Place, name, points, and the points of each result, for each row of a division's page."""
    bare = re.sub(r"<abbr.*?</abbr>", "", tidy(html))
    told = re.findall(r"Results of ([^<]*):</span><span>([^<]*)</span>", bare)
    results = {unescape(name): [one.strip() for one in points.split(" · ")] for name, points in told}
    return [[row[0], row[1], row[3], *results.get(row[1], ())] for row in rows_of(html)]


def columns(rows: Sequence[Sequence[str]], *numbers: int) -> list[tuple[str, ...]]:
    return [tuple([row[number] for number in numbers]) for row in rows]
