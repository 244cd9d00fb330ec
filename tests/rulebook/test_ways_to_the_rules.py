"""From a game's page each card that is shown, the edition and each option lead to their rule."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import Context, Template
from django.test import Client

from games.rulebook import rule_url
from games.rules import Options, observe, pending
from tests.games.playing import game_where

pytestmark = pytest.mark.django_db


def shown(source: str, **context: object) -> str:
    return Template("{% load rulebook %}" + source).render(Context(context))


def test_every_site_page_leads_to_the_rules() -> None:
    assert 'href="/rules/"' in Client().get("/tables/").content.decode()


def test_a_hand_leads_to_the_rules_of_just_its_cards(
    anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    seated = [anna, bruno, carla]
    game, state = game_where(seated, lambda state, question: any(observe(state, None).lines))
    (question,) = pending(state)
    person = seated[question.seat]
    html = signed_in(person).get(f"/games/{game.pk}/?open=cards").content.decode()
    linked = set(re.findall(r'href="/rules/2007/#card-([a-z0-9]+)"', html))
    seen = observe(state, question.seat)
    assert linked == {*(seen.hand or ()), *(card for line in seen.lines for card in line)}
    assert f'href="{rule_url("2007")}"' in html


def test_the_options_in_force_lead_to_their_rules() -> None:
    html = shown(
        "{% rules_in_force options as ways %}{% for way in ways %}{{ way.url }} {{ way.name }};{% endfor %}",
        options=Options("2007", ("hidden-cards", "bigger-kingdoms")),
    )
    assert html == (
        "/rules/2007/ The game of 2007;/rules/2007/bigger-kingdoms/ Bigger Kingdoms;"
        "/rules/2007/hidden-cards/ Hidden Cards;"
    )


def test_cards_lead_to_the_rules_of_their_own_edition() -> None:
    view = SimpleNamespace(options=Options("1995"), lines=(("10", "winter"), ("winter",)))
    html = shown(
        "{% rules_of_table view.options view.lines as ways %}{% for way in ways %}{{ way.url }} {% endfor %}",
        view=view,
    )
    assert html.split() == ["/rules/1995/#card-10", "/rules/1995/#card-winter"]
