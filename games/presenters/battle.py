"""The lines of a battle as a page shows them: card strengths, explained totals, and who leads or won.

Plain values only, taken from an observation, never from a State.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from accounts.names import without_bot
from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.vocabulary import card_name
from games.presenters.position import Position
from games.rules import MERCENARIES, SPEC_OF, Observation, Phase, card_strengths, line_strengths, observe
from games.rules import events as happened

# Cards that add their strength to what the Mercenaries count, the strongest first.
_ADDING = sorted(
    [card for card, spec in SPEC_OF.items() if spec.strength and not spec.is_mercenary],
    key=lambda card: -SPEC_OF[card].strength,
)


class CountedCard(NamedTuple):
    """A card in a line.

    `counts` is given where it differs from the number on the card; `is_laid` if it has just been played.
    """

    card: str
    counts: int | None
    is_laid: bool = False


@dataclass(frozen=True)
class LineRow:
    """One seat's line in the battle."""

    seat: int
    name: str
    cards: tuple[str, ...]
    total: int
    leads: bool
    is_out: bool
    is_mine: bool
    has_card_down: bool = False
    down_card: str | None = None  # what lies face down, for those who may know it (R40)
    defends: bool = False
    holds_back: bool = False
    counted: tuple[CountedCard, ...] = ()
    why: str = ""
    hand_size: int = 0
    is_condottiere: bool = False
    is_waited_for: bool = False
    is_level: bool = False  # with another, at the highest total
    won: bool = False  # the battle, which is over
    is_on: bool = False  # the battle

    @property
    def short_name(self) -> str:
        """The player's name; a bot's without the word for it, which stands below."""
        return without_bot(self.name)

    @property
    def is_bot(self) -> bool:
        return self.short_name != self.name

    @property
    def stands_first(self) -> bool:
        return self.leads or self.won

    @property
    def may_still_grow(self) -> bool:
        """Whether its player can still lay a card."""
        return self.is_on and not self.is_out

    @property
    def is_next(self) -> bool:
        """Whether its player plays now, as far as everyone may know."""
        return self.is_on and self.is_waited_for


@dataclass(frozen=True)
class LinesSection:
    """The lines of the battle that goes on, or of the last one."""

    title: str
    rows: tuple[LineRow, ...]
    season_card: str  # the season in play: winter or spring; empty for none
    season: str  # what it does to the totals
    prize: str  # for whom the contested region would win the game
    has_cards_down: bool  # whether a card lies face down, which no total counts (R6, R40)
    is_on: bool  # the battle


def lines_section(position: Position, laid: Mapping[int, int] | None = None) -> LinesSection | None:
    """Return the lines on the table; None without any.

    `laid` says how many cards of a seat are new to the viewer.
    """
    seen = position.seen
    is_on = seen.phase == Phase.BATTLE
    if not is_on and not any(seen.lines):
        return None
    # Someone who looks from another seat's viewpoint is not addressed by its name.
    as_read = replace(seen, seat=None) if position.as_then else seen
    down = [_down_card(position, seat) for seat in range(seen.players)]
    return LinesSection(
        title=_title(seen),
        rows=line_rows(as_read, position.names, down, laid),
        season_card=seen.season or "",
        season=season_text(seen, position.cast),
        prize=prize_of(position),
        has_cards_down=any(seen.face_down),
        is_on=is_on,
    )


def _title(seen: Observation) -> str:
    if seen.final_battle:
        return _("The final battle")
    if not seen.battle:
        return _("Lines of the last battle")
    # Translators: a heading. region is a region of the map.
    return _("The battle for %(region)s") % {"region": region_name(seen.battle)}


def _down_card(position: Position, seat: int) -> str | None:
    """Return a seat's face-down card: for its owner, and for everyone once the game is over (R40)."""
    if position.game.is_over and not position.as_then:
        return observe(position.replay.state, seat).own_face_down
    return position.seen.own_face_down if seat == position.viewer else None


def line_rows(
    seen: Observation,
    names: Sequence[str],
    down: Sequence[str | None],
    laid: Mapping[int, int] | None = None,
) -> tuple[LineRow, ...]:
    """Return a row for each seat that fights; `down` are the face-down cards the viewer may know.

    `laid` says how many cards of a seat are new to the reader.

    Lines that remain after their battle were compared: the sole highest won. When a Bishop stops a battle
    (R43), the lines are put away at once (R46).
    """
    fighters = seen.final_battle or tuple(range(seen.players))
    highest = max(seen.totals[seat] for seat in fighters)
    leaders = [seat for seat in fighters if seen.totals[seat] == highest]
    is_on = seen.phase == Phase.BATTLE
    strengths = card_strengths(seen.lines)
    return tuple(
        LineRow(
            seat=seat,
            name=names[seat],
            cards=seen.lines[seat],
            total=seen.totals[seat],
            leads=is_on and leaders == [seat],
            is_out=seen.passed[seat],
            is_mine=seat == seen.seat,
            has_card_down=seen.face_down[seat],
            down_card=down[seat],
            defends=seat == seen.defender,
            holds_back=seat in seen.holds_back,
            counted=counted_cards(seen.lines[seat], strengths[seat], (laid or {}).get(seat, 0)),
            why=strength_text(seen.lines[seat], strengths[seat], seen.season),
            hand_size=seen.hand_sizes[seat],
            is_condottiere=seat == seen.condottiere,
            is_waited_for=seat in seen.waiting_for,
            is_level=highest > 0 and len(leaders) > 1 and seat in leaders,
            won=not is_on and leaders == [seat],
            is_on=is_on,
        )
        for seat in fighters
    )


