"""System messages about deals: who proposed what to whom, who answered, which promises were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.names import first_in_sentence
from games.chat.access import Reader
from games.chat.deal_text import deals_path, is_asked_of, promises_text
from games.chat.models import Deal, Message
from games.chat.system_messages.system_message import SystemMessage
from games.narration.cast import and_list

DEAL_PART = "chat/_system_deal.html"

_DONE = {
    "accepted": gettext_lazy("%(name)s accepted deal %(n)d."),
    "stands": gettext_lazy("%(name)s accepted deal %(n)d. Everyone has accepted, so it is in force."),
    "declined": gettext_lazy("%(name)s declined deal %(n)d, so it is not in force."),
    "withdrawn": gettext_lazy("%(name)s withdrew deal %(n)d, so it is not in force."),
    "says kept": gettext_lazy("%(name)s says deal %(n)d was kept."),
    "says broken": gettext_lazy("%(name)s says deal %(n)d was broken."),
}
_DONE_BY_YOU = {
    "accepted": gettext_lazy("You accepted deal %(n)d."),
    "stands": gettext_lazy("You accepted deal %(n)d. Everyone has accepted, so it is in force."),
    "declined": gettext_lazy("You declined deal %(n)d, so it is not in force."),
    "withdrawn": gettext_lazy("You withdrew deal %(n)d, so it is not in force."),
    "says kept": gettext_lazy("You said deal %(n)d was kept."),
    "says broken": gettext_lazy("You said deal %(n)d was broken."),
}


@dataclass(frozen=True)
class DealText:
    """One event in the life of a deal."""

    number: int
    sentence: str
    promises: tuple[str, ...]  # those the site judges; only in the proposal
    url: str  # of the deal on the deals page
    state: str = ""  # kept, broken or void, if the site says so
    judged: str = ""  # the promise of which it says so, in a sentence
    is_open: bool = False  # just proposed, and not yet answered by everyone
    # where the reader accepts without signing in; empty if they aren't asked or must sign in
    accept: str = ""
    decline: str = ""


def deals_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the system messages about deals among these messages of one channel, by number."""
    pks = {message.deal_id for message in messages if message.deal_id is not None}
    found = (
        Deal.objects.filter(pk__in=pks)
        .select_related("channel", "game")
        .prefetch_related("parties", "promises")
    )
    deals = {deal.pk: deal for deal in found}
    return {
        message.number: _deal_message(message, deals[message.deal_id], reader)
        for message in messages
        if message.deal_id in deals
    }


def _deal_message(message: Message, deal: Deal, reader: Reader) -> SystemMessage:
    event, _space, which = message.event.partition(" ")
    is_judged = which.isdigit()
    sentence = _judgement(event, deal) if is_judged else _action_text(message, deal, reader)
    promises = promises_text(deal, reader) if event == "proposed" else ()
    judged = promises_text(deal, reader)[int(which) - 1] if is_judged else ""
    page = deals_path(deal, reader)
    is_asked = reader.by_link and event == "proposed" and is_asked_of(deal, reader)
    value = DealText(
        deal.number,
        sentence,
        promises,
        page,
        event if is_judged else "",
        judged,
        event == "proposed" and deal.state == Deal.State.PROPOSED,
        f"{page}?answer=accept" if is_asked else "",
        f"{page}?answer=decline" if is_asked else "",
    )
    lines = (sentence, *promises, judged) if judged else (sentence, *promises)
    return SystemMessage("\n".join(lines), DEAL_PART, value, is_impersonal=is_judged or event == "lapsed")


def _action_text(message: Message, deal: Deal, reader: Reader) -> str:
    """Return a sentence: what someone did with the deal, or that it ended without effect."""
    if message.event == "proposed":
        return _proposal(deal, reader)
    if message.event == "lapsed":
        return _("Deal %(n)d was not accepted in time, so it is not in force.") % {"n": deal.number}
    words = {"name": first_in_sentence(reader.name_of(message.author_id)), "n": deal.number}
    done = _DONE_BY_YOU if reader.is_you(message.author_id) else _DONE
    return str(done[message.event]) % words


def _proposal(deal: Deal, reader: Reader) -> str:
    others = [party.user_id for party in deal.others if not reader.is_you(party.user_id)]
    words = {
        "name": first_in_sentence(reader.name_of(deal.author_id)),
        "others": and_list([reader.name_of(user) for user in others]),
        "n": deal.number,
    }
    if reader.is_you(deal.author_id):
        # Translators: others are one or more players; n is the number of the deal.
        return _("You proposed deal %(n)d to %(others)s.") % words
    if len(others) == len(deal.others):
        # Translators: others are one or more players; n is the number of the deal.
        return _("%(name)s proposed deal %(n)d to %(others)s.") % words
    if others:
        # Translators: others are one or more players; n is the number of the deal.
        return _("%(name)s proposed deal %(n)d to you and %(others)s.") % words
    # Translators: n is the number of the deal.
    return _("%(name)s proposed deal %(n)d to you.") % words


def _judgement(state: str, deal: Deal) -> str:
    """Return the outcome of a promise as a sentence that ends with the promise itself."""
    words = {"n": deal.number}
    match state:
        case "kept":
            # Translators: n is the number of the deal; the promise follows.
            return _("A promise in deal %(n)d was kept:") % words
        case "broken":
            # Translators: n is the number of the deal; the promise follows.
            return _("A promise in deal %(n)d was broken:") % words
    # Translators: n is the number of the deal; the promise follows.
    return _("A promise in deal %(n)d was neither kept nor broken:") % words
