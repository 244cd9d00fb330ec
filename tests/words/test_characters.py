"""What people see as one character is counted as one, and never cut in two."""

import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import regex
from django.conf import settings
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from accounts.characters import CODE_POINTS, CharactersField, count, cut, printable, shortened
from accounts.mail.models import LONGEST_SUBJECT
from accounts.mail.subjects import fit_subject, name_in_subject
from games.chat.forms.message_forms import MessageForm
from games.chat.search import excerpt
from games.chat.text_cleaning import LONGEST_MESSAGE, cleaned
from games.leagues.services.player_list_rows import shown
from games.narration.refusals import unreadable
from games.services.rematch import next_name

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
KISS = "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3fd"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
FLAG, THUMB, HEART = "\U0001f1e9\U0001f1ea", "\U0001f44d\U0001f3fd", "\u2764\ufe0f"
CHARACTERS = ["a", "q\u0323\u0301", FLAG, THUMB, HEART, FAMILY, KISS, ENGLAND]
CHARACTERS += ["\u0e19\u0e49", "\u1112\u1161\u11ab", "\u0995\u09be", "1\ufe0f\u20e3", "\u0646\u0650"]
TEXTS = st.lists(st.sampled_from(CHARACTERS), max_size=90)


def is_whole(part: str, characters: list[str]) -> bool:
    """Return whether this is the beginning of the text, up to the end of a character."""
    return part in {"".join(characters[:end]) for end in range(len(characters) + 1)}


@given(TEXTS, st.integers(0, 100), st.integers(0, 300))
def test_a_text_is_cut_between_characters(characters: list[str], most: int, room: int) -> None:
    text = "".join(characters)
    assert count(text) == len(characters)
    assert cut(text, most) == "".join(characters[:most])
    narrow = cut(text, most, code_points=room)
    assert len(narrow) <= room
    assert is_whole(narrow, characters)
    assert is_whole(shortened(text, most + 1).removesuffix("…"), characters)


@given(st.text(max_size=200), st.integers(0, 50))
def test_a_number_of_characters_bounds_the_code_points_of_any_text(text: str, most: int) -> None:
    assert count(cut(text, most)) <= most
    assert len(cut(text, most)) <= most * CODE_POINTS
    assert text.startswith(cut(text, most))
    assert count(text) >= len(text) / CODE_POINTS


@given(TEXTS.filter(bool))
def test_every_text_for_people_that_is_cut_ends_with_a_whole_character(characters: list[str]) -> None:
    text = "".join(characters)
    subject = fit_subject(f"Your turn: {name_in_subject(text)}")
    assert count(subject) <= LONGEST_SUBJECT
    assert is_whole(subject.removeprefix("Your turn: ").removesuffix("…"), characters)
    assert is_whole(shown(text).removesuffix("…"), characters)
    assert is_whole(next_name(text).removesuffix(" (2)"), characters)
    note = Template("{% load characters %}{{ note|shortened:10 }}").render(Context({"note": text}))
    assert is_whole(note.removesuffix("…"), characters)
    quoted = regex.search("“(.*)”", unreadable(text))
    assert quoted is not None
    assert is_whole(quoted[1].removesuffix("…"), characters)


@given(TEXTS, TEXTS)
def test_what_a_search_shows_of_a_message_has_whole_characters(before: list[str], after: list[str]) -> None:
    before, after = 3 * before, 5 * after
    found = re.sub("</?mark>|…", "", str(excerpt("".join([*before, " needle ", *after]), ("needle",))))
    begun, _needle, ended = found.partition(" needle ")
    assert "".join(before).endswith(begun)
    assert is_whole("".join(before).removesuffix(begun), before)
    assert is_whole(ended, after)


@given(TEXTS.filter(bool))
def test_emoji_in_messages_and_lists_stay_as_they_were_written(characters: list[str]) -> None:
    text = unicodedata.normalize("NFC", "".join(characters))
    assert cleaned(text) == printable(text) == text


@pytest.mark.django_db
@pytest.mark.parametrize("character", [FLAG, FAMILY, HEART], ids=ascii)
def test_a_message_may_have_so_many_characters(character: str) -> None:
    assert MessageForm({"text": character * LONGEST_MESSAGE}).is_valid()
    errors: Any = MessageForm({"text": character * (LONGEST_MESSAGE + 1)}).errors
    assert "This one has 4,001" in str(errors) or "This one has 4001" in str(errors)


def test_a_field_leaves_it_to_the_site_to_count() -> None:
    field = CharactersField(max_length=3)
    assert field.clean(3 * FAMILY) == 3 * FAMILY
    assert "maxlength" not in field.widget.attrs
    with pytest.raises(Exception, match="at most 3 characters"):
        field.clean(4 * "a")


def test_no_template_cuts_by_code_points() -> None:
    pages = Path(settings.BASE_DIR, "templates").rglob("*.*")
    assert [page.name for page in pages if re.search(r"\|truncate(chars|words)", page.read_text())] == []


@pytest.mark.parametrize(
    "piece", ["\U0001f1e9", "\u0301", FAMILY + "\u200d", "\u0600", "\u0995\u09be", "a", "\u1100"]
)
def test_counting_costs_work_in_proportion_to_the_length(piece: str) -> None:
    text = piece * 100_000  # a row of flags would take minutes if each looked back to the first
    assert count(text) >= len(text) / CODE_POINTS - 1
