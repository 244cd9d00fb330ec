"""Promises: proposed, answered, and marked kept or broken when the table has seen it."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.mail.models import OutgoingEmail
from games.chat.models import CHECKED_FOR_GOOD, Deal, Message
from games.chat.services import TooMany, deal_answers, deals
from games.models import Game, LogEntry, Table
from games.models.replay import replayed
from games.rules import legal_moves
from games.services import Refused
from tests.chat.dealing import (
    TEXT,
    ProposedPromise,
    channel_of,
    chooser,
    marks,
    no_attack,
    play,
    proposed_to,
    seat_of,
    standing,
    tick,
)
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    """A game of Anna, Bruno and Carla that has just begun."""
    return begin_game(people)


def person_at(game: Game, seat: int) -> Any:
    return game.table.seats.get(number=seat).user


def another(people: list[Any], one: Any) -> Any:
    return next(person for person in people if person != one)


def events(deal: Deal) -> list[str]:
    return [message.event for message in Message.objects.filter(deal=deal).order_by("number")]


def test_it_stands_when_all_have_accepted(game: Game, people: list[Any]) -> None:
    anna, bruno, carla = people
    deal = proposed_to(game.table, anna, bruno, carla)
    assert deal.state == "proposed"
    deal_answers.answer(seat_of(game.table, bruno), deal.pk, accepts=True)
    assert Deal.objects.get().state == "proposed"
    deal_answers.answer(seat_of(game.table, carla), deal.pk, accepts=True)
    stands = Deal.objects.get()
    assert (stands.state, stands.stands_from) == ("standing", game.step)
    assert events(deal) == ["proposed", "accepted", "stands"]


def test_someone_who_declines_ends_it_for_all(game: Game, people: list[Any]) -> None:
    anna, bruno, carla = people
    deal = proposed_to(game.table, anna, bruno, carla)
    deal_answers.answer(seat_of(game.table, carla), deal.pk, accepts=False)
    assert Deal.objects.get().state == "declined"
    with pytest.raises(Refused, match="Someone declined this deal"):
        deal_answers.answer(seat_of(game.table, bruno), deal.pk, accepts=True)


def test_its_author_takes_it_back_before_all_have_accepted(game: Game, people: list[Any]) -> None:
    anna, bruno, _carla = people
    deal = proposed_to(game.table, anna, bruno)
    with pytest.raises(Refused, match="Only the player who proposed this deal"):
        deal_answers.withdraw(seat_of(game.table, bruno), deal.pk)
    deal_answers.withdraw(seat_of(game.table, anna), deal.pk)
    deal_answers.withdraw(seat_of(game.table, anna), deal.pk)
    with pytest.raises(Refused, match="This deal was withdrawn"):
        deal_answers.answer(seat_of(game.table, bruno), deal.pk, accepts=True)
    assert events(deal) == ["proposed", "withdrawn"]


def test_what_stands_is_not_taken_back(game: Game, people: list[Any]) -> None:
    deal = standing(game.table, people[0], people[1])
    for undo in (
        lambda: deal_answers.withdraw(seat_of(game.table, people[0]), deal.pk),
        lambda: deal_answers.answer(seat_of(game.table, people[1]), deal.pk, accepts=False),
    ):
        with pytest.raises(Refused, match="be withdrawn"):
            undo()


def test_a_second_click_makes_one_deal_and_one_answer(game: Game, people: list[Any]) -> None:
    anna, bruno = (seat_of(game.table, person) for person in people[:2])
    channel = channel_of(game.table, *people[:2])
    what = deals.Proposed(TEXT, (bruno.number,))
    first, second = (deals.propose(anna, channel, what, 0) for _click in range(2))
    assert first == second
    for _click in range(2):
        deal_answers.answer(bruno, first.pk, accepts=True)
    assert events(first) == ["proposed", "stands"]
    assert deals.propose(anna, channel, what, first.number).number == 2  # said again, not clicked twice


WRONG = [
    ({"seats": ()}, "Choose at least one player"),
    ({"seats": (2,)}, "only propose deals to players in this channel"),
    ({"seats": (5,)}, "only propose deals to players in this channel"),
    ({"promises": (no_attack(2, "siena"),)}, "must be in the deal"),
    ({"promises": (no_attack(1, "atlantis"),)}, "Choose a region"),
    ({"promises": (ProposedPromise(1, "passes", "siena"),)}, "Choose a region"),
    ({"promises": (ProposedPromise(1, "words", "siena"),)}, "check this promise"),
    ({"promises": (no_attack(1, "siena"),) * 2}, "same promise twice"),
    ({"promises": tuple(no_attack(1, region) for region in "abcdefg")}, "at most 6"),
    ({"until": "battle", "until_number": None}, "Enter the number of a round or battle"),
    ({"until": "round", "until_number": 0}, "already over"),
    ({"until": "round", "until_number": 999}, "up to 200"),
]


def test_what_cannot_be_proposed_is_refused_with_a_sentence(game: Game, people: list[Any]) -> None:
    seat, channel = seat_of(game.table, people[0]), channel_of(game.table, *people[:2])
    for wrong, why in WRONG:
        with pytest.raises(Refused, match=why):
            deals.propose(seat, channel, deals.Proposed(**({"text": TEXT, "seats": (1,)} | wrong)))
    assert not Deal.objects.exists()


def test_in_1995_no_one_promises_where_the_pope_goes(people: list[Any]) -> None:
    game = begin_game(people, options_json={"edition": "1995", "variants": []})
    with pytest.raises(Refused, match="check this promise"):
        proposed_to(game.table, people[0], people[1], promises=[ProposedPromise(0, "pope", "siena")])


@pytest.mark.parametrize("chat", ["none", "public"])
def test_terms_that_forbid_chat_forbid_proposing(people: list[Any], chat: str) -> None:
    game = begin_game(people)
    channel = channel_of(game.table, *people[:2])
    Table.objects.filter(pk=game.table_id).update(chat=chat)
    with pytest.raises(Refused, match="This table’s settings"):
        proposed_to(game.table, people[0], people[1], channel=channel)


def test_before_a_game_and_after_it_nothing_is_promised(table: Table, people: list[Any], game: Game) -> None:
    with pytest.raises(Refused, match="No game is being played"):
        proposed_to(table, people[0], people[1])
    channel = channel_of(game.table, *people[:2])
    deal = proposed_to(game.table, people[0], people[1], channel=channel)
    play_to_the_end(game)
    with pytest.raises(Refused, match="The game is over"):
        proposed_to(game.table, people[0], people[1], channel=channel)
    with pytest.raises(Refused, match="not accepted in time"):
        deal_answers.answer(seat_of(game.table, people[1]), deal.pk, accepts=True)
    tick()
    assert Deal.objects.get().state == "lapsed"
    assert events(deal) == ["proposed", "lapsed"]


def test_a_day_has_only_so_many_proposals(
    game: Game, people: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deals, "MOST_DEALS_A_DAY", 2)
    for n in range(2):
        proposed_to(game.table, people[0], people[1], text=f"Number {n}")
    with pytest.raises(TooMany, match=r"limit for deals \(2\)"):
        proposed_to(game.table, people[0], people[1])


def test_to_attack_what_one_promised_to_leave_breaks_the_word(game: Game, people: list[Any]) -> None:
    seat = chooser(game)
    mine = person_at(game, seat)
    deal = standing(
        game.table, mine, another(people, mine), promises=[no_attack(seat, "siena"), no_attack(seat, "roma")]
    )
    assert tick() == 0
    play(game, "place siena")
    assert tick() == 1
    assert marks(deal) == ["broken", "open", "open"]
    promise = deal.promises.first()
    assert promise is not None
    assert promise.judged_step == game.step
    assert events(deal)[-1:] == ["broken 1"]


def test_the_tick_says_everything_once(game: Game, people: list[Any]) -> None:
    seat = chooser(game)
    mine = person_at(game, seat)
    deal = standing(game.table, mine, another(people, mine), promises=[no_attack(seat, "siena")])
    play(game, "place siena")
    assert [tick() for _beat in range(3)] == [1, 0, 0]
    assert events(deal) == ["proposed", "stands", "broken 1"]
    assert Deal.objects.get().checked_step == CHECKED_FOR_GOOD
    play_to_the_end(game)
    assert tick() == 0


def test_a_tick_that_finds_nothing_asks_once(
    game: Game, people: list[Any], django_assert_num_queries: Any
) -> None:
    for _n in range(3):
        standing(game.table, people[0], people[1], promises=[no_attack(0, "siena")])
    with django_assert_num_queries(1):
        tick()


def test_what_was_done_before_it_stood_is_not_held_against_anyone(game: Game, people: list[Any]) -> None:
    seat = chooser(game)
    mine, other = person_at(game, seat), another(people, person_at(game, seat))
    deal = proposed_to(game.table, mine, other, promises=[no_attack(seat, "siena")])
    play(game, "place siena")
    tick()
    deal_answers.answer(seat_of(game.table, other), deal.pk, accepts=True)
    play(game, "play", "pass")
    tick()
    assert marks(deal) == ["open", "open"]


def test_a_promise_is_kept_when_its_time_is_over(game: Game, people: list[Any]) -> None:
    seat = chooser(game)
    mine = person_at(game, seat)
    more: dict[str, Any] = {"until": "battle", "until_number": 1, "promises": [no_attack(seat, "siena")]}
    deal = standing(game.table, mine, another(people, mine), **more)
    play(game, "place roma")
    while replayed(Game.objects.select_related("table").get(pk=game.pk)).state.battles == 0:
        tick()
        assert marks(deal)[0] == "open"
        play(game, "pass", "play")
    tick()
    assert marks(deal)[0] == "kept"
    assert events(deal)[-1] == "kept 1"


def test_to_pass_keeps_the_word_and_another_card_breaks_it(game: Game, people: list[Any]) -> None:
    promises = [ProposedPromise(seat, "passes") for seat in range(3)]
    deal = standing(game.table, *people, promises=promises)
    first = chooser(game)
    play(game, "place siena")
    play(game, "pass")
    play(game, "play 1", "play")
    tick()
    expected = ["open"] * 3
    expected[first], expected[(first + 1) % 3] = "kept", "broken"
    assert marks(deal)[:3] == expected


def test_a_move_of_the_clock_is_nobodys_word(game: Game, people: list[Any]) -> None:
    seat = chooser(game)
    mine = person_at(game, seat)
    deal = standing(game.table, mine, another(people, mine), promises=[no_attack(seat, "siena")])
    play(game, "place siena")
    LogEntry.objects.filter(game=game, move="place siena").update(via="clock")
    tick()
    assert marks(deal)[0] == "void"


def test_anyone_who_takes_the_seat_has_promised_nothing(game: Game, people: list[Any], dario: Any) -> None:
    seat = chooser(game)
    mine = person_at(game, seat)
    deal = standing(game.table, mine, another(people, mine), promises=[no_attack(seat, "siena")])
    give_up(game, seat_of(game.table, mine), dario)
    play(game, "place siena")
    tick()
    assert marks(deal)[0] == "void"
    assert events(deal)[-1] == "void 1"


def give_up(game: Game, seat: Any, to: Any) -> None:
    """Give the seat to someone else from now on, with an entry in the log of changes."""
    game.seat_changes.create(seat=seat.number, ply=game.ply, before=seat.user, after=to, at=timezone.now())
    game.table.seats.filter(pk=seat.pk).update(user=to)


def test_what_was_not_accepted_before_its_time_was_over_lapses(game: Game, people: list[Any]) -> None:
    deal = proposed_to(game.table, people[0], people[1], until="battle", until_number=1)
    play(game, "place roma")
    while replayed(Game.objects.select_related("table").get(pk=game.pk)).state.battles == 0:
        tick()
        assert Deal.objects.get().state == "proposed"
        play(game, "pass", "play")
    with pytest.raises(Refused, match="already over"):
        deal_answers.answer(seat_of(game.table, people[1]), deal.pk, accepts=True)
    tick()
    assert Deal.objects.get().state == "lapsed"


def test_what_was_proposed_to_someone_who_left_lapses(game: Game, people: list[Any], dario: Any) -> None:
    deal = proposed_to(game.table, *people)
    give_up(game, seat_of(game.table, people[2]), dario)
    with pytest.raises(Refused, match="has left the table"):
        deal_answers.answer(seat_of(game.table, people[1]), deal.pk, accepts=True)
    with pytest.raises(Refused, match="between other players"):
        deal_answers.answer(seat_of(game.table, dario), deal.pk, accepts=True)


def test_of_words_the_parties_say_themselves_whether_they_were_kept(game: Game, people: list[Any]) -> None:
    anna, bruno, carla = (seat_of(game.table, person) for person in people)
    deal = standing(game.table, people[0], people[1])
    deal_answers.say(bruno, deal.pk, "kept")
    assert marks(deal) == ["kept"]
    deal_answers.say(anna, deal.pk, "broken")
    assert marks(deal) == ["open"]
    deal_answers.say(anna, deal.pk, "kept")
    deal_answers.say(anna, deal.pk, "kept")
    assert marks(deal) == ["kept"]
    assert events(deal)[2:] == ["says kept", "says broken", "says kept"]
    with pytest.raises(Refused, match="between other players"):
        deal_answers.say(carla, deal.pk, "kept")


def test_of_words_that_no_one_accepted_nothing_is_said(game: Game, people: list[Any]) -> None:
    deal = proposed_to(game.table, people[0], people[1])
    with pytest.raises(Refused, match="is not in force"):
        deal_answers.say(seat_of(game.table, people[1]), deal.pk, "kept")


def test_its_channel_is_told_by_email_and_no_one_else(game: Game, people: list[Any]) -> None:
    OutgoingEmail.objects.all().delete()
    seat = chooser(game)
    mine = person_at(game, seat)
    other = another(people, mine)
    standing(game.table, mine, other, promises=[no_attack(seat, "siena")])
    play(game, "place siena")
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        tick()
    told = OutgoingEmail.objects.filter(kind="message")
    assert set(told.values_list("to_user", flat=True)) == {mine.pk, other.pk}


def test_a_game_whose_log_is_broken_holds_up_no_other(game: Game, people: list[Any]) -> None:
    broken = begin_game(people)
    for one in (broken, game):
        seat = chooser(one)
        standing(
            one.table,
            person_at(one, seat),
            another(people, person_at(one, seat)),
            promises=[no_attack(seat, "siena")],
        )
        play(one, "place siena")
    LogEntry.objects.filter(game=broken, move="place siena").update(move="place nowhere")
    tick()
    assert [marks(deal)[0] for deal in Deal.objects.order_by("pk")] == ["open", "broken"]


def test_nothing_in_the_game_knows_of_a_promise(game: Game, people: list[Any]) -> None:
    seat = chooser(game)
    before = list(map(str, legal_moves(replayed(game).state, seat)))
    mine = person_at(game, seat)
    standing(game.table, mine, another(people, mine), promises=[no_attack(seat, "siena")])
    assert list(map(str, legal_moves(replayed(game).state, seat))) == before
    play(game, "place siena")
