"""Games, their logs, and what a player notes about one."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from games.models.tables import Seat, Table
from games.rules import game_key

if TYPE_CHECKING:
    from accounts.models import User


class GameQuerySet(models.QuerySet["Game"]):
    def running(self) -> GameQuerySet:
        return self.filter(ended_at__isnull=True)

    def to_watch(self) -> GameQuerySet:
        """Those anyone may watch, the running ones first."""
        running_first = models.F("ended_at").desc(nulls_first=True)
        return self.filter(anyone_watches=True).order_by(running_first, "-moved_at", "-pk")

    def of(self, user: User) -> GameQuerySet:
        return self.filter(models.Exists(Seat.objects.filter(table=models.OuterRef("table"), user=user)))


class Game(models.Model):
    """One game: its setup and its log. What stands below `final_battle` is copied, under the row's lock, but
    for `ended`, which is the table's word (R49)."""

    class Ended(models.TextChoices):
        AGREEMENT = "agreement", _("ended by common consent")
        ABANDONED = "abandoned", _("abandoned")
        ADJUDICATED = "adjudicated", _("adjudicated")  # by the terms of the source it was part of

    table = models.ForeignKey(Table, models.PROTECT, related_name="games")
    number = models.PositiveSmallIntegerField(default=1)  # at its table, which plays one unless it is a match
    players = models.PositiveSmallIntegerField()
    first_condottiere = models.PositiveSmallIntegerField()
    is_first_set = models.BooleanField(default=False)  # by an source, not drawn (R2)
    nonces = models.JSONField(default=list)  # hex, a seat each; empty where they are not known
    points_before = models.JSONField(null=True, blank=True)  # in a match, a number per seat
    final_battle = models.JSONField(null=True, blank=True)  # a match's tie-break: regions or null per seat
    ply = models.PositiveIntegerField(default=0)
    step = models.PositiveIntegerField(default=0)
    phase = models.CharField(max_length=8)
    result = models.JSONField(null=True, blank=True)
    started_at = models.DateTimeField()
    moved_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended = models.CharField(max_length=11, choices=Ended, blank=True)  # by the table; empty: by the rules
    paused_until = models.DateTimeField(null=True, blank=True)  # nobody's time is counted before
    anyone_watches = models.BooleanField(default=False)  # by the terms of its table, copied when it begins

    vias: tuple[str, ...] = ()  # how each entry of the log was made, once it has been replayed
    plies_read: tuple[int, ...] = ()  # which entries these are: others' secret answers are not read (R17)

    # The newest rows of what is noted beside its log, as games.models.replay reads them; None where there are
    # none.
    newest_time_event: int | None = 0
    newest_change: int | None = 0  # in a match: of all its games
    newest_proposal: int | None = 0

    objects = GameQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "number"], name="game_number_once"),)
        indexes = (
            models.Index(
                fields=["-ended_at", "-moved_at", "-id"],
                name="game_to_watch",
                condition=models.Q(anyone_watches=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.table} (game {self.pk})"

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    def place_of(self, ply: int) -> int:
        """Before which of the entries that were read something stands that was noted at this ply."""
        return bisect_left(self.plies_read, ply)

    @property
    def fighters(self) -> tuple[int, ...]:
        """The seats that take part: all, but in the final battle of a match only the tied (R28)."""
        regions = self.final_battle or [0] * self.players
        return tuple(seat for seat, held in enumerate(regions) if held is not None)

    @property
    def key(self) -> bytes:
        """What the shuffles are made from (RECORD.md, "A provable shuffle")."""
        nonces = [bytes.fromhex(self.nonces[seat]) for seat in self.fighters]
        return game_key(self.table.secret_of(self.number), nonces)


class LogEntry(models.Model):
    """One line of a game's log. Never updated: a correction is another entry; only practice is deleted."""

    class Via(models.TextChoices):
        WEB = "web"
        LINK = "link"
        BOT = "bot"
        CLOCK = "clock"

    game = models.ForeignKey(Game, models.PROTECT, related_name="log", db_index=False)
    ply = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: the table itself shuffled
    move = models.TextField()
    decision_step = models.PositiveIntegerField(null=True, blank=True)
    via = models.CharField(max_length=9, choices=Via, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("ply",)
        constraints = (
            models.UniqueConstraint(fields=["game", "ply"], name="log_ply_once"),
            # A question is answered once: the last line of defence behind the game's lock.
            models.UniqueConstraint(fields=["game", "seat", "decision_step"], name="log_answer_once"),
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


class ReadMarker(models.Model):
    """How far a player has read at a table: what came later is marked as new, for him alone.

    A copy of nothing and part of no game. It is the reader's own, so opening the page may write it.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField(default=1)  # of the game at the table
    step = models.PositiveIntegerField(default=0)  # of that game; never its ply, which would tell more (R17)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "user"], name="seen_once"),)

    def __str__(self) -> str:
        return f"{self.user} at {self.table}, step {self.step} of game {self.number}"
