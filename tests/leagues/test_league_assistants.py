"""Assistants remind people, write to a season's people and give more time; the rest is for organisers."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.privacy import erase
from games.leagues.links import concern_url
from games.leagues.models import AuditEvent, League, LeagueTable, Organiser, Season
from games.leagues.selectors.league_log import events_of, lines_of
from games.leagues.selectors.organiser_tasks import organiser_tasks_of
from games.leagues.services.founding import add_organiser, appoint_organiser, remove_assistant, step_down
from games.leagues.services.organiser_messages import write_to_players
from games.leagues.services.organiser_notices import notify_organisers
from games.leagues.services.result_collection import collect
from games.leagues.services.substitute_offers import run_offers
from games.leagues.services.table_deadlines import extend_by_hand
from games.leagues.services.withdrawals import expel
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues.organisers_desk import text_of
from tests.leagues.world import (
    DAY,
    a_league,
    a_running_season,
    a_season,
    finish,
    invite,
    people,
    seat_by_hand,
)

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]
ASSISTANT = Organiser.Role.ASSISTANT


@pytest.fixture
def season(wall: Wall, anna: User, bruno: User) -> Season:
    """Anna runs it, and Bruno assists."""
    season = a_running_season(anna, people(4), rounds=2, division_size=8)
    add_organiser(season.league, anna, bruno, "They help.", ASSISTANT)
    return season


@pytest.fixture
def table(season: Season) -> LeagueTable:
    """A table in progress, after another one that is over."""
    players = [entry.user for entry in season.entries.order_by("pk")]
    over, running = season.divisions.get().rounds.order_by("number")
    (first,) = seat_by_hand(over, players)
    finish(first)
    collect(first, season.begins_at)
    (second,) = seat_by_hand(running, players)
    return second


def log_of(league: League, reader: User | None) -> list[str]:
    return [line.text for line in lines_of(events_of(league), with_reasons=False, reader=reader)]


def opened(client: Client, *pages: str) -> set[str]:
    """Open these pages and every organiser's page that one of them leads to; return their addresses."""
    left, known = list(pages), set(pages)
    while left:
        answer = client.get(page := left.pop())
        assert answer.status_code == 200, page
        text = answer.content.decode()
        posted = set(re.findall(r'method="post" action="([^"?]*)', text))
        for path in set(re.findall(r'(?:href|action)="(/leagues/\d+/organise/[^"?]*)', text)) - known:
            known.add(path)
            if path in posted:
                assert client.get(path).status_code == 405, path
            else:
                left.append(path)
    return known


def test_an_organiser_adds_an_assistant_who_hears_of_it(anna: User, bruno: User, signed_in: SignedIn) -> None:
    league = a_league(anna)
    address = reverse("league_organisers", args=[league.pk])
    form = {"email": "bruno@example.org", "reason": "They help.", "role": "assistant"}
    answer = signed_in(anna).post(address, form, follow=True)
    assert f"You made {bruno.shown_name} an assistant." in text_of(answer)
    assert f"Remove {bruno.shown_name} as an assistant" in text_of(answer)
    assert OutgoingEmail.objects.get(kind="league_event").to_user == bruno
    assert log_of(league, bruno) == [f"{anna.shown_name} made you an assistant."]
    assert list(league.organisers.values_list("user", flat=True)) == [anna.pk]
    page = signed_in(bruno).get(reverse("league", args=[league.pk]))
    assert f"Assistants: {bruno.shown_name}" in text_of(page)
    assert "Manage this league" in text_of(page)


def test_a_role_that_is_not_known_is_an_error(anna: User, bruno: User, signed_in: SignedIn) -> None:
    address = reverse("league_organisers", args=[a_league(anna).pk])
    answer = signed_in(anna).post(address, {"email": "bruno@example.org", "reason": "Why?", "role": "owner"})
    assert set(answer.context["form"].errors) == {"role"}
    assert not Organiser.staff.filter(user=bruno).exists()


