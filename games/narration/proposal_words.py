"""Proposals to everyone at the table in words: to end the game (R49), to pause it, or for more time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.durations import exact_duration
from games.models import Proposal


@dataclass(frozen=True)
class ProposalWords:
    """A proposal in words: who made it, what it leads to, and the button labels."""

    title: str
    follows: str
    agree: str
    refuse: str


def proposal_words(proposal: Proposal, proposer: str, *, is_mine: bool) -> ProposalWords:
    """Return the words of a proposal for one of the players; `proposer` begins a sentence."""
    words = {"proposer": proposer, "n": proposal.amount}
    match proposal.what:
        case Proposal.What.PAUSE:
            return _words_of_pause(proposal, words, is_mine)
        case Proposal.What.GO_ON:
            return _words_of_resuming(words, is_mine)
        case Proposal.What.MORE_TIME:
            return _words_of_more_time(proposal, words, is_mine)
    return _words_of_end(proposal, words, is_mine)


def _words_of_end(proposal: Proposal, words: dict[str, Any], is_mine: bool) -> ProposalWords:
    title = (
        _("You propose to end this game now.")
        if is_mine
        # Translators: proposer is a player.
        else _("%(proposer)s proposes to end this game now.")
    )
    if proposal.what == Proposal.What.NONE:
        result = _("Then no one wins.")
    else:
        result = _(
            "Then the player with the most regions wins. If several have the most, they share the victory."
        )
    how = _("The game ends when everyone has agreed. If one player refuses, it goes on.")
    return ProposalWords(
        title % words,
        f"{result} {how}",
        _("Agree: end the game"),
        _("Refuse: play on"),
    )


def _words_of_pause(proposal: Proposal, words: dict[str, Any], is_mine: bool) -> ProposalWords:
    mine = ngettext(
        "You propose to pause this game for %(n)d day.",
        "You propose to pause this game for %(n)d days.",
        proposal.amount or 0,
    )
    # Translators: proposer is a player.
    others = ngettext(
        "%(proposer)s proposes to pause this game for %(n)d day.",
        "%(proposer)s proposes to pause this game for %(n)d days.",
        proposal.amount or 0,
    )
    follows = _(
        "During the pause no one’s time runs, but anyone can still move. The pause begins when everyone has "
        "agreed. If one player refuses, the game goes on as before."
    )
    return ProposalWords(
        (mine if is_mine else others) % words, follows, _("Agree: pause the game"), _("Refuse: no pause")
    )


def _words_of_resuming(words: dict[str, Any], is_mine: bool) -> ProposalWords:
    title = (
        _("You propose to end the pause now.")
        if is_mine
        # Translators: proposer is a player.
        else _("%(proposer)s proposes to end the pause now.")
    )
    follows = _(
        "Time runs again when everyone has agreed. If one player refuses, the pause lasts as long as planned."
    )
    return ProposalWords(title % words, follows, _("Agree: end the pause"), _("Refuse: keep the pause"))


def _words_of_more_time(proposal: Proposal, words: dict[str, Any], is_mine: bool) -> ProposalWords:
    title = (
        # Translators: amount is a length of time such as "12 hours".
        _("You propose to give everyone whose turn it is %(amount)s more.")
        if is_mine
        # Translators: proposer is a player, amount is a length of time such as "12 hours".
        else _("%(proposer)s proposes to give everyone whose turn it is %(amount)s more.")
    )
    follows = _(
        "The deadlines of that moment move when everyone has agreed. If one player refuses, they stay."
    )
    words["amount"] = exact_duration(timedelta(hours=proposal.amount or 0))
    return ProposalWords(title % words, follows, _("Agree: give the time"), _("Refuse: keep the deadlines"))
