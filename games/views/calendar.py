"""The calendar feed of a person's own deadlines (RFC 5545), at a secret address.

It names tables and the kind of decision. It never shows a card, a position, or another player's decision.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import clock
from accounts.models import User, known_language
from games.presenters.calendar_feed import CalendarEntry, calendar_file
from games.private_pages import private_page
from games.selectors.hours import agreed_times
from games.selectors.own_decisions import own_decisions
from games.views.hours import moment_of


@require_safe
@private_page
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """Return the deadlines and shared hours of the address's owner.

    404 if the address was replaced or ended, or they left.
    """
    user = get_object_or_404(User, feed_key=key, is_active=True, deleted_at=None)
    with translation.override(known_language(user.language)):
        moments = [*_deadlines(user), *_agreed_hours(user)]
        body = calendar_file("deadlines", _("Condottiere deadlines"), moments, clock.now())
    return HttpResponse(body, content_type="text/calendar; charset=utf-8")


def _agreed_hours(user: User) -> Iterator[CalendarEntry]:
    for hour, start, end in agreed_times(user, clock.now()):
        yield moment_of(hour, start, end)


def _deadlines(user: User) -> Iterator[CalendarEntry]:
    for seat, game, move_by in own_decisions(user):
        if move_by is None:
            continue
        # Calendars know an entry by this key; with another word they would show it twice.
        key = f"question-{game}-{seat.number}-{seat.decision_step}"  # calendars know it by this word
        summary = _("Your turn: %(table)s") % {"table": seat.table.name}
        yield CalendarEntry(key, move_by, summary, reverse("game", args=[game]))
