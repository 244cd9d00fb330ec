"""What a host does with a table by a program, and a player before the game: invite, remove, cancel, leave."""

from __future__ import annotations

import pytest

from accounts.bots import make_bot
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.rate_limits import hit
from games import services
from games.models import Game, Invitation, Seat, Table
from games.rules import nonce_from_words
from tests.api.asking import Program, told
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.people import all_proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def programs(people: list[User]) -> list[Program]:
    return [Program(person) for person in people]


def a_table(people: list[User], seated: int = 1, **terms: object) -> Table:
    return seat_table(people[:seated], **{"size": 3, "entry": "invitation"} | terms)


def test_an_address_is_invited_once_and_the_host_sees_it_until_it_is_taken(
    people: list[User], programs: list[Program]
) -> None:
    anna, bruno, table = programs[0], programs[1], a_table(people)
    path = f"tables/{table.pk}"
    for _twice in range(2):
        invited = told(anna.post(f"{path}/invitations", {"email": "Bruno <bruno@example.org>"}))
        assert invited == [{"number": 1, "to": "Bruno <bruno@example.org>", "state": "sent"}]
    assert OutgoingEmail.objects.filter(kind="invitation").count() == 1
    assert told(bruno.get(path))["is_invited"]
    assert bruno.delete(f"{path}/invitation").status_code == 204
    assert [one["state"] for one in told(anna.get(f"{path}/invitations"))] == ["declined"]
    told(anna.post(f"{path}/invitations", {"email": "bruno@example.org"}))
    assert OutgoingEmail.objects.filter(kind="invitation").count() == 2
    told(bruno.post(f"{path}/seat"))
    assert told(anna.get(f"{path}/invitations")) == []


def test_people_and_bots_are_invited_by_name_without_their_address(
    people: list[User], programs: list[Program]
) -> None:
    robin = make_bot(people[0], "Robin")
    assert robin is not None
    play_to_the_end(begin_game(people[:2]))
    known = told(programs[0].get("me/people"))
    assert [(one["name"], one["is_bot"]) for one in known] == [("Robin (bot)", True), ("Bruno", False)]
    table = a_table(people, takes_bots=True)
    for one in (*known, known[0]):
        told(programs[0].post(f"tables/{table.pk}/invitations", {"person": one["key"]}))
    listed = told(programs[0].get(f"tables/{table.pk}/invitations"))
    assert [(one["number"], one["to"]) for one in listed] == [(1, "Robin (bot)"), (2, "Bruno")]
    assert "@" not in str(known) + str(listed)
    told(Program(robin).post(f"tables/{table.pk}/seat"))
    stranger = told(programs[2].get("me/people"))
    assert stranger == []
    wrong = programs[2].post(f"tables/{a_table(people[2:]).pk}/invitations", {"person": known[1]["key"]})
    assert told(wrong, 422)["errors"][0]["field"] == "person"


def test_what_is_no_address_invites_no_one(people: list[User], programs: list[Program]) -> None:
    path = f"tables/{a_table(people).pk}/invitations"
    for body in ({}, {"email": ""}, {"email": "bruno"}, {"email": "x" * 400}, {"person": "1"}):
        assert told(programs[0].post(path, body), 422)["code"] == "bad-input"
    both = told(programs[0].post(path, {"person": "1", "email": "bruno@example.org"}), 422)
    assert both["errors"] == [{"field": "email", "detail": "Give either a person or an email address."}]
    assert told(programs[0].post(path, {"email": "anna@example.org"}), 409)["code"] == "refused"
    people[0].name_chosen = False
    people[0].save()
    assert told(programs[0].post(path, {"email": "bruno@example.org"}), 409)["code"] == "no-name"
    assert not Invitation.objects.exists()


