"""Inviting people one has played with by name, and in groups, without learning their addresses."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.blocking import block
from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail
from accounts.mail.subscriptions import refuse_invitations
from accounts.models import User
from games import privacy as games_privacy
from games import services
from games.chat.models import Mute
from games.chat.muted_people import muted_by
from games.links import person_key
from games.models import Game, Invitation, PlayerGroup, Table
from games.selectors.fellow_players import known_people
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.people import all_proven

pytestmark = pytest.mark.django_db

GROUPS = "/groups/"


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla, *all_proven({"dario@example.org": "Dario", "elena@example.org": "Elena"})]


def offered(user: Any) -> list[str]:
    return [person.name for person in known_people(user, muted_by(user)).people]


def keys(*people: Any) -> list[str]:
    return [person_key(person.pk) for person in people]


def make_group(client: Client, name: str, *people: Any, group: int | str = "") -> Any:
    return client.post(GROUPS, {"group": group, "name": name, "people": keys(*people)}, follow=True)


@pytest.mark.sqlite
def test_people_played_with_are_offered_the_latest_first(people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla, dario, _elena = people
    begin_game([anna, bruno, carla])
    play_to_the_end(begin_game([anna, dario]))
    begin_game([carla, anna])
    seat_table([anna, people[4]], size=3)  # no game has begun there
    assert offered(anna) == ["Carla", "Dario", "Bruno"]
    page = unescape(signed_in(anna).get("/tables/new/").content.decode())
    assert page.index("Carla") < page.index("Dario") < page.index("Bruno")
    assert "Elena" not in page
    assert "people you have played with" not in signed_in(people[4]).get("/tables/new/").content.decode()


@pytest.mark.sqlite
def test_whom_one_may_or_would_not_invite_is_not_offered(people: list[Any]) -> None:
    anna, bruno, carla, dario, elena = people
    game = begin_game(people)
    block(anna, bruno)
    Mute.objects.create(table=game.table, by=anna, whom=carla)
    refuse_invitations(dario.email, refused=True)
    assert offered(anna) == ["Elena"]
    User.objects.filter(pk=elena.pk).update(is_active=False)
    assert offered(anna) == []
    assert set(offered(bruno)) == {"Anna", "Carla"}


def test_anonymous_players_are_offered_once_their_names_are_shown(people: list[Any]) -> None:
    anna, bruno, _carla, dario, _elena = people
    game = begin_game([anna, bruno], is_anonymous=True)
    named = begin_game([anna, dario])
    Mute.objects.create(table=game.table, by=anna, whom=dario)  # as if Dario sat there: it would tell
    assert offered(anna) == ["Dario"]
    Mute.objects.all().delete()
    play_to_the_end(game)
    assert offered(anna) == ["Dario", "Bruno"]
    assert named.table.state == Table.State.PLAYING


def test_no_page_or_email_shows_an_inviter_the_address(people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla, _dario, _elena = people
    begin_game([anna, bruno, carla])
    host = signed_in(anna)
    form = {"name": "Sunday", "size": 3, "pace": "day", "entry": "invitation", "people": keys(bruno)}
    made = host.post("/tables/new/", form, follow=True)
    table = Table.objects.get(name="Sunday")
    page = made.content.decode()
    page += host.post(f"/tables/{table.pk}/invite/", {"people": keys(carla)}, follow=True).content.decode()
    page += host.get(f"/tables/{table.pk}/").content.decode() + str(games_privacy.export(anna))
    assert "You invited Carla." in page
    assert {"Bruno", "Carla"} == {one.shown for one in table.invitations.all()}
    deliver_due()
    services.decline(table.invitations.get(user=carla))
    deliver_due()
    services.cancel(table)
    deliver_due()
    sent = CapturedEmail.objects.filter(subject__contains="Sunday")
    assert {bruno.email, carla.email, anna.email} == {email.to for email in sent}
    read = page + "".join(email.text + email.html for email in sent.filter(to=anna.email))
    assert bruno.email not in read
    assert carla.email not in read
    assert "invited.invalid" not in read


def test_an_address_and_a_name_are_not_known_to_be_the_same(people: list[Any]) -> None:
    anna, bruno = people[:2]
    table = seat_table([anna], size=3)
    services.invite_person(table, bruno)
    services.invite(table, bruno.email)
    assert sorted(one.addressed for one in table.invitations.all()) == ["Bruno", bruno.email]
    services.take_seat(table, bruno, table.invitations.get(user=bruno))
    assert {one.state for one in table.invitations.all()} == {"accepted"}


def test_someone_known_needs_no_introduction_to_the_game(people: list[Any]) -> None:
    anna, bruno = people[:2]
    services.invite_person(seat_table([anna], size=3), bruno)
    deliver_due()
    email = CapturedEmail.objects.get(to=bruno.email)
    assert email.subject.startswith("Anna invites you to play")
    assert "because you played with Anna" in email.text
    assert "rematch" not in email.text
    assert "in a minute" not in email.text


def test_someone_who_blocks_the_host_notices_nothing_and_neither_does_the_host(people: list[Any]) -> None:
    anna, bruno = people[:2]
    begin_game([anna, bruno])
    block(bruno, anna)
    assert offered(anna) == ["Bruno"]
    table = services.make_table(anna, name="Sunday", size=3, entry="invitation", people=[bruno])
    deliver_due()
    assert not CapturedEmail.objects.filter(to=bruno.email, subject__contains="Sunday").exists()
    assert table.invitations.get().state == Invitation.State.SENT


def test_at_an_anonymous_table_inviting_does_not_tell_who_is_seated(people: list[Any]) -> None:
    anna, bruno, carla = people[:3]
    table = seat_table([anna, bruno], size=4, is_anonymous=True)
    for person in (bruno, carla):
        services.invite_person(table, person)
    deliver_due()
    assert {one.state for one in table.invitations.all()} == {"sent"}
    assert not CapturedEmail.objects.filter(to=bruno.email).exists()
    assert CapturedEmail.objects.filter(to=carla.email).exists()
    known = seat_table([anna, bruno], size=4)
    with pytest.raises(services.Refused, match="Bruno already has a seat"):
        services.invite_person(known, bruno)


@pytest.mark.sqlite
def test_a_group_is_made_renamed_changed_invited_and_deleted(people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla, dario, _elena = people
    begin_game([anna, bruno, carla, dario])
    client = signed_in(anna)
    assert "The group is saved" in make_group(client, "Sunday friends", bruno, carla).content.decode()
    make_group(client, "Sunday friends", bruno, carla)  # a second click
    group = PlayerGroup.objects.get()
    assert "You have a group with this name" in make_group(client, "Sunday friends", dario).content.decode()
    make_group(client, "Monday friends", bruno, dario, group=group.pk)
    group.refresh_from_db()
    assert (group.name, set(group.members.all())) == ("Monday friends", {bruno, dario})
    page = unescape(client.get("/tables/new/").content.decode())
    assert "Monday friends: Bruno, Dario" in page
    form = {"name": "Monday", "size": 4, "pace": "day", "entry": "invitation"}
    client.post("/tables/new/", form | {"groups": [group.pk], "people": keys(bruno, carla)})
    invited = Table.objects.get(name="Monday").invitations.all()
    assert {one.user for one in invited} == {bruno, carla, dario}
    assert (
        "You deleted the group."
        in client.post(GROUPS, {"group": group.pk, "delete": "1"}, follow=True).content.decode()
    )
    assert not PlayerGroup.objects.exists()


def test_a_group_never_invites_whom_its_owner_would_not(people: list[Any]) -> None:
    anna, bruno, carla, dario, _elena = people
    services.save_group(anna, None, "Sunday friends", [bruno, carla, dario])
    block(anna, bruno)
    refuse_invitations(carla.email, refused=True)
    (group,) = known_people(anna).groups
    assert list(group.members.all()) == [dario]
    block(anna, dario)
    assert known_people(anna).groups == ()


def test_no_one_reaches_strangers_or_others_groups(people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla, dario, _elena = people
    begin_game([anna, bruno])
    theirs = services.save_group(carla, None, "Carla’s", [dario])
    client = signed_in(anna)
    form = {"name": "Forged", "size": 3, "pace": "day", "entry": "invitation"}
    for forged in ({"people": keys(dario)}, {"people": [dario.pk]}, {"groups": [theirs.pk]}):
        assert client.post("/tables/new/", form | forged).status_code in (302, 400)
    assert not Invitation.objects.exists()
    assert client.post(GROUPS, {"group": theirs.pk, "name": "Mine", "people": keys(bruno)}).status_code == 404
    client.post(GROUPS, {"group": theirs.pk, "delete": "1"})
    assert make_group(client, "Mine", dario).status_code == 400
    theirs.refresh_from_db()
    assert theirs.name == "Carla’s"


@pytest.mark.parametrize("typed", ["", "  ", "x" * 41, "a\u202eb"])
def test_a_name_that_cannot_be_read_is_refused(people: list[Any], signed_in: Any, typed: str) -> None:
    anna, bruno = people[:2]
    begin_game([anna, bruno])
    assert make_group(signed_in(anna), typed, bruno).status_code == 400
    assert not PlayerGroup.objects.exists()


def test_so_many_groups_and_so_many_in_each(people: list[Any], monkeypatch: Any) -> None:
    anna, bruno, carla = people[:3]
    monkeypatch.setattr("games.services.player_groups.MOST_GROUPS", 1)
    monkeypatch.setattr("games.services.player_groups.MOST_MEMBERS", 1)
    services.save_group(anna, None, "One", [bruno])
    with pytest.raises(services.Refused, match="at most 1 group"):
        services.save_group(anna, None, "Two", [bruno])
    with pytest.raises(services.Refused, match="at most 1 person"):
        services.save_group(anna, PlayerGroup.objects.get(), "One", [bruno, carla])


@pytest.mark.sqlite
def test_groups_are_exported_and_erased_with_either_side(people: list[Any]) -> None:
    anna, bruno, carla = people[:3]
    services.save_group(anna, None, "Sunday friends", [bruno, carla])
    (exported,) = games_privacy.export(anna)["my_groups"]
    assert (exported["name"], sorted(exported["members"])) == ("Sunday friends", ["Bruno", "Carla"])
    assert bruno.email not in str(exported)
    games_privacy.erase(bruno)
    assert list(PlayerGroup.objects.get().members.all()) == [carla]
    games_privacy.erase(anna)
    assert not PlayerGroup.objects.exists()


@pytest.mark.sqlite
def test_what_is_offered_costs_the_same_with_more_of_it(
    people: list[Any], django_assert_num_queries: Any, finished: Game
) -> None:
    anna = people[0]
    for round_of_growth in range(2):
        begin_game(people)
        services.save_group(anna, None, f"Group {round_of_growth}", people[1:])
        with django_assert_num_queries(4):
            known_people(anna)
