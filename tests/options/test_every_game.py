"""Every edition and optional rule, played to the end as people play: on the game page and by emails' links.

No one's page or email names a card that lies face down before someone else (R40), and each game's record
verifies.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games import services
from games.links import LinkedDecision, answer_token
from games.models import Game, Seat
from games.models.replay import replayed
from games.narration.vocabulary import card_name
from games.rules import (
    EDITIONS,
    MOST_GAMES,
    Decision,
    Move,
    legal_moves,
    observe,
    pending,
    read_record,
    verify,
)
from tests.games.playing import submit

pytestmark = [pytest.mark.django_db]

VARIANTS = EDITIONS["2007"].variants
SHORT, EVERY = ("1995", ()), ("2007", VARIANTS)
OTHERS = [("2007", ()), *(("2007", (variant,)) for variant in VARIANTS)]


def later(*games: tuple[str, tuple[str, ...]]) -> list[Any]:
    """Run these only with `--long`."""
    return [pytest.param(*game, marks=pytest.mark.long) for game in games]


NAMES = ("Anna", "Bruno")
A_CARD_DOWN = re.compile(r'face down:\s*</span>\s*<span class="card [a-z]+ card-([a-z0-9]+) in-line"')
OFTEN = 10  # at one decision in so many the page is looked at, or the email read
BY_FORM = 2  # one answer of so many is given by a form


class Sitting:
    """Two people and a bot at one table: Anna plays on the site, Bruno by the links in emails."""

    def __init__(self, people: list[User], edition: str, variants: tuple[str, ...], client: Client) -> None:
        is_match = "playing-for-points" in variants
        self.rng = Random(f"{edition} {variants}")
        table = services.make_table(
            people[0],
            name="Every rule",
            size=3,
            entry="link",
            options_json={"edition": edition, "variants": list(variants)},
            target=200 if is_match else None,
            chain=MOST_GAMES + 1 if is_match else 1,
            secret=bytes(range(32)),
        )
        services.take_seat(table, people[1])
        services.seat_bot(table, "recruit", 2)
        for seat in Seat.objects.people().filter(table=table):
            services.confirm(seat)
        self.game = Game.objects.select_related("table").get(table=table)
        self.people, self.client, self.reader = people, client, Client()
        self.seen_down = 0
        self.asked = 0

    def play(self) -> None:
        """Make every decision until the game is over."""
        while not self.game.is_over:
            decision = pending(replayed(self.game).state)[0]
            self.asked += 1
            if self.asked % BY_FORM:
                self.command(decision)
            else:
                self.answer(decision, looks=self.asked % OFTEN == 0)
            self.game = Game.objects.select_related("table").get(pk=self.game.pk)

    def command(self, decision: Decision) -> None:
        """Make a move directly, without a page."""
        submit(self.game, decision.seat, self.chosen(decision), decision.decision_step, "web")

    def answer(self, decision: Decision, *, looks: bool) -> None:
        """Make a move by the form of the game page or of the email's link; sometimes check the page first."""
        access = self.access(decision)
        client = self.client if decision.seat == 0 else self.reader
        move = self.chosen(decision)
        asked = {"move": str(move), "decision_step": decision.decision_step}
        if looks:
            self.look_at_choice(client, access, decision, move)
        assert client.post(f"{access}move/", asked).status_code == 302

    def look_at_choice(self, client: Client, access: str, decision: Decision, move: Move) -> None:
        page = client.get(access)
        self.look_at(page, decision.seat)
        if move.kind == "place":
            assert f"#fight-{move.region}" in page.content.decode()
        if access.startswith("/answer/"):
            asked = {"move": str(move), "decision_step": decision.decision_step}
            self.look_at(client.get(f"{access}confirm/", asked), decision.seat)

    def access(self, decision: Decision) -> str:
        if decision.seat == 0:
            return f"/games/{self.game.pk}/"
        person = self.people[decision.seat].pk
        linked = LinkedDecision(self.game.pk, decision.seat, person, decision.decision_step)
        return f"/answer/{answer_token(linked)}/"

    def chosen(self, decision: Decision) -> Move:
        """Choose any legal move, but seldom pass, so that games end."""
        moves = legal_moves(replayed(self.game).state, decision.seat)
        plays = [move for move in moves if move.kind == "play"]
        return self.rng.choice(plays if plays and self.rng.random() < 0.7 else moves)

    def look_at(self, page: Any, seat: int) -> None:
        """Check that the page is complete, and shows only its reader's own face-down cards."""
        text = page.content.decode()
        assert page.status_code == 200, text
        seen = observe(replayed(self.game).state, seat)
        own = [seen.own_face_down] if seen.own_face_down else []
        assert A_CARD_DOWN.findall(text) == own
        assert len(re.findall(r"face-down card\s*</span>", text)) == sum(seen.face_down) - len(own)
        self.seen_down += sum(seen.face_down)
        if seen.options.is_1995:
            assert not re.search("Pope|Courtesan|Spring", text)
        assert not re.search(NAMES[1 - seat] + r" played (?!a card)[\w ]+ face down", text)


@pytest.mark.parametrize(("edition", "variants"), [SHORT, *later(EVERY, *OTHERS)])
def test_a_game_is_played_through_its_doors_to_its_end(
    edition: str, variants: tuple[str, ...], anna: User, bruno: User, signed_in: Any
) -> None:
    client = signed_in(anna)
    sitting = Sitting([anna, bruno], edition, variants, client)
    sitting.play()
    deliver_due()
    game = sitting.game
    assert ("hidden-cards" in variants) == bool(sitting.seen_down)
    record = client.get(f"/games/{game.pk}/record.json")
    told = record.json()
    assert (told["edition"], told["variants"]) == (edition, sorted(variants))
    assert verify(read_record(told)).ok
    for ply in range(0, game.ply + 1, 40):
        assert client.get(f"/games/{game.pk}/history/{ply}/").status_code == 200
    assert client.get(f"/games/{game.pk}/").status_code == 200


@pytest.mark.parametrize(("edition", "variants"), [EVERY, *later(SHORT, *OTHERS)])
def test_emails_tell_the_game_and_no_card_that_lies_face_down(
    edition: str, variants: tuple[str, ...], anna: User, bruno: User, signed_in: Any
) -> None:
    sitting = Sitting([anna, bruno], edition, variants, signed_in(anna))
    read = 0
    for turn in range(40):
        if sitting.game.is_over:
            break
        decision = pending(replayed(sitting.game).state)[0]
        if turn % OFTEN == 0:
            read += _read_emails(sitting, decision)
        sitting.command(decision)
        sitting.game = Game.objects.select_related("table").get(pk=sitting.game.pk)
    assert read


def _read_emails(sitting: Sitting, decision: Decision) -> int:
    mail.outbox.clear()
    deliver_due()
    person = sitting.people[decision.seat]
    emails = [email for email in mail.outbox if person.email in email.to]
    seen = observe(replayed(sitting.game).state, decision.seat)
    for email in emails:
        text = str(email.body)
        own = f"face down: {card_name(seen.own_face_down)}" if seen.own_face_down else ""
        for told in re.findall(r"face down: \w+", text):
            assert told == own
        if seen.options.is_1995:
            assert not re.search("Pope|Courtesan|Spring|more in all", text)
    return len(emails)
