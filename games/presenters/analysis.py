"""The analysis of a finished game: a chart of chances, its table, and the decisions that cost most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.bots.analysis import Cost, choices_of, costliest
from games.models import Analysis
from games.models.replay import replayed
from games.narration.battles import Battle, battles_in
from games.narration.move_names import move_name
from games.presenters.reading import Reading
from games.rules import Replay, parse_move

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 44, 632, 10, 212  # the edges of what is drawn
ACROSS = (0, 25, 50, 75, 100)  # per cent


@dataclass(frozen=True)
class CostlyDecision:
    """A decision that cost its seat much of its chance to win."""

    seat: int
    name: str
    url: str  # of the position before it
    battle: str  # its title; empty before the first
    made: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class AnalysisPage:
    """What a reader of a finished game sees of its analysis."""

    reading: Reading
    found: Analysis | None

    @property
    def can_be_asked(self) -> bool:
        """Whether the reader's button asks for it: none is whole or on its way, and the reader had a seat."""
        is_needed = self.found is None or self.found.has_gaps
        return is_needed and settings.STRATEGIST and self.reading.may_ask_analysis

    @property
    def is_waiting(self) -> bool:
        return self.found is not None and self.found.ended_at is None and settings.STRATEGIST

    @property
    def progress(self) -> str:
        """How far it has got."""
        assert self.found is not None
        count = sum(1 for _question in choices_of(self._replay, self.reading.game.players))
        words = {"done": len(self.found.judged), "all": count}
        return _("Strategist is thinking: %(done)d of %(all)d decisions.") % words

    @cached_property
    def _replay(self) -> Replay:
        return replayed(self.reading.game)

    @cached_property
    def judged(self) -> list[dict[str, Any]]:
        """The decisions that could be judged, once the analysis has ended."""
        is_finished = self.found is not None and self.found.ended_at is not None
        return [one for one in self.found.judged if "loss" in one] if self.found and is_finished else []

    @property
    def has_failed(self) -> bool:
        """Whether there is no result, and none is on its way."""
        return self.found is not None and not self.is_waiting and not self.judged

    @cached_property
    def costliest(self) -> list[CostlyDecision]:
        by_ply = {one["ply"]: one for one in self.judged}
        costs = costliest([Cost(ply, one["loss"]) for ply, one in by_ply.items()])
        return [self._costly(by_ply[cost.ply]) for cost in costs]

    def _costly(self, one: dict[str, Any]) -> CostlyDecision:
        names, seat = self.reading.names, one["seat"]
        made = move_name(self._replay.plies[one["ply"]].move, names)
        best = move_name(parse_move(one["best"]), names)
        # Translators: made and best are labels of buttons, such as "Play Winter" and "Pass".
        said = _("Made: “%(made)s”. Strategist’s choice: “%(best)s”.") % {"made": made, "best": best}
        url = self.reading.position_url(one["ply"]) + f"?as={seat + 1}"
        sentences = (said, *strengths(one, names), _chance(one))
        return CostlyDecision(seat, names[seat], url, self._battle_at(one["ply"]), made, sentences)

    @cached_property
    def _battles(self) -> tuple[Battle, ...]:
        return battles_in([entry.events for entry in self._replay.plies])

    def _battle_at(self, ply: int) -> str:
        begun = [battle.title for battle in self._battles if battle.first <= ply]
        return begun[-1] if begun else ""

    @property
    def rows(self) -> list[tuple[int, str, str, str, list[int]]]:
        """The table: entry, its address, player, move, and each seat's chance in per cent."""
        return [
            (
                one["ply"] + 1,
                self.reading.position_url(one["ply"] + 1),
                self.reading.names[one["seat"]],
                move_name(self._replay.plies[one["ply"]].move, self.reading.names),
                [round(100 * chance) for chance in one["chances"]],
            )
            for one in self.judged
        ]

    @property
    def chart(self) -> SafeString:
        """Return the chances of all seats as lines; colours and sizes are the style sheet's."""
        if len(self.judged) < 2:
            return SafeString("")
        last = max(self.judged[-1]["ply"], 1)
        lines = [
            (seat, _points([(_x(one["ply"], last), _y(100 * one["chances"][seat])) for one in self.judged]))
            for seat in range(self.reading.game.players)
        ]
        return format_html(
            '<svg class="chances" viewBox="0 0 {} {}" role="img" aria-labelledby="chances-title">'
            '<title id="chances-title">{}</title>{}{}{}</svg>',
            WIDTH,
            HEIGHT,
            _("Chance of each player to win after every decision, in per cent"),
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
                '<polyline class="edge" points="{}"/><polyline class="course seat-{}" points="{}"/>',
                [(points, seat, points) for seat, points in lines],
            ),
        )

    @property
    def legend(self) -> list[tuple[int, str]]:
        return list(enumerate(self.reading.names))


def analysis_page(reading: Reading) -> AnalysisPage:
    """Return what this reader sees of the analysis of their game."""
    return AnalysisPage(reading, Analysis.objects.filter(game=reading.game).first())


def is_analysed(reading: Reading) -> bool:
    """Return whether an analysis of this game can be read."""
    return Analysis.objects.filter(game=reading.game, ended_at__isnull=False).exists()


def strengths(one: Mapping[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return what the choice mostly led to in the battle; nothing where there was none, or all gave up."""
    if one["rival"] is None or not (one["own"] or one["reach"]):
        return ()
    words = {"name": names[one["seat"]], "own": one["own"]}
    words |= {"rival": names[one["rival"]], "reach": one["reach"]}
    if not one["own"]:
        # Translators: rival is a player, reach is the strength of their line. "That" is Strategist's choice.
        return (_("That mostly left the battle to %(rival)s, with a strength of %(reach)d.") % words,)
    # Translators: name and rival are players, own and reach are strengths of their lines.
    return (_("With that, %(name)s mostly reached %(own)d and %(rival)s %(reach)d.") % words,)


def _chance(one: Mapping[str, Any]) -> str:
    words = {"percent": round(100 * one["chance"]), "now": round(100 * one["chances"][one["seat"]])}
    return _("The chance to win the game was then %(percent)d%%, not %(now)d%%.") % words


def _x(ply: int, last: int) -> int:
    return round(LEFT + ply / last * (RIGHT - LEFT))


def _y(percent: float) -> int:
    return round(BOTTOM - percent / 100 * (BOTTOM - TOP))


def _points(places: Sequence[tuple[int, int]]) -> str:
    return " ".join([f"{x},{y}" for x, y in places])
