"""Show cards from one's hand to a channel: the site attests that they are held (R24).

No cards change hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.rate_limits import hit
from games.chat.models import Channel, Message, ShownCards
from games.chat.services.channels import begin_channel
from games.chat.services.message_emails import readers_of
from games.chat.services.messages import TooMany, add
from games.models import Game, Seat, Table
from games.models.locking import locked_seat
from games.models.replay import replayed
from games.rules import State, observe
from games.services import Refused

MOST_SHOWN_A_DAY = 50


def why_not_shown(table: Table, seat: Seat, game: Game | None) -> str:
    """Return why this person can show no cards now, whatever the chat settings; empty if they can.

    `game` is the current or last game at the table.
    """
    if not table.shows_cards:
        return _("This table’s settings don’t allow showing cards.")
    if game is None:
        return _("The game has not started, so no one has cards yet.")
    if game.is_over:
        return _("The game is over, so you can’t show cards.")
    if seat.played_by_bot:
        return _("A bot plays your hand while you are away. To show cards, come back to the game first.")
    return ""


def hand_of(state: State, seat: Seat) -> tuple[str, ...]:
    """Return the cards in this seat's hand, as the seat sees them, in the order of the rules."""
    return observe(state, seat.number).hand or ()


@transaction.atomic
def show_cards(
    seat: Seat, cards: Sequence[str], channel: Channel | None = None, others: Iterable[Seat] = ()
) -> Message:
    """Show cards held at this moment to a channel, or to the people of other seats.

    The same cards to the same channel, before anything visible to everyone happens, are a second click and
    return the first message. Raises Refused if they can't be shown, and TooMany.
    """
    game, seat = locked_seat(seat)
    _require_showing(game, seat)
    channel = channel if channel is not None else begin_channel(seat, others, why_not=_any_channel)
    _require_readers(channel, seat)
    state = replayed(game).state
    twice = _shown_already(channel, game, state, seat, cards)
    if twice is not None:
        return twice
    held = _held(cards, hand_of(state, seat))
    _count_showing(seat)
    message = add(channel, author=seat.person, kind=Message.Kind.SHOWN)
    ShownCards.objects.create(
        message=message, game=game, seat=seat.number, cards=held, ply=state.ply, step=state.step
    )
    return message


def _require_showing(game: Game, seat: Seat) -> None:
    why = why_not_shown(game.table, seat, game)
    if why:
        raise Refused(why)


def _any_channel(_channel: Channel, _table: Table) -> str:
    """Return no objection: a channel may begin with cards even if the settings allow no words."""
    return ""


def _require_readers(channel: Channel, seat: Seat) -> None:
    """Check that another person is there to see the cards. Bots don't count."""
    if channel.table_id != seat.table_id or channel.is_epilogue:
        raise Refused(_("You can’t show cards there. Choose another channel."))
    readers = {reader.pk for reader in readers_of(channel)}
    if channel.is_private and seat.user_id not in readers:
        raise Refused(_("You are not in that channel. Choose another."))
    if not readers - {seat.user_id}:
        raise Refused(_("No other player is there to see your cards. You can’t show cards to bots."))


def _shown_already(
    channel: Channel, game: Game, state: State, seat: Seat, cards: Sequence[str]
) -> Message | None:
    if channel._state.adding:
        return None
    shown = ShownCards.objects.filter(
        message__channel=channel, message__author=seat.user, game=game, seat=seat.number, step=state.step
    )
    for one in shown.select_related("message__channel"):
        if Counter(one.cards) == Counter(cards):
            return one.message
    return None


def _held(cards: Sequence[str], hand: tuple[str, ...]) -> list[str]:
    """Return the cards in the order of the rules. Raises Refused for cards that are not held."""
    if not cards:
        raise Refused(_("Choose the cards that you want to show."))
    missing = Counter(cards) - Counter(hand)
    if missing:
        raise Refused(_("You no longer hold all of these cards. Choose from your hand as it is now."))
    left, held = Counter(cards), list[str]()
    for card in hand:
        if left[card]:
            left[card] -= 1
            held.append(card)
    return held


def _count_showing(seat: Seat) -> None:
    if not hit("show", str(seat.person.pk), MOST_SHOWN_A_DAY):
        said = _("You have reached the daily limit for showing cards (%(most)d). Show more tomorrow.")
        raise TooMany(said % {"most": MOST_SHOWN_A_DAY})
