"""The time of a simulated world doesn't depend on the time that its work takes on this machine."""

from __future__ import annotations

import pytest

from accounts import ticks
from accounts.mail.models import OutgoingEmail
from games.models import Table
from tests.simulation.games.world import Club, Plan

pytestmark = [pytest.mark.django_db, pytest.mark.once]


class Beginning(Club):
    """A simulated world until its game begins. Every tick must leave nothing to the next one."""

    def _is_over(self) -> bool:
        is_just_ticked = self.ticked_at == self.clock.now
        assert not (is_just_ticked and OutgoingEmail.objects.due(self.clock.now).exists())
        return Table.objects.filter(state=Table.State.PLAYING).exists() and is_just_ticked


def test_a_simulated_tick_finishes_its_work_however_slow_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticks, "TICK_SECONDS", -1.0)  # no time at all
    Beginning(Plan(players=2, pace="hours", seed=7, club=1), 0, 1).live()
    told = OutgoingEmail.objects.filter(state=OutgoingEmail.State.SENT).values_list("kind", flat=True)
    assert {"confirm", "started"} <= set(told)
