"""A league is founded, described and shared on its organisers' pages, and is no one else's business."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from games.leagues.models import AuditEvent, League
from tests.leagues.organisers_desk import text_of
from tests.leagues.world import a_league, a_season

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]
NEW = "/leagues/new/"


def sent(**other: Any) -> dict[str, Any]:
    return {"name": "Autumn League", "about": "", "is_private": "no", "form_key": uuid4()} | other


def test_a_league_is_founded_and_then_run(anna: User, signed_in: SignedIn) -> None:
    answer = signed_in(anna).post(NEW, sent(about="For long evenings.", is_private="yes"), follow=True)
    league = League.objects.get()
    assert (league.name, league.about, league.is_private) == ("Autumn League", "For long evenings.", True)
    assert answer.redirect_chain == [(f"/leagues/{league.pk}/organise/", 302)]
    assert "Plan the first season" in text_of(answer)
    assert league.join_key in text_of(answer)


def test_the_same_form_sent_twice_founds_one(anna: User, signed_in: SignedIn) -> None:
    client, form = signed_in(anna), sent()
    assert client.post(NEW, form)["Location"] == client.post(NEW, form)["Location"]
    assert League.objects.count() == 1


@pytest.mark.parametrize("name", ["", " \u200b ", "x" * 61, "x" * 10_000])
def test_a_name_that_cannot_be_shown_is_refused_and_the_rest_stays(
    anna: User, signed_in: SignedIn, name: str
) -> None:
    answer = signed_in(anna).post(NEW, sent(name=name, about="A word that stays."))
    assert answer.status_code == 400
    assert set(answer.context["form"].errors) == {"name"}
    assert "A word that stays." in text_of(answer)
    assert not League.objects.exists()


def test_a_text_of_too_many_characters_is_refused(anna: User, signed_in: SignedIn) -> None:
    answer = signed_in(anna).post(NEW, sent(about="x" * 4001))
    assert set(answer.context["form"].errors) == {"about"}


def test_anyone_who_is_not_signed_in_is_led_to_the_sign_in_page(client: Client, db: None) -> None:
    assert client.get(NEW)["Location"].startswith("/accounts/login/")


def test_looking_at_the_form_founds_nothing(anna: User, signed_in: SignedIn) -> None:
    signed_in(anna).get(NEW, sent())
    assert not League.objects.exists()


def test_a_form_from_another_site_is_refused(anna: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(anna, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(NEW, sent()).status_code == 403
    assert not League.objects.exists()


def test_what_is_written_about_it_is_changed_with_a_reason(anna: User, signed_in: SignedIn) -> None:
    league = a_league(anna)
    address = reverse("change_league", args=[league.pk])
    form = sent(name="Winter League", reason="It is winter.")
    assert signed_in(anna).post(address, form).status_code == 302
    league.refresh_from_db()
    assert league.name == "Winter League"
    event = league.events.get(kind=AuditEvent.Kind.CHANGED)
    assert (event.by, event.reason) == (anna, "It is winter.")


def test_without_a_reason_nothing_is_changed(anna: User, signed_in: SignedIn) -> None:
    league = a_league(anna)
    answer = signed_in(anna).post(reverse("change_league", args=[league.pk]), sent(name="Winter League"))
    assert set(answer.context["form"].errors) == {"reason"}
    assert League.objects.get().name == "Autumn League"


def test_someone_with_an_account_is_made_an_organiser(anna: User, bruno: User, signed_in: SignedIn) -> None:
    league = a_league(anna)
    address = reverse("league_organisers", args=[league.pk])
    assert signed_in(bruno).get(address).status_code == 404
    answer = signed_in(anna).post(
        address, {"email": " Bruno@example.org", "reason": "He helps."}, follow=True
    )
    assert bruno.shown_name in text_of(answer)
    assert signed_in(bruno).get(address).status_code == 200


def test_an_address_without_an_account_is_named(anna: User, signed_in: SignedIn) -> None:
    address = reverse("league_organisers", args=[a_league(anna).pk])
    answer = signed_in(anna).post(address, {"email": "nobody@example.org", "reason": "He helps."})
    assert "No account has this address." in text_of(answer)
    assert "nobody@example.org" in text_of(answer)


def test_addresses_are_not_tried_one_after_the_other(anna: User, signed_in: SignedIn) -> None:
    client, address = signed_in(anna), reverse("league_organisers", args=[a_league(anna).pk])
    for _number in range(30):
        client.post(address, {"email": "nobody@example.org", "reason": "He helps."})
    answer = client.post(address, {"email": "bruno@example.org", "reason": "He helps."})
    assert "You’ve tried too many addresses today." in text_of(answer)


def test_the_last_organiser_cannot_step_down_and_one_of_two_can(
    anna: User, bruno: User, signed_in: SignedIn
) -> None:
    league, client = a_league(anna), signed_in(anna)
    address = reverse("league_step_down", args=[league.pk])
    assert "only organiser" in text_of(client.post(address, {"sent": "yes"}))
    league.organisers.create(user=bruno)
    assert client.get(address).status_code == 200
    assert league.organisers.count() == 2
    assert client.post(address, {"sent": "yes"}).status_code == 302
    assert [organiser.user for organiser in league.organisers.all()] == [bruno]
    assert client.get(address).status_code == 404


@pytest.mark.sqlite
def test_a_private_league_opens_to_its_people_and_by_its_link(
    anna: User, bruno: User, carla: User, dario: User, signed_in: SignedIn
) -> None:
    league = a_league(anna, is_private=True)
    a_season(league).invited.create(email=bruno.email, by=anna)
    address, link = f"/leagues/{league.pk}/", f"/leagues/join/{league.join_key}/"
    assert Client().get(address)["Location"].startswith("/accounts/login/")
    assert Client().get(link)["Location"].startswith("/accounts/login/")
    assert signed_in(bruno).get(address).status_code == 200
    by_link = signed_in(carla)
    assert by_link.get(address).status_code == 404
    assert by_link.get(link)["Location"] == address
    assert by_link.get(address).status_code == 200
    assert signed_in(dario).get(address).status_code == 404
    assert signed_in(dario).get("/leagues/join/a-key-that-was-guessed/").status_code == 404


def test_a_joining_link_makes_no_one_an_organiser(anna: User, carla: User, signed_in: SignedIn) -> None:
    league = a_league(anna, is_private=True)
    client = signed_in(carla)
    client.get(f"/leagues/join/{league.join_key}/")
    assert client.get(reverse("organise", args=[league.pk])).status_code == 404
