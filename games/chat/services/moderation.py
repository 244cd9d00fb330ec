"""Mute, report and ban: hosts ban at their table, operators anywhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.rate_limits import hit
from games.chat.bans import BANNED, LIFTED, ban_event, bans_in_force
from games.chat.models import Ban, Message, Mute, Report
from games.chat.services.channels import locked_table, public_channel
from games.chat.services.messages import add
from games.chat.writing import is_closed
from games.models import Seat, Table
from games.services import Refused

MOST_REPORTS_A_DAY = 20


def mute(seat: Seat, whom: User) -> None:
    """Mute another person at the table for this seat's person. Safe to repeat.

    Raises Refused for themselves, and while people can't be told apart.
    """
    if whom.pk == seat.user_id:
        raise Refused(_("You can’t mute yourself."))
    require_known_players(seat.table)
    Mute.objects.get_or_create(table=seat.table, by=seat.person, whom=whom)


def require_known_players(table: Table) -> None:
    """Raise Refused while players can't be told apart.

    Muting someone would then reveal which messages are theirs.
    """
    if table.anonymity == Table.Anonymity.NAMELESS:
        raise Refused(
            _("Players at this table are anonymous until the game starts. Do this after it starts.")
        )


def unmute(seat: Seat, whom: User) -> None:
    """Unmute the other person. Safe to repeat."""
    Mute.objects.filter(table=seat.table_id, by=seat.user_id, whom=whom).delete()


def unmute_who_left(seat: Seat) -> None:
    """Unmute everyone who is no longer at the table."""
    seated = Seat.objects.filter(table=seat.table_id, user__isnull=False).values("user")
    Mute.objects.filter(table=seat.table_id, by=seat.user_id).exclude(whom__in=seated).delete()


@transaction.atomic
def report(message: Message, by: User, reason: str, words: str, context: list[dict[str, Any]]) -> Report:
    """Report a message for a `Report.Reason`, with the messages before it as the reporter read them.

    It goes to operators who don't sit at the table. The author is not told. Raises Refused for one's own
    message, a system message, a second report of the same, and beyond a day's limit.
    """
    if message.author_id is None:
        raise Refused(_("You can’t report this message. The site wrote it, or its author has left the site."))
    if message.author_id == by.pk:
        raise Refused(_("You can’t report your own message."))
    if Report.objects.filter(message=message, by=by).exists():
        raise Refused(_("You already reported this message. We’ll email you when an operator decides."))
    if not hit("report", str(by.pk), MOST_REPORTS_A_DAY):
        said = _("You have reached the daily limit for reports (%(most)d). Report more tomorrow.")
        raise Refused(said % {"most": MOST_REPORTS_A_DAY})
    made = Report.objects.create(message=message, by=by, reason=reason, words=words, context=context)
    for operator in _operators(message.channel.table):
        queue("reported", to=operator, key=f"reported:{made.pk}:{operator.pk}", context={"report": made.pk})
    return made


def _operators(table: Table) -> list[User]:
    """Return the operators who don't sit at the table.

    No operator decides about their own game, or reads what they may not.
    """
    seated = Seat.objects.filter(table=table, user__isnull=False).values("user")
    return list(User.objects.filter(is_staff=True, is_active=True).exclude(pk__in=seated).order_by("pk"))


@transaction.atomic
def dismiss(made: Report, by: User, decision: str) -> None:
    """Dismiss a report and tell the reporter why. Raises Refused if it was already decided."""
    _decide(made, by, Report.State.DISMISSED, decision)


@transaction.atomic
def ban_for(
    made: Report, by: User, reason: str, decision: str, lasts: timedelta | None, *, everywhere: bool
) -> Ban:
    """Ban the author of a reported message, at its table or everywhere, and tell the reporter.

    Raises Refused if it was already decided, and as `ban` does.
    """
    table = None if everywhere else made.message.channel.table
    if made.message.author is None:
        raise Refused(_("The author of this message has left the site, so there is no one to ban."))
    locked_table(made.message.channel.table_id)  # before the report, as everywhere
    _decide(made, by, Report.State.ACTED, decision)
    return ban(table, made.message.author, by, reason, lasts)


def _decide(made: Report, by: User, state: str, decision: str) -> None:
    open_ones = Report.objects.filter(pk=made.pk, state=Report.State.OPEN)
    changed = open_ones.update(state=state, decided_by=by, decided_at=clock.now(), decision=decision)
    if not changed:
        raise Refused(_("This report was already decided. Nothing was changed."))
    if made.by is not None:
        key = f"report_decided:{made.pk}"
        queue("report_decided", to=made.by, key=key, context={"report": made.pk})


@transaction.atomic
def ban_by_host(seat: Seat, whom: Seat, reason: str, lasts: timedelta | None) -> Ban:
    """Ban someone at the host's table; tell everyone there who, why and until when.

    Raises Refused if the seat is not the host, for themselves, a bot or an operator, and as `ban` does.
    """
    require_host(seat)
    require_known_players(seat.table)
    if whom.table_id != seat.table_id or whom.user is None:
        raise Refused(_("You can only ban players at this table, not bots."))
    if (
        whom.user.is_staff and not seat.table.anonymity
    ):  # at anonymous tables, a refusal would reveal who sits there
        raise Refused(_("You can’t ban an operator of this site."))
    return ban(seat.table, whom.user, seat.person, reason, lasts)


def require_host(seat: Seat) -> None:
    """Raise Refused unless this seat is the host."""
    if seat.user_id is None or seat.table.host_id != seat.user_id:
        raise Refused(_("Only the host can do this."))


@transaction.atomic
def ban(table: Table | None, whom: User, by: User, reason: str, lasts: timedelta | None) -> Ban:
    """Ban a person from writing at the table, or at all tables if `table` is None.

    `lasts` None means until the ban is lifted. Moves, shown cards and answers remain possible. A ban at one
    table is announced there. A ban at all tables is not: at anonymous tables it would reveal which seats
    belong to one person. Raises Refused for oneself, at a closed table, and if the person is already banned.
    """
    if whom.pk == by.pk:
        raise Refused(_("You can’t ban yourself."))
    table = locked_table(table.pk) if table else None
    if table is not None and is_closed(table):
        raise Refused(_("This table is closed, so no one can write here."))
    if bans_in_force().filter(table=table, whom=whom).exists():
        raise Refused(_("This player is already banned. To change the ban, lift it first."))
    until = clock.now() + lasts if lasts is not None else None
    made = Ban.objects.create(table=table, whom=whom, by=by, reason=reason, until=until)
    _announce(made, BANNED)
    return made


@transaction.atomic
def lift_by_host(seat: Seat, made: Ban) -> None:
    """Lift a ban that the host made. Raises Refused for anyone else's ban."""
    require_host(seat)
    if made.table_id != seat.table_id or made.by_id != seat.user_id:
        raise Refused(_("An operator of this site made this ban. Only an operator can lift it."))
    lift(made, seat.person)


@transaction.atomic
def lift(made: Ban, by: User) -> None:
    """Lift the ban and announce it at the table. Safe to repeat."""
    if made.table_id is not None:
        locked_table(made.table_id)
    lifted = bans_in_force().filter(pk=made.pk).update(lifted_at=clock.now(), lifted_by=by)
    if lifted:
        _announce(made, LIFTED)


def _announce(made: Ban, event: str) -> None:
    if made.table is not None and not is_closed(made.table):
        add(public_channel(made.table), kind=Message.Kind.BANNED, event=ban_event(event, made.pk))
