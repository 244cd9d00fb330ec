"""Names of character sets that Python doesn't know leave nothing behind, wherever they come from."""

from __future__ import annotations

import codecs
import encodings

import pytest
from django.test import Client

_PART = "--x\r\nContent-Disposition: form-data; {}\r\n\r\nvalue\r\n"


def remembered() -> int:
    return len(vars(encodings)["_cache"])


@pytest.mark.django_db
def test_parts_of_a_form_that_name_unknown_character_sets_leave_nothing(client: Client) -> None:
    """Python keeps each name that its own search is asked for: memory that any visitor could fill."""
    parts = "".join(_PART.format(f"name*=no-such-set-{number}''%41") for number in range(50))
    client.get("/offline/en/")
    before = remembered()
    client.post("/practice/", f"{parts}--x--\r\n", content_type="multipart/form-data; boundary=x")
    assert remembered() == before


@pytest.mark.parametrize("name", ["no such set", "no.such.set", "utf-8-é-9", "x" * 5000])
def test_an_unknown_name_is_refused_as_ever(name: str) -> None:
    before = remembered()
    with pytest.raises(LookupError):
        codecs.lookup(name)
    assert remembered() == before


@pytest.mark.parametrize(
    ("written", "name"),
    [("UTF8", "utf-8"), ("ISO_8859-1:1987", "iso8859-1"), ("iso.8859.2", "iso8859-2"), ("KOI8_U", "koi8-u")],
)
def test_names_that_python_knows_are_found(written: str, name: str) -> None:
    assert codecs.lookup(written).name == name
