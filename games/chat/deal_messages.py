"""System messages about deals: who proposed what to whom, who answered, and which promises were kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.names import FORMER_PLAYER, first_in_sentence
from games.chat.access import Reader
from games.chat.links import deal_path
from games.chat.models import Deal, DealParty, DealPromise, Message
from games.chat.system_messages import RENDERERS, Names, SystemMessage
from games.narration.moves import and_list
from games.rules import region_name

DEAL_PART = "chat/_said_deal.html"


@dataclass(frozen=True)
class DealText:
    """One event in the life of a deal."""

    number: int
    told: str
    promises: tuple[str, ...]  # those the site judges; only in the proposal
    url: str  # of the deal on the deals page
    state: str = ""  # kept, broken or void, if the site says so
    is_open: bool = False  # just proposed, and not yet answered by everyone
    # where the reader accepts without signing in; empty if they aren't asked or must sign in
    accept: str = ""
    decline: str = ""


def deals_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, SystemMessage]:
    """Return the system messages about deals among these messages of one channel, by number."""
    pks = {message.deal_id for message in messages if message.deal_id is not None}
    found = (
        Deal.objects.filter(pk__in=pks)
        .select_related("channel", "game")
        .prefetch_related("parties", "promises")
    )
    deals = {deal.pk: deal for deal in found}
    return {
        message.number: _deal_message(message, deals[message.deal_id], reader, names)
        for message in messages
        if message.deal_id in deals
    }


def _deal_message(message: Message, deal: Deal, reader: Reader, names: Names) -> SystemMessage:
    event, _space, which = message.event.partition(" ")
    is_judged = which.isdigit()
    told = _judged(event, int(which), deal, names) if is_judged else _done(message, deal, names)
    promises = promises_text(deal, names) if event == "proposed" else ()
    page = deals_path(deal, reader)
    is_asked = reader.by_link and event == "proposed" and is_asked_of(deal, reader)
    value = DealText(
        deal.number,
        told,
        promises,
        page,
        event if is_judged else "",
        event == "proposed" and deal.state == Deal.State.PROPOSED,
        f"{page}?answer=accept" if is_asked else "",
        f"{page}?answer=decline" if is_asked else "",
    )
    headed = _("Deal %(n)d: %(told)s") % {"n": deal.number, "told": told}
    return SystemMessage(
        "\n".join((headed, *promises)), DEAL_PART, value, is_nobodys=is_judged or event == "lapsed"
    )


def _done(message: Message, deal: Deal, names: Names) -> str:
    """Return a sentence: what someone did with the deal, or that it came to nothing."""
    words = {"name": first_in_sentence(names.get(message.author_id, _(FORMER_PLAYER)))}
    match message.event:
        case "proposed":
            others = and_list([called(party.user_id, names) for party in others_of(deal)])
            return _("%(name)s proposes this to %(others)s.") % (words | {"others": others})
        case "accepted":
            return _("%(name)s accepts.") % words
        case "stands":
            return _("%(name)s accepts. So all have accepted: it stands.") % words
        case "declined":
            return _("%(name)s declines, so it does not stand.") % words
        case "withdrawn":
            return _("%(name)s withdraws it, so it does not stand.") % words
        case "says kept":
            return _("%(name)s says that the words were kept.") % words
        case "says broken":
            return _("%(name)s says that the words were broken.") % words
    return _("It was not accepted in time, so it does not stand.")


def _judged(state: str, number: int, deal: Deal, names: Names) -> str:
    words = {"promise": promises_text(deal, names)[number - 1]}
    match state:
        case "kept":
            return _("Kept: %(promise)s") % words
        case "broken":
            return _("Broken: %(promise)s") % words
    return _("Neither kept nor broken: %(promise)s") % words


def promises_text(deal: Deal, names: Names) -> tuple[str, ...]:
    """Return a sentence for each promise that the site judges."""
    users = {party.seat: party.user_id for party in deal.parties.all()}
    judged = [promise for promise in deal.promises.all() if promise.kind != DealPromise.Kind.WORDS]
    return tuple(_promise_told(promise, deal, called(users.get(promise.seat), names)) for promise in judged)


def _promise_told(promise: DealPromise, deal: Deal, name: str) -> str:
    words = {"name": first_in_sentence(name), "until": until_text(deal)}
    if promise.region:
        words["region"] = region_name(promise.region)
    match DealPromise.Kind(promise.kind):
        case DealPromise.Kind.NO_ATTACK:
            return _("%(name)s starts no battle for %(region)s until %(until)s.") % words
        case DealPromise.Kind.POPE:
            return _("%(name)s places the Pope on %(region)s before %(until)s.") % words
    passes = _(
        "%(name)s passes without playing another card in the battle that is fought when all have accepted, "
        "or else in the next."
    )
    return passes % words


def until_text(deal: Deal) -> str:
    """Return until when the deal holds, as part of a sentence."""
    match Deal.Until(deal.until):
        case Deal.Until.ROUND:
            return _("the end of round %(n)d") % {"n": deal.until_number}
        case Deal.Until.BATTLE:
            return _("the end of battle %(n)d") % {"n": deal.until_number}
    return _("the end of the game")


def called(user_id: int | None, names: Names) -> str:
    """Return the name of one of the parties. People who have left the table have no name."""
    return names.get(user_id, _(FORMER_PLAYER)) if user_id is not None else _(FORMER_PLAYER)


def others_of(deal: Deal) -> list[DealParty]:
    """Return the parties the deal was proposed to."""
    return [party for party in deal.parties.all() if party.seat != author_seat(deal)]


def author_seat(deal: Deal) -> int:
    """Return the seat of the deal's author, who promises its words."""
    return next(promise.seat for promise in deal.promises.all() if promise.kind == DealPromise.Kind.WORDS)


def party_of(deal: Deal, reader: Reader) -> DealParty | None:
    """Return the reader's part in the deal, while they are at the table."""
    if reader.seat is None or reader.user is None:
        return None
    return next((party for party in deal.parties.all() if party.user_id == reader.user.pk), None)


def is_asked_of(deal: Deal, reader: Reader) -> bool:
    """Return whether the deal waits for this reader's answer."""
    mine = party_of(deal, reader)
    is_open = deal.state == Deal.State.PROPOSED and not deal.game.is_over
    return is_open and mine is not None and mine.answer == DealParty.Answer.OPEN


def anchor_of(deal: Deal) -> str:
    """Return the deal's anchor on the deals page."""
    return f"deal-{deal.channel.slug or 'table'}-{deal.number}"


def deals_path(deal: Deal, reader: Reader) -> str:
    """Return the deal's address on the deals page.

    For a reader with an email's link, it is a page of its own.
    """
    table = reader.table
    if reader.by_link and reader.seat is not None:
        return deal_path(reader.seat, deal)
    page = reverse("watch_deals", args=[table.watch_key]) if reader.is_let_in else ""
    return f"{page or reverse('deals', args=[table.pk])}#{anchor_of(deal)}"


RENDERERS[Message.Kind.DEAL] = deals_in
