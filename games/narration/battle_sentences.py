"""Sentences for battles: the region, passes, the result and the Condottiere token."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.rules import events as happened


def region_chosen(event: happened.RegionChosen, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map, such as "Roma".
        _("You chose to fight for %(region)s."),
        # Translators: name is a player, region is a region of the map, such as "Roma".
        _("%(name)s chose to fight for %(region)s."),
        region=region_name(event.region),
    )


def passed(event: happened.Passed, cast: Cast) -> str:
    # Translators: name is a player.
    return cast.say(event.seat, _("You passed."), _("%(name)s passed."))


def held_back(event: happened.HeldBack, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You passed, but as the defender you stay in the battle."),
        # Translators: name is a player.
        _("%(name)s passed, but as the defender stays in the battle."),
    )


def ran_out_of_cards(event: happened.RanOutOfCards, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You have no cards left, so you leave this battle."),
        # Translators: name is a player.
        _("%(name)s has no cards left and leaves this battle."),
    )


def battle_compared(event: happened.BattleCompared, cast: Cast) -> str:
    strengths = cast.with_values(enumerate(event.totals))
    if event.region is None:
        # Translators: strengths is a list of players and numbers, such as "Anna 12, Bruno 9".
        return _("The final battle is over. Strength: %(strengths)s.") % {"strengths": strengths}
    # Translators: region is a region of the map; strengths is a list such as "Anna 12, Bruno 9".
    return _("The battle for %(region)s is over. Strength: %(strengths)s.") % {
        "region": region_name(event.region),
        "strengths": strengths,
    }


def battle_stopped(event: happened.BattleStopped, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("The Bishop ended the battle for %(region)s at once. No one won it.") % {
        "region": region_name(event.region)
    }


def region_conquered(event: happened.RegionConquered, cast: Cast) -> str:
    if event.lost_by is not None:
        return cast.say_of_two(
            event.seat,
            event.lost_by,
            # Translators: region is a region of the map, other is the player who held it.
            _("You took %(region)s, which %(other)s held."),
            # Translators: name is a player, region is a region of the map.
            _("%(name)s took %(region)s, which you held."),
            # Translators: name is a player, region is a region of the map, other is the player who held it.
            _("%(name)s took %(region)s, which %(other)s held."),
            region=region_name(event.region),
        )
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You took %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s took %(region)s."),
        region=region_name(event.region),
    )


def region_defended(event: happened.RegionDefended, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You kept %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s kept %(region)s."),
        region=region_name(event.region),
    )


def nobody_conquered(event: happened.NobodyConquered, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("No one took %(region)s.") % {"region": region_name(event.region)}


def condottiere_handed(event: happened.CondottiereHanded, cast: Cast) -> str:
    match event.why:
        case "courtesans":
            return cast.say(
                event.seat,
                _("You had the most Courtesans and became the Condottiere."),
                # Translators: name is a player; Courtesan is a card; the Condottiere has that token.
                _("%(name)s had the most Courtesans and became the Condottiere."),
            )
        case "winner":
            return cast.say(
                event.seat,
                _("You won, so you became the Condottiere."),
                # Translators: name is a player; the Condottiere is the player with that token.
                _("%(name)s won and became the Condottiere."),
            )
        case "defender":
            return cast.say(
                event.seat,
                _("You defended the region, so you became the Condottiere."),
                # Translators: name is a player; the Condottiere is the player with that token.
                _("%(name)s defended the region and became the Condottiere."),
            )
        case "chooser":
            return cast.say(
                event.seat,
                _("You stayed the Condottiere."),
                # Translators: name is a player; the Condottiere is the player with that token.
                _("%(name)s stayed the Condottiere."),
            )
    return cast.say(
        event.seat,
        _("The Condottiere token passed to the left, so you became the Condottiere."),
        # Translators: name is a player.
        _("The Condottiere token passed to the left, so %(name)s became the Condottiere."),
    )


def lines_discarded(event: happened.LinesDiscarded, cast: Cast) -> str:
    """Return nothing: the sentences before and after say it already."""
    return ""
