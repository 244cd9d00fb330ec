"""The letters of leagues: each kind is sent by what causes it, and none twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from accounts import present
from accounts.post.models import Letter
from tests.clocks.passing import Wall
from tests.letters.every_kind import Post
from tests.letters.league_kinds import about_leagues

pytestmark = pytest.mark.django_db

KINDS = {kind for kind in settings.LETTER_KINDS if kind.startswith("league_")}


@pytest.fixture
def sent() -> dict[str, list[Any]]:
    wall = Wall()
    post = Post(wall)
    memory = override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
    with present.told_by(wall), memory:
        about_leagues(post)
    return {kind: letters for kind, letters in post.sent.items() if kind in KINDS}


def test_two_seasons_send_every_kind_and_each_letter_once(sent: dict[str, list[Any]]) -> None:
    assert set(sent) == KINDS
    told = Counter(
        (kind, letter.to[0], letter.subject, letter.body)
        for kind, letters in sent.items()
        for letter in letters
    )
    assert {key[:3]: times for key, times in told.items() if times > 1} == {}
    assert not Letter.objects.filter(kind__in=KINDS, state=Letter.State.QUEUED).exists()
