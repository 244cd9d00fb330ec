"""Changes of a seat's holder in words (R49). Reads stored rows only."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from games.models import SeatChange
from games.narration.cast import Cast
from games.narration.endings import Names
from games.narration.seat_names import bot_name, name_at


def holder_before(change: SeatChange) -> str:
    """Return the previous holder's name: a person's, an anonymous one, or a bot's."""
    if change.before is None:
        return bot_name(change.seat)
    return name_at(change.game.table.anonymity, change.seat, change.before)


def seat_change_text(change: SeatChange, names: Names = ()) -> str:
    """Return a sentence about a change of a seat's holder, read by `to_tell`; `names` are those after it."""
    anonymity = change.game.table.anonymity
    is_you = Cast.of(names).reader == change.seat
    words = {
        "before": first_in_sentence(holder_before(change)),
        "after": change.after.shown_name if change.after else bot_name(change.seat),
    }
    if change.before is None and change.after:
        words["after"] = first_in_sentence(name_at(anonymity, change.seat, change.after))
        return _taken_from_bot(is_you) % words
    was_away = change.after is not None and change.was_away
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
