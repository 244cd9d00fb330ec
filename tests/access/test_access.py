"""Every address of the site, by every method, asked for by everyone: each gets what its row says, every page
has its headers and is translated, and none asks the database more often because there is more of anything.

Every run asks for one role of those whom a row refuses, a stranger if it can be; who is let in is shown by
the tests of what they do there. Everyone else follows with `--long`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from random import Random
from typing import Any

import pytest

from games.leagues.models import Organiser
from games.leagues.urls import organiser_urls
from games.models import LogEntry
from tests.access.growth import Growth, grown, read_pages
from tests.access.headers import lacking, not_translated, our_pages, times_outside_elements
from tests.access.rows import Row, read_rows, rows_for
from tests.access.world import SIGN_IN, Address, World, addresses, status_of
from tests.shared import built_once
from tests.words.pseudo import pseudo_locale

pytestmark = [pytest.mark.once]

ROWS = read_rows()
REFUSED = {frozenset({"404"}), frozenset({SIGN_IN})}
WALKERS = ("anonymous", "asked", "staff")

built, db = built_once(World)


# The addresses of organisers that are open to assistants too
FOR_ASSISTANTS = {
    "organise",
    "league_step_down",
    "season_desk",
    "season_write",
    "season_remind_invited",
    "season_remind_silent",
    "table_extend",
    "table_remind",
}


@pytest.fixture
def world(db: None, built: World) -> World:
    """Return the world as it was built."""
    own = copy(built)
    own.subjects = {name: dict(values) for name, values in built.subjects.items()}
    return own


def test_every_address_and_method_has_a_row() -> None:
    missing = [
        f"{address.name} {method}"
        for address in addresses()
        for method in ("GET", "POST")
        if not rows_for(address.name, method, ROWS)
    ]
    assert missing == []


def test_every_row_speaks_of_an_address() -> None:
    asked = [(address.name, method) for address in addresses() for method in ("GET", "POST")]
    used = {row for name, method in asked for row in rows_for(name, method, ROWS)}
    assert [f"{row.name} {row.method} {row.about}" for row in ROWS if row not in used] == []


def test_a_row_that_speaks_of_nothing_and_an_address_without_a_row_are_noticed() -> None:
    rows = read_rows("nowhere GET - 200")
    assert not [address for address in addresses() if rows_for(address.name, "GET", rows)]


def test_nothing_is_said_twice() -> None:
    said = [(row.name, row.method, about) for row in ROWS for about in row.about]
    assert sorted(said) == sorted(set(said))


def test_everyone_gets_at_our_addresses_what_their_row_says(world: World, long: bool) -> None:
    found = [
        wrong
        for address in addresses()
        for method in ("GET", "POST")
        for row in rows_for(address.name, method, ROWS)
        if not row.is_room
        for about in row.about
        for wrong in wrongs(world, row, address, about, row.roles if long else a_sample(row, about))
    ]
    _nothing(found)


def a_sample(row: Row, about: str) -> list[str]:
    """Return one role for each kind of refusal; a stranger where possible.

    Visitors without an account must sign in before anything is looked up: once for each row.
    """
    by_answer: dict[frozenset[str], list[str]] = {}
    for role in row.roles:
        by_answer.setdefault(frozenset(row.allows(role)), []).append(role)
    lot = Random(f"{row.name} {row.method} {about}")
    return [
        "stranger" if "stranger" in roles else lot.choice(roles)
        for answer, roles in by_answer.items()
        if answer in REFUSED and (answer != {SIGN_IN} or about == row.about[0])
    ]


def test_the_sample_keeps_one_of_each_kind_who_are_refused() -> None:
    for row in ROWS:
        refused = {frozenset(row.allows(role)) for role in row.roles} & REFUSED
        assert {frozenset(row.allows(role)) for role in a_sample(row, row.about[0])} == refused


def test_everyone_gets_in_other_programs_rooms_what_their_row_says(world: World) -> None:
    found = [
        wrong
        for address in addresses()
        for method in ("GET", "POST")
        for row in rows_for(address.name, method, ROWS)
        if row.is_room
        for wrong in wrongs(world, row, address, "-", ("anonymous", "stranger", "staff"))
    ]
    _nothing(found)


def test_an_assistant_gets_what_an_organiser_gets_where_they_may_help_and_nothing_else(world: World) -> None:
    Organiser.staff.filter(user=world.people["gino"]).update(role=Organiser.Role.ASSISTANT)
    names = {pattern.name for pattern in organiser_urls}
    found, let_in = [], set()
    for address in addresses():
        rows = [row for method in ("GET", "POST") for row in rows_for(address.name, method, ROWS)]
        for row in rows if address.name in names else ():
            role = "organiser" if address.name in FOR_ASSISTANTS else "stranger"
            for about in row.about:
                path, form = world.address(address, about), world.form(address.name, about)
                status = status_of(world.ask("organiser", row.method, path, form))
                if status not in row.allows(role):
                    found.append(f"{status}: {row.method} {address.name} about {about}")
                elif status in ("200", "302"):
                    let_in.add(address.name)
    _nothing(found)
    assert let_in == FOR_ASSISTANTS | {"new_league", "join_league"}


def test_every_page_has_its_policies_and_is_translated(world: World, long: bool) -> None:
    found, pages = [], 0
    for address, about in our_pages():
        for role in WALKERS if long else ("asked",):
            path, form = world.address(address, about), world.form(address.name, about)
            with pseudo_locale():
                answer = world.ask(role, "GET", path, form)
            pages += answer.status_code == 200
            wrongs = [*lacking(address.name, answer), *not_translated(address.name, answer)]
            wrongs += times_outside_elements(address.name, answer)
            found += [f"{address.name} about {about}, {role}: {wrong}" for wrong in wrongs]
    _nothing(found)
    assert pages > 80


@pytest.mark.parametrize(
    "header", ["Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cache-Control"]
)
def test_a_page_without_a_header_would_be_noticed(anna: Any, signed_in: Any, header: str) -> None:
    answer = signed_in(anna).get("/me/")
    assert lacking("profile", answer) == []
    del answer.headers[header]
    assert len(lacking("profile", answer)) >= 1


def test_every_page_has_its_headers_and_asks_as_often_in_a_larger_world(world: World, long: bool) -> None:
    growth = Growth(world, is_long=long)
    growth.live_on()
    before, entries = growth.counts(), LogEntry.objects.count()
    growth.live_on()
    assert LogEntry.objects.count() > entries
    _nothing([*grown(before, growth.counts()), *growth.wrong])


@pytest.mark.parametrize("is_long", [False, True])
@pytest.mark.long
def test_every_address_that_is_read_is_counted(is_long: bool) -> None:
    """tests/access/test_access.py fails for an address without a row; each row to read is asked for here."""
    pages = {address.name for _row, address, _about in read_pages(is_long=is_long)}
    assert len(pages) > 70
    assert {"game", "my_games", "tables", "watch", "chat", "live", "home"} <= pages


def test_a_page_with_a_query_for_each_row_would_be_noticed() -> None:
    assert grown({"my_games about - for asked": 6}, {"my_games about - for asked": 7})


def _nothing(found: list[str]) -> None:
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def wrongs(world: World, row: Row, address: Address, about: str, roles: Sequence[str]) -> list[str]:
    """Return what a role got here that differs from its row."""
    path = world.sample(address) if row.is_room else world.address(address, about)
    found = []
    for role in roles:
        form = world.form(address.name, about)
        status = status_of(world.ask(role, row.method, path, form))
        if status not in row.allows(role):
            allowed = "|".join(sorted(row.allows(role)))
            found.append(f"{role} gets {status}, not {allowed}: {row.method} {address.name} about {about}")
    return found
