"""Models of people: the email address identifies an account, and its owner chooses the shown name.

Nothing here may know about games.
"""

from datetime import time
from typing import TYPE_CHECKING, Any, ClassVar, cast
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import IntegrityError, models, transaction
from django.db.models.functions import Lower
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import clock
from accounts.addresses import normal_address
from accounts.names import (
    NAME_COLUMN,
    check_name,
    chosen_for_a_newcomer,
    clean_name,
    marked_as_bot,
    shown_name,
)

if TYPE_CHECKING:
    from allauth.account.models import EmailAddress


LANGUAGE_IN_LINK = "language"  # the query of a link in an email that opens a page in that language


def newcomers_language() -> str:
    """Return the language of a new account: the one its owner reads the site in at that moment."""
    return known_language(get_language() or "")


def known_language(code: str) -> str:
    """Return the language if the site supports it, else the site's own."""
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def site_time_zone() -> str:
    """Return the time zone of someone who has not chosen one."""
    return settings.TIME_ZONE


def usual_reminders() -> list[int]:
    """Return the default reminder lead times, in reminders (hours before a deadline)."""
    return [24, 6]


class UserManager(BaseUserManager["User"]):
    """Manager that creates and finds accounts by email address, ignoring case."""

    def get_by_natural_key(self, username: str | None) -> "User":
        """Return the account with this address; raises User.DoesNotExist."""
        return self.get(email=normal_address(username or ""))

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create an account; without a password, its owner signs in with a code only."""
        if not email:
            raise ValueError("an account needs an email address")
        user = self.model(email=normal_address(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create an operator account with every permission."""
        return self.create_user(email, password, **{**fields, "is_staff": True, "is_superuser": True})

    def get_or_create_proven(self, email: str, name: str = "") -> "User":
        """Return the account of an address whose owner has just proved it, and mark the address verified.

        An address verified as another account's second one belongs to that account. A person without a chosen
        name gets `name`, or a random one. Raises ValidationError for a name that is refused.
        """
        address = normal_address(email)
        with transaction.atomic():
            proven = _verified_row(address)
            if proven is not None:
                return cast(User, proven.user)
            user = self._get_or_create(address, name)
            _mark_verified(user)
            if name and not user.name_chosen:
                user.name, user.name_chosen = clean_name(name), True
                user.save(update_fields=["name", "name_chosen"])
            return user

    def create_unproven(self, email: str) -> "User | None":
        """Create an account whose owner has yet to prove the address; None if there is one already."""
        from allauth.account.models import EmailAddress  # its foreign key needs this module loaded first

        try:
            with transaction.atomic():
                user = self.create_user(email)
                EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=False)
                return user
        except IntegrityError:
            return None

    def unproven(self) -> "models.QuerySet[User]":
        """Return accounts whose address was typed but never confirmed."""
        never_in = self.filter(last_login=None, is_staff=False, deleted_at=None, owner=None)
        return never_in.exclude(emailaddress__verified=True)

    def _get_or_create(self, address: str, name: str) -> "User":
        user = self.filter(email=address).first()
        if user is not None:
            return user
        chosen: dict[str, Any] = {"name": clean_name(name), "name_chosen": True} if name else {}
        try:
            with transaction.atomic():
                return self.create_user(address, **chosen)
        except IntegrityError:  # two links were clicked at the same moment
            return self.get(email=address)


def _verified_row(address: str) -> "EmailAddress | None":
    from allauth.account.models import EmailAddress  # its foreign key needs this module loaded first

    return EmailAddress.objects.filter(email=address, verified=True).select_related("user").first()


def _mark_verified(user: "User") -> None:
    """Mark the address verified, and remove a password set before: a stranger may have typed the address."""
    from allauth.account.models import EmailAddress

    if user.has_usable_password() and EmailAddress.objects.filter(user=user, verified=False).exists():
        user.set_unusable_password()
        user.save(update_fields=["password"])
    EmailAddress.objects.filter(user=user, primary=True).exclude(email=user.email).update(primary=False)
    EmailAddress.objects.update_or_create(
        user=user, email=user.email, defaults={"verified": True, "primary": True}
    )


