"""A newcomer without an account plays a whole game against bots from the home page, and may keep it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.mail.models import OutgoingEmail
from accounts.models import RateLimitCounter
from condottiere_site.logs import without_tokens
from games.models import Game, LogEntry, Seat, Table
from games.rules import read_record, verify
from games.tasks import delete_old_practice
from tests.practice.playing_as_a_guest import answer, begin, begun, decision_step, eager, offered, play_on

pytestmark = pytest.mark.django_db

NO_SUCH_KEY = "A" * 22


@pytest.mark.parametrize(
    ("opponents", "strength"),
    [
        (1, "recruit"),
        (2, "captain"),
        (5, "captain"),
    ],
)
@pytest.mark.long
def test_a_newcomer_plays_a_whole_game_against_bots(client: Client, opponents: int, strength: str) -> None:
    path = begun(client, opponents, strength)
    assert re.fullmatch(r"/practice/[\w-]{22}/", path)
    assert play_on(client, path, eager) > 5
    game = Game.objects.get()
    assert game.is_over
    assert game.players == opponents + 1
    assert set(game.log.filter(seat__gte=1).values_list("via", flat=True)) == {"bot"}
    assert set(game.log.filter(seat=0).values_list("via", flat=True)) == {"web"}
    assert set(game.log.filter(seat__gte=1).values_list("chosen_by", flat=True)) == {strength}
    assert set(game.log.filter(seat=0).values_list("chosen_by", flat=True)) == {""}


def test_no_one_is_written_to_about_a_guests_game(client: Client) -> None:
    play_on(client, begun(client))
    assert not OutgoingEmail.objects.exists()


def test_a_bot_is_never_waited_for(client: Client) -> None:
    path = begun(client, 5)
    for _move in range(8):
        page = client.get(path).content.decode()
        moves = offered(page)
        assert moves, page
        answer(client, path, eager(moves), decision_step(page))
    assert not Seat.objects.exclude(bot="").filter(pending_decision__isnull=False).exists()


def test_no_sound_is_offered_where_bots_move_at_once(client: Client) -> None:
    page = client.get(begun(client)).content.decode()
    assert 'id="live"' in page
    assert "Play a sound" not in page


def test_a_finished_practice_game_is_stepped_through_and_its_record_verifies(client: Client) -> None:
    path = begun(client)
    play_on(client, path)
    page = client.get(path).content.decode()
    assert f'href="{path}history/0/"' in page
    assert "We have just checked this game." in client.get(f"{path}proof/").content.decode()
    last = Game.objects.get().ply
    for ply in (0, last // 2, last):
        assert f'href="{path}history/' in client.get(f"{path}history/{ply}/").content.decode()
    assert client.get(f"{path}history/{last + 1}/").status_code == 404
    checked = verify(read_record(client.get(f"{path}record.json").json()))
    assert (checked.ok, checked.proved) == (True, True)
    another = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]+)"', page))
    assert (another["opponents"], another["strength"]) == ("1", "recruit")
    assert client.post("/practice/", another)["Location"] not in ("", path)


def test_a_running_practice_game_shows_no_secret(client: Client) -> None:
    path = begun(client)
    for page in ("history/0/", "history/3/", "record.json"):
        assert client.get(path + page).status_code == 404
    secret = bytes(Table.objects.get().secret).hex()
    assert secret not in client.get(f"{path}proof/").content.decode()


@pytest.mark.parametrize("page", ["", "history/0/", "record.json", "proof/"])
def test_another_key_opens_nothing(client: Client, page: str) -> None:
    begun(client)
    assert client.get(f"/practice/{NO_SUCH_KEY}/{page}").status_code == 404
    assert client.get(f"/practice/%00/{page}").status_code == 404


def test_another_key_moves_and_keeps_nothing(client: Client, stranger: Any, signed_in: Any) -> None:
    begun(client)
    before = Game.objects.get().ply
    assert (
        client.post(f"/practice/{NO_SUCH_KEY}/move/", {"move": "pass", "decision_step": 1}).status_code == 404
    )
    keeping = signed_in(stranger).post(f"/practice/{NO_SUCH_KEY}/keep/", {"game": Game.objects.get().pk})
    assert keeping.status_code == 404
    assert Game.objects.get().ply == before
    assert Table.objects.get().is_practice


def test_a_guests_game_is_open_by_its_key_alone(client: Client, stranger: Any, signed_in: Any) -> None:
    path = begun(client)
    game = Game.objects.get()
    theirs = signed_in(stranger)
    for address in (f"/games/{game.pk}/", f"/tables/{game.table_id}/", f"/games/{game.pk}/proof/"):
        assert theirs.get(address).status_code == 404
    key = path.split("/")[2]
    for address in ("/", "/tables/", "/watch/"):
        assert key not in theirs.get(address).content.decode()
    assert key not in without_tokens(f"GET {path}history/1/")
    assert key not in without_tokens(f"GET /accounts/login/?next=%2Fpractice%2F{key}%2F")


def test_a_practice_page_is_not_stored_nor_told_of(client: Client) -> None:
    answer = client.get(begun(client))
    assert answer["Cache-Control"] == "no-store, private"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Robots-Tag"] == "noindex, nofollow"


def test_reading_makes_nothing(client: Client) -> None:
    assert client.get("/practice/").status_code == 405
    assert client.head("/practice/").status_code == 405
    client.get("/")
    assert not Table.objects.exists()
    path = begun(client)
    for page in (path, f"{path}proof/"):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(page).status_code == 200
        reads = "SELECT"
        assert [query["sql"] for query in captured if not query["sql"].lstrip().startswith(reads)] == []
    assert client.get(f"{path}move/").status_code == 405
    assert client.get(f"{path}keep/").status_code == 405


@pytest.mark.parametrize(
    "wrong",
    [
        {"opponents": 0},
        {"opponents": 6},
        {"opponents": "many"},
        {"strength": "general"},
        {"strength": ""},
        {"form_key": "7"},
    ],
)
def test_a_game_that_cannot_be_is_refused_with_the_form(client: Client, wrong: dict[str, Any]) -> None:
    answer = begin(client, **wrong)
    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()
    assert not Table.objects.exists()
    assert not RateLimitCounter.objects.exists()


def test_the_same_form_sent_twice_begins_one_game(client: Client) -> None:
    form_key = str(uuid4())
    first = begin(client, form_key=form_key)
    second = begin(client, form_key=form_key)
    assert first["Location"] == second["Location"]
    assert Table.objects.count() == 1


def test_anothers_form_key_begins_ones_own_game(client: Client, anna: Any, signed_in: Any) -> None:
    form_key = str(uuid4())
    guest, hers = begin(client, form_key=form_key), begin(signed_in(anna), form_key=form_key)
    assert guest["Location"] != hers["Location"]
    assert begin(client, form_key=form_key)["Location"] == guest["Location"]
    assert Table.objects.count() == 2


@pytest.mark.long
def test_twenty_games_may_begin_in_a_day_from_one_connection(client: Client) -> None:
    for _game in range(20):
        begun(client)
    refused = begin(client)
    assert refused.status_code == 429
    page = refused.content.decode()
    assert "the limit of practice games for today (20)" in page
    assert "signed in or not. Continue the games you have started" in page
    assert Table.objects.count() == 20
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        begun(client)


def test_the_same_move_sent_twice_is_played_once(client: Client) -> None:
    path = begun(client, 2)
    page = client.get(path).content.decode()
    move, at = eager(offered(page)), decision_step(page)
    first = answer(client, path, move, at)
    before = LogEntry.objects.count()
    again = LogEntry.objects.get(seat=0, decision_step=at)
    second = client.post(f"{path}move/", {"move": again.move, "decision_step": at})
    assert (first.status_code, second.status_code) == (302, 302)
    assert LogEntry.objects.count() == before


def test_an_illegal_move_is_explained_and_changes_nothing(client: Client) -> None:
    path = begun(client)
    at = decision_step(client.get(path).content.decode())
    before = LogEntry.objects.count()
    answer = client.post(f"{path}move/", {"move": "keep nothing", "decision_step": at})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()
    assert LogEntry.objects.count() == before


@pytest.mark.long
def test_a_signed_in_person_practises_at_a_table_of_their_own(anna: Any, signed_in: Any) -> None:
    hers = signed_in(anna)
    path = begun(hers, 3)
    game = Game.objects.get()
    assert path == f"/games/{game.pk}/"
    assert not game.table.is_practice
    assert f'href="{path}"' in hers.get("/games/").content.decode()
    assert play_on(hers, path) > 3


def test_a_guest_is_led_to_sign_in_and_back(client: Client) -> None:
    path = begun(client)
    assert f'href="/accounts/login/?next={path}"' in client.get(path).content.decode()
    answer = client.post(f"{path}keep/")
    assert answer["Location"] == f"/accounts/login/?next={path}"
    assert Table.objects.get().is_practice


def test_someone_who_signed_in_to_keep_their_game_finds_the_one_button_for_it_on_top(
    client: Client, anna: Any, signed_in: Any
) -> None:
    path = begun(client)
    page = client.get(path).content.decode()
    assert page.index("Sign in to keep this game") > page.index('class="game"')
    assert "Sign in to keep this game." in client.get(f"/accounts/login/?next={path}").content.decode()
    main = signed_in(anna).get(path).content.decode().partition("<main")[2]
    assert main.count("Add it to my games") == 1
    assert main.index("Add it to my games") < main.index('class="game"')
    assert Table.objects.get().is_practice


@pytest.mark.long
def test_a_game_is_kept_and_goes_on_as_ones_own(client: Client, anna: Any, signed_in: Any) -> None:
    path = begun(client, 2)
    game = Game.objects.get()
    hers = signed_in(anna)
    assert "Add it to my games" in hers.get(path).content.decode()
    kept = hers.post(f"{path}keep/", {"game": game.pk})
    assert kept["Location"] == f"/games/{game.pk}/"
    assert client.get(path).status_code == 404
    assert f'href="/games/{game.pk}/"' in hers.get("/games/").content.decode()
    assert "Anna" in hers.get(f"/games/{game.pk}/").content.decode()
    assert Game.objects.get().table.host == anna
    assert [email.kind for email in OutgoingEmail.objects.all()] == ["your_turn"]
    assert play_on(hers, f"/games/{game.pk}/") > 3


def test_keeping_twice_leads_to_the_game_twice_and_no_stranger_there(
    client: Client, anna: Any, stranger: Any, signed_in: Any
) -> None:
    path = begun(client)
    about = {"game": Game.objects.get().pk}
    hers, theirs = signed_in(anna), signed_in(stranger)
    first, second = hers.post(f"{path}keep/", about), hers.post(f"{path}keep/", about)
    assert first["Location"] == second["Location"]
    assert theirs.post(f"{path}keep/", about).status_code == 404
    assert hers.post(f"{path}keep/", {"game": "9" * 30}).status_code == 404
    assert Seat.objects.get(bot="").user == anna


@pytest.mark.long
def test_a_finished_game_can_be_kept_and_nothing_is_written_about_it(
    client: Client, anna: Any, signed_in: Any
) -> None:
    path = begun(client)
    play_on(client, path)
    hers = signed_in(anna)
    kept = hers.post(f"{path}keep/", {"game": Game.objects.get().pk})
    assert "Replay the game" in hers.get(kept["Location"]).content.decode()
    assert not OutgoingEmail.objects.exists()


@pytest.mark.long
def test_a_practice_game_is_deleted_with_its_log_after_a_week(client: Client) -> None:
    began = timezone.now()
    path = begun(client)
    play_on(client, path)
    with time_machine.travel(began + timedelta(days=7, seconds=-1), tick=False):
        assert delete_old_practice() == 0
        assert client.get(path).status_code == 200
    with time_machine.travel(began + timedelta(days=7, minutes=1), tick=False):
        assert delete_old_practice() == 1
        assert delete_old_practice() == 0
        assert client.get(path).status_code == 404
    left = [Table.objects.count(), Game.objects.count(), Seat.objects.count(), LogEntry.objects.count()]
    assert left == [0, 0, 0, 0]


def test_only_guests_games_are_deleted(client: Client, anna: Any, signed_in: Any) -> None:
    hers = signed_in(anna)
    begun(hers)
    hers.post(f"{begun(client)}keep/")
    begun(client)
    with time_machine.travel(timezone.now() + timedelta(days=30), tick=False):
        assert delete_old_practice() == 1
    assert set(Table.objects.values_list("host", flat=True)) == {anna.pk}
    assert Game.objects.count() == 2
