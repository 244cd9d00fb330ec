"""A personal link that a host pastes into their table's name or note is taken out before anyone sees it."""

from typing import Any

import pytest

from games.forms.table_words import TableWords
from games.models import Table

pytestmark = pytest.mark.django_db

LINK = "http://testserver/seat/WzEsMiwzXQ:1xUMyq:f4nVlUwx0uAi85sc8T4q/"


def test_a_personal_link_in_a_name_or_note_is_taken_out(anna: Any) -> None:
    words = TableWords({"name": f"At {LINK[17:47]}", "note": f"Sit here:\n{LINK}\nhttp://testserver/rules/"})
    assert words.is_valid(), words.errors
    table: Table = words.save(commit=False)
    assert table.name == "At (link removed)"
    assert table.note == "Sit here:\n(link removed)\nhttp://testserver/rules/"
