"""What the table says of bargains: who proposed what to whom, who answered, and what it has seen of it."""

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

DEAL_PART = "chat/_said_bargain.html"


@dataclass(frozen=True)
class DealText:
    """One thing that happened to a bargain."""

    number: int
    told: str
    pledges: tuple[str, ...]  # what the table judges, where it is proposed
    url: str  # of the bargain in the ledger
    state: str = ""  # kept, broken or void, where the table says so
    is_open: bool = False  # proposed just now, and not yet answered by all
    accept: str = ""  # where its reader accepts without signing in; empty: they are not asked, or sign in
    decline: str = ""


def deals_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, SystemMessage]:
    """What the table says of bargains in these messages of one circle."""
    pks = {message.bargain_id for message in messages if message.bargain_id is not None}
    found = (
        Deal.objects.filter(pk__in=pks)
        .select_related("circle", "game")
        .prefetch_related("parties", "pledges")
    )
    bargains = {bargain.pk: bargain for bargain in found}
    return {
        message.number: _deal_message(message, bargains[message.bargain_id], reader, names)
        for message in messages
        if message.bargain_id in bargains
    }


def _deal_message(message: Message, bargain: Deal, reader: Reader, names: Names) -> SystemMessage:
    event, _space, which = message.event.partition(" ")
    is_judged = which.isdigit()
    told = _judged(event, int(which), bargain, names) if is_judged else _done(message, bargain, names)
    pledges = promises_text(bargain, names) if event == "proposed" else ()
    page = ledger_path(bargain, reader)
    is_asked = reader.by_link and event == "proposed" and is_asked_of(bargain, reader)
    value = DealText(
        bargain.number,
        told,
        pledges,
        page,
        event if is_judged else "",
        event == "proposed" and bargain.state == Deal.State.PROPOSED,
        f"{page}?answer=accept" if is_asked else "",
        f"{page}?answer=decline" if is_asked else "",
    )
    headed = _("Bargain %(n)d: %(told)s") % {"n": bargain.number, "told": told}
    return SystemMessage(
        "\n".join((headed, *pledges)), DEAL_PART, value, is_nobodys=is_judged or event == "lapsed"
    )


def _done(message: Message, bargain: Deal, names: Names) -> str:
    """What somebody did with it, or that it came to nothing."""
    words = {"name": first_in_sentence(names.get(message.author_id, _(FORMER_PLAYER)))}
    match message.event:
        case "proposed":
            others = and_list([called(party.user_id, names) for party in others_of(bargain)])
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


def _judged(state: str, number: int, bargain: Deal, names: Names) -> str:
    words = {"pledge": promises_text(bargain, names)[number - 1]}
    match state:
        case "kept":
            return _("Kept: %(pledge)s") % words
        case "broken":
            return _("Broken: %(pledge)s") % words
    return _("Neither kept nor broken: %(pledge)s") % words


def promises_text(bargain: Deal, names: Names) -> tuple[str, ...]:
    """Each pledge that the table judges, in a sentence."""
    users = {party.seat: party.user_id for party in bargain.parties.all()}
    judged = [pledge for pledge in bargain.pledges.all() if pledge.kind != DealPromise.Kind.WORDS]
    return tuple(_pledge_told(pledge, bargain, called(users.get(pledge.seat), names)) for pledge in judged)


def _pledge_told(pledge: DealPromise, bargain: Deal, name: str) -> str:
    words = {"name": first_in_sentence(name), "until": until_text(bargain)}
    if pledge.region:
        words["region"] = region_name(pledge.region)
    match DealPromise.Kind(pledge.kind):
        case DealPromise.Kind.NO_ATTACK:
            return _("%(name)s starts no battle for %(region)s until %(until)s.") % words
        case DealPromise.Kind.POPE:
            return _("%(name)s places the Pope on %(region)s before %(until)s.") % words
    passes = _(
        "%(name)s passes without playing another card in the battle that is fought when all have accepted, "
        "or else in the next."
    )
    return passes % words


def until_text(bargain: Deal) -> str:
    """Until when it holds, as part of a sentence."""
    match Deal.Until(bargain.until):
        case Deal.Until.ROUND:
            return _("the end of round %(n)d") % {"n": bargain.until_number}
        case Deal.Until.BATTLE:
            return _("the end of battle %(n)d") % {"n": bargain.until_number}
    return _("the end of the game")


def called(user_id: int | None, names: Names) -> str:
    """What one of its people is called; who has left the table has no name."""
    return names.get(user_id, _(FORMER_PLAYER)) if user_id is not None else _(FORMER_PLAYER)


def others_of(bargain: Deal) -> list[DealParty]:
    """Those it was proposed to."""
    return [party for party in bargain.parties.all() if party.seat != author_seat(bargain)]


def author_seat(bargain: Deal) -> int:
    """The seat of who proposed it, which its words are pledged by."""
    return next(pledge.seat for pledge in bargain.pledges.all() if pledge.kind == DealPromise.Kind.WORDS)


def party_of(bargain: Deal, reader: Reader) -> DealParty | None:
    """The reader's part in it, while they sit at the table."""
    if reader.seat is None or reader.user is None:
        return None
    return next((party for party in bargain.parties.all() if party.user_id == reader.user.pk), None)


def is_asked_of(bargain: Deal, reader: Reader) -> bool:
    """Whether it waits for this reader's answer."""
    mine = party_of(bargain, reader)
    is_open = bargain.state == Deal.State.PROPOSED and not bargain.game.is_over
    return is_open and mine is not None and mine.answer == DealParty.Answer.OPEN


def anchor_of(bargain: Deal) -> str:
    """Where it stands on the ledger's page."""
    return f"bargain-{bargain.circle.slug or 'table'}-{bargain.number}"


def ledger_path(bargain: Deal, reader: Reader) -> str:
    """Its place in the ledger, for this reader; by an email's link, a page of its own."""
    table = reader.table
    if reader.by_link and reader.seat is not None:
        return deal_path(reader.seat, bargain)
    page = reverse("watch_ledger", args=[table.watch_key]) if reader.is_let_in else ""
    return f"{page or reverse('ledger', args=[table.pk])}#{anchor_of(bargain)}"


RENDERERS[Message.Kind.BARGAIN] = deals_in
