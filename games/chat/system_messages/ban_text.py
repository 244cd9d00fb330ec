"""System messages about bans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from accounts.time_elements import moment_element, with_times
from games.chat.access import Reader
from games.chat.bans import LIFTED, ban_of_event
from games.chat.models import Ban, Message
from games.chat.system_messages.system_message import SystemMessage

BAN_PART = "chat/_system_banned.html"


@dataclass(frozen=True)
class BanText:
    """What the site says about a ban, and the reason in the words of the person who banned."""

    sentence: str
    reason: str  # empty for a lifted ban


def bans_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the messages about bans among these messages, by number."""
    bans = Ban.objects.filter(table=reader.table).in_bulk()
    found = {}
    for message in messages:
        what, number = ban_of_event(message)
        if number in bans:
            found[message.number] = _ban_message(what, bans[number], reader)
    return found


def _ban_message(what: str, ban: Ban, reader: Reader) -> SystemMessage:
    sentence = ban_sentence(what, ban, reader)
    reason = "" if what == LIFTED else ban.reason
    # Translators: reason is what the host or an operator wrote.
    quoted = _("Reason: “%(reason)s”") % {"reason": reason} if reason else ""
    return SystemMessage(f"{sentence} {quoted}".rstrip(), BAN_PART, BanText(sentence, reason))


def ban_sentence(what: str, ban: Ban, reader: Reader) -> str:
    """Return who banned whom until when, or that they may write again; without the reason."""
    name = first_in_sentence(reader.name_of(ban.whom_id))
    words = {"name": name, "until": moment_element(ban.until) if ban.until else ""}
    sentence = _to_the_banned if reader.is_you(ban.whom_id) else _to_others
    is_host = ban.by_id is not None and ban.by_id == reader.table.host_id
    return with_times(sentence(what, ban.until, is_host=is_host), words)


def _to_the_banned(what: str, until: datetime | None, *, is_host: bool) -> str:
    if what == LIFTED:
        return _("You can write at this table again.")
    if is_host and until:
        # Translators: until is a day and time.
        return _("The host banned you from writing at this table until %(until)s.")
    if is_host:
        return _("The host banned you from writing at this table until the ban is lifted.")
    if until:
        # Translators: until is a day and time.
        return _("An operator of this site banned you from writing at this table until %(until)s.")
    return _("An operator of this site banned you from writing at this table until the ban is lifted.")


def _to_others(what: str, until: datetime | None, *, is_host: bool) -> str:
    if what == LIFTED:
        return _("%(name)s can write at this table again.")
    if is_host and until:
        # Translators: until is a day and time.
        return _("%(name)s was banned by the host and can’t write at this table until %(until)s.")
    if is_host:
        return _("%(name)s was banned by the host and can’t write at this table until the ban is lifted.")
    if until:
        # Translators: until is a day and time.
        return _(
            "%(name)s was banned by an operator of this site and can’t write at this table until %(until)s."
        )
    return _(
        "%(name)s was banned by an operator of this site and can’t write at this table until the ban is "
        "lifted."
    )
