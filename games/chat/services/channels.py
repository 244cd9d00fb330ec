"""Store and begin channels, and choose when their emails come."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.chat.models import EPILOGUE, Channel, ChannelReadMarker, Member, new_slug, people_key
from games.chat.services.message_emails import regroup_chat_emails
from games.chat.writing import public_slug, why_silent
from games.models import Seat, Table
from games.services import Refused

MOST_CHANNELS = 60  # private ones of one person at a table: with five other players, 31 are possible


def locked_table(table_id: int) -> Table:
    """Lock the table's row until the transaction ends, so that messages are added one at a time.

    Callers that also need the game's row must lock it first.
    """
    return Table.objects.select_for_update().get(pk=table_id)


def stored(channel: Channel) -> Channel:
    """Return the channel's row. A public channel's row is created with its first message."""
    if channel._state.adding:
        channel, _made = Channel.objects.get_or_create(
            table=channel.table, slug=channel.slug, defaults={"kind": channel.kind}
        )
    else:
        channel = Channel.objects.select_related("table").get(pk=channel.pk)
    return channel


def as_stored_now(channel: Channel) -> Channel:
    """Return the stored channel: it may have been stored since its page was read."""
    if channel.pk:
        return channel
    return Channel.objects.filter(table=channel.table, slug=channel.slug).first() or channel


def public_channel(table: Table) -> Channel:
    """Return the public channel in use now. It is not stored before its first message."""
    slug = public_slug(table)
    kind = Channel.Kind.EPILOGUE if slug == EPILOGUE else Channel.Kind.TABLE
    return Channel.objects.filter(table=table, slug=slug).first() or Channel(
        table=table, kind=kind, slug=slug
    )


@transaction.atomic
def begin_channel(
    seat: Seat, others: Iterable[Seat], why_not: Callable[[Channel, Table], str] = why_silent
) -> Channel:
    """Return the private channel of this seat's person with the people of other seats.

    An existing channel is used again. Raises Refused if there is no one else, for a seat without a person,
    and if `why_not` gives a reason. By default, that is when the settings allow no such chat.
    """
    table = locked_table(seat.table_id)
    people = _people(seat, others)
    kept = Channel.objects.filter(
        table=table, people_key=people_key(people), kind=Channel.Kind.PRIVATE
    ).first()
    if kept is not None:
        return kept
    channel = Channel(table=table, kind=Channel.Kind.PRIVATE, slug=new_slug(), people_key=people_key(people))
    silent = why_not(channel, table)
    if silent:
        raise Refused(silent)
    if Member.objects.filter(channel__table=table, user=seat.user_id).count() >= MOST_CHANNELS:
        said = _(
            "You have reached the limit for private channels at this table (%(most)d). Use one of yours."
        )
        raise Refused(said % {"most": MOST_CHANNELS})
    channel.save()
    Member.objects.bulk_create([Member(channel=channel, user=person) for person in people])
    return channel


def _people(seat: Seat, others: Iterable[Seat]) -> list[User]:
    """Return the channel's people in seat order, so that the order of rows reveals nothing."""
    seats = {one.number: one for one in (seat, *others)}
    if len(seats) < 2:
        raise Refused(_("Choose at least one other player to chat with."))
    for one in seats.values():
        if one.table_id != seat.table_id or one.user is None:
            raise Refused(_("You can only chat with players at this table, not with bots."))
    return [seats[number].person for number in sorted(seats)]


@transaction.atomic
def choose_emails(channel: Channel, user: User, emails: str) -> None:
    """Choose when emails of this channel come, also for messages that wait; "" means as for all chat."""
    channel = stored(channel)
    ChannelReadMarker.objects.update_or_create(channel=channel, user=user, defaults={"emails": emails})
    regroup_chat_emails(user, clock.now())
