"""What an organiser does to a season, its people and its tables: on a page that tells what follows and asks
why, and only when it is sent. For everyone else there is no such page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from accounts.times import moment
from games.leagues.models import AuditEvent, LeagueTable, OpenSeat, Registration, Season
from games.leagues.results.division_standings import division_standings
from games.leagues.services.registration import sign_up
from games.leagues.services.result_collection import collect
from games.leagues.services.substitute_offers import run_offers
from games.leagues.services.substitutes import volunteer
from games.leagues.services.withdrawals import expel
from games.models import Table
from tests.clocks.passing import Wall
from tests.leagues.organisers_desk import as_shown, text_of
from tests.leagues.world import a_league, a_running_season, a_season, finish, people, person, seat_by_hand

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]
DAY = timedelta(days=1)
WHY = {"reason": "It is better so."}


@dataclass(frozen=True)
class Played:
    """A season whose first round is played by four people at one table, and who runs it."""

    season: Season
    table: LeagueTable
    players: list[User]
    desk: Client

    def page(self, name: str, *about: Any) -> str:
        return reverse(name, args=[self.season.league_id, *about])


@pytest.fixture
def played(wall: Wall, anna: User, signed_in: SignedIn) -> Played:
    players = people(4)
    season = a_running_season(anna, players, rounds=2, division_size=8)
    (table,) = seat_by_hand(season.divisions.get().rounds.get(number=1), players)
    return Played(season, table, players, signed_in(anna))


@pytest.fixture
def planned(wall: Wall, anna: User) -> Season:
    return a_season(a_league(anna), division_size=8)


def of(season: Season, name: str) -> str:
    return reverse(name, args=[season.league_id, season.number])


# Before it is played


def test_the_sign_up_is_opened_before_its_day(planned: Season, anna: User, signed_in: SignedIn) -> None:
    desk, address = signed_in(anna), of(planned, "season_open")
    assert "you can still change places, dates and lengths" in text_of(desk.get(address))
    assert Season.objects.get().state == Season.State.PLANNED
    desk.post(address, {"sent": "yes"})
    assert Season.objects.get().state == Season.State.SIGN_UP


def test_a_season_is_called_off_with_a_reason(planned: Season, anna: User, signed_in: SignedIn) -> None:
    desk, address = signed_in(anna), of(planned, "season_cancel")
    desk.get(address, WHY)
    assert set(desk.post(address, {"reason": " "}).context["form"].errors) == {"reason"}
    assert Season.objects.get().state == Season.State.PLANNED
    desk.post(address, WHY)
    assert Season.objects.get().state == Season.State.CANCELLED
    event = AuditEvent.objects.get(kind=AuditEvent.Kind.CANCELLED)
    assert (event.by, event.reason) == (anna, WHY["reason"])


def test_a_reason_of_ten_thousand_characters_is_refused(
    planned: Season, anna: User, signed_in: SignedIn
) -> None:
    answer = signed_in(anna).post(of(planned, "season_cancel"), {"reason": "x" * 10_000})
    assert set(answer.context["form"].errors) == {"reason"}


# While it is played


def test_a_table_is_given_more_time(played: Played) -> None:
    before = played.table.deadline
    played.desk.post(played.page("table_extend", played.table.pk), {"days": 5, **WHY})
    played.table.refresh_from_db()
    assert played.table.ends_at == before + 5 * DAY


@pytest.mark.parametrize("days", ["", "0", "-3", "91", "a week", "9" * 5000])
def test_a_table_is_given_some_days_and_not_too_many(played: Played, days: str) -> None:
    answer = played.desk.post(played.page("table_extend", played.table.pk), {"days": days, **WHY})
    assert "days" in answer.context["form"].errors
    assert not AuditEvent.objects.exists()


def test_a_late_table_is_ended_as_it_stands(wall: Wall, played: Played) -> None:
    address = played.page("table_adjudicate", played.table.pk)
    early = played.desk.post(address, {"result": "nobody", **WHY})
    assert early.status_code == 400
    for page in (played.desk.get(address), early):
        assert "This table is not late." in text_of(page)
        assert f"Its players have time until {moment(played.table.deadline)}. After that you can" in text_of(
            page
        )
        assert "End the game" not in text_of(page)
    wall.now += 61 * DAY
    assert played.desk.get(address).status_code == 200
    assert Table.objects.get().state == Table.State.PLAYING
    played.desk.post(address, {"result": "nobody", **WHY})
    assert Table.objects.get().state == Table.State.FINISHED


def test_points_are_awarded_to_a_table_that_is_over(played: Played) -> None:
    address = played.page("table_award", played.table.pk)
    assert "not over yet" in text_of(played.desk.get(address))
    assert "not over yet" in text_of(played.desk.post(address, {"points_0": 3, **WHY}))
    finish(played.table)
    assert "is being counted" in text_of(played.desk.post(address, {"points_0": 3, **WHY}))
    assert collect(played.table, played.table.deadline)
    as_played = text_of(played.desk.get(address)).partition("Points now: ")[2]
    assert all(user.shown_name in as_played for user in played.players)
    some = {"points_0": "3", "points_2": "8", "another_total": "on", **WHY}
    assert played.desk.post(address, some).status_code == 302
    award = played.table.awards.get()
    assert (award.points, award.reason) == ([3, None, 8, None], WHY["reason"])


@pytest.mark.long
def test_an_award_that_changes_what_a_table_gives_in_all_is_confirmed(played: Played) -> None:
    address = played.page("table_award", played.table.pk)
    finish(played.table)
    assert collect(played.table, played.table.deadline)
    row = LeagueTable.objects.get(pk=played.table.pk)
    last = [seat["place"] for seat in row.facts["seats"]].index(4)
    assert "Total: 10." in text_of(played.desk.get(address))
    assert "another_total" not in text_of(played.desk.get(address))

    asked = played.desk.post(address, {f"points_{last}": "3", **WHY})
    assert asked.status_code == 400
    assert "These points total 13, but the table gave 10. Nothing was changed." in text_of(asked)
    assert not played.table.awards.exists()
    confirmed = {f"points_{last}": "3", "another_total": "on", **WHY}
    assert played.desk.post(address, confirmed).status_code == 302
    assert played.table.awards.get().points[last] == 3
    assert "Total: 13." in text_of(played.desk.get(address))
    page = reverse("league_table", args=[played.season.league_id, 1, 1, 1, 1])
    assert "Total for this table: 13 points" in text_of(played.desk.get(page))


def test_an_award_that_leaves_a_tables_total_is_not_asked_about(played: Played) -> None:
    finish(played.table)
    assert collect(played.table, played.table.deadline)
    four = {"points_0": "4", "points_1": "3", "points_2": "2", "points_3": "1"}
    answer = played.desk.post(played.page("table_award", played.table.pk), four | WHY)
    assert answer.status_code == 302


@pytest.mark.parametrize("typed", [{}, {"points_0": "-1"}, {"points_0": "1/2"}, {"points_0": "9" * 400}])
def test_what_are_no_points_is_refused(played: Played, typed: dict[str, str]) -> None:
    finish(played.table)
    answer = played.desk.post(played.page("table_award", played.table.pk), typed | WHY)
    assert answer.status_code == 400
    assert not played.table.awards.exists()


def as_played(played: Played) -> list[dict[str, Any]]:
    """The stored facts of the seats of a table that is over and counted."""
    finish(played.table)
    assert collect(played.table, played.table.deadline)
    seats: list[dict[str, Any]] = LeagueTable.objects.get(pk=played.table.pk).facts["seats"]
    return seats


def shown_form(played: Played, answer: Any = None) -> dict[str, Any]:
    answer = answer or played.desk.get(played.page("table_award", played.table.pk))
    return as_shown(answer.context["form"])


def test_a_correction_begins_with_what_counts_in_the_order_of_seats(played: Played) -> None:
    seats = as_played(played)
    answer = played.desk.get(played.page("table_award", played.table.pk))
    fields = [name for name in answer.context["form"].fields if name != "reason"]
    assert fields == [f"{what}_{seat}" for seat in range(4) for what in ("place", "regions", "points")]
    sent = shown_form(played)
    for at, seat in enumerate(seats):
        assert (sent[f"place_{at}"], sent[f"regions_{at}"]) == (seat["place"], seat["regions"])
    nothing = played.desk.post(played.page("table_award", played.table.pk), sent | WHY)
    assert "Everything is as played." in text_of(nothing)
    assert not played.table.awards.exists()


def test_places_in_another_order_give_their_points_by_one_click(played: Played) -> None:
    seats = as_played(played)
    address = played.page("table_award", played.table.pk)
    order = (4, 3, 2, 1) if seats[0]["place"] == 1 else (1, 2, 3, 4)
    turned = {f"place_{at}": place for at, place in enumerate(order)}
    filled = played.desk.post(address, shown_form(played) | turned | {"fill": "places", **WHY})
    assert filled.status_code == 200
    assert not played.table.awards.exists()
    sent = shown_form(played, filled)
    points = {place: sent[f"points_{at}"] for at, place in enumerate(order)}
    assert points == {1: "6", 2: "3", 3: "1", 4: "0"}
    assert sent["reason"] == WHY["reason"]
    assert played.desk.post(address, sent).status_code == 302
    award = played.table.awards.get()
    assert award.points == [None] * 4, "the places give these points"
    assert award.results == [[order[at], seat["regions"]] for at, seat in enumerate(seats)]


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_shared_places_give_the_points_that_the_form_fills_in(played: Played, language: str) -> None:
    seats = as_played(played)
    played.desk.cookies["django_language"] = language
    address = played.page("table_award", played.table.pk)
    shared = {f"place_{at}": 1 if at == 0 else 2 for at in range(4)}
    with translation.override(language):
        filled = played.desk.post(address, shown_form(played) | shared | {"fill": "places", **WHY})
        sent = shown_form(played, filled)
        assert "4/3" in sent["points_1"]
        assert played.desk.post(address, sent | {"points_2": "0.333"}).status_code == 400
        assert played.desk.post(address, sent).status_code == 302
    award = played.table.awards.get()
    assert (award.points, len(award.results)) == ([None] * 4, len(seats))


def test_a_corrected_winner_counts_everywhere_and_the_page_says_both(played: Played) -> None:
    seats = as_played(played)
    names = [user.shown_name for user in played.players]
    first, last = ([seat["place"] for seat in seats].index(place) for place in (1, 4))
    address = played.page("table_award", played.table.pk)
    swapped = {f"place_{first}": 4, f"place_{last}": 1, f"regions_{first}": 0, f"regions_{last}": 7}
    filled = played.desk.post(address, shown_form(played) | swapped | {"fill": "places", **WHY})
    assert played.desk.post(address, shown_form(played, filled)).status_code == 302

    page = text_of(played.desk.get(reverse("league_table", args=[played.season.league_id, 1, 1, 1, 1])))
    assert f"{names[last]} won. An organiser corrected the result." in page
    assert f"As played, {names[first]} won." in page
    assert f"As played: place 1, regions {seats[first]['regions']}, points 6" in page
    log = text_of(played.desk.get(reverse("league_log", args=[played.season.league_id])))
    assert "You corrected the result of a table." in log
    assert f"{names[last]}: place 1, regions 7" in log

    rows = division_standings(played.season.divisions.get()).standings.rows
    by_player = {row.player: row for row in rows}
    winner, loser = (by_player[played.players[at].pk] for at in (last, first))
    assert (winner.points, winner.wins, winner.regions, winner.place) == (6, 1, 7, 1)
    assert (loser.points, loser.wins, loser.regions) == (0, 0, 0)

    back = played.desk.post(address, shown_form(played) | {"fill": "played"} | WHY)
    assert played.desk.post(address, shown_form(played, back)).status_code == 302
    assert not played.table.awards.exists()
    page = text_of(played.desk.get(reverse("league_table", args=[played.season.league_id, 1, 1, 1, 1])))
    assert f"{names[first]} won." in page
    assert "As played" not in page


def test_points_alone_leave_the_winner_as_played_and_the_page_says_so(played: Played) -> None:
    as_played(played)
    sent = {f"points_{at}": str(points) for at, points in enumerate((9, 0, 0, 1))}
    played.desk.post(played.page("table_award", played.table.pk), shown_form(played) | sent | WHY)
    assert played.table.awards.get().results is None
    page = text_of(played.desk.get(reverse("league_table", args=[played.season.league_id, 1, 1, 1, 1])))
    assert "won. An organiser awarded the points." in page
    assert "The winner, regions and places stay as played." in page


@pytest.mark.parametrize("places", [(1, 1, 2, 3), (2, 2, 3, 4), (1, 2, 3, 5), (0, 1, 2, 3)])
@pytest.mark.parametrize("also", [{}, {"fill": "places"}])
def test_places_that_can_not_be_are_refused(played: Played, places: Any, also: Any) -> None:
    as_played(played)
    typed = {f"place_{at}": place for at, place in enumerate(places)}
    answer = played.desk.post(
        played.page("table_award", played.table.pk), shown_form(played) | typed | WHY | also
    )
    assert answer.status_code == 400
    assert not played.table.awards.exists()


def test_someone_is_expelled_and_their_seat_given_to_someone_who_helps(
    wall: Wall, anna: User, played: Played
) -> None:
    helper = person("Pia")
    entry = played.season.entries.get(user=played.players[1])
    address = played.page("entry_expel", entry.pk)
    played.desk.get(address)
    assert not entry.is_out
    played.desk.post(address, WHY)
    entry.refresh_from_db()
    assert (entry.state, entry.reason) == (Registration.State.EXPELLED, WHY["reason"])
    volunteer(played.season, helper)
    open_seat = OpenSeat.objects.get()
    seat = played.page("open_seat_give", open_seat.pk)
    assert "Pia" in text_of(played.desk.get(seat))
    played.desk.post(seat, {"user": helper.pk, **WHY})
    open_seat.refresh_from_db()
    assert (open_seat.state, open_seat.taken_by) == (OpenSeat.State.TAKEN, helper)


def test_a_seat_is_given_to_no_one_who_has_not_offered(anna: User, carla: User, played: Played) -> None:
    expel(played.season.entries.get(user=played.players[1]), anna, "They are rude.")
    answer = played.desk.post(
        played.page("open_seat_give", OpenSeat.objects.get().pk), {"user": carla.pk, **WHY}
    )
    assert set(answer.context["form"].errors) == {"user"}


def test_a_seat_is_left_to_its_bot(anna: User, played: Played) -> None:
    expel(played.season.entries.get(user=played.players[1]), anna, "They are rude.")
    played.desk.post(played.page("open_seat_bot", OpenSeat.objects.get().pk), WHY)
    assert OpenSeat.objects.get().state == OpenSeat.State.CLOSED


def test_a_free_place_is_filled_from_the_waiting_list(played: Played) -> None:
    waiting = person("Nino")
    sign_up(played.season, waiting)
    division = played.season.divisions.get()
    listed = text_of(played.desk.get(of(played.season, "season_players")))
    assert "4 places are free." in listed
    played.desk.post(played.page("division_fill", division.pk), WHY)
    entry = played.season.entries.get(user=waiting)
    assert (entry.state, entry.division) == (Registration.State.PLAYING, division)


def test_someone_is_moved_until_a_round_has_begun(wall: Wall, anna: User, signed_in: SignedIn) -> None:
    players = people(10)
    season = a_running_season(anna, players[:5], players[5:], division_size=8, most_divisions=2)
    entry, desk = season.entries.get(user=players[9]), signed_in(anna)
    address = reverse("entry_move", args=[season.league_id, entry.pk])
    assert desk.post(address, {"level": 2, **WHY}).status_code == 400
    desk.post(address, {"level": 1, **WHY})
    entry.refresh_from_db()
    assert entry.division is not None
    assert entry.division.level == 1


def test_the_desk_offers_what_can_be_done(wall: Wall, anna: User, played: Played) -> None:
    address = of(played.season, "season_desk")
    award, late = (played.page(name, played.table.pk) for name in ("table_award", "table_adjudicate"))
    told = text_of(played.desk.get(address))
    assert played.page("table_extend", played.table.pk) in told
    assert award not in told
    assert late not in told
    wall.now += 61 * DAY
    assert late in text_of(played.desk.get(address))
    finish(played.table)
    told = text_of(played.desk.get(address))
    assert award in told
    assert late not in told


# The page on which it is run


def test_nothing_needs_the_organiser_of_a_season_that_goes_on(played: Played) -> None:
    told = text_of(played.desk.get(reverse("organise", args=[played.season.league_id])))
    assert "You have nothing to do. The season runs automatically." in told
    assert "Last tables of round 1 end" in told


def test_exactly_what_needs_them_stands_first(wall: Wall, anna: User, played: Played) -> None:
    expel(played.season.entries.get(user=played.players[1]), anna, "They are rude.")
    run_offers(wall.now)
    answer = played.desk.get(reverse("organise", args=[played.season.league_id]))
    assert [need.kind for need in answer.context["needs"]] == ["seat"]
    told = text_of(answer)
    assert told.index("No substitute took a free seat") < told.index("Coming up automatically")


# People who may not do it

PAGES = (
    "organise", "change_league", "league_organisers", "league_step_down", "plan_season", "replan_season",
    "season_open", "season_cancel", "season_invite", "season_players",
    "season_desk", "entry_expel", "entry_move", "division_fill", "table_extend", "table_adjudicate",
    "table_award", "open_seat_give", "open_seat_bot", "invited_withdraw",
)  # fmt: skip

ONE_METHOD = ("organise", "season_players", "season_desk", "invited_withdraw")  # the last is sent only


def addresses_of(played: Played) -> dict[str, str]:
    """Every page of an organiser, about something of this season."""
    season = played.season
    about = {
        "season": season.number,
        "replan": season.number,
        "entry": season.entries.order_by("pk")[1].pk,
        "division": season.divisions.get().pk,
        "round": played.table.round_id,
        "table": played.table.pk,
        "open": OpenSeat.objects.get().pk,
        "invited": season.invited.get().pk,
    }
    return {
        name: played.page(name, *([about[kind]] if (kind := name.partition("_")[0]) in about else []))
        for name in PAGES
    }


@pytest.fixture
def busy(anna: User, played: Played) -> Played:
    """The same season, with someone expelled and someone invited."""
    expel(played.season.entries.get(user=played.players[0]), anna, "They are rude.")
    played.season.invited.create(email="guest@example.org", by=anna)
    return played


@pytest.mark.long
def test_a_player_and_another_leagues_organiser_find_no_page_of_their(
    busy: Played, bruno: User, signed_in: SignedIn
) -> None:
    a_league(bruno, "Another League")
    events = AuditEvent.objects.count()
    for visitor in (busy.players[1], bruno):
        client = signed_in(visitor)
        for name, address in addresses_of(busy).items():
            answers = (client.get(address), client.post(address, {"days": 1, "result": "nobody", **WHY}))
            statuses = {answer.status_code for answer in answers}
            assert statuses == ({404, 405} if name in ONE_METHOD else {404}), (name, visitor)
    assert AuditEvent.objects.count() == events


def test_nothing_of_another_league_is_reached_through_ones_own(
    busy: Played, bruno: User, signed_in: SignedIn
) -> None:
    own = a_league(bruno, "Another League")
    client = signed_in(bruno)
    for name, address in addresses_of(busy).items():
        swapped = address.replace(f"/leagues/{busy.season.league_id}/", f"/leagues/{own.pk}/")
        if name in PAGES[:5]:
            continue  # about the league itself: this is their own
        ask = client.get if name in ONE_METHOD[:-1] else client.post
        assert ask(swapped, WHY).status_code == 404, name


def test_looking_at_every_page_does_nothing(busy: Played) -> None:
    events = AuditEvent.objects.count()
    for name, address in addresses_of(busy).items():
        expected = 405 if name == "invited_withdraw" else 200
        assert busy.desk.get(address, WHY).status_code == expected, name
    assert AuditEvent.objects.count() == events


def test_a_form_from_another_site_does_nothing(busy: Played, anna: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(anna, backend="django.contrib.auth.backends.ModelBackend")
    events = AuditEvent.objects.count()
    for name, address in addresses_of(busy).items():
        if name not in ONE_METHOD[:-1]:
            assert client.post(address, WHY).status_code == 403, name
    assert AuditEvent.objects.count() == events


def test_the_log_tells_everyone_what_was_done_and_its_people_why(
    busy: Played, stranger: User, signed_in: SignedIn
) -> None:
    address = reverse("league_log", args=[busy.season.league_id])
    for visitor, reads_why in ((busy.players[1], True), (stranger, False)):
        told = text_of(signed_in(visitor).get(address))
        assert "Player01 from the season." in told
        assert ("They are rude." in told) == reads_why
    assert "They are rude." not in text_of(Client().get(address))
