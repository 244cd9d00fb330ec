"""The chronicle of a finished game: its readers, its contents, and the email with its link."""

import re
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games import services
from games.links import chronicle_token
from games.models import Game, Proposal
from games.models.replay import replayed
from games.narration.battles import battles_in
from games.presenters.chronicle import Chronicle
from games.presenters.gains import gained_by
from games.presenters.game_log import GameLog
from games.presenters.position import Position
from games.presenters.turning_points import TurningPoint, closest_to_winning, missing, most_telling
from games.rules import VARIANTS, observe, region_name
from tests.games.playing import begin_game, play_to_the_end, play_until
from tests.matches.playing import begin_match, ended

pytestmark = pytest.mark.django_db
NAMES = ("Anna", "Bruno", "Carla")


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return unescape(answer.content.decode())


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]).split())


def chronicle_of(game: Game, reader: int | None = None) -> Chronicle:
    return Chronicle(
        GameLog(Position(game, replayed(game), NAMES, None, reader=reader)), lambda ply: f"#{ply}"
    )


def reader_of(email: Any, people: list[Any]) -> int:
    """Return the seat of an email's recipient."""
    return [person.email for person in people].index(email.to[0])


def test_players_and_spectators_read_it_and_no_one_else(
    finished: Game, people: list[Any], signed_in: Any, stranger: Any
) -> None:
    page = read(signed_in(people[1]), f"/games/{finished.pk}/chronicle/")
    assert f"/games/{finished.pk}/history/" in page
    assert "/watch/" not in page.partition("<main")[2]
    assert signed_in(stranger).get(f"/games/{finished.pk}/chronicle/").status_code == 404
    watched = read(Client(), f"/watch/{finished.table.watch_key}/chronicle/")
    assert f"/games/{finished.pk}/" not in watched
    assert Client().get("/watch/nowhere/chronicle/").status_code == 404


def test_it_tells_every_battle_every_players_gains_and_the_result(finished: Game) -> None:
    page = words(read(Client(), f"/watch/{finished.table.watch_key}/chronicle/"))
    battles = battles_in([entry.events for entry in replayed(finished).plies])
    assert len(battles) > 3
    for battle in battles:
        assert battle.title in page
    for name in NAMES:
        assert f"{name} won the game" in page or f"{name} " in page
    assert finished.result is not None
    assert f"{NAMES[finished.result['winners'][0]]} won the game" in page
    assert "Turning points" in page
    assert "Results" in page


def test_the_pages_of_the_game_lead_to_it(finished: Game, people: list[Any], signed_in: Any) -> None:
    assert f"/games/{finished.pk}/chronicle/" in read(signed_in(people[0]), f"/games/{finished.pk}/")
    key = finished.table.watch_key
    assert f"/watch/{key}/chronicle/" in read(Client(), f"/watch/{key}/")
    assert f"/watch/{key}/chronicle/" in read(Client(), f"/watch/{key}/history/0/")


def test_gains_add_up_to_what_is_held_at_the_end(finished: Game) -> None:
    chronicle = chronicle_of(finished)
    control = observe(replayed(finished).state, None).control
    for gains in chronicle.gains:
        held = sorted(region_name(region) for region, seat in control if seat == gains.seat)
        assert sorted(gains.regions) == held
        gained = [region for _title, told in gains.parts for region in told.split(", ") if told]
        assert sorted(gained) == held  # nothing is lost in the game of 2007
        assert gains.won <= gains.fought
    assert sum(gains.won for gains in chronicle.gains) == len(control)
    assert sum(len(part.battles) for part in chronicle.parts) == len(chronicle.battles)
    assert dict(chronicle.parts[-1].board.control) == dict(control)


def test_turning_points_are_those_that_the_positions_show(finished: Game) -> None:
    chronicle = chronicle_of(finished)
    last = chronicle.turning_points[-1]
    assert last.title == chronicle.battles[-1].title
    assert last.sentences[-1] == "This battle decided the game."
    states = replayed(finished).states
    for point in chronicle.turning_points:
        closer = re.match(
            r"Now (\w+) was closest to winning: (\d) regions? short. Until then it was (\w+).",
            point.sentences[-1],
        )
        if closer:
            at = next(battle for battle in chronicle.battles if f"#{battle.first + 1}" == point.url)
            after = observe(states[(at.end or 0) + 1], None)
            assert closest_to_winning(after) == NAMES.index(closer[1])
            assert missing(after, NAMES.index(closer[1])) == int(closer[2])


def test_someone_who_is_closest_alone_is_closest_and_else_no_one(people: list[Any]) -> None:
    game = begin_game(people)
    seen = observe(replayed(game).state, None)
    assert closest_to_winning(seen) is None
    assert missing(seen, 0) == seen.goal_connected


# Points are played for in a match, which has its own test.
ALONE = [
    ("1995", []),
    *(
        pytest.param(("2007", [variant]), marks=pytest.mark.long)
        for variant in VARIANTS
        if variant != "playing-for-points"
    ),
]


@pytest.mark.parametrize("options", ALONE, ids=str)
@pytest.mark.long
def test_every_kind_of_game_has_a_chronicle(people: list[Any], options: tuple[str, list[str]]) -> None:
    edition, variants = options
    game = begin_game(people, watch="link", options_json={"edition": edition, "variants": variants})
    play_until(game, lambda state, decision: state.ply > 400, seed=2)
    if not game.is_over:
        agree(game, "most regions")
    page = read(Client(), f"/watch/{game.table.watch_key}/chronicle/")
    for battle in chronicle_of(game).battles:
        assert battle.title in page
    for gains in chronicle_of(game).gains:
        lost = gained_by(gains.seat, chronicle_of(game).battles).partition("lost ")[2]
        assert bool(lost) <= (edition == "1995" or variants == ["capturing-regions"])


