"""Games, their logs, and a player's standing orders, notes and read marker."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from games.models.tables import Seat, Table
from games.orders import Aside, Fight, Order
from games.rules import game_key

if TYPE_CHECKING:
    from accounts.models import User


class GameQuerySet(models.QuerySet["Game"]):
    def running(self) -> GameQuerySet:
        return self.filter(ended_at__isnull=True)

    def to_watch(self) -> GameQuerySet:
        """Return the games anyone may watch, the running ones first."""
        running_first = models.F("ended_at").desc(nulls_first=True)
        return self.filter(anyone_watches=True).order_by(running_first, "-moved_at", "-pk")

    def of(self, user: User) -> GameQuerySet:
        return self.filter(models.Exists(Seat.objects.filter(table=models.OuterRef("table"), user=user)))


class Game(models.Model):
    """One game: its setup and its log.

    The columns below `final_battle` are copies, written under the row's lock. The exception is `ended`, which
    is decided by the table, not by the rules (R49).
    """

    class Ended(models.TextChoices):
        AGREEMENT = "agreement", _("ended by agreement")
        ABANDONED = "abandoned", pgettext_lazy("game", "abandoned")
        ADJUDICATED = "adjudicated", pgettext_lazy("game", "adjudicated")  # by the rules of its source

    table = models.ForeignKey(Table, models.PROTECT, related_name="games")
    number = models.PositiveSmallIntegerField(default=1)  # at its table, which plays one unless it is a match
    players = models.PositiveSmallIntegerField()
    first_condottiere = models.PositiveSmallIntegerField()
    is_first_set = models.BooleanField(default=False)  # by a source, not drawn (R2)
    nonces = models.JSONField(default=list)  # hex, one per seat; empty if unknown
    points_before = models.JSONField(null=True, blank=True)  # in a match, a number per seat
    final_battle = models.JSONField(null=True, blank=True)  # a match's tie-break: regions or null per seat
    ply = models.PositiveIntegerField(default=0)
    step = models.PositiveIntegerField(default=0)
    phase = models.CharField(max_length=8)
    # from which games the log's first entries were copied: games.models.copied_logs; null: from none
    copied = models.JSONField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    started_at = models.DateTimeField()
    moved_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ended = models.CharField(max_length=11, choices=Ended, blank=True)  # by the table; empty: by the rules
    paused_until = models.DateTimeField(null=True, blank=True)  # no time is counted before
    glimpse = models.JSONField(default=dict)  # of its position, for lists: games.models.glimpses
    anyone_watches = models.BooleanField(default=False)  # copied from the table's settings when it begins

    vias: tuple[str, ...] = ()  # how each log entry was made, once it has been replayed
    choosers: tuple[str, ...] = ()  # which bot chose each, once it has been replayed
    plies_read: tuple[int, ...] = ()  # which entries these are: others' secret answers are not read (R17)

    # The newest rows noted with its log, as games_for_pages.py reads them; None if there are none.
    newest_time_event: int | None = 0
    newest_change: int | None = 0  # in a match: of all its games
    newest_proposal: int | None = 0
    newest_hour: int | None = 0  # the table's
    last_number: int | None = None  # of the table's games

    # Whether emails about it, and digests since it began, have gone to the reader of an email.
    had_email: bool = False
    had_digest: bool = False
    # Read for one reader by games_for_pages.py: how many games wait for them, their note and read marker.
    waiting_for_reader: int | None = None
    note_of_reader: str | None = None
    marked_number: int | None = None
    marked_step: int | None = None

    objects = GameQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "number"], name="game_number_once"),)
        indexes = (
            models.Index(
                fields=["-ended_at", "-moved_at", "-id"],
                name="game_to_watch",
                condition=models.Q(anyone_watches=True),
            ),
            models.Index(fields=["id"], name="game_running", condition=models.Q(ended_at=None)),
        )

    def __str__(self) -> str:
        return f"{self.table} (game {self.pk})"

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    def place_of(self, ply: int) -> int:
        """Return the index, among the entries read, before which something noted at this ply belongs."""
        return bisect_left(self.plies_read, ply)

    @property
    def fighters(self) -> tuple[int, ...]:
        """The seats that take part: all, or in a match's final battle only the tied ones (R28)."""
        regions = self.final_battle or [0] * self.players
        return tuple(seat for seat, held in enumerate(regions) if held is not None)

    @property
    def copied_entries(self) -> int:
        """How many entries the log begins with that were copied from another game."""
        return self.copied[-1]["entries"] if self.copied else 0

    @property
    def key(self) -> bytes:
        """The key of the shuffles (RECORD.md, "A provable shuffle")."""
        nonces = [bytes.fromhex(self.nonces[seat]) for seat in self.fighters]
        return game_key(self.table.secret_of(self.number), nonces)


