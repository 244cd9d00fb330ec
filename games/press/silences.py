"""Who may not write, and why, in words that he himself reads. Reads only."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from games.models import Table
from games.press.models import Message, Silence
from games.telling.told_times import moment

SILENCED, LIFTED = "on", "off"  # what a message of the table tells of one


def silence_event(what: str, number: int) -> str:
    """How a message names the silence it tells of; no reader sees it."""
    return f"{what}:{number}"


def told_silence(message: Message) -> tuple[str, int]:
    """What this message tells, and of which silence."""
    what, _colon, number = message.event.partition(":")
    return what, int(number)


def holding(silences: QuerySet[Silence] | None = None) -> QuerySet[Silence]:
    """Those that have neither ended nor been lifted."""
    found = Silence.objects.all() if silences is None else silences
    return found.filter(Q(until=None) | Q(until__gt=present.now()), lifted_at=None)


def silence_of(user: User | None, table: Table) -> Silence | None:
    """Why this person may not write at the table now, or at any: what lasts longest."""
    if user is None:
        return None
    longest_first = F("until").desc(nulls_first=True), "pk"
    return holding().filter(Q(table=table) | Q(table=None), whom=user).order_by(*longest_first).first()


def why_silenced(silence: Silence | None) -> str:
    """A sentence with the reason he was given and until when; empty for none."""
    if silence is None:
        return ""
    words = {"reason": silence.reason, "until": moment(silence.until) if silence.until else ""}
    if silence.table_id is None:
        return _everywhere(silence) % words
    if silence.until is None:
        return _("You have been silenced at this table until that is lifted. The reason: %(reason)s") % words
    return _("You have been silenced at this table until %(until)s. The reason: %(reason)s") % words


def _everywhere(silence: Silence) -> str:
    if silence.until is None:
        return _(
            "An operator of this site has silenced you at all tables until that is lifted. "
            "The reason: %(reason)s"
        )
    return _(
        "An operator of this site has silenced you at all tables until %(until)s. The reason: %(reason)s"
    )
