"""Not reading somebody, reporting a message, and banning: by a host at his table, by operators anywhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.rate_limits import hit
from games.chat.access import BANNED, LIFTED, ban_event, bans_in_force, is_closed
from games.chat.models import Ban, Message, Mute, Report
from games.chat.services.messages import add, locked_table, whole_table
from games.models import Seat, Table
from games.services import Refused

MOST_REPORTS_A_DAY = 20


def mute(seat: Seat, whom: User) -> None:
    """This seat's person does not want to read what another writes at the table; twice is once.

    Raises Refused for himself, and where nobody is told from another.
    """
    if whom.pk == seat.user_id:
        raise Refused(_("You cannot mute yourself."))
    require_told_apart(seat.table)
    Mute.objects.get_or_create(table=seat.table, by=seat.person, whom=whom)


def require_told_apart(table: Table) -> None:
    """Raises Refused while nobody at the table is told from another: to mute one would tell what is his."""
    if table.anonymity == Table.Anonymity.COMPANY:
        raise Refused(_("Nobody here is told from another before the game begins; do that then."))


def unmute(seat: Seat, whom: User) -> None:
    """He reads the other again; twice is once."""
    Mute.objects.filter(table=seat.table_id, by=seat.user_id, whom=whom).delete()


def unmute_who_left(seat: Seat) -> None:
    """He reads again what people wrote who no longer sit at the table."""
    seated = Seat.objects.filter(table=seat.table_id, user__isnull=False).values("user")
    Mute.objects.filter(table=seat.table_id, by=seat.user_id).exclude(whom__in=seated).delete()


@transaction.atomic
def report(message: Message, by: User, reason: str, context: list[dict[str, Any]]) -> Report:
    """Shows a message and what stood before it, as its reader read them, to operators who do not sit there.

    Who wrote it is not told. Raises Refused for one's own message, for what the table itself says, for a
    second report of the same, and beyond a day's limit.
    """
    if message.author_id is None:
        raise Refused(
            _("Its writer has left this site, or the table itself said it: there is nobody to act on.")
        )
    if message.author_id == by.pk:
        raise Refused(_("This is a message of your own."))
    if Report.objects.filter(message=message, by=by).exists():
        raise Refused(_("You have reported this message already: you will be told what comes of it."))
    if not hit("report", str(by.pk), MOST_REPORTS_A_DAY):
        raise Refused(
            _("You have reported %(most)d messages today; go on tomorrow.") % {"most": MOST_REPORTS_A_DAY}
        )
    made = Report.objects.create(message=message, by=by, reason=reason, context=context)
    for operator in _operators(message.channel.table):
        queue("reported", to=operator, key=f"reported:{made.pk}:{operator.pk}", about={"report": made.pk})
    return made


def _operators(table: Table) -> list[User]:
    """Those who do not sit at the table: nobody decides in a game of his own, or reads what he may not."""
    seated = Seat.objects.filter(table=table, user__isnull=False).values("user")
    return list(User.objects.filter(is_staff=True, is_active=True).exclude(pk__in=seated).order_by("pk"))


@transaction.atomic
def dismiss(made: Report, by: User, decision: str) -> None:
    """Nothing is done, and who reported is told why. Raises Refused when it was decided already."""
    _decide(made, by, Report.State.DISMISSED, decision)


@transaction.atomic
def ban_for(
    made: Report, by: User, reason: str, decision: str, lasts: timedelta | None, *, everywhere: bool
) -> Ban:
    """An operator bans who wrote a reported message, at its table or at all, and the reporter is told.

    Raises Refused when it was decided already, and as banning does.
    """
    table = None if everywhere else made.message.channel.table
    if made.message.author is None:
        raise Refused(_("Its writer has left this site: there is nobody to ban."))
    locked_table(made.message.channel.table_id)  # before the report, as everywhere
    _decide(made, by, Report.State.ACTED, decision)
    return ban(table, made.message.author, by, reason, lasts)


def _decide(made: Report, by: User, state: str, decision: str) -> None:
    open_ones = Report.objects.filter(pk=made.pk, state=Report.State.OPEN)
    changed = open_ones.update(state=state, decided_by=by, decided_at=clock.now(), decision=decision)
    if not changed:
        raise Refused(_("This report has been decided already."))
    if made.by is not None:
        key = f"report_decided:{made.pk}"
        queue("report_decided", to=made.by, key=key, about={"report": made.pk})


@transaction.atomic
def ban_by_host(seat: Seat, whom: Seat, reason: str, lasts: timedelta | None) -> Ban:
    """The host bans somebody at his table; everybody there is told who, why and until when.

    Raises Refused for who is not the host, for himself, a bot or an operator, and as banning does.
    """
    require_host(seat)
    require_told_apart(seat.table)
    if whom.table_id != seat.table_id or whom.user is None:
        raise Refused(_("Only people at this table can be banned: bots do not write."))
    if (
        whom.user.is_staff and not seat.table.anonymity
    ):  # behind anonymity a refusal would tell who sits there
        raise Refused(_("An operator of this site cannot be banned by a host."))
    return ban(seat.table, whom.user, seat.person, reason, lasts)


def require_host(seat: Seat) -> None:
    """Raises Refused for who is not the host of his table."""
    if seat.user_id is None or seat.table.host_id != seat.user_id:
        raise Refused(_("Only the host can do that."))


@transaction.atomic
def ban(table: Table | None, whom: User, by: User, reason: str, lasts: timedelta | None) -> Ban:
    """From now on this person has no words at the table, or at all of them for no table; None lasts until it
    is lifted. Moves, cards shown and answers are not words.

    The table is told. A ban at all tables is told to none: seats of one person where nobody knows who is
    who would be told by it. Raises Refused for oneself, at a closed table, and where he is banned already.
    """
    if whom.pk == by.pk:
        raise Refused(_("You cannot ban yourself."))
    table = locked_table(table.pk) if table else None
    if table is not None and is_closed(table):
        raise Refused(_("This table is closed: nobody can write here any more."))
    if bans_in_force().filter(table=table, whom=whom).exists():
        raise Refused(_("That is so already; lift the ban first to change it."))
    until = clock.now() + lasts if lasts is not None else None
    made = Ban.objects.create(table=table, whom=whom, by=by, reason=reason, until=until)
    _tell_table(made, BANNED)
    return made


@transaction.atomic
def lift_by_host(seat: Seat, made: Ban) -> None:
    """The host takes back a ban of his own. Raises Refused for one of an operator."""
    require_host(seat)
    if made.table_id != seat.table_id or made.by_id != seat.user_id:
        raise Refused(_("An operator of this site said so: only an operator can lift it."))
    lift(made, seat.person)


@transaction.atomic
def lift(made: Ban, by: User) -> None:
    """The person may write again, and the table is told; twice is once."""
    if made.table_id is not None:
        locked_table(made.table_id)
    lifted = bans_in_force().filter(pk=made.pk).update(lifted_at=clock.now(), lifted_by=by)
    if lifted:
        _tell_table(made, LIFTED)


def _tell_table(made: Ban, event: str) -> None:
    if made.table is not None and not is_closed(made.table):
        add(whole_table(made.table), kind=Message.Kind.BANNED, event=ban_event(event, made.pk))
