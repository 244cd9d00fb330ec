"""Contents of a table's deals page: only the deals that its reader may read. Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.names import first_in_sentence
from games.chat.access import Reader
from games.chat.channel_list import channel_page
from games.chat.channel_text import channel_title
from games.chat.deal_text import anchor_of, is_asked_of, party_of, promises_text, until_text
from games.chat.models import Deal, DealParty, DealPromise
from games.chat.readable_deals import TABLE, readable_deals
from games.chat.services.deals import has_lost_somebody
from games.chat.writing import is_over
from games.narration.cast import and_list

_State, _Mark = Deal.State, DealPromise.State


@dataclass(frozen=True)
class PromiseRow:
    """One promise that the site judges, and its state."""

    sentence: str
    state: str
    state_text: str


@dataclass(frozen=True)
class Words:
    """What the parties say about the deal's words, which the site does not judge."""

    state: str
    verdicts: tuple[str, ...]
    mine: str = ""  # what the reader says
    may_say: bool = False


@dataclass(frozen=True)
class Publishing:
    """How far the parties have agreed to make the deal public."""

    sentence: str
    may_agree: bool = False


class DealOutcome(StrEnum):
    """How far a deal has come; the deals page has a section for each."""

    PROPOSED = "proposed"
    STANDING = "standing"
    BROKEN = "broken"
    KEPT = "kept"
    VOID = "void"


@dataclass(frozen=True)
class DealView:
    """One deal as its reader sees it."""

    anchor: str
    number: int
    title: str
    proposed: str  # a sentence: by whom
    made_at: datetime
    body: SafeString
    channel: str  # title of the deal's channel; empty if the reader may not read it
    channel_url: str
    until: str  # a sentence
    promises: tuple[PromiseRow, ...]
    answers: tuple[tuple[str, str], ...]  # of each party: answer, and the same in a sentence
    words: Words | None
    publishing: Publishing | None
    action: str
    may_answer: bool
    may_withdraw: bool
    ended: str  # why it came to nothing
    outcome: DealOutcome

    @property
    def lists_answers(self) -> bool:
        """Return whether the page says what each party answered: not once the deal is in force."""
        return self.outcome == DealOutcome.PROPOSED or bool(self.ended)

    @property
    def has_actions(self) -> bool:
        """Return whether the reader can do anything about the deal."""
        can_judge = self.words is not None and self.words.may_say
        can_publish = self.publishing is not None and self.publishing.may_agree
        return self.may_answer or self.may_withdraw or can_judge or can_publish


@dataclass(frozen=True)
class DealsByOutcome:
    """Deals with the same outcome."""

    outcome: DealOutcome
    title: str
    deals: tuple[DealView, ...]


def deals_page_of(reader: Reader) -> tuple[DealsByOutcome, ...]:
    """Return all deals the reader may read, grouped by outcome, newest first."""
    deals: dict[DealOutcome, list[DealView]] = {}
    for deal in reversed(readable_deals(reader)):
        deals.setdefault(_outcome(deal), []).append(deal_view(deal, reader))
    titles = _titles(after_the_end=is_over(reader.table))
    return tuple(DealsByOutcome(one, titles[one], tuple(deals[one])) for one in titles if one in deals)


def _titles(*, after_the_end: bool) -> dict[DealOutcome, str]:
    standing = pgettext("deals", "Undecided") if after_the_end else pgettext("deals", "In force")
    return {
        DealOutcome.PROPOSED: pgettext("deals", "Waiting for answers"),
        DealOutcome.STANDING: standing,
        DealOutcome.BROKEN: pgettext("deals", "Broken"),
        DealOutcome.KEPT: pgettext("deals", "Kept"),
        DealOutcome.VOID: pgettext("deals", "Void"),
    }


def _outcome(deal: Deal) -> DealOutcome:
    """Return the outcome of a deal from all its promises.

    One broken promise breaks the deal. It is kept once nothing is open. The words count if someone has judged
    them, or if there are no other promises.
    """
    if deal.state == _State.PROPOSED:
        return DealOutcome.PROPOSED
    if deal.state != _State.STANDING:
        return DealOutcome.VOID
    marks = [promise.state for promise in _counting(deal)]
    if _Mark.BROKEN in marks:
        return DealOutcome.BROKEN
    if _Mark.OPEN in marks:
        return DealOutcome.STANDING
    return DealOutcome.KEPT if _Mark.KEPT in marks else DealOutcome.VOID


def _counting(deal: Deal) -> list[DealPromise]:
    judged = deal.judged
    return judged if judged and not deal.words.verdicts.all() else [*judged, deal.words]


def deal_view(deal: Deal, reader: Reader) -> DealView:
    """Return one deal with everything this reader can do about it."""
    deal.channel.table = deal.game.table = reader.table
    channel, mine = reader.channel(deal.channel.slug), party_of(deal, reader)
    is_open = deal.state == _State.PROPOSED and not deal.game.is_over and mine is not None
    is_author = mine is not None and mine.seat == deal.author_seat
    return DealView(
        anchor_of(deal),
        deal.number,
        _title(deal, reader),
        _proposed(deal, reader),
        deal.made_at,
        deal.body,
        channel_title(channel, reader) if channel else "",
        channel_page(channel, reader) if channel else "",
        until_text(deal),
        _promises(deal, reader),
        tuple(_answer(party, reader) for party in deal.parties.all()),
        _words(deal, reader, mine),
        _publishing(deal, reader, mine),
        reverse("deal", args=[reader.table.pk, deal.channel.slug or TABLE, deal.number]),
        may_answer=is_asked_of(deal, reader),
        may_withdraw=is_open and is_author,
        ended=_ended(deal),
        outcome=_outcome(deal),
    )


