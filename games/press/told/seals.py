"""What the table says of a sealed letter: when it opens, and once it is open, that it is unchanged.

Nothing here reads a letter that is sealed still, except for its writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.names import FORMER_PLAYER, first_in_sentence
from games.press.access import Reader
from games.press.commands.sealing import digest_of
from games.press.commands.unsealing import HAPPENED
from games.press.models import Message, Seal
from games.press.models.messages import TAKEN_OUT
from games.press.told.said import TELLERS, Names, Said
from games.rules import region_name

SEALED, OPENED = "press/_said_sealed.html", "press/_said_opened.html"


@dataclass(frozen=True)
class Sealed:
    """A letter as its readers are told of it before it opens, and afterwards where it was sealed."""

    name: str
    told: str  # a sentence: when it opens, or what became of it
    digest: str
    is_closed: bool
    opened_as: int = 0  # the number of the message with its words


@dataclass(frozen=True)
class Opened:
    """A letter that is open, and what it is checked by."""

    name: str
    told: str  # a sentence: why it opened
    salt: str
    digest: str
    is_same: bool
    sealed_as: int  # the number of the message that told of the seal
    is_taken_out: bool = False  # its writer deleted his account, and took the words with him


def sealed_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, Said]:
    """What is told of the letters that were sealed by these messages of one circle."""
    wanted = {message.number for message in messages}
    return {
        sealed.number: _sealed(seal, sealed, opened, reader, names)
        for seal, sealed, opened in _seals(messages)
        if sealed.number in wanted
    }


def opened_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, Said]:
    """What is told of the letters whose words these messages of one circle are."""
    wanted = {message.number for message in messages}
    return {
        opened.number: _opened(seal, sealed, opened, names)
        for seal, sealed, opened in _seals(messages)
        if opened is not None and opened.number in wanted
    }


def _seals(messages: Sequence[Message]) -> list[tuple[Seal, Message, Message | None]]:
    told = Q(message__in=messages) | Q(opened__in=messages)
    seals = Seal.objects.filter(told).select_related("message", "opened")
    return [(seal, seal.message, seal.opened) for seal in seals]


def _sealed(seal: Seal, sealed: Message, opened: Message | None, reader: Reader, names: Names) -> Said:
    name = first_in_sentence(names.get(sealed.author_id, _(FORMER_PLAYER)))
    value = Sealed(
        name, _fate(seal, opened), seal.digest, seal.opened_at is None, opened.number if opened else 0
    )
    sentence = _("%(name)s sealed a letter. %(told)s SHA-256: %(digest)s") % vars(value)
    is_mine = reader.user is not None and reader.user.pk == sealed.author_id
    return Said(sentence, SEALED, value, seal.text if is_mine else "")


def _fate(seal: Seal, opened: Message | None) -> str:
    if seal.is_withdrawn:
        return _("Its writer's account was deleted before it opened, so nobody will ever read it.")
    if opened is not None:
        return _("It has been opened.")
    return opens_told(seal)


def opens_told(seal: Seal) -> str:
    """When a sealed letter opens, in a sentence."""
    region = {"region": region_name(seal.region)} if seal.region else {}
    match Seal.Opens(seal.opens):
        case Seal.Opens.REGION:
            return _("It opens when somebody takes %(region)s, at the latest when the game is over.") % region
        case Seal.Opens.BATTLE if region:
            return _("It opens when the battle for %(region)s is over.") % region
        case Seal.Opens.BATTLE:
            return _("It opens when the next battle is over, at the latest when the game is.")
    return _("It opens when the game is over.")


def _opened(seal: Seal, sealed: Message, opened: Message, names: Names) -> Said:
    name = first_in_sentence(names.get(opened.author_id, _(FORMER_PLAYER)))
    is_same = digest_of(seal.salt, opened.text) == seal.digest
    is_gone = not is_same and opened.text == TAKEN_OUT
    value = Opened(name, _why(seal, opened), seal.salt, seal.digest, is_same, sealed.number, is_gone)
    proven = _proven(value)
    sentence = _("The letter that %(name)s sealed is open. %(told)s %(proven)s SHA-256: %(digest)s")
    return Said(sentence % (vars(value) | {"proven": proven}), OPENED, value, opened.text)


def _proven(opened: Opened) -> str:
    if opened.is_taken_out:
        return _("Its writer has taken the words out.")
    return (
        _("The words are those that were sealed.") if opened.is_same else _("These are not the words sealed.")
    )


def _why(seal: Seal, opened: Message) -> str:
    region = {"region": region_name(seal.region)} if seal.region else {}
    if opened.event != HAPPENED:
        return _("What it waited for did not happen before the game was over.")
    match Seal.Opens(seal.opens):
        case Seal.Opens.REGION:
            return _("%(region)s was taken.") % region
        case Seal.Opens.BATTLE if region:
            return _("The battle for %(region)s is over.") % region
        case Seal.Opens.BATTLE:
            return _("The battle is over.")
    return _("The game is over.")


TELLERS[Message.Kind.SEALED] = sealed_in
TELLERS[Message.Kind.OPENED] = opened_in
