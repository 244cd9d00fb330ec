"""Circles: who reads what together at a table, and how far each has read."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts import present
from accounts.models import User
from games.models import Table

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
EPILOGUE = "epilogue"


def new_slug() -> str:
    """How a private circle is named in addresses: drawn, so that it tells nobody how many there are."""
    return "".join(secrets.choice(_LETTERS) for _letter in range(10))


class CircleQuerySet(models.QuerySet["Circle"]):
    """The one place that says who may read a channel."""

    def readable_by(self, user: User | int | None) -> CircleQuerySet:
        """What this person reads where they may read the table's chat: the public channels, those opened to
        the table, and their own private ones; None for someone who is in no channel, such as a spectator.

        Which tables these are is said by the caller.
        """
        own = models.Exists(Member.objects.filter(circle=models.OuterRef("pk"), user=user))
        public = ~models.Q(kind=Circle.Kind.PRIVATE) | models.Q(opened_at__isnull=False)
        return self.filter(public if user is None else public | models.Q(own))

    def with_read_to(self, user: User | int | None) -> CircleQuerySet:
        """Adds `read_to`: how far this person has read."""
        followings = Following.objects.filter(circle=models.OuterRef("pk"), user=user)
        read_to = models.Subquery(followings.values("read_to"))
        return self.annotate(read_to=read_to)  # type: ignore[no-redef]  # None where it is not asked for


class Circle(models.Model):
    """One thread of talk: that of the whole table, its epilogue, or one among some of its people.

    A private circle is made of people, not of seats: whoever takes a seat later has no part in it.
    """

    class Kind(models.TextChoices):
        TABLE = "table", _("the whole table")
        EPILOGUE = "epilogue", _("after the end")
        PRIVATE = "private", _("some of the table")

    table = models.ForeignKey(Table, models.CASCADE, related_name="circles")
    newest = models.PositiveIntegerField(default=0)  # the number of its last message
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.TABLE)
    slug = models.CharField(max_length=12, blank=True)  # in its address; empty: the whole table's
    people_key = models.CharField(max_length=120, blank=True)  # of a private one: its people's numbers
    opened_at = models.DateTimeField(null=True, blank=True)  # by all its people, after the end
    begun_at = models.DateTimeField(default=present.now, editable=False)

    read_to: int | None = None  # of the person it was read for; None: they have read nothing here

    objects = CircleQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["table", "slug"], name="circle_address_once"),
            models.UniqueConstraint(
                fields=["table", "people_key"],
                name="circle_of_people_once",
                condition=models.Q(kind="private"),
            ),
        )

    def __str__(self) -> str:
        return f"{self.table_id}/{self.slug}"

    @property
    def unread(self) -> int:
        """How many messages came since its reader was here; his own are read."""
        return max(0, self.newest - (self.read_to or 0))

    @property
    def is_private(self) -> bool:
        return self.kind == self.Kind.PRIVATE

    @property
    def is_epilogue(self) -> bool:
        return self.kind == self.Kind.EPILOGUE


def people_key(people: list[User]) -> str:
    """By what a circle of these people is found again, whoever names them in whatever order."""
    return ",".join(str(pk) for pk in sorted(person.pk for person in people))


class Member(models.Model):
    """One of the people of a private circle."""

    circle = models.ForeignKey(Circle, models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True
    )  # null: a person who has been deleted
    opens_at = models.DateTimeField(null=True, blank=True)  # when he agreed to open it to the table

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["circle", "user"], name="member_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.circle}"


class Following(models.Model):
    """How far somebody has read in a circle, and when he is written to about it. His own; nobody sees it."""

    class Letters(models.TextChoices):
        """When letters tell of a circle; empty: as for all talk (accounts.User.talk_letters)."""

        USUAL = "", _("As for all talk")
        AT_ONCE = "at once", _("At once")
        BATCHED = "batched", _("Collected for some minutes")
        DIGEST = "digest", _("Once a day")
        NEVER = "never", _("Never")

    circle = models.ForeignKey(Circle, models.CASCADE, related_name="followings")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    read_to = models.PositiveIntegerField(default=0)  # the number of the last message he has read
    letters = models.CharField(max_length=8, choices=Letters, default=Letters.USUAL, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["circle", "user"], name="following_once"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.circle}, to {self.read_to}"