def _title(deal: Deal, reader: Reader) -> str:
    users = [deal.author_id, *(party.user_id for party in deal.others)]
    names = [reader.name_of(user) for user in users if not reader.is_you(user)]
    if len(names) < len(users):
        # Translators: stands for the reader in a list of players, such as "Anna, you and Carla".
        names.insert(0, pgettext("in a list of players", "you"))
    # Translators: n is the number of the deal; names are the players in it.
    return _("Deal %(n)d: %(names)s") % {"n": deal.number, "names": and_list(names)}


def _proposed(deal: Deal, reader: Reader) -> str:
    if reader.is_you(deal.author_id):
        return _("You proposed it.")
    return _("%(name)s proposed it.") % {"name": first_in_sentence(reader.name_of(deal.author_id))}


def _promises(deal: Deal, reader: Reader) -> tuple[PromiseRow, ...]:
    stands = deal.state == _State.STANDING
    return tuple(
        PromiseRow(sentence, promise.state if stands else "", _state_text(promise) if stands else "")
        for sentence, promise in zip(promises_text(deal, reader), deal.judged, strict=True)
    )


def _state_text(promise: DealPromise) -> str:
    match DealPromise.State(promise.state):
        case DealPromise.State.KEPT:
            return _("Kept (checked by the site)")
        case DealPromise.State.BROKEN:
            return _("Broken (checked by the site)")
        case DealPromise.State.VOID:
            return _("Neither kept nor broken, because the player did not get to decide")
    return _("Not decided yet")


def _answer(party: DealParty, reader: Reader) -> tuple[str, str]:
    said = _answer_of_yours if reader.is_you(party.user_id) else _answer_of_another
    words = {"name": first_in_sentence(reader.name_of(party.user_id))}
    return party.answer, said(DealParty.Answer(party.answer)) % words


def _answer_of_yours(answer: DealParty.Answer) -> str:
    match answer:
        case DealParty.Answer.ACCEPTED:
            return _("You accepted.")
        case DealParty.Answer.DECLINED:
            return _("You declined.")
    return _("You have not answered.")


def _answer_of_another(answer: DealParty.Answer) -> str:
    match answer:
        case DealParty.Answer.ACCEPTED:
            return _("%(name)s accepted.")
        case DealParty.Answer.DECLINED:
            return _("%(name)s declined.")
    return _("%(name)s has not answered.")


def _words(deal: Deal, reader: Reader, mine: DealParty | None) -> Words | None:
    """Return the verdicts on the words; None if the deal isn't in force, so they can't be kept or broken."""
    if deal.state != _State.STANDING:
        return None
    users = {party.seat: party.user_id for party in deal.parties.all()}
    said = {verdict.seat: verdict.says for verdict in deal.words.verdicts.all()}
    verdicts = tuple(_saying(users.get(seat), said[seat], reader) for seat in sorted(said))
    my_word = said.get(mine.seat, "") if mine else ""
    return Words(deal.words.state, verdicts, my_word, mine is not None)


def _saying(user_id: int | None, says: str, reader: Reader) -> str:
    is_kept = says == DealPromise.State.KEPT
    if reader.is_you(user_id):
        if is_kept:
            return _("You said the deal was kept.")
        return _("You said the deal was broken.")
    words = {"name": first_in_sentence(reader.name_of(user_id))}
    if is_kept:
        return _("%(name)s says the deal was kept.") % words
    return _("%(name)s says the deal was broken.") % words


def _publishing(deal: Deal, reader: Reader, mine: DealParty | None) -> Publishing | None:
    """Return how far the deal is public; None before the end, and if spectators are not allowed."""
    table = reader.table
    if not is_over(table) or table.watch == table.Watch.NOBODY or reader.seat is None:
        return None
    if deal.is_public:
        return Publishing(_("Everyone in this deal made it public: spectators can read it."))
    if mine is None:
        return None
    if has_lost_somebody(deal):
        return Publishing(
            _(
                "Someone in this deal has left and can’t agree to make it public. "
                "Only players at this table can read it."
            )
        )
    return Publishing(_agreed(deal, reader), may_agree=mine.opens_at is None)


def _agreed(deal: Deal, reader: Reader) -> str:
    users = [party.user_id for party in deal.parties.all() if party.opens_at]
    names = and_list([reader.name_of(user) for user in users if not reader.is_you(user)])
    if not users:
        return _("Only players at this table can read this. Spectators can if everyone in the deal agrees.")
    if not names:
        return _("You agreed to make it public. The others have not agreed yet.")
    if any(map(reader.is_you, users)):
        return _("You agreed to make it public. So did: %(names)s.") % {"names": names}
    return _("Agreed to make it public: %(names)s.") % {"names": names}


def _ended(deal: Deal) -> str:
    match Deal.State(deal.state):
        case Deal.State.DECLINED:
            return _("The deal was declined.")
        case Deal.State.WITHDRAWN:
            return _("The deal was withdrawn.")
        case Deal.State.LAPSED:
            return _("The deal was not accepted in time.")
    return ""


def seat_choices(reader: Reader, seats: Sequence[int]) -> list[tuple[str, str]]:
    """Return seats as form choices, with the names the reader knows."""
    by_seat = {seat.number: seat.user_id for seat in reader.table.all_seats()}
    return [(str(number), reader.name_of(by_seat.get(number))) for number in seats]
