"""Seat changes, proposals and agreed endings in words (R49).

Reads stored rows only. Other modules of narration tell the endings that the rules produce.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.mail.outbox import delayed
from accounts.names import first_in_sentence
from games.models import Game, Invitation, Proposal, Seat, SeatChange, Table, TimeEvent
from games.models.matches import last_game
from games.narration.cast import Cast
from games.narration.roster import bot_name, name_at

Names = Sequence[str]


def ending_text(game: Game, names: Names) -> str:
    """Return how the table ended the game and who won by that; empty where it did not."""
    if not game.ended:
        return ""
    if game.ended == Game.Ended.ABANDONED:
        return _("The game was abandoned. No one wins.")
    how = (
        _("The game ran out of time, so it was adjudicated.")
        if game.ended == Game.Ended.ADJUDICATED
        else _("Everyone agreed to end the game.")
    )
    return " ".join([how, _victory((game.result or {}).get("winners", []), Cast.of(names))])


def _victory(winners: Sequence[int], cast: Cast) -> str:
    """Return who wins a game that the table ended."""
    if not winners:
        return _("No one wins.")
    if len(winners) == 1:
        return cast.say(
            # Translators: name is a player.
            winners[0],
            _("You win with the most regions."),
            _("%(name)s wins with the most regions."),
        )
    return cast.say_of_several(
        winners,
        # Translators: names are players, such as "You and Anna".
        pgettext("the reader and others", "%(names)s share the victory with the most regions."),
        # Translators: names are players, such as "Anna and Bruno".
        _("%(names)s share the victory with the most regions."),
    )


def holder_before(change: SeatChange) -> str:
    """Return the previous holder's name: a person's, an anonymous one, or a bot's."""
    if change.before is None:
        return bot_name(change.seat)
    return name_at(change.game.table.anonymity, change.seat, change.before)


def seat_change_text(change: SeatChange, names: Names = ()) -> str:
    """Return a sentence about one change of a seat's holder; `names` are those after it."""
    anonymity = change.game.table.anonymity
    is_you = Cast.of(names).reader == change.seat
    words = {
        "before": first_in_sentence(holder_before(change)),
        "after": change.after.shown_name if change.after else bot_name(change.seat),
    }
    if change.before is None and change.after:
        words["after"] = first_in_sentence(name_at(anonymity, change.seat, change.after))
        return _taken_from_bot(is_you) % words
    was_away = change.after is not None and _was_away(change)
    if change.after and anonymity:
        return _anonymous_change_text(was_away, is_you) % words
    return _change_text(was_away, is_you) % words


def _taken_from_bot(is_you: bool) -> str:
    if is_you:
        # Translators: before is a bot.
        return _("You took the seat that %(before)s had played.")
    # Translators: after is a player, before is a bot.
    return _("%(after)s took the seat that %(before)s had played.")


def _change_text(was_away: bool, is_you: bool) -> str:
    if was_away:
        if is_you:
            # Translators: before is a player.
            return _("%(before)s was away, so you took the seat.")
        # Translators: before and after are players.
        return _("%(before)s was away, so %(after)s took the seat.")
    if is_you:
        # Translators: before is a player.
        return _("%(before)s left, and you took the seat.")
    # Translators: before and after are players.
    return _("%(before)s left, and %(after)s took the seat.")


def _anonymous_change_text(was_away: bool, is_you: bool) -> str:
    """Return the sentence for an anonymous table, where the newcomer keeps the seat's name."""
    if was_away:
        if is_you:
            # Translators: before is the seat's name at an anonymous table, such as "Boar".
            return _("%(before)s was away, so you took the seat and its name.")
        # Translators: before is the seat's name at an anonymous table, such as "Boar".
        return _("%(before)s was away, so someone else took the seat and its name.")
    if is_you:
        # Translators: before is the seat's name at an anonymous table, such as "Boar".
        return _("%(before)s left, and you took the seat and its name.")
    # Translators: before is the seat's name at an anonymous table, such as "Boar".
    return _("%(before)s left, and someone else took the seat and its name.")


