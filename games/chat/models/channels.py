"""Channels, their members, how far people have read in them, and who mutes whom."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.models import User
from games.models import Table

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
EPILOGUE = "epilogue"


def new_slug() -> str:
    """Return a private channel's slug.

    It is random, so that it doesn't reveal how many channels there are.
    """
    return "".join(secrets.choice(_LETTERS) for _place in range(10))


class ChannelQuerySet(models.QuerySet["Channel"]):
    """Rules for who may read a channel. access.py says at which tables; writing.py says who may write."""

    def readable_by(self, user: User | int | None) -> ChannelQuerySet:
        """Return the channels this person may read, at tables whose chat they may read.

        These are the public channels, those opened to the table, and their own private ones. None is someone
        without private channels, such as a spectator. The caller limits the query to the right tables.
        """
        public = ~models.Q(kind=Channel.Kind.PRIVATE) | models.Q(opened_at__isnull=False)
        if user is None:
            return self.filter(public)
        membership = models.FilteredRelation("members", condition=models.Q(members__user=user))
        return self.annotate(membership=membership).filter(public | models.Q(membership__isnull=False))

    def with_members(self) -> list[Channel]:
        """Read these channels, oldest first, each with its members, in one statement."""
        of = models.F
        rows = self.annotate(member=of("members"), who=of("members__user"), opens=of("members__opens_at"))
        found: dict[int, Channel] = {}
        row: Any
        for row in rows.order_by("pk", "member"):
            if row.pk not in found:
                found[row.pk], row.all_members = row, []
            if row.member is not None:
                member = Member(pk=row.member, channel_id=row.pk, user_id=row.who, opens_at=row.opens)
                found[row.pk].all_members.append(member)
        return list(found.values())

    def with_last_read(self, user: User | int | None) -> ChannelQuerySet:
        """Add `last_read`: how far this person has read; without a user it stays None."""
        if user is None:
            return self
        marker = models.FilteredRelation("read_markers", condition=models.Q(read_markers__user=user))
        return self.annotate(marker=marker, last_read=models.F("marker__last_read"))  # type: ignore[no-redef]


class Channel(models.Model):
    """One thread of chat: the public channel, the epilogue, or a private channel of some of the players.

    A private channel belongs to people, not to seats. A player who takes over a seat later isn't in it.
    """

    class Kind(models.TextChoices):
        TABLE = "table"
        EPILOGUE = "epilogue"  # after the end
        PRIVATE = "private"  # among some of the table

    table = models.ForeignKey(Table, models.CASCADE, related_name="channels")
    newest = models.PositiveIntegerField(default=0)  # the number of the last message
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.TABLE)
    slug = models.CharField(max_length=12, blank=True)  # in the address; empty for the public channel
    people_key = models.CharField(max_length=120, blank=True)  # of a private channel: its people's numbers
    opened_at = models.DateTimeField(null=True, blank=True)  # to the table by all its people, after the end

    last_read: int | None = None  # of the person it was queried for; None: they have read nothing here

    objects = ChannelQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["table", "slug"], name="channel_address_once"),
            models.UniqueConstraint(
                fields=["table", "people_key"],
                name="channel_of_people_once",
                condition=models.Q(kind="private"),
            ),
        )

    def __str__(self) -> str:
        return f"{self.table_id}/{self.slug}"

    @property
    def unread(self) -> int:
        """Return how many messages came since the reader's last visit. Their own count as read."""
        return max(0, self.newest - (self.last_read or 0))

    @cached_property
    def all_members(self) -> list[Member]:
        """The members of a private channel; `with_members` reads them with it."""
        return list(self.members.all())

    @property
    def is_private(self) -> bool:
        return self.kind == self.Kind.PRIVATE

    @property
    def is_epilogue(self) -> bool:
        return self.kind == self.Kind.EPILOGUE


def people_key(people: list[User]) -> str:
    """Return the key that finds the channel of these people, in whatever order they are given."""
    return ",".join(str(pk) for pk in sorted(person.pk for person in people))


class Member(models.Model):
    """One of the people of a private channel."""

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True
    )  # null: a deleted person
    opens_at = models.DateTimeField(null=True, blank=True)  # when they agreed to open it to the table

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["channel", "user"], name="member_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.channel}"


class ChannelReadMarker(models.Model):
    """How far someone has read in a channel, and when they get emails about it. Private to them."""

    class Emails(models.TextChoices):
        """When emails about a channel are sent; empty: as for all chat (accounts.User.chat_emails)."""

        USUAL = "", _("Same as for all chat")
        AT_ONCE = "at once", _("Soon after each message")
        BATCHED = "batched", _("One email that collects several messages")
        DIGEST = "digest", pgettext_lazy("emails", "Once a day")
        NEVER = "never", pgettext_lazy("emails", "Never")

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="read_markers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    last_read = models.PositiveIntegerField(default=0)  # the number of the last message they have read
    emails = models.CharField(max_length=8, choices=Emails, default=Emails.USUAL, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["channel", "user"], name="read_marker_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.channel}, to {self.last_read}"


class Mute(models.Model):
    """One person mutes another at a table. No one else can see it."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mutes")
    whom = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    since = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "by", "whom"], name="mute_once"),)

    def __str__(self) -> str:
        return f"{self.by} does not read {self.whom} at {self.table}"
