"""The chat of a table as a file, with only what its reader can read on the pages (docs/CHAT.md).

The file is streamed in pieces, so that a table's chat may be of any length.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from accounts.names import FORMER_PLAYER
from games.chat.access import Reader
from games.chat.deals_page import readable_deals
from games.chat.models import Channel, Deal, Message
from games.chat.thread import Line, lines_of
from games.models import Game

FORMAT = "condottiere-chat/1"
AT_A_TIME = 500
# Facts by which readers can check a system message themselves.
_PROOF = ("cards", "ply", "digest", "salt")


def chat_json(game: Game, reader: Reader) -> Iterator[str]:
    """Yield the file in pieces, one message per line."""
    channels = [channel for channel in reader.channels if channel.pk]
    reader = replace(reader, is_addressed=False)  # the file may be passed on, so it gives names, not "you"
    head = {
        "format": FORMAT,
        "game": game.pk,
        "table": reader.table.name,
        "reader": reader.names.get(reader.user_id),
    }
    yield _json(head)[:-1] + ', "channels": ['
    for place, channel in enumerate(channels):
        yield (",\n " if place else "\n ") + _head(channel, reader)
        yield from _parted(_messages(channel, reader))
        yield "]}"
    yield '],\n "deals": ['
    yield from _parted(_deal(deal, reader, channels) for deal in readable_deals(reader))
    yield "]}\n"


def _head(channel: Channel, reader: Reader) -> str:
    members = {member.user_id for member in channel.members.all()}
    here = [name for user, name in reader.names.items() if user in members]
    gone = sum(user not in reader.names for user in members)
    facts = {
        "kind": channel.kind,
        "people": [*here, *[_(FORMER_PLAYER)] * gone] if channel.is_private else None,
        "opened_at": _moment(channel.opened_at),
    }
    return _json(facts)[:-1] + ', "messages": ['


def _messages(channel: Channel, reader: Reader) -> Iterator[dict[str, Any]]:
    """Yield all messages by number, in batches."""
    last = 0
    while True:
        found = Message.objects.filter(channel=channel, number__gt=last).order_by("number")[:AT_A_TIME]
        lines = lines_of(channel, reader, list(found)) if found else ()
        yield from map(_message, lines)
        if len(lines) < AT_A_TIME:
            return
        last = lines[-1].message.number


def _message(line: Line) -> dict[str, Any]:
    message, system = line.message, line.system
    facts = {
        "number": message.number,
        "at": _moment(message.written_at),
        "by": line.name,
        "kind": message.kind,
    }
    if system is None:
        return facts | {"text": message.text}
    facts |= {"by": None if system.is_impersonal else line.name, "sentence": system.sentence}
    facts |= {"text": system.words} if system.words else {}
    return facts | {name: value for name in _PROOF if (value := getattr(system.value, name, None))}


def _deal(deal: Deal, reader: Reader, channels: list[Channel]) -> dict[str, Any]:
    places = {channel.pk: place for place, channel in enumerate(channels)}
    names = {party.seat: reader.name_of(party.user_id) for party in deal.parties.all()}
    return {
        "number": deal.number,
        "channel": places.get(deal.channel_id),
        "game": deal.game_id,
        "at": _moment(deal.made_at),
        "by": reader.name_of(deal.author_id),
        "text": deal.text,
        "until": [deal.until, deal.until_number],
        "state": deal.state,
        "parties": [[names[party.seat], party.answer] for party in deal.parties.all()],
        "promises": [
            {
                "by": names.get(promise.seat),
                "kind": promise.kind,
                "region": promise.region or None,
                "state": promise.state,
                "verdicts": [[names.get(one.seat), one.says] for one in promise.verdicts.all()],
            }
            for promise in deal.promises.all()
        ],
    }


def _parted(values: Iterator[dict[str, Any]]) -> Iterator[str]:
    for place, value in enumerate(values):
        yield (",\n   " if place else "\n   ") + _json(value)


def _moment(moment: Any) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