def _was_away(change: SeatChange) -> bool:
    """Return whether a bot played for the previous holder."""
    table = {"game__table": change.game.table_id, "seat": change.seat}
    earlier = SeatChange.objects.filter(**table, pk__lt=change.pk).last()
    events = TimeEvent.objects.filter(**table, kind__in=(TimeEvent.Kind.STOOD_IN, TimeEvent.Kind.BACK))
    since = (
        events.filter(at__lte=change.at, at__gt=earlier.at) if earlier else events.filter(at__lte=change.at)
    )
    last = since.order_by("pk").last()
    return last is not None and last.kind == TimeEvent.Kind.STOOD_IN


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
            return _of_pause(proposal, words, is_mine)
        case Proposal.What.GO_ON:
            return _of_going_on(words, is_mine)
        case Proposal.What.MORE_TIME:
            return _of_more_time(proposal, words, is_mine)
    return _of_end(proposal, words, is_mine)


def _of_end(proposal: Proposal, words: dict[str, Any], is_mine: bool) -> ProposalWords:
    title = (
        _("You propose to end this game now.")
        if is_mine
        # Translators: proposer is a player.
        else _("%(proposer)s proposes to end this game now.")
    )
    if proposal.what == Proposal.What.NONE:
        result = _("Then no one wins.")
    else:
        result = _("Then the player with the most regions wins. Players who have the same share the victory.")
    how = _("The game ends when everyone has agreed. If one player refuses, it goes on.")
    return ProposalWords(
        title % words,
        f"{result} {how}",
        _("Agree: end the game"),
        _("Refuse: play on"),
    )


def _of_pause(proposal: Proposal, words: dict[str, Any], is_mine: bool) -> ProposalWords:
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


def _of_going_on(words: dict[str, Any], is_mine: bool) -> ProposalWords:
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


def _of_more_time(proposal: Proposal, words: dict[str, Any], is_mine: bool) -> ProposalWords:
    mine = ngettext(
        "You propose to give everyone whose turn it is %(n)d more hour.",
        "You propose to give everyone whose turn it is %(n)d more hours.",
        proposal.amount or 0,
    )
    # Translators: proposer is a player.
    others = ngettext(
        "%(proposer)s proposes to give everyone whose turn it is %(n)d more hour.",
        "%(proposer)s proposes to give everyone whose turn it is %(n)d more hours.",
        proposal.amount or 0,
    )
    follows = _(
        "The deadlines of that moment move when everyone has agreed. If one player refuses, they stay."
    )
    title = (mine if is_mine else others) % words
    return ProposalWords(title, follows, _("Agree: give the time"), _("Refuse: keep the deadlines"))


@dataclass(frozen=True)
class WaysOut:
    """What one player can do to end a game, or to leave it."""

    game: Game
    seat: Seat
    names: Names
    proposal: Proposal | None
    offer: Invitation | None  # of this player's seat, to someone who has not answered yet

    @property
    def is_offer_delayed(self) -> bool:
        """Whether the email with the offer was not accepted yet and is being retried."""
        return self.offer is not None and is_delayed(self.offer)

    @property
    def can_end(self) -> bool:
        """Whether there is a game to end; between two games of a match, players can only leave."""
        return not self.game.is_over

    @property
    def is_mine(self) -> bool:
        return self.proposal is not None and self.proposal.seat == self.seat.number

    @property
    def has_agreed(self) -> bool:
        return self.proposal is not None and self.seat.number in self.proposal.accepted

    @property
    def proposer(self) -> str:
        return first_in_sentence(self.names[self.proposal.seat]) if self.proposal else ""

    @property
    def words(self) -> ProposalWords | None:
        """The open proposal as this player reads it."""
        if self.proposal is None:
            return None
        return proposal_words(self.proposal, self.proposer, is_mine=self.is_mine)

    @property
    def agreed(self) -> str:
        """The players who have agreed, the proposer first."""
        if self.proposal is None:
            return ""
        return Cast(self.names, self.seat.number).listed(self.proposal.accepted)


def ways_out(game: Game, seat: Seat, names: Names) -> WaysOut | None:
    """Return a person's ways out of a game they play; None where nothing goes on, and for guests."""
    if seat.user_id is None or seat.table.state != Table.State.PLAYING or not _is_last(game):
        return None
    return WaysOut(game, seat, names, _open_proposal(game), open_offer(seat))


def _is_last(game: Game) -> bool:
    return not game.table.is_match or last_game(game.table) == game


def _open_proposal(game: Game) -> Proposal | None:
    if game.is_over or game.newest_proposal is None:
        return None
    return game.proposals.filter(closed_at=None).first()


def is_delayed(offer: Invitation) -> bool:
    """Return whether its email was not accepted yet and is being retried."""
    return bool(delayed([offer.email_key]))


def open_offer(seat: Seat) -> Invitation | None:
    """Return the offer of this seat to someone who has not answered yet."""
    return seat.invitations.filter(state=Invitation.State.SENT).first()
