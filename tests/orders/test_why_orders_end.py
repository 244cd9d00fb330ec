"""A standing order that ends says so, and what happened, in every way it can end."""

from random import Random

import pytest

from games.narration.orders import stop_text
from games.orders import HOLD, LISTED, Aside, Fight, Stop, Why, answer, rivals
from games.rules import CardPlayed, CardsTurnedUp, Event, Observation, observe, pending, redact, replay
from tests.rules.random_play import any_game
from tests.rules.stage import staged

pytestmark = pytest.mark.once
NAMES = ["Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio"]
ENDED = "Your standing order has ended: "
# A new battle ends an order too; then the battle's own news says how it ended.
SAID = set(Why) - {Why.NEW_BATTLE}


def told(stop: Stop, seen: Observation) -> str:
    return stop_text(list(stop), NAMES, seen)


def test_every_reason_says_that_the_order_has_ended() -> None:
    seen = observe(staged("3|1|2"), 0)
    for why in SAID:
        assert told(Stop(why, 1, "winter"), seen).startswith(ENDED), why


def test_holding_that_ends_says_what_a_rival_did_instead_of_passing() -> None:
    battle = observe(staged("3|1|2"), 0)
    assert told(Stop(Why.LIST_DONE, 1, "10"), battle) == f"{ENDED}Bruno played 10."
    assert told(Stop(Why.LIST_DONE, 1), battle) == f"{ENDED}Bruno is still in this battle."
    defended = observe(staged("3|1|2", variants=("capturing-regions",), control="roma=1"), 0)
    text = told(Stop(Why.LIST_DONE, 1), defended)
    assert text == f"{ENDED}Bruno, as the defender, is still in this battle."


def test_what_is_said_is_what_happened_wherever_random_play_leads(long: bool) -> None:
    """Orders of all kinds, given up to six moves earlier, in games of every edition and option."""
    endings = set[str]()
    for number in range(0, 660, 3 if long else 31):
        game, rng = any_game(number), Random(number)
        played = replay(game.options, game.players, game.first, game.log)
        for place, state in enumerate(played.states):
            for seat in [decision.seat for decision in pending(state) if decision.kind == "battle"]:
                seen, given = observe(state, seat), rng.randint(max(0, place - 6), place)
                since = redact([event for ply in played.plies[given:place] for event in ply.events], seat)
                for order in (HOLD, Aside(), _list_of(seen, rng)):
                    stop = answer(order, seen, since)
                    if isinstance(stop, Stop) and stop.why != Why.NEW_BATTLE:
                        text = told(stop, seen)
                        assert text.startswith(ENDED)
                        assert _happened(stop, seen, since), (number, place, order, text)
                        endings.add(_without_names(text))
    assert len(endings) >= 8, endings


def _list_of(seen: Observation, rng: Random) -> Fight:
    held = [card for card in seen.hand or () if card in LISTED]
    return Fight(tuple(rng.sample(held, min(2, len(held)))), rng.randint(1, 30))


def _happened(stop: Stop, seen: Observation, since: tuple[Event, ...]) -> bool:
    """Return whether the player named did what is said since the order was given."""
    if stop.seat is None or stop.why == Why.LIMIT:
        return True
    if stop.why == Why.ONE_RIVAL:
        return rivals(seen) == (stop.seat,)
    if stop.card is None:
        played = _played_by(stop.seat, since)
        return stop.seat in rivals(seen) and (seen.face_down[stop.seat] if None in played else not played)
    return stop.card in ("bishop", "scarecrow") or stop.card in _played_by(stop.seat, since)


def _played_by(seat: int, since: tuple[Event, ...]) -> list[str | None]:
    """Return the cards that a seat has played openly or turned up."""
    played = [event.card for event in since if isinstance(event, CardPlayed) and event.seat == seat]
    turned = [
        card for event in since if isinstance(event, CardsTurnedUp) for by, card in event.cards if by == seat
    ]
    return [*played, *turned]


def _without_names(text: str) -> str:
    for name in NAMES:
        text = text.replace(name, "someone")
    return text.partition(" played ")[0]
