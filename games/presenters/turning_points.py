"""The turning points of a finished game: the battles that changed its course, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.map.region_names import region_name
from games.narration.battles import Battle, Turn
from games.narration.cast import Cast
from games.narration.event_sentences import narrate
from games.narration.round_sentences import points_of
from games.narration.vocabulary import card_name
from games.rules import SEASONS, Observation, prizes
from games.rules import events as happened


@dataclass(frozen=True)
class TurningPoint:
    """A battle that changed the course of the game, and why."""

    title: str
    sentences: tuple[str, ...]
    url: str


def most_telling(points: Sequence[TurningPoint], count: int) -> tuple[TurningPoint, ...]:
    """Return the points with the most reasons, the later of equals, and always the last; in order of play."""
    last = len(points) - 1
    ranked = sorted(range(len(points)), key=lambda n: (n == last, len(points[n].sentences), n), reverse=True)
    return tuple(points[n] for n in sorted(ranked[:count]))


def missing(seen: Observation, seat: int) -> int:
    """Return the fewest regions a seat still needs, by the nearer goal."""
    connected = seen.goal_connected - seen.largest_group[seat]
    if seen.goal_total is None:
        return connected
    return min(connected, seen.goal_total - sum(owner == seat for _region, owner in seen.control))


def closest_to_winning(seen: Observation) -> int | None:
    """Return the seat that needs fewer regions than every other; None if it is shared."""
    needs = [missing(seen, seat) for seat in range(seen.players)]
    return needs.index(min(needs)) if needs.count(min(needs)) == 1 else None


def turns_of(
    battle: Battle, before: Observation, after: Observation, closest: int | None, names: Sequence[str]
) -> list[str]:
    """Return why a battle was a turning point, in sentences; empty where it was none.

    It was one in any of these cases. Someone would have won the game by it and did not. A region was taken
    from its holder. A player who was behind won it with their last card. A Winter, Spring or Bishop turned
    the lead for good. Another seat than before became closest to winning (`closest`: the last to be so
    alone). It won the game.
    """
    cast = Cast.of(names)
    taken = _taken(battle, cast)
    denied = _denied(battle, before, cast, is_taken=bool(taken))
    sentences = [taken, denied, _last_card(battle, cast), _turned_by(battle, cast)]
    ends = [event for _ply, event in battle.seen if isinstance(event, happened.GameEnded)]
    # The heading of all that shows turning points says who won, and how.
    decided = [_("This battle decided the game."), *[points_of(event, cast) for event in ends]]
    sentences += decided if ends else [_closer(closest, after, cast)]
    return [sentence for sentence in sentences if sentence]


def _denied(battle: Battle, before: Observation, cast: Cast, *, is_taken: bool) -> str:
    """Return who would have won the game here; who won the region instead, unless a sentence says that."""
    if battle.region is None:
        return ""
    hopeful = [seat for seat in prizes(before).get(battle.region, ()) if seat != battle.winner]
    if not hopeful or battle.winner in prizes(before).get(battle.region, ()):
        return ""
    hoped = _hoped(hopeful, battle.region, cast)
    return hoped if is_taken else " ".join([hoped, _taken_instead(battle.winner, cast)])


def _hoped(seats: Sequence[int], region: str, cast: Cast) -> str:
    if len(seats) == 1:
        return cast.say(
            seats[0],
            # Translators: region is a region of the map.
            _("With %(region)s, you would have won the game."),
            # Translators: name is a player, region is a region of the map.
            _("With %(region)s, %(name)s would have won the game."),
            region=region_name(region),
        )
    # Translators: region is a region of the map; names are players, such as "Anna and Bruno".
    text = _("With %(region)s, any of these players would have won the game: %(names)s.")
    return text % {"region": region_name(region), "names": cast.listed(seats)}


def _taken_instead(winner: int | None, cast: Cast) -> str:
    if winner is None:
        return _("No one took it.")
    # Translators: name is a player; "it" is a region.
    return cast.say(winner, _("You took it instead."), _("%(name)s took it instead."))


def _taken(battle: Battle, cast: Cast) -> str:
    conquest = battle.conquest
    return "" if conquest is None or conquest.lost_by is None else " ".join(narrate([conquest], cast))


def _last_card(battle: Battle, cast: Cast) -> str:
    turn = battle.decisive
    if turn is None or turn.seat is None or turn.seat != battle.winner or turn is not battle.turns[-1]:
        return ""
    if not _was_last_card(battle, turn):
        return ""
    return cast.say(
        turn.seat,
        # Translators: card is a card's name; "it" is a battle.
        _("You won it with the last card in your hand: %(card)s."),
        # Translators: name is a player, card is a card's name; "it" is a battle.
        _("%(name)s won it with their last card: %(card)s."),
        card=card_name(str(turn.card)),
    )


def _was_last_card(battle: Battle, turn: Turn) -> bool:
    """Return whether the player of this card was behind and had no other card."""
    emptied = [ply for ply, event in battle.seen if event == happened.RanOutOfCards(turn.seat or 0)]
    return any(turn.before) and turn.ply in emptied


def _turned_by(battle: Battle, cast: Cast) -> str:
    turn = battle.decisive
    if turn is None or turn.card not in (*SEASONS, "bishop") or turn.led is None or turn.seat is None:
        return ""
    assert battle.winner is not None
    played = cast.say(
        turn.seat,
        # Translators: card is a card's name; "the battle" is the one just named.
        _("You turned the battle with this card: %(card)s."),
        # Translators: name is a player, card is a card's name; "the battle" is the one just named.
        _("%(name)s turned the battle with this card: %(card)s."),
        card=card_name(turn.card),
    )
    led = cast.say_of_two(
        battle.winner,
        turn.led,
        # Translators: other is a player.
        _("Before it %(other)s led, and after it you did."),
        # Translators: name is a player.
        _("Before it you led, and after it %(name)s did."),
        # Translators: name and other are players.
        _("Before it %(other)s led, and after it %(name)s did."),
    )
    return f"{played} {led}"


def _closer(closest: int | None, after: Observation, cast: Cast) -> str:
    now = closest_to_winning(after)
    if now is None or closest is None or now == closest:
        return ""
    needs = missing(after, now)
    leads = cast.say(
        now,
        ngettext(
            "Now you were closest to winning: %(n)d region short.",
            "Now you were closest to winning: %(n)d regions short.",
            needs,
        ),
        # Translators: name is a player.
        ngettext(
            "Now %(name)s was closest to winning: %(n)d region short.",
            "Now %(name)s was closest to winning: %(n)d regions short.",
            needs,
        ),
        n=needs,
    )
    # Translators: name is a player.
    before = cast.say(closest, _("Until then it was you."), _("Until then it was %(name)s."))
    return f"{leads} {before}"
