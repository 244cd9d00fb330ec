"""The analysis of a finished game: a chart of chances, its table, and the decisions that cost most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.bots.analysis import LEAST_LOSS, Cost, costliest
from games.models import Analysis, SeatChange
from games.models.replay import replayed
from games.narration.battles import Battle, battles_in
from games.narration.cast import Cast
from games.narration.move_names import move_name
from games.narration.reasons import reasons
from games.narration.times import changes_since, names_at
from games.presenters.reading import Reading
from games.rules import Replay, observe, parse_move

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 44, 632, 10, 212  # the edges of what is drawn
ACROSS = (0, 25, 50, 75, 100)  # per cent
APART = 30  # so that two numbers below don't touch, even on a phone


@dataclass(frozen=True)
class CostlyDecision:
    """A decision that cost its seat much of its chance to win."""

    seat: int
    name: str
    url: str  # of the position before it
    battle: str  # its title; empty before the first
    made: str
    sentences: tuple[str, ...]
    openly: str = ""  # what is said with all hands open


class AnalysedMove(NamedTuple):
    """A row of the table: an entry of the log, and each seat's chance after it in per cent."""

    number: int
    url: str
    name: str
    move: str
    chances: Sequence[int]


class AnalysedBattle(NamedTuple):
    """A part of the table; number 0 and no title before the first battle."""

    number: int
    title: str
    rows: list[AnalysedMove]


@dataclass(frozen=True)
class AnalysisPage:
    """What a reader of a finished game sees of its analysis."""

    reading: Reading
    found: Analysis | None

    @property
    def can_be_asked(self) -> bool:
        """Whether the reader's button asks for it: none is whole or on its way, and the reader had a seat."""
        is_needed = self.found is None or self.found.has_gaps
        is_possible = settings.STRATEGIST and settings.ANALYSES_A_DAY > 0 and self.reading.may_ask_analysis
        return is_needed and is_possible and self._moves > 0

    @property
    def is_waiting(self) -> bool:
        return self.found is not None and self.found.ended_at is None and settings.STRATEGIST

    @property
    def progress(self) -> str:
        """How far it has got."""
        assert self.found is not None
        words = {"done": len(self.found.judged), "all": self._moves}
        return _("Strategist is thinking. Moves judged: %(done)d of %(all)d.") % words

    @property
    def _moves(self) -> int:
        """How many moves there are to judge."""
        moves = self._replay.plies[self.reading.game.copied_entries :]
        return sum(entry.seat is not None for entry in moves)

    @cached_property
    def _replay(self) -> Replay:
        return replayed(self.reading.game)

    @cached_property
    def judged(self) -> list[dict[str, Any]]:
        """The moves that could be judged, once the analysis has ended."""
        is_finished = self.found is not None and self.found.ended_at is not None
        return [one for one in self.found.judged if "chances" in one] if self.found and is_finished else []

    @property
    def has_failed(self) -> bool:
        """Whether there is no result, and none is on its way."""
        return self.found is not None and not self.is_waiting and not self.judged

    @cached_property
    def costliest(self) -> list[CostlyDecision]:
        by_ply = {one["ply"]: one for one in self.judged if "loss" in one}
        costs = costliest([Cost(ply, one["loss"]) for ply, one in by_ply.items()])
        return [self._costly(by_ply[cost.ply]) for cost in costs]

    def _costly(self, one: dict[str, Any]) -> CostlyDecision:
        names, seat, ply, best_move = self.reading.names, one["seat"], one["ply"], parse_move(one["best"])
        made, best = move_name(self._replay.plies[ply].move, names), move_name(best_move, names)
        # Translators: made and best are labels of buttons, such as "Play Winter" and "Pass".
        said = _("Made: “%(made)s”. Strategist’s choice: “%(best)s”.") % {"made": made, "best": best}
        url = self.reading.position_url(ply) + f"?as={seat + 1}"
        battle = self._battles[self._battle_number(ply) - 1].title if self._battle_number(ply) else ""
        why = reasons(observe(self._replay.states[ply], seat), best_move, one, self._cast_at(ply))
        sentences = (said, *why, _chance(one))
        openly = _with_open_hands(one["open"], names) if "open" in one else ""
        return CostlyDecision(seat, names[seat], url, battle, made, sentences, openly)

    def _cast_at(self, ply: int) -> Cast:
        """Return the players of an entry, of whom one may be the reader."""
        cast = Cast(self.reading.names, self.reading.seat)
        return names_at(ply, self.reading.game, cast, self._changes) if self._changes else cast

    @cached_property
    def _changes(self) -> list[SeatChange]:
        return changes_since(self.reading.game)

    @cached_property
    def _battles(self) -> tuple[Battle, ...]:
        return battles_in([entry.events for entry in self._replay.plies])

    def _battle_number(self, ply: int) -> int:
        """Return which battle an entry belongs to; 0 before the first."""
        return sum([battle.first <= ply for battle in self._battles])

    @cached_property
    def _course(self) -> list[tuple[int, Sequence[float]]]:
        """The entries that were judged, each with every seat's chance to win after it."""
        return [(one["ply"], one["chances"]) for one in self.judged]

    @property
    def parts(self) -> list[AnalysedBattle]:
        """The table, a part for each battle."""
        parts = [AnalysedBattle(0, "", [])]
        parts += [AnalysedBattle(battle.number, battle.title, []) for battle in self._battles]
        for ply, chances in self._course:
            parts[self._battle_number(ply)].rows.append(self._row(ply, chances))
        return [part for part in parts if part.rows]

    def _row(self, ply: int, chances: Sequence[float]) -> AnalysedMove:
        entry, names = self._replay.plies[ply], self.reading.names
        assert entry.seat is not None
        percent = [round(100 * chance) for chance in chances]
        url = self.reading.position_url(ply + 1)
        return AnalysedMove(ply + 1, url, names[entry.seat], move_name(entry.move, names), percent)

    @property
    def chart(self) -> SafeString:
        """Return the chances of all seats as lines; colours and sizes are the style sheet's."""
        if len(self._course) < 2:
            return SafeString("")
        place = _Across(self._course[0][0], self._course[-1][0])
        lines = [
            (seat, _points([(place.x(ply), _y(100 * chances[seat])) for ply, chances in self._course]))
            for seat in range(self.reading.game.players)
        ]
        borders = [(place.x(one.first), one.number) for one in self._battles if one.first >= place.first]
        numbers = _spread(borders)
        return format_html(
            '<svg class="chances" viewBox="0 0 {} {}" role="img" aria-labelledby="chances-title">'
            '<title id="chances-title">{}</title>{}{}{}{}{}</svg>',
            WIDTH,
            HEIGHT,
            _("Chance of each player to win after every move, in per cent, and where each battle begins"),
            format_html_join(
                "", '<path class="across" d="M{} {}H{}"/>', [(LEFT, _y(line), RIGHT) for line in ACROSS]
            ),
            format_html_join(
                "",
                '<text class="at-side" x="{}" y="{}">{}</text>',
                [(LEFT - 5, _y(line) + 4, line) for line in ACROSS],
            ),
            format_html_join(
                "",
                '<path class="across" d="M{} {}V{}"/>',
                [(x, TOP, BOTTOM) for x, _number in borders],
            ),
            format_html_join(
                "",
                '<text class="below" x="{}" y="{}">{}</text>',
                [(x, HEIGHT - 6, number) for x, number in numbers],
            ),
            format_html_join(
                "",
                '<polyline class="edge" points="{}"/><polyline class="course seat-{}" points="{}"/>',
                [(points, seat, points) for seat, points in lines],
            ),
        )

    @property
    def columns(self) -> int:
        """How many columns the table has: entry, player and move, and one for each seat."""
        return 3 + self.reading.game.players

    @property
    def legend(self) -> list[tuple[int, str]]:
        return list(enumerate(self.reading.names))


