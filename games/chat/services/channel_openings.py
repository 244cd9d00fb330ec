"""Open a private channel to its table after the end. All its people must agree."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from games.chat.models import Channel, Member
from games.chat.openings import may_be_opened, why_never_opened
from games.chat.services.channels import locked_table
from games.models import Seat
from games.services import Refused


@transaction.atomic
def agree_to_open(channel: Channel, seat: Seat) -> bool:
    """Agree, for this seat's person, to open the channel; return whether it is open now.

    An open channel stays open, because all have agreed. Raises Refused while a game is played, and if someone
    can no longer be asked.
    """
    channel, mine = _locked(channel, seat)
    if channel.opened_at is not None:
        return True
    _require_openable(channel)
    now = clock.now()
    channel.members.filter(pk=mine.pk, opens_at__isnull=True).update(opens_at=now)
    if channel.members.filter(opens_at__isnull=True).exists():
        return False
    Channel.objects.filter(pk=channel.pk).update(opened_at=now)
    return True


@transaction.atomic
def keep_closed(channel: Channel, seat: Seat) -> None:
    """Take back this person's agreement. Raises Refused once the channel is open."""
    channel, mine = _locked(channel, seat)
    if channel.opened_at is not None:
        raise Refused(_("This channel is already public, because everyone in it agreed."))
    channel.members.filter(pk=mine.pk).update(opens_at=None)


def _locked(channel: Channel, seat: Seat) -> tuple[Channel, Member]:
    """Return the current channel, locked until the transaction ends, and the person's membership."""
    table = locked_table(channel.table_id)
    channel = Channel.objects.get(pk=channel.pk)
    channel.table = table
    mine = channel.members.filter(user=seat.user_id, user__isnull=False).first()
    if mine is None or not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("Only players in this channel can make it public."))
    return channel, mine


def _require_openable(channel: Channel) -> None:
    if not may_be_opened(channel, channel.table):
        raise Refused(_("You can make a private channel public when the game is over."))
    never = why_never_opened(channel, channel.table)
    if never:
        raise Refused(never)
