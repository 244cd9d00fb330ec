"""My games: pending decisions first, with the reason, then running and finished games; a link to the next."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games import services
from games.links import LinkedDecision, answer_token
from games.models import Game, Seat, Table
from games.models.glimpses import glimpse_of
from games.models.replay import replayed
from games.rules import legal_moves, observe
from games.rules.events import Passed
from tests.games.playing import answer, begin_game, decision_of, game_where, legal_texts, seat_table

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def my_games(client: Client, query: str = "") -> str:
    return unescape(client.get(f"/games/{query}").content.decode())


def section(page: str, title: str) -> str:
    """Return the part of the page under this heading."""
    found = re.search(rf'<section aria-labelledby="{title}-title">.*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def waiting_names(page: str) -> list[str]:
    return re.findall(r"<strong>(.*?)</strong>", section(page, "waiting"))


def game_asking(people: list[Any], seat: int, name: str, hours: int) -> Game:
    """Return a game in which this seat has been to move for this many hours."""
    game, _state = game_where(people, lambda state, decision: decision.seat == seat)
    game.table.name = name
    game.table.save()
    since = timezone.now() - timedelta(hours=hours)
    Seat.objects.filter(table=game.table, asked_since__isnull=False).update(asked_since=since)
    return game


def test_the_longest_waiting_is_on_top_with_what_is_asked_and_since_when(
    people: list[Any], signed_in: Any
) -> None:
    game_asking(people, 0, "Second", 30)
    game_asking(people, 0, "Third", 5)
    first = game_asking(people, 0, "First", 50)
    others = game_asking(people, 1, "Not mine to move", 90)
    due = timezone.now() + timedelta(hours=30)
    Seat.objects.filter(table=others.table, number=1).update(due_at=due)
    page = my_games(signed_in(people[0]))
    assert waiting_names(page) == ["First", "Second", "Third"]
    assert f'href="/games/{first.pk}/"' in section(page, "waiting")
    assert "for 2 days" in section(page, "waiting")
    assert re.search(
        "Choose a region to fight for|Play a card or pass|Choose the cards", section(page, "waiting")
    )
    assert "Not mine to move" in section(page, "running")
    assert "Bruno must move by" in section(page, "running")
    Table.objects.filter(pk=others.table_id).update(is_anonymous=True)
    assert "must move by" not in section(
        my_games(signed_in(people[0])), "running"
    )  # it would tell their hours


def test_a_full_table_and_an_invitation_wait_too(people: list[Any], dario: Any, signed_in: Any) -> None:
    table = seat_table(people, name="Full table")
    services.make_table(dario, name="Dario's table", size=2, entry="invitation", invited=["anna@example.org"])
    page = my_games(signed_in(people[0]))
    assert waiting_names(page) == ["Full table", "Dario's table"]
    assert "The table is full. Confirm that you are ready" in page
    assert "Dario invited you" in page
    services.confirm(table.seats.get(user=people[0]))
    assert waiting_names(my_games(signed_in(people[0]))) == ["Dario's table"]


def test_a_table_with_free_seats_does_not_wait_for_me(anna: Any, signed_in: Any) -> None:
    seat_table([anna], name="Half empty", size=3)
    page = my_games(signed_in(anna))
    assert waiting_names(page) == []
    assert "Half empty" in section(page, "gathering")
    assert "Seats taken: 1 of 3" in section(page, "gathering")


def test_a_running_game_says_who_is_waited_for(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    asked = decision_of(game).seat
    other = people[(asked + 1) % 3]
    assert f"Waiting for: {people[asked].name}" in section(my_games(signed_in(other)), "running")


def test_no_one_is_named_while_hands_may_be_discarded(
    people: list[Any], dario: Any, elena: Any, signed_in: Any
) -> None:
    """R17: who is asked stays secret, no matter who looks and whatever the stored columns say."""
    players = [*people, dario, elena]
    game, _state = game_where(players, lambda state, decision: decision.kind == "hand")
    asked = {seat.number for seat in game.table.seats.all() if seat.pending_decision == "hand"}
    seen = set()
    for number, person in enumerate(players):
        if number in asked:
            continue
        running = section(my_games(signed_in(person)), "running")
        running = re.sub(r'(?s)<span class="glimpse">.*?</span>\s*</span>', "", running)  # it may say "you"
        seen.add(re.sub(r"<[^>]+>", "", running))
        assert "keeps secret who they are" in running
        assert "Waiting for" not in running
    assert len(seen) == 1  # a page names all players, and is the same for all who are not asked
    Game.objects.filter(pk=game.pk).update(phase="battle")  # the phase read a moment before the seats
    onlooker = next(person for number, person in enumerate(players) if number not in asked)
    assert "Waiting for" not in section(my_games(signed_in(onlooker)), "running")


def test_a_finished_game_is_listed_with_its_result(
    finished: Game, people: list[Any], signed_in: Any, stranger: Any
) -> None:
    page = section(my_games(signed_in(people[1])), "finished")
    result = re.search(
        r'id="ask-title">(.*?)<',
        unescape(signed_in(people[1]).get(f"/games/{finished.pk}/").content.decode()),
    )
    assert result is not None
    winner, won, _regions = result[1].partition(" won the game")
    assert won
    assert f"{winner.strip()}{won}" in page  # the list doesn't look up the regions
    assert "Friday table" not in my_games(signed_in(stranger))


def test_finished_and_gathering_ones_come_in_pages(
    finished: Game, people: list[Any], signed_in: Any, monkeypatch: Any
) -> None:
    from games.views import lobby

    monkeypatch.setattr(lobby, "TABLES_ON_A_PAGE", 1)
    second = begin_game(people, name="Ended later")
    Game.objects.filter(pk=second.pk).update(
        ended_at=timezone.now() + timedelta(hours=1), result={"winners": [0], "reason": "total regions"}
    )
    Seat.objects.filter(table=second.table).update(
        pending_decision=None, decision_step=None, asked_since=None
    )
    for name in ("Older", "Newer"):
        seat_table([people[0]], name=name, size=3)
    client = signed_in(people[0])
    assert "Ended later" in section(my_games(client), "finished")
    assert "Friday table" in section(my_games(client, "?page=2"), "finished")
    assert "?gathering=2" in section(my_games(client), "gathering")
    assert "<strong>Newer" in section(my_games(client, "?gathering=2"), "gathering")
    for odd in ("?page=x", "?page=-1", "?running=99", "?gathering=%00"):
        assert client.get(f"/games/{odd}").status_code == 200


def test_the_page_costs_the_same_with_more_games(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])

    def live_on() -> None:
        for seat in (0, 1):
            game_asking(people, seat, f"Asks {seat}", 3)
        seat_table(people, size=3)
        seat_table(people, size=4)
        services.make_table(people[1], name="x", size=2, entry="invitation", invited=["anna@example.org"])
        ended = begin_game(people)
        Game.objects.filter(pk=ended.pk).update(
            ended_at=timezone.now(), result={"winners": [0], "reason": "total regions"}
        )

    live_on()
    with CaptureQueriesContext(connection) as few:
        my_games(client)
    live_on()
    live_on()
    with CaptureQueriesContext(connection) as many:
        my_games(client)
    assert len(many) == len(few) <= 20


def test_the_menu_says_how_many_games_wait_at_the_price_of_a_query(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    game = game_asking(people, 0, "Mine", 5)
    game_asking(people, 0, "Mine too", 3)
    game_asking(people, 1, "Not mine", 3)
    counting = re.compile(r"COUNT\(.*asked_since", re.DOTALL)
    for path, most in (
        (f"/games/{game.pk}/", 0),
        (f"/games/{game.pk}/arrangements/", 0),
        ("/", 0),
        ("/rules/", 1),
    ):
        with CaptureQueriesContext(connection) as captured:
            page = client.get(path).content.decode()
        menu = page.partition('id="my-games"')[2].partition("</a>")[0]
        assert "My games (2)" in " ".join(menu.split())
        alone = [
            one["sql"] for one in captured if counting.search(one["sql"]) and "games_game" not in one["sql"]
        ]
        assert len(alone) == most, path
    assert "My games (" not in signed_in(people[2]).get("/rules/").content.decode()


def test_on_to_the_next_game(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    assert client.get("/games/next/")["Location"] == "/games/"
    game_asking(people, 0, "Second", 30)
    longest = game_asking(people, 0, "First", 50)
    assert client.get("/games/next/")["Location"] == f"/games/{longest.pk}/"
    assert client.post("/games/next/").status_code == 405
    assert Client().get("/games/next/")["Location"].startswith("/accounts/login/")


def test_the_button_to_the_next_game_stands_where_nothing_is_asked(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    idle = game_asking(people, 1, "Not mine to move", 1)
    assert "Go to your next game" not in client.get(f"/games/{idle.pk}/").content.decode()
    one, two = (game_asking(people, 0, f"Table {n}", n) for n in (1, 2))
    assert "Go to your next game (2)" in client.get(f"/games/{idle.pk}/").content.decode()
    for game in (one, two):
        assert "Go to your next game" not in client.get(f"/games/{game.pk}/").content.decode()


def test_after_a_move_the_next_game_is_one_step_away(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    person = people[decision_of(game).seat]
    other = game_asking(people, decision_of(game).seat, "Elsewhere", 9)
    client = signed_in(person)
    for _attempt in range(20):  # until a move is not followed by one's own next decision
        decision = decision_of(game)
        if people[decision.seat] != person:
            answer(game, legal_texts(game)[0])
            continue
        move = str(legal_moves(replayed(game).state, decision.seat)[0])
        said = client.post(
            f"/games/{game.pk}/move/", {"move": move, "decision_step": decision.decision_step}, follow=True
        )
        page = unescape(said.content.decode())
        if decision_of(game).seat != decision.seat:
            break
        assert "Go to your next game" not in page
    assert page.count("Go to your next game (1)") == page.count('href="/games/next/"') == 1
    assert client.get("/games/next/")["Location"] == f"/games/{other.pk}/"


def test_an_emails_link_tells_nothing_of_other_games(people: list[Any]) -> None:
    game = begin_game(people)
    decision = decision_of(game)
    game_asking(people, decision.seat, "Elsewhere", 9)
    token = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    move = {"move": legal_texts(game)[0]}
    page = Client().post(f"/answer/{token}/move/", move, follow=True).content.decode()
    assert 'class="messages"' in page
    assert "next game" not in page
    assert "/games/next/" not in page


def test_a_game_shows_its_map_who_leads_and_what_happened_last_to_its_reader(
    people: list[Any], signed_in: Any
) -> None:
    """As everyone sees it, and with the reader as "you"."""
    game, _state = game_where(
        people,
        lambda state, decision: (
            decision.seat == 0 and state.phase == "battle" and len(observe(state, None).control) > 3
        ),
    )
    game.refresh_from_db()
    control = dict(observe(replayed(game).state, None).control)
    assert game.glimpse["control"] == control
    own, other = (my_games(signed_in(people[number])) for number in (0, 1))
    for page in (section(own, "waiting"), section(other, "running")):
        assert len(re.findall(r'class="region held seat-', page)) == len(control)
        assert re.search("Most regions: |One region from winning: ", page)
    game.glimpse = glimpse_of(replayed(game).state, [Passed(1)], game.glimpse)
    game.save()
    own, other = (my_games(signed_in(people[number])) for number in (0, 1))
    assert f"<span>{people[1].name} passed.</span>" in section(own, "waiting")
    assert "<span>You passed.</span>" in section(other, "running")
