"""The reminder to a player who has not moved yet, before their deadline."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db.models import Max, Q
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.unsubscribe_switches import REMINDERS, switch_of
from games.emails.game_context import (
    deadline_for,
    game_of,
    own_seat,
    remembered,
    view_of,
)
from games.emails.turns import linked_decision
from games.links import answer_url, list_of, reply_address
from games.models import Game, Seat, TimeEvent
from games.narration.times import time_event_text
from games.presenters.battle import prize_of
from games.presenters.decision import decision_section
from games.presenters.position import Position
from games.replies.commands import Command, first_word
from games.rules import Phase
from games.services.late_emails import give_time_for_late_email
from games.services.notifications import emails_about

MOVES_A_DEADLINE = (
    TimeEvent.Kind.PAUSED,
    TimeEvent.Kind.RESUMED,
    TimeEvent.Kind.EXTENDED,
    TimeEvent.Kind.CREDITED,
)


@email_kind(
    "reminder",
    name=gettext_lazy("A reminder of your deadline"),
    on_outcome=give_time_for_late_email,
    asks=True,
)
def reminder(email: OutgoingEmail) -> Content | None:
    """Build the reminder to a player who has not answered yet: how much time is left.

    Returns None if the decision is answered, or its deadline has changed.
    """
    game = game_of(email)
    view = view_of(game, email)
    seat = own_seat(view) if view else None
    due_at = parse_datetime(email.context["due_at"])
    if view is None or seat is None or due_at is None or seat.due_at != due_at or seat.played_by_bot:
        return None
    if seat.number != email.context["seat"]:
        return None
    if view.decision_step is None or view.decision_step != email.context["decision_step"]:
        return None
    decision = linked_decision(email, view)
    context = {
        "table": game.table,
        "view": view,
        "decision": decision_section(view),
        "prize": prize_of(view),
        "link": answer_url(decision),
        "deadline": deadline_for(view),
        "moved": _moved_deadline(view, seat),
        "default_move": _default_move(view),
        "preferences": own_page(email, "email_preferences"),
        "say": first_word(Command.SAY),
    }
    content = Content("reminder", context, list_of(game), REMINDERS, _("Reminders of deadlines"))
    stops = switch_of(email.to_user, is_reminder=True)
    return remembered(replace(content, stops=stops, reply_to=reply_address(decision)), view)


def _moved_deadline(view: Position, seat: Seat) -> list[str]:
    """Return sentences on what moved this decision's deadline since the last email about it."""
    if view.game.newest_time_event is None:
        return []
    since = _last_written(view.game, seat) or seat.asked_since
    events = view.game.time_events.filter(kind__in=MOVES_A_DEADLINE, at__gte=since)
    mine = events.filter(Q(seat=None) | Q(seat=seat.number)).select_related("by")
    return [time_event_text(event, view.cast) for event in mine]


def _last_written(game: Game, seat: Seat) -> datetime | None:
    """Return when the last email about the seat's pending decision left: its own, or a reminder."""
    last: datetime | None = emails_about(game, seat).aggregate(last=Max("sent_at"))["last"]
    return last


def _default_move(view: Position) -> str:
    """Return what the site plays when the time runs out, in a sentence."""
    match view.seen.asked.kind if view.seen.asked else None:
        case Phase.PLACE:
            return _("After that, the site draws a region for you.")
        case Phase.HAND:
            return _("After that, the site keeps your hand.")
        case Phase.KEEP:
            return _("After that, the site keeps your two highest cards.")
    return _("After that, the site passes for you.")
