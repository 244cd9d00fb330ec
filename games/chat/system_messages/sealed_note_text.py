"""System messages about sealed notes. Only its writer gets the words of a note that is still sealed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from games.chat.access import Reader
from games.chat.models import Message, SealedNote
from games.chat.models.messages import TAKEN_OUT
from games.chat.services.sealed_note_openings import HAPPENED
from games.chat.services.sealed_notes import digest_of
from games.chat.system_messages.system_message import SystemMessage
from games.map.region_names import region_name

SEALED, OPENED = "chat/_system_sealed.html", "chat/_system_opened.html"


@dataclass(frozen=True)
class Sealed:
    """The message where a note was sealed, before and after it opens."""

    sentence: str  # when it opens, or what became of it
    digest: str
    is_closed: bool
    opened_as: int = 0  # the number of the message with its words


@dataclass(frozen=True)
class Opened:
    """An opened note, and what proves it unchanged."""

    sentence: str  # why it opened
    salt: str
    digest: str
    is_same: bool
    is_taken_out: bool = False  # its writer deleted their account and removed the words


def sealed_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the sealed notes announced in these messages of one channel, by number."""
    wanted = {message.number for message in messages}
    return {
        sealed.number: _sealed(seal, sealed, opened, reader)
        for seal, sealed, opened in _seals(messages)
        if sealed.number in wanted
    }


def opened_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the opened notes among these messages of one channel, by number."""
    wanted = {message.number for message in messages}
    return {
        opened.number: _opened(seal, opened, reader)
        for seal, _sealed_message, opened in _seals(messages)
        if opened is not None and opened.number in wanted
    }


def _seals(messages: Sequence[Message]) -> list[tuple[SealedNote, Message, Message | None]]:
    either = Q(message__in=messages) | Q(opened__in=messages)
    seals = SealedNote.objects.filter(either).select_related("message", "opened")
    return [(seal, seal.message, seal.opened) for seal in seals]


def _sealed(seal: SealedNote, sealed: Message, opened: Message | None, reader: Reader) -> SystemMessage:
    fate, number = _fate(seal, opened), opened.number if opened else 0
    value = Sealed(fate, seal.digest, seal.opened_at is None, number)
    name = {"name": first_in_sentence(reader.name_of(sealed.author_id))}
    did = _("You sealed a note.") if reader.is_you(sealed.author_id) else _("%(name)s sealed a note.") % name
    is_mine = reader.user_id is not None and reader.user_id == sealed.author_id
    sentence = f"{did} {fate} SHA‑256: {seal.digest}"
    return SystemMessage(sentence, SEALED, value, seal.text if is_mine else "")


def _fate(seal: SealedNote, opened: Message | None) -> str:
    if seal.is_withdrawn:
        return _("Its author deleted their account before it opened, so no one will ever read it.")
    if opened is not None:
        return _("It has been opened.")
    return opens_text(seal)


def opens_text(seal: SealedNote) -> str:
    """Return when a sealed note opens, in a sentence."""
    region = {"region": region_name(seal.region)} if seal.region else {}
    match SealedNote.Opens(seal.opens):
        case SealedNote.Opens.REGION:
            return _("It opens when someone takes %(region)s, or when the game ends.") % region
        case SealedNote.Opens.BATTLE if region:
            return _("It opens when the battle for %(region)s ends.") % region
        case SealedNote.Opens.BATTLE:
            return _("It opens when the next battle ends, or when the game ends.")
    return _("It opens when the game ends.")


def _opened(seal: SealedNote, opened: Message, reader: Reader) -> SystemMessage:
    name = {"name": first_in_sentence(reader.name_of(opened.author_id))}
    is_same = digest_of(seal.salt, opened.text) == seal.digest
    is_gone = not is_same and opened.text == TAKEN_OUT
    value = Opened(_why(seal, opened), seal.salt, seal.digest, is_same, is_gone)
    whose = (
        _("You sealed a note, which is now open.")
        if reader.is_you(opened.author_id)
        else _("%(name)s sealed a note, which is now open.") % name
    )
    sentence = f"{whose} {value.sentence} {_proven(value)} SHA‑256: {seal.digest}"
    return SystemMessage(sentence, OPENED, value, opened.text)


def _proven(opened: Opened) -> str:
    if opened.is_taken_out:
        return _("Its author removed the text.")
    if opened.is_same:
        return _("The text is the one that was sealed.")
    return _("The text is not the one that was sealed.")


def _why(seal: SealedNote, opened: Message) -> str:
    region = {"region": region_name(seal.region)} if seal.region else {}
    if opened.event != HAPPENED:
        return _("The game ended before its event happened.")
    match SealedNote.Opens(seal.opens):
        case SealedNote.Opens.REGION:
            return _("%(region)s was taken.") % region
        case SealedNote.Opens.BATTLE if region:
            return _("The battle for %(region)s ended.") % region
        case SealedNote.Opens.BATTLE:
            return _("The battle ended.")
    return _("The game ended.")
