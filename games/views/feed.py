"""The calendar of somebody's own deadlines (RFC 5545), as other programs fetch it by a secret address.

It names tables and what is asked in general; never a card, a position, or anything asked of somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import present
from accounts.addresses import absolute_url, site_host
from accounts.models import User, known_language
from games.models import Seat
from games.private import private_page

if TYPE_CHECKING:
    from icalendar import Calendar, Event, Timezone

REFRESH = timedelta(hours=1)


@require_safe
@private_page
def calendar(request: HttpRequest, key: str) -> HttpResponse:
    """The deadlines of the person whose address this is. 404 where it was replaced or ended, or he left."""
    user = get_object_or_404(User, feed_key=key, is_active=True, deleted_at=None)
    with translation.override(known_language(user.language)):
        body = _calendar_of(user, present.now()).to_ical()
    return HttpResponse(body, content_type="text/calendar; charset=utf-8")


def _calendar_of(user: User, now: datetime) -> Calendar:
    from icalendar import Calendar  # a slow start, for who fetches a calendar only

    feed = Calendar()
    feed.add("prodid", f"-//{site_host()}//deadlines//")
    feed.add("version", "2.0")
    feed.add("x-wr-calname", _("Condottiere deadlines"))
    feed.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    feed.add("x-published-ttl", "PT1H")
    feed.add_component(_utc())
    for event in _events(user, now):
        feed.add_component(event)
    return feed


def _events(user: User, now: datetime) -> Iterator[Event]:
    for seat in Seat.objects.waiting_for(user).filter(due_at__isnull=False):
        assert seat.due_at is not None
        yield _event(seat, seat.game_pk, seat.due_at, now)  # type: ignore[attr-defined]  # of waiting_for


def _event(seat: Seat, game: int, due_at: datetime, now: datetime) -> Event:
    """A moment, which keeps nobody busy; its uid stays when it is moved, so that no program has it twice."""
    from icalendar import Event

    event = Event()
    event.add("uid", f"question-{game}-{seat.number}-{seat.asked_at}@{site_host()}")
    event.add("dtstamp", now)
    event.add("last-modified", now)
    event.add("dtstart", due_at.astimezone(UTC))
    event.add("transp", "TRANSPARENT")
    event.add("summary", _("Your move: %(table)s") % {"table": seat.table.name})
    event.add("url", absolute_url(reverse("game", args=[game])))
    return event


def _utc() -> Timezone:
    """The zone in which all is told: a calendar without any component is none (RFC 5545, 3.6)."""
    from icalendar import Timezone, TimezoneStandard

    zone, standard = Timezone(), TimezoneStandard()
    zone.add("tzid", "UTC")
    standard.add("dtstart", datetime(1970, 1, 1))  # noqa: DTZ001 - local time, as the format wants it
    standard.add("tzoffsetfrom", timedelta(0))
    standard.add("tzoffsetto", timedelta(0))
    zone.add_component(standard)
    return zone
