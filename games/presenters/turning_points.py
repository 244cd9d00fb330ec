"""The turning points of a finished game, and what each player fought for and gained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.narration.battles import Battle, Turn
from games.narration.moves import and_list, narrate
from games.narration.vocabulary import card_name
from games.rules import SEASONS, Observation, prizes, region_name
from games.rules import events as happened


@dataclass(frozen=True)
class Gains:
    """What one seat fought for and gained: its regions gained and lost by part; empty for neither."""

    seat: int
    name: str
    regions: tuple[str, ...]
    connected: int
    fought: int
    won: int
    cards: int
    parts: tuple[tuple[str, str], ...]
    has_won: bool

    @property
    def holding(self) -> str:
        """What the seat held at the end, in a phrase."""
        count = len(self.regions)
        told = ngettext("%(n)d region", "%(n)d regions", count) % {"n": count}
        if self.connected > 1:
            told = _("%(regions)s, %(n)d connected") % {"regions": told, "n": self.connected}
        return told

    @property
    def summary(self) -> str:
        """Battles and cards in a sentence."""
        words = {
            "fought": ngettext("Fought in %(n)d battle", "Fought in %(n)d battles", self.fought)
            % {"n": self.fought},
            "won": ngettext("won %(n)d", "won %(n)d", self.won) % {"n": self.won},
            "cards": ngettext("played %(n)d card", "played %(n)d cards", self.cards) % {"n": self.cards},
        }
        return _("%(fought)s, %(won)s, %(cards)s.") % words

    @property
    def victories(self) -> str:
        """Battles won, out of those the seat fought in."""
        return _("%(won)d of %(fought)d") % {"won": self.won, "fought": self.fought}


def gained_by(seat: int, battles: Sequence[Battle]) -> str:
    """Return the regions that a seat gained and lost in these battles; empty for neither."""
    conquests = [battle.conquest for battle in battles if battle.conquest]
    gained = [region_name(conquest.region) for conquest in conquests if conquest.seat == seat]
    lost = [region_name(conquest.region) for conquest in conquests if conquest.lost_by == seat]
    told = [", ".join(gained)] if gained else []
    if lost:
        told.append(_("lost %(regions)s") % {"regions": ", ".join(lost)})
    return "; ".join(told)


# Turning points: the battles that changed the course of a finished game, and why


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
    """Return whether the player of this card was behind and had no other card."""
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
