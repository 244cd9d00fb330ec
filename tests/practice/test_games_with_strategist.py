"""Whole games with a Strategist in a seat: orders, replies and the history work as with other bots."""

from __future__ import annotations

import re
from contextlib import suppress
from html import unescape
from random import Random
from typing import Any

import pytest
from django.core import mail

from accounts.mail.delivery import deliver_due
from accounts.mail.receiving import receive
from accounts.models import User
from games import services
from games.bots import thinker
from games.models import Game, LogEntry, Seat
from games.models.replay import replayed
from games.narration.vocabulary import card_name
from games.orders import Aside
from games.rules import EDITIONS, MOST_GAMES, Decision, legal_moves, observe, pending
from games.selectors.integrity import differences
from games.services.orders import BadOrder
from games.services.thinking_process import THINKER
from games.tasks import think
from tests.games.playing import submit
from tests.replies.playing import Player

pytestmark = pytest.mark.django_db

ANNA, BRUNO, STRATEGIST = 0, 1, 2
VARIANTS = EDITIONS["2007"].variants
KINDS = [("2007", ()), ("2007", VARIANTS), ("1995", ()), *[("2007", (one,)) for one in VARIANTS]]
REPLIES = 12  # of a game; later answers are submitted


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Think in this process and briefly; keep emails in memory, and take replies."""
    monkeypatch.setattr(thinker, "PLAYOUTS", 1)
    monkeypatch.setattr(THINKER, "ask", lambda function, *arguments: function(*arguments))
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.REPLY_ADDRESS = "reply@testserver"


class Sitting:
    """Anna, who gives standing orders, Bruno, who answers by replies, and a Strategist."""

    def __init__(self, people: list[User], edition: str, variants: tuple[str, ...]) -> None:
        is_match = "playing-for-points" in variants
        table = services.make_table(
            people[0],
            name="With a strategist",
            size=3,
            entry="link",
            options_json={"edition": edition, "variants": list(variants)},
            target=20 if is_match else None,
            chain=MOST_GAMES + 1 if is_match else 1,
            secret=bytes(range(32)),
        )
        services.take_seat(table, people[1])
        services.seat_bot(table, "strategist", STRATEGIST)
        for seat in Seat.objects.people().filter(table=table):
            services.confirm(seat)
        self.people, self.rng, self.replies = people, Random(f"{edition} {variants}"), 0
        self.bruno = Player(1, self._send)
        self.game = Game.objects.select_related("table").get(table=table)

    def play(self) -> None:
        """Make every decision until the game is over."""
        while not self.game.is_over:
            decision = pending(replayed(self.game).state)[0]
            if decision.seat == STRATEGIST:
                assert think() >= 1
            elif decision.seat == ANNA or self.replies >= REPLIES or not self._is_replied_to():
                self._submit(decision)
            self.game = Game.objects.select_related("table").get(pk=self.game.pk)

    def _submit(self, decision: Decision) -> None:
        state = replayed(self.game).state
        moves = legal_moves(state, decision.seat)
        plays = [move for move in moves if move.kind == "play"]
        move = self.rng.choice(plays if plays and self.rng.random() < 0.7 else moves)
        asked = (self.game, decision.seat, move, decision.decision_step, "web")
        if decision.seat == ANNA:
            with suppress(BadOrder):  # such as where the move ends the battle
                submit(*asked, Aside())
                return
        submit(*asked)

    def _is_replied_to(self) -> bool:
        """Reply to Bruno's newest turn email; return whether the game has gone on."""
        mail.outbox.clear()
        deliver_due()
        before = self.game.ply
        for email in mail.outbox:
            if self.people[BRUNO].email in email.to and email.subject.startswith("Your turn"):
                self.bruno.answer(email)
        return Game.objects.get(pk=self.game.pk).ply > before

    def _send(self, address: str, source: bytes) -> None:
        self.replies += 1
        receive(address, source)


@pytest.mark.long
@pytest.mark.parametrize(("edition", "variants"), KINDS)
def test_a_game_is_played_to_its_end(
    edition: str, variants: tuple[str, ...], anna: User, bruno: User, signed_in: Any
) -> None:
    sitting = Sitting([anna, bruno], edition, variants)
    sitting.play()
    game = sitting.game
    assert differences(game.pk) == []
    vias = {seat: set(game.log.filter(seat=seat).values_list("via", flat=True)) for seat in range(3)}
    assert vias[STRATEGIST] == {LogEntry.Via.BOT}
    chosen_by = set(game.log.filter(seat=STRATEGIST).values_list("chosen_by", flat=True))
    assert "strategist" in chosen_by <= {"strategist", "stand-in"}
    assert set(game.log.exclude(seat=STRATEGIST).values_list("chosen_by", flat=True)) == {""}
    assert LogEntry.Via.ORDER in vias[ANNA]
    assert LogEntry.Via.EMAIL in vias[BRUNO]
    client, replay = signed_in(anna), replayed(game)
    for ply in range(1, game.ply + 1, max(1, game.ply // 6)):
        address = f"/games/{game.pk}/history/{ply}/?as={STRATEGIST + 1}"
        page = unescape(client.get(address).content.decode())
        own = page.partition('id="hands-title"')[2].partition("</section>")[0]
        hand = observe(replay.states[ply], STRATEGIST).hand or ()
        assert "(bot)" in own
        assert ("chose this move" in page) == (replay.plies[ply - 1].seat == STRATEGIST)
        assert " ".join(card_name(card) for card in hand) in " ".join(re.sub(r"<[^>]+>", " ", own).split())
