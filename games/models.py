"""What is stored: tables, seats, invitations, games and their logs.

A game is its log; every other column here is written by games.commands and can be recomputed.
"""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.constraints import CoveringUniqueConstraint
from games.rules import Options, commitment

if TYPE_CHECKING:
    from accounts.models import User

MIN_SEATS, MAX_SEATS = 2, 6


def new_secret() -> bytes:
    """32 random bytes: the table's part in every shuffle (RECORD.md, "A provable shuffle")."""
    return secrets.token_bytes(32)


def new_join_key() -> str:
    """The unguessable part of a table's joining link: 128 bits."""
    return secrets.token_urlsafe(16)


def new_closing_time() -> datetime:
    """When a table that begins to look for players now stops doing so."""
    return timezone.now() + settings.TABLE_LASTS


def base_game() -> dict[str, Any]:
    """The options of a table that chose none: the 2007 game."""
    return {"edition": "2007", "variants": []}


class TableQuerySet(models.QuerySet["Table"]):
    def gathering(self) -> TableQuerySet:
        return self.filter(state=Table.State.GATHERING)

    def open_to_anyone(self) -> TableQuerySet:
        """Tables with a free chair that anyone may take, the oldest first."""
        return (
            self.gathering()
            .filter(entry=Table.Entry.OPEN)
            .annotate_taken()
            .filter(taken__lt=models.F("size"))  # type: ignore[misc]  # taken was added one line above
            .order_by("created_at", "pk")
        )

    def annotate_taken(self) -> TableQuerySet:
        """Adds `taken`, the number of seats that have somebody, and `free`, of those that have nobody."""
        taken = models.Count("seats")
        return self.annotate(taken=taken, free=models.F("size") - taken)

    def of(self, user: User) -> TableQuerySet:
        return self.filter(models.Exists(Seat.objects.filter(table=models.OuterRef("pk"), user=user)))


