"""Tables and their seats."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.characters import CODE_POINTS
from games.models.site_names import TABLE_NAME_COLUMN, SiteName, SiteNameField
from games.rules import HIGHEST_TARGET, Options, chain_of_secrets, commitment

if TYPE_CHECKING:
    from accounts.models import User

MIN_SEATS, MAX_SEATS = 2, 6


def new_secret() -> bytes:
    """Return 32 random bytes: the table's part in every shuffle (RECORD.md, "A provable shuffle")."""
    return secrets.token_bytes(32)


def new_join_key() -> str:
    """Return the unguessable part of a table's joining link: 128 bits."""
    return secrets.token_urlsafe(16)


def new_closing_time() -> datetime:
    """Return when a table that starts gathering players now closes."""
    return clock.now() + settings.TABLE_LASTS


def base_game() -> dict[str, Any]:
    """Return the options of a table that chose none: the 2007 game."""
    return {"edition": "2007", "variants": []}


class TableQuerySet(models.QuerySet["Table"]):
    def gathering(self) -> TableQuerySet:
        return self.filter(state=Table.State.GATHERING)

    def annotate_taken(self) -> TableQuerySet:
        """Add `taken`, the number of taken seats.

        They are counted per table, so a page of a list counts only the tables it shows.
        """
        seats = Seat.objects.filter(table=models.OuterRef("pk")).order_by().values("table")
        counted = models.Subquery(seats.annotate(number_of=models.Count("pk")).values("number_of"))
        return self.annotate(taken=Coalesce(counted, 0))

    def of(self, user: User) -> TableQuerySet:
        return self.filter(models.Exists(Seat.objects.filter(table=models.OuterRef("pk"), user=user)))


