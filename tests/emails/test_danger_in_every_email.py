"""Every email about a turn says for whom the contested region would win the game, as text and as HTML."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core import mail

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.outbox import queue
from accounts.mail.receiving import receive
from games.map.region_names import region_name
from games.models import Game, Seat
from games.rules import Decision, State, observe, prizes
from games.services.notifications import decision_key
from tests.games.playing import game_where
from tests.replies.programs import gmail, reply

pytestmark = pytest.mark.django_db

Case = tuple[Game, Seat, str]  # the seat that must move, and the sentence its player reads
HIT = {"the reader": "You would win", "a rival": "{name} would win"}


@pytest.fixture(params=HIT)
def case(request: pytest.FixtureRequest, anna: Any, bruno: Any, carla: Any, settings: Any) -> Case:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.REPLY_ADDRESS = "reply@testserver"
    is_own = request.param == "the reader"

    def is_dangerous(state: State, decision: Decision) -> bool:
        winners = _winners(state)
        return decision.kind == "battle" and len(winners) == 1 and (winners[0] == decision.seat) == is_own

    game, state = game_where([anna, bruno, carla], is_dangerous)
    (winner,), (seat,) = _winners(state), Seat.objects.exclude(decision_step=None)
    name = Seat.objects.get(table=game.table, number=winner).person.shown_name
    region = region_name(observe(state, None).battle or "")
    return game, seat, f"{HIT[request.param].format(name=name)} the game by taking {region}."


def _winners(state: State) -> tuple[int, ...]:
    seen = observe(state, None)
    return prizes(seen).get(seen.battle, ()) if seen.battle else ()


def _turn(game: Game, seat: Seat) -> Any:
    (email,) = [email for email in _delivered() if email.to == [seat.person.email]]
    return email


def _reminder(game: Game, seat: Seat) -> Any:
    _turn(game, seat)
    due_at = clock.now() + timedelta(hours=6)
    Seat.objects.filter(pk=seat.pk).update(due_at=due_at)
    context = {"game": game.pk, "seat": seat.number, "decision_step": seat.decision_step}
    queue("reminder", to=seat.person, key="reminder", context=context | {"due_at": due_at.isoformat()})
    (email,) = _delivered()
    assert email.subject.startswith("Reminder")
    return email


def _receipt(game: Game, seat: Seat) -> Any:
    email = _turn(game, seat)
    receive(email.extra_headers["Reply-To"], reply(gmail, email, "what would you play here?"))
    (receipt,) = _delivered()
    assert "Nothing was changed." in receipt.body
    return receipt


def _receipt_of_a_move(game: Game, seat: Seat) -> Any:
    """Its writer waits for others, so no turn email follows."""
    email = _turn(game, seat)
    receive(email.extra_headers["Reply-To"], reply(gmail, email, "pass"))
    receipts = [one for one in _delivered() if one.to == email.to]
    assert receipts[0].body.startswith("You passed.")
    return receipts[0]


def _digest(game: Game, seat: Seat) -> Any:
    _turn(game, seat)
    other, _state = game_where([seat.person, *_others_of(seat)], _is_first_in_a_battle)
    names = [decision_key(one.pk, *_asked(one, seat)) for one in (game, other)]
    _delivered()
    queue("waiting", to=seat.person, key="waiting", context={"questions": dict.fromkeys(names, True)})
    (email,) = _delivered()
    assert email.subject == "Your turn in 2 games"
    return email


def _is_first_in_a_battle(state: State, decision: Decision) -> bool:
    return decision.seat == 0 and state.phase == "battle"


def _others_of(seat: Seat) -> list[Any]:
    return [one.person for one in Seat.objects.filter(table=seat.table).exclude(pk=seat.pk)]


def _asked(game: Game, like: Seat) -> tuple[int, int]:
    seat = Seat.objects.get(table=game.table_id, user=like.user)
    assert seat.decision_step is not None
    return seat.number, seat.decision_step


def _delivered() -> list[Any]:
    mail.outbox.clear()
    deliver_due()
    return list(mail.outbox)


@pytest.mark.parametrize("email_of", [_turn, _reminder, _receipt, _receipt_of_a_move, _digest])
def test_the_danger_is_in_it(case: Case, email_of: Callable[[Game, Seat], Any]) -> None:
    game, seat, sentence = case
    email = email_of(game, seat)
    html = unescape(re.sub(r"<[^>]+>", " ", email.alternatives[0][0]))
    for text in (email.body, html):
        assert sentence in " ".join(text.split()), text
