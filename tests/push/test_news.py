"""Public news of tables and leagues, in the channels that hosts and organisers added."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import reverse

from accounts.models import User
from accounts.push.models import NoticeTarget, TargetNotice
from accounts.push.target_sending import send_due
from games.leagues.models import LeagueTable
from games.leagues.services.founding import add_organiser, step_down
from games.leagues.services.league_news import tell_standings
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.result_collection import collect
from games.leagues.services.season_end import close_season
from games.models import Game, Table
from tests.digests.days import MINUTE, Days
from tests.games.playing import begin_game, play_to_the_end
from tests.leagues import world
from tests.push.receivers import DISCORD, NTFY, PROGRAM, SLACK, Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture
def hosted(days: Days, anna: User, bruno: User) -> Game:
    return begin_game([anna, bruno])


def news_of(table: Table) -> str:
    return reverse("table_channels", args=[table.pk])


def texts(days: Days, receiver: Receiver) -> list[str]:
    """Return what a program gets, once it's due."""
    days.now += MINUTE
    send_due()
    told = [one.told["data"]["text"] for one in receiver.got if one.host == PROGRAM]
    receiver.clear()
    return told


def table_form(receiver: Receiver, host: str = PROGRAM, *kinds: str) -> dict[str, Any]:
    return receiver.form(host, kinds=kinds or ("table_over", "table_words"))


def test_a_hosts_channel_hears_that_the_game_is_over_and_what_the_host_writes(
    days: Days, hosted: Game, signed_in: Any, receiver: Receiver, anna: User
) -> None:
    client, page = signed_in(anna), news_of(hosted.table)
    assert client.post(page, table_form(receiver)).status_code == 302
    assert "JSON for your own program at program.example.org" in client.get(page).content.decode()
    client.post(f"{page}write/", {"text": "A hard game!"})
    assert texts(days, receiver) == ["Table 42: A hard game!"]
    play_to_the_end(hosted)
    assert texts(days, receiver) == ["Table 42 is over."]
    assert texts(days, receiver) == []


def test_the_table_sees_that_its_host_added_a_channel(
    days: Days, hosted: Game, signed_in: Any, receiver: Receiver, anna: User, bruno: User
) -> None:
    table = reverse("table", args=[hosted.table_id])
    words = "The host sends news of this table to a channel (Discord)"
    assert words not in signed_in(bruno).get(table).content.decode()
    signed_in(anna).post(news_of(hosted.table), table_form(receiver, DISCORD))
    seen = signed_in(bruno).get(table).content.decode()
    assert words in seen
    assert "a-secret_token" not in seen
    assert "Send news of the table" not in seen


def test_a_tables_channel_hears_nothing_of_turns_or_messages_and_a_persons_nothing_of_news(
    days: Days, hosted: Game, signed_in: Any, receiver: Receiver, anna: User
) -> None:
    client = signed_in(anna)
    client.post(news_of(hosted.table), table_form(receiver))
    client.post("/me/channels/", receiver.form(NTFY))
    play_to_the_end(hosted)
    days.now += MINUTE
    send_due()
    assert {one.host: one.told for one in receiver.got}[PROGRAM]["type"] == "table_over"
    assert [one.host for one in receiver.got].count(NTFY) == 0
    assert TargetNotice.objects.filter(target__subject="").count() == 0


@pytest.mark.parametrize("kinds", [["turn"], ["message"], ["league_table"], []])
def test_a_table_has_no_other_news(
    days: Days, hosted: Game, signed_in: Any, receiver: Receiver, anna: User, kinds: list[str]
) -> None:
    answer = signed_in(anna).post(news_of(hosted.table), receiver.form(SLACK, kinds=kinds))
    assert answer.status_code == 422
    assert not NoticeTarget.objects.exists()


def test_only_the_host_adds_channels_and_writes(
    days: Days, hosted: Game, signed_in: Any, receiver: Receiver, bruno: User
) -> None:
    page, client = news_of(hosted.table), signed_in(bruno)
    assert client.post(page, table_form(receiver)).status_code == 404
    assert client.post(f"{page}write/", {"text": "I am the host."}).status_code == 404
    assert not NoticeTarget.objects.exists()


def test_a_message_that_is_too_long_or_empty_is_not_sent(
    days: Days, hosted: Game, signed_in: Any, receiver: Receiver, anna: User
) -> None:
    client, page = signed_in(anna), news_of(hosted.table)
    client.post(page, table_form(receiver))
    for text in ("", " ", "x" * 501):
        answer = client.post(f"{page}write/", {"text": text}, follow=True)
        assert "Enter a message of at most 500 characters." in answer.content.decode()
    assert texts(days, receiver) == []


