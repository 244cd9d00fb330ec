"""The people that a person mutes, at any table."""

from __future__ import annotations

from accounts.models import User
from games.chat.models import Mute
from games.models import Table


def muted_by(user: User) -> frozenset[int]:
    """Return the people whom this user mutes under their own names.

    Anonymous players are left out: that someone is among the muted would tell who they are.
    """
    mutes = Mute.objects.filter(by=user).exclude(
        table__in=Table.objects.filter(is_anonymous=True).exclude(state=Table.State.FINISHED)
    )
    return frozenset(mutes.values_list("whom", flat=True))