def analysis_page(reading: Reading) -> AnalysisPage:
    """Return what this reader sees of the analysis of their game."""
    return AnalysisPage(reading, Analysis.objects.filter(game=reading.game).first())


def _with_open_hands(found: Mapping[str, Any], names: Sequence[str]) -> str:
    if found["chance"] - found["now"] < LEAST_LOSS:
        return _("With all hands open: no other move was clearly better.")
    words = {"percent": round(100 * found["chance"]), "now": round(100 * found["now"])}
    words["best"] = move_name(parse_move(found["best"]), names)
    # Translators: best is the label of a button, such as "Play Winter".
    return _("With all hands open: “%(best)s”, with a chance of %(percent)d%%, not %(now)d%%.") % words


def _chance(one: Mapping[str, Any]) -> str:
    words = {"percent": round(100 * one["chance"]), "now": round(100 * one["now"])}
    return _("The chance to win the game was then %(percent)d%%, not %(now)d%%.") % words


class _Across(NamedTuple):
    """The entries from the left edge of the chart to the right one."""

    first: int
    last: int

    def x(self, ply: int) -> int:
        return round(LEFT + (ply - self.first) / max(self.last - self.first, 1) * (RIGHT - LEFT))


def _spread(numbers: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the numbers for which there is room, each with its place."""
    spread = list[tuple[int, int]]()
    for x, number in numbers:
        if not spread or x - spread[-1][0] >= APART:
            spread.append((x, number))
    return spread


def _y(percent: float) -> int:
    return round(BOTTOM - percent / 100 * (BOTTOM - TOP))


def _points(places: Sequence[tuple[int, int]]) -> str:
    return " ".join([f"{x},{y}" for x, y in places])
