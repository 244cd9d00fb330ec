"""The calendar of somebody's own deadlines (RFC 5545), as other programs fetch it by a secret address.

It names tables and what is asked in general; never a card, a position, or anything asked of somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import present
from accounts.models import User, known_language
from games.calendar_file import Moment, calendar_file
from games.models import Seat
from games.private import private_page


@require_safe
@private_page
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The deadlines of the person whose address this is. 404 where it was replaced or ended, or he left."""
    user = get_object_or_404(User, feed_key=key, is_active=True, deleted_at=None)
    with translation.override(known_language(user.language)):
        body = calendar_file("deadlines", _("Condottiere deadlines"), _deadlines(user), present.now())
    return HttpResponse(body, content_type="text/calendar; charset=utf-8")


def _deadlines(user: User) -> Iterator[Moment]:
    for seat in Seat.objects.waiting_for(user).filter(due_at__isnull=False):
        assert seat.due_at is not None
        game = seat.game_pk  # type: ignore[attr-defined]  # of waiting_for
        key = f"question-{game}-{seat.number}-{seat.asked_at}"
        summary = _("Your move: %(table)s") % {"table": seat.table.name}
        yield Moment(key, seat.due_at, summary, reverse("game", args=[game]))
