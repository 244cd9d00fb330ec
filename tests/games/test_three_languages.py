"""A game of an English, a Polish and a Russian player, who move by the links in their emails."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.models import Game
from games.models.replay import replayed
from games.rules import legal_moves, pending
from tests.games.playing import begin_game
from tests.words.reading import in_another_language, side_by_side

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("batches", [4, pytest.param(10_000, marks=pytest.mark.long)])
def test_everyone_is_emailed_in_their_own_language(
    anna: User, bruno: User, carla: User, settings: Any, batches: int
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    languages = {anna.email: "en", bruno.email: "pl", carla.email: "ru"}
    for email, language in languages.items():
        User.objects.filter(email=email).update(language=language)
    game = begin_game([User.objects.get(email=email) for email in languages])
    sent = dict[str, list[str]]({language: [] for language in languages.values()})
    for batch in _emails_of_a_game(game, batches):
        for email in batch:
            language, text = languages[email.to[0]], f"{email.subject}\n\n{email.body}"
            sent[language].append(text)
            assert in_another_language(language, text) == [], text
    assert min(map(len, sent.values())) > 1
    for three in zip_longest(*sent.values(), fillvalue=""):
        print(side_by_side(three))


def _emails_of_a_game(game: Game, batches: int) -> Iterator[list[Any]]:
    """Yield the emails that leave before each move and after the last."""
    rng, links = random.Random(1), dict[int, str]()
    for batch in range(batches):
        if batch:
            _move_by_link(game, links, rng)
        mail.outbox.clear()
        deliver_due()
        yield list(mail.outbox)
        state = replayed(game).state
        if state.is_over:
            return
        seat = game.table.seats.select_related("user").get(number=pending(state)[0].seat)
        bodies = [str(email.body) for email in mail.outbox if email.to == [seat.user.email]]
        links[seat.number] = re.findall(r"http://testserver(/answer/[^/\s]+/)", bodies[-1])[0]


def _move_by_link(game: Game, links: dict[int, str], rng: random.Random) -> None:
    state = replayed(game).state
    question = pending(state)[0]
    move = rng.choice(legal_moves(state, question.seat))
    typed = {"move": str(move), "decision_step": question.decision_step}
    assert Client().post(f"{links[question.seat]}move/", typed).status_code == 302
