"""Privacy of chat: export a person's own messages, redact and erase them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from accounts.models import Block, User
from accounts.names import NAME_LEFT_OUT
from games.chat.models import (
    Ban,
    Channel,
    ChannelReadMarker,
    Deal,
    DealParty,
    Member,
    Message,
    Mute,
    Report,
    SealedNote,
    ShownCards,
)
from games.chat.models.messages import TAKEN_OUT
from games.chat.services.sealed_notes import withdraw_sealed_notes
from games.chat.text import rendered
from games.models import Table

_CHANNEL = ("channel__table__name", "channel__kind", "channel__slug")
_DEAL = ("channel__table__name", "number", "state", "made_at")


def export(user: User) -> dict[str, Any]:
    """Return everything the person wrote and chose in chat, oldest first; no one else's words."""
    return {
        "messages": list(map(_message, _written_by(user))),
        "channels": _rows(Member.objects.filter(user=user), *_CHANNEL, "opens_at"),
        "read_in_channels": _rows(
            ChannelReadMarker.objects.filter(user=user), *_CHANNEL, "last_read", "emails"
        ),
        "cards_shown": list(
            map(_shown, ShownCards.objects.filter(message__author=user).select_related("game"))
        ),
        "notes_still_sealed": _rows(
            SealedNote.objects.filter(message__author=user, opened_at__isnull=True),
            "game",
            "opens",
            "region",
            "text",
            "salt",
            "digest",
        ),
        "deals_proposed": _rows(Deal.objects.filter(author=user), *_DEAL, "text", "until", "until_number"),
        "deals_answered": list(map(_answered, _parties(user))),
        "reports_by_me": _rows(
            Report.objects.filter(by=user),
            "message__channel__table__name",
            "reason",
            "words",
            "at",
            "state",
            "decision",
        ),
        "bans": _rows(Ban.objects.filter(whom=user), "table__name", "reason", "since", "until", "lifted_at"),
        "bans_by_me": _rows(Ban.objects.filter(by=user), "table__name", "reason", "since", "until"),
        "muted": _rows(Mute.objects.filter(by=user), "table__name", "since"),
    }


def prepare(user: User) -> None:
    """Empty the person's sealed notes, and lock the tables that they host.

    All others lock games and tables before reports and channels there. Games' own `erase` changes the tables.
    """
    withdraw_sealed_notes(user)
    list(Table.objects.filter(host=user).order_by("pk").select_for_update(of=("self",)))


def redact(user: User) -> None:
    """Empty the text the person wrote, if they want that.

    That they wrote, when and to whom, is kept. Call this before `erase`, in the same transaction. Afterwards
    it is unknown whose words they were.
    """
    emptied = {"text": TAKEN_OUT, "html": rendered(TAKEN_OUT)}
    Message.objects.filter(author=user).exclude(text="").update(**emptied)
    Deal.objects.filter(author=user).update(**emptied)
    for report in _reports_around(user):
        for line in report.context:
            if line.get("user") == user.pk and line.get("text"):
                line["text"] = TAKEN_OUT
        report.save(update_fields=["context"])


def erase(user: User) -> None:
    """Remove the person's name from their messages, and delete their own settings.

    The messages stay for the people they were written to. A note that is still sealed will never open.
    """
    withdraw_sealed_notes(user)
    for report in _reports_around(user):
        report.context = [_without_name(line, user) for line in report.context]
        report.save(update_fields=["context"])
    Message.objects.filter(author=user).update(author=None)
    Deal.objects.filter(author=user).update(author=None)
    _forget_private_channels(user)
    DealParty.objects.filter(user=user).update(user=None)
    Report.objects.filter(by=user).update(by=None)
    Report.objects.filter(decided_by=user).update(decided_by=None)
    Ban.objects.filter(whom=user).update(reason="")  # the reason describes this person
    Ban.objects.filter(lifted_by=user).update(lifted_by=None)
    ChannelReadMarker.objects.filter(user=user).delete()
    Mute.objects.filter(Q(by=user) | Q(whom=user)).delete()
    Block.objects.filter(Q(by=user) | Q(whom=user)).delete()