class Table(models.Model):
    """People who gather to play, and their settings. One or more games are played at it."""

    class Entry(models.TextChoices):
        OPEN = "open", _("Anyone can take a seat")
        INVITATION = "invitation", _("Only people the host invites by email")
        LINK = "link", _("Anyone with the link")

    class State(models.TextChoices):
        GATHERING = "gathering", pgettext_lazy("table", "waiting for players")
        PLAYING = "playing", pgettext_lazy("table", "playing")
        FINISHED = "finished", pgettext_lazy("table", "finished")
        CANCELLED = "cancelled", pgettext_lazy("table", "cancelled")
        CLOSED = "closed", pgettext_lazy("table", "closed")  # by the site: it did not fill

    class Watch(models.TextChoices):
        NOBODY = "nobody", _("Only the players")
        LINK = "link", _("Anyone with the spectator link")
        ANYONE = "anyone", pgettext_lazy("may watch a table", "Anyone")

    class Chat(models.TextChoices):
        """The channels of the table in which people may write while they play."""

        ALL = "all"
        PUBLIC = "public"
        BETWEEN = "between"  # all of them, but not during a battle
        NONE = "none"

    class Anonymity(models.TextChoices):
        """How the players at a table are hidden from each other now."""

        NONE = ""
        NAMELESS = "nameless"  # until the seats are drawn
        SEATS = "seats"  # each is named by the sign of their seat

    class Pace(models.TextChoices):
        """Time per move: a key of games.clocks.policy.PACES, or no clock at all."""

        HOURS = "hours"
        DAY = "day"
        DAYS = "days"
        WEEK = "week"
        NONE = "none"

    class Hours(models.TextChoices):
        """Which hours count for a player's time."""

        OWN = "own"
        HOLIDAYS = "holidays"  # all hours except the player's holidays
        ALL = "all"

    class Absent(models.TextChoices):
        """The players of an absent player's seat until they are back: a bot, or also another person."""

        BOT = "bot"
        OFFER = "offer"

    class GamesSeen(models.IntegerChoices):
        """Of 10 finished games, how many people must have seen to the end to take a free seat uninvited."""

        ANY = 0, _("You don’t ask for it")
        MOST = 8, _("At least 8 of 10")
        NEARLY_ALL = 9, _("At least 9 of 10")
        ALL = 10, _("All of them")

    class TimeBy(models.TextChoices):
        """The people who may pause a game and give more time: all players together, or the host too."""

        ALL = "all"
        HOST = "host"

    host = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="hosted_tables", null=True, blank=True
    )  # null: a guest's practice table, a source's table, or one with imported games
    name = SiteNameField(_("name of the table"), max_length=TABLE_NAME_COLUMN)
    note = models.TextField(_("message from the host"), max_length=1000, blank=True)
    size = models.PositiveSmallIntegerField(
        pgettext_lazy("admin", "seats"),
        validators=[MinValueValidator(MIN_SEATS), MaxValueValidator(MAX_SEATS)],
    )
    entry = models.CharField(pgettext_lazy("admin", "joining"), max_length=12, choices=Entry)
    watch = models.CharField(
        pgettext_lazy("admin", "spectators"), max_length=8, choices=Watch, default=Watch.NOBODY
    )
    chat = models.CharField(max_length=7, choices=Chat, default=Chat.ALL)
    shows_cards = models.BooleanField(default=True)  # R24
    spectators_read = models.BooleanField(default=True)
    is_anonymous = models.BooleanField(default=False)
    state = models.CharField(max_length=12, choices=State, default=State.GATHERING)
    options_json = models.JSONField(default=base_game)
    pace = models.CharField(max_length=5, choices=Pace, default=Pace.NONE)
    hours = models.CharField(max_length=8, choices=Hours, default=Hours.OWN)
    most_holidays = models.PositiveSmallIntegerField(default=28, validators=[MaxValueValidator(90)])
    most_misses = models.PositiveSmallIntegerField(
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(9)],
    )
    absent = models.CharField(max_length=5, choices=Absent, default=Absent.BOT)
    # whether its result changes ratings; then anyone may watch, and bots get no free seat
    is_rated = models.BooleanField(default=False, db_default=False)
    least_seen = models.PositiveSmallIntegerField(choices=GamesSeen, default=0, db_default=0)
    takes_bots = models.BooleanField(default=False, db_default=False)  # of people's own, as its players
    has_orders = models.BooleanField(default=True)  # whether players may give standing orders
    time_by = models.CharField(max_length=4, choices=TimeBy, default=TimeBy.ALL)
    target = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(HIGHEST_TARGET)]
    )  # the points for which a match is played; null: one game
    secret = models.BinaryField(default=new_secret, editable=False)  # the last of the chain; empty: unknown
    # how many secrets are derived from it
    chain = models.PositiveSmallIntegerField(default=1, editable=False)
    form_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)  # of the form that made it
    join_key = models.CharField(max_length=32, default=new_join_key, unique=True, editable=False)
    watch_key = models.CharField(max_length=32, default=new_join_key, unique=True, editable=False)
    practice_key = models.CharField(max_length=32, null=True, blank=True, unique=True, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    closes_at = models.DateTimeField(default=new_closing_time)  # unless its game has begun by then
    warned_at = models.DateTimeField(null=True, blank=True)  # when the host read that it does not fill
    # latest start of a match's next game, between games
    next_game_at = models.DateTimeField(null=True, blank=True)
    # what it is part of, such as a league round
    source = SiteNameField(max_length=TABLE_NAME_COLUMN, blank=True, editable=False)
    source_path = models.CharField(max_length=160, blank=True, editable=False)  # the page of the source
    rematch_of = models.OneToOneField(
        "Game", models.SET_NULL, related_name="rematch", null=True, blank=True, editable=False
    )

    # What its players agree to. A rematch copies these columns, and so does a season for its tables.
    SETTINGS = (
        "options_json", "target", "chain", "pace", "hours", "most_holidays", "most_misses", "absent",
        "time_by", "watch", "chat", "shows_cards", "spectators_read", "is_anonymous", "has_orders",
        "is_rated", "least_seen", "takes_bots",
    )  # fmt: skip

    objects = TableQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(
                fields=["created_at", "id"],
                name="table_open",
                condition=models.Q(state="gathering", entry="open"),
            ),
            models.Index(fields=["closes_at"], name="table_closing", condition=models.Q(state="gathering")),
            models.Index(
                fields=["next_game_at"],
                name="table_next_game",
                condition=models.Q(next_game_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def has_read_seats(self) -> bool:
        """Whether its seats have been read for a page."""
        return "seats" in getattr(self, "_prefetched_objects_cache", {})

    def all_seats(self) -> list[Seat]:
        """Return its seats in order, with their users; no query once they have been read for a page."""
        read = getattr(self, "_prefetched_objects_cache", {})
        if "seats" in read:
            # `seats.all()` makes another queryset each time
            return sorted(read["seats"], key=attrgetter("number"))
        return list(self.seats.select_related("user").order_by("number"))

    @property
    def agreed_settings(self) -> dict[str, Any]:
        """The columns that a rematch copies."""
        return {name: getattr(self, name) for name in self.SETTINGS}

    @property
    def options(self) -> Options:
        return Options(edition=self.options_json["edition"], variants=tuple(self.options_json["variants"]))

    @property
    def is_match(self) -> bool:
        """Whether games are played here until someone has `target` points."""
        return self.target is not None

    @property
    def welcomes_bots(self) -> bool:
        """Whether bots of people's own can take a seat; a rated game has none."""
        return self.takes_bots and not self.is_rated

    @property
    def games_seen_asked(self) -> int:
        """How many of 10 games its host asks to be seen to the end; 0 where no one is asked.

        At anonymous tables no one is: it would tell about those who sit there.
        """
        return 0 if self.is_anonymous else self.least_seen

    @property
    def commitment(self) -> str:
        """SHA-256 of the first game's secret, in hex, published before anyone joins; empty if unknown."""
        return self.commitment_of(1)

    def secret_of(self, number: int) -> bytes:
        """Return the secret of this table's game with that number, from 1; empty if unknown."""
        return chain_of_secrets(bytes(self.secret), self.chain)[number - 1] if self.secret else b""

    def commitment_of(self, number: int) -> str:
        """Return the hash of that game's secret; in a match, it equals the previous game's secret."""
        return commitment(self.secret_of(number)) if self.secret else ""

    @property
    def is_practice(self) -> bool:
        """Whether this is a guest's table against bots, which is deleted after a while."""
        return self.practice_key is not None

    @property
    def is_against_bots(self) -> bool:
        """Whether it was made for practice against bots, also once a guest has kept it."""
        return isinstance(self.name, SiteName) and self.name.kind == "practice"

    @property
    def is_imported(self) -> bool:
        """Whether its games were imported from records; the names are the records' own."""
        return self.host_id is None and not self.is_practice and not self.source

    @property
    def anonymity(self) -> Anonymity:
        """How its players are hidden now."""
        return self.anonymity_of(self.state, is_anonymous=self.is_anonymous)

    @classmethod
    def anonymity_of(cls, state: str, *, is_anonymous: bool) -> Anonymity:
        """Return how players are hidden: at an anonymous table, until all its games are over."""
        if not is_anonymous or state == cls.State.FINISHED:
            return cls.Anonymity.NONE
        return cls.Anonymity.SEATS if state == cls.State.PLAYING else cls.Anonymity.NAMELESS

    @property
    def counts_hours_of_players(self) -> bool:
        """Whether a player's own hours or holidays change when their time runs."""
        return self.pace != self.Pace.NONE and self.hours != self.Hours.ALL

    @property
    def is_playing(self) -> bool:
        """Whether a game, or a match, is being played."""
        return self.state == self.State.PLAYING

    @property
    def is_gathering(self) -> bool:
        return self.state == self.State.GATHERING

    @property
    def kept_open_until(self) -> datetime:
        """When it would close if its host kept it open now."""
        return new_closing_time()

    @property
    def closes_later_if_kept_open(self) -> bool:
        """Whether its host would gain a day by keeping it open now."""
        return self.kept_open_until - self.closes_at >= timedelta(days=1)

    @property
    def never_began(self) -> bool:
        """Whether it ended before its game: cancelled by the host, or closed by the site."""
        return self.state in (self.State.CANCELLED, self.State.CLOSED)


class SeatQuerySet(models.QuerySet["Seat"]):
    def people(self) -> SeatQuerySet:
        """Return the seats of people, who can be emailed."""
        return self.filter(user__isnull=False).select_related("user")

    def asked(self, user: User) -> SeatQuerySet:
        """Return this user's seats with a pending decision: as many as games wait for the user."""
        return self.filter(user=user, asked_since__isnull=False)

    def waiting_for(self, user: User) -> SeatQuerySet:
        """Return the same seats, longest waiting first; `game_pk` is the game."""
        return (
            self.asked(user)
            .filter(table__games__ended_at=None)
            .annotate(game_pk=models.F("table__games"))
            .select_related("table")
            .order_by("asked_since", "pk")
        )


class Seat(models.Model):
    """A seat at a table: of a person, a bot or, at a practice table, a guest without account.

    The three asked columns describe the pending decision of a person, a guest or a Strategist that has to
    think, or are null together. If a clock runs for it, so do the countdown's columns (games.clocks.policy)
    and `due_at`, computed from them.
    """

    class Bot(models.TextChoices):
        RECRUIT = "recruit", pgettext_lazy("bot", "Recruit")
        CAPTAIN = "captain", pgettext_lazy("bot", "Captain")
        STRATEGIST = "strategist", pgettext_lazy("bot", "Strategist")

    table = models.ForeignKey(Table, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="seats", null=True, blank=True
    )
    bot = models.CharField(max_length=10, choices=Bot, blank=True)
    name = models.CharField(max_length=80 * CODE_POINTS, blank=True)  # of a player in an imported record
    hints_read = models.JSONField(default=list, blank=True)  # keys of the guide's
    # of its player, so that the guide gives hints: no one else may know
    is_first_game = models.BooleanField(default=False, db_default=False)
    nonce = models.CharField(max_length=32, blank=True)  # from the player's own words, hex; empty: none given
    # the game of a match that the player is ready for
    ready_for = models.PositiveSmallIntegerField(default=0)
    taken_at = models.DateTimeField(default=clock.now, editable=False)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    # Rows about the seat, as games_for_pages.py reads them with it; None if there are none.
    sent_offer: int | None = 0  # an open offer of the seat to someone else
    suppression: int | None = 0  # its player's address gets no emails
    holiday: int | None = 0  # one of its player's, past or announced

    pending_decision = models.CharField(max_length=8, null=True, blank=True)  # noqa: DJ001 - null with the two below
    decision_step = models.PositiveIntegerField(null=True, blank=True)
    asked_since = models.DateTimeField(null=True, blank=True)
    order_stop = models.JSONField(null=True, blank=True)  # why a standing order asks: reason, seat, card
    counted_from = models.DateTimeField(null=True, blank=True)
    time_left = models.DurationField(null=True, blank=True)  # the decision's own time at counted_from
    reserve = models.DurationField(null=True, blank=True)  # of the running game, at counted_from
    due_at = models.DateTimeField(null=True, blank=True)
    remind_at = models.DateTimeField(null=True, blank=True)  # when the next reminder is queued
    was_put_off = models.BooleanField(default=False)  # by a change of the player's weekly hours
    misses = models.PositiveSmallIntegerField(default=0)  # missed turns in a row
    played_by_bot = models.CharField(max_length=10, choices=Bot, blank=True)  # plays until the player is back
    # the next shared hour that the player agreed to, or the one that is on
    hour_from = models.DateTimeField(null=True, blank=True)
    hour_until = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # when their page last asked, if others may know
    shows_presence = models.BooleanField(default=False)  # also outside shared hours

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
            models.Index(fields=["due_at"], name="seat_due", condition=models.Q(due_at__isnull=False)),
            models.Index(
                fields=["counted_from"], name="seat_counted", condition=models.Q(due_at__isnull=False)
            ),
            models.Index(fields=["id"], name="seat_away", condition=~models.Q(played_by_bot="")),
            models.Index(
                fields=["remind_at"], name="seat_remind", condition=models.Q(remind_at__isnull=False)
            ),
            models.Index(
                fields=["hour_until"], name="seat_hour", condition=models.Q(hour_until__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"{self.table}, seat {self.number}"

    @property
    def anonymity(self) -> Table.Anonymity:
        """How its player is hidden from the others at the table."""
        return self.table.anonymity

    @property
    def played_by(self) -> str:
        """The strength of the bot that plays here, permanently or for an absent player; "" for none."""
        return self.bot or self.played_by_bot

    @property
    def is_of_host(self) -> bool:
        """Whether the table's host sits here."""
        return self.user_id is not None and self.user_id == self.table.host_id

    @property
    def person(self) -> User:
        """The user in this seat, which must have one."""
        assert self.user is not None
        return self.user
