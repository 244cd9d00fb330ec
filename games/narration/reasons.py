"""Why Strategist would make a move: a sentence of facts that the seat knew, or that came of trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from games.narration.cast import Cast
from games.narration.vocabulary import and_cards, card_name, card_names
from games.rules import Move, Observation, Phase


def reasons(seen: Observation, move: Move, facts: Mapping[str, Any], cast: Cast) -> list[str]:
    """Return what speaks for a move of the observing seat, in sentences.

    `facts` are the strengths that were reached in a typical trial, as `Tried.reasons` gives them.
    """
    if seen.phase in (Phase.HAND, Phase.KEEP):
        return [_about_cards(seen, move)]
    cards, season = facts.get("cards", ()), facts.get("season", "")
    told = [_about_battle(seen, move, facts, cards, cast)]
    if season and season not in cards:
        # Translators: season is Winter or Spring, a card in another player's line.
        told.append(_("%(season)s was in play.") % {"season": card_name(season)})
    return told


def _about_cards(seen: Observation, move: Move) -> str:
    """Return what is kept or given up between two battles."""
    if seen.phase == Phase.HAND:
        # Translators: cards is a list of card names such as "Drummer, Winter". A Mercenary has a number.
        return _("The hand has no Mercenary: %(cards)s.") % {"cards": card_names(seen.hand or ())}
    if not move.cards:
        return _("All cards of the next round are then new.")
    # Translators: cards is a list of card names such as "10, Drummer".
    text = _("Kept for the next round: %(cards)s. All other cards are new.")
    return text % {"cards": card_names(move.cards)}


def _about_battle(
    seen: Observation, move: Move, facts: Mapping[str, Any], cards: Sequence[str], cast: Cast
) -> str:
    assert seen.seat is not None
    strengths = [(seen.seat, facts["own"]), (facts["rival"], facts["reach"])]
    if move.card == "bishop" and seen.options.is_1995:
        return _("That ends the battle at once, and no one wins it.")
    if move.card == "surrender" and not seen.options.hides_cards:  # nothing is left to imagine
        # Translators: strengths is a list of players and numbers, such as "Anna 12, Bruno 9".
        text = _("That ends the battle at once. Strengths: %(strengths)s.")
        return text % {"strengths": cast.with_values(strengths)}
    if not facts["own"] and facts["reach"] and facts.get("is_rivals", True):
        return _left_to(facts["rival"], facts["reach"], cast)
    return _reached(strengths, cards, cast)


def _left_to(rival: int, reach: int, cast: Cast) -> str:
    return cast.say(
        rival,
        # Translators: reach is the strength of the reader's line. "That" is a move of another player.
        _("In a typical trial, that left the battle to you, with a strength of %(reach)d."),
        # Translators: name is a player, reach is the strength of their line. "That" is a move.
        _("In a typical trial, that left the battle to %(name)s, with a strength of %(reach)d."),
        reach=reach,
    )


def _reached(strengths: Sequence[tuple[int, int]], cards: Sequence[str], cast: Cast) -> str:
    """Return how strong the seat and its strongest rival became in the battle."""
    (seat, own), (rival, reach) = strengths
    if not own and not reach:
        return _("In a typical trial, no one then had any strength.")
    if not cards:
        return cast.say_of_two(
            seat,
            rival,
            # Translators: other is a player, own and reach are strengths of lines.
            _("In a typical trial, you then reached %(own)d and %(other)s %(reach)d."),
            # Translators: name is a player, own and reach are strengths of lines.
            _("In a typical trial, %(name)s then reached %(own)d and you %(reach)d."),
            # Translators: name and other are players, own and reach are strengths of lines.
            _("In a typical trial, %(name)s then reached %(own)d and %(other)s %(reach)d."),
            own=own,
            reach=reach,
        )
    if not reach:
        return cast.say(
            seat,
            # Translators: cards is a list such as "10 and Drummer".
            _("In a typical trial, your %(cards)s then met no other strength."),
            # Translators: name is a player; cards is a list such as "10 and Drummer".
            _("In a typical trial, %(name)s’s %(cards)s then met no other strength."),
            cards=and_cards(cards),
        )
    return cast.say_of_two(
        seat,
        rival,
        # Translators: other is a player; own and reach are strengths; cards is a list, "10 and Drummer".
        _("In a typical trial, %(other)s then reached %(reach)d; your %(cards)s made %(own)d."),
        # Translators: name is a player; own and reach are strengths; cards is a list, "10 and Drummer".
        _("In a typical trial, you then reached %(reach)d; %(name)s’s %(cards)s made %(own)d."),
        # Translators: name and other are players; own and reach are strengths; cards: "10 and Drummer".
        _("In a typical trial, %(other)s then reached %(reach)d; %(name)s’s %(cards)s made %(own)d."),
        own=own,
        reach=reach,
        cards=and_cards(cards),
    )
