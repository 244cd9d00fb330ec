"""Which deals a reader may read."""

from __future__ import annotations

from django.db.models import Q

from games.chat.access import Reader
from games.chat.models import Deal
from games.chat.writing import is_over

TABLE = "table"  # in addresses of deals and in forms: the public channel, which has an empty slug


def readable_deals(reader: Reader) -> list[Deal]:
    """Return the deals the reader may read.

    These are the deals of their channels. After the end, players read all deals of the table. Others then
    also read the deals whose parties all made them public.
    """
    found = Deal.objects.filter(_may_read(reader), channel__table=reader.table)
    found = found.select_related("channel", "game").prefetch_related("parties", "promises__verdicts")
    return list(found.order_by("pk"))


def _may_read(reader: Reader) -> Q:
    own = Q(channel__in=[channel.pk for channel in reader.channels if channel.pk])
    if not is_over(reader.table):
        return own
    if reader.seat is not None:
        return Q()
    return own | Q(is_public=True) if reader.watches else own


def has_deals(reader: Reader) -> bool:
    """Return whether this reader has a deals page.

    Someone who can read nothing now may find something there after the end.
    """
    table = reader.table
    return bool(reader.channels) or (reader.watches and is_over(table) and not table.is_practice)


def find_deal(reader: Reader, slug: str, number: int) -> Deal | None:
    """Return the deal at this address, if the reader may read it."""
    wanted = "" if slug == TABLE else slug
    return next(
        (one for one in readable_deals(reader) if (one.channel.slug, one.number) == (wanted, number)), None
    )
