"""Two people, two tabs or two clicks at one moment, on PostgreSQL: one effect, clear answers."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from accounts.mail.models import OutgoingEmail
from games import services
from games.chat.models import Message
from games.links import LinkedDecision, answer_token, invitation_token, seat_token
from games.models import Game, LogEntry, Seat, Table
from games.models.replay import replayed
from games.rules import legal_moves
from tests.journeys.playing import Company, begun_game, made_table
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


# Tables' secrets with which two or three players are soon asked at once about their hands (R17).
SECRET_DECISIONS = {
    asked: hashlib.sha256(f"Two secret questions {number}".encode()).digest()
    for asked, number in ((2, 2206), (3, 2255))
}

Deed = Callable[[], HttpResponse]


@pytest.fixture
def rounds(long: bool) -> int:
    """How often a race is run: once could be luck."""
    return 4 if long else 2


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


def posting(client: Client, path: str, form: dict[str, object] | None = None) -> Deed:
    """One press of a button, for a thread to make."""
    return lambda: client.post(path, form or {})


def at_once(*deeds: Deed) -> list[HttpResponse]:
    """Do everything at the same moment, each in its own thread and database connection."""
    start = threading.Barrier(len(deeds))
    answers: list[HttpResponse | BaseException] = [RuntimeError("not done")] * len(deeds)

    def do(number: int, deed: Deed) -> None:
        try:
            connection.ensure_connection()
            start.wait(HANGS)
            answers[number] = deed()
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread below
            answers[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=pair) for pair in enumerate(deeds)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def follow(client: Client, answer: HttpResponse) -> str:
    """Return what the page says after the redirect."""
    return client.get(answer["Location"], follow=True).content.decode()


def the_log_is_sound(game: Game) -> None:
    plies = list(LogEntry.objects.filter(game=game).order_by("ply").values_list("ply", flat=True))
    assert plies == list(range(len(plies)))
    game.refresh_from_db()
    assert game.ply == len(plies)
    assert replayed(game).error is None


def test_the_last_seat_is_taken_by_one_of_two(
    signed_in: Any, anna: Any, bruno: Any, carla: Any, rounds: int
) -> None:
    for turn in range(rounds):
        table = services.make_table(anna, name=f"Table {turn}", size=2, entry="open")
        clients = [signed_in(bruno), signed_in(carla)]
        path = f"/tables/{table.pk}/take/"
        answers = at_once(*(posting(client, path) for client in clients))
        assert [answer.status_code for answer in answers] == [302, 302]
        assert table.seats.count() == 2
        seated = set(table.seats.values_list("user_id", flat=True))
        said = [client.get("/").content.decode() for client in clients]
        for person, words in zip((bruno, carla), said, strict=True):
            expected = (
                "You have taken a seat." if person.pk in seated else "All seats at this table are taken."
            )
            assert expected in words
        assert OutgoingEmail.objects.filter(kind="confirm").count() == 2 * (turn + 1)


@pytest.mark.long
def test_one_person_taking_a_seat_in_two_tabs_has_one_seat(
    signed_in: Any, anna: Any, bruno: Any, rounds: int
) -> None:
    for turn in range(rounds):
        table = services.make_table(anna, name=f"Table {turn}", size=3, entry="open")
        tabs = [signed_in(bruno), signed_in(bruno)]
        path = f"/tables/{table.pk}/take/"
        answers = at_once(*(posting(tab, path) for tab in tabs))
        for tab, answer in zip(tabs, answers, strict=True):
            assert "You have taken a seat." in follow(tab, answer)
        assert table.seats.filter(user=bruno).count() == 1


def test_an_invitation_accepted_twice_at_once_makes_one_account_and_one_seat(anna: Any, rounds: int) -> None:
    for turn in range(rounds):
        table = services.make_table(
            anna, name=f"Table {turn}", size=3, entry="invitation", invited=[f"new{turn}@example.org"]
        )
        path = f"/invitation/{invitation_token(table.invitations.get())}/"
        form = {"action": "accept", "name": "Newcomer"}
        answers = at_once(posting(Client(), path, form), posting(Client(), path, form))
        assert [answer.status_code for answer in answers] == [302, 302]
        assert table.seats.exclude(user=anna).count() == 1


def test_two_last_confirmations_start_one_game(anna: Any, bruno: Any, carla: Any, rounds: int) -> None:
    for turn in range(rounds):
        table = made_table([anna, bruno, carla], name=f"Table {turn}")
        first, *others = table.seats.order_by("number")
        services.confirm(first)
        paths = [f"/seat/{seat_token(seat)}/" for seat in others]
        answers = at_once(*(posting(Client(), path, {"action": "confirm"}) for path in paths))
        assert [answer.status_code for answer in answers] == [302, 302]
        game = Game.objects.get(table=table)
        the_log_is_sound(game)
        assert LogEntry.objects.filter(game=game).count() == 1
        assert OutgoingEmail.objects.filter(kind="started", context__game=game.pk).count() == 2
        assert OutgoingEmail.objects.filter(kind="your_turn", context__game=game.pk).count() == 1


def test_the_same_confirmation_twice_starts_one_game(anna: Any, bruno: Any, rounds: int) -> None:
    for turn in range(rounds):
        table = made_table([anna, bruno], name=f"Table {turn}")
        first, last = table.seats.order_by("number")
        services.confirm(first)
        path = f"/seat/{seat_token(last)}/"
        answers = at_once(*(posting(Client(), path, {"action": "confirm"}) for _tab in range(2)))
        assert [answer.status_code for answer in answers] == [302, 302]
        the_log_is_sound(Game.objects.get(table=table))


def test_leaving_and_the_last_confirmation_end_in_one_of_the_two(anna: Any, bruno: Any, rounds: int) -> None:
    for turn in range(rounds):
        table = made_table([anna, bruno], name=f"Table {turn}")
        first, last = table.seats.order_by("number")
        services.confirm(last)
        at_once(
            posting(Client(), f"/seat/{seat_token(first)}/", {"action": "confirm"}),
            posting(Client(), f"/seat/{seat_token(last)}/", {"action": "leave"}),
        )
        table.refresh_from_db()
        has_begun = Game.objects.filter(table=table).exists()
        assert has_begun == (table.state == Table.State.PLAYING)
        assert table.seats.count() == (2 if has_begun else 1)


def posts(game: Game, seat: int, decision_step: int, move: str) -> tuple[Deed, Deed]:
    """Give the same answer on the signed-in page and by the email's link."""
    user = Seat.objects.get(table_id=game.table_id, number=seat).user
    page = Client()
    page.force_login(user, backend=settings.AUTHENTICATION_BACKENDS[0])
    link = f"/answer/{answer_token(LinkedDecision(game.pk, seat, user.pk, decision_step))}/move/"
    return (
        posting(page, f"/games/{game.pk}/move/", {"move": move, "decision_step": decision_step}),
        posting(Client(), link, {"move": move, "decision_step": decision_step}),
    )


