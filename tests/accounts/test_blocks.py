"""A person's own list of blocked people, which no one else sees."""

import re
from typing import Any

import pytest

from accounts.blocking import block, block_key, blocks_of
from accounts.models import Block
from accounts.privacy import export

pytestmark = pytest.mark.django_db


def test_one_sees_whom_one_blocks_and_takes_it_back(anna: Any, bruno: Any, signed_in: Any) -> None:
    block(anna, bruno)
    client = signed_in(anna)
    assert "Bruno · Blocked:" in client.get("/me/blocks/").content.decode()
    key = block_key(blocks_of(anna)[0])
    page = client.post("/me/blocks/", {"block": key}, follow=True).content.decode()
    assert "You no longer block this person." in page
    assert "You don’t block anyone." in page


def test_no_one_takes_back_what_another_blocks(anna: Any, bruno: Any, signed_in: Any) -> None:
    block(anna, bruno)
    page = signed_in(bruno).post("/me/blocks/", {"block": block_key(blocks_of(anna)[0])}, follow=True)
    assert "block this person." in page.content.decode()
    assert Block.objects.count() == 1


def test_blocking_twice_is_once_and_no_one_blocks_themselves(anna: Any, bruno: Any) -> None:
    assert block(anna, bruno)
    assert block(anna, bruno)
    assert not block(anna, anna)
    assert Block.objects.count() == 1


def test_one_takes_the_names_of_whom_one_blocks_along_and_no_one_else_does(anna: Any, bruno: Any) -> None:
    block(anna, bruno)
    assert [one["whom"] for one in export(anna)["blocks"]] == ["Bruno"]
    assert export(bruno)["blocks"] == []


def test_someone_who_is_blocked_finds_nothing_of_it_in_their_account(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    pages = ("/me/", "/me/blocks/", "/games/")
    before = [without_token(signed_in(bruno).get(page)) for page in pages]
    block(anna, bruno)
    assert [without_token(signed_in(bruno).get(page)) for page in pages] == before


def without_token(answer: Any) -> str:
    """Return the page without what differs between two visits a second apart."""
    drawn = r'name="csrfmiddlewaretoken" value="[^"]*"|<time[^>]*>[^<]*</time>'
    return re.sub(drawn, "", answer.content.decode())
