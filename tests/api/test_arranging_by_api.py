"""What players of a game arrange by a program: time, notes, a rematch, what is read, shown cards."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from accounts.clock import now
from accounts.models import User
from games.chat.models import ChannelReadMarker, SealedNote, ShownCards
from games.chat.services.sealed_note_openings import open_sealed_notes
from games.models import Game, Note, Proposal, ReadMarker, Table
from games.models.replay import replayed
from games.rules import observe
from games.services.read_markers import mark_game_read, read_up_to
from tests.api.asking import Program, told
from tests.games.playing import answer, begin_game, legal_texts, play_to_the_end
from tests.people import all_proven

pytestmark = pytest.mark.django_db
PAUSE = {"what": "pause", "amount": 3}


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def programs(people: list[User]) -> list[Program]:
    return [Program(person) for person in people]


def test_players_pause_a_game_and_go_on_once_all_agree(people: list[User], programs: list[Program]) -> None:
    path = f"games/{begin_game(people, pace='day').pk}"
    for _twice in range(2):
        seen = told(programs[0].post(f"{path}/proposals", PAUSE))["proposal"]
    assert (seen["number"], seen["what"], seen["amount"], seen["agreed"]) == (1, "pause", 3, [0])
    assert told(programs[1].get(path))["paused_until"] is None
    for program in programs[1:]:
        paused = told(program.post(f"{path}/proposals/1/answer", {"accepts": True}))
    assert paused["proposal"] is None
    assert paused["paused_until"] > (now() + timedelta(days=2)).isoformat()
    told(programs[1].post(f"{path}/proposals", {"what": "go on"}))
    for program in (programs[0], programs[2]):
        seen = told(program.post(f"{path}/proposals/2/answer", {"accepts": True}))
    assert seen["paused_until"] is None


def test_players_give_more_time(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people, pace="day")
    path, asked = f"games/{game.pk}", game.table.seats.exclude(due_at=None)
    before = asked.get().due_at
    told(programs[0].post(f"{path}/proposals", {"what": "more time", "amount": 24}))
    told(programs[1].post(f"{path}/proposals/1/answer", {"accepts": True}))
    assert asked.get().due_at == before
    told(programs[2].post(f"{path}/proposals/1/answer", {"accepts": True}))
    assert before is not None
    assert asked.get().due_at >= before + timedelta(hours=23)


def test_changes_of_time_that_make_no_sense_are_refused(people: list[User], programs: list[Program]) -> None:
    path, untimed = (f"games/{begin_game(people, pace=pace).pk}" for pace in ("day", "none"))
    for body in ({"what": "pause"}, PAUSE | {"amount": 31}, {"what": "more time", "amount": 169}):
        assert told(programs[0].post(f"{path}/proposals", body), 409)["code"] == "refused", body
    assert told(programs[0].post(f"{path}/proposals", {"what": "go on"}), 409)["detail"]
    assert told(programs[0].post(f"{untimed}/proposals", PAUSE), 409)["detail"]
    for body in ({"what": "nap"}, PAUSE | {"amount": 0}, PAUSE | {"amount": 2**70}, PAUSE | {"why": 1}):
        assert told(programs[0].post(f"{path}/proposals", body), 422)["code"] == "bad-input"
    assert not Proposal.objects.exists()


def test_where_the_host_decides_time_only_the_host_changes_it(
    people: list[User], programs: list[Program]
) -> None:
    hosted = begin_game(people, pace="day", time_by=Table.TimeBy.HOST)
    shared = begin_game(people, pace="day")
    path = f"games/{hosted.pk}/time"
    for _twice in range(2):
        assert told(programs[0].post(path, PAUSE))["paused_until"]
    assert hosted.time_events.count() == 1
    assert told(programs[1].post(path, {"what": "go on"}), 409)["code"] == "refused"
    assert told(programs[0].post(path, {"what": "go on"}))["paused_until"] is None
    told(programs[0].post(path, {"what": "more time", "amount": 2}))
    assert told(programs[0].post(path, {"what": "most regions"}), 422)
    assert told(programs[0].post(f"games/{shared.pk}/time", PAUSE), 409)["code"] == "refused"
    assert told(Program(people[0], ("read",)).post(path, PAUSE), 403)
    assert not shared.time_events.exists()


def test_a_note_is_ones_own(people: list[User], programs: list[Program]) -> None:
    path = f"games/{begin_game(people[:2]).pk}/note"
    assert told(programs[0].get(path)) == {"text": ""}
    for _twice in range(2):
        assert (
            told(programs[0].post(path, {"text": "Bruno bluffs.\nAlways."}))["text"]
            == "Bruno bluffs.\nAlways."
        )
    assert told(programs[0].get(path))["text"] == "Bruno bluffs.\nAlways."
    assert told(programs[1].get(path)) == {"text": ""}
    assert told(programs[2].get(path), 404)
    assert told(programs[2].post(path, {"text": "x"}), 404)
    assert told(programs[0].post(path, {"text": "x" * 10_001}), 422)["errors"][0]["field"] == "text"
    told(programs[0].post(path, {"text": " "}))
    assert not Note.objects.exists()


def test_a_rematch_has_one_table_for_all_who_ask(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people)
    assert told(programs[0].post(f"games/{game.pk}/rematch"), 409)["code"] == "refused"
    play_to_the_end(game)
    tables = [told(program.post(f"games/{game.pk}/rematch")) for program in (programs[0], *programs)]
    assert len({table["id"] for table in tables}) == 1
    assert tables[0]["is_host"]
    assert [len(table["seats"]) for table in tables] == [1, 1, 2, 3]
    assert Table.objects.count() == 2


def test_a_game_is_marked_as_read_up_to_a_step_and_never_back(
    people: list[User], programs: list[Program]
) -> None:
    game = begin_game(people)
    path = f"games/{game.pk}"
    for _turn in range(3):
        answer(game, legal_texts(game)[0])
        game.refresh_from_db()
    step = told(programs[0].get(path))["step"]
    for sent, expected in ((1, 1), (step, step), (1, step), (2**31 - 1, step)):
        told(programs[0].post(f"{path}/read", {"step": sent}))
        marker = ReadMarker.objects.get()
        assert (marker.user, marker.number, marker.step) == (people[0], 1, expected)
    client = Client()
    client.force_login(people[0])
    assert client.get(f"/games/{game.pk}/").context["page"].log is not None
    assert told(Program(all_proven({"dario@example.org": "Dario"})[0]).post(f"{path}/read", {"step": 1}), 404)


def test_of_two_who_mark_a_game_at_once_the_later_step_stays(people: list[User]) -> None:
    game, anna = begin_game(people), people[0]
    for _turn in range(3):
        answer(game, legal_texts(game)[0])
        game.refresh_from_db()
    mark_game_read(game, anna, 0, None)
    both_saw = read_up_to(game, anna)
    for step in (game.step, 1):
        mark_game_read(game, anna, step, both_saw)
    assert read_up_to(game, anna) == (1, game.step)
    assert game.step > 1


def test_a_channel_is_marked_as_read_and_others_do_not_see_it(
    people: list[User], programs: list[Program]
) -> None:
    path = f"tables/{begin_game(people).table_id}/channels/table"
    for number in range(3):
        told(programs[0].post(f"{path}/messages", {"text": f"Message {number}.", "after": number}))
    before = programs[2].get(path.removesuffix("/table")).content
    unread = [told(programs[1].post(f"{path}/read", {"number": number}))["unread"] for number in (0, 2, 1, 9)]
    assert unread == [3, 1, 1, 0]
    assert programs[2].get(path.removesuffix("/table")).content == before
    assert ChannelReadMarker.objects.get(user=people[1]).last_read == 3
    assert told(programs[1].post(f"{path}/read", {"number": 2**70}), 422)
    assert told(Program(people[1], ("read",)).post(f"{path}/read", {"number": 1}), 403)


def test_cards_of_ones_hand_are_shown_once(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people)
    path = f"tables/{game.table_id}/channels"
    slug = told(programs[0].post(path, {"seats": [1], "text": "Look."}))["slug"]
    hand = observe(replayed(game).state, 0).hand or ()
    for _twice in range(2):
        shown = told(programs[0].post(f"{path}/{slug}/shown-cards", {"cards": list(hand[:2])}))
    assert (shown["number"], shown["is_yours"], shown["kind"]) == (2, True, "shown")
    assert ShownCards.objects.get().cards == list(hand[:2])
    seen = told(programs[1].get(f"{path}/{slug}/messages"))[-1]
    assert seen["text"] == shown["text"].replace("You", "Anna")
    assert told(programs[2].post(f"{path}/{slug}/shown-cards", {"cards": list(hand[:2])}), 404)
    for wrong in (["no card"], [hand[0]] * 20):
        assert told(programs[0].post(f"{path}/table/shown-cards", {"cards": wrong}), 409)["code"] == "refused"
    assert told(programs[0].post(f"{path}/table/shown-cards", {"cards": []}), 422)
    closed = begin_game(people, shows_cards=False)
    assert told(
        programs[0].post(f"tables/{closed.table_id}/channels/table/shown-cards", {"cards": [hand[0]]}), 409
    )


def test_a_sealed_note_is_read_after_it_opens(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people)
    path = f"tables/{game.table_id}/channels/table"
    sent = {"text": "Carla wins.", "opens": "game"}
    for _twice in range(2):
        sealed = told(programs[0].post(f"{path}/sealed-notes", sent))
    assert SealedNote.objects.count() == 1
    assert "Carla wins." not in str(told(programs[1].get(f"{path}/messages")))
    for wrong, status in (
        ({"opens": "region"}, 422),
        ({"opens": "game", "region": "roma"}, 422),
        ({"opens": "region", "region": "paris"}, 422),
        ({"opens": "later"}, 422),
        ({"text": ""}, 422),
    ):
        assert told(programs[0].post(f"{path}/sealed-notes", sent | wrong), status)["errors"]
    told(programs[1].post(f"{path}/sealed-notes", {"text": "Mine.", "opens": "region", "region": "roma"}))
    play_to_the_end(Game.objects.get())
    open_sealed_notes(now())
    assert "Carla wins." in str(told(programs[1].get(f"{path}/messages")))
    assert sealed["kind"] == "sealed"
    assert told(programs[0].post(f"{path}/sealed-notes", sent), 409)["code"] == "refused"
