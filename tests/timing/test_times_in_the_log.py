"""The clocks' events are in a game's log, history and emails, and reveal no secret."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from games.models import Game, LogEntry, Table, TimeEvent
from games.models.replay import replayed
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.position import Position
from tests.games.playing import answer, decision_of, game_where, legal_texts, play_to_the_end

pytestmark = pytest.mark.django_db

NAMES = ("Anna", "Bruno", "Carla")
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def read(client: Client, path: str) -> str:
    page = unescape(client.get(path, follow=True).content.decode())
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"</?time[^>]*>", "", page)))


def read_by(game: Game, viewer: int | None, names: tuple[str, ...] = NAMES) -> GameLog:
    return GameLog(Position(game, replayed(game), names, viewer), is_whole=True)


def whole_log(game: Game, viewer: int | None) -> str:
    return " ".join(sentence for chapter in read_by(game, viewer).chapters for sentence in chapter.sentences)


def news(game: Game, viewer: int | None, names: tuple[str, ...] = NAMES) -> list[str]:
    return GameNews(read_by(game, viewer, names)).sentences()


def answered_by_clock(game: Game, text: str) -> None:
    """The first open decision is answered, and the entry is the clock's."""
    answer(game, text, via="clock")


def event(game: Game, kind: str, **more: Any) -> TimeEvent:
    return TimeEvent.objects.create(game=game, kind=kind, ply=game.ply, at=game.moved_at, **more)


def reach(people: list[Any], kind: str) -> Game:
    game, _state = game_where(people, lambda state, decision: decision.kind == kind)
    Table.objects.filter(pk=game.table_id).update(pace="day")
    return Game.objects.select_related("table").get(pk=game.pk)


def test_a_pass_of_the_clock_is_told_as_the_clocks(people: list[Any]) -> None:
    game, _state = game_where(
        people, lambda state, decision: decision.kind == "battle" and decision.seat == 1
    )
    Table.objects.filter(pk=game.table_id).update(pace="day")
    game = Game.objects.select_related("table").get(pk=game.pk)
    answered_by_clock(game, "pass")
    told = "Bruno ran out of time, so the site passed."
    for viewer in (0, 1, None):
        assert told in whole_log(game, viewer)
        assert told in news(game, viewer)
    answered_by_clock(game, next(text for text in legal_texts(game) if text.startswith(("pass", "place"))))
    assert told in news(game, 1), "their own last move was before both"


def test_ones_own_answer_is_still_no_news(people: list[Any]) -> None:
    game = reach(people, "battle")
    seat = decision_of(game).seat
    answer(game, "pass")
    assert not [told for told in news(game, seat) if "passed" in told and NAMES[seat] in told]


def test_a_region_that_was_drawn_and_cards_that_were_kept_are_told_so(people: list[Any]) -> None:
    game = reach(people, "place")
    name = NAMES[decision_of(game).seat]
    answered_by_clock(game, "place roma" if "place roma" in legal_texts(game) else legal_texts(game)[0])
    assert re.search(rf"{name} ran out of time, so the site drew \w+ to fight for\.", whole_log(game, None))
    game = reach(people, "keep")
    seat = decision_of(game).seat
    answered_by_clock(game, max(legal_texts(game), key=len))
    assert re.search(
        rf"{NAMES[seat]} ran out of time, so the site kept \d cards?", whole_log(game, (seat + 1) % 3)
    )
    assert "the site kept" in whole_log(game, seat)


def test_a_secret_answer_of_the_clock_is_told_to_no_one_else(people: list[Any], dario: Any) -> None:
    """R17: not before the game is over."""
    game = reach([*people, dario], "hand")
    names = (*NAMES, "Dario")
    seat = decision_of(game).seat
    if len([s for s in game.table.seats.all() if s.pending_decision == "hand"]) > 1:
        answered_by_clock(game, "keep hand")
        assert f"{names[seat]} ran out of time, so the site kept their hand." in news(game, seat, names)
    else:
        answered_by_clock(game, "keep hand")
    for viewer in (*range(4), None):
        if viewer != seat:
            chapters = read_by(game, viewer, names).chapters
            assert not [s for chapter in chapters for s in chapter.sentences if "ran out of time" in s]
    play_to_the_end(game)
    chapters = read_by(game, None, names).chapters
    assert [s for chapter in chapters for s in chapter.sentences if "the site kept their hand" in s]


