"""Changes to a running game other than moves: proposals, seat changes, and clock events."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from games.models.games import Game


class Proposal(models.Model):
    """A player's proposal to all: to end the game (R49), pause its clocks or give more time.

    Only one can be open at a time.
    """

    class What(models.TextChoices):
        MOST_REGIONS = "most regions"  # the game ends, and the players with most regions win
        NONE = "none"  # the game ends, and no one wins
        PAUSE = "pause"
        GO_ON = "go on"  # the end of a pause
        MORE_TIME = "more time"

    game = models.ForeignKey(Game, models.CASCADE, related_name="proposals")
    seat = models.PositiveSmallIntegerField()  # the proposer's
    what = models.CharField(max_length=12, choices=What)
    amount = models.PositiveSmallIntegerField(null=True, blank=True)  # days of a pause, hours of more time
    accepted = models.JSONField(default=list)  # seats, including the proposer's
    made_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)  # accepted by all, refused or withdrawn

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game"], name="proposal_open_once", condition=models.Q(closed_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.game}: {self.what}"


class SeatChangeQuerySet(models.QuerySet["SeatChange"]):
    """Reads changes of seats."""

    def to_tell(self) -> SeatChangeQuerySet:
        """Return the changes with all that sentences about them need, in one statement.

        Besides the table and the people, that is the `absence`: the last event by which the previous holder
        went away or came back.
        """
        of_seat = {"game__table": models.OuterRef("game__table"), "seat": models.OuterRef("seat")}
        of_another_holder = SeatChange.objects.filter(
            **of_seat, at__gte=models.OuterRef("at"), pk__lt=models.OuterRef(models.OuterRef("pk"))
        )
        events = TimeEvent.objects.filter(
            ~models.Exists(of_another_holder),
            **of_seat,
            at__lte=models.OuterRef("at"),
            kind__in=(TimeEvent.Kind.STOOD_IN, TimeEvent.Kind.BACK),
        )
        last = models.Subquery(events.order_by("-pk").values("kind")[:1])
        changes = self.select_related("game__table", "before", "after")
        return changes.annotate(absence=last)  # type: ignore[no-redef]


class SeatChange(models.Model):
    """A seat that changed hands while a game ran (R49). Never updated."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="seat_changes")
    seat = models.PositiveSmallIntegerField()
    ply = models.PositiveIntegerField()  # of the first log entry that the new holder can make
    before = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # the player who gave it up; null: a bot
    after = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # null: a bot
    at = models.DateTimeField()

    absence: str | None  # a kind of TimeEvent; only of changes read by `to_tell`

    objects = SeatChangeQuerySet.as_manager()

    class Meta:
        ordering = ("ply", "pk")

    def __str__(self) -> str:
        return f"{self.game}: seat {self.seat} from ply {self.ply}"

    @property
    def was_away(self) -> bool:
        """Return whether a bot played for the previous holder."""
        return self.absence == TimeEvent.Kind.STOOD_IN


class TimeEvent(models.Model):
    """A change to a running game's clocks, shown to its players. Never updated."""

    class Kind(models.TextChoices):
        PAUSED = "paused"
        RESUMED = "resumed"
        EXTENDED = "extended"
        CREDITED = "credited"  # the service was down, or could not send email
        STOOD_IN = "stood in"  # a bot plays for an absent player
        BACK = "back"  # the absent player is back

    game = models.ForeignKey(Game, models.CASCADE, related_name="time_events")
    kind = models.CharField(max_length=8, choices=Kind)
    ply = models.PositiveIntegerField()  # of the first log entry after it
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: all seats
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # null: all together, or the site
    until = models.DateTimeField(null=True, blank=True)  # end of a pause
    amount = models.DurationField(null=True, blank=True)  # of an extension or a credit
    at = models.DateTimeField()

    class Meta:
        ordering = ("ply", "pk")

    def __str__(self) -> str:
        return f"{self.game}: {self.kind}"
