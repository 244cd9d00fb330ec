"""What of a game's page a phone shows before anyone scrolls, in each state of a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from games.links import LinkedDecision, answer_url
from games.models import Game
from games.rules import Move
from tests.browser.practice_games import SEAT, next_move, seen_now

WINDOW = {"width": 390, "height": 664}  # a phone's, less the bars of its browser

# Where parts of the page end, from its top: the decision's heading, the strengths of all players (of the
# battle that goes on, or of the one that has just ended), and the hand's first row. 0 for what isn't there.
ENDS = """() => {
  const ends = (selector) => [...document.querySelectorAll(selector)].filter(one => one.checkVisibility())
    .map(one => one.getBoundingClientRect().bottom + scrollY);
  const lines = ends('#battle .lines .total'), compared = ends('#event .standings li');
  const hand = ends('.hand > :not(.picked), .card-choice');
  return {
    decision: Math.max(0, ...ends('#ask-title')),
    totals: Math.max(0, ...(lines.length ? lines : compared)),
    hand: Math.min(...(hand.length ? hand : [0])),
    top: scrollY,
  };
}"""
# Sends the form of the decision with this move, as pressing its button does.
SEND = """([step, move]) => {
  const form = document.querySelector(`form:has(input[name=decision_step][value="${step}"])`);
  const field = document.createElement('input');
  Object.assign(field, {type: 'hidden', name: 'move', value: move});
  form.append(field);
  form.submit();
}"""


@dataclass(frozen=True)
class FirstScreen:
    """Where the parts that a decision needs end in one state, in pixels from the top of the page."""

    state: str
    decision: float
    totals: float  # of all players; 0 where there is no battle
    hand: float  # its first row; 0 for an empty one
    top: float  # of what the window shows

    @property
    def last(self) -> float:
        return max(self.decision, self.totals, self.hand)

    @property
    def fits_from_top(self) -> bool:
        """Whether all is in the window of someone who comes by a link."""
        return self.last <= WINDOW["height"]

    @property
    def fits(self) -> bool:
        """Whether all is in the window as the page opened."""
        return self.top <= self.decision and self.last - self.top <= WINDOW["height"]

    def __str__(self) -> str:
        ends = " ".join(f"{end:5.0f}" for end in (self.decision, self.totals, self.hand, self.top))
        fits = [f"{'yes' if fit else 'no':3}" for fit in (self.fits, self.fits_from_top)]
        return "  ".join([ends, *fits, self.state])


def first_screen(page: Any, state: str) -> FirstScreen:
    """Return where the parts of the open page end."""
    return FirstScreen(state, **page.evaluate(ENDS))


def begin(page: Any, opponents: int) -> None:
    """Begin a practice game from the home page."""
    page.goto("/")
    page.get_by_role("combobox", name="Opponents").select_option(str(opponents))
    with page.expect_navigation():
        page.get_by_role("button", name="Play now", exact=True).click()


def link_of(reader: Any, decision_step: int) -> str:
    """Return the link to a decision as turn emails to its player have it."""
    decision = LinkedDecision(Game.objects.get().pk, SEAT, reader.pk, decision_step)
    return f"{answer_url(decision)}#ask"


def screens(page: Any, reader: Any = None) -> Iterator[FirstScreen]:
    """Play the practice game to its end; yield the first screen of each of its states.

    The page opens each state as after a move. With a reader it opens as by the link of their email.
    """
    done = "begin"
    while not Game.objects.get().is_over:
        seen = seen_now()
        assert seen.asked is not None
        if reader is not None:
            page.goto(link_of(reader, seen.asked.decision_step))
        yield first_screen(page, f"{seen.asked.kind} after {done}")
        move: Move = next_move(seen)
        with page.expect_navigation():
            page.evaluate(SEND, [seen.asked.decision_step, move.text])
        done = move.text
