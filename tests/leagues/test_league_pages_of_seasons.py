"""A season's page: its rules in words, who is in it, and what its reader does about it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.leagues.models import OpenSeat, Registration, Season, Substitute
from games.leagues.services.registration import sign_up
from games.leagues.services.result_collection import collect
from games.leagues.services.season_end import close_season
from games.leagues.services.season_start import close_sign_up
from games.models import Table
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.league_pages import path_of, read, words_of

pytestmark = pytest.mark.django_db


def open_season(**plan: Any) -> Season:
    season = world.a_season(world.a_league(world.person("Olga")), **plan)
    season.state = Season.State.SIGN_UP
    season.save(update_fields=["state"])
    return season


def page_of(season: Season, client: Client | None = None) -> str:
    return read(client or Client(), path_of("season", season))


def words(season: Season, client: Client | None = None) -> str:
    return words_of(page_of(season, client))


def pressed(client: Client, season: Season, name: str, **typed: str) -> str:
    """The words of the page to which the button leads."""
    answer = client.post(path_of(f"season_{name}", season), typed, follow=True)
    assert answer.status_code == 200
    return words_of(answer.content.decode())


def entry_of(season: Season, user: User) -> Registration:
    return season.entries.get(user=user)


# The rules


def test_all_rules_stand_on_one_page(wall: Wall) -> None:
    season = open_season(
        rounds=5,
        division_size=8,
        most_divisions=3,
        promoted=2,
        terms=world.TERMS | {"pace": "day"},
    )
    found = words(season)
    for sentence in (
        "Tables have 4 players, or one more or fewer so that everyone can play.",
        "Everyone plays at 5 tables. Everyone plays at 1 table at a time.",
        "First tables usually end around",
        "There are up to 3 divisions, with up to 8 in each. A is the highest.",
        "1st place: 6, 2nd place: 3, 3rd place: 1, 4th place: 0.",
        "Victories: a shared victory counts for its share.",
        "A bye scores the average of what all the player’s own tables give them, including tables",
        "A bye counts as soon as its round is over.",
        "The other players follow by the regions they hold at the end.",
        "Substitutes are no one’s opponents, and a bye is not a table.",
        "“condottiere-lot-1 N”",
        "it gets 14 more days, once.",
        "the players with most regions win. If no one holds a region, no one wins.",
        "If no one wins, all players of the table share the points of all places equally.",
        "The points of a seat that changed hands are shared by the turns that each player played themselves.",
        "At the end of the season, 2 players move up from each division, and as many move down.",
        "Sign-up is open from Monday 2 March, 12:00 to Monday 9 March, 12:00.",
        "They have 3 days to confirm that they play.",
        "24 hours per move, 3 days in reserve for the whole game",
        "Each substitute has 24 hours to answer. No answer counts as a no.",
        "Only the players can watch.",
    ):
        assert sentence in found, sentence


@pytest.mark.long
def test_each_choice_has_words_of_its_own(wall: Wall) -> None:
    choices = {
        "format": Season.Format,
        "scoring": Season.Scoring,
        "split": Season.Split,
        "bye_points": Season.ByePoints,
        "late": Season.Late,
    }
    for column, values in choices.items():
        season = open_season()
        pages = set()
        for value in values:
            Season.objects.filter(pk=season.pk).update(**{column: value})
            pages.add(words(season))
        assert len(pages) == len(values), column


def test_tie_breaks_stand_in_the_seasons_order_and_the_lot_is_the_last(wall: Wall) -> None:
    found = words(open_season(tie_breaks=["lot", "regions", "wins"]))
    assert (
        found.index("Regions held at the end")
        < found.index("Victories: a shared")
        < found.index("Lot: players are ordered")
    )
    assert "Head to head" not in found


def test_own_points_by_place_are_told(wall: Wall) -> None:
    found = words(open_season(size=3, placement=[5, 2, 1]))
    assert "1st place: 5, 2nd place: 2, 3rd place: 1." in found
    assert "table of 4. 1st place: 5, 2nd place: 3, 3rd place: 1.67, 4th place: 1." in found
    assert "read off the straight lines between the season’s points" in found


def test_the_tables_of_a_full_division_are_told(wall: Wall) -> None:
    assert "A full division has 23 players: 3 tables of 5 and 2 tables of 4." in words(
        open_season(size=4, division_size=23)
    )


def test_smaller_tables_in_long_seasons_are_told(wall: Wall) -> None:
    found = words(open_season(size=4, rounds=4, division_size=10))
    assert "A full division has 10 players: 1 table of 4 and 2 tables of 3." in found
    assert "Tables have one seat fewer than asked for" in found
    assert "one seat fewer" not in words(open_season(size=4, rounds=2, division_size=10))


def test_the_seed_is_published_with_the_draw_and_not_before(wall: Wall) -> None:
    assert "The seed" not in words(open_season())
    season = world.a_running_season(world.person("Olga"), world.people(4))
    assert season.seed in words(season)


def test_a_rule_that_leads_nowhere_is_not_told(wall: Wall) -> None:
    found = words(open_season(table_days=1, extension_days=0, pause_days=None))
    assert " 0 days" not in found
    assert "None" not in found


# Signing up


def test_a_stranger_is_led_to_signing_in_and_back(wall: Wall) -> None:
    season = open_season()
    assert f'href="/accounts/login/?next={path_of("season", season)}"' in page_of(season)
    assert Client().post(path_of("season_sign_up", season)).status_code == 302
    assert not season.entries.exists()


def test_someone_who_signs_up_has_a_place_and_reads_what_comes_next(wall: Wall, signed_in: Any) -> None:
    season, anna = open_season(), world.person("Anna")
    found = pressed(signed_in(anna), season, "sign_up")
    assert entry_of(season, anna).state == Registration.State.SIGNED_UP
    assert (
        "You signed up. When sign-up ends, on Monday 9 March, 12:00 at the latest, we’ll email you" in found
    )
    assert "You have a place." in found
    assert "Players signed up: 1 of 12" in found


def test_someone_who_comes_after_all_places_are_taken_waits_in_order(wall: Wall, signed_in: Any) -> None:
    season = open_season(division_size=2)
    people = world.people(4)
    for user in people[:3]:
        sign_up(season, user)
    client = signed_in(people[3])
    assert "All places are taken. If a player leaves, the first person on the waiting list gets" in words(
        season, client
    )
    found = pressed(client, season, "sign_up")
    assert (
        "All places are taken, so you’re on the waiting list. We’ll email you as soon as you get a place."
        in found
    )
    assert "You are number 2 on the waiting list." in found
    assert "Waiting list Player03 Player04" in found


def test_someone_who_leaves_gives_their_place_to_someone_who_waits(wall: Wall, signed_in: Any) -> None:
    season = open_season(division_size=2)
    people = world.people(3)
    for user in people:
        sign_up(season, user)
    found = pressed(signed_in(people[0]), season, "leave")
    assert "You left the season." in found
    assert entry_of(season, people[2]).state == Registration.State.SIGNED_UP
    assert "Waiting list Player" not in found


def test_someone_who_is_asked_to_confirm_finds_one_button(wall: Wall, signed_in: Any) -> None:
    season = open_season(min_players=2)
    people = world.people(3)
    for user in people:
        sign_up(season, user)
    wall.now = season.signup_ends_at
    close_sign_up(season, wall.now)
    season.refresh_from_db()
    client = signed_in(people[0])
    assert "You have a place. Confirm by " in words(season, client)
    found = pressed(client, season, "confirm")
    assert entry_of(season, people[0]).state == Registration.State.CONFIRMED
    assert "You confirmed that you’ll play. On " in found
    assert "Player01 confirmed" in found


def test_before_sign_up_opens_and_after_the_end_there_is_no_button(wall: Wall, signed_in: Any) -> None:
    client = signed_in(world.person("Anna"))
    season = world.a_season(world.a_league(world.person("Olga")))
    for state in (Season.State.PLANNED, Season.State.CLOSED, Season.State.CANCELLED):
        Season.objects.filter(pk=season.pk).update(state=state)
        page = page_of(season, client)
        assert path_of("season_sign_up", season) not in page
        assert path_of("season_volunteer", season) not in page


def test_a_running_season_takes_people_on_its_waiting_list(wall: Wall, signed_in: Any) -> None:
    client = signed_in(world.person("Anna"))
    season = world.a_running_season(world.person("Olga"), world.people(4))
    assert path_of("season_sign_up", season) in page_of(season, client)
    assert "the first player on the waiting list takes their seats at tables that have not begun" in words(
        season, client
    )


def test_why_something_cannot_be_done_is_said_on_the_page(wall: Wall, signed_in: Any) -> None:
    season = world.a_season(world.a_league(world.person("Olga")))
    assert "Sign-up has not opened yet." in pressed(signed_in(world.person("Anna")), season, "sign_up")


# Helping and leaving


def test_someone_who_helps_is_listed_in_the_order_of_being_asked(wall: Wall, signed_in: Any) -> None:
    season, anna = open_season(), world.person("Anna")
    client = signed_in(anna)
    found = pressed(client, season, "volunteer")
    assert "We’ll email you when it’s your turn to take a seat." in found
    assert "Anna Stop being a substitute" in found
    assert "You’re no longer a substitute." in pressed(client, season, "stop_volunteering")
    assert Substitute.objects.get(user=anna).stopped_at is not None


@pytest.mark.long
def test_someone_who_withdraws_leaves_a_note_for_someone_who_takes_their_seat(
    wall: Wall, signed_in: Any
) -> None:
    players = world.people(4)
    season = world.a_running_season(world.person("Olga"), players)
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    client = signed_in(players[0])
    assert f'href="/games/{world.game_at(row).pk}/"' in page_of(season, client)
    found = pressed(client, season, "withdraw", note="Siena is promised.", reason="A voyage.")
    assert "You withdrew from the season." in found
    assert entry_of(season, players[0]).state == Registration.State.WITHDRAWN
    assert entry_of(season, players[0]).reason == "A voyage."
    assert OpenSeat.objects.get(table=row).note == "Siena is promised."
    assert "Siena is promised" not in page_of(season, signed_in(players[1]))
    assert "Player01 Withdrawn A voyage." in words(season, signed_in(players[1]))
    assert "Player01 Withdrawn" in words(season)
    assert "A voyage." not in page_of(season)


def test_divisions_show_who_leads(wall: Wall) -> None:
    season = league_pages.by_hand(world.person("Olga"))
    found = words(season)
    assert "Standings Fabio 10 points Anna 9 points Bruno 8 points 8 players" in found


# The league and the list


def test_a_league_says_what_goes_on_and_how_to_join(wall: Wall) -> None:
    season = open_season()
    season.league.about = "Slow games.\n\n<b>Among friends.</b>"
    season.league.save()
    page = read(Client(), f"/leagues/{season.league_id}/")
    assert "<p>Slow games.</p>" in page
    assert "&lt;b&gt;Among friends.&lt;/b&gt;" in page
    found = words_of(page)
    assert "Sign-up for season 1 is open until Monday 9 March, 12:00. Free places: 12 of 12." in found
    assert "Sign up for season 1" in found
    assert "Thursday 12 March, 12:00 Season 1 · First tables begin" in found
    assert "Organisers Olga" in found


@pytest.mark.sqlite
def test_the_list_tells_what_goes_on_in_each(wall: Wall, signed_in: Any) -> None:
    anna, olga = world.person("Anna"), world.person("Olga")
    playing = world.running(
        world.a_season(world.a_league(olga, "Played"), rounds=3), [anna, *world.people(3)]
    )
    world.seat_by_hand(playing.divisions.get().rounds.get(number=1), [anna, *world.people(3)])
    world.a_league(olga, "Empty")
    found = words_of(read(signed_in(anna), "/leagues/"))
    mine, _, others = found.partition("Other leagues")
    assert "Played Season 1 is in progress. Tables over: 0 of 1." in mine
    assert "Empty No season has been planned yet." in others
    assert "Played" not in others
    assert "Create a league" in found


def test_a_closed_season_names_who_won(wall: Wall, signed_in: Any) -> None:
    season = league_pages.by_hand(world.person("Olga"), pause_days=None)
    close_season(season, wall.now)
    assert "Fabio won season 1." in words_of(read(Client(), "/leagues/"))
    assert "Finished · Winner: Fabio" in words_of(read(Client(), f"/leagues/{season.league_id}/"))
    fabio = season.entries.get(user__name="Fabio").user
    found = words_of(read(signed_in(fabio), f"/leagues/{season.league_id}/season/1/"))
    assert re.search(r"Your season Your rank( in division A)?: 1\.", found)


def test_the_season_of_a_larger_league_costs_no_more(wall: Wall) -> None:
    counts = []
    for count in (4, 16):
        players = world.people(count, f"P{count}")
        divisions = [players[first : first + 4] for first in range(0, count, 4)]
        season = world.a_running_season(world.person("Olga"), *divisions, rounds=count // 4)
        for division in season.divisions.all():
            (table,) = world.seat_by_hand(
                division.rounds.get(number=1), [entry.user for entry in division.entries.all()]
            )
            world.finish(table)
            collect(table, wall.now)
        with CaptureQueriesContext(connection) as captured:
            page_of(season)
            read(Client(), f"/leagues/{season.league_id}/")
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_a_game_names_what_it_is_part_of(wall: Wall, signed_in: Any) -> None:
    players = world.people(4)
    season = world.a_running_season(world.person("Olga"), players)
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    Table.objects.filter(pk=row.table_id).update(source="Autumn <League>", source_path="/leagues/7/")
    client, game = signed_in(players[0]), world.game_at(row)
    for path in (f"/games/{game.pk}/", f"/tables/{row.table_id}/"):
        assert re.search(r'Part of: <a href="/leagues/7/">Autumn &lt;League&gt;</a>', read(client, path))


def test_a_games_emails_name_what_it_is_part_of(wall: Wall) -> None:
    players = world.people(4)
    season = world.a_running_season(world.person("Olga"), players)
    (row,) = world.seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    Table.objects.filter(pk=row.table_id).update(source="Autumn League", source_path="/leagues/7/")
    deliver_due()
    assert len(mail.outbox) == 4
    for email in mail.outbox:
        assert isinstance(email, EmailMultiAlternatives)
        assert "Part of Autumn League:\nhttp://testserver/leagues/7/" in email.body
        assert '<a href="http://testserver/leagues/7/"' in str(email.alternatives[0][0])


def test_tables_of_small_divisions_are_named_with_their_points(wall: Wall) -> None:
    found = words(open_season(size=3, division_size=5))
    assert "Tables of small divisions can differ by more." in found
    assert "A full division has 5 players: 1 table of 5." in found
    assert "Points for each place at a table of 5." in found
    found = words(open_season(size=4, division_size=12))
    assert "can differ by more" not in found
    assert "at a table of 6" not in found


def test_the_waiting_list_of_a_running_season_says_why(wall: Wall, signed_in: Any) -> None:
    players = world.people(4)
    season = world.a_running_season(world.person("Olga"), players[:3], size=3, division_size=4)
    found = pressed(signed_in(players[3]), season, "sign_up")
    assert "The season is in progress, so you’re on the waiting list." in found
