"""A league is founded once, says what it is, and is run by the people its organisers name."""

import uuid
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.privacy import erase
from games.leagues.models import AuditEvent, League
from games.leagues.services.founding import (
    LEAGUES_A_DAY,
    add_organiser,
    change_league,
    found_league,
    step_down,
)
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues.world import a_season, person

pytestmark = pytest.mark.django_db

TOLD = {"name": "Lega di Lodi", "about": "On Fridays.", "is_private": False}


@pytest.fixture
def league(anna: User) -> League:
    return found_league(anna, form_key=uuid.uuid4(), **TOLD)


def events(league: League) -> list[str]:
    return list(league.events.values_list("kind", flat=True))


def test_its_founder_organises_it(league: League, anna: User) -> None:
    assert (league.name, league.about, league.is_private) == ("Lega di Lodi", "On Fridays.", False)
    assert [organiser.user for organiser in league.organisers.all()] == [anna]
    assert events(league) == [AuditEvent.Kind.FOUNDED]


def test_the_same_form_sent_twice_founds_one(anna: User, bruno: User) -> None:
    key = uuid.uuid4()
    first = found_league(anna, form_key=key, **TOLD)
    assert found_league(anna, form_key=key, **TOLD) == first
    assert found_league(bruno, form_key=key, **TOLD) != first
    assert League.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x" * 10_000, "at most 60 characters"),
        ("Lega\x00", "control characters"),
        ("Lega\n\nBcc: everybody", "control characters"),
        ("\u202eageL", "control characters"),
        ("", "a name that others can see"),
        ("   ", "a name that others can see"),
        ("\u3164", "control characters"),
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(anna: User, name: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        found_league(anna, name=name, about="", is_private=False)
    assert not League.objects.exists()


def test_what_is_written_about_it_is_cleaned_and_not_endless(anna: User) -> None:
    league = found_league(anna, name="Lega", about="a\x00b\u202ec\r\n\r\nd ", is_private=True)
    assert league.about == "abc\n\nd"
    with pytest.raises(Refused, match="10,000 characters"):
        found_league(anna, name="Lega", about="x" * 10_000, is_private=True)


def test_no_one_founds_many_in_a_day(anna: User) -> None:
    for number in range(LEAGUES_A_DAY):
        found_league(anna, name=f"Lega {number}", about="", is_private=False)
    with pytest.raises(Refused, match="tomorrow"):
        found_league(anna, name="Another", about="", is_private=False)
    assert League.objects.count() == LEAGUES_A_DAY


def test_a_closed_account_founds_nothing(anna: User) -> None:
    erase(User.objects.get(pk=anna.pk))
    with pytest.raises(Refused, match="closed"):
        found_league(anna, **TOLD)


def test_a_change_is_logged_with_its_reason_and_everyone_in_a_season_hears(
    wall: Wall, league: League, anna: User, bruno: User
) -> None:
    season = a_season(league)
    for user, state in ((anna, "signed up"), (bruno, "waiting"), (person("Carlo"), "left")):
        season.entries.create(user=user, state=state)
    changed = change_league(league, anna, **{**TOLD, "is_private": True}, reason="We know each other.")
    assert changed.is_private
    event = league.events.first()
    assert event is not None
    assert (event.kind, event.by, event.reason) == (AuditEvent.Kind.CHANGED, anna, "We know each other.")
    assert OutgoingEmail.objects.get(kind="league_event").to_user == bruno


def test_a_change_of_nothing_is_none(league: League, anna: User) -> None:
    change_league(league, anna, **TOLD, reason="")
    assert events(league) == [AuditEvent.Kind.FOUNDED]


@pytest.mark.parametrize("reason", ["", " \n", "\u200b", "x" * 10_000])
def test_a_change_needs_a_reason_that_can_be_read(league: League, anna: User, reason: str) -> None:
    with pytest.raises(Refused):
        change_league(league, anna, **{**TOLD, "name": "Other"}, reason=reason)
    league.refresh_from_db()
    assert league.name == TOLD["name"]


def test_someone_else_changes_nothing(league: League, bruno: User, carla: User) -> None:
    for event in (
        lambda: change_league(league, bruno, **{**TOLD, "name": "Mine"}, reason="I like it."),
        lambda: add_organiser(league, bruno, carla, "She asked."),
        lambda: step_down(league, bruno),
    ):
        with pytest.raises(Refused, match="Only organisers"):
            event()
    assert events(league) == [AuditEvent.Kind.FOUNDED]


def test_an_organiser_makes_another_who_is_told(league: League, anna: User, bruno: User) -> None:
    add_organiser(league, anna, bruno, "Two see more.")
    assert {organiser.user for organiser in league.organisers.all()} == {anna, bruno}
    assert OutgoingEmail.objects.get(kind="league_event").to_user == bruno


def test_an_organiser_twice_is_one(league: League, anna: User, bruno: User) -> None:
    first = add_organiser(league, anna, bruno, "Two see more.")
    assert add_organiser(league, anna, bruno, "Again.") == first
    assert events(league).count(AuditEvent.Kind.ORGANISER) == 1


def test_the_operator_gives_a_league_without_organisers_one(
    league: League, bruno: User, signed_in: Any
) -> None:
    league.organisers.all().delete()
    manage = reverse("organise", args=[league.pk])
    assert signed_in(bruno).get(manage).status_code == 404
    for said in ("Bruno is an organiser now: Lega di Lodi.", "Bruno was an organiser already: Lega di Lodi."):
        out = StringIO()
        call_command("appoint_organiser", str(league.pk), bruno.email.upper(), stdout=out)
        assert out.getvalue().strip() == said
    assert signed_in(bruno).get(manage).status_code == 200
    log = signed_in(bruno).get(reverse("league_log", args=[league.pk])).content.decode()
    assert "The site’s operator made you an organiser." in log
    email = OutgoingEmail.objects.get(kind="league_event")
    content = EMAIL_KINDS[email.kind].build(email)
    assert content is not None
    assert (email.to_user, content.context["heading"]) == (bruno, "You are an organiser now")
    assert (content.context["action"].label, content.context["path"]) == ("Manage this league", manage)
    for wrong in ((str(league.pk), "nobody@example.org"), ("999999", bruno.email)):
        with pytest.raises(CommandError):
            call_command("appoint_organiser", *wrong)


def test_the_last_organiser_stays(league: League, anna: User, bruno: User) -> None:
    with pytest.raises(Refused, match="only organiser"):
        step_down(league, anna)
    add_organiser(league, anna, bruno, "I leave.")
    step_down(league, anna)
    assert [organiser.user for organiser in league.organisers.all()] == [bruno]
    with pytest.raises(Refused, match="only organiser"):
        step_down(league, bruno)