def test_of_several_addresses_all_are_invited_or_none(people: list[User], programs: list[Program]) -> None:
    path = f"tables/{a_table(people, 2).pk}/invitations"
    refused = programs[0].post(path, {"email": "alba@example.org, bruno@example.org"})
    assert told(refused, 409)["detail"].startswith("bruno@example.org already has a seat")
    assert not Invitation.objects.exists()
    assert not OutgoingEmail.objects.filter(kind="invitation").exists()
    invited = told(programs[0].post(path, {"email": "dario@example.org, alba@example.org"}))
    assert [one["to"] for one in invited] == ["alba@example.org", "dario@example.org"]


def test_invitations_have_the_limits_of_the_page(people: list[User], programs: list[Program]) -> None:
    path = f"tables/{a_table(people).pk}/invitations"
    for _invited in range(services.table_invitations.INVITATIONS_A_DAY):
        hit("invite", str(people[0].pk), services.table_invitations.INVITATIONS_A_DAY)
    assert "limit" in told(programs[0].post(path, {"email": "bruno@example.org"}), 409)["detail"]


def test_an_invitation_is_withdrawn_and_no_longer_gives_a_seat(
    people: list[User], programs: list[Program]
) -> None:
    anna, bruno, table = programs[0], programs[1], a_table(people)
    path = f"tables/{table.pk}/invitations"
    told(anna.post(path, {"email": "bruno@example.org"}))
    for _twice in range(2):
        assert [one["state"] for one in told(anna.delete(f"{path}/1"))] == ["withdrawn"]
    assert told(bruno.post(f"tables/{table.pk}/seat"), 404)
    for number in (0, 2, 10**15):
        assert told(anna.delete(f"{path}/{number}"), 404)
    told(anna.post(path, {"email": "bruno@example.org"}))
    told(bruno.post(f"tables/{table.pk}/seat"))
    assert told(anna.delete(f"{path}/1"), 409)["code"] == "refused"


def test_a_host_frees_seats_of_players_and_bots(people: list[User], programs: list[Program]) -> None:
    anna, table = programs[0], a_table(people, 2)
    path = f"tables/{table.pk}"
    seats = told(anna.post(f"{path}/bots", {"strength": "captain", "taken": 2}))["seats"]
    assert [seat["id"] is None for seat in seats] == [True, False, False]
    assert [seat["id"] for seat in told(programs[1].get(path))["seats"]] == [None] * 3
    for seat in seats[1:]:
        for _twice in range(2):
            left = told(anna.delete(f"{path}/seats/{seat['id']}"))["seats"]
        assert seat["id"] not in [one["id"] for one in left]
    assert [one["name"] for one in left] == ["Anna"]
    own = table.seats.get(user=people[0])
    assert told(anna.delete(f"{path}/seats/{own.pk}"), 409)["code"] == "refused"
    other = a_table(people[2:])
    told(anna.delete(f"{path}/seats/{other.seats.get().pk}"))
    assert other.seats.exists()


def test_a_host_keeps_a_table_open_and_cancels_it(people: list[User], programs: list[Program]) -> None:
    anna, bruno, table = programs[0], programs[1], a_table(people, 2)
    path, closes_at = f"tables/{table.pk}", table.closes_at
    Table.objects.filter(pk=table.pk).update(closes_at="2020-01-01T00:00Z")
    for _twice in range(2):
        assert told(anna.post(f"{path}/keep-open"))["state"] == "gathering"
    assert Table.objects.get(pk=table.pk).closes_at >= closes_at
    for _twice in range(2):
        assert told(anna.delete(path))["state"] == "cancelled"
    assert told(bruno.get(path))["state"] == "cancelled"
    assert OutgoingEmail.objects.filter(kind="cancelled", to_user=people[1]).count() == 1
    assert told(anna.post(f"{path}/keep-open"), 409)["detail"] == "The host has cancelled this table."
    assert told(anna.post(f"{path}/invitations", {"email": "x@example.org"}), 409)