def test_their_pages_lead_only_to_what_they_may_do(
    wall: Wall, season: Season, table: LeagueTable, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    expel(season.entries.get(user=table.assignments.all()[1].entry.user), anna, "They are rude.")
    run_offers(wall.now)
    coming = a_season(season.league, division_size=4)
    coming.state = Season.State.SIGN_UP
    coming.save(update_fields=["state"])
    invite(coming, anna, "guest@example.org")
    wall.now = table.deadline + 30 * DAY
    home = reverse("organise", args=[season.league_id])
    found = opened(signed_in(bruno), home)
    numbers = (season.league_id, season.number)
    assert found == {
        home,
        reverse("season_desk", args=numbers),
        reverse("season_write", args=numbers),
        reverse("season_desk", args=[season.league_id, coming.number]),
        reverse("season_write", args=[season.league_id, coming.number]),
        reverse("season_remind_invited", args=[season.league_id, coming.number]),
        reverse("table_extend", args=[season.league_id, table.pk]),
        reverse("table_remind", args=[season.league_id, table.pk]),
        reverse("league_step_down", args=[season.league_id]),
    }
    assert reverse("table_adjudicate", args=[season.league_id, table.pk]) in opened(signed_in(anna), home)


def test_they_do_not_read_what_players_tell_organisers(
    season: Season, table: LeagueTable, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    season.concerns.create(by=season.entries.all()[0].user, about="slow", text="They play slowly.")
    desk = reverse("season_desk", args=[season.league_id, season.number])
    assert "Players wrote to you" in text_of(signed_in(anna).get(desk))
    assert "Players wrote to you" not in text_of(signed_in(bruno).get(desk))


def test_a_link_from_the_time_as_an_organiser_opens_nothing(
    season: Season, anna: User, bruno: User, client: Client
) -> None:
    add_organiser(season.league, anna, bruno, "They can do it.")
    told = season.concerns.create(by=season.entries.all()[0].user, about="slow", text="They play slowly.")
    link = concern_url(told, bruno.pk).removeprefix("http://testserver")
    assert "They play slowly." in text_of(client.get(link))
    step_down(season.league, bruno)
    add_organiser(season.league, anna, bruno, "They help.", ASSISTANT)
    assert client.get(link).status_code == 404


def test_they_write_give_time_and_remind(
    season: Season, table: LeagueTable, bruno: User, signed_in: SignedIn
) -> None:
    client, before = signed_in(bruno), table.deadline
    client.post(
        reverse("season_write", args=[season.league_id, season.number]), {"to": "everyone", "text": "Hi."}
    )
    client.post(reverse("table_extend", args=[season.league_id, table.pk]), {"days": 5, "reason": "Rain."})
    client.post(reverse("table_remind", args=[season.league_id, table.pk]))
    table.refresh_from_db()
    assert table.deadline == before + 5 * DAY
    done = set(season.events.filter(by=bruno).values_list("kind", flat=True))
    assert done == {AuditEvent.Kind.WROTE, AuditEvent.Kind.EXTENDED, AuditEvent.Kind.REMINDED}


def test_no_decision_is_emailed_to_them(season: Season, table: LeagueTable, wall: Wall, anna: User) -> None:
    expel(season.entries.get(user=table.assignments.all()[1].entry.user), anna, "They are rude.")
    run_offers(wall.now)
    tasks = organiser_tasks_of(season.league, wall.now)
    assert notify_organisers([(task.key, task.season) for task in tasks])
    told = OutgoingEmail.objects.filter(kind="league_needs").values_list("to_user", flat=True)
    assert set(told) == {anna.pk}


def test_an_assistant_becomes_an_organiser_and_no_organiser_an_assistant(
    season: Season, anna: User, bruno: User
) -> None:
    organiser = add_organiser(season.league, anna, bruno, "They can do it.")
    assert not organiser.is_assistant
    assert add_organiser(season.league, anna, bruno, "Again.") == organiser
    with pytest.raises(Refused, match="already"):
        add_organiser(season.league, bruno, anna, "They do little.", ASSISTANT)
    assert season.league.organisers.count() == 2


def test_the_operator_makes_an_assistant_an_organiser(season: Season, bruno: User) -> None:
    assert appoint_organiser(season.league, bruno)
    assert not appoint_organiser(season.league, bruno)
    assert season.league.organisers.filter(user=bruno).exists()


def test_the_only_organiser_cannot_leave_the_league_to_an_assistant(
    season: Season, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    with pytest.raises(Refused, match="only organiser"):
        step_down(season.league, anna)
    address = reverse("league_step_down", args=[season.league_id])
    answer = signed_in(bruno).post(address, {"sent": "yes"}, follow=True)
    assert "You stepped down as an assistant of" in text_of(answer)
    assert [one.user for one in Organiser.staff.filter(league=season.league)] == [anna]
    assert log_of(season.league, anna)[0] == f"{bruno.shown_name} is no longer an assistant."


def test_an_assistant_who_is_removed_can_do_nothing_more(
    season: Season, table: LeagueTable, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    assistant = Organiser.staff.get(league=season.league, user=bruno)
    address = reverse("assistant_remove", args=[season.league_id, assistant.pk])
    answer = signed_in(anna).post(address, {"reason": "The season is over."}, follow=True)
    assert f"You removed {bruno.shown_name} as an assistant." in text_of(answer)
    remove_assistant(assistant, anna, "Again.")
    assert log_of(season.league, bruno)[0] == f"{anna.shown_name} removed you as an assistant."
    for act in (
        lambda: write_to_players(season, bruno, None, "Hello."),
        lambda: extend_by_hand(table, bruno, 3, "Rain."),
    ):
        with pytest.raises(Refused, match="Only organisers and assistants"):
            act()


def test_someone_who_became_an_organiser_is_not_removed_as_an_assistant(
    season: Season, anna: User, bruno: User
) -> None:
    seen = Organiser.staff.get(league=season.league, user=bruno)
    add_organiser(season.league, anna, bruno, "They can do it.")
    with pytest.raises(Refused, match="become an organiser"):
        remove_assistant(seen, anna, "They do little.")
    assert season.league.organisers.count() == 2


def test_an_assistant_who_deletes_their_account_leaves_the_league(
    season: Season, anna: User, bruno: User
) -> None:
    erase(bruno)
    assert [one.user for one in Organiser.staff.filter(league=season.league)] == [anna]
    event = season.league.events.order_by("pk").last()
    assert event is not None
    assert (event.kind, event.facts) == (AuditEvent.Kind.NO_ORGANISER, {"role": "assistant"})
