"""What the reader decides now, or whom the game waits for, as pages and emails say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.names import first_in_sentence
from games.access import GameAccess
from games.links import chronicle_url, seat_url
from games.models import Table
from games.narration.cast import and_list
from games.narration.orders import stop_text
from games.presenters.ending_pass import pass_sentence
from games.presenters.position import Position
from games.rules import Observation, Phase


@dataclass(frozen=True)
class DecisionSection:
    """What the reader decides now, or whom the game waits for."""

    sentence: str  # what they decide; empty for no decision
    waiting: str  # whom the game waits for, as far as everyone may know (R17); empty once it's over
    step: int | None = None
    kind: str = ""  # a Phase; empty for no decision
    stop: str = ""  # why the reader's standing order ended

    @property
    def is_region(self) -> bool:
        """Whether the reader chooses a region to fight for."""
        return self.kind == Phase.PLACE

    @property
    def is_card_to_play(self) -> bool:
        return self.kind == Phase.BATTLE


def decision_section(position: Position) -> DecisionSection:
    """Return what the viewer of a position decides, or whom the game waits for."""
    asked = position.seen.asked
    if asked is None:
        return DecisionSection("", _waiting(position))
    ending = position.choices.ending_of_pass
    sentence = pass_sentence(ending, position.cast) if ending else _sentence(position.seen, asked.kind)
    return DecisionSection(sentence, _waiting(position), asked.decision_step, asked.kind, _stop(position))


def _sentence(seen: Observation, kind: str) -> str:
    """Return the decision of the observing seat, in a sentence."""
    match kind:
        case Phase.PLACE:
            return _("Choose a region to fight for.")
        case Phase.BATTLE:
            if seen.seat in seen.holds_back:
                return _("You are the defender. Play a card, or pass and wait.")
            return _("Play a card or pass.")
        case Phase.HAND:
            return _("Discard your whole hand, or keep it.")
        case Phase.KEEP:
            return _("Choose up to 2 cards to keep for the next round.")
    return ""


def _waiting(position: Position) -> str:
    if position.is_over:
        return ""
    if position.seen.phase == Phase.HAND:
        return _("Players without a Mercenary may discard their hand. Their names stay secret.")
    # Translators: names are players, such as "Anna and Bruno".
    return _("Waiting for: %(names)s.") % {"names": position.cast.listed(position.seen.waiting_for)}


def _stop(position: Position) -> str:
    """Return why the viewer's standing order ended and left this decision to them; empty if none did."""
    if position.viewer is None:
        return ""
    seat = position.game.table.all_seats()[position.viewer]
    if seat.decision_step != position.decision_step or not seat.order_stop:
        return ""
    return stop_text(seat.order_stop, position.cast, position.seen)


@dataclass(frozen=True)
class LinkSection:
    """What someone reads who opened the page by an email's link, and may see only one decision."""

    is_closed: bool  # the decision is made, so the page shows what everyone may see
    message: str  # in the visit that has just made it: who is next
    owner: str  # the name of the player the link was sent to
    chronicle_url: str = ""  # once the game is over
    seat_url: str = ""  # once the table is finished: the page of the seat, where a rematch is asked for


def link_section(access: GameAccess, position: Position) -> LinkSection | None:
    """Return what the holder of an email's link reads; None for everyone else."""
    if not access.is_link:
        return None
    has_decided = access.is_visit and position.decision_step is None
    return LinkSection(
        is_closed=position.viewer is None,
        message=_after_visit(position, position.seen.waiting_for) if has_decided else "",
        owner=position.names[access.seat.number],
        chronicle_url=chronicle_url(access.game, access.seat.person.pk) if position.is_over else "",
        seat_url=seat_url(access.seat) if access.seat.table.state == Table.State.FINISHED else "",
    )


def _after_visit(position: Position, waiting_for: Sequence[int]) -> str:
    """Return what a link visit reads after its move: who is next, as far as everyone may know."""
    if position.viewer in waiting_for:
        return _("It’s your turn again. Use the link in the email about this turn, or sign in.")
    if not waiting_for:  # a secret decision, or the end
        return _("Your move is in.")
    names = and_list([position.names[seat] for seat in waiting_for])
    # Translators: names are the players whose turn it is.
    text = ngettext(
        "Your move is in. %(names)s is next.", "Your move is in. %(names)s are next.", len(waiting_for)
    )
    return text % {"names": first_in_sentence(names)}
