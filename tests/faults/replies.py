"""Thousands of replies by email, many of them twice, late, forged or automatic: each move is made once."""

from __future__ import annotations

import random
import smtplib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from types import SimpleNamespace
from typing import Any

from tests.faults.counts import Counts, Tally
from tests.faults.crowds import gather
from tests.faults.site import Site
from tests.replies.programs import PROGRAMS, reply
from tests.servers import HANGS

LINES = 4  # mail servers that deliver at once
MINE = "via = 'email' AND seat IS NOT NULL"
HAND = "Your hand: 10, 10, Heroine"


@dataclass(frozen=True)
class Asked:
    """A turn, and the moves that a reply can name."""

    game: int
    seat: int
    step: int
    address: str
    moves: tuple[str, ...]

    @property
    def turn(self) -> tuple[int, int, int]:
        return self.game, self.seat, self.step


class Writers:
    """The players of all games: they write replies, and other mail arrives in between."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.programs = cycle(PROGRAMS)
        self.earlier: list[Asked] = []  # turns of earlier rounds, whose answers have all arrived
        self.sent: dict[tuple[int, int, int], set[str]] = {}
        self.kinds = Counter[str]()

    def to(self, asked: Asked) -> Iterator[tuple[str, bytes]]:
        """Yield what arrives for one turn: the answer, and much else before and after it."""
        yield from self._noise(asked)
        chosen = self.rng.choice(asked.moves)
        self.sent[asked.turn] = {chosen}
        message = self._reply(asked, chosen)
        yield self._counted("answer", asked.address, message)
        if self.rng.random() < 0.3:
            yield self._counted("same again", asked.address, message)
        if self.rng.random() < 0.2:
            other = self.rng.choice(asked.moves)
            self.sent[asked.turn].add(other)
            yield self._counted("second answer", asked.address, self._reply(asked, other))

    def _noise(self, asked: Asked) -> Iterator[tuple[str, bytes]]:
        if self.earlier and self.rng.random() < 0.25:
            late = self.rng.choice(self.earlier)
            words = self.rng.choice(late.moves)
            yield self._counted("stale", late.address, self._reply(late, words))
        if self.rng.random() < 0.1:
            yield self._counted("junk", asked.address, self._reply(asked, f"Hello {self.rng.random()}"))
        if self.rng.random() < 0.1:
            away = self._reply(asked, self.rng.choice(asked.moves), Auto_Submitted="auto-replied")
            yield self._counted("out of office", asked.address, away)
        if self.rng.random() < 0.05:
            head, _at, domain = asked.address.partition("@")
            forged = f"{head[:-1]}{'a' if head[-1] != 'a' else 'b'}@{domain}"
            yield self._counted("forged", forged, self._reply(asked, self.rng.choice(asked.moves)))

    def _reply(self, asked: Asked, words: str, **headers: str) -> bytes:
        text = f"It’s your turn.\n\n{HAND}\n"
        email: Any = SimpleNamespace(
            body=text,
            alternatives=[(f"<html><body><p>{text}</p></body></html>", "text/html")],
            to=["anyone@example.org"],
            subject="Your turn",
            extra_headers={"Reply-To": asked.address, "Message-ID": "<email-1@127.0.0.1>"},
        )
        only = self.rng.choice(["text", "html", ""])
        return reply(next(self.programs), email, words, only=only, **headers)

    def _counted(self, kind: str, address: str, message: bytes) -> tuple[str, bytes]:
        self.kinds[kind] += 1
        return address, message


def many(site: Site, games: int, replies: int, rng: random.Random) -> Counts:
    """Deliver this many replies by several lines at once; in the middle third the mail server is away."""
    counts, tally, writers = Counts(f"{replies} replies to {games} games"), Tally(site), Writers(rng)
    gather(site, games)
    site.start_worker()
    site.start_beat()
    port = site.start_lmtp()
    already = site.ask(f"SELECT coalesce(max(id), 0) FROM games_logentry WHERE {MINE}")[0][0]
    delivered, answers, took, is_away = 0, Counter[int](), 0.0, False
    while delivered < replies and (turns := [Asked(*one[:4], tuple(one[4])) for one in site.staged("turns")]):
        rng.shuffle(turns)
        mail = [one for asked in turns for one in writers.to(asked)]
        began = time.monotonic()
        answers.update(_delivered(port, mail))
        took += time.monotonic() - began
        writers.earlier = [*writers.earlier, *turns][-500:]
        delivered += len(mail)
        if is_away != (should_be := replies // 3 < delivered < 2 * replies // 3):
            (site.close_sink if should_be else site.open_sink)()
            is_away = should_be
    if is_away:
        site.open_sink()
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    counts.more |= {"replies": delivered, **writers.kinds, "refused": answers[550]}
    counts.more |= {"moves": len(writers.sent), "seconds to take them": f"{took:.0f}"}
    counts.expect(set(answers) <= {250, 550}, f"a mail server was told something else: {answers}")
    counts.expect(answers[550] == writers.kinds["forged"], "an address was refused or taken wrongly")
    _check(site, counts, writers, already)
    return counts


def _delivered(port: int, mail: Sequence[tuple[str, bytes]]) -> Counter[int]:
    """Deliver by several lines, which take the messages in turn, so that those of one turn overlap."""
    waiting = iter(mail)

    def deliver() -> Counter[int]:
        with smtplib.LMTP("127.0.0.1", port, timeout=HANGS) as line:
            line.ehlo()
            return Counter(_answer(line, *one) for one in waiting)

    with ThreadPoolExecutor(LINES) as lines:
        return sum((one.result() for one in [lines.submit(deliver) for _ in range(LINES)]), Counter())


def _answer(line: smtplib.LMTP, recipient: str, message: bytes) -> int:
    try:
        line.sendmail("anyone@example.org", [recipient], message)
    except smtplib.SMTPRecipientsRefused as refused:
        return refused.recipients[recipient][0]
    except smtplib.SMTPDataError as refused:
        return refused.smtp_code
    return 250


def _check(site: Site, counts: Counts, writers: Writers, already: int) -> None:
    """Check that each turn that was answered is in the log once, with a move that its player named."""
    rows = site.ask(
        f"SELECT game_id, seat, decision_step, move FROM games_logentry WHERE {MINE} AND id > %s", already
    )
    made = Counter((game, seat, step) for game, seat, step, _move in rows)
    lost = writers.sent.keys() - made.keys()
    counts.expect(not lost, f"{len(lost)} moves were lost: {list(lost)[:2]}")
    counts.expect(max(made.values()) == 1, "a turn was answered twice")
    strange = [row for row in rows if row[3] not in writers.sent.get(tuple(row[:3]), ())]
    counts.expect(not strange, f"{len(strange)} moves were made that no one named: {strange[:2]}")
    try:
        site.run("manage.py", "replay_games", seconds=600)
    except RuntimeError as error:
        counts.expect(False, f"a log does not replay: {error}"[:400])
