"""What has just ended stands at the top of a player's page, until they move on."""

from __future__ import annotations

from typing import Any

import pytest

from games.models import Game
from games.narration.cast import Cast
from games.presenters.moments import StrengthAtEnd, last_moment
from games.rules import events as happened
from games.rules import observe
from tests.games.playing import answer, decision_of, game_where, legal_texts

NAMES = Cast(("Anna", "Bruno"), 0)


def test_a_battle_says_who_took_what_with_which_strengths() -> None:
    events = [
        happened.CardPlayed(0, "10", (10, 0)),
        happened.BattleCompared("roma", (10, 12), None),
        happened.RegionConquered(1, "roma", lost_by=0),
        happened.CondottiereHanded(1, "winner"),
    ]
    moment = last_moment(events, NAMES, 0)
    assert moment is not None
    assert moment.title == "Bruno took Roma, which you held."
    assert (moment.region, moment.is_mine, moment.is_loss) == ("roma", False, True)
    assert moment.standings == (
        StrengthAtEnd(1, "Bruno", 12, won=True, is_mine=False),
        StrengthAtEnd(0, "Anna", 10, won=False, is_mine=True),
    )
    assert moment.sentences == ("Bruno won and became the Condottiere.",)


def test_a_new_hand_is_a_round_and_another_players_cards_are_not_in_it() -> None:
    dealt = [happened.CardsDealt(0, 2, ("10", "1")), happened.CardsDealt(1, 2, None)]
    moment = last_moment([happened.RoundEnded(None), *dealt], NAMES, 0)
    assert moment is not None
    assert moment.title == "A new round"
    assert [text for text in moment.round_sentences if "10" in text] == ["You drew 2 cards: 10, 1."]
    assert "Bruno" not in " ".join(moment.round_sentences)


def test_earlier_battles_are_told_and_the_news_need_not_repeat_them() -> None:
    earlier = [happened.BattleCompared("roma", (1, 2), None), happened.RegionConquered(1, "roma", None)]
    now = [happened.BattleCompared("siena", (3, 2), None), happened.RegionConquered(0, "siena", None)]
    between = happened.RegionChosen(1, "siena")
    moment = last_moment([*earlier, between, *now], NAMES, 0)
    assert moment is not None
    assert (moment.earlier, moment.title) == (("Bruno took Roma.",), "You took Siena.")
    assert moment.told == (*now, earlier[1])


def test_the_first_hand_ends_nothing() -> None:
    assert last_moment([happened.CardsDealt(0, 2, ("10", "1"))], NAMES, 0) is None


def test_nothing_has_ended_while_cards_are_played() -> None:
    assert last_moment([happened.CardPlayed(1, "3", (0, 3))], NAMES, 0) is None


@pytest.mark.django_db
def test_the_panel_stays_until_its_readers_next_move(people: list[Any], signed_in: Any) -> None:
    game, state = game_where(people, lambda state, decision: decision.kind == "place" and any(state.holdings))
    seat = decision_of(game).seat
    client, here = signed_in(people[seat]), f"/games/{game.pk}/"
    page = client.get(here).content.decode()
    assert 'id="event"' in page
    assert "rim taken" in page  # the map marks where
    assert observe(state, seat).asked
    answer(game, legal_texts(game)[0])
    game = Game.objects.get(pk=game.pk)
    assert 'id="event"' not in client.get(here).content.decode()
