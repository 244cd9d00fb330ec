"""How a table comes together, from its pages and by its links."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.post.delivery import deliver_due
from accounts.post.models import Letter
from accounts.post.unsubscribing import Subscription, turn_off
from games import commands
from games.commands import gather
from games.links import invitation_token, seat_token
from games.models import Game, Invitation, Seat, Table
from tests.games.playing import begin_game, seat_table

pytestmark = pytest.mark.django_db


def make_by_form(client: Client, **fields: Any) -> Any:
    typed = {"name": "Friday table", "size": 3, "entry": "invitation", "invited": "", "note": ""} | fields
    return client.post("/tables/new/", typed)


def test_a_host_makes_a_table_and_has_its_first_seat(anna: Any, signed_in: Any) -> None:
    response = make_by_form(signed_in(anna), invited="bruno@example.org, Carla@Example.org")
    table = Table.objects.get()
    assert response["Location"] == f"/tables/{table.pk}/"
    assert [seat.user for seat in table.seats.all()] == [anna]
    assert {invitation.email for invitation in table.invitations.all()} == {
        "bruno@example.org",
        "carla@example.org",
    }
    assert Letter.objects.filter(kind="invitation").count() == 2


def test_what_was_typed_stays_in_the_form_and_the_bad_address_is_named(anna: Any, signed_in: Any) -> None:
    response = make_by_form(signed_in(anna), invited="bruno@example.org\nnot an address", note="Bring wine.")
    assert response.status_code == 400
    assert "Not an e-mail address: not an address" in response.content.decode()
    assert "Bring wine." in response.content.decode()
    assert not Table.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "\u200b\u202e"),
        ("name", "x" * 61),
        ("size", "7"),
        ("size", "1"),
        ("size", "x"),
        ("entry", "everybody"),
        ("note", "x" * 1001),
    ],
)
def test_terms_that_cannot_be_are_refused(anna: Any, signed_in: Any, field: str, value: str) -> None:
    assert make_by_form(signed_in(anna), **{field: value}).status_code == 400
    assert not Table.objects.exists()


def test_a_table_name_cannot_break_out_of_a_header_or_a_page(anna: Any, signed_in: Any) -> None:
    make_by_form(signed_in(anna), name="A\r\nBcc: x@y.z <script>alert(1)</script>\u202egnp")
    table = Table.objects.get()
    assert "\n" not in table.name
    assert "\u202e" not in table.name
    page = signed_in(anna).get(f"/tables/{table.pk}/").content.decode()
    assert "<script>alert" not in page


def test_ten_thousand_invitations_are_refused(anna: Any, signed_in: Any) -> None:
    many = "\n".join(f"p{number}@example.org" for number in range(10_000))
    assert make_by_form(signed_in(anna), invited=many).status_code == 400
    few_too_many = "\n".join(f"p{number}@example.org" for number in range(21))
    assert make_by_form(signed_in(anna), invited=few_too_many).status_code == 400
    assert not Letter.objects.exists()


def test_the_host_does_not_invite_himself(anna: Any, signed_in: Any) -> None:
    make_by_form(signed_in(anna), invited="anna@example.org\nbruno@example.org")
    assert [invitation.email for invitation in Invitation.objects.all()] == ["bruno@example.org"]


def test_the_same_form_sent_twice_makes_one_table(anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    found = re.search(r'name="form_key" value="([^"]+)"', client.get("/tables/new/").content.decode())
    assert found
    answers = [make_by_form(client, invited="bruno@example.org", form_key=found[1]) for _ in range(2)]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert Table.objects.count() == 1
    assert Letter.objects.count() == 1


def test_another_hosts_form_key_does_no_harm(anna: Any, bruno: Any, signed_in: Any) -> None:
    key = str(seat_table([anna], size=2).form_key)
    make_by_form(signed_in(bruno), form_key=key)
    assert Table.objects.filter(host=bruno).exclude(form_key=key).count() == 1
    assert make_by_form(signed_in(bruno), form_key="no key").status_code == 400


def test_second_clicks_at_a_table_are_answered_like_the_first(
    people: list[Any], dario: Any, signed_in: Any
) -> None:
    anna, bruno, _carla = people
    table = seat_table(people, size=5, entry="invitation")
    commands.invite(table, dario.email)
    client = signed_in(dario)
    for action, landing in (("decline", "/games/"), ("take", f"/tables/{table.pk}/"), ("leave", "/games/")):
        for _click in range(2):
            assert client.post(f"/tables/{table.pk}/{action}/")["Location"] == landing
    seat = table.seats.get(user=bruno)
    for _click in range(2):
        answer = signed_in(anna).post(f"/tables/{table.pk}/remove/{seat.pk}/")
        assert answer["Location"] == f"/tables/{table.pk}/"


def test_a_host_sends_only_so_many_invitations_a_day(anna: Any, signed_in: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(gather, "INVITATIONS_A_DAY", 2)
    client = signed_in(anna)
    make_by_form(client, invited="a@example.org b@example.org")
    refused = make_by_form(client, invited="c@example.org", note="Typed with care")
    assert refused.status_code == 429
    assert "go on tomorrow" in refused.content.decode()
    assert "Typed with care" in refused.content.decode()
    assert Table.objects.count() == 1
    page = client.post(f"/tables/{Table.objects.get().pk}/invite/", {"invited": "d@example.org"}, follow=True)
    assert "go on tomorrow" in page.content.decode()
    assert Letter.objects.filter(kind="invitation").count() == 2


def test_one_address_is_invited_only_so_often_a_day(anna: Any, bruno: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(gather, "INVITATIONS_TO_ONE_A_DAY", 1)
    commands.invite(seat_table([anna], size=2), "Zoe@example.org")
    with pytest.raises(commands.Refused, match="enough invitations"):
        commands.invite(seat_table([bruno], size=2), "zoe@example.org")


def test_the_host_sees_that_an_invitation_did_not_arrive(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=3)
    commands.invite(table, "zoe@example.org")
    turn_off(Subscription("zoe@example.org", "invitations", "Invitations"))
    commands.invite(table, "yan@example.org")
    deliver_due()
    page = signed_in(anna).get(f"/tables/{table.pk}/").content.decode()
    lost = re.findall(
        r"<span>(\S+@example.org)</span> <span class=\"small\">invited; the letter did not", page
    )
    assert lost == ["zoe@example.org"]


def test_an_open_table_is_listed_and_anyone_signed_in_may_sit_down(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=2)
    assert table.name in Client().get("/tables/").content.decode()
    response = signed_in(bruno).post(f"/tables/{table.pk}/take/")
    assert response["Location"] == f"/tables/{table.pk}/"
    assert table.seats.filter(user=bruno).exists()
    assert table.name not in Client().get("/tables/").content.decode()  # it is full


def test_a_table_by_invitation_does_not_exist_for_a_stranger(
    anna: Any, stranger: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    client = signed_in(stranger)
    assert client.get(f"/tables/{table.pk}/").status_code == 404
    assert client.post(f"/tables/{table.pk}/take/").status_code == 404
    assert client.get(f"/join/{table.join_key}/").status_code == 404
    assert client.post(f"/join/{table.join_key}/").status_code == 404
    assert table.seats.count() == 1


def test_whoever_has_the_link_may_join(anna: Any, bruno: Any, stranger: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=2, entry="link")
    assert signed_in(stranger).get(f"/tables/{table.pk}/").status_code == 404
    page = Client().get(f"/join/{table.join_key}/").content.decode()
    assert "Sign in to take a seat" in page
    signed_in(bruno).post(f"/join/{table.join_key}/")
    assert table.seats.filter(user=bruno).exists()
    assert Client().get("/join/wrong/").status_code == 404


def test_an_anonymous_post_to_a_joining_link_takes_no_seat(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="link")
    response = Client().post(f"/join/{table.join_key}/")
    assert "Sign in to take a seat" in response.content.decode()
    assert table.seats.count() == 1


def invitation_to(table: Table, email: str) -> tuple[Invitation, str]:
    invitation = commands.invite(table, email)
    return invitation, f"/invitation/{invitation_token(invitation)}/"


def test_an_invited_person_without_account_takes_the_seat_by_the_letters_link(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    invitation, address = invitation_to(table, "zoe@example.org")
    client = Client()
    page = client.get(address).content.decode()
    assert table.name in page
    assert not User.objects.filter(email="zoe@example.org").exists()  # opening made nothing
    response = client.post(address, {"action": "accept", "name": "Zoë"})
    seat = table.seats.get(user__email="zoe@example.org")
    assert seat.user.name == "Zoë"
    assert response["Location"].startswith("/seat/")
    assert "_auth_user_id" not in client.session  # it signs nobody in
    assert "Shall it begin?" in client.get(response["Location"]).content.decode()
    invitation.refresh_from_db()
    assert invitation.state == "accepted"


def test_somebody_whose_address_was_only_typed_before_is_asked_for_a_name(anna: Any) -> None:
    User.objects.create_unproven("zoe@example.org")
    table = seat_table([anna], size=2, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    assert 'name="name"' in Client().get(address).content.decode()
    Client().post(address, {"action": "accept", "name": "Zoe"})
    seat = table.seats.get(user__email="zoe@example.org")
    assert seat.user.name == "Zoe"
    assert seat.user.emailaddress_set.get().verified


def test_a_new_person_must_say_a_name_and_what_was_typed_stays(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    for name in ("", "\u202egnp", "x" * 41):
        assert Client().post(address, {"action": "accept", "name": name}).status_code == 400
    assert not User.objects.filter(email="zoe@example.org").exists()
    assert table.seats.count() == 1


def test_accepting_twice_gives_one_seat(anna: Any) -> None:
    table = seat_table([anna], size=3, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    for _again in range(2):
        assert Client().post(address, {"action": "accept", "name": "Zoe"})["Location"].startswith("/seat/")
    assert table.seats.count() == 2


def test_somebody_signed_in_with_another_address_is_asked_who_takes_the_seat(
    anna: Any, bruno: Any, signed_in: Any
) -> None:
    table = seat_table([anna], size=4, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    page = signed_in(bruno).get(address).content.decode()
    assert "Take the seat as zoe@example.org" in page
    assert "Take the seat as bruno@example.org" in page
    response = signed_in(bruno).post(address, {"action": "accept", "as": "me"})
    assert response["Location"] == f"/tables/{table.pk}/"
    assert table.seats.filter(user=bruno).exists()
    assert not User.objects.filter(email="zoe@example.org").exists()


def test_declining_is_one_button_and_the_host_is_told_once(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    invitation, address = invitation_to(table, "zoe@example.org")
    for _again in range(2):
        Client().post(address, {"action": "decline"})
    invitation.refresh_from_db()
    assert invitation.state == "declined"
    assert Letter.objects.filter(kind="declined", to_user=anna).count() == 1
    assert "change your mind" in Client().get(address).content.decode()


def test_a_withdrawn_invitation_gives_no_seat(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    invitation, address = invitation_to(table, "zoe@example.org")
    commands.withdraw(invitation)
    response = Client().post(address, {"action": "accept", "name": "Zoe"}, follow=True)
    assert "withdrawn" in response.content.decode()
    assert table.seats.count() == 1
    assert not User.objects.filter(email="zoe@example.org").exists()


def test_an_invitation_to_a_full_table_says_so(anna: Any, bruno: Any) -> None:
    table = seat_table([anna, bruno], entry="invitation", size=2)
    _, address = invitation_to(table, "zoe@example.org")
    response = Client().post(address, {"action": "accept", "name": "Zoe"}, follow=True)
    assert "All seats at this table are taken." in response.content.decode()
    assert not User.objects.filter(email="zoe@example.org").exists()


@pytest.mark.parametrize("kind", ["invitation", "seat", "answer"])
@pytest.mark.parametrize("token", ["x", "WzFd:1abc:zzz", "a" * 3000, "%00", "💥"])
def test_a_broken_link_is_answered_in_the_same_words(kind: str, token: str) -> None:
    response = Client().get(f"/{kind}/{token}/")
    assert response.status_code == 404
    assert "This link does not work" in response.content.decode()


def test_no_token_opens_another_kind_of_door(anna: Any, bruno: Any) -> None:
    table = seat_table([anna, bruno], size=3)
    token = seat_token(table.seats.get(user=bruno))
    for kind in ("invitation", "answer"):
        assert Client().get(f"/{kind}/{token}/").status_code == 404
    invitation, _ = invitation_to(table, "zoe@example.org")
    assert Client().get(f"/seat/{invitation_token(invitation)}/").status_code == 404


def test_an_expired_invitation_does_not_open(anna: Any, time_machine: Any) -> None:
    table = seat_table([anna], size=2)
    time_machine.move_to("2026-01-01T12:00:00Z", tick=False)
    _, address = invitation_to(table, "zoe@example.org")
    assert Client().get(address).status_code == 200
    time_machine.move_to("2026-06-01T12:00:00Z", tick=False)
    assert Client().get(address).status_code == 404


def test_everybody_confirms_before_the_first_deal(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    for person in people[:2]:
        signed_in(person).post(f"/tables/{table.pk}/confirm/")
    assert not Game.objects.exists()
    response = signed_in(people[2]).post(f"/tables/{table.pk}/confirm/")
    game = Game.objects.get()
    assert response["Location"] == f"/games/{game.pk}/"
    assert game.players == 3
    assert game.log.count() == 1  # the shuffle


def test_confirming_before_the_table_is_full_is_refused(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=2)
    response = signed_in(anna).post(f"/tables/{table.pk}/confirm/", follow=True)
    assert "once the table is full" in response.content.decode()


def test_a_full_table_writes_to_everybody_with_a_link_that_confirms(people: list[Any]) -> None:
    table = seat_table(people)
    assert Letter.objects.filter(kind="confirm").count() == 3
    for seat in table.seats.all():
        address = f"/seat/{seat_token(seat)}/"
        assert "Shall it begin?" in Client().get(address).content.decode()
        assert Client().post(address, {"action": "confirm"}).status_code == 302
    assert Game.objects.filter(table=table).exists()


def test_a_change_of_company_asks_everybody_anew(people: list[Any], dario: Any) -> None:
    table = seat_table(people)
    anna, bruno, carla = people
    commands.confirm(table.seats.get(user=anna))
    commands.confirm(table.seats.get(user=bruno))
    commands.remove(table.seats.get(user=carla))
    commands.take_seat(table, dario)
    assert not table.seats.filter(confirmed_at__isnull=False).exists()
    commands.confirm(table.seats.get(user=dario))
    assert not Game.objects.exists()
    assert Letter.objects.filter(kind="confirm", to_user=anna).count() == 2


def test_the_host_removes_and_replaces_somebody(people: list[Any], dario: Any, signed_in: Any) -> None:
    table = seat_table(people)
    anna, bruno, carla = people
    seat = table.seats.get(user=bruno)
    assert signed_in(carla).post(f"/tables/{table.pk}/remove/{seat.pk}/").status_code == 404
    signed_in(anna).post(f"/tables/{table.pk}/remove/{seat.pk}/")
    assert not table.seats.filter(user=bruno).exists()
    assert Letter.objects.filter(kind="removed", to_user=bruno).exists()
    commands.take_seat(table, dario)
    for each in table.seats.all():
        commands.confirm(each)
    assert [seat.number for seat in table.seats.all()] == [0, 1, 2]
    assert [seat.user for seat in table.seats.all()] == [anna, carla, dario]


def test_a_removed_person_cannot_come_back_by_the_old_invitation(anna: Any) -> None:
    table = seat_table([anna], size=2, entry="invitation")
    _, address = invitation_to(table, "zoe@example.org")
    Client().post(address, {"action": "accept", "name": "Zoe"})
    commands.remove(table.seats.get(user__email="zoe@example.org"))
    Client().post(address, {"action": "accept"})
    assert table.seats.count() == 1


def test_the_host_calls_the_table_off_and_everybody_is_told(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    commands.invite(table, "zoe@example.org")
    signed_in(people[0]).post(f"/tables/{table.pk}/call-off/")
    table.refresh_from_db()
    assert table.state == "called off"
    told = set(Letter.objects.filter(kind="called_off").values_list("to_address", flat=True))
    assert told == {"bruno@example.org", "carla@example.org", "zoe@example.org"}
    page = signed_in(people[1]).post(f"/tables/{table.pk}/confirm/", follow=True).content.decode()
    assert "called this table off" in page


def test_the_host_can_neither_leave_nor_be_removed(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    seat = table.seats.get(user=people[0])
    signed_in(people[0]).post(f"/tables/{table.pk}/leave/")
    signed_in(people[0]).post(f"/tables/{table.pk}/remove/{seat.pk}/")
    assert table.seats.filter(user=people[0]).exists()


def test_a_player_leaves_and_the_host_is_told(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people)
    signed_in(people[1]).post(f"/tables/{table.pk}/leave/")
    assert not table.seats.filter(user=people[1]).exists()
    assert Letter.objects.filter(kind="left", to_user=people[0]).count() == 1


def test_nothing_of_the_company_changes_once_the_game_has_begun(people: list[Any], dario: Any) -> None:
    game = begin_game(people)
    seat = Seat.objects.get(table=game.table, user=people[1])
    for command in (
        lambda: commands.remove(seat),
        lambda: commands.leave(seat),
        lambda: commands.call_off(game.table),
        lambda: commands.invite(game.table, "zoe@example.org"),
        lambda: commands.take_seat(game.table, dario),
    ):
        with pytest.raises(commands.Refused, match="begun"):
            command()
    commands.confirm(seat)  # a second click: nothing happens
    assert Game.objects.count() == 1


def test_only_the_host_may_do_what_the_host_may(people: list[Any], stranger: Any, signed_in: Any) -> None:
    table = seat_table(people, size=4, entry="open")
    invitation = commands.invite(table, "zoe@example.org")
    for person in (people[1], stranger):
        client = signed_in(person)
        for path in (
            "invite/",
            "call-off/",
            f"withdraw/{invitation.pk}/",
            f"remove/{table.seats.first().pk}/",
        ):
            assert client.post(f"/tables/{table.pk}/{path}", {"invited": "a@example.org"}).status_code == 404
    page = signed_in(people[1]).get(f"/tables/{table.pk}/").content.decode()
    assert "zoe@example.org" not in page  # addresses are for the host alone


def test_inviting_the_same_address_again_sends_it_again_but_not_for_ever(anna: Any) -> None:
    table = seat_table([anna], size=2)
    for _sending in range(3):
        commands.invite(table, "Zoe@Example.org")
    assert Letter.objects.filter(kind="invitation").count() == 3
    assert Invitation.objects.count() == 1
    with pytest.raises(commands.Refused, match="enough"):
        commands.invite(table, "zoe@example.org")


def test_somebody_seated_cannot_be_invited(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    page = signed_in(people[0]).post(
        f"/tables/{table.pk}/invite/", {"invited": "bruno@example.org\nzoe@example.org"}, follow=True
    )
    assert "bruno@example.org already has a seat" in page.content.decode()
    assert [invitation.email for invitation in table.invitations.all()] == ["zoe@example.org"]


def test_the_commitment_is_shown_before_anybody_joins(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=2)
    page = Client().get(f"/join/{table.join_key}/").content.decode()
    assert re.search(r"\b[0-9a-f]{64}\b", page)
    assert bytes(table.secret).hex() not in page


def test_pasted_names_and_addresses_are_understood_and_the_host_is_told_that_he_is_left_out(
    anna: Any, signed_in: Any
) -> None:
    pasted = (
        'Bert <bert@example.org>\r\n"Carla, the older" <Carla@example.org>; anna@example.org, <d@example.org>'
    )
    client = signed_in(anna)
    answer = make_by_form(client, invited=f"{pasted}\r\ne@example.org f@example.org")
    page = client.get(answer["Location"]).content.decode()
    invited = set(Invitation.objects.values_list("email", flat=True))
    assert invited == {f"{name}@example.org" for name in ("bert", "carla", "d", "e", "f")}
    assert "Your own address was left out: you have the first seat already." in page
    assert "More people are invited than seats are free: the first to accept sit down." in page


def test_who_invites_as_many_as_seats_are_free_is_told_nothing(anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    page = client.get(
        make_by_form(client, invited="b@example.org c@example.org")["Location"]
    ).content.decode()
    assert "More people are invited" not in page
    assert "Your own address" not in page


@pytest.mark.parametrize(
    "wrong", ["not an address", "Bert b@example.org", "Bert <bert>", "b@example.org and c"]
)
def test_a_line_that_is_no_address_is_named_whole(anna: Any, signed_in: Any, wrong: str) -> None:
    answer = make_by_form(signed_in(anna), invited=f"zoe@example.org\r\n{wrong}")
    page = unescape(answer.content.decode())
    assert answer.status_code == 400
    assert f"Not an e-mail address: {wrong}<" in page
    assert not Table.objects.exists()


def test_the_terms_are_worded_for_whoever_reads_them(anna: Any, bruno: Any, signed_in: Any) -> None:
    table = seat_table([anna, bruno], entry="invitation")
    page = signed_in(bruno).get(f"/tables/{table.pk}/").content.decode()
    assert "Only people the host invites by e-mail" in page
    assert "people I invite" not in page