class LogEntry(models.Model):
    """One entry of a game's log. Never updated: a correction is a new entry.

    Only practice logs are ever deleted.
    """

    class Via(models.TextChoices):
        WEB = "web"
        LINK = "link"
        EMAIL = "email"
        ORDER = "order"
        BOT = "bot"
        CLOCK = "clock"

    class ChosenBy(models.TextChoices):
        """The bots that choose moves."""

        RECRUIT = "recruit"
        CAPTAIN = "captain"
        STRATEGIST = "strategist"
        STAND_IN = "stand-in"  # Captain, where Strategist had no thought

    OWN_WAYS = (Via.WEB, Via.LINK, Via.EMAIL)
    OWN_TURNS = (*OWN_WAYS, Via.ORDER)  # an order is its player's answer, but no proof of their presence
    SECRET_MOVES = ("discard hand", "keep hand")  # the answers to R17's decision

    game = models.ForeignKey(Game, models.PROTECT, related_name="log", db_index=False)
    ply = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: the table itself shuffled
    move = models.TextField()
    decision_step = models.PositiveIntegerField(null=True, blank=True)
    via = models.CharField(max_length=9, choices=Via, blank=True)
    # which bot; empty: no bot, or one of which it isn't known
    chosen_by = models.CharField(max_length=10, choices=ChosenBy, blank=True, default="", db_default="")
    at = models.DateTimeField()

    class Meta:
        ordering = ("ply",)
        constraints = (
            models.UniqueConstraint(fields=["game", "ply"], name="log_ply_once"),
            # A decision is answered once: the last line of defence behind the game's lock.
            models.UniqueConstraint(fields=["game", "seat", "decision_step"], name="log_answer_once"),
        )

    def __str__(self) -> str:
        return f"{self.game_id}:{self.ply} {self.move}"


class StandingOrder(models.Model):
    """A seat's standing order for the battle that is being fought. Deleted when it ends, never kept."""

    class Kind(models.TextChoices):
        ASIDE = "aside"
        FIGHT = "fight"

    game = models.ForeignKey(Game, models.CASCADE, related_name="standing_orders")
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=5, choices=Kind)
    cards = models.JSONField(default=list)  # to fight on with, in this order; none to hold
    limit = models.PositiveSmallIntegerField(default=0)  # of a fight
    is_firm = models.BooleanField(default=False)  # passes where it would ask: with one rival, at the limit
    ply = models.PositiveIntegerField()  # of the first log entry after it

    class Meta:
        constraints = (models.UniqueConstraint(fields=["game", "seat"], name="standing_order_once"),)

    def __str__(self) -> str:
        return f"{self.game}: seat {self.seat}, {self.kind}"

    @property
    def order(self) -> Order:
        """The order as the pure functions of games.orders take it."""
        if self.kind == self.Kind.ASIDE:
            return Aside(self.is_firm)
        return Fight(tuple(self.cards), self.limit, self.is_firm)


class Note(models.Model):
    """A player's private note about a game."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="notes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notes")
    text = models.TextField(max_length=10_000, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["game", "user"], name="note_once"),)

    def __str__(self) -> str:
        return f"{self.user} on {self.game}"


class ReadMarker(models.Model):
    """How far a player has read at a table; later events are marked as new, for that player only.

    It is no part of the game. It is the reader's own, so opening the page may write it.
    """

    table = models.ForeignKey(Table, models.CASCADE, related_name="read_markers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField(default=1)  # of the game at the table
    # of that game; never its ply, which would reveal more (R17)
    step = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "user"], name="seen_once"),)

    def __str__(self) -> str:
        return f"{self.user} at {self.table}, step {self.step} of game {self.number}"
