"""Games played by replies alone, by people who know nothing but their emails, each in another language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core import mail

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.receiving import receive
from games.models import Game
from games.rules import MOST_GAMES
from games.rules.options import VARIANTS
from games.services.match_games import begin_due_games
from tests.games.playing import begin_game, play_until
from tests.mail.lmtp import lmtp_server, sent_by_lmtp
from tests.replies.playing import check, play_by_reply, received

LANGUAGES = [code for code, _name in site_settings.LANGUAGES]


@pytest.fixture(autouse=True)
def _other_languages(request: pytest.FixtureRequest) -> None:
    for number, person in enumerate(request.getfixturevalue("people")):
        person.language = LANGUAGES[number % len(LANGUAGES)]
        person.save()


def arrived() -> Sequence[Any]:
    """Return the emails that are due, or those that the next game of a match causes."""
    mail.outbox.clear()
    while not deliver_due():
        if not begin_due_games(clock.now() + 2 * site_settings.MATCH_PAUSE):
            break
    return mail.outbox[:]


@pytest.mark.django_db
def test_a_game_is_played_to_its_end_by_replies(people: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "games.emails.battle_end.png", lambda _view: b""
    )  # drawing the map is half of the work
    game = begin_game(people)
    play_until(game, lambda state, decision: state.phase == "battle" and state.ply > 150)
    since = game.ply
    sent = play_by_reply(people, 3, arrived, receive)
    check([Game.objects.get(pk=game.pk)], since, sent)


RULES = {
    "base": ("2007", []),
    **{variant: ("2007", [variant]) for variant in VARIANTS},
    "every option": ("2007", list(VARIANTS)),
    "1995": ("1995", []),
}


@pytest.mark.django_db
@pytest.mark.long
@pytest.mark.parametrize("rules", RULES)
def test_whole_games_are_played_by_replies(people: list[Any], rules: str) -> None:
    edition, variants = RULES[rules]
    of_match = {"target": 15, "chain": MOST_GAMES + 1} if "playing-for-points" in variants else {}
    game = begin_game(people, options_json={"edition": edition, "variants": variants}, **of_match)
    sent = play_by_reply(people, len(rules), arrived, receive)
    games = list(Game.objects.filter(table=game.table))
    check(games, 0, sent)
    assert (len(games) > 1) == bool(of_match), [one.result for one in games]


@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_a_whole_game_is_played_from_mail_server_to_mail_server(
    people: list[Any], smtp_sink: Any, settings: Any
) -> None:
    settings.REPLY_ADDRESS = "reply@games.example.net"
    game = begin_game(people)
    with lmtp_server(REPLY_ADDRESS=settings.REPLY_ADDRESS) as (port, _process), sent_by_lmtp(port) as send:

        def arrive() -> Sequence[Any]:
            already = len(smtp_sink.messages)
            deliver_due()
            return [received(message) for message in smtp_sink.messages[already:]]

        sent = play_by_reply(people, 3, arrive, send)
    check([Game.objects.get(pk=game.pk)], 0, sent)
