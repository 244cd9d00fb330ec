"""An organiser who vanished is asked whether they are still here, and can be removed without an answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.emails.organiser_emails import league_still_here
from games.leagues.links import organiser_url
from games.leagues.models import AuditEvent, League, Organiser
from games.leagues.privacy import export
from games.leagues.selectors.league_log import events_of, lines_of
from games.leagues.services.concerns import answer_concern
from games.leagues.services.founding import add_organiser, change_league, remove_assistant, step_down
from games.leagues.services.league_news import write_to_channels
from games.leagues.services.organiser_messages import write_to_players
from games.leagues.services.vanished_organisers import (
    TIME_TO_ANSWER,
    ask_whether_here,
    remove_vanished,
    say_still_here,
)
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.organisers_desk import text_of

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]
MINUTE = timedelta(minutes=1)
WHY = "No one has heard of them since summer."


@pytest.fixture
def league(wall: Wall, anna: User, bruno: User) -> League:
    """Anna and Bruno run it."""
    league = world.a_league(anna)
    league.organisers.create(user=bruno)
    return league


def row(league: League, user: User) -> Organiser:
    return league.organisers.select_related("league", "user").get(user=user)


def asked(league: League, user: User, by: User) -> Organiser:
    """Return the row of an organiser who has just been asked."""
    ask_whether_here(row(league, user), by)
    return row(league, user)


def log_of(league: League, reader: User | None) -> list[str]:
    return [line.text for line in lines_of(events_of(league), with_reasons=False, reader=reader)]


def path_of(name: str, league: League, *more: int) -> str:
    return reverse(name, args=[league.pk, *more])


def link_of(organiser: Organiser) -> str:
    return organiser_url(organiser).removeprefix("http://testserver")


def test_on_the_page_one_asks_waits_and_removes(
    wall: Wall, league: League, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    client, page, pk = signed_in(anna), path_of("league_organisers", league), row(league, bruno).pk
    ask, remove = path_of("organiser_ask", league, pk), path_of("organiser_remove", league, pk)
    html = client.get(page).content.decode()
    assert ask in html
    assert path_of("organiser_ask", league, row(league, anna).pk) not in html
    assert "You asked Bruno." in text_of(client.post(ask, {"sent": "yes"}, follow=True))
    html = client.get(page).content.decode()
    assert ask not in html
    assert remove not in html
    assert "Without an answer, you can remove them from" in html
    early = client.post(remove, {"reason": WHY})
    assert early.status_code == 400
    assert "They have until" in text_of(early)
    wall.now += TIME_TO_ANSWER
    assert remove in client.get(page).content.decode()
    assert "You removed Bruno as an organiser." in text_of(client.post(remove, {"reason": WHY}, follow=True))
    assert [one.user for one in Organiser.staff.filter(league=league)] == [anna]
    assert log_of(league, None) == [
        "Anna removed Bruno as an organiser. They hadn’t answered for 14 days.",
        "Anna asked Bruno whether they still organise the league.",
    ]
    assert log_of(league, bruno)[0] == "Anna removed you as an organiser. You hadn’t answered for 14 days."
    assert OutgoingEmail.objects.filter(kind="league_event", to_user=bruno).count() == 1


def test_the_emails_link_answers_without_signing_in_and_opening_it_does_not(
    wall: Wall, league: League, anna: User, bruno: User, client: Client
) -> None:
    organiser = asked(league, bruno, anna)
    link = link_of(organiser)
    assert "Another organiser asks" in text_of(client.get(link))
    client.head(link)
    assert row(league, bruno).asked_at is not None
    assert "You said that you’re still here." in text_of(client.post(link, {"action": "here"}, follow=True))
    assert row(league, bruno).asked_at is None
    assert "You have answered." in text_of(client.get(link))
    client.post(link, {"action": "here"})
    assert log_of(league, anna) == [
        "Bruno said that they still organise the league.",
        "You asked Bruno whether they still organise the league.",
    ]
    wall.now += TIME_TO_ANSWER
    with pytest.raises(Refused, match="have answered"):
        remove_vanished(organiser, anna, WHY)


def test_the_asked_one_reads_it_on_their_pages_and_answers_there(
    league: League, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    asked(league, bruno, anna)
    client = signed_in(bruno)
    pages = [path_of("organise", league), path_of("league_organisers", league)]
    assert all("Another organiser asks" in text_of(client.get(page)) for page in pages)
    assert "Another organiser asks" not in text_of(signed_in(anna).get(pages[0]))
    client.post(path_of("organiser_still_here", league))
    assert not any("Another organiser asks" in text_of(client.get(page)) for page in pages)


ACTS: dict[str, Callable[[League, User], Any]] = {
    "changes the league": lambda league, by: change_league(
        league, by, name="Spring League", about="", is_private=False, reason="It is spring."
    ),
    "adds someone": lambda league, by: add_organiser(league, by, world.person("Carla"), "They can do it."),
    "asks the other": lambda league, by: ask_whether_here(league.organisers.exclude(user=by)[0], by),
    "writes to players": lambda league, by: write_to_players(league.seasons.get(), by, None, "Hello."),
    "writes to channels": lambda league, by: write_to_channels(league, by, "Hello."),
    "answers a player": lambda league, by: answer_concern(
        league.seasons.get().concerns.create(by=world.person("Dora"), about="slow", text="They are slow."),
        by,
        "nothing",
        "I see.",
    ),
}


@pytest.mark.parametrize("act", ACTS)
def test_what_they_do_as_an_organiser_is_an_answer(
    wall: Wall, league: League, anna: User, bruno: User, act: str
) -> None:
    world.running(world.a_season(league, size=3, rounds=1), world.people(3))
    organiser = asked(league, bruno, anna)
    wall.now += MINUTE
    with pytest.raises(Refused):
        add_organiser(league, world.person("Stranger"), anna, "I am no organiser.")
    assert row(league, bruno).asked_at is not None
    ACTS[act](league, bruno)
    assert row(league, bruno).asked_at is None
    wall.now += TIME_TO_ANSWER
    with pytest.raises(Refused, match="have answered or done something"):
        remove_vanished(organiser, anna, WHY)


def test_what_they_do_with_channels_is_an_answer(
    league: League, anna: User, bruno: User, signed_in: SignedIn
) -> None:
    asked(league, bruno, anna)
    signed_in(bruno).post(path_of("league_channels", league), {"name": ""})
    assert row(league, bruno).asked_at is None


def test_asked_twice_it_is_one_email_and_one_day(wall: Wall, league: League, anna: User, bruno: User) -> None:
    first = asked(league, bruno, anna).asked_at
    wall.now += MINUTE
    assert asked(league, bruno, anna).asked_at == first
    assert OutgoingEmail.objects.filter(kind="league_still_here").count() == 1
    say_still_here(row(league, bruno))
    with pytest.raises(Refused, match="less than a day ago"):
        asked(league, bruno, anna)
    wall.now += timedelta(days=1)
    assert asked(league, bruno, anna).asked_at == wall.now


def test_the_email_asks_until_it_is_answered(league: League, anna: User, bruno: User) -> None:
    asked(league, bruno, anna)
    email = OutgoingEmail.objects.select_related("to_user").get(kind="league_still_here")
    with translation.override("en"):
        content = league_still_here(email)
    assert content is not None
    assert email.to_user == bruno
    assert content.context["action"].url.endswith(link_of(row(league, bruno)))
    say_still_here(row(league, bruno))
    assert league_still_here(email) is None


def test_no_one_removes_themselves_an_assistant_or_someone_who_was_not_asked(
    wall: Wall, league: League, anna: User, bruno: User
) -> None:
    for act in (ask_whether_here, lambda one, by: remove_vanished(one, by, WHY)):
        with pytest.raises(Refused, match="no longer organise"):
            act(row(league, anna), anna)
        with pytest.raises(Refused, match="Only organisers"):
            act(row(league, anna), world.person("Carla"))
    assistant = add_organiser(league, anna, world.person("Carla"), "They help.", Organiser.Role.ASSISTANT)
    with pytest.raises(Refused, match="no longer organise"):
        ask_whether_here(assistant, anna)
    wall.now += TIME_TO_ANSWER
    with pytest.raises(Refused, match="have answered"):
        remove_vanished(row(league, bruno), anna, WHY)
    assert Organiser.staff.filter(league=league).count() == 3


def test_two_who_remove_each_other_leave_one(wall: Wall, league: League, anna: User, bruno: User) -> None:
    carla = league.organisers.create(user=world.person("Carla"))
    ask_whether_here(row(league, anna), carla.user)
    ask_whether_here(row(league, bruno), carla.user)
    wall.now += TIME_TO_ANSWER
    other = row(league, anna)
    remove_vanished(row(league, bruno), anna, WHY)
    with pytest.raises(Refused, match="Only organisers"):
        remove_vanished(other, bruno, WHY)
    assert league.organisers.filter(user=anna).exists()


def test_removed_twice_it_is_one_line_and_the_link_opens_nothing(
    wall: Wall, league: League, anna: User, bruno: User, client: Client
) -> None:
    organiser = asked(league, bruno, anna)
    wall.now += TIME_TO_ANSWER
    for _twice in range(2):
        remove_vanished(organiser, anna, WHY)
    assert league.events.filter(kind=AuditEvent.Kind.NO_ORGANISER).count() == 1
    assert client.get(link_of(organiser)).status_code == 404
    with pytest.raises(Refused, match="no longer organise"):
        say_still_here(organiser)


def test_for_the_only_organiser_the_operator_appoints_another_who_asks(
    wall: Wall, league: League, anna: User, bruno: User
) -> None:
    step_down(league, bruno)
    call_command("appoint_organiser", str(league.pk), bruno.email)
    organiser = asked(league, anna, bruno)
    wall.now += TIME_TO_ANSWER
    remove_vanished(organiser, bruno, WHY)
    assert [one.user for one in Organiser.staff.filter(league=league)] == [bruno]


def test_the_log_tells_removed_organisers_from_removed_assistants(
    wall: Wall, league: League, anna: User, bruno: User
) -> None:
    assistant = add_organiser(league, anna, world.person("Carla"), "They help.", Organiser.Role.ASSISTANT)
    remove_assistant(assistant, anna, "The season is over.")
    assert log_of(league, None)[0] == "Anna removed Carla as an assistant."


def test_it_is_in_the_export(league: League, anna: User, bruno: User) -> None:
    assert asked(league, bruno, anna).asked_at == export(bruno)["leagues"]["organised"][0]["asked_at"]
