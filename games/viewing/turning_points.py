"""The battles after which a finished game went another way, and why, in sentences. Writes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.rules import Observation, prizes, region_name
from games.rules import events as happened
from games.telling.battles import SEASONS, Battle, Turn
from games.telling.narration import and_list, narrate
from games.telling.vocabulary import card_name


@dataclass(frozen=True)
class TurningPoint:
    """A battle after which the game went another way, and why it is one."""

    title: str
    sentences: tuple[str, ...]
    url: str


def most_telling(points: Sequence[TurningPoint], count: int) -> tuple[TurningPoint, ...]:
    """The points of which most is to be said, the later of equals, and always the last; in the order of
    play."""
    last = len(points) - 1
    ranked = sorted(range(len(points)), key=lambda n: (n == last, len(points[n].sentences), n), reverse=True)
    return tuple(points[n] for n in sorted(ranked[:count]))


def missing(seen: Observation, seat: int) -> int:
    """How many regions a seat still needs at the least, by whichever goal is nearer."""
    connected = seen.goal_connected - seen.largest_group[seat]
    if seen.goal_total is None:
        return connected
    return min(connected, seen.goal_total - sum(owner == seat for _region, owner in seen.control))


def closest_to_winning(seen: Observation) -> int | None:
    """The seat that needs fewer regions than every other; None where several need as few."""
    needs = [missing(seen, seat) for seat in range(seen.players)]
    return needs.index(min(needs)) if needs.count(min(needs)) == 1 else None


def turns_of(
    battle: Battle, before: Observation, after: Observation, closest: int | None, names: Sequence[str]
) -> list[str]:
    """Why a battle was a turning point, in sentences; empty where it was none.

    It was one if somebody would have won the game by it and did not; if a region was taken from its holder;
    if one who was behind won it with the last card he had; if a Winter, Spring or Bishop turned the lead for
    good; if another than before was now closest to winning (`closest`, who was so alone last); or if it won
    the game.
    """
    told = [_denied(battle, before, names), _taken(battle, names), _last_card(battle, names)]
    told.append(_turned_by(battle, names))
    won = [event for _ply, event in battle.seen if isinstance(event, happened.GameEnded)]
    told += narrate(won, names) if won else [_closer(closest, after, names)]
    return [sentence for sentence in told if sentence]


def _denied(battle: Battle, before: Observation, names: Sequence[str]) -> str:
    if battle.region is None:
        return ""
    hopeful = [seat for seat in prizes(before).get(battle.region, ()) if seat != battle.winner]
    if not hopeful or battle.winner in prizes(before).get(battle.region, ()):
        return ""
    words = {"names": and_list([names[seat] for seat in hopeful]), "region": region_name(battle.region)}
    if battle.winner is None:
        return _("%(names)s would have won the game with %(region)s; nobody took it.") % words
    words["winner"] = names[battle.winner]
    return _("%(names)s would have won the game with %(region)s; it went to %(winner)s.") % words


def _taken(battle: Battle, names: Sequence[str]) -> str:
    conquest = battle.conquest
    if conquest is None or conquest.lost_by is None:
        return ""
    return _("%(name)s took %(region)s from %(loser)s.") % {
        "name": names[conquest.seat],
        "region": region_name(conquest.region),
        "loser": names[conquest.lost_by],
    }


def _last_card(battle: Battle, names: Sequence[str]) -> str:
    turn = battle.decisive
    if turn is None or turn.seat is None or turn.seat != battle.winner or turn is not battle.turns[-1]:
        return ""
    if not _was_his_last(battle, turn):
        return ""
    words = {"name": names[turn.seat], "card": card_name(str(turn.card))}
    return _("%(name)s won it with the last card in hand, %(card)s.") % words


def _was_his_last(battle: Battle, turn: Turn) -> bool:
    """Whether who played this card was behind, and had no other."""
    emptied = [ply for ply, event in battle.seen if event == happened.RanOutOfCards(turn.seat or 0)]
    return any(turn.before) and turn.ply in emptied


def _turned_by(battle: Battle, names: Sequence[str]) -> str:
    turn = battle.decisive
    if turn is None or turn.card not in (*SEASONS, "bishop") or turn.led is None or turn.seat is None:
        return ""
    assert battle.winner is not None
    words = {
        "owner": names[turn.seat],
        "card": card_name(turn.card),
        "before": names[turn.led],
        "name": names[battle.winner],
    }
    return _("%(owner)s's %(card)s turned the lead from %(before)s to %(name)s.") % words


def _closer(closest: int | None, after: Observation, names: Sequence[str]) -> str:
    now = closest_to_winning(after)
    if now is None or closest is None or now == closest:
        return ""
    needs = missing(after, now)
    words = {"name": names[now], "before": names[closest], "n": needs}
    told = ngettext(
        "Now %(name)s, no longer %(before)s, was closest to winning: %(n)d region short.",
        "Now %(name)s, no longer %(before)s, was closest to winning: %(n)d regions short.",
        needs,
    )
    return told % words
