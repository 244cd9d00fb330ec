"""What a move leads to, in sentences, before it is made. Gets previewed events only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.moves import WORDS, Narrated, merge_deals
from games.narration.vocabulary import card_name
from games.rules import events as happened

Names = Sequence[str]


def foretell(events: Iterable[Narrated], names: Names) -> list[str]:
    """Return what will happen, as `narrate` does for what has happened."""
    cast, words = Cast.of(names), WORDS | _AHEAD
    return [text for event in merge_deals(events) if (text := words[type(event)](event, cast))]


def _season_will_go(event: happened.SeasonSwept, cast: Cast) -> str:
    words = {"card": card_name(event.season), "names": cast.listed(event.seats)}
    # Translators: card is Winter or Spring, names are the players whose lines have it.
    return _("%(card)s will be discarded from these lines: %(names)s.") % words


def _mercenaries_will_go(event: happened.MercenariesRemoved, cast: Cast) -> str:
    if not event.losses:
        return _("There is no Mercenary for the Bishop to remove.")
    losses = [(seat, f"{count} × {card_name(str(event.value))}") for seat, count in event.losses]
    # Translators: losses is a list of players with a number of equal cards each.
    return _("The Bishop will remove: %(losses)s.") % {"losses": cast.with_values(losses)}


def _battle_will_stop(event: happened.BattleStopped, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("The Bishop will end the battle for %(region)s at once. No one will win it.") % {
        "region": region_name(event.region)
    }


def _will_conquer(event: happened.RegionConquered, cast: Cast) -> str:
    region = region_name(event.region)
    if event.lost_by is not None:
        return cast.say_of_two(
            event.seat,
            event.lost_by,
            # Translators: region is a region of the map, other is the player who holds it.
            _("You will take %(region)s, which %(other)s holds."),
            # Translators: name is a player, region is a region of the map.
            _("%(name)s will take %(region)s, which you hold."),
            # Translators: name is a player, region is a region of the map, other is the player who holds it.
            _("%(name)s will take %(region)s, which %(other)s holds."),
            region=region,
        )
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You will take %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s will take %(region)s."),
        region=region,
    )


def _will_defend(event: happened.RegionDefended, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You will keep %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s will keep %(region)s."),
        region=region_name(event.region),
    )


def _nobody_will_conquer(event: happened.NobodyConquered, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("No one will take %(region)s.") % {"region": region_name(event.region)}


def _will_be_condottiere(event: happened.CondottiereHanded, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You will be the Condottiere."),
        # Translators: name is a player; the Condottiere is the player with that token.
        _("%(name)s will be the Condottiere."),
    )


def _will_win(event: happened.GameEnded, cast: Cast) -> str:
    if len(event.winners) == 1:
        # Translators: name is a player.
        return cast.say(event.winners[0], _("You will win the game."), _("%(name)s will win the game."))
    return cast.say_of_several(
        event.winners,
        # Translators: names are the other winners, such as "Anna and Bruno".
        _("You and %(names)s will share the victory."),
        # Translators: names are players, such as "Anna and Bruno".
        _("%(names)s will share the victory."),
    )


_AHEAD: dict[type[Narrated], Callable[..., str]] = {
    happened.SeasonSwept: _season_will_go,
    happened.MercenariesRemoved: _mercenaries_will_go,
    happened.BattleStopped: _battle_will_stop,
    happened.RegionConquered: _will_conquer,
    happened.RegionDefended: _will_defend,
    happened.NobodyConquered: _nobody_will_conquer,
    happened.CondottiereHanded: _will_be_condottiere,
    happened.GameEnded: _will_win,
}
