"""A deal for one reader: its promises in sentences, the reader's part in it, and its address."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.names import first_in_sentence
from games.chat.access import Reader
from games.chat.links import deal_path
from games.chat.models import Deal, DealParty, DealPromise
from games.map.region_names import region_name

# By the promise's kind and the deal's limit. Only a promise to pass has a limit of its own.
_PROMISES = {
    ("no attack", "game"): gettext_lazy("%(name)s will not attack %(region)s before the game ends."),
    ("no attack", "round"): gettext_lazy("%(name)s will not attack %(region)s before round %(n)d ends."),
    ("no attack", "battle"): gettext_lazy("%(name)s will not attack %(region)s before battle %(n)d ends."),
    ("pope", "game"): gettext_lazy("%(name)s will place the Pope on %(region)s before the game ends."),
    ("pope", "round"): gettext_lazy("%(name)s will place the Pope on %(region)s before round %(n)d ends."),
    ("pope", "battle"): gettext_lazy("%(name)s will place the Pope on %(region)s before battle %(n)d ends."),
}
_PROMISES_BY_YOU = {
    ("no attack", "game"): gettext_lazy("You will not attack %(region)s before the game ends."),
    ("no attack", "round"): gettext_lazy("You will not attack %(region)s before round %(n)d ends."),
    ("no attack", "battle"): gettext_lazy("You will not attack %(region)s before battle %(n)d ends."),
    ("pope", "game"): gettext_lazy("You will place the Pope on %(region)s before the game ends."),
    ("pope", "round"): gettext_lazy("You will place the Pope on %(region)s before round %(n)d ends."),
    ("pope", "battle"): gettext_lazy("You will place the Pope on %(region)s before battle %(n)d ends."),
}
_PASSES = gettext_lazy(
    "Once everyone accepts, %(name)s will pass in the current battle without playing another card, or in "
    "the next one if none is being fought."
)
_PASSES_YOU = gettext_lazy(
    "Once everyone accepts, you will pass in the current battle without playing another card, or in the "
    "next one if none is being fought."
)


def promises_text(deal: Deal, reader: Reader) -> tuple[str, ...]:
    """Return a sentence for each promise that the site judges."""
    users = {party.seat: party.user_id for party in deal.parties.all()}
    return tuple(_promise_text(promise, deal, reader, users.get(promise.seat)) for promise in deal.judged)


def _promise_text(promise: DealPromise, deal: Deal, reader: Reader, user_id: int | None) -> str:
    words = {
        "name": first_in_sentence(reader.name_of(user_id)),
        "region": region_name(promise.region) if promise.region else "",
        "n": deal.until_number,
    }
    if promise.kind == DealPromise.Kind.PASSES:
        sentence = _PASSES_YOU if reader.is_you(user_id) else _PASSES
    else:
        sentences = _PROMISES_BY_YOU if reader.is_you(user_id) else _PROMISES
        sentence = sentences[promise.kind, deal.until]
    return str(sentence) % words


def until_text(deal: Deal) -> str:
    """Return a sentence: until when the deal holds."""
    match Deal.Until(deal.until):
        case Deal.Until.ROUND:
            return _("This deal holds until round %(n)d ends.") % {"n": deal.until_number}
        case Deal.Until.BATTLE:
            return _("This deal holds until battle %(n)d ends.") % {"n": deal.until_number}
    return _("This deal holds until the game ends.")


def party_of(deal: Deal, reader: Reader) -> DealParty | None:
    """Return the reader's part in the deal, while they are at the table."""
    if reader.seat is None or reader.user_id is None:
        return None
    return next((party for party in deal.parties.all() if party.user_id == reader.user_id), None)


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