def test_a_leagues_channel_hears_of_rounds_tables_standings_and_the_end(
    days: Days, signed_in: Any, receiver: Receiver, anna: User
) -> None:
    league = world.a_league(anna)
    players = world.people(3)
    season = world.a_season(league, size=3, rounds=1)
    client, page = signed_in(anna), reverse("league_channels", args=[league.pk])
    kinds = ("round_drawn", "league_table", "standings", "season_over", "league_words")
    assert client.post(page, receiver.form(PROGRAM, kinds=kinds)).status_code == 302
    client.post(f"{page}write/", {"text": "Here we go."})
    assert texts(days, receiver) == ["Autumn League: Here we go."]
    world.running(season, players)
    days.now = max(days.now, season.begins_at) + MINUTE
    run_seasons(days.now)
    assert texts(days, receiver) == ["Autumn League, season 1: round 1 is drawn."]
    row = LeagueTable.objects.get()
    world.finish(row)
    collect(row, days.now)
    assert texts(days, receiver) == ["Autumn League, season 1, round 1: table 1 is over."]
    monday = datetime(2026, 11, 30, 7, tzinfo=UTC)
    days.now = monday
    assert tell_standings(days.now) == 0
    days.now = monday + timedelta(hours=2)
    assert (tell_standings(days.now), tell_standings(days.now + timedelta(days=2))) == (1, 1)
    (told,) = texts(days, receiver)
    assert told.startswith("Autumn League, season 1, standings of the week:\n1. Player0")
    assert len(told.splitlines()) == 4
    season.refresh_from_db()
    assert close_season(season, days.now)
    (told,) = texts(days, receiver)
    assert told.startswith("Autumn League: season 1 has finished. Player0")
    assert told.endswith(" won.")


def test_a_channel_that_came_during_the_week_waits_for_monday(
    days: Days, signed_in: Any, receiver: Receiver, anna: User
) -> None:
    league = world.a_league(anna)
    season = world.running(world.a_season(league, size=3, rounds=1), world.people(3))
    days.now = datetime(2026, 11, 25, 12, tzinfo=UTC)
    page = reverse("league_channels", args=[league.pk])
    signed_in(anna).post(page, receiver.form(PROGRAM, kinds=["standings"]))
    assert tell_standings(days.now) == 0
    assert tell_standings(datetime(2026, 11, 30, 9, tzinfo=UTC)) == 1
    assert TargetNotice.objects.get().context == {"season": season.pk}


def test_another_organiser_sees_and_removes_a_channel_but_not_its_address(
    days: Days, signed_in: Any, receiver: Receiver, anna: User, bruno: User
) -> None:
    league = world.a_league(anna)
    add_organiser(league, anna, bruno, "Help.")
    page = reverse("league_channels", args=[league.pk])
    signed_in(anna).post(page, receiver.form(SLACK, kinds=["season_over"]))
    target, other = NoticeTarget.objects.get(), signed_in(bruno)
    seen = other.get(page).content.decode()
    assert "Slack at hooks.slack.com, added by Anna" in seen
    assert "asecrettoken" not in seen
    assert other.get(reverse("notice_target", args=[target.pk])).status_code == 404
    assert other.post(f"{page}{target.pk}/remove/").status_code == 302
    assert not NoticeTarget.objects.exists()


def test_a_channel_of_someone_who_stepped_down_hears_nothing_more(
    days: Days, signed_in: Any, receiver: Receiver, anna: User, bruno: User
) -> None:
    league = world.a_league(anna)
    add_organiser(league, anna, bruno, "Help.")
    page = reverse("league_channels", args=[league.pk])
    signed_in(anna).post(page, receiver.form(PROGRAM, kinds=["league_words"]))
    step_down(league, anna)
    signed_in(bruno).post(f"{page}write/", {"text": "Among ourselves."})
    assert texts(days, receiver) == []


def test_a_player_chooses_one_of_their_leagues(
    days: Days, signed_in: Any, receiver: Receiver, anna: User
) -> None:
    player = world.person("Petra")
    league, other = world.a_league(anna), world.a_league(anna, "Another league")
    world.running(world.a_season(league, size=3, rounds=1), [player, *world.people(2)])
    client = signed_in(player)
    seen = client.get("/me/channels/").content.decode()
    assert "Autumn League" in seen
    assert "Another league" not in seen
    wrong = receiver.form(SLACK, only_source=reverse("league", args=[other.pk]))
    assert client.post("/me/channels/", wrong).status_code == 422
    client.post("/me/channels/", receiver.form(SLACK, only_source=reverse("league", args=[league.pk])))
    assert NoticeTarget.objects.get().only_source == f"/leagues/{league.pk}/"