def test_the_same_move_twice_at_once_is_played_once_and_both_are_told_it_is_done(
    anna: Any, bruno: Any, carla: Any, rounds: int
) -> None:
    roster = Company(begun_game([anna, bruno, carla]))
    for _turn in range(3 * rounds):
        (decision,) = roster.open_decisions()
        before = roster.game.ply
        move = str(legal_moves(replayed(roster.game).state, decision.seat)[0])
        answers = at_once(*posts(roster.game, decision.seat, decision.decision_step, move))
        assert [answer.status_code for answer in answers] == [302, 302]
        the_log_is_sound(roster.game)
        played = LogEntry.objects.filter(game=roster.game, ply__gte=before, seat__isnull=False)
        assert [(entry.seat, entry.move) for entry in played] == [(decision.seat, move)]


def test_two_different_moves_for_one_decision_one_stands_and_the_other_is_told_so(
    anna: Any, bruno: Any, carla: Any, rounds: int
) -> None:
    roster = Company(begun_game([anna, bruno, carla]))
    for _turn in range(3 * rounds):
        (decision,) = roster.open_decisions()
        before = roster.game.ply
        moves = [str(move) for move in legal_moves(replayed(roster.game).state, decision.seat)]
        one, _ = posts(roster.game, decision.seat, decision.decision_step, moves[0])
        _, other = posts(roster.game, decision.seat, decision.decision_step, moves[-1])
        answers = at_once(one, other)
        assert sorted(answer.status_code for answer in answers) == [302, 409]
        refused = next(answer for answer in answers if answer.status_code == 409)
        assert (
            "You have already made your move for that turn. It was not changed." in refused.content.decode()
        )
        the_log_is_sound(roster.game)
        won = moves[0] if answers[0].status_code == 302 else moves[-1]
        played = LogEntry.objects.filter(game=roster.game, ply__gte=before, seat__isnull=False)
        assert [entry.move for entry in played] == [won]
        roster.answer(roster.open_decisions()[0])


