"""The organisers and assistants of a league, as one of the organisers reads them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from games.leagues.models import League, Organiser
from games.leagues.services.vanished_organisers import may_be_removed_at


@dataclass(frozen=True)
class StaffRow:
    """An organiser or an assistant; `removable_at` if they haven't answered whether they are still here."""

    organiser: Organiser
    is_reader: bool
    removable_at: datetime | None
    can_be_removed: bool


def staff_rows(league: League, reader: User, now: datetime) -> list[StaffRow]:
    """Return everyone who runs the league or assists in it."""
    rows = Organiser.staff.filter(league=league).select_related("user")
    return [_row(organiser, reader, now) for organiser in rows]


def _row(organiser: Organiser, reader: User, now: datetime) -> StaffRow:
    due, is_reader = may_be_removed_at(organiser), organiser.user_id == reader.pk
    return StaffRow(organiser, is_reader, due, due is not None and due <= now and not is_reader)


def asked_until(league: League, user: User) -> datetime | None:
    """Return until when this organiser is asked to say that they are still here, if they are."""
    own = league.organisers.filter(user=user).first()
    return may_be_removed_at(own) if own else None
