"""Players' own words for the shuffle, and the page that checks a game's shuffles step by step."""

import hashlib
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from games import services
from games.fairness import proof as proof_of_fairness
from games.links import invitation_token, seat_token
from games.models import Game, Invitation, Seat, Table
from games.rules import nonce_from_secret, verify
from games.selectors.records import record_of
from games.services.practice import begin_practice
from tests.games.playing import begin_game, play_to_the_end, play_until, seat_table

pytestmark = pytest.mark.django_db
ANNAS, BRUNOS = "  Zwei  Wörter! ", "🂡 and nothing else"


def nonce_of(words: str) -> str:
    return hashlib.sha256(words.encode()).digest()[:16].hex()


def text_of(client: Client, path: str, words: str | None = None) -> str:
    """Return the text of a page, with the folded values."""
    page = client.get(path) if words is None else client.post(path, {"words": words})
    assert page.status_code == 200
    main = re.search(r"<main.*?</main>", page.content.decode(), re.DOTALL)
    assert main is not None
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main[0])))


@pytest.fixture
def table(anna: Any, bruno: Any, carla: Any) -> Table:
    """Anna and Bruno add words to the shuffle, Carla none; the fourth is a bot."""
    table = services.make_table(anna, name="Four", size=4, entry="open", secret=b"s" * 32)
    services.take_seat(table, bruno, words=BRUNOS)
    services.take_seat(table, carla)
    services.give_words(table.seats.get(user=anna), ANNAS)
    services.seat_bot(table, "recruit", 3)
    return table


@pytest.fixture
def game(table: Table) -> Game:
    for seat in table.seats.people():
        services.confirm(seat)
    return Game.objects.select_related("table").get(table=table)


@pytest.fixture
def proof(game: Game, signed_in: Any, anna: Any) -> Any:
    """Return what Anna reads on the page about her words."""
    return lambda words=None: text_of(signed_in(anna), f"/games/{game.pk}/proof/", words)


def test_nonces_are_made_of_words_exactly_as_typed_and_else_of_the_secret(game: Game) -> None:
    secret = bytes(game.table.secret)
    of_table = [nonce_from_secret(secret, seat).hex() for seat in (2, 3)]
    assert game.nonces == [nonce_of(ANNAS), nonce_of(BRUNOS), *of_table]
    play_to_the_end(game)
    assert verify(record_of(game, ("Anna", "Bruno", "Carla", "Bot"))).proved


def test_a_finished_games_page_goes_through_every_step(game: Game, proof: Any) -> None:
    play_to_the_end(game)
    page = proof()
    for title in (
        "The secret matches the commitment",
        "Nonces of the players",
        "Key",
        "First player",
        "Shuffles",
        "Moves and result",
    ):
        assert f"{title}: correct" in page
    assert "Anna: made from the player’s own words" in page
    assert "Carla: computed from the secret just now" in page
    assert "Cards drawn from it at once:" in page
    assert "That no one looked." in page
    assert "could have tried many" in page
    assert "could have drawn several" in page
    for value in (bytes(game.table.secret).hex(), game.key.hex(), game.table.commitment, *game.nonces):
        assert value in page


def test_a_running_games_page_keeps_the_secret(game: Game, proof: Any) -> None:
    page = proof()
    for value in (game.table.commitment, *game.nonces):
        assert value in page
    for hidden in (bytes(game.table.secret).hex(), game.key.hex(), ANNAS.strip(), BRUNOS):
        assert hidden not in page
    assert page.count("from the player’s own words") == 3  # once in the explanation
    assert "Step by step" not in page
    assert not re.search(r"\b(drummer|bishop|spring|winter)\b", page)
    play_until(game, lambda state, decision: state.ply > 10)
    assert proof() == page


def test_a_player_sees_whether_their_words_make_their_nonce(game: Game, proof: Any) -> None:
    before = Seat.objects.values_list("nonce", flat=True)
    seen = list(before)
    assert "This nonce belongs to Anna." in proof(ANNAS)
    assert "No player in this game has this nonce" in proof(ANNAS.strip())
    assert "Check your words" in proof("")
    assert list(before.all()) == seen
    play_to_the_end(game)
    assert "This nonce belongs to Bruno." in proof(BRUNOS)


def test_words_that_are_too_long_are_refused_on_the_page(game: Game, signed_in: Any, anna: Any) -> None:
    page = signed_in(anna).post(f"/games/{game.pk}/proof/", {"words": "x" * 201})
    assert page.status_code == 400
    assert "at most 200 characters" in page.content.decode()