class User(AbstractBaseUser, PermissionsMixin):
    """A person, or a bot of a person's own. Others never see the address; they do see the name.

    A bot's account has an owner, who gives its program tokens. No one signs in to it, and it gets no emails.
    """

    class Frequency(models.TextChoices):
        AT_ONCE = "at once", _("An email for each turn, right away")
        BATCHED = "batched", _("One email that collects several turns")
        DIGEST = "digest", _("One email a day with all games where it’s your turn")
        NEVER = "never", _("No emails about turns and deadlines")

    class ChatEmails(models.TextChoices):
        AT_ONCE = "at once", _("Soon after each message")
        BATCHED = "batched", _("One email that collects several messages")
        DIGEST = "digest", _("Once a day, with the daily email")
        NEVER = "never", pgettext_lazy("time between emails", "Never")

    email = models.EmailField(_("email address"), max_length=254, unique=True)
    name = models.CharField(
        pgettext_lazy("admin", "name"),
        max_length=NAME_COLUMN,
        default=chosen_for_a_newcomer,
        validators=[check_name],
    )
    name_chosen = models.BooleanField(_("chose a name"), default=False)
    language = models.CharField(pgettext_lazy("admin", "language"), max_length=16, default=newcomers_language)
    time_zone = models.CharField(_("time zone"), max_length=64, default=site_time_zone)
    time_zone_chosen = models.BooleanField(_("chose a time zone"), default=False)
    hand_in_emails = models.BooleanField(_("hand in emails"), default=True)
    chat_emails = models.CharField(
        _("emails about chat messages"),
        max_length=7,
        choices=ChatEmails,
        default=ChatEmails.AT_ONCE,
    )
    frequency = models.CharField(
        _("email frequency"), max_length=8, choices=Frequency, default=Frequency.AT_ONCE
    )
    batch_minutes = models.PositiveSmallIntegerField(_("minutes to collect turns"), default=60)
    at_once_when_alone = models.BooleanField(_("email at once when a game waits only for them"), default=True)
    digest_at = models.TimeField(_("time of the daily email"), default=time(8))
    every_move = models.BooleanField(_("emails about every move"), default=False)
    reminders = models.JSONField(_("reminders (hours before a deadline)"), default=usual_reminders)
    quiet_from = models.TimeField(_("quiet hours start"), null=True, blank=True)
    quiet_until = models.TimeField(_("quiet hours end"), null=True, blank=True)
    days_off = models.JSONField(_("days off"), default=list, blank=True)  # weekdays, 0 is Monday
    push_kinds = models.JSONField(
        pgettext_lazy("admin", "notifications"), default=list, blank=True
    )  # accounts.push.models
    push_instead = models.BooleanField(_("no email after a notification"), default=False)
    # whether a NoticeTarget gets their notifications; written by accounts/push/targets.py
    has_notice_targets = models.BooleanField(default=False, db_default=False, editable=False)
    plays_at_once = models.BooleanField(_("plays cards without confirming"), default=False)
    hides_page = models.BooleanField(_("hides their page"), default=False, db_default=False)
    feed_key = models.CharField(max_length=32, null=True, blank=True, unique=True, editable=False)
    owner = models.ForeignKey(
        "self",
        models.CASCADE,
        verbose_name=pgettext_lazy("admin", "owner of the bot"),
        related_name="bots",
        null=True,
        blank=True,
        editable=False,
        db_index=False,
    )  # whose bot it is; null: a person
    is_staff = models.BooleanField(pgettext_lazy("admin", "operator"), default=False)
    is_active = models.BooleanField(pgettext_lazy("admin", "active"), default=True)
    joined_at = models.DateTimeField(_("joined at"), default=clock.now, editable=False)
    deleted_at = models.DateTimeField(_("deleted at"), null=True, blank=True, editable=False)

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    # Whether it is known, because a page or an email has read it with their seat, that there are none.
    has_no_holidays = False

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        verbose_name = pgettext_lazy("admin", "user")
        verbose_name_plural = pgettext_lazy("admin", "users")
        constraints: ClassVar = [
            models.UniqueConstraint(
                Lower("email"),
                name="one_account_per_address",
                violation_error_message=_("Another account has this address. Use another."),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["owner"], condition=models.Q(owner__isnull=False), name="bot_of_owner")
        ]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def shown_name(self) -> str:
        """Return the name that other people see; bots are marked in it, as the site's own are."""
        name = shown_name(self.name, is_deleted=self.deleted_at is not None)
        return marked_as_bot(name) if self.is_bot else name

    @property
    def is_bot(self) -> bool:
        """Return whether a person's program plays with this account."""
        return self.owner_id is not None

    @property
    def has_page(self) -> bool:
        """Return whether others may open the page of this person's games."""
        return self.is_active and not self.hides_page

    @property
    def gets_no_emails(self) -> bool:
        """Return whether the person gets no emails about turns; everyone at their tables sees that."""
        return self.frequency == self.Frequency.NEVER

    @property
    def zone(self) -> ZoneInfo:
        """Return the person's time zone, or the site's if this machine does not know the stored name."""
        try:
            return ZoneInfo(self.time_zone)
        except (KeyError, ValueError, OSError):  # ZoneInfo raises any of these for a bad name
            return ZoneInfo(settings.TIME_ZONE)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save; normalize a new address. Of accounts that share a mailbox, only one has the normal form."""
        if self._state.adding or "email" in (kwargs.get("update_fields") or ()):
            self.email = normal_address(self.email)
        super().save(*args, **kwargs)


class Holiday(models.Model):
    """Days on which a person is away, announced ahead, from the first to the last inclusive."""

    user = models.ForeignKey(User, models.CASCADE, related_name="holidays")
    first = models.DateField()
    last = models.DateField()
    announced_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "holiday")
        verbose_name_plural = pgettext_lazy("admin", "holidays")
        ordering: ClassVar = ["first", "pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(last__gte=models.F("first")), name="holiday_has_days")
        ]

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


class Block(models.Model):
    """A private mark not to play with another person, applied when seats are offered."""

    by = models.ForeignKey(User, models.CASCADE, related_name="blocks")
    whom = models.ForeignKey(User, models.CASCADE, related_name="+")
    since = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "block")
        verbose_name_plural = pgettext_lazy("admin", "blocks")
        constraints: ClassVar = [models.UniqueConstraint(fields=["by", "whom"], name="block_once")]

    def __str__(self) -> str:
        return f"{self.by} does not play with {self.whom}"


class ApiToken(models.Model):
    """A token by which a program acts for a person; only its digest is stored."""

    class Scope(models.TextChoices):
        """What a program may do with a token."""

        READ = "read", _("Read what you can read: your games, tables, channels and leagues")
        PLAY = (
            "play",
            _("Play: move, give standing orders, keep notes, join tables, make them and invite people"),
        )
        CHAT = "chat", _("Write in your channels, show cards there and seal notes")

    user = models.ForeignKey(User, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    ending = models.CharField(max_length=4)  # its last characters, by which its owner knows it
    scopes = models.JSONField(default=list)
    since = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    used_on = models.DateField(null=True, blank=True, editable=False)  # the last day (UTC)

    class Meta:
        verbose_name = pgettext_lazy("admin", "token for programs")
        verbose_name_plural = pgettext_lazy("admin", "tokens for programs")
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        """Return whether it no longer works."""
        return self.expires_at is not None and self.expires_at <= clock.now()

    @property
    def scope_names(self) -> list[str]:
        """Return what a program may do with it, in the reader's language."""
        return [str(scope.label) for scope in self.Scope if scope in self.scopes]


class RateLimitCounter(models.Model):
    """How often a limited action was done on one day, by a hashed key that identifies no one."""

    action = models.CharField(max_length=40)
    key = models.CharField(max_length=64)
    day = models.DateField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = _("rate limit counter")
        verbose_name_plural = _("rate limit counters")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "action", "key"], name="counted_once")
        ]

    def __str__(self) -> str:
        return f"{self.action}, {self.day}: {self.count}"


class SignInCode(models.Model):
    """The current sign-in code of one address; the row does not reveal the address."""

    address = models.CharField(max_length=64, unique=True)  # a keyed hash
    code = models.CharField(max_length=32)
    made_at = models.DateTimeField()
    asked_at = models.DateTimeField()
    times_sent = models.PositiveSmallIntegerField(default=0)
    wrong_tries = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"a sign-in code of {self.made_at}"
