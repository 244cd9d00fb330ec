"""Builds the letters of tables: invitations, what becomes of a company, seats offered. None: the reason to
write is gone.

Each builder gets the outbox row and returns what to write; templates/mail/<template>/ has the words.
"""

from __future__ import annotations

from typing import Any

from accounts.mail.messages import Content, own_page
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.links import invitation_url, seat_url
from games.models import Invitation, Seat, Table
from games.narration.roster import host_at, name_at, roster_at


def invitation(letter: OutgoingEmail) -> Content | None:
    """To an invited address: the table, its terms, and a link that shows them with the buttons."""
    found = (
        Invitation.objects.select_related("table__host", "table__rematch_of__table")
        .filter(pk=letter.about["invitation"], state=Invitation.State.SENT)
        .first()
    )
    if found is None or not found.table.is_gathering:
        return None
    context = {
        **_table_context(found.table, letter),
        "link": invitation_url(found),
        "is_rematch": found.user_id is not None,
        "greeted": found.name,
    }
    played = found.table.rematch_of
    if played is not None and found.table.host is not None:  # the reader knows the host by that game's names
        context["host"] = roster_at(played.table, letter.to_user).name_of(found.table.host)
    return Content("invitation", context, f"table-{found.table_id}", "invitations", "Invitations")


def declined(letter: OutgoingEmail) -> Content | None:
    """To the host: an invited person said no."""
    sent = Invitation.objects.select_related("table__host", "user")
    found = sent.filter(pk=letter.about["invitation"]).first()
    if found is None or found.state != Invitation.State.DECLINED or not found.table.is_gathering:
        return None
    return _about_table("declined", letter, found.table, invited=found.shown)


def left(letter: OutgoingEmail) -> Content | None:
    """To the host: somebody gave his seat up."""
    table = _gathering(letter)
    person = User.objects.filter(pk=letter.about["user"]).first()
    if table is None or person is None:
        return None
    return _about_table("left", letter, table, name=name_at(table.veil, 0, person))


def removed(letter: OutgoingEmail) -> Content | None:
    """To somebody whose seat the host has taken away."""
    table = Table.objects.select_related("host").filter(pk=letter.about["table"]).first()
    return _about_table("removed", letter, table) if table else None


def called_off(letter: OutgoingEmail) -> Content | None:
    """To everybody at a table that will not play."""
    table = Table.objects.select_related("host").filter(pk=letter.about["table"]).first()
    return _about_table("called_off", letter, table) if table else None


def closing_soon(letter: OutgoingEmail) -> Content | None:
    """To the host of a table nobody fills: when it is closed, and how to keep it open."""
    table = _gathering(letter)
    if table is None or table.closes_at.isoformat() != letter.about["closes_at"]:
        return None
    return _about_table("closing_soon", letter, table)


def closed(letter: OutgoingEmail) -> Content | None:
    """To everybody at a table that was closed because its game had not begun in time."""
    table = Table.objects.select_related("host").filter(pk=letter.about["table"]).first()
    return _about_table("closed", letter, table) if table else None


def confirm(letter: OutgoingEmail) -> Content | None:
    """To everybody at a full table: see who plays, and say that it may begin."""
    seat = (
        Seat.objects.select_related("table__host", "user")
        .filter(pk=letter.about["seat"], confirmed_at__isnull=True)
        .first()
    )
    if seat is None or not seat.table.is_gathering or seat.table.seats.count() < seat.table.size:
        return None
    return _about_table("confirm", letter, seat.table, link=seat_url(seat))


def hand_over(letter: OutgoingEmail) -> Content | None:
    """To an address to which somebody offers his seat in a running game, or the host an absent one (R49)."""
    offers = Invitation.objects.select_related("table__host", "seat__user")
    found = offers.filter(pk=letter.about["invitation"], state=Invitation.State.SENT).first()
    if found is None or found.seat is None or found.seat.user is None:
        return None
    if found.table.state != Table.State.PLAYING:
        return None
    holder = roster_at(found.table, letter.to_user).name_of(found.seat.user)
    table, is_away = _table_context(found.table, letter), bool(found.seat.stand_in)
    context = {
        **table,
        "link": invitation_url(found),
        "holder": holder,
        "is_away": is_away,  # then it is the host who offers
        "offers": table["host"] if is_away else holder,
    }
    return Content("hand_over", context, f"table-{found.table_id}", "invitations", "Invitations")


def _gathering(letter: OutgoingEmail) -> Table | None:
    return Table.objects.select_related("host").gathering().filter(pk=letter.about["table"]).first()


def _table_context(table: Table, letter: OutgoingEmail) -> dict[str, Any]:
    reader = letter.to_user
    company = roster_at(table, reader)
    seat = company.seat_of(reader) if reader else None
    return {
        "table": table,
        "host": host_at(table, reader),
        "names": company.told,
        "free": len(company.free),
        "page": own_page(letter, "table", table.pk),
        "seat_page": seat_url(seat) if seat else "",
    }


def _about_table(template: str, letter: OutgoingEmail, table: Table, **more: Any) -> Content:
    context = {**_table_context(table, letter), **more}
    return Content(template, context, f"table-{table.pk}", f"table-{table.pk}", table.name)
