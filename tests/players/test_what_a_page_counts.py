"""A person's results, opponents, pace and reliability, from games whose ends the tests choose."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.models import User
from games.links import person_path
from games.models import Game, LogEntry, Seat, SeatChange, Table
from games.presenters.person_page import PersonPage, person_page
from games.selectors.seen_to_the_end import seen_to_the_end
from games.services.absence import play_for_absent
from games.services.seat_changes import fill_seat, give_up
from tests.games.playing import begin_game, play_to_the_end, play_until
from tests.players.games_of_a_year import played, repeat

pytestmark = pytest.mark.django_db


def won_by(game: Game, *winners: int, held: Sequence[int] = ()) -> Game:
    """Store another end of a game: its winners, and how many regions each seat held."""
    control = {f"{seat}.{number}": seat for seat, count in enumerate(held) for number in range(count)}
    result = {"winners": list(winners), "reason": "most regions" if winners else None}
    Game.objects.filter(pk=game.pk).update(result=result, glimpse={"control": control})
    return game


def page(person: User, reader: User | None = None) -> PersonPage:
    return person_page(person, reader or person)


def rows(person: User) -> dict[str, list[tuple[Any, ...]]]:
    return {
        one.edition: [
            (row.players, row.games, row.won, row.shared, row.share, row.average_regions) for row in one.rows
        ]
        for one in page(person).results
    }


def test_results_are_by_edition_and_number_of_players(anna: User, bruno: User, carla: User) -> None:
    won_by(played([anna, bruno]), 0, held=(6, 3))
    won_by(played([anna, bruno]), 1, held=(3, 6))
    won_by(played([anna, bruno, carla]), 0, 2, held=(4, 1, 4))
    won_by(played([anna, bruno], options_json={"edition": "1995", "variants": []}), 0, held=(4, 1))
    assert rows(anna) == {
        "2007": [
            (2, 2, 1, 0, Fraction(1), 4.5),
            (3, 1, 0, 1, Fraction(1, 2), 4.0),
            (0, 3, 1, 1, Fraction(3, 2), 13 / 3),
        ],
        "1995": [(2, 1, 1, 0, Fraction(1), 4.0)],
    }
    assert [row.percent for row in page(anna).results[0].rows] == [50, 50, 50]


def test_a_game_that_no_one_won_changes_no_result(anna: User, bruno: User) -> None:
    won_by(played([anna, bruno]))
    shown = page(anna)
    assert (shown.results, shown.opponents) == ([], [])
    assert shown.seen == (1, 1)


def test_the_final_battle_of_a_match_is_no_game_of_its_own(anna: User, bruno: User) -> None:
    game = won_by(played([anna, bruno]), 0)
    Game.objects.filter(pk=game.pk).update(final_battle=[5, 5])
    assert page(anna).results == []


def test_head_to_head_counts_victories_of_both(anna: User, bruno: User, carla: User) -> None:
    won_by(played([anna, bruno]), 0)
    won_by(played([anna, bruno, carla]), 1)
    won_by(played([carla, anna, bruno]), 1, 2)
    assert [(one.person, one.games, one.won, one.lost) for one in page(anna).opponents] == [
        (bruno, 3, 2, 2),
        (carla, 2, 1, 0),
    ]


def test_only_players_from_start_to_end_have_a_result(
    anna: User, bruno: User, carla: User, stranger: User
) -> None:
    game = begin_game([anna, bruno, carla])
    seat = Seat.objects.get(table=game.table, user=bruno)
    give_up(seat)
    fill_seat(Seat.objects.get(pk=seat.pk), stranger)
    play_to_the_end(game)
    won_by(game, 0)
    assert [one.person for one in page(anna).opponents] == [carla]
    assert [page(person).results != [] for person in (anna, bruno, carla, stranger)] == [
        True,
        False,
        True,
        False,
    ]
    assert [page(person).seen for person in (anna, bruno, stranger)] == [(1, 1), (0, 1), (1, 1)]


def test_a_seat_that_changed_hands_after_a_game_of_a_match_does_not_change_that_game(
    anna: User, bruno: User, carla: User
) -> None:
    game = won_by(played([anna, bruno]), 1)
    later = clock.now() + timedelta(hours=1)
    Seat.objects.filter(table=game.table, user=bruno).update(user=carla)
    SeatChange.objects.create(game=game, seat=1, ply=game.ply, before=bruno, after=carla, at=later)
    assert [len(page(person).results) for person in (bruno, carla)] == [1, 0]


def test_a_game_that_a_bot_ended_for_its_player_was_not_seen_to_the_end(anna: User, bruno: User) -> None:
    game = begin_game([anna, bruno], pace="day")
    play_for_absent(game, Seat.objects.get(table=game.table, user=bruno), game.ply, clock.now())
    play_to_the_end(game)
    assert seen_to_the_end([anna.pk, bruno.pk], anna) == {anna.pk: (1, 1), bruno.pk: (0, 1)}


def test_games_of_one_person_against_bots_are_practice(anna: User, bruno: User) -> None:
    game = begin_game([anna, bruno])
    Seat.objects.filter(table=game.table, user=bruno).update(user=None, bot=Seat.Bot.RECRUIT)
    play_to_the_end(game)
    assert page(anna).is_empty


def test_a_page_tells_a_reader_only_what_they_may_know(anna: User, bruno: User, stranger: User) -> None:
    won_by(played([anna, bruno]), 0)
    assert not page(anna, bruno).is_empty
    shown = page(anna, stranger)
    assert (shown.seen, shown.results, shown.opponents, shown.answers) == ((0, 0), [], [], "")
    html = Client().get(person_path(anna.pk)).content.decode()
    assert "There are no finished games here yet." in html
    assert "Bruno" not in html


def answered_after(game: Game, person: User, time: timedelta) -> None:
    """Store when each entry was made: this person's so long after the one before, others' at once."""
    seat = Seat.objects.get(table=game.table, user=person).number
    at = game.started_at
    for entry in LogEntry.objects.filter(game=game).order_by("ply"):
        at += time if entry.seat == seat else timedelta(0)
        LogEntry.objects.filter(pk=entry.pk).update(at=at)


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (0.5, "Usually within an hour"),
        (3, "Usually within a few hours"),
        (9, "Usually within half a day"),
        (20, "Usually within a day"),
        (40, "Usually within two days"),
        (90, "Often after more than two days"),
    ],
)
def test_how_fast_someone_answers_is_said_in_words(anna: User, bruno: User, hours: float, words: str) -> None:
    answered_after(played([anna, bruno]), anna, timedelta(hours=hours))
    assert page(anna).answers == words
    assert page(bruno).answers == "Usually within an hour"


def test_nothing_of_a_running_game_or_a_secret_answer_tells_how_fast_someone_is(
    anna: User, bruno: User
) -> None:
    running = begin_game([anna, bruno], watch=Table.Watch.ANYONE)
    play_until(running, lambda state, _decision: state.ply > 60)
    assert page(anna).answers == ""
    finished = played([anna, bruno])
    LogEntry.objects.filter(game=finished, seat__isnull=False).update(move="keep hand")
    assert page(anna).answers == ""


@pytest.mark.parametrize("own", [True, False])
def test_a_page_with_many_games_makes_as_many_queries_as_one_with_10(
    anna: User, bruno: User, carla: User, signed_in: Any, own: bool, long: bool
) -> None:
    many = 200 if long else 30
    game = played([anna, bruno, carla], watch=Table.Watch.ANYONE)
    repeat(game, 9)
    client = signed_in(anna) if own else Client()
    asked = []
    for more in (many - 10, 0):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            html = client.get(person_path(anna.pk)).content.decode()
        asked.append(len(queries))
        assert f"{10 if more else many} of {10 if more else many}" in html
        repeat(game, more)
    assert asked[0] == asked[1]
    assert asked[1] <= 15
