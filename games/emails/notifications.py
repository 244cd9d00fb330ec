"""Notifications about turns and deadlines: as much as the subjects of the emails say."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.subjects import fit_subject, name_in_subject
from accounts.push.models import Push, QueuedNotice
from accounts.push.queueing import Notice, push_kind
from games.clocks.counted_hours import HIDDEN
from games.emails.turns import subject_of
from games.models import Seat
from games.models.hours import is_here


@push_kind(Push.Kind.TURN)
def turn(push: QueuedNotice) -> Notice | None:
    """Build the notification that it is someone's turn; it replaces earlier ones about the same game."""
    seat = _asked(push)
    if seat is None or is_here(seat, clock.now()):
        return None
    return _notice(push, seat, subject_of(seat.table))


@push_kind(Push.Kind.REMINDER)
def reminder(push: QueuedNotice) -> Notice | None:
    """Build the notification about a deadline, if it was not moved since."""
    seat = _asked(push)
    if seat is None or seat.due_at is None or seat.due_at.isoformat() != push.context["due_at"]:
        return None
    # Translators: the subject of an email; name is a game's
    return _notice(push, seat, _("Reminder: %(name)s") % {"name": name_in_subject(seat.table.name)})


def _asked(push: QueuedNotice) -> Seat | None:
    """Return the seat if the decision is still open, and the reader still has it."""
    decision = push.context
    seats = Seat.objects.filter(user=push.reader, played_by_bot="").select_related("table")
    return seats.filter(
        table__games=decision["game"], number=decision["seat"], decision_step=decision["decision_step"]
    ).first()


def _notice(push: QueuedNotice, seat: Seat, subject: str) -> Notice:
    game = push.context["game"]
    page = reverse("game", args=[game])
    return Notice(
        fit_subject(subject),
        page,
        f"game-{game}",
        Seat.objects.asked(push.reader).count(),
        table=str(seat.table.name),
        page=page,
        source=seat.table.source_path,
        is_secret=seat.pending_decision == HIDDEN,
    )
