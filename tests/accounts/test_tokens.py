"""Short signed tokens: one purpose each, an age, and at most 40 characters."""

from datetime import timedelta

import pytest

from accounts import tokens

AGE = timedelta(days=60)


def test_a_token_gives_back_its_parts_and_is_short() -> None:
    token = tokens.sign("answer", 9_999_999, 5, 9_999_999, 2_000, dated=True)
    assert len(token) <= 40
    assert tokens.read_numbers("answer", token, 4, AGE) == [9_999_999, 5, 9_999_999, 2_000]
    assert len(tokens.sign("unsubscribe", "u", 99_999, "abcde", "game-99999")) <= 40


@pytest.mark.parametrize("wrong", ["", "x", "a" * 3000, "1.2." + "a" * 17, ":", "é" * 20])
def test_what_this_site_did_not_make_opens_nothing(wrong: str) -> None:
    with pytest.raises(tokens.BadToken):
        tokens.read("answer", wrong, AGE)


def test_any_changed_character_and_another_purpose_are_refused() -> None:
    token = tokens.sign("answer", 12, 3, dated=True)
    for place, character in enumerate(token):
        changed = token[:place] + ("a" if character != "a" else "b") + token[place + 1 :]
        with pytest.raises(tokens.BadToken):
            tokens.read("answer", changed, AGE)
    with pytest.raises(tokens.BadToken):
        tokens.read("seat", token, AGE)


def test_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: made)
    token = tokens.sign("seat", 12, dated=True)
    monkeypatch.setattr("time.time", lambda: made + AGE.total_seconds() - 7200)
    assert tokens.read_numbers("seat", token, 1, AGE) == [12]
    monkeypatch.setattr("time.time", lambda: made + AGE.total_seconds() + 7200)
    with pytest.raises(tokens.BadToken):
        tokens.read_numbers("seat", token, 1, AGE)


def test_parts_that_could_be_read_otherwise_are_not_signed() -> None:
    with pytest.raises(ValueError, match="not a part"):
        tokens.sign("chat", 1, "a.b")