def counted_cards(line: Sequence[str], strengths: Sequence[int], laid: int = 0) -> tuple[CountedCard, ...]:
    """Return each card, with its strength where a Mercenary counts another number than its own."""
    return tuple(
        CountedCard(
            card,
            counts if card in MERCENARIES and counts != SPEC_OF[card].strength else None,
            is_laid=place >= len(line) - laid,
        )
        for place, (card, counts) in enumerate(zip(line, strengths, strict=True))
    )


def strength_text(line: Sequence[str], strengths: Sequence[int], season: str | None) -> str:
    """Explain a strength (R6) as a sum, such as "10 + Spring 3 + Heroine 10 = 23".

    Empty where it is the sum of the printed numbers.
    """
    terms = list(filter(None, [_mercenary_terms(line, season), *_other_terms(line, strengths, season)]))
    is_plain = season is None and not {"drummer", *_ADDING} & {*line}
    if is_plain or sum(counts > 0 for counts in strengths) < 2:  # the card itself says what it counts
        return ""
    return f"{' + '.join(terms)} = {sum(strengths)}"


def _mercenary_terms(line: Sequence[str], season: str | None) -> str:
    values = ["1" if season == "winter" else card for card in line if card in MERCENARIES]
    if not values:
        return ""
    text = " + ".join(values)
    if season == "winter" and len(values) > 1:
        text = f"{len(values)} × 1"
    if "drummer" not in line:
        return text
    return f"{card_name('drummer')} 2 × {f'({text})' if len(values) > 1 else text}"


def _other_terms(line: Sequence[str], strengths: Sequence[int], season: str | None) -> list[str]:
    """Return what Spring, Heroines and Courtesans add to the Mercenaries."""
    sentences = []
    if bonus := _bonus_of_spring(line, strengths, season):
        sentences.append(f"{card_name('spring')} {bonus}")
    for card in _ADDING:
        counts = [counted for other, counted in zip(line, strengths, strict=True) if other == card]
        if counts:
            copies = f"{len(counts)} × " if len(counts) > 1 else ""
            sentences.append(f"{card_name(card)} {copies}{counts[0]}")
    return sentences


def _bonus_of_spring(line: Sequence[str], strengths: Sequence[int], season: str | None) -> int:
    if season != "spring":
        return 0
    times = 2 if "drummer" in line else 1
    return sum(
        counts - times * SPEC_OF[card].strength
        for card, counts in zip(line, strengths, strict=True)
        if card in MERCENARIES
    )


def season_text(seen: Observation, names: Sequence[str]) -> str:
    """Explain the season in play and the totals without it; empty where there is none."""
    if seen.season is None:
        return ""
    text = (
        _("Winter: every Mercenary counts 1.")
        if seen.season == "winter"
        else _("Spring: the highest Mercenaries in play count 3 more.")
    )
    changed = [
        (seat, total) for seat, total in enumerate(_without_season(seen)) if total != seen.totals[seat]
    ]
    if not changed:
        return text
    # Translators: strengths is a list of players and numbers, such as "Anna 12, Bruno 9".
    without = _("Strength without it: %(strengths)s.")
    return " ".join([text, without % {"strengths": Cast.of(names).with_values(changed)}])


def _without_season(seen: Observation) -> tuple[int, ...]:
    return line_strengths([tuple(card for card in line if card != seen.season) for line in seen.lines])


def prize_of(position: Position) -> str:
    """Return for whom the contested region would win the game; empty for no one, and between battles.

    It names no one who can't take it any more. What a last pass leads to is said of that pass, so then only
    the reader is named, if they don't have the region by passing.
    """
    seen = position.seen
    if seen.battle is None:
        return ""
    ending = position.choices.ending_of_pass if seen.asked is not None else ()
    if any(isinstance(event, happened.GameEnded) for event in ending):
        return ""
    winners = [seat for seat in position.prizes.get(seen.battle, ()) if _may_take(seen, seat)]
    named = [seat for seat in winners if not ending or seat == seen.seat]
    return prize_text(seen.battle, named, position.cast)


def _may_take(seen: Observation, seat: int) -> bool:
    """Return whether a seat may still take the contested region: a defender also keeps it by a tie (R34)."""
    has_line = bool(seen.lines[seat]) or seen.face_down[seat]
    return has_line or not seen.passed[seat] or seat == seen.defender or seat in seen.final_battle


def prize_text(region: str, winners: Sequence[int], names: Sequence[str]) -> str:
    """Say which of these seats win the game by taking a region; empty for none."""
    if not winners:
        return ""
    cast, name = Cast.of(names), region_name(region)
    if len(winners) == 1:
        return cast.say(
            winners[0],
            # Translators: region is a region of the map.
            _("You would win the game by taking %(region)s."),
            # Translators: name is a player, region is a region of the map.
            _("%(name)s would win the game by taking %(region)s."),
            region=name,
        )
    # Translators: region is a region of the map; names are players, such as "Anna and Bruno".
    text = _("Taking %(region)s would win the game for any of these players: %(names)s.")
    return text % {"region": name, "names": cast.listed(winners)}
