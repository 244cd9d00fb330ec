"""What the table itself says of who was silenced there, by whom, why and until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.names import FORMER_PLAYER, first_in_sentence
from games.press.access import Reader
from games.press.models import Message, Silence
from games.press.silences import LIFTED, told_silence
from games.press.told.said import TELLERS, Names, Said
from games.telling.told_times import moment

PART = "press/_said_silenced.html"


@dataclass(frozen=True)
class Told:
    """A sentence of the table's own, and the words of who silenced, which stand outside of it."""

    sentence: str
    reason: str  # empty for a silence that was lifted


def silences_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, Said]:
    """What these messages tell of silences at the reader's table."""
    silences = Silence.objects.filter(table=reader.table).in_bulk()
    told = {}
    for message in messages:
        what, number = told_silence(message)
        if number in silences:
            told[message.number] = _said(what, silences[number], reader, names)
    return told


def _said(what: str, silence: Silence, reader: Reader, names: Names) -> Said:
    sentence = told_in_a_sentence(what, silence, reader, names)
    reason = "" if what == LIFTED else silence.reason
    words = _("%(sentence)s The reason: “%(reason)s”") % {"sentence": sentence, "reason": reason}
    return Said(words if reason else sentence, PART, Told(sentence, reason))


def told_in_a_sentence(what: str, silence: Silence, reader: Reader, names: Names) -> str:
    """Who may not write at this table, or may again, and who said so; the reason is not in it."""
    name = first_in_sentence(names.get(silence.whom_id, _(FORMER_PLAYER)))
    is_host = silence.by_id is not None and silence.by_id == reader.table.host_id
    words = {"name": name, "until": moment(silence.until) if silence.until else ""}
    return _sentence(what, is_host=is_host, lasts=silence.until is not None) % words


def _sentence(what: str, *, is_host: bool, lasts: bool) -> str:
    if what == LIFTED:
        return _("%(name)s may write at this table again.")
    if is_host and lasts:
        return _("%(name)s may not write at this table until %(until)s: the host said so.")
    if is_host:
        return _("%(name)s may not write at this table until that is lifted: the host said so.")
    if lasts:
        return _("%(name)s may not write at this table until %(until)s: an operator of this site said so.")
    return _("%(name)s may not write at this table until that is lifted: an operator of this site said so.")


TELLERS[Message.Kind.SILENCED] = silences_in