class Table(models.Model):
    """People who mean to play together, and their terms. One or more games are played at it."""

    class Entry(models.TextChoices):
        OPEN = "open", _("Anyone may take a seat")
        INVITATION = "invitation", _("Only people the host invites by e-mail")
        LINK = "link", _("Anyone who has the link")

    class State(models.TextChoices):
        GATHERING = "gathering", _("waiting for players")
        PLAYING = "playing", _("playing")
        FINISHED = "finished", _("finished")
        CALLED_OFF = "called off", _("called off")
        CLOSED = "closed", _("closed")  # by the site: nobody filled it

    class Watch(models.TextChoices):
        NOBODY = "nobody", _("Nobody but the players")
        LINK = "link", _("Whoever has the watching link")
        ANYONE = "anyone", _("Anyone")

    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="hosted_tables", null=True, blank=True
    )  # null: a guest's practice table
    name = models.CharField(_("name of the table"), max_length=60)
    note = models.TextField(_("a word from the host"), max_length=1000, blank=True)
    size = models.PositiveSmallIntegerField(
        _("seats"), validators=[MinValueValidator(MIN_SEATS), MaxValueValidator(MAX_SEATS)]
    )
    entry = models.CharField(_("who may sit down"), max_length=12, choices=Entry)
    watch = models.CharField(_("who may watch"), max_length=8, choices=Watch, default=Watch.NOBODY)
    state = models.CharField(max_length=12, choices=State, default=State.GATHERING)
    options_json = models.JSONField(default=base_game)
    secret = models.BinaryField(default=new_secret, editable=False)
    form_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)  # of the form that made it
    join_key = models.CharField(max_length=32, default=new_join_key, unique=True, editable=False)
    watch_key = models.CharField(max_length=32, default=new_join_key, unique=True, editable=False)
    practice_key = models.CharField(max_length=32, null=True, blank=True, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    closes_at = models.DateTimeField(default=new_closing_time)  # unless its game has begun by then
    warned_at = models.DateTimeField(null=True, blank=True)  # when the host was told that nobody comes
    rematch_of = models.OneToOneField(
        "Game", models.SET_NULL, related_name="rematch", null=True, blank=True, editable=False
    )

    objects = TableQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(
                fields=["created_at"],
                name="table_open",
                condition=models.Q(state="gathering", entry="open"),
            ),
            models.Index(fields=["closes_at"], name="table_closing", condition=models.Q(state="gathering")),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def options(self) -> Options:
        return Options(edition=self.options_json["edition"], variants=tuple(self.options_json["variants"]))

    @property
    def commitment(self) -> str:
        """SHA-256 of the secret, in hex: published before anybody joins."""
        return commitment(bytes(self.secret))

    @property
    def is_practice(self) -> bool:
        """Whether this is a guest's table against bots, which is deleted after a while."""
        return self.practice_key is not None

    @property
    def is_gathering(self) -> bool:
        return self.state == self.State.GATHERING

    @property
    def never_began(self) -> bool:
        """Whether it ended before its game: called off by the host, or closed by the site."""
        return self.state in (self.State.CALLED_OFF, self.State.CLOSED)


class SeatQuerySet(models.QuerySet["Seat"]):
    def people(self) -> SeatQuerySet:
        """The seats of people, who can be written to."""
        return self.filter(user__isnull=False).select_related("user")

    def waiting_for(self, user: User) -> SeatQuerySet:
        """The seats in which this person owes an answer, the longest waiting first; `game_pk` is the game."""
        return (
            self.filter(user=user, asked_since__isnull=False)
            .annotate(game_pk=models.Max("table__games"))
            .select_related("table")
            .order_by("asked_since", "pk")
        )


class Seat(models.Model):
    """A person, a bot or, at a practice table, a guest without account at a table.

    The three asked columns name a person's or guest's open question, or are null together.
    """

    class Bot(models.TextChoices):
        RECRUIT = "recruit", _("Recruit")
        CAPTAIN = "captain", _("Captain")

    table = models.ForeignKey(Table, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="seats", null=True, blank=True
    )
    bot = models.CharField(max_length=8, choices=Bot, blank=True)
    taken_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    asked_kind = models.CharField(max_length=8, null=True, blank=True)  # noqa: DJ001 - null with the two below
    asked_at = models.PositiveIntegerField(null=True, blank=True)
    asked_since = models.DateTimeField(null=True, blank=True)

    objects = SeatQuerySet.as_manager()

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["table", "number"], name="seat_number_once"),
            models.UniqueConstraint(fields=["table", "user"], name="seat_person_once"),
            models.CheckConstraint(
                condition=models.Q(bot="") | models.Q(user__isnull=True), name="seat_person_or_bot"
            ),
        )
        indexes = (
            models.Index(
                fields=["user", "asked_since"],
                name="seat_waiting",
                condition=models.Q(asked_since__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.table}, seat {self.number}"

    @property
    def person(self) -> User:
        """Who sits here, at a seat of a person."""
        assert self.user is not None
        return self.user


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def to_person(self, user: User) -> InvitationQuerySet:
        """Invitations to this person, or to the address that is his."""
        return self.filter(models.Q(user=user) | models.Q(user=None, email__iexact=user.email))


class Invitation(models.Model):
    """A host's letter to one address. Its link proves that whoever follows it reads that address."""

    class State(models.TextChoices):
        SENT = "sent", _("invited")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "withdrawn", _("withdrawn")

    table = models.ForeignKey(Table, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="invitations", null=True, blank=True
    )  # somebody the host knows by name only, from a game before
    state = models.CharField(max_length=10, choices=State, default=State.SENT)
    sent_count = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint("table", Lower("email"), name="invitation_once"),)

    def __str__(self) -> str:
        return f"{self.shown} to {self.table}"

    @property
    def letter_key(self) -> str:
        """The outbox's key of the last letter with this invitation."""
        return f"invitation:{self.pk}:{self.sent_count}"

    @property
    def shown(self) -> str:
        """How the host, and whoever holds the letter, sees who is invited: a name if that is all he knew."""
        return self.user.shown_name if self.user is not None else self.email

    def is_to(self, user: User) -> bool:
        """Whether this person is the one who is invited."""
        return self.user_id == user.pk if self.user_id is not None else self.email == user.email


class GameQuerySet(models.QuerySet["Game"]):
    def running(self) -> GameQuerySet:
        return self.filter(ended_at__isnull=True)

    def of(self, user: User) -> GameQuerySet:
        return self.filter(models.Exists(Seat.objects.filter(table=models.OuterRef("table"), user=user)))


class Game(models.Model):
    """One game: its setup and its log. What stands below `nonces` is copied, under the row's lock."""

    table = models.ForeignKey(Table, models.PROTECT, related_name="games")
    players = models.PositiveSmallIntegerField()
    first_condottiere = models.PositiveSmallIntegerField()
    nonces = models.JSONField(default=list)
    ply = models.PositiveIntegerField(default=0)
    step = models.PositiveIntegerField(default=0)
    phase = models.CharField(max_length=8)
    result = models.JSONField(null=True, blank=True)
    started_at = models.DateTimeField()
    moved_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = GameQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.table} (game {self.pk})"

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None


class LogEntry(models.Model):
    """One line of a game's log. Never updated: a correction is another entry; only practice is deleted."""

    class Via(models.TextChoices):
        WEB = "web"
        LINK = "link"
        BOT = "bot"

    game = models.ForeignKey(Game, models.PROTECT, related_name="log", db_index=False)
    ply = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: the table itself shuffled
    move = models.TextField()
    asked_at = models.PositiveIntegerField(null=True, blank=True)
    via = models.CharField(max_length=9, choices=Via, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("ply",)
        constraints = (
            CoveringUniqueConstraint(fields=["game", "ply"], name="log_ply_once", include=["seat", "move"]),
            # A question is answered once: the last line of defence behind the game's lock.
            models.UniqueConstraint(fields=["game", "seat", "asked_at"], name="log_answer_once"),
        )

    def __str__(self) -> str:
        return f"{self.game_id}:{self.ply} {self.move}"


class Note(models.Model):
    """What a player writes down about a game for nobody but himself."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="notes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notes")
    text = models.TextField(max_length=10_000, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["game", "user"], name="note_once"),)

    def __str__(self) -> str:
        return f"{self.user} on {self.game}"
