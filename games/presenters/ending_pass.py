"""What a pass leads to once everyone else has passed, and which cards no longer change that.

Gets observations and previewed events, never a State. Nothing is said while another's card lies face down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.foretelling import foretell
from games.orders import LISTED, rivals
from games.rules import MERCENARIES, SPEC_OF, Observation, Phase, line_strengths, parse_move, sole_highest
from games.rules import events as happened

_Lines = tuple[tuple[str, ...], ...]

PASS = parse_move("pass")
_FATES = (happened.RegionConquered, happened.RegionDefended, happened.NobodyConquered)
_SEASONS = frozenset({"winter", "spring"})
# With one of these, cards that are too weak now may still help.
_TURNING = _SEASONS | {"bishop", "scarecrow"}


def ending_of_pass(foreseen: Sequence[happened.Event]) -> tuple[happened.Event, ...]:
    """Return what becomes of the region and the game by a pass with these events; empty if unknown."""
    if not any(isinstance(event, happened.BattleCompared) for event in foreseen):
        return ()
    return tuple(event for event in foreseen if isinstance(event, (*_FATES, happened.GameEnded)))


def pass_gist(ending: Sequence[happened.Event], names: Sequence[str]) -> str:
    """Return the last of it in a short sentence, to write on the answer to pass."""
    return " ".join(foretell(ending[-1:], names))


def pass_sentence(ending: Sequence[happened.Event], names: Sequence[str]) -> str:
    """Return what the reader decides once everyone else has passed: what they get by passing too."""
    told, cast = ending[-1], Cast.of(names)
    match told:
        case happened.GameEnded(winners=(winner,)):
            # Translators: name is a player.
            you, name = _("You win the game if you pass."), _("%(name)s wins the game if you pass.")
            text = cast.say(winner, you, name)
        case happened.GameEnded(winners=winners):
            # Translators: names are players, such as "You and Anna".
            you = pgettext("the reader and others", "%(names)s share the victory if you pass.")
            # Translators: names are players, such as "Anna and Bruno".
            text = cast.say_of_several(winners, you, _("%(names)s share the victory if you pass."))
        case _:
            text = _region_goes(told, cast)
    passed = _("Everyone else has passed.")
    return f"{passed} {text}"


def _region_goes(fate: happened.Event, cast: Cast) -> str:
    match fate:
        case happened.RegionConquered(seat=seat, region=region):
            return cast.say(
                seat,
                # Translators: region is a region of the map.
                _("%(region)s is yours if you pass."),
                # Translators: name is a player, region is a region of the map.
                _("%(name)s takes %(region)s if you pass."),
                region=region_name(region),
            )
        case happened.RegionDefended(seat=seat, region=region):
            return cast.say(
                seat,
                # Translators: region is a region of the map.
                _("You keep %(region)s if you pass."),
                # Translators: name is a player, region is a region of the map.
                _("%(name)s keeps %(region)s if you pass."),
                region=region_name(region),
            )
    assert isinstance(fate, happened.NobodyConquered)
    # Translators: region is a region of the map.
    return _("No one takes %(region)s if you pass.") % {"region": region_name(fate.region)}


class _End(NamedTuple):
    """What the lines decide: who is strongest, or keeps the region, and who has most Courtesans."""

    takers: tuple[int, ...]  # empty if no one takes the region
    courtesans: int | None


def settled_cards(seen: Observation) -> frozenset[str]:
    """Return the cards that no longer change how the battle ends, in whichever number they are played.

    Someone who takes the region by passing needs no card; more Courtesans may still win them the token.
    """
    if not _ends_by_pass(seen):
        return frozenset()
    lines, hand = _lines(seen), {*(seen.hand or ())}
    now, ends = (
        _end_if_compared(seen, lines),
        [_end_if_compared(seen, reached) for reached in _reachable(seen, lines)],
    )
    settled = {"surrender"}  # it compares at once, as the pass does (R12)
    if now.takers == (seen.seat,):
        settled |= {
            card for card in _SEASONS if _end_if_compared(seen, _with_season(lines, seen, card)) == now
        }
    elif _TURNING & hand:
        return frozenset(settled & hand)
    if all(end.takers == now.takers for end in ends):
        settled |= LISTED if all(end == now for end in ends) else LISTED - {"courtesan"}
    return frozenset(settled & hand)


def _ends_by_pass(seen: Observation) -> bool:
    """Return whether the observing seat is the last in the battle and knows all cards in it (R40)."""
    is_asked = seen.asked is not None and seen.asked.kind == Phase.BATTLE
    others = [down for seat, down in enumerate(seen.face_down) if seat != seen.seat]
    return is_asked and not rivals(seen) and not any(others)


def settled_sentence() -> str:
    """Return why such a card changes nothing."""
    return _("Everyone else has passed: this card no longer changes how the battle ends.")


def _lines(seen: Observation) -> _Lines:
    """Return the lines as they are compared: with what the observing seat has face down."""
    assert seen.seat is not None
    down = () if seen.own_face_down is None else (seen.own_face_down,)
    return _with(seen.lines, seen, down)


def _with(lines: _Lines, seen: Observation, cards: tuple[str, ...]) -> _Lines:
    """Return the lines with more cards in that of the observing seat."""
    assert seen.seat is not None
    return (*lines[: seen.seat], (*lines[seen.seat], *cards), *lines[seen.seat + 1 :])


def _with_season(lines: _Lines, seen: Observation, season: str) -> _Lines:
    """Return the lines with a season played, which discards the other one (R7)."""
    swept = tuple(tuple(card for card in line if card not in _SEASONS) for line in lines)
    return _with(swept, seen, (season,))


def _reachable(seen: Observation, lines: _Lines) -> Iterator[_Lines]:
    """Yield the weakest and the strongest lines the seat can reach; all others end as one of them does.

    More cards never make a line weaker, except that in Spring a higher Mercenary takes the bonus of the
    highest from others (R8): then each highest Mercenary has a weakest and a strongest line of its own.
    """
    cards = tuple(card for card in seen.hand or () if card in LISTED)
    if seen.season != "spring":
        yield _with(lines, seen, cards)
        return
    highest = max((_strength(card) for line in lines for card in line), default=0)
    for top in {highest, *map(_strength, cards)}:
        if top >= highest:
            first = [card for card in cards if _strength(card) == top > highest]
            yield _with(lines, seen, tuple(first[:1]))
            yield _with(lines, seen, tuple(card for card in cards if _strength(card) <= top))


def _strength(card: str) -> int:
    """Return the printed value of a Mercenary; 0 for other cards, which never take the bonus."""
    return SPEC_OF[card].strength if card in MERCENARIES else 0


def _end_if_compared(seen: Observation, lines: _Lines) -> _End:
    """Return how the battle ends if the lines are compared (R13, R14, R21, R34)."""
    strengths = line_strengths(lines)
    courtesans = sole_highest(tuple(line.count("courtesan") for line in lines))
    if seen.final_battle:
        highest = max(strengths[seat] for seat in seen.final_battle)
        return _End(tuple(seat for seat in seen.final_battle if strengths[seat] == highest), None)
    winner = sole_highest(strengths)
    taker = seen.defender if winner is None else winner
    return _End(() if taker is None else (taker,), courtesans)