def test_only_the_host_can_do_this(people: list[User], programs: list[Program]) -> None:
    table = a_table(people, 2, entry="open")
    told(programs[0].post(f"tables/{table.pk}/invitations", {"email": "x@example.org"}))
    path = f"tables/{table.pk}"
    for program in programs[1:]:
        assert told(program.get(f"{path}/invitations"), 404)
        assert told(program.post(f"{path}/invitations", {"email": "y@example.org"}), 404)
        assert told(program.post(f"{path}/keep-open"), 404)
        for what in ("", "/invitations/1", f"/seats/{table.seats.first().pk}"):
            assert told(program.delete(f"{path}{what}"), 404)
    assert (Invitation.objects.count(), table.seats.count()) == (1, 2)
    assert Table.objects.get().state == Table.State.GATHERING


def test_once_the_game_runs_nothing_of_this_is_done(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people)
    path, seat = f"tables/{game.table_id}", Seat.objects.get(user=people[1])
    assert told(programs[0].delete(path), 409)["code"] == "refused"
    assert told(programs[0].delete(f"{path}/seats/{seat.pk}"), 409)["code"] == "refused"
    assert told(programs[0].post(f"{path}/invitations", {"email": "x@example.org"}), 409)
    assert told(programs[1].delete(f"{path}/seat"), 409)["code"] == "refused"
    assert {one["id"] for one in told(programs[0].get(path))["seats"]} == {None}
    assert not Game.objects.get().is_over


def test_a_host_does_not_learn_to_whom_players_offer_their_seats(
    people: list[User], programs: list[Program]
) -> None:
    path = f"tables/{begin_game(people).table_id}/invitations"
    services.hand_over(Seat.objects.get(user=people[1]), "dario@example.org")
    assert told(programs[0].get(path)) == []
    assert told(programs[0].delete(f"{path}/1"), 404)
    assert Invitation.objects.get().state == "sent"


def test_a_player_leaves_before_the_game_begins(people: list[User], programs: list[Program]) -> None:
    table = a_table(people, 2)
    for _twice in range(2):
        assert programs[1].delete(f"tables/{table.pk}/seat").status_code == 204
    assert told(programs[0].delete(f"tables/{table.pk}/seat"), 409)["code"] == "refused"
    assert table.seats.count() == 1


def test_a_joining_link_gives_a_seat_at_a_table_that_is_not_listed(
    people: list[User], programs: list[Program]
) -> None:
    table, by_invitation = a_table(people, entry="link"), a_table(people)
    for _twice in range(2):
        assert len(told(programs[1].post(f"join/{table.join_key}/seat"))["seats"]) == 2
    assert told(programs[1].post(f"tables/{by_invitation.pk}/seat"), 404)
    for key in (by_invitation.join_key, "guessed"):
        assert told(programs[1].post(f"join/{key}/seat"), 404)
    play = begin_game(people[:2], entry="link").table
    assert told(programs[2].post(f"join/{play.join_key}/seat"), 409)["code"] == "refused"


def test_words_for_the_shuffle_count_until_the_player_confirms(
    people: list[User], programs: list[Program]
) -> None:
    table = a_table(people, 2, size=2)
    path, seat = f"tables/{table.pk}", table.seats.get(user=people[1])
    for words in ("A heron, two owls.", "A heron, two owls.", "", "Three owls."):
        told(programs[1].post(f"{path}/words", {"words": words}))
        seat.refresh_from_db()
        assert seat.nonce == (nonce_from_words(words).hex() if words else "")
    for wrong in ("x" * 201, "owls\0", "x" * 20_001):
        assert told(programs[1].post(f"{path}/words", {"words": wrong}), 422)["errors"][0]["field"] == "words"
    told(programs[1].post(f"{path}/words", {"words": "🇮🇹" * 200}))
    told(programs[1].post(f"{path}/words", {"words": "Three owls."}))
    assert told(programs[2].post(f"{path}/words", {"words": "x"}), 404)
    told(programs[1].post(f"{path}/confirmation"))
    told(programs[1].post(f"{path}/words", {"words": "Three owls."}))
    assert told(programs[1].post(f"{path}/words", {"words": "Four."}), 409)["code"] == "refused"
