"""A person's time zone: taken from the browser, shown with the time there, and never changed once chosen."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from accounts.models import User
from condottiere_site.operators import operator, sign_in_url
from games import services
from games.leagues.links import invited_url
from games.leagues.models import LeagueTable, Season
from games.links import invitation_token
from tests.leagues import world

pytestmark = pytest.mark.django_db

GOOD = {"name": "Anna", "language": "en", "time_zone": "Europe/Warsaw"}


def sign_in(
    code_for: Any, address: str, zone: str, page: str = "/accounts/login/", field: str = "login"
) -> User:
    client = Client()
    answer = client.post(page, {field: address}, follow=True)
    assert 'name="browser_zone"' in answer.content.decode()
    confirm = answer.redirect_chain[-1][0]
    client.post(confirm, {"code": code_for(address), "browser_zone": zone})
    assert "_auth_user_id" in client.session
    return User.objects.get(email=address)


@pytest.mark.parametrize(("page", "field"), [("/accounts/login/", "login"), ("/accounts/signup/", "email")])
def test_a_newcomer_gets_the_browsers_zone(code_for: Any, page: str, field: str) -> None:
    person = sign_in(code_for, "nina@example.org", "America/New_York", page, field)
    assert person.time_zone == "America/New_York"
    assert not person.time_zone_chosen


@pytest.mark.parametrize(
    "zone", ["Mars/Olympus", "../../etc/passwd", "", "x" * 4000, "Europe/Rome\x00", "posixrules"]
)
def test_a_zone_that_does_not_exist_is_ignored(code_for: Any, zone: str, settings: Any) -> None:
    assert sign_in(code_for, "nina@example.org", zone).time_zone == settings.TIME_ZONE


def test_an_older_name_of_a_zone_is_known(code_for: Any) -> None:
    assert sign_in(code_for, "nina@example.org", "Asia/Calcutta").zone.key == "Asia/Calcutta"


def test_an_account_follows_the_browser_until_a_zone_is_chosen(
    anna: User, code_for: Any, signed_in: Any
) -> None:
    assert sign_in(code_for, anna.email, "America/New_York").time_zone == "America/New_York"
    signed_in(anna).post("/me/", GOOD)
    anna.refresh_from_db()
    assert (anna.time_zone, anna.time_zone_chosen) == ("Europe/Warsaw", True)
    assert sign_in(code_for, anna.email, "Asia/Tokyo").time_zone == "Europe/Warsaw"


def test_a_wrong_code_changes_no_zone(anna: User, code_for: Any) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": anna.email})
    client.post("/accounts/login/code/confirm/", {"code": "wrong", "browser_zone": "Asia/Tokyo"})
    anna.refresh_from_db()
    assert anna.time_zone == "UTC"


def test_a_seat_taken_by_an_emails_link_brings_the_zone(anna: User) -> None:
    table = services.make_table(anna, name="Far", size=3, entry="invitation")
    services.invite(table, "nina@example.org")
    path = f"/invitation/{invitation_token(table.invitations.get())}/"
    assert 'name="browser_zone"' in Client().get(path).content.decode()
    Client().post(path, {"action": "accept", "name": "Nina", "browser_zone": "Asia/Tokyo"})
    assert User.objects.get(email="nina@example.org").time_zone == "Asia/Tokyo"


def test_signing_up_by_a_league_invitation_brings_the_zone(anna: User) -> None:
    season = world.a_season(world.a_league(anna), state=Season.State.SIGN_UP)
    path = urlsplit(invited_url(world.invite(season, anna, "nina@example.org"))).path
    assert 'name="browser_zone"' in Client().get(path).content.decode()
    Client().post(path, {"action": "sign_up", "name": "Nina", "browser_zone": "Asia/Tokyo"})
    assert User.objects.get(email="nina@example.org").time_zone == "Asia/Tokyo"


def test_an_invitation_pressed_in_someone_elses_browser_brings_no_zone(anna: User, signed_in: Any) -> None:
    season = world.a_season(world.a_league(anna), state=Season.State.SIGN_UP)
    path = urlsplit(invited_url(world.invite(season, anna, "nina@example.org"))).path
    signed_in(anna).post(path, {"action": "sign_up", "name": "Nina", "browser_zone": "Asia/Tokyo"})
    assert set(User.objects.values_list("time_zone", flat=True)) == {"UTC"}


def test_the_operators_link_brings_the_zone(client: Client) -> None:
    path = urlsplit(sign_in_url(operator())).path
    assert 'name="browser_zone"' in client.get(path).content.decode()
    client.post(path, {"browser_zone": "Asia/Tokyo"})
    assert operator().time_zone == "Asia/Tokyo"


def test_pages_of_a_league_name_the_zone_of_their_times(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="Asia/Tokyo")
    season = world.a_running_season(anna, [anna, *world.people(3)])
    world.begin(season)
    client, league = signed_in(User.objects.get(pk=anna.pk)), f"/leagues/{season.league_id}/"
    table = LeagueTable.objects.running().get()
    where = [table.round.division.level, table.round.number, table.number]
    paths = [reverse("league_table", args=[season.league_id, 1, *where])]
    paths += [
        reverse("round", args=[season.league_id, 1, *where[:2]]),
        reverse("season", args=[season.league_id, 1]),
    ]
    paths += [league, f"{league}log/", f"{league}organise/", f"{league}organise/plan/"]
    for path in paths:
        assert "Times are in the time zone of Tokyo." in client.get(path).content.decode(), path


def test_another_persons_browser_moves_no_one(anna: User, bruno: User, signed_in: Any) -> None:
    table = services.make_table(anna, name="Far", size=3, entry="open")
    signed_in(bruno).post(f"/join/{table.join_key}/", {"browser_zone": "Asia/Tokyo"})
    anna.refresh_from_db()
    bruno.refresh_from_db()
    assert (anna.time_zone, bruno.time_zone) == ("UTC", "Asia/Tokyo")


def test_the_field_is_filled_by_a_script_of_the_sites_own() -> None:
    page = Client().get("/accounts/login/").content.decode()
    assert '<input type="hidden" name="browser_zone"' in page
    assert re.search(r'<script src="[^"]*look/time_zone[^"]*\.js" defer>', page)


def test_the_profile_shows_the_zone_with_the_time_there(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="Asia/Tokyo")
    with time_machine.travel("2026-11-22T12:00:00Z", tick=False):
        page = signed_in(anna).get("/me/").content.decode()
    assert '<time datetime="2026-11-22T21:00:00+09:00">Sunday 22 November, 21:00</time>' in page
    assert "Tokyo" in page


def test_the_profile_lists_readable_zones_by_name(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="America/New_York")
    page = signed_in(anna).get("/me/").content.decode()
    zones = re.search(r'<select name="time_zone".*?</select>', page, re.DOTALL)
    assert zones
    assert '<option value="America/New_York" selected>America/New York</option>' in zones[0]
    names = re.findall(r'<option value="([^"]+)"', zones[0])
    assert names == sorted(set(names))
    assert {"UTC", "Europe/Warsaw", "Europe/Kyiv", "Asia/Kolkata"} < set(names)


def test_a_present_zone_that_is_not_listed_stays_selectable(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="Etc/GMT+3", time_zone_chosen=True)
    client = signed_in(anna)
    assert '<option value="Etc/GMT+3" selected>' in client.get("/me/").content.decode()
    assert client.post("/me/", {**GOOD, "time_zone": "Etc/GMT+3"}).status_code == 302
    anna.refresh_from_db()
    assert anna.time_zone == "Etc/GMT+3"


@pytest.mark.parametrize(
    ("posted", "zone", "is_chosen"),
    [("Asia/Tokyo", "Asia/Tokyo", False), ("Europe/Warsaw", "Europe/Warsaw", True), ("UTC", "UTC", True)],
)
def test_saving_the_profile_with_the_browsers_zone_goes_on_following_it(
    anna: User, signed_in: Any, posted: str, zone: str, is_chosen: bool
) -> None:
    signed_in(anna).post("/me/", {**GOOD, "time_zone": posted, "browser_zone": "Asia/Tokyo"})
    anna.refresh_from_db()
    assert (anna.time_zone, anna.time_zone_chosen) == (zone, is_chosen)


def test_saving_the_profile_without_touching_the_zone_still_follows_the_browser(
    anna: User, code_for: Any, signed_in: Any
) -> None:
    signed_in(anna).post("/me/", {**GOOD, "time_zone": "UTC"})
    assert sign_in(code_for, anna.email, "Asia/Tokyo").time_zone == "Asia/Tokyo"
