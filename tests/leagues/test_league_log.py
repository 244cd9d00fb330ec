"""What a league's log and its letters tell of an organiser's acts."""

from typing import Any

import pytest
from django.core import mail

from accounts.models import User
from accounts.post.delivery import deliver_due
from games.leagues.commands.collecting import collect
from games.leagues.commands.rulings import award
from games.leagues.overview.log import deeds_of, lines_of
from tests.clocks.passing import Wall
from tests.leagues.world import a_running_season, finish, person, seat_by_hand

pytestmark = pytest.mark.django_db


def test_an_award_tells_who_has_how_much(wall: Wall, anna: User, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    players = [person(name) for name in ("Zita", "Berta", "Mara", "Ada")]  # as they sit
    season = a_running_season(anna, players, rounds=1)
    (table,) = seat_by_hand(season.divisions.get().rounds.get(), players)
    finish(table)
    assert collect(table, wall.now)
    award(table, anna, [4, 3, None, 1], "So it was agreed.")
    told = "awarded a table's points: Zita (4), Berta (3), Ada (1)"
    assert lines_of(deeds_of(season.league)[:1], with_reasons=True)[0].told == told
    mail.outbox.clear()
    deliver_due()
    (letter,) = [one for one in mail.outbox if one.to == ["ada@example.org"] and "organiser" in one.subject]
    assert told in " ".join(letter.body.split())
    assert "division A, round 1, table 1" in " ".join(letter.body.split())
