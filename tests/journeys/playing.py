"""Makes tables and games quickly with the services that pages use, and reads their emails."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from typing import TYPE_CHECKING

from django.core import mail

from accounts.mail.delivery import deliver_due
from games import services
from games.models import Game, LogEntry, Table
from games.models.replay import replayed
from games.rules import Decision, legal_moves, parse_move, pending
from tests.games.playing import submit
from tests.journeys.tactics import Tactician

if TYPE_CHECKING:
    from accounts.models import User

# A table's part in the shuffles, by number of players: with it a short game asks every kind of decision.
SECRETS = {3: hashlib.sha256(b"A whole game by email 2886").digest()}


def made_table(
    people: Sequence[User], entry: str = "link", name: str = "The long road", secret: bytes | None = None
) -> Table:
    """Return a full table whose players have not confirmed yet; the first person is the host."""
    secret = secret or SECRETS.get(len(people))
    table = services.make_table(people[0], name=name, size=len(people), entry=entry)
    if secret:
        Table.objects.filter(pk=table.pk).update(secret=secret)
    for person in people[1:]:
        services.take_seat(table, person)
    return Table.objects.get(pk=table.pk)


def begun_game(people: Sequence[User], name: str = "The long road", secret: bytes | None = None) -> Game:
    """Return a game that has just been dealt."""
    table = made_table(people, name=name, secret=secret)
    for seat in table.seats.all():
        services.confirm(seat)
    return Game.objects.get(table=table)


class Company:
    """All players of one game; each plays by the same tactics from their emails."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._tacticians = [Tactician() for _ in range(game.players)]

    def open_decisions(self) -> tuple[Decision, ...]:
        self.game = Game.objects.select_related("table").get(pk=self.game.pk)
        return pending(replayed(self.game).state)

    def answer(self, decision: Decision) -> None:
        """Make one move for one open decision."""
        state = replayed(self.game).state
        tactician = self._tacticians[decision.seat]
        offered = grouped(str(move) for move in legal_moves(state, decision.seat))
        text = tactician.chosen(list(offered))
        if len(offered[text]) > 1:
            text = tactician.chosen(offered[text])
        submit(self.game, decision.seat, parse_move(text), decision.decision_step, LogEntry.Via.LINK)

    def play_until(self, kind: str) -> Decision:
        """Play on to the first decision of this kind."""
        while True:
            decisions = self.open_decisions()
            assert decisions, "the game is over"
            if decisions[0].kind == kind:
                return decisions[0]
            self.answer(decisions[0])


def grouped(moves: Iterable[str]) -> dict[str, list[str]]:
    """Return moves as first offered: a card with several ways to play it is one."""
    found: dict[str, list[str]] = {}
    for text in moves:
        words = text.split()
        found.setdefault(" ".join(words[:2]) if words[0] == "play" else text, []).append(text)
    return {group[0] if len(group) == 1 else key: group for key, group in found.items()}


def delivered() -> list[EmailMessage]:
    """Deliver due emails and return them as they would arrive."""
    before = len(mail.outbox)
    deliver_due()
    reader = BytesParser(policy=policy.default)
    return [reader.parsebytes(email.message().as_bytes()) for email in mail.outbox[before:]]
