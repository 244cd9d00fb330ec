"""A game of an English, a Polish and a Russian player, who move by the links in their emails."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core import mail
from django.test import Client
from django.utils import translation

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.models import Game
from games.models.replay import replayed
from games.narration.move_names import move_name
from games.rules import REGIONS, legal_moves, parse_move, pending, region_name
from tests.games.playing import begin_game
from tests.words.reading import ON_THE_MAP, in_another_language, side_by_side

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("move", ["place {}", "play bishop {}"])
def test_a_choice_names_its_region_as_the_map_does(move: str) -> None:
    for language, _name in site_settings.LANGUAGES:
        with translation.override(language):
            for region in REGIONS:
                assert move_name(parse_move(move.format(region))).count(region_name(region)) == 1


def test_a_region_in_another_language_is_followed_by_its_name_on_the_map() -> None:
    with translation.override("ru"):
        assert move_name(parse_move("place firenze")).endswith("Флоренция (Firenze)")
    with translation.override("pl"):
        assert move_name(parse_move("place parma")).endswith(" Parma")


def test_the_regions_to_choose_on_the_page_have_their_names_on_the_map(game: Game) -> None:
    asked = game.table.seats.select_related("user").get(number=pending(replayed(game).state)[0].seat).user
    assert asked is not None
    User.objects.filter(pk=asked.pk).update(language="ru")
    client = Client()
    client.force_login(asked)
    page = client.get(f"/games/{game.pk}/").content.decode()
    assert '<option value="place firenze">Флоренция (Firenze)</option>' in page


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
            assert in_another_language(language, text, ON_THE_MAP) == [], text
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
    decision = pending(state)[0]
    move = rng.choice(legal_moves(state, decision.seat))
    typed = {"move": str(move), "decision_step": decision.decision_step}
    assert Client().post(f"{links[decision.seat]}move/", typed).status_code == 302
