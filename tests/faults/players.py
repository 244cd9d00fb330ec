"""Players who use the pages as browsers do, and continue when the site dies in between."""

from __future__ import annotations

import http.client
import random
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass
from http.cookiejar import Cookie
from typing import Any

from tests.faults.counts import Counts
from tests.faults.site import Site
from tests.journeys.visiting import Button, Form, Page, Visitor


class Unwell(Exception):
    """The site answered that it cannot answer now."""


BROKEN = (OSError, http.client.HTTPException, Unwell)
UNWELL = (500, 502, 503, 507)
PATIENCE = 60.0  # seconds after which a player says that the site is gone
SHORTEST = 60  # moves of a game of three, and more than that in nearly all


@dataclass(frozen=True)
class Answered:
    """A move that the site confirmed."""

    game: int
    seat: int
    decision_step: int
    move: str


class Play:
    """Some games played at once, each by a thread that plays all three players in turn."""

    def __init__(
        self,
        site: Site,
        at_once: int,
        rng: random.Random,
        moves: int = 0,
        *,
        has_orders: bool = False,
        may_lose: bool = False,
    ) -> None:
        """Make games for at least this many moves.

        `has_orders`: the players give standing orders. `may_lose`: the fault may lose answered moves.
        """
        self.staged = staged = site.staged("games", str(at_once + moves // SHORTEST))
        self.answered: list[Answered] = []
        self.seconds: list[float] = []  # how long each move's answer took
        self.retries = self.pages_broken = 0
        self._has_orders, self._may_lose = has_orders, may_lose
        self.troubles: list[str] = []
        self._site, self._leaving = site, threading.Event()
        self.games: list[int] = staged["games"]
        self._next, self._taking = iter(self.games), threading.Lock()
        self._threads = [
            threading.Thread(target=self._play, args=(staged, random.Random(rng.random())), daemon=True)
            for _ in range(at_once)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Everyone finishes the move they are making, with all the retries it takes."""
        self._leaving.set()
        for thread in self._threads:
            thread.join(PATIENCE + 10)
            if thread.is_alive():
                self.troubles.append("a player never got an answer")

    def wait_moves(self, count: int, seconds: float = 60) -> None:
        """Wait until this many more moves were answered."""
        wanted, end = len(self.answered) + count, time.monotonic() + seconds
        while len(self.answered) < wanted and not self.troubles and not self._all_over():
            if time.monotonic() > end:
                raise TimeoutError(f"{len(self.answered)} moves of {wanted} in {seconds} s")
            time.sleep(0.02)

    def _all_over(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def _play(self, staged: Any, rng: random.Random) -> None:
        visitors = visitors_of(staged)
        while (game := self._next_game()) is not None:
            try:
                self._play_game(game, visitors, rng)
            except Exception as error:  # noqa: BLE001 - told to the thread that waits for this one
                self.troubles.append(f"game {game}: {type(error).__name__}: {error}"[:500])
                return

    def _next_game(self) -> int | None:
        with self._taking:
            return next(self._next, None)

    def _play_game(self, game: int, visitors: list[Visitor], rng: random.Random) -> None:
        while not self._leaving.is_set():
            acted = [self._act(game, seat, visitor, rng) for seat, visitor in enumerate(visitors)]
            if "over" in acted:
                return
            if "acted" not in acted:
                time.sleep(0.1)

    def _act(self, game: int, seat: int, visitor: Visitor, rng: random.Random) -> str:
        """One move of this player, if they are asked: from their page by the forms on it to the answer."""
        try:
            page = visitor.get(f"{self._site.address}/games/{game}/")
            _expect_well(page)
            if page.has_form("rematch/"):
                return "over"
            if not page.has_form("move/"):
                if self._has_orders and page.has_form("order/"):
                    self._order(visitor, page.form("order/"), rng)
                return "waits"
        except BROKEN:
            self.pages_broken += 1
            time.sleep(0.05)
            return "broken"
        form = page.form("move/")
        form.buttons = [self._chosen(form, rng)]
        answered = Answered(game, seat, int(form.fields["decision_step"]), form.buttons[0].value)
        self._post(visitor, form, answered)
        if rng.random() < 0.2:
            self._post(visitor, form, answered, again=True)
        return "acted"

    def _chosen(self, form: Form, rng: random.Random) -> Button:
        """One move on a page: cards to keep, or one of the buttons."""
        if "card" in form.choices:
            return Button("move", " ".join(["keep", *form.choices["card"][: rng.choice((1, 2))]]))
        fights = [button for button in form.buttons if button.name == "fight_on"]
        if self._has_orders and fights and rng.random() < 0.7:
            form.fields |= {"limit": "99", "cards": " ".join(form.choices.get("cards", []))}
            return rng.choice(fights)
        return rng.choice([button for button in form.buttons if button.name == "move"])

    def _order(self, visitor: Visitor, form: Form, rng: random.Random) -> None:
        """Give, change or withdraw an order, or not; a lost answer is not asked for again."""
        if rng.random() < 0.5:
            if "limit" in form.fields:
                form.fields |= {"limit": "99", "cards": " ".join(form.choices.get("cards", []))}
            page = visitor.press(form, rng.choice(form.buttons))
            _expect_well(page)
            assert page.status in (200, 409), f"an order was answered by {page.status}: {page.words[:300]}"

    def _post(self, visitor: Visitor, form: Form, answered: Answered, *, again: bool = False) -> None:
        """Send the move until it is answered; sending it again must give the same answer."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            began = time.monotonic()
            try:
                page = visitor.press(form)
                _expect_well(page)
            except BROKEN:
                self.retries += 1
                time.sleep(0.05)
                continue
            if self._may_lose and page.status == 409:
                return  # the page was of a move that is gone, so the player looks at the game again
            assert page.status == 200, f"{answered} was answered by {page.status}: {page.words[:300]}"
            done = re.search(r"You (chose|played|passed|kept|discarded)", page.words)
            assert done, f"{answered} was not answered as done: {page.words[:300]}"
            if not again:
                self.seconds.append(time.monotonic() - began)
                self.answered.append(answered)
            return
        raise AssertionError(f"{answered} had no answer in {PATIENCE} s")

    def check(self, counts: Counts) -> int:
        """Check that each answered move is in the log exactly once, nothing else is, and all logs replay.

        Return how many are not in the log, which is a broken promise unless the fault may lose some.
        """
        rows = self._site.ask(
            "SELECT via, game_id, seat, decision_step, move FROM games_logentry WHERE seat IS NOT NULL"
        )
        rows = [row for row in rows if row[1] in self.games]
        logged = Counter(Answered(*row) for via, *row in rows if via != "order")
        answered = Counter(self.answered)
        counts.more |= {"moves": len(self.answered), "retries": self.retries}
        self._check_orders(counts, [tuple(row[:3]) for via, *row in rows if via == "order"])
        lost, invented = answered - logged, logged - answered
        counts.expect(
            self._may_lose or not lost, f"{len(lost)} answered moves are not in the log: {list(lost)[:2]}"
        )
        counts.expect(
            not invented, f"{len(invented)} moves are in the log too often or unasked: {list(invented)[:2]}"
        )
        counts.problems += self.troubles
        games = [word for game in self.games for word in ("--game", str(game))]
        try:
            self._site.run("manage.py", "replay_games", *games)
        except RuntimeError as error:
            counts.expect(False, f"a log does not replay: {error}"[:400])
        return lost.total()

    def _check_orders(self, counts: Counts, ordered: list[tuple[Any, ...]]) -> None:
        """Check that no turn was answered twice, also by an order, and that orders end with their games."""
        if not self._has_orders:
            return
        counts.more["answers by orders"] = len(ordered)
        by_hand = {(one.game, one.seat, one.decision_step) for one in self.answered}
        twice = len(ordered) - len(set(ordered) - by_hand)
        counts.expect(not twice, f"{twice} turns were answered twice")
        left = self._site.ask(
            "SELECT count(*) FROM games_standingorder JOIN games_game ON games_game.id = game_id"
            " WHERE ended_at IS NOT NULL"
        )[0][0]
        counts.expect(not left, f"{left} orders have outlived their games")


def visitors_of(staged: Any) -> list[Visitor]:
    """Return a browser for each player."""
    return [_signed_in(staged["cookie"], session) for session in staged["sessions"]]


def _expect_well(page: Page) -> None:
    if page.status in UNWELL:
        raise Unwell


def _signed_in(name: str, session: str) -> Visitor:
    visitor = Visitor()
    host = ("127.0.0.1", False, False)
    cookie = Cookie(0, name, session, None, False, *host, "/", True, False, None, False, None, None, {})
    visitor.cookies.set_cookie(cookie)
    return visitor
