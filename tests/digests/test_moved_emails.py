"""Emails about every move: to people who want them, about the others' moves, each once."""

import re
from datetime import timedelta
from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail, Unsubscription
from accounts.mail.subscriptions import Subscription, unsubscribe
from games.models import Game, Seat
from games.models.replay import replayed
from games.rules import observe, parse_move, pending
from tests.digests.days import DAY, HOUR, MINUTE, Days, asked, games_of, of_kind, play_on, to, wants
from tests.games.playing import answer, game_where, legal_texts, submit

pytestmark = pytest.mark.django_db


def everybody_wants_every_move(days: Days, people: list[Any]) -> None:
    for person in people:
        wants(person, every_move=True)
    days.clear()


def moved_emails(person: Any, emails: list[Any]) -> list[Any]:
    return of_kind("moved", to(person, emails))


def test_someone_who_wants_them_gets_an_email_of_every_move_of_the_others(
    days: Days, people: list[Any]
) -> None:
    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    mover = asked(game)
    answer(game, "place siena")
    emails = days.pass_by(HOUR)
    next_one = asked(game)
    for person in people:
        told = moved_emails(person, emails)
        assert len(told) == (person not in (mover, next_one))
        for email in told:
            assert email.subject == "New moves: Table 1"
            assert f"{mover.name} chose to fight for Siena." in email.body
            assert f"Waiting for: {next_one.name}." in email.body
            assert email.extra_headers["References"] == f"<game-{game.pk}@testserver>"
            assert f"<moves-{game.pk}.testserver>" in email.extra_headers["List-Id"]


def test_no_one_gets_them_who_has_not_asked_for_them(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    for _number in range(6):
        play_on(game)
        assert of_kind("moved", days.pass_by(10 * MINUTE)) == []


def test_someone_who_turned_off_a_games_emails_gets_none_of_its_moves_either(
    days: Days, people: list[Any]
) -> None:
    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    for person in people:
        unsubscribe(Subscription(person.email, f"game-{game.pk}", "Table 1"))
    answer(game, "place siena")
    assert of_kind("moved", days.pass_by(HOUR)) == []
    assert set(OutgoingEmail.objects.filter(kind="moved").values_list("state", flat=True)) == {"unsubscribed"}


def test_each_step_is_told_once_and_none_is_ones_own(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    written: dict[Any, list[str]] = {person: [] for person in people}
    for number in range(18):
        play_on(game)
        emails = days.pass_by(timedelta(seconds=(20, 90, 400)[number % 3]))
        for person in people:
            written[person] += [email.body for email in moved_emails(person, emails)]
    names = {person: person.name for person in people}
    for person, bodies in written.items():
        news = [body.split("\n\n")[0] for body in bodies]
        assert len(news) > 2
        for text in news:
            assert not re.search(rf"^{names[person]} (passed|played|chose)", text, re.M)
    moves = [
        (email.to_user_id, email.context["after"]) for email in OutgoingEmail.objects.filter(kind="moved")
    ]
    assert len(moves) == len(set(moves))


def test_moves_that_follow_each_other_closely_are_told_together(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    answer(game, "place siena")
    looker_on = next(person for person in people if person != asked(game) and not was_mover(game, person))
    days.pass_by(timedelta(seconds=30))
    answer(game, "pass")
    emails = moved_emails(looker_on, days.pass_by(HOUR))
    if asked(game) == looker_on:
        assert emails == []  # the email of their decision says it
    else:
        assert len(emails) == 1


def was_mover(game: Game, person: Any) -> bool:
    seat = Seat.objects.get(table=game.table_id, user=person)
    return bool(game.log.filter(seat=seat.number).exists())


def two_hands(state: Any, decision: Any) -> bool:
    return decision.kind == "hand" and len(pending(state)) == 2


def test_nothing_is_told_before_a_secret_round_is_over(days: Days, people: list[Any]) -> None:
    game, _state = game_where(people, two_hands)
    everybody_wants_every_move(days, people)
    before = OutgoingEmail.objects.count()
    answer(game, "keep hand")
    assert OutgoingEmail.objects.count() == before
    assert days.pass_by(HOUR) == []


@pytest.mark.parametrize("moves", [("keep hand", "keep hand"), ("discard hand", "keep hand")])
def test_no_email_tells_who_answered_last_in_a_secret_round(
    days: Days, people: list[Any], moves: tuple[str, str]
) -> None:
    told = []
    for is_turned in (False, True):
        game, state = game_where(people, two_hands)
        game.table.seats.update(is_first_game=True)
        everybody_wants_every_move(days, people)
        answers = list(zip(pending(state), moves, strict=True))
        for decision, text in reversed(answers) if is_turned else answers:
            submit(game, decision.seat, parse_move(text), decision.decision_step, "web")
        emails = days.pass_by(HOUR)
        plain = [(email.to, email.subject, re.sub(r"https?://\S+", "", email.body)) for email in emails]
        told.append(sorted(plain))
    assert told[0] == told[1]
    assert told[0]


def test_an_email_of_a_move_shows_its_reader_their_own_hand_alone(days: Days, people: list[Any]) -> None:
    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    wants(people[0], hand_in_emails=False)
    answer(game, "place siena")
    answer(game, next(text for text in legal_texts(game) if text.startswith("play")))
    emails = days.pass_by(HOUR)
    for number, person in enumerate(people):
        hand = observe(replayed(game).state, number).hand or ()
        for email in moved_emails(person, emails):
            assert ("Your hand:" in email.body) == (person != people[0])
            if person != people[0]:
                line = next(line for line in email.body.split("\n") if line.startswith("Your hand:"))
                assert len(line.removeprefix("Your hand:").split()) >= len(hand)


def test_the_end_of_a_game_is_told_by_its_own_email_alone(days: Days, people: list[Any]) -> None:
    from tests.games.playing import play_to_the_end

    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    play_to_the_end(game)
    emails = days.pass_by(DAY)
    assert of_kind("moved", emails) == []
    assert len(of_kind("game_over", emails)) == 3


@pytest.mark.parametrize("kind", ["moves", "game"])
def test_they_stop_with_their_own_list_and_with_the_games(days: Days, people: list[Any], kind: str) -> None:
    game = games_of(people, 1)[0]
    everybody_wants_every_move(days, people)
    for person in people:
        Unsubscription.objects.create(address=person.email, list_id=f"{kind}-{game.pk}")
    for _number in range(4):
        play_on(game)
    emails = days.pass_by(HOUR)
    assert of_kind("moved", emails) == []
    assert of_kind("your_turn", emails)
    assert {email.state for email in OutgoingEmail.objects.filter(kind="moved")} <= {
        "unsubscribed",
        "overtaken",
    }