def failed_steps(page: str) -> list[str]:
    assert "A check failed" in page
    titles = {
        "commitment": "The secret matches the commitment",
        "nonce": "Nonces of the players",
        "key": "Key",
        "began": "First player",
        "shuffle": "Shuffles",
        "result": "Moves and result",
    }
    return [step for step, title in titles.items() if f"{title}: wrong" in page]


def test_another_secret_is_noticed_by_the_tables_nonces_and_every_shuffle(game: Game, proof: Any) -> None:
    play_to_the_end(game)
    Table.objects.update(secret=b"x" * 32)
    page = proof()
    assert failed_steps(page)[0] == "nonce"
    assert "shuffle" in failed_steps(page)
    assert "Carla: made neither from words entered here nor from the secret" in page


@pytest.mark.parametrize(("seat", "name"), [(0, "Anna"), (2, "Carla")])
def test_another_nonce_is_named(game: Game, proof: Any, seat: int, name: str) -> None:
    play_to_the_end(game)
    game.nonces[seat] = "ab" * 16
    game.save(update_fields=["nonces"])
    page = proof()
    assert failed_steps(page)[0] == "nonce"
    assert f"{name}: made neither" in page


def test_a_nonce_that_cannot_be_read_is_no_failure_of_the_page(game: Game, proof: Any) -> None:
    play_to_the_end(game)
    game.nonces[0] = "no hex"
    game.save(update_fields=["nonces"])
    assert failed_steps(proof()) == ["nonce", "key", "began", "shuffle"]


def test_a_shuffle_that_was_changed_is_named_with_its_ply(game: Game, proof: Any) -> None:
    play_to_the_end(game)
    shuffle = game.log.filter(seat=None).last()
    assert shuffle is not None
    *first, one, other = shuffle.move.split(" ")
    kind, *cards = [*first, one, other]
    game.log.filter(pk=shuffle.pk).update(move=" ".join([kind, *cards[1:], cards[0]]))
    page = proof()
    assert "shuffle" in failed_steps(page)
    assert f"in entry {shuffle.ply + 1} of the log, does not follow" in page
    assert "commitment" not in failed_steps(page)
    assert "nonce" not in failed_steps(page)


def test_a_result_that_the_log_does_not_lead_to_is_wrong(game: Game, proof: Any) -> None:
    play_to_the_end(game)
    game.refresh_from_db()
    assert game.result is not None
    Game.objects.update(result=game.result | {"winners": [(game.result["winners"][0] + 1) % 4]})
    assert failed_steps(proof()) == ["result"]


def test_the_page_costs_one_replay(
    game: Game, signed_in: Any, anna: Any, monkeypatch: Any, django_assert_max_num_queries: Any
) -> None:
    play_to_the_end(game)
    replays = []
    replay = proof_of_fairness.replay
    monkeypatch.setattr(proof_of_fairness, "replay", lambda *args: replays.append(1) or replay(*args))
    client = signed_in(anna)
    with django_assert_max_num_queries(12):
        client.get(f"/games/{game.pk}/proof/")
    assert len(replays) == 1


def test_spectators_read_the_same_steps_and_type_nothing(game: Game) -> None:
    play_to_the_end(game)
    Table.objects.update(watch="link")
    path = f"/watch/{game.table.watch_key}/proof/"
    page = text_of(Client(), path)
    assert "Shuffles: correct" in page
    assert "Check my words" not in page
    assert Client().post(path, {"words": ANNAS}).status_code == 405


def test_a_practice_games_page_stands_too(db: None) -> None:
    from uuid import uuid4

    game = begin_practice(None, 2, "recruit", uuid4())
    page = text_of(Client(), f"/practice/{game.table.practice_key}/proof/")
    assert page.count("from the site’s secret") == 3
    assert "Check my words" not in page


def test_words_may_be_changed_and_taken_back_until_one_confirms(
    table: Table, anna: Any, signed_in: Any
) -> None:
    client, mine = signed_in(anna), table.seats.filter(user=anna)
    here = f"/tables/{table.pk}/"
    for words in ("others", "others", "", " "):
        answer = client.post(f"{here}words/", {"words": words}, follow=True)
        assert answer.status_code == 200
        assert mine.get().nonce == (nonce_of(words) if words else "")
    client.post(f"{here}confirm/")
    kept = mine.get().nonce
    again = client.post(f"{here}words/", {"words": " "}, follow=True).content.decode()
    assert "You have confirmed, so you can’t change your words" not in again
    late = client.post(f"{here}words/", {"words": "late"}, follow=True).content.decode()
    assert "You have confirmed, so you can’t change your words" in late
    assert mine.get().nonce == kept
    assert 'name="words"' not in client.get(here).content.decode()


