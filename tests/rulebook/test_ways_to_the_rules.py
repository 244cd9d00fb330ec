"""From a game's page each card that is shown, the edition and each option lead to their rule."""

import re
from typing import Any

import pytest
from django.template import Context, Template
from django.test import Client

from games.rules import CARDS, MERCENARIES, Options, pending
from tests.games.playing import game_where

pytestmark = pytest.mark.django_db


def shown(source: str, **context: object) -> str:
    return Template("{% load rulebook %}" + source).render(Context(context))


def test_every_site_page_leads_to_the_rules() -> None:
    assert 'href="/rules/"' in Client().get("/tables/").content.decode()


def test_a_game_says_what_each_of_its_cards_does_and_leads_to_its_rule(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    seated = [anna, bruno, carla]
    game, state = game_where(seated, lambda state, decision: decision.kind == "battle")
    (decision,) = pending(state)
    html = signed_in(seated[decision.seat]).get(f"/games/{game.pk}/").content.decode()
    linked = re.findall(r'href="/rules/2007/#card-([a-z0-9]+)"', html)
    assert linked == ["1", *(card for card in CARDS if card not in MERCENARIES)]
    said = re.findall(r'<span id="does-(\w+)">(.+?)</span>', html)
    assert [key for key, _ in said] == ["mercenary", *linked[1:]]
    chosen = {*re.findall(r'<div id="follows-[^"]+"><p>(.+?)</p>', html)}
    assert chosen
    assert chosen <= {sentence for _, sentence in said}


def test_the_options_in_force_lead_to_their_rules() -> None:
    html = shown(
        "{% rules_in_force options as ways %}{% for way in ways %}{{ way.url }} {{ way.name }};{% endfor %}",
        options=Options("2007", ("hidden-cards", "bigger-kingdoms")),
    )
    assert html == (
        "/rules/2007/ The 2007 edition;/rules/2007/bigger-kingdoms/ Bigger Kingdoms;"
        "/rules/2007/hidden-cards/ Hidden Cards;"
    )


@pytest.mark.parametrize(("edition", "does"), [("2007", "Discards every Spring"), ("1995", "Makes every")])
def test_a_card_does_what_its_own_edition_says(edition: str, does: str) -> None:
    html = shown(
        "{% cards_of_game options as rows %}{% for row in rows %}{{ row.url }} {{ row.does }};{% endfor %}",
        options=Options(edition),
    )
    assert f"/rules/{edition}/#card-winter {does}" in html
    assert ("courtesan" in html) == (edition == "2007")
