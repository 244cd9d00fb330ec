"""Emails of tables: invitations, new open tables, changes before the game, and offered seats.

Each builder gets the outbox row and returns the content. It returns None if there is no reason to write any
more. The words are in templates/emails/<template>/.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy, pgettext

from accounts.addresses import absolute_url
from accounts.mail.email_content import Content, InlineImage, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.links import invitation_url, seat_url
from games.map.raster import png
from games.models import Invitation, Seat, Table, TableAlert
from games.narration.roster import host_at, roster_at
from games.narration.seat_names import name_at
from games.rulebook.example_battles import IN_WINTER
from games.selectors.open_tables import tables_opened
from games.services.table_alerts import LIST, OPEN_TABLES

MOST_TOLD = 5  # tables in one email; the lobby shows all


@email_kind("invitation", name=gettext_lazy("Invitation to a table"), asks=True)
def invitation(email: OutgoingEmail) -> Content | None:
    """Build the email to an invited address: the table, its settings, and a link to answer."""
    found = (
        Invitation.objects.select_related("table__host", "table__rematch_of__table")
        .filter(pk=email.context["invitation"], state=Invitation.State.SENT)
        .first()
    )
    if found is None or not found.table.is_gathering:
        return None
    context = {
        **_table_context(found.table, email),
        "link": invitation_url(found),
        "is_rematch": found.user_id is not None and found.table.rematch_of_id is not None,
        "is_known": found.user_id is not None,
        "greeted": found.name,
        "minute": absolute_url(reverse("rules_minute")),
    }
    played = found.table.rematch_of
    if played is not None and found.table.host is not None:  # the reader knows the host by that game's names
        context["host"] = roster_at(played.table, email.to_user).name_of(found.table.host)
    content = _invitation("invitation", found, context)
    return content if context["is_known"] else replace(content, images=(_example(),))


def _example() -> InlineImage:
    """Return a map of a game, for people who have never seen one."""
    return InlineImage("map", png(IN_WINTER.board))


@email_kind(OPEN_TABLES, name=gettext_lazy("New open tables"))
def open_tables(email: OutgoingEmail) -> Content | None:
    """Build the email about tables that others opened: for readers who still wait for one."""
    since, reader = parse_datetime(email.context["since"]), email.to_user
    if since is None or reader is None or not TableAlert.objects.filter(user=reader).exists():
        return None
    opened = list(tables_opened(since, reader)[:MOST_TOLD])
    context = {
        "tables": [(table, absolute_url(reverse("join", args=[table.join_key]))) for table in opened],
        "lobby": absolute_url(reverse("tables")),
    }
    return Content("open_tables", context, None, LIST, _open_tables(0)) if opened else None


@names_list(LIST)
def _open_tables(_number: int) -> str:
    return pgettext("kind of email", "New open tables")


@email_kind("declined", name=gettext_lazy("Someone declined your invitation"))
def declined(email: OutgoingEmail) -> Content | None:
    """Build the email to the host: an invited person declined."""
    sent = Invitation.objects.select_related("table__host", "user")
    found = sent.filter(pk=email.context["invitation"]).first()
    if found is None or found.state != Invitation.State.DECLINED or not found.table.is_gathering:
        return None
    return _about_table("declined", email, found.table, invited=found.shown)


@email_kind("left", name=gettext_lazy("Someone left your table"))
def left(email: OutgoingEmail) -> Content | None:
    """Build the email to the host: a player gave up their seat."""
    table = _gathering(email)
    person = User.objects.filter(pk=email.context["user"]).first()
    if table is None or person is None:
        return None
    return _about_table("left", email, table, name=name_at(table.anonymity, 0, person))


@email_kind("removed", name=gettext_lazy("You were removed from a table"))
def removed(email: OutgoingEmail) -> Content | None:
    """Build the email to a player whose seat the host has taken away."""
    table = Table.objects.select_related("host").filter(pk=email.context["table"]).first()
    return _about_table("removed", email, table) if table else None


@email_kind("cancelled", name=gettext_lazy("A table was cancelled"))
def cancelled(email: OutgoingEmail) -> Content | None:
    """Build the email to everyone at a cancelled table."""
    table = Table.objects.select_related("host").filter(pk=email.context["table"]).first()
    return _about_table("cancelled", email, table) if table else None


@email_kind("closing_soon", name=gettext_lazy("Your table closes soon"))
def closing_soon(email: OutgoingEmail) -> Content | None:
    """Build the email to the host of a table that does not fill: when it closes, and how to keep it open."""
    table = _gathering(email)
    if table is None or table.closes_at.isoformat() != email.context["closes_at"]:
        return None
    return _about_table("closing_soon", email, table)


@email_kind("closed", name=gettext_lazy("Your table was closed"))
def closed(email: OutgoingEmail) -> Content | None:
    """Build the email to everyone at a table that was closed because its game had not begun in time."""
    table = Table.objects.select_related("host").filter(pk=email.context["table"]).first()
    return _about_table("closed", email, table) if table else None


@email_kind("confirm", name=gettext_lazy("Confirm a table"), asks=True)
def confirm(email: OutgoingEmail) -> Content | None:
    """Build the email to everyone at a full table: see who plays, and confirm."""
    seat = (
        Seat.objects.select_related("table__host", "user")
        .filter(pk=email.context["seat"], confirmed_at__isnull=True)
        .first()
    )
    if seat is None or not seat.table.is_gathering or seat.table.seats.count() < seat.table.size:
        return None
    return _about_table("confirm", email, seat.table, link=seat_url(seat))


@email_kind("hand_over", name=gettext_lazy("Someone offered you a seat"), asks=True)
def hand_over(email: OutgoingEmail) -> Content | None:
    """Build the email that offers a seat in a running game, from its player or the host (R49)."""
    offers = Invitation.objects.select_related("table__host", "seat__user")
    found = offers.filter(pk=email.context["invitation"], state=Invitation.State.SENT).first()
    if found is None or found.seat is None or found.seat.user is None:
        return None
    if found.table.state != Table.State.PLAYING:
        return None
    holder = roster_at(found.table, email.to_user).name_of(found.seat.user)
    table, is_away = _table_context(found.table, email), bool(found.seat.played_by_bot)
    context = {
        **table,
        "link": invitation_url(found),
        "holder": holder,
        "is_away": is_away,  # then the host is making the offer
        "offers": table["host"] if is_away else holder,
    }
    return _invitation("hand_over", found, context)


def _invitation(template: str, found: Invitation, context: dict[str, Any]) -> Content:
    thread = f"table-{found.table_id}"
    return Content(template, context, thread, "invitations", "Invitations", page_url=context["link"])


def _gathering(email: OutgoingEmail) -> Table | None:
    return Table.objects.select_related("host").gathering().filter(pk=email.context["table"]).first()


def _table_context(table: Table, email: OutgoingEmail) -> dict[str, Any]:
    reader = email.to_user
    roster = roster_at(table, reader)
    seat = roster.seat_of(reader) if reader else None
    return {
        "table": table,
        "host": host_at(table, reader),
        "names": roster.shown_names,
        "free": len(roster.free),
        "page": own_page(email, "table", table.pk),
        "seat_page": seat_url(seat) if seat else "",
    }


def _about_table(template: str, email: OutgoingEmail, table: Table, **more: Any) -> Content:
    context = {**_table_context(table, email), **more}
    return Content(template, context, f"table-{table.pk}", f"table-{table.pk}", table.name)
