"""Worlds of a few games: they come to their end and keep the site's promises; a broken one is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.emails import game_context
from games.models import Game, LogEntry, Table, TimeEvent
from games.presenters.position import Position
from games.presenters.seats import PlayersSection, players_section
from games.views import play
from tests.simulation.games.checks import problems
from tests.simulation.games.people import Levers
from tests.simulation.games.report import Figures, printed
from tests.simulation.games.world import Club

pytestmark = [pytest.mark.django_db, pytest.mark.once]

ABSENT = {"vanishes and comes back": 35, "vanishes for good": 15}
Lived = Callable[..., tuple[Club, Figures]]


@pytest.mark.long
def test_games_of_all_kinds_of_people_end_and_keep_every_promise(lived: Lived) -> None:
    shares = ABSENT | {
        "has a mail scanner that opens every link": 20,
        "has an address that refuses mail": 10,
        "has an address from which mail comes back": 10,
        "is a host who pauses a game": 99,
        "is a host who gives more time": 99,
    }
    club, figures = lived(tables=2, shares=shares, seed=5)
    assert figures.problems == []
    assert len(figures.lengths) == Game.objects.count() == 2
    assert Table.objects.exclude(state=Table.State.FINISHED).count() == 0
    assert figures.moves > 60
    assert figures.emails["your_turn"] > 20
    assert figures.looked_into > 5
    assert {person.kind.name for person in club.people.values()}


@pytest.mark.long
def test_people_give_standing_orders_which_play_and_ask(lived: Lived) -> None:
    _club, figures = lived(levers=Levers(orders=100, captains=True))
    assert figures.problems == []
    assert figures.orders["fight"] > 0
    assert 0 < figures.ordered < figures.moves
    assert figures.stops
    assert figures.turn_emails == [figures.emails["your_turn"] + figures.emails["waiting"]]
    assert sum(figures.battle_emails) <= figures.turn_emails[0]
    report = "\n".join(printed(figures, "hours", 3, 2.0))
    assert f"they made {figures.ordered} moves" in report


@pytest.mark.long
def test_people_who_reply_to_emails_play_by_replies(lived: Lived) -> None:
    _club, figures = lived(levers=Levers(orders=0, replies=100, holds=0), looked_into=0.0)
    assert figures.problems == []
    assert figures.replied > figures.moves / 2
    assert 0 < figures.emails["reply_receipt"] <= figures.replied  # turn emails may answer others


@pytest.mark.long
def test_the_report_tells_what_was_found(usual: Figures) -> None:
    report = "\n".join(printed(usual, "hours", 3, 2.0))
    assert "1 games of 3" in report
    assert "length in days: median" in report
    assert "FAILED" not in report
    usual.problems.append("something broke")
    assert "FAILED: something broke" in "\n".join(printed(usual, "hours", 3, 2.0))


@pytest.mark.long
def test_figures_of_several_worlds_are_added_up(usual: Figures) -> None:
    twice = Figures.from_json(usual.as_json())
    twice.add(usual)
    assert twice.lengths == usual.lengths * 2
    assert twice.emails["your_turn"] == 2 * usual.emails["your_turn"]


def time_out_early() -> None:
    entry = LogEntry.objects.filter(via=LogEntry.Via.CLOCK)[0]
    for later in LogEntry.objects.filter(game=entry.game, ply__gte=entry.ply):
        later.at -= timedelta(minutes=10)
        later.save()


def lose_reminders() -> None:
    OutgoingEmail.objects.filter(kind="reminder").update(state=OutgoingEmail.State.OVERTAKEN)


def write_twice() -> None:
    sent = OutgoingEmail.objects.filter(kind="your_turn", state=OutgoingEmail.State.SENT).order_by("pk")
    back = set(TimeEvent.objects.filter(kind=TimeEvent.Kind.BACK).values_list("game", "seat"))  # asked again
    email = next(one for one in sent if (one.context["game"], one.context["seat"]) not in back)
    email.pk, email.key, email.message_id = None, "another", "<another@example.org>"
    email.save()


def lose_an_email() -> None:
    OutgoingEmail.objects.filter(pk=OutgoingEmail.objects.filter(kind="game_over")[0].pk).update(
        state=OutgoingEmail.State.FAILED
    )


def change_a_column() -> None:
    Game.objects.update(step=1)


def play_for_ever() -> None:
    Game.objects.update(ended_at=None)


BROKEN = {
    time_out_early: "early",
    lose_reminders: "without a delivered reminder",
    write_twice: "2 emails for one decision",
    lose_an_email: "(game_over) failed",
    change_a_column: "step is 1",
    play_for_ever: "did not end",
}


@pytest.mark.long
def test_someone_who_stays_away_is_reminded_and_stood_in_for_and_a_broken_promise_is_noticed(
    lived: Lived,
) -> None:
    shares = {"vanishes and comes back": 90, "vanishes for good": 0}
    club, figures = lived(shares=shares, players=4, seed=2, looked_into=0.05)
    assert figures.problems == []
    assert figures.emails["reminder"] > 0
    assert figures.time_outs > 0
    for breaks, words in BROKEN.items():
        with transaction.atomic():
            breaks()
            assert any(words in problem for problem in problems(club.people)), words
            transaction.set_rollback(True)
    assert list(problems(club.people)) == []


@pytest.mark.long
def test_an_email_that_tells_of_hidden_cards_is_noticed(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaking(position: Position) -> PlayersSection:
        players, hands = players_section(position), [sorted(hand) for hand in position.replay.state.hands]
        return replace(players, rows=tuple(replace(row, name=str(hands)) for row in players.rows))

    monkeypatch.setattr(game_context, "players_section", leaking)
    _club, figures = lived(looked_into=0.3)
    assert any("tells of hidden cards" in problem for problem in figures.problems)


@pytest.mark.long
def test_a_link_that_does_something_when_it_is_opened_is_noticed(
    lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    show = play.show_game

    def doing(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        User.objects.update(chat_emails="never")
        return show(request, *arguments, **named)

    monkeypatch.setattr(play, "show_game", doing)
    _club, figures = lived(shares={"has a mail scanner that opens every link": 99})
    assert any("opening a link wrote" in problem for problem in figures.problems)
