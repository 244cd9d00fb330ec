"""Players tell the organisers something, and get an answer."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.links import concern_url
from games.leagues.models import AuditEvent, Concern, LeagueTable, Season
from games.leagues.privacy import erase, export, redact
from games.leagues.selectors.concern_texts import concern_lines
from games.leagues.services.concerns import TOLD_A_DAY, answer_concern, tell_organisers
from games.leagues.services.substitutes import volunteer
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.people import client_of

pytestmark = pytest.mark.django_db

SLOW, NOTHING = Concern.About.SLOW, Concern.Outcome.NOTHING


@pytest.fixture
def players(wall: Wall) -> list[User]:
    return [world.person(name) for name in ("Anna", "Bruno", "Carla")]


@pytest.fixture
def season(players: list[User]) -> Season:
    """Olga and Anna run it; Anna plays too."""
    season = world.a_running_season(world.person("Olga"), players, size=3, rounds=2)
    season.league.organisers.create(user=players[0])
    return season


@pytest.fixture
def table(season: Season, players: list[User]) -> LeagueTable:
    return world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)[0]


def olga() -> User:
    return User.objects.get(email="olga@example.org")


def readers(kind: str) -> list[str]:
    emails = OutgoingEmail.objects.filter(kind=kind).order_by("pk")
    return [email.to_user.shown_name for email in emails if email.to_user]


def path_of(season: Season, name: str, *more: int) -> str:
    return reverse(name, args=[season.league_id, *more])


def test_only_organisers_who_do_not_sit_there_read_it(
    wall: Wall, season: Season, table: LeagueTable, players: list[User], client: Client
) -> None:
    told = tell_organisers(season, players[1], table, SLOW, "Carla hasn’t moved for a week.")
    assert readers("league_concern") == ["Olga"]
    assert concern_lines(season.league, players[0], wall.now) == []
    (line,) = concern_lines(season.league, olga(), wall.now)
    assert "Bruno wrote to you about “Round 1, table 1”." in line.task.sentence
    assert "since" in line.line[0]
    answer = path_of(season, "concern_reply", told.pk)
    client.force_login(players[0])
    assert client.get(answer).status_code == 404
    client.force_login(olga())
    for page in (path_of(season, "organise"), league_pages.path_of("season_desk", season)):
        assert "Bruno wrote to you" in league_pages.text_of(client, page)
    words = league_pages.text_of(client, answer)
    assert "Carla hasn’t moved for a week." in words
    assert line.line[0].split(" since")[0] in words


def test_about_the_season_every_organiser_decides_but_its_author(season: Season, players: list[User]) -> None:
    tell_organisers(season, players[1], None, SLOW, "All of it is slow.")
    assert sorted(readers("league_concern")) == ["Anna", "Olga"]
    tell_organisers(season, players[0], None, SLOW, "I find so too.")
    assert sorted(readers("league_concern")) == ["Anna", "Olga"]  # Olga’s is queued still


def test_if_every_organiser_sits_there_the_page_says_so(
    season: Season, table: LeagueTable, players: list[User], client: Client
) -> None:
    season.league.organisers.filter(user=olga()).delete()
    client.force_login(players[1])
    page = league_pages.path_of("season_tell", season) + f"?table={table.pk}"
    assert "Each organiser of the league sits at this table" in league_pages.text_of(client, page)
    sent = {"where": str(table.pk), "about": "conduct", "text": "Rude words."}
    response = client.post(page, sent)
    assert response.status_code == 400
    assert "Each organiser of the league sits at this table" in response.content.decode()
    assert not Concern.objects.exists()


def test_in_a_league_without_organisers_the_page_says_so(
    season: Season, table: LeagueTable, players: list[User], client: Client
) -> None:
    season.league.organisers.all().delete()
    client.force_login(players[1])
    page = league_pages.path_of("season_tell", season)
    said = "The league has no organiser, so there is no one to tell."
    for path in (page, f"{page}?table={table.pk}"):
        assert said in league_pages.text_of(client, path)


def test_organisers_get_an_email_at_most_once_an_hour(
    wall: Wall, season: Season, table: LeagueTable, players: list[User]
) -> None:
    for minute, author in enumerate((players[1], players[2], players[1])):
        tell_organisers(season, author, table, SLOW, f"It is slow {minute}.")
        OutgoingEmail.objects.filter(kind="league_concern", not_before__lte=wall.now).update(state="sent")
        wall.now += timedelta(minutes=10)
    first, second = OutgoingEmail.objects.filter(kind="league_concern").order_by("not_before")
    assert second.not_before - first.not_before == timedelta(hours=1)


def test_the_link_answers_without_signing_in_and_the_log_names_no_one(
    season: Season, table: LeagueTable, players: list[User], client: Client
) -> None:
    told = tell_organisers(season, players[1], table, Concern.About.CONDUCT, "Carla writes rude words.")
    link = concern_url(told, olga().pk).removeprefix("http://testserver")
    assert "Carla writes rude words." in league_pages.text_of(client, link)
    assert client.post(link, {"action": "answer", "outcome": "", "answer": ""}).status_code == 400
    sent = {"action": "answer", "outcome": "more time", "answer": "I wrote to Carla."}
    assert client.post(link, sent).status_code == 302
    told.refresh_from_db()
    assert (told.outcome, told.answered_by, told.answer) == ("more time", olga(), "I wrote to Carla.")
    assert "All of it is answered." in league_pages.text_of(client, link)
    assert readers("league_answer") == ["Bruno"]
    log = league_pages.text_of(client, path_of(season, "league_log"))
    assert "Olga answered a player and gave more time." in log
    assert "rude" not in log
    assert season.events.get(kind=AuditEvent.Kind.ANSWERED).table == table


def test_a_former_organisers_link_opens_nothing(season: Season, players: list[User], client: Client) -> None:
    told = tell_organisers(season, players[1], None, SLOW, "It is slow.")
    link = concern_url(told, olga().pk).removeprefix("http://testserver")
    season.league.organisers.filter(user=olga()).delete()
    assert client.get(link).status_code == 404


def test_of_two_organisers_the_second_reads_that_it_is_answered(season: Season, players: list[User]) -> None:
    told = tell_organisers(season, players[1], None, SLOW, "It is slow.")
    for _twice in range(2):
        answer_concern(told, olga(), NOTHING, "So it is.")
    with pytest.raises(Refused, match="has answered already"):
        answer_concern(told, players[0], Concern.Outcome.OTHER, "I see.")
    assert season.events.filter(kind=AuditEvent.Kind.ANSWERED).count() == 1


def test_an_organiser_at_the_table_cannot_answer(
    season: Season, table: LeagueTable, players: list[User]
) -> None:
    told = tell_organisers(season, players[1], table, SLOW, "It is slow.")
    with pytest.raises(Refused, match="another organiser decides"):
        answer_concern(told, players[0], NOTHING, "No.")


def test_three_a_day_and_the_same_twice_is_once(season: Season, players: list[User]) -> None:
    for _twice in range(2):
        tell_organisers(season, players[1], None, SLOW, "Number 0")
    for number in range(1, TOLD_A_DAY):
        tell_organisers(season, players[1], None, SLOW, f"Number {number}")
    with pytest.raises(Refused, match="3 times a day"):
        tell_organisers(season, players[1], None, SLOW, "One more")
    assert Concern.objects.count() == TOLD_A_DAY


def test_substitutes_may_and_strangers_may_not(season: Season) -> None:
    stranger = world.person("Stranger")
    with pytest.raises(Refused, match="Only players and substitutes"):
        tell_organisers(season, stranger, None, SLOW, "It is slow.")
    volunteer(season, stranger)
    tell_organisers(season, stranger, None, SLOW, "It is slow.")


def test_the_pages_link_to_it_for_players_alone(
    season: Season, table: LeagueTable, players: list[User], client: Client
) -> None:
    pages = [
        league_pages.path_of("season", season),
        league_pages.path_of("league_table", season, 1, 1, table.number),
    ]
    assert not any("Tell the organisers" in league_pages.text_of(client, page) for page in pages)
    client.force_login(players[1])
    assert all("Tell the organisers" in league_pages.text_of(client, page) for page in pages)


def test_it_is_exported_and_taken_out_with_the_account(season: Season, players: list[User]) -> None:
    told = tell_organisers(season, players[1], None, SLOW, "Carla is slow, and carla knows.")
    answer_concern(told, olga(), NOTHING, "Bruno is impatient.")
    assert "Carla is slow, and carla knows." in str(export(players[1]))
    assert "Bruno is impatient." in str(export(olga()))
    assert "Carla is slow" not in str(export(players[2]))
    erase(players[2])
    told.refresh_from_db()
    assert "arla" not in told.text
    redact(players[1])
    told.refresh_from_db()
    assert "slow" not in told.text


def test_an_answer_that_is_sent_again_or_late_is_said_so_on_the_page(
    season: Season, players: list[User]
) -> None:
    concern = tell_organisers(season, players[2], None, SLOW, "Too slow.")
    path = path_of(season, "concern_reply", concern.pk)
    browsers = [client_of(olga()), client_of(players[0])]
    form = {"outcome": NOTHING.value, "answer": "Sorry."}
    pages = [one.post(path, form, follow=True) for one in (browsers[0], browsers[0], browsers[1])]
    assert [page.status_code for page in pages] == [200, 200, 400]
    said = league_pages.words_of(pages[2].content.decode())
    assert "An organiser has answered already. Nothing was changed." in said
    assert readers("league_answer") == ["Carla"]


def test_someone_who_organises_only_since_the_answer_reads_none_of_it(
    season: Season, players: list[User]
) -> None:
    concern = tell_organisers(season, players[2], None, SLOW, "Dario cheats.")
    path = path_of(season, "concern_reply", concern.pk)
    assert '<q dir="auto">Dario cheats.</q>' in client_of(olga()).get(path).content.decode()
    answer_concern(concern, olga(), NOTHING, "We looked.")
    dario = world.person("Dario")
    season.league.organisers.create(user=dario)
    late = client_of(dario)
    form = {"outcome": NOTHING.value, "answer": "No."}
    for page in (late.get(path), late.post(path, form)):
        words = page.content.decode()
        assert "An organiser has already answered this." in words
        assert "Dario cheats." not in words
        assert "Carla" not in words
