"""While nothing can be stored, every page can be read, and what is refused has stored nothing."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.test import Client

from accounts.models import RateLimitCounter
from tests.access.rows import Row, read_rows, rows_for
from tests.access.world import Address, World, addresses, status_of
from tests.full_disks import full_disk
from tests.shared import built_once

pytestmark = [pytest.mark.once]


NOT_STORED = "507"
MOST_WRITES = 60  # of one request
ROWS = read_rows()
READ_EACH_TIME = {"home", "my_games", "game", "chat", "channel", "live", "watch", "answer", "table"}
SENT_EACH_TIME = {"game_move", "answer_move", "chat", "new_table"}

built, db = built_once(World)


@pytest.fixture
def world(db: None, built: World) -> World:
    """Return the world as it was built, with a client that shows what visitors see."""
    own = copy(built)
    own._client = Client(raise_request_exception=False, headers={"X-Visible": "1"})
    return own


def asked_for(method: str) -> Iterator[tuple[Row, Address, str]]:
    for address in addresses():
        for row in rows_for(address.name, method, ROWS):
            if not row.is_room:
                yield from ((row, address, about) for about in row.about)


def test_every_page_can_be_read(world: World, long: bool) -> None:
    found, pages = [], 0
    for row, address, about in asked_for("GET"):
        if not long and address.name not in READ_EACH_TIME:
            continue
        for role in row.roles if long else ("asked", "anonymous"):
            with full_disk():
                answer = world.ask(
                    role, "GET", world.address(address, about), world.form(address.name, about)
                )
            pages += answer.status_code == 200
            if status_of(answer) not in row.allows(role):
                found.append(f"{role} gets {status_of(answer)}: {address.name} about {about}")
    assert not found, "\n".join(found)
    assert pages > (400 if long else 10)


def test_what_is_refused_has_stored_nothing(world: World, long: bool) -> None:
    found, refused = [], 0
    for row, address, about in asked_for("POST"):
        if not long and (address.name not in SENT_EACH_TIME or about not in ("running", "-")):
            continue
        role = next((role for role in ("asked", "host", "organiser") if is_let_in(row, role)), "")
        before = stored() if role else {}
        for after in range(MOST_WRITES if role else 0):
            answer, changed, was_full = send(world, role, address, about, after, before)
            if not was_full:
                break
            refused += status_of(answer) == NOT_STORED
            if status_of(answer) == NOT_STORED and changed:
                found.append(f"{address.name} about {about} after {after} writes: {changed}")
            elif answer.status_code == 500:
                found.append(f"{address.name} about {about} after {after} writes: 500")
        else:
            assert not role, f"{address.name} writes more than {MOST_WRITES} rows"
    assert not found, "\n".join(found)
    assert refused > (300 if long else 20)


def is_let_in(row: Row, role: str) -> bool:
    return role in row.roles and bool({"200", "302", "204"} & set(row.allows(role)))


def send(
    world: World, role: str, address: Address, about: str, after: int, before: dict[str, Any]
) -> tuple[Any, list[str], bool]:
    """Send a form when there is room for so many writes; return the answer, the changed tables, and whether
    something was refused."""
    client = world._client
    client.cookies.clear()
    client.cookies[settings.SESSION_COOKIE_NAME] = world._sessions[role]
    with transaction.atomic():
        with full_disk(after) as refused:
            answer = client.post(world.address(address, about), world.form(address.name, about))
        now = stored() if answer.status_code == int(NOT_STORED) else before
        transaction.set_rollback(True)
    return answer, [table for table, rows in now.items() if rows != before[table]], bool(refused)


def stored() -> dict[str, Any]:
    """Return all rows by table, but the counts of limits: a refused request may have counted."""
    models = (model for model in apps.get_models() if model is not RateLimitCounter)
    return {
        model._meta.db_table: sorted(map(repr, model._default_manager.values_list()))
        for model in models
        if model._meta.app_label not in ("contenttypes", "auth")
    }
