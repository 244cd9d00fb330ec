"""The guide at a practice table: a hint for each new kind of turn, put away once it has been read."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from games.models import Game, Seat
from games.presenters.guide import ALL, HINTS, next_hint
from games.rules import observe
from games.services.practice import begin_practice
from tests.practice.playing_as_a_guest import begun
from tests.rules.stage import played, staged


def hint(state: Any, *read: str, since: Any = ()) -> str:
    found = next_hint(observe(state, 0), since, read)
    return found.key if found else ""


def test_each_kind_of_turn_has_its_hint() -> None:
    assert hint(staged("5 1|5", battle=None)) == "place"
    first = staged("5 drummer bishop courtesan|5", "-|5")
    told = ["first-card", "special", "bishop", "courtesan"]
    assert [hint(first, *told[:n]) for n in range(5)] == [*told, ""]
    later = staged("5 scarecrow surrender|5", "10|6")
    told = ["first-card", "pass", "special", "surrender", "scarecrow"]
    assert [hint(later, *told[:n]) for n in range(6)] == [*told, ""]
    assert hint(staged("5 1|5 5", finalists=(0, 1))) == "final"


def test_a_hint_follows_what_has_ended() -> None:
    _, events = played(staged("5 5|1 1", "-|-", holder=1), "play 1", "play 5", "pass", "pass")
    assert hint(staged("5 5|1 1"), "first-card", since=events) == "new-battle"


def test_no_more_hints_means_none() -> None:
    assert hint(staged("5 1|5", battle=None), ALL) == ""


def shown(page: bytes) -> str:
    found = re.search(r'class="hint">.*?<p>(.*?)</p>', unescape(page.decode()), re.S)
    return found[1] if found else ""


@pytest.mark.django_db
def test_a_guest_reads_each_hint_once_and_can_do_without() -> None:
    guest = Client()
    url = begun(guest)
    first = shown(guest.get(url).content)
    key = next(key for key, text in HINTS.items() if str(text) == first)
    guest.post(f"{url}hint/", {"hint": key})
    assert shown(guest.get(url).content) != first
    guest.post(f"{url}hint/", {"hint": "nonsense"})
    assert Seat.objects.get(bot="").hints_read == [key]
    guest.post(f"{url}hint/", {"hint": ALL})
    assert shown(guest.get(url).content) == ""


@pytest.mark.django_db
def test_the_next_practice_of_a_person_remembers(anna: Any) -> None:
    game: Game = begin_practice(anna, 1, "recruit", uuid4())
    game.table.seats.filter(user=anna).update(hints_read=["place", ALL])
    again = begin_practice(anna, 1, "recruit", uuid4())
    assert again.table.seats.get(user=anna).hints_read == ["place", ALL]
