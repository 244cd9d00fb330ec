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
        has_rivals = len(_in_battle(state) - {decision.seat}) > 0
        if decision.kind != "battle" or len(winners) != 1 or not has_rivals:
            return False
        # Someone who passes without a card can't take the region any more.
        return (winners[0] == decision.seat) == is_own and bool(observe(state, None).lines[winners[0]])

    game, state = game_where([anna, bruno, carla], is_dangerous)
    (winner,), (seat,) = _winners(state), Seat.objects.exclude(decision_step=None)
    name = Seat.objects.get(table=game.table, number=winner).person.shown_name
    region = region_name(observe(state, None).battle or "")
    return game, seat, f"{HIT[request.param].format(name=name)} the game by taking {region}."


def _winners(state: State) -> tuple[int, ...]:
    seen = observe(state, None)
    return prizes(seen).get(seen.battle, ()) if seen.battle else ()


def _in_battle(state: State) -> set[int]:
    return {seat for seat, passed in enumerate(observe(state, None).passed) if not passed}


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


def _is_beaten(state: State, seat: int) -> bool:
    seen = observe(state, None)
    return seen.passed[seat] and not seen.lines[seat]


@pytest.mark.parametrize("others_in", [0, 1])
def test_it_names_no_rival_who_cannot_take_the_region_any_more(
    anna: Any, bruno: Any, carla: Any, settings: Any, others_in: int
) -> None:
    """By a last pass one knows what becomes of the region: the heading says it."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"

    def is_past(state: State, decision: Decision) -> bool:
        rivals, winners = _in_battle(state) - {decision.seat}, _winners(state)
        if decision.kind != "battle" or len(winners) != 1 or decision.seat in winners:
            return False
        return len(rivals) == others_in and (not others_in or _is_beaten(state, winners[0]))

    game_where([anna, bruno, carla], is_past)
    (seat,) = Seat.objects.exclude(decision_step=None)
    (email,) = [one for one in _delivered() if one.to == [seat.person.email]]
    assert "The battle for " in email.body
    assert "would win the game by" not in email.body
    assert ("Everyone else has passed." in email.body) == (not others_in)