def agree(game: Game, what: str) -> None:
    seats = list(game.table.seats.order_by("number"))
    services.propose_end(seats[0], game, what)
    for seat in seats[1:]:
        services.accept_proposal(seat, Proposal.objects.get(closed_at=None))
    game.refresh_from_db()


def test_a_game_that_the_table_ended_says_so_at_its_end(people: list[Any]) -> None:
    game = begin_game(people, watch="link")
    play_until(game, lambda state, decision: state.ply > 30)
    agree(game, "none")
    page = words(read(Client(), f"/watch/{game.table.watch_key}/chronicle/"))
    assert page.count("Everyone agreed to end the game. No one wins.") == 2
    assert "won the game" not in page


def test_a_game_ended_before_its_first_battle_has_a_short_chronicle(people: list[Any]) -> None:
    game = begin_game(people, watch="link")
    agree(game, "none")
    page = words(read(Client(), f"/watch/{game.table.watch_key}/chronicle/"))
    assert "Moves 0 Battles 0" in page


def test_reading_it_takes_few_queries_however_long_the_game(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    client = signed_in(people[0])
    client.get("/")
    for path in ("chronicle/", "history/20/", f"history/{finished.ply}/?as=1"):
        with CaptureQueriesContext(
            connection,
        ) as counted:
            read(client, f"/games/{finished.pk}/{path}")
        assert len(counted) <= 10, [query["sql"][:90] for query in counted]


def last_emails() -> list[Any]:
    mail.outbox.clear()
    OutgoingEmail.objects.exclude(kind="game_over").delete()
    deliver_due()
    assert len(mail.outbox) == 3
    return list(mail.outbox)


def in_one_line(email: Any) -> tuple[str, str]:
    """Return the email's words, from its text and from its HTML."""
    html = unescape(re.sub(r"<[^>]+>", " ", str(email.alternatives[0][0])))
    return " ".join(str(email.body).split()), " ".join(html.split())


def test_the_last_email_tells_the_result_the_gains_and_how_the_game_turned(
    finished: Game, people: list[Any]
) -> None:
    for email in last_emails():
        chronicle = chronicle_of(finished, reader_of(email, people))
        for told in in_one_line(email):
            assert chronicle.ending in told
            assert chronicle.length in told
            for gains in chronicle.gains:
                assert gains.victories in told
                assert ", ".join(gains.regions) in told
            for point in most_telling(chronicle.turning_points, 5):
                assert " ".join(point.sentences) in told
        (picture,) = email.attachments
        assert picture["Content-ID"] == "<map>"
        assert 'alt="The final map' in str(email.alternatives[0][0])


def test_the_last_email_leaves_the_whole_story_to_the_chronicle(finished: Game, people: list[Any]) -> None:
    for email in last_emails():
        sentences = chronicle_of(finished, reader_of(email, people)).parts[0].battles[0].sentences
        story = " ".join(" ".join(sentences).split())
        assert all(story not in told for told in in_one_line(email))
        (link,) = set(re.findall(r"http://testserver(/chronicle/[^/\s]+/)(?!\S)", email.body))
        assert f"http://testserver{link}" in str(email.alternatives[0][0])
        assert story in words(read(Client(), link))


def test_the_link_of_the_last_email_is_for_those_who_have_a_seat(finished: Game, stranger: Any) -> None:
    assert Client().get(f"/chronicle/{chronicle_token(finished, stranger.pk)}/").status_code == 404


def test_the_most_telling_points_are_told_in_the_order_of_play() -> None:
    points = [TurningPoint(f"{n}", ("x",) * length, "") for n, length in enumerate((2, 1, 3, 1, 2, 1))]
    assert [point.title for point in most_telling(points, 4)] == ["0", "2", "4", "5"]
    assert [point.title for point in most_telling(points, 9)] == ["0", "1", "2", "3", "4", "5"]
    assert most_telling([], 4) == ()


def test_anyone_who_comes_closest_to_winning_is_told_by_name(people: list[Any]) -> None:
    game = begin_game(people)
    play_to_the_end(game, seed=3)
    chronicle, expected, closest = chronicle_of(game), [], None
    for battle in chronicle.battles[:-1]:
        now = closest_to_winning(observe(replayed(game).states[(battle.end or 0) + 1], None))
        if now is not None and closest is not None and now != closest:
            expected.append((NAMES[now], NAMES[closest]))
        closest = closest if now is None else now
    told = " ".join(sentence for point in chronicle.turning_points for sentence in point.sentences)
    closer = r"Now (\w+) was closest to winning: \d regions? short\. Until then it was (\w+)\."
    assert re.findall(closer, told) == expected
    assert "Anna" in {before for _now, before in expected}  # the player at seat 0


def test_each_game_of_a_match_has_its_own(people: list[Any], signed_in: Any) -> None:
    game = ended(begin_match(people[:2], 50, watch="anyone"))
    page = words(read(signed_in(people[0]), f"/games/{game.pk}/chronicle/"))
    assert "Points: " in page
    watched = f"/watch/{game.table.watch_key}/game/1/"
    assert f"{watched}history/" in read(Client(), f"{watched}chronicle/")
    assert Client().get(f"/watch/{game.table.watch_key}/game/2/chronicle/").status_code == 404
