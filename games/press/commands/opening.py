"""Opening a private circle to its table after the end: all its people have to agree."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from games.commands import Refused
from games.models import Seat
from games.press.access import may_be_opened, why_never_opened
from games.press.commands.adding import locked_table
from games.press.models import Circle, Member


@transaction.atomic
def agree_to_open(circle: Circle, seat: Seat) -> bool:
    """This seat's person agrees. Returns whether it is open now, which nobody takes back: all have agreed.

    Raises Refused while it is played, and where somebody cannot be asked any more.
    """
    circle, mine = _locked(circle, seat)
    if circle.opened_at is not None:
        return True
    _require_openable(circle)
    now = present.now()
    circle.members.filter(pk=mine.pk, opens_at__isnull=True).update(opens_at=now)
    if circle.members.filter(opens_at__isnull=True).exists():
        return False
    Circle.objects.filter(pk=circle.pk).update(opened_at=now)
    return True


@transaction.atomic
def keep_closed(circle: Circle, seat: Seat) -> None:
    """Takes back that this seat's person agreed. Raises Refused once it is open."""
    circle, mine = _locked(circle, seat)
    if circle.opened_at is not None:
        raise Refused(_("It is open to the table already: all of you had agreed."))
    circle.members.filter(pk=mine.pk).update(opens_at=None)


def _locked(circle: Circle, seat: Seat) -> tuple[Circle, Member]:
    """The circle as it is now, held until the transaction ends, and the person's part in it."""
    table = locked_table(circle.table_id)
    circle = Circle.objects.get(pk=circle.pk)
    circle.table = table
    mine = circle.members.filter(user=seat.user_id, user__isnull=False).first()
    if mine is None or not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("Only who talked here can open it."))
    return circle, mine


def _require_openable(circle: Circle) -> None:
    if not may_be_opened(circle, circle.table):
        raise Refused(_("What was said among few can be opened to the table when the game is over."))
    never = why_never_opened(circle, circle.table)
    if never:
        raise Refused(never)
