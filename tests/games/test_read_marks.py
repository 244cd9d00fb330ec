"""News since a player's last visit is marked for them alone; a page's version reveals no secret."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import services
from games.chat.models import ChannelReadMarker
from games.chat.services import write
from games.links import LinkedDecision, answer_token
from games.models import Game, ReadMarker, Table
from games.models.replay import replayed
from games.rules import Decision, State, parse_move, pending
from games.services.practice import begin_practice
from games.views.page_version import (
    NO_SEAT,
    Viewer,
    ViewerKind,
    live_token,
    live_url,
    page_version,
    viewer_by_link,
)
from tests.games import polls
from tests.games.playing import answer, begin_game, decision_of, game_where, play_until, seat_table, submit

pytestmark = pytest.mark.django_db

NEW = '<strong class="new-mark">New</strong>'


def path(game: Game) -> str:
    return f"/games/{game.pk}/"


def text_of(client: Client, address: str) -> str:
    shown = client.get(address)
    assert shown.status_code == 200
    return str(shown.content.decode())


def test_moves_and_messages_since_the_last_visit_are_marked_once(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    client = signed_in(people[0])
    assert NEW not in text_of(client, path(game))
    play_until(game, lambda state, decision: state.ply > 6)
    write(game.table.seats.get(user=people[1]), "Well played.")
    marked = text_of(client, path(game))
    assert (
        f"{NEW} The region" in marked or f"{NEW} Anna" in marked or f"{NEW} Bruno" in marked or NEW in marked
    )
    assert f"{NEW} <strong>Bruno</strong>" in " ".join(marked.split())
    assert NEW not in text_of(client, path(game))


def test_ones_own_messages_are_not_new(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    text_of(client, path(game))
    write(game.table.seats.get(user=people[0]), "Hello.")
    assert NEW not in text_of(client, path(game))


def test_a_plain_revisit_writes_nothing(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    text_of(client, path(game))
    with CaptureQueriesContext(connection) as captured:
        text_of(client, path(game))
    assert {query["sql"].split()[0] for query in captured} == {"SELECT"}


def test_links_and_spectators_leave_no_trace(game: Game, people: list[Any]) -> None:
    Table.objects.filter(pk=game.table_id).update(watch=Table.Watch.ANYONE)
    decision = decision_of(game)
    token = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    text_of(Client(), f"/answer/{token}/")
    text_of(Client(), f"/watch/{game.table.watch_key}/")
    assert not ReadMarker.objects.exists()


def test_my_games_counts_the_messages_that_are_not_read(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    client = signed_in(people[0])
    text_of(client, path(game))
    assert 'class="unread"' not in text_of(client, "/games/")
    write(game.table.seats.get(user=people[0]), "My own.")
    for number in range(2):
        write(game.table.seats.get(user=people[1]), f"Message {number}")
    assert "2 new messages" in text_of(client, "/games/")
    text_of(client, path(game))
    assert 'class="unread"' not in text_of(client, "/games/")


def test_the_boards_own_page_counts_as_read(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    write(table.seats.get(user=people[1]), "Hello.")
    client = signed_in(people[0])
    text_of(client, f"/tables/{table.pk}/chat/")
    assert ChannelReadMarker.objects.get(user=people[0]).last_read == 1


def test_what_someone_has_read_is_theirs_to_take_and_goes_with_them(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    from games.privacy import erase, export

    text_of(signed_in(people[0]), path(game))
    assert export(people[0])["read_at_tables"] == [{"table": game.table_id, "number": 1, "step": game.step}]
    erase(people[0])
    assert not ReadMarker.objects.exists()


# The version


def player(game: Game, seat: int, people: list[Any]) -> Viewer:
    return Viewer(ViewerKind.PLAYER, game.pk, seat, people[seat].pk, people[seat].pk)


def spectator(game: Game) -> Viewer:
    return Viewer(ViewerKind.SPECTATOR, game.pk, NO_SEAT, game.table.watch_key)


def word(viewer: Viewer) -> str:
    version = page_version(viewer)
    assert version is not None
    return version


def poll(client: Client, viewer: Viewer, version: str, **how: Any) -> Any:
    """Return the poll's answer to this viewer's page of this version."""
    return client.get(live_url(viewer), headers={"If-None-Match": f'"{version}"'}, **how)


def test_a_move_and_a_message_are_news_to_every_player(game: Game, people: list[Any]) -> None:
    everybody = [player(game, seat, people) for seat in range(3)]
    before = [word(viewer) for viewer in everybody]
    answer(game, "place roma")
    between = [word(viewer) for viewer in everybody]
    write(game.table.seats.get(user=people[1]), "Hello.")
    after = [word(viewer) for viewer in everybody]
    assert all(len(set(words)) == 3 for words in zip(before, between, after, strict=True))


def two_asked_in_secret(state: State, decision: Decision) -> bool:
    return decision.kind == "hand" and len(pending(state)) > 1


def test_a_secret_answer_is_news_to_no_one_else(people: list[Any]) -> None:
    """R17: neither who answered, nor that anyone did."""
    game, state = game_where(people, two_asked_in_secret)
    Table.objects.filter(pk=game.table_id).update(watch=Table.Watch.ANYONE)
    first = pending(state)[0]
    others = [player(game, seat, people) for seat in range(3) if seat != first.seat]
    link = viewer_by_link("x", LinkedDecision(game.pk, first.seat, people[first.seat].pk, 0))
    onlookers = [*others, spectator(game), link]
    before = [word(viewer) for viewer in onlookers]
    own = word(player(game, first.seat, people))
    submit(game, first.seat, parse_move("keep hand"), first.decision_step, "web")
    assert replayed(game).state.step == state.step
    assert [word(viewer) for viewer in onlookers] == before
    assert word(player(game, first.seat, people)) != own


def test_a_closed_link_does_not_tell_that_its_seat_is_asked_in_secret(people: list[Any]) -> None:
    """R17: players with and without a decision have the same version through an old email."""
    game, state = game_where(people, two_asked_in_secret)
    asked = {decision.seat for decision in pending(state)}
    words = {
        seat in asked: word(viewer_by_link("x", LinkedDecision(game.pk, seat, people[seat].pk, 0)))
        for seat in range(3)
    }
    assert len(set(words.values())) == 1


def test_someone_who_left_and_who_watches_no_more_have_no_version(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    viewer, client = player(game, 0, people), signed_in(people[0])
    version = word(viewer)
    assert poll(client, viewer, version).status_code == 304
    services.give_up(game.table.seats.get(number=0))
    assert page_version(viewer) is None
    assert page_version(spectator(game)) is None
    assert poll(client, viewer, version).status_code == 404


def test_a_poll_without_news_says_nothing_and_is_stored_nowhere(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    viewer, client = player(game, 0, people), signed_in(people[0])
    shown = poll(client, viewer, word(viewer))
    assert (shown.status_code, shown.content) == (304, b"")
    assert "no-store" in shown["Cache-Control"]
    assert not shown.cookies
    assert poll(client, viewer, "before").status_code == 200


@pytest.mark.parametrize("is_secure", [False, True])
def test_a_poll_without_news_carries_the_policies_of_one_with_news(
    game: Game, people: list[Any], signed_in: Any, settings: Any, is_secure: bool
) -> None:
    settings.SECURE_HSTS_SECONDS = 3600
    viewer, client = player(game, 0, people), signed_in(people[0])
    quiet, news = (
        poll(client, viewer, version, secure=is_secure).headers for version in (word(viewer), "before")
    )
    of_pages = {"Content-Length", "Content-Type", "Vary", "Expires"}
    assert {name: quiet[name] for name in quiet.keys() - of_pages} == {
        name: news[name] for name in news.keys() - of_pages
    }
    assert ("Strict-Transport-Security" in quiet) == is_secure
    assert "Content-Security-Policy" in quiet


def test_a_page_that_is_too_old_has_to_be_opened_again(
    game: Game, people: list[Any], signed_in: Any, time_machine: Any
) -> None:
    viewer, client = player(game, 0, people), signed_in(people[0])
    version, address, now = word(viewer), live_url(viewer), time.time()
    time_machine.move_to(now + 14 * 24 * 3600 - 60)
    assert client.get(address, headers={"If-None-Match": f'"{version}"'}).status_code == 304
    time_machine.move_to(now + 14 * 24 * 3600 + 60)
    assert client.get(address, headers={"If-None-Match": f'"{version}"'}).status_code == 404


def test_anothers_token_shows_nothing(game: Game, people: list[Any], signed_in: Any) -> None:
    token = live_token(player(game, 0, people))
    assert signed_in(people[1]).get(f"/live/{token}/").status_code == 404
    assert Client().get(f"/live/{token}/").status_code == 404
    assert signed_in(people[0]).get(f"/live/{token}/").status_code == 200
    assert signed_in(people[0]).get(f"/live/{token[:-2]}xx/").status_code == 404


def test_a_guests_page_notices_until_the_game_is_kept(anna: Any) -> None:
    from uuid import uuid4

    game = begin_practice(None, opponents=2, strength="recruit", form_key=uuid4())
    key = str(game.table.practice_key)
    viewer = Viewer(ViewerKind.GUEST, game.pk, 0, key)
    assert page_version(viewer)
    assert Client().get(f"/live/{live_token(viewer)}/").status_code == 200
    Table.objects.filter(pk=game.table_id).update(practice_key=None)
    assert page_version(viewer) is None


def test_the_blocks_have_no_frame_and_eat_no_messages(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[decision_of(game).seat])
    shown = text_of(client, path(game))
    assert polls.poll(client, shown).status_code == 304
    decision = decision_of(game)
    client.post(f"{path(game)}move/", {"move": "place roma", "decision_step": decision.decision_step})
    blocks = polls.poll(client, shown).content.decode()
    assert 'id="log"' in blocks
    assert "<html" not in blocks
    assert 'class="messages"' not in blocks
    assert 'class="messages"' in text_of(client, path(game))


def test_a_new_game_of_the_same_people_has_a_version_of_its_own(people: list[Any]) -> None:
    first, second = begin_game(people), begin_game(people)
    before = word(player(first, 0, people))
    answer(second, "place roma")
    assert word(player(first, 0, people)) == before
