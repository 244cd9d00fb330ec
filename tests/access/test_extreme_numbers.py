"""Every field of every form gets numbers, days and times that no one means: each is answered with a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy

import pytest

from tests.access.headers import our_pages
from tests.access.world import World
from tests.journeys.visiting import Form, page_in
from tests.shared import built_once

pytestmark = [pytest.mark.once]

WORST = ["9999-12-31", "0001-01-01", "9" * 40]
EXTREMES = [*WORST, "23:59:59.999999", "-1", "32768", "9223372036854775808", "-" + "9" * 40, "1e400", "NaN"]
TIMES = re.compile(r"(day|start|end|days|hours|first|last|until|table_days|places|opens_at)(_\w+)?")
ROLES = ("host", "organiser", "staff")

built, db = built_once(World)


@pytest.fixture
def world(db: None, built: World) -> World:
    """Return the world as it was built."""
    own = copy(built)
    own.subjects = {name: dict(values) for name, values in built.subjects.items()}
    return own


def forms_of(world: World) -> Iterator[tuple[str, Form]]:
    """Yield each form that these people can send, once for each set of fields, with who can send it."""
    known = set()
    for address, about in our_pages():
        for role in ROLES:
            answer = world.ask(role, "GET", world.address(address, about), {})
            if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
                continue
            for form in page_in(answer).forms:
                kind = (re.sub(r"/\d+|/[^/]{20,}", "/", form.action), *sorted(form.fields))
                if form.method == "post" and kind not in known:
                    known.add(kind)
                    yield role, form


def sent_by(form: Form) -> Iterator[dict[str, str]]:
    """Yield what is sent: an extreme in one field, and the same in all fields of a time or a number."""
    buttons = {button.name: button.value for button in form.buttons if button.name}
    times = [name for name in form.fields if TIMES.fullmatch(name)]
    for extreme in EXTREMES:
        for name in form.fields if extreme in WORST else times:
            yield form.fields | buttons | {name: extreme}
        if len(times) > 1:
            yield form.fields | buttons | dict.fromkeys(times, extreme)


@pytest.mark.long
def test_no_number_day_or_time_is_too_much_for_a_form(world: World) -> None:
    found, asked = [], 0
    for role, form in forms_of(world):
        for sent in sent_by(form):
            asked += 1
            try:
                status = world.ask(role, "POST", form.action, sent).status_code
            except Exception as error:  # noqa: BLE001 - what the site would answer with 500
                found.append(f"{form.action} {sent}: {error!r}")
            else:
                found += [f"{form.action} {sent}: {status}"] if status >= 500 else []
    assert found == []
    assert asked > 500
