"""A table's settings on its page, and the text of the button that confirms them."""

from __future__ import annotations

from typing import Any

import pytest

from games import services
from games.models import Table
from games.presenters.settings_text import settings_of
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("entry", Table.Entry.values)
@pytest.mark.parametrize("watch", Table.Watch.values)
@pytest.mark.parametrize("pace", ["day", "none"])
def test_every_matter_is_told_in_sentences_whatever_the_terms(entry: str, watch: str, pace: str) -> None:
    told = settings_of(Table(name="Friday", size=4, entry=entry, watch=watch, pace=pace))
    assert [article.key for article in told] == [
        "players",
        "game",
        "time",
        "absent",
        "chat",
        "orders",
        "watch",
    ]
    assert all(article.title and all(article.sentences) for article in told)


def test_a_practice_table_has_no_chat_to_tell_of() -> None:
    told = settings_of(Table(name="Practice", size=3, entry="link", practice_key="key"))
    assert "chat" not in [article.key for article in told]


def test_someone_who_confirms_reads_that_they_accept_the_terms(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4, pace="day")
    while table.seats.count() < table.size:
        services.seat_bot(table, "recruit", table.seats.count())
    page = signed_in(people[0]).get(f"/tables/{table.pk}/").content.decode()
    assert "Confirm that I’ll play" in page
    for heading in ("Players", "Time per move", "Running out of time", "Chat", "Spectators"):
        assert f"<h3>{heading}</h3>" in page
