"""Links in a league's emails work without signing in: a GET shows, a button acts."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts import clock, tokens
from accounts.mail.delivery import deliver_due
from accounts.models import User
from accounts.times import moment_with_city
from games.leagues.links import ask_url, entry_url, invited_url
from games.leagues.models import (
    Invitation,
    League,
    LeagueTable,
    OpenSeat,
    Registration,
    Season,
    SubstituteOffer,
)
from games.leagues.services import invitations, registration, substitutes, withdrawals
from games.leagues.services.season_start import close_sign_up
from games.leagues.services.sign_up_opening import open_sign_up
from games.leagues.services.substitute_offers import offer_to_next
from tests.leagues.league_pages import text_of
from tests.leagues.world import a_league, a_running_season, a_season, invite, people, person, seat_by_hand

pytestmark = pytest.mark.django_db


def path_of(url: str) -> str:
    return "/" + url.split("/", 3)[3]


@pytest.fixture
def open_season(anna: User) -> Season:
    season = a_season(a_league(anna), size=3, division_size=3, min_players=3)
    open_sign_up(season, None, season.opens_at)
    season.refresh_from_db()
    return season


@pytest.fixture
def asked(open_season: Season) -> Registration:
    """One of three who are asked to confirm."""
    for player in people(3):
        registration.sign_up(open_season, player)
    close_sign_up(open_season, open_season.signup_ends_at)
    return open_season.entries.first()


@pytest.fixture
def ask(anna: User) -> SubstituteOffer:
    players = people(3)
    season = a_running_season(anna, players, size=3, rounds=1)
    (table,) = seat_by_hand(season.divisions.get().rounds.get(), players)
    substitutes.volunteer(season, person("Helper"))
    withdrawals.withdraw(season.entries.get(user=players[0]), note="Keep the Bishop.")
    open_seat = OpenSeat.objects.get(table=table)
    return offer_to_next(open_seat, open_seat.opened_at) or SubstituteOffer.objects.get(open_seat=open_seat)


def test_looking_changes_nothing_and_the_button_confirms(asked: Registration, client: Client) -> None:
    path = path_of(entry_url(asked))
    for _look in range(2):
        page = client.get(path)
        assert page.status_code == 200
        assert page["Cache-Control"] == "no-store, private"
        assert page["Referrer-Policy"] == "same-origin"
        assert "After that you keep your place only if" in page.content.decode()
    asked.refresh_from_db()
    assert asked.state == Registration.State.SIGNED_UP
    for _twice in range(2):
        assert client.post(path, {"action": "confirm"}).status_code == 302
    asked.refresh_from_db()
    assert asked.state == Registration.State.CONFIRMED
    assert "Confirm that I’ll play" not in client.get(path).content.decode().partition("</section>")[0]


def test_a_place_can_be_left_by_the_link(asked: Registration, client: Client) -> None:
    client.post(path_of(entry_url(asked)), {"action": "leave"})
    asked.refresh_from_db()
    assert asked.state == Registration.State.LEFT
    assert "You have left this season." in client.get(path_of(entry_url(asked))).content.decode()


def test_an_unknown_button_does_nothing(asked: Registration, client: Client) -> None:
    for sent in ({}, {"action": "expel"}, {"action": "accept"}):
        assert client.post(path_of(entry_url(asked)), sent).status_code == 302
    asked.refresh_from_db()
    assert asked.state == Registration.State.SIGNED_UP


def test_the_link_signs_no_one_in(asked: Registration, client: Client) -> None:
    client.post(path_of(entry_url(asked)), {"action": "confirm"})
    assert client.get(reverse("my_games")).status_code == 302


@pytest.mark.parametrize("token", ["x", "a:b:c", "MTIz:1tKxyz:abcdefghijklmnop"])
def test_every_wrong_link_is_told_the_same(token: str, client: Client) -> None:
    answer = client.get(reverse("league_by_link", args=[token]))
    assert answer.status_code == 404
    assert "This link does not work" in answer.content.decode()


def test_a_link_signed_for_another_purpose_opens_nothing(asked: Registration, client: Client) -> None:
    forged = tokens.sign("chat", "e", asked.pk, asked.user_id, dated=True)
    assert client.get(reverse("league_by_link", args=[forged])).status_code == 404
    strange = tokens.sign("league", "x", asked.pk, asked.user_id, dated=True)
    assert client.get(reverse("league_by_link", args=[strange])).status_code == 404


def test_a_substitute_takes_the_seat_by_the_link(ask: SubstituteOffer, client: Client) -> None:
    path = path_of(ask_url(ask))
    assert "Keep the Bishop." not in client.get(path).content.decode()
    client.post(path, {"action": "accept"})
    ask.refresh_from_db()
    assert ask.answer == SubstituteOffer.Answer.ACCEPTED
    table = LeagueTable.objects.get(open_seats=ask.open_seat_id)
    assert table.table.seats.filter(user=ask.substitute.user).exists()
    assert "You took the seat." in client.get(path).content.decode()


def test_a_substitute_declines_and_may_think_better_of_it_while_no_one_has_the_seat(
    ask: SubstituteOffer, client: Client
) -> None:
    path = path_of(ask_url(ask))
    client.post(path, {"action": "decline"})
    ask.refresh_from_db()
    assert ask.answer == SubstituteOffer.Answer.DECLINED
    assert "Take the seat after all" in client.get(path).content.decode()
    client.post(path, {"action": "accept"})
    assert "seat after all" not in client.get(path).content.decode()
    ask.refresh_from_db()
    assert ask.answer == SubstituteOffer.Answer.ACCEPTED


def test_someone_who_has_no_account_signs_up_with_a_name(
    anna: User, open_season: Season, client: Client
) -> None:
    invited = invite(open_season, anna, "zoe@example.org")
    path = path_of(invited_url(invited))
    assert 'name="name"' in client.get(path).content.decode()
    refused = client.post(path, {"action": "sign_up", "name": ""})
    assert refused.status_code == 400
    assert not User.objects.filter(email="zoe@example.org").exists()
    client.post(path, {"action": "sign_up", "name": "Zoe"})
    entry = open_season.entries.get()
    assert (entry.user.email, entry.state) == ("zoe@example.org", Registration.State.SIGNED_UP)


def test_the_page_of_an_invitation_quotes_what_the_organiser_wrote(
    anna: User, open_season: Season, client: Client
) -> None:
    League.objects.update(about="We play slowly.\n\nYour account is <closed>.")
    page = client.get(path_of(invited_url(invite(open_season, anna, "zoe@example.org")))).content.decode()
    for words in ("We play slowly.", "Your account is &lt;closed&gt;."):
        assert f'<blockquote class="host-says" dir="auto">{words}</blockquote>' in page


def test_an_invitation_can_be_declined_and_taken_up_after_all(
    anna: User, open_season: Season, client: Client
) -> None:
    person("Zoe")
    invited = invite(open_season, anna, "zoe@example.org")
    path = path_of(invited_url(invited))
    client.post(path, {"action": "decline"})
    invited.refresh_from_db()
    assert invited.state == Invitation.State.DECLINED
    client.post(path, {"action": "sign_up"})
    assert open_season.entries.get().user.email == "zoe@example.org"


def test_someone_who_is_invited_when_too_few_have_signed_up_is_written_to(
    anna: User, asked: Registration, client: Client, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    invited = invite(Season.objects.get(), anna, "zoe@example.org")
    mail.outbox.clear()
    deliver_due()
    (email,) = [one for one in mail.outbox if one.to == ["zoe@example.org"]]
    assert path_of(invited_url(invited)) in email.body


def test_who_was_invited_leaves_by_the_email_that_invited_them(
    anna: User, open_season: Season, client: Client
) -> None:
    person("Zoe")
    path = path_of(invited_url(invite(open_season, anna, "zoe@example.org")))
    client.post(path, {"action": "sign_up"})
    assert "Leave the season" in client.get(path).content.decode()
    client.post(path, {"action": "leave"})
    assert open_season.entries.get().state == Registration.State.LEFT


def test_a_withdrawn_invitation_says_so_and_signs_no_one_up(
    anna: User, open_season: Season, client: Client
) -> None:
    person("Zoe")
    invited = invite(open_season, anna, "zoe@example.org")
    invitations.withdraw_invitation(invited, anna)
    path = path_of(invited_url(invited))
    assert "was withdrawn" in client.get(path).content.decode()
    client.post(path, {"action": "sign_up"})
    assert not open_season.entries.exists()


def test_a_link_is_its_owners_alone(asked: Registration, client: Client, anna: User) -> None:
    """The page of a link tells of no one but whom it was sent to."""
    other: Any = asked.season.entries.exclude(pk=asked.pk).first()
    client.post(path_of(entry_url(asked)), {"action": "confirm"})
    other.refresh_from_db()
    assert other.state == Registration.State.SIGNED_UP


def test_someone_else_who_is_signed_in_is_told_for_whom_the_link_counts(
    asked: Registration, client: Client, anna: User, signed_in: Any
) -> None:
    path, told = path_of(entry_url(asked)), "counts for the person who got this link by email."
    assert f"You are signed in as {anna.shown_name}, but what you do here {told}" in text_of(
        signed_in(anna), path
    )
    assert told not in text_of(signed_in(asked.user), path)
    assert told not in text_of(client, path)


def test_an_invitation_says_until_when_one_can_sign_up(open_season: Season, anna: User) -> None:
    invite(open_season, anna, "zoe@example.org")
    mail.outbox.clear()
    deliver_due(clock.now())
    (email,) = [one for one in mail.outbox if one.to == ["zoe@example.org"]]
    assert f"Sign up by {moment_with_city(open_season.signup_ends_at)}." in " ".join(str(email.body).split())