# What happened, what everyone reads, and what its player reads instead.
EVENTS = [
    (
        {"kind": "paused", "until": NOON},
        "Everyone agreed to pause the game until Sunday 22 November, 12:00. No one’s time runs until then.",
        None,
    ),
    (
        {"kind": "paused", "until": NOON, "by": "Anna"},
        "Anna paused the game until",
        "You paused the game until",
    ),
    ({"kind": "resumed"}, "Everyone agreed to end the pause, so time runs again.", None),
    (
        {"kind": "resumed", "by": "Anna"},
        "Anna ended the pause, so time runs again.",
        "You ended the pause, so time runs again.",
    ),
    (
        {"kind": "extended", "amount": timedelta(hours=24)},
        "The players agreed to give 24 hours more to everyone whose turn it was.",
        None,
    ),
    (
        {"kind": "extended", "amount": timedelta(hours=1), "by": "Anna"},
        "Anna gave 1 hour more to everyone whose turn it was.",
        "You gave 1 hour more to everyone whose turn it was.",
    ),
    (
        {"kind": "credited", "amount": timedelta(hours=3, minutes=20)},
        "The site couldn’t be reached for 3 h 20 min, so everyone got that time back.",
        None,
    ),
    (
        {"kind": "credited", "seat": 0},
        "Anna got time back, because our email was late.",
        "Our email to you was late, so you got that time back.",
    ),
    (
        {"kind": "stood in", "seat": 0},
        "Anna is away, so a bot plays for now.",
        "You were away, so a bot played for you.",
    ),
    ({"kind": "back", "seat": 0}, "Anna is back and plays again.", "You came back to play."),
]


@pytest.mark.parametrize(("happened", "told", "told_anna"), EVENTS)
@pytest.mark.long
def test_what_was_done_to_the_clocks_is_told_to_all(
    game: Game,
    people: list[Any],
    signed_in: Any,
    happened: dict[str, Any],
    told: str,
    told_anna: str | None,
) -> None:
    if happened.get("by"):
        happened = happened | {"by": people[0]}
    event(game, **happened)
    Table.objects.update(watch="anyone")
    anna, *others = people
    assert (told_anna or told) in read(signed_in(anna), f"/games/{game.pk}/")
    for person in others:
        assert told in read(signed_in(person), f"/games/{game.pk}/")
    assert told in read(Client(), f"/watch/{game.table.watch_key}/")


def test_an_instant_is_told_in_the_readers_own_zone(game: Game, people: list[Any], signed_in: Any) -> None:
    event(game, "paused", until=NOON)
    people[1].time_zone = "Asia/Tokyo"
    people[1].save()
    assert "until Sunday 22 November, 21:00." in read(signed_in(people[1]), f"/games/{game.pk}/")
    assert "until Sunday 22 November, 12:00." in read(signed_in(people[0]), f"/games/{game.pk}/")


def test_what_is_announced_is_plain_text(game: Game, people: list[Any], signed_in: Any) -> None:
    event(game, "paused", until=NOON)
    page = signed_in(people[0]).get(f"/games/{game.pk}/").content.decode()
    assert re.search(r'data-newest="[^"<]*12:00\. No one’s time runs until then\."', page)


def test_the_history_of_a_finished_game_tells_it_before_its_entry(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    answer(game, legal_texts(game)[0])
    at = event(game, "stood in", seat=1).ply
    answered_by_clock(game, legal_texts(game)[-1])
    play_to_the_end(game)
    client = signed_in(people[0])
    told = "Bruno is away, so a bot plays for now."
    assert told in read(client, f"/games/{game.pk}/history/{at + 1}/")
    assert "ran out of time" in read(client, f"/games/{game.pk}/history/{at + 1}/")
    assert told not in read(client, f"/games/{game.pk}/history/{at}/")
    assert LogEntry.objects.get(game=game, ply=at).via == "clock"