def test_nothing_is_changed_once_the_game_runs(game: Game, bruno: Any, signed_in: Any) -> None:
    signed_in(bruno).post(f"/tables/{game.table_id}/words/", {"words": "late"})
    assert game.table.seats.get(user=bruno).nonce == nonce_of(BRUNOS)


def test_words_that_are_too_long_change_nothing(table: Table, anna: Any, signed_in: Any) -> None:
    page = signed_in(anna).post(f"/tables/{table.pk}/words/", {"words": "ä" * 201}, follow=True)
    assert "at most 200 characters" in page.content.decode()
    assert table.seats.get(user=anna).nonce == nonce_of(ANNAS)
    signed_in(anna).post(f"/tables/{table.pk}/words/", {"words": "ä" * 200})
    assert table.seats.get(user=anna).nonce == nonce_of("ä" * 200)


def test_a_seat_that_is_freed_takes_its_nonce_with_it(table: Table, bruno: Any) -> None:
    services.leave(table.seats.get(user=bruno))
    assert services.take_seat(table, bruno).nonce == ""


@pytest.mark.parametrize("way", ["take", "join"])
def test_words_are_given_with_the_seat(anna: Any, bruno: Any, signed_in: Any, way: str) -> None:
    table = seat_table([anna], size=3)
    page = f"/tables/{table.pk}/" if way == "take" else f"/join/{table.join_key}/"
    path = f"{page}take/" if way == "take" else page
    client = signed_in(bruno)
    assert 'name="words"' in client.get(page).content.decode()
    refused = client.post(path, {"words": "x" * 201}, follow=True).content.decode()
    assert "at most 200 characters" in refused
    assert not table.seats.filter(user=bruno).exists()
    for _ in range(2):
        client.post(path, {"words": BRUNOS})
    assert table.seats.get(user=bruno).nonce == nonce_of(BRUNOS)


def test_words_are_given_by_an_invitations_link_with_and_without_account(anna: Any, bruno: Any) -> None:
    table = seat_table([anna], size=3)
    for email, name in (("bruno@example.org", ""), ("new@example.org", "Nina")):
        services.invite(table, email)
        link = f"/invitation/{invitation_token(Invitation.objects.get(email=email))}/"
        assert 'name="words"' in Client().get(link).content.decode()
        Client().post(link, {"action": "accept", "name": name, "words": BRUNOS})
        assert table.seats.get(user__email=email).nonce == nonce_of(BRUNOS)


def test_words_are_given_by_the_seats_link(table: Table, carla: Any) -> None:
    seat = table.seats.get(user=carla)
    link = f"/seat/{seat_token(seat)}/"
    Client().post(link, {"action": "words", "words": BRUNOS})
    seat.refresh_from_db()
    assert seat.nonce == nonce_of(BRUNOS)
    assert nonce_of(BRUNOS) in Client().get(link).content.decode()


def test_no_one_reads_the_words_in_the_database(table: Table) -> None:
    stored = [str(value) for row in Seat.objects.values_list() for value in row]
    assert not any(words.strip() in value for words in (ANNAS, BRUNOS) for value in stored)


def test_in_a_match_each_fingerprint_is_the_secret_of_the_game_before(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    options = {"edition": "2007", "variants": ["playing-for-points"]}
    first = begin_game([anna, bruno], target=100, chain=101, options_json=options)
    play_to_the_end(first)
    for seat in first.table.seats.all():
        services.be_ready(seat, 2)
    second = Game.objects.select_related("table").get(table=first.table, number=2)
    path, client = f"/games/{second.pk}/proof/", signed_in(anna)
    secrets = [first.table.secret_of(number).hex() for number in (1, 2)]
    running = text_of(client, path)
    assert secrets[0] in running
    assert secrets[1] not in running
    play_to_the_end(second, seed=2)
    over = text_of(client, path)
    assert "A check failed" not in over
    assert "It is also the secret of the previous game" in over
    assert "as follows from the previous game" in over
    assert secrets[1] in over
