"""Bans from writing: which are in force, and what is said about them."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.time_elements import moment_element, with_times
from games.chat.models import Ban, Message
from games.models import Table

BANNED, LIFTED = "on", "off"  # `what` in a ban event: the ban was made, or lifted


def ban_event(what: str, number: int) -> str:
    """Return the stored event of a message about a ban. Readers never see it."""
    return f"{what}:{number}"


def ban_of_event(message: Message) -> tuple[str, int]:
    """Return what a message says about a ban, and that ban's number."""
    what, _colon, number = message.event.partition(":")
    return what, int(number)


def bans_in_force(bans: QuerySet[Ban] | None = None) -> QuerySet[Ban]:
    """Return the bans that have neither ended nor been lifted."""
    found = Ban.objects.all() if bans is None else bans
    return found.filter(Q(until=None) | Q(until__gt=clock.now()), lifted_at=None)


def ban_of(user: User | None, table: Table) -> Ban | None:
    """Return the ban, here or everywhere, that keeps this user from writing at the table.

    Of several bans, return the one that lasts longest.
    """
    if user is None:
        return None
    now = clock.now()
    # Hardly anyone is banned, and for Django to build more conditions takes longer than to check a few rows.
    bans = [ban for ban in Ban.objects.filter(whom=user, lifted_at=None).order_by() if ban.holds(table, now)]
    return max(bans, key=lambda ban: (ban.until is None, ban.until, -ban.pk), default=None)


def why_banned(ban: Ban | None) -> str:
    """Return a sentence with the ban's reason and end; empty without a ban."""
    if ban is None:
        return ""
    words = {"reason": ban.reason, "until": moment_element(ban.until) if ban.until else ""}
    if ban.table_id is None:
        return with_times(_everywhere(ban), words)
    if ban.until is None:
        # Translators: reason is what the host or an operator wrote.
        return _("You can’t write at this table until the ban is lifted. Reason: %(reason)s") % words
    # Translators: until is a day and time; reason is what the host or an operator wrote.
    return with_times(_("You can’t write at this table until %(until)s. Reason: %(reason)s"), words)


def _everywhere(ban: Ban) -> str:
    if ban.until is None:
        # Translators: reason is what the operator wrote.
        return _(
            "An operator of this site banned you from writing at any table until the ban is lifted. "
            "Reason: %(reason)s"
        )
    # Translators: until is a day and time; reason is what the operator wrote.
    return _(
        "An operator of this site banned you from writing at any table until %(until)s. Reason: %(reason)s"
    )
