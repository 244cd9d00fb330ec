"""A reader of a finished game steps and jumps through it, and may choose to see only what one player knew."""

import re
from html import unescape
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Game
from games.models.replay import replayed
from games.narration.vocabulary import card_name
from games.rules import observe
from tests.games.playing import begin_game, play_until
from tests.simulation.games.resampling import resampled

pytestmark = pytest.mark.django_db


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return unescape(answer.content.decode())


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())


def section(page: str, heading: str) -> str:
    return words("<main" + page.partition(f'id="{heading}"')[2].partition("</section>")[0])


def test_all_hands_lie_open_unless_one_pair_of_eyes_is_chosen(finished: Game) -> None:
    here = f"/watch/{finished.table.watch_key}/history/12/"
    state = replayed(finished).states[12]
    page = read(Client(), here)
    assert "All hands" in section(page, "hands-title") or 'id="hands-title">All hands' in page
    for seat, name in enumerate(("Anna", "Bruno", "Carla")):
        assert f"{here}?as={seat + 1}" in page
        own = read(Client(), f"{here}?as={seat + 1}")
        cards = [card_name(card) for card in observe(state, seat).hand or ()]
        assert section(own, "hands-title").startswith(f">Hand: {name} {' '.join(cards)}".strip())
        assert f"You see only what {name} could see at that moment." in own


@pytest.mark.parametrize(
    ("chosen_by", "said"),
    [
        ("recruit", "The bot Recruit chose this move."),
        ("captain", "The bot Captain chose this move."),
        ("strategist", "The bot Strategist chose this move."),
        ("stand-in", "The bot Captain chose this move in Strategist’s place."),
        ("", ""),
    ],
)
def test_an_entry_says_which_bot_chose_it(finished: Game, chosen_by: str, said: str) -> None:
    """Bots of earlier releases are not known."""
    entry = finished.log.filter(move__startswith="place").first()
    finished.log.filter(pk=entry.pk).update(via="bot", chosen_by=chosen_by)
    for viewpoint in ("", "?as=1"):
        page = read(Client(), f"/watch/{finished.table.watch_key}/history/{entry.ply + 1}/{viewpoint}")
        assert said in words(page)
        assert ("chose this move" in page) == bool(said)


def test_a_chosen_point_of_view_is_kept_while_stepping(finished: Game) -> None:
    here = f"/watch/{finished.table.watch_key}/history/"
    page = read(Client(), f"{here}12/?as=2")
    for step in (f'rel="prev" data-step="previous" href="{here}11/?as=2"', f'href="{here}13/?as=2"'):
        assert step in page
    answer = Client().get(f"{here}0/?entry=15&as=2")
    assert answer.status_code == 302
    assert answer["Location"] == f"{here}15/?as=2"


def test_a_form_leads_to_any_entry_and_no_further_than_the_last(finished: Game) -> None:
    here = f"/watch/{finished.table.watch_key}/history/"
    for typed, leads_to in (
        ("7", 7),
        ("0", 0),
        ("99999999999", 3),
        ("999999", finished.ply),
        ("-1", 3),
        ("", 3),
    ):
        answer = Client().get(f"{here}3/", {"entry": typed})
        assert answer["Location"] == f"{here}{leads_to}/", typed


@pytest.mark.parametrize("eyes", ["0", "4", "x", "1.0", "-1", "²", "%00"])
def test_no_one_elses_eyes_can_be_chosen(finished: Game, eyes: str) -> None:
    path = f"/watch/{finished.table.watch_key}/history/3/?as={eyes}"
    assert Client().get(path).status_code == 404


def test_the_story_goes_as_far_as_one_has_stepped(finished: Game) -> None:
    replay = replayed(finished)
    chosen = next(ply for ply, entry in enumerate(replay.plies) if entry.move.kind == "place")
    here = f"/watch/{finished.table.watch_key}/history/"
    first = section(read(Client(), f"{here}{chosen + 1}/"), "story-title")
    assert "Story of the battle so far" in first
    assert "chose to fight for" in first
    assert " won " not in first
    last = section(read(Client(), f"{here}{finished.ply}/"), "story-title")
    assert "Story of the battle" in last


def test_every_position_can_be_seen_through_every_eyes(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    client = signed_in(people[0])
    for ply in range(0, finished.ply + 1, 31):
        for eyes in ("", "?as=1", "?as=3"):
            read(client, f"/games/{finished.pk}/history/{ply}/{eyes}")


def test_while_the_game_runs_no_one_looks_back_through_any_eyes(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="link")
    for client, access in (
        (signed_in(people[0]), f"/games/{game.pk}/"),
        (Client(), f"/watch/{game.table.watch_key}/"),
    ):
        for more in ("history/0/", "history/0/?as=1", "history/0/?entry=0", "chronicle/"):
            assert client.get(f"{access}{more}").status_code == 404


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.long
def test_what_a_seat_could_not_know_changes_nothing_that_is_seen_through_its_eyes(
    people: list[Any], seed: int
) -> None:
    game = begin_game(people, watch="link")
    play_until(game, lambda state, decision: state.ply > 70, seed)
    log = list(game.log.order_by("ply").values_list("seat", "move"))
    seat = seed % 3
    other = _another_game(game, log, seat)
    ended = {"ended": "agreement", "ended_at": timezone.now(), "result": {"winners": [], "reason": None}}
    Game.objects.filter(pk=game.pk).update(**ended)
    paths = [f"/watch/{game.table.watch_key}/history/{ply}/" for ply in range(0, len(log) + 1, 5)]
    before = [_lasting(f"{path}?as={seat + 1}") for path in paths]
    open_before = list(map(_lasting, paths))
    for ply, (_seat, move) in enumerate(other):
        game.log.filter(ply=ply).update(move=move)
    assert list(map(_lasting, paths)) != open_before
    for path, page in zip(paths, before, strict=True):
        assert _lasting(f"{path}?as={seat + 1}") == page, path


def _lasting(path: str) -> str:
    """Return a page without the keys of its forms, which are new each time."""
    return re.sub(r'(name="(?:csrfmiddlewaretoken|form_key)" value=)"[^"]*"', r"\1", read(Client(), path))


def _another_game(game: Game, log: list[tuple[int | None, str]], seat: int) -> list[tuple[int | None, str]]:
    """Return a log of the same length that this seat cannot tell from the real one."""
    for attempt in range(200):
        first = game.first_condottiere
        other = resampled(game.table.options, game.players, first, log, seat, Random(attempt))
        if [who for who, _ in other] == [who for who, _ in log] and other != log:
            return other
    raise AssertionError("no other game was found")