def _forget_private_channels(user: User) -> None:
    """Clear the keys of the person's channels.

    No one can ask for the channel of these people again, because one of them was deleted.
    """
    for channel in Channel.objects.filter(members__user=user):
        Channel.objects.filter(pk=channel.pk).update(people_key=f"once {channel.pk}")
    Member.objects.filter(user=user).update(user=None)


def _written_by(user: User) -> QuerySet[Message]:
    return Message.objects.filter(author=user).select_related("channel__table").order_by("pk")


def _message(message: Message) -> dict[str, Any]:
    return {
        "table": message.channel.table.name,
        "channel": message.channel.slug or message.channel.kind,
        "number": message.number,
        "kind": message.kind,
        "written_at": message.written_at.isoformat(),
        "text": message.text,
    }


def _shown(shown: ShownCards) -> dict[str, Any]:
    """Return shown cards for the export.

    The ply of a running game is left out: it would reveal how many others had to decide (R17).
    """
    moment = {"ply": shown.ply} if shown.game.is_over else {}
    return {"game": shown.game_id, "cards": shown.cards, "step": shown.step, **moment}


def _parties(user: User) -> QuerySet[DealParty]:
    found = DealParty.objects.filter(user=user).select_related("deal__channel__table")
    return found.prefetch_related("deal__promises__verdicts").order_by("pk")


def _answered(party: DealParty) -> dict[str, Any]:
    """Return the person's part in a deal: answer, promises, and verdicts on others' promises."""
    deal = party.deal
    promises = [promise for promise in deal.promises.all() if promise.seat == party.seat]
    said = [
        one for promise in deal.promises.all() for one in promise.verdicts.all() if one.seat == party.seat
    ]
    return {
        "table": deal.channel.table.name,
        "deal": deal.number,
        "answer": party.answer,
        "answered_at": party.answered_at,
        "may_be_public_since": party.opens_at,
        "promises": [[promise.kind, promise.region, promise.state] for promise in promises],
        "verdicts": [[verdict.says, verdict.at] for verdict in said],
    }


def _reports_around(user: User) -> Iterable[Report]:
    """Return the reports that may contain the person's messages or name.

    System messages also name the parties of deals and banned people, who may have written nothing.
    """
    wrote = Message.objects.filter(author=user).values("channel__table")
    dealt = DealParty.objects.filter(user=user).values("deal__channel__table")
    banned = Ban.objects.filter(whom=user, table__isnull=False).values("table")
    at_these = Q(table__in=wrote) | Q(table__in=dealt) | Q(table__in=banned)
    channels = Channel.objects.filter(at_these).values("pk")
    return Report.objects.filter(message__channel__in=channels).select_for_update().order_by("pk")


def _without_name(line: dict[str, Any], user: User) -> dict[str, Any]:
    """Return one line of a report's context without the name of a person who is deleted."""
    own = {"name": "", "user": None} if line.get("user") == user.pk else {}
    name = re.compile(rf"(?<![\w-]){re.escape(user.shown_name)}(?![\w-])")  # not "Al" in "Alice"
    return line | own | {"says": name.sub(NAME_LEFT_OUT, str(line.get("says", "")))}


def _rows(found: QuerySet[Any], *names: str) -> list[dict[str, Any]]:
    """Return the named columns of rows, each keyed by its last name. A table is given by its name."""
    called = {name: _called(name) for name in names}
    return [{called[name]: row[name] for name in names} for row in found.order_by("pk").values(*names)]


def _called(name: str) -> str:
    parts = name.split("__")
    if parts[-1] == "name":
        return parts[-2]
    return "channel" if parts[-1] == "slug" else parts[-1]
