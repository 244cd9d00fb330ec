"""Emails about shared hours: a proposal to the others, and a reminder to those who agreed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts import clock
from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.names import first_in_sentence
from accounts.time_elements import span
from accounts.times import city, moment_with_city
from games.links import list_of, seat_url
from games.models import Game, Seat, SharedHour, Table
from games.models.matches import last_game
from games.narration.cast import and_list
from games.narration.seat_names import shown_names


@email_kind("hours_proposed", name=gettext_lazy("Someone proposed a time to play together"), asks=True)
def hours_proposed(email: OutgoingEmail) -> Content | None:
    """Build the email that shows the proposed times in the reader's zone."""
    hours = SharedHour.objects.filter(pk__in=email.context["hours"]).select_related("table")
    now = clock.now()
    unanswered = hours.exclude(answers__user=email.to_user_id)
    times = [(hour, time) for hour in unanswered if (time := hour.next_after(now))]
    if not times:
        return None
    table, rows = times[0][0].table, [_row(hour, *time) for hour, time in times]
    proposer = _name_of(table, email, times[0][0].proposer_id)
    text = ngettext(
        "%(name)s proposes a time to play together.", "%(name)s proposes times to play together.", len(rows)
    )
    text %= {"name": first_in_sentence(proposer)}
    zone = _("All times are in your time zone (%(zone)s).") % {"zone": city(get_current_timezone())}
    return _about(email, table, "hours_proposed", text=text, rows=rows, zone=zone)


def _row(hour: SharedHour, start: datetime, end: datetime) -> str:
    when = str(span(start, end))
    # Translators: when is a time with its end, such as "Tuesday 3 March, 21:00 to 22:00"
    return _("%(when)s, then every week") % {"when": when} if hour.is_weekly else when


@email_kind("hour_soon", name=gettext_lazy("You play together soon"))
def hour_soon(email: OutgoingEmail) -> Content | None:
    """Build the reminder of an agreed hour, with the names of the others who come."""
    hour = SharedHour.objects.select_related("table").filter(pk=email.context["hour"]).first()
    start = datetime.fromisoformat(email.context["start"])
    if hour is None or start <= clock.now():
        return None
    together = hour.accepted_by(hour.table.seats.people())
    if email.to_user_id not in {seat.user_id for seat in together}:
        return None
    # Translators: start is a time with its place, such as "Friday 6 March, 20:00 (Rome)"
    text = _("Your play date begins on %(start)s.") % {"start": moment_with_city(start)}
    others = _others(hour.table, email, (seat for seat in together if seat.user_id != email.to_user_id))
    game = last_game(hour.table)
    file = own_page(email, "game_hour_file", game.pk, hour.pk) if game else ""
    return _about(email, hour.table, "hour_soon", text=text, others=others, file=file, start=start)


def _others(table: Table, email: OutgoingEmail, seats: Iterable[Seat]) -> str:
    names = and_list([_name_of(table, email, seat.user_id) for seat in seats])
    # Translators: names are the other players who agreed to play at that time
    return _("With you: %(names)s.") % {"names": names}


def _name_of(table: Table, email: OutgoingEmail, user: int | None) -> str:
    seats = table.all_seats()
    names = shown_names(seats, email.to_user)
    return next((names[seat.number] for seat in seats if seat.user_id == user), "")


def _about(email: OutgoingEmail, table: Table, template: str, **more: Any) -> Content | None:
    seat = Seat.objects.select_related("table", "user").filter(table=table, user=email.to_user).first()
    game: Game | None = last_game(table)
    if seat is None or game is None or table.state != Table.State.PLAYING:
        return None
    context = {
        "table": table,
        "seat_page": seat_url(seat),
        **more,
    }
    return Content(template, context, list_of(game), list_of(game), table.name)