@pytest.mark.parametrize("asked", [2, 3])
def test_r17_secret_answers_at_once_all_count_and_one_of_them_closes_the_step(
    anna: Any, bruno: Any, carla: Any, asked: int
) -> None:
    roster = Company(begun_game([anna, bruno, carla], secret=SECRET_DECISIONS[asked]))
    roster.play_until("hand")
    decisions, game, step = roster.open_decisions(), roster.game, roster.game.step
    assert [decision.kind for decision in decisions] == ["hand"] * asked
    moves = ["discard hand", "keep hand", "discard hand"][:asked]
    accesses = [
        posts(game, decision.seat, decision.decision_step, move)[number % 2]
        for number, (decision, move) in enumerate(zip(decisions, moves, strict=True))
    ]
    answers = at_once(*accesses)
    assert [answer.status_code for answer in answers] == [302] * asked
    the_log_is_sound(roster.game)
    decided = LogEntry.objects.filter(game=game, decision_step=decisions[0].decision_step).order_by("seat")
    assert [(entry.seat, entry.move) for entry in decided] == [
        (decision.seat, move) for decision, move in zip(decisions, moves, strict=True)
    ]
    following = roster.open_decisions()
    assert roster.game.step > step
    assert {decision.kind for decision in following} <= {"battle", "keep"}
    written = OutgoingEmail.objects.filter(
        kind="your_turn", context__decision_step__gt=decisions[0].decision_step
    )
    assert written.count() == len(following)


@pytest.mark.long
def test_the_same_message_sent_twice_at_once_stands_once(
    signed_in: Any, anna: Any, bruno: Any, rounds: int
) -> None:
    table = made_table([anna, bruno])
    path = f"/tables/{table.pk}/chat/"
    for turn in range(rounds):
        last = Message.objects.order_by("-pk").first()
        form = {"text": f"Message {turn}", "after": last.number if last else 0}
        answers = at_once(*(posting(signed_in(anna), path, form) for _ in range(3)))
        assert {answer.status_code for answer in answers} == {302}
        assert Message.objects.count() == turn + 1
    assert OutgoingEmail.objects.filter(kind="message").count() == 1


@pytest.mark.long
def test_two_who_write_at_once_are_both_told_of_in_one_email(
    signed_in: Any, anna: Any, bruno: Any, carla: Any, rounds: int
) -> None:
    table = made_table([anna, bruno, carla])
    path = f"/tables/{table.pk}/chat/"
    for turn in range(rounds):
        writers = (anna, bruno)
        at_once(*(posting(signed_in(writer), path, {"text": f"Turn {turn}"}) for writer in writers))
    assert Message.objects.count() == 2 * rounds
    assert OutgoingEmail.objects.filter(kind="message", to_user=carla).count() == 1
