"""Emails in every language of the site, quoted below messages in every way."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.clocks.passing import Wall
from tests.replies.quoting import Corpus, check_part, check_whole, corpora
from tests.shared import built_once

pytestmark = [pytest.mark.long, pytest.mark.once, pytest.mark.usefixtures("db")]

built, db = built_once(corpora, Wall())
one_world = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@one_world
@given(st.data())
def test_the_message_above_a_quote_in_any_language_is_whole_and_alone(built: list[Corpus], data: Any) -> None:
    check_whole(built, data)


@one_world
@given(st.data())
def test_no_line_of_a_shortened_quote_in_any_language_is_sent(built: list[Corpus], data: Any) -> None:
    check_part(built, data)
