"""A rematch is one new table for all players, however often it is asked for; names, never addresses."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.rate_limits import hit
from condottiere_site.privacy import everything_about
from games import services
from games.links import invitation_token
from games.models import Game, Invitation, Seat, Table
from games.services import table_invitations
from games.services.rematch import next_name
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.journeys.test_two_at_once import at_once, posting

pytestmark = pytest.mark.django_db


def ask(client: Client, game: Game) -> Any:
    return client.post(f"/games/{game.pk}/rematch/")


def page(client: Client, path: str) -> str:
    return unescape(client.get(path).content.decode())


def rematch_of(game: Game) -> Table:
    return Table.objects.get(rematch_of=game)


def test_the_first_to_ask_hosts_a_table_with_the_same_terms_and_invites_the_others(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    Table.objects.filter(pk=finished.table_id).update(watch="anyone", entry="open", note="Anna's own words")
    bruno = signed_in(people[1])
    assert "Ask for a rematch" in page(bruno, f"/games/{finished.pk}/")
    answer = ask(bruno, finished)
    table = rematch_of(finished)
    assert answer["Location"] == f"/tables/{table.pk}/"
    assert (table.host, table.size, table.entry, table.watch) == (people[1], 3, "invitation", "anyone")
    assert (table.name, table.note) == ("Friday table (2)", "")
    assert [seat.user for seat in table.seats.all()] == [people[1]]
    assert {invited.user for invited in table.invitations.all()} == {people[0], people[2]}
    assert table.commitment != finished.table.commitment
    deliver_due()
    email = CapturedEmail.objects.get(to="anna@example.org")
    assert email.subject == "Bruno wants a rematch: Friday table (2)"
    assert "wants a rematch: the same people, the same settings" in email.text
    assert "is inviting you" not in email.text


def test_of_two_namesakes_one_reads_who_asks(finished: Game, people: list[Any], signed_in: Any) -> None:
    people[1].name = "Anna"
    people[1].save()
    ask(signed_in(people[1]), finished)
    assert "Anna (2) wants a rematch." in page(signed_in(people[2]), f"/games/{finished.pk}/")
    deliver_due()
    email = CapturedEmail.objects.get(to="carla@example.org")
    assert email.subject == "Anna (2) wants a rematch: Friday table (2)"
    assert email.text.startswith("Anna (2) wants a rematch")


def test_the_host_sees_names_and_never_addresses(finished: Game, people: list[Any], signed_in: Any) -> None:
    bruno = signed_in(people[1])
    ask(bruno, finished)
    table = rematch_of(finished)
    seen = page(bruno, f"/tables/{table.pk}/")
    assert ">Anna</span>" in seen
    assert ">Carla</span>" in seen
    invitation = table.invitations.get(user=people[2])
    services.decline(invitation)
    bruno.post(f"/tables/{table.pk}/withdraw/{table.invitations.get(user=people[0]).pk}/")
    seen += page(bruno, f"/tables/{table.pk}/")
    deliver_due()
    email = CapturedEmail.objects.get(to="bruno@example.org")
    assert "Carla declined your invitation." in email.text
    stored = str(everything_about(people[1]))
    assert "Carla" in stored
    for address in ("anna@example.org", "carla@example.org"):
        assert address not in seen + stored + email.text + email.html + email.subject


def test_the_others_take_their_seats_by_the_same_button_the_email_or_the_table(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = (signed_in(person) for person in people)
    ask(bruno, finished)
    table = rematch_of(finished)
    assert "Bruno wants a rematch." in page(anna, f"/games/{finished.pk}/")
    assert "Bruno invited you" in page(carla, "/games/")
    assert ask(anna, finished)["Location"] == f"/tables/{table.pk}/"
    assert "Open the rematch" in page(anna, f"/games/{finished.pk}/")
    path = f"/invitation/{invitation_token(table.invitations.get(user=people[2]))}/"
    shown = page(Client(), path)
    assert "Bruno invites you to this table" in shown
    assert "carla@example.org" not in shown
    Client().post(path, {"action": "accept"})
    assert {seat.user for seat in table.seats.all()} == set(people)
    assert set(table.invitations.values_list("state", flat=True)) == {Invitation.State.ACCEPTED}
    assert OutgoingEmail.objects.filter(kind="confirm").count() == 3


def test_someone_who_changed_their_address_since_is_still_the_one_invited(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    ask(signed_in(people[1]), finished)
    table = rematch_of(finished)
    carla = people[2]
    carla.email = "carla.new@example.org"
    carla.save()
    path = f"/invitation/{invitation_token(table.invitations.get(user=carla))}/"
    Client().post(path, {"action": "accept", "name": "Somebody"})
    assert table.seats.filter(user=carla).exists()
    assert table.invitations.get(user=carla).state == Invitation.State.ACCEPTED


def test_pressing_twice_changes_nothing(finished: Game, people: list[Any], signed_in: Any) -> None:
    bruno = signed_in(people[1])
    places = {ask(bruno, finished)["Location"] for _click in range(3)}
    assert places == {f"/tables/{rematch_of(finished).pk}/"}
    assert Table.objects.count() == 2
    assert OutgoingEmail.objects.filter(kind="invitation").count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.once
@pytest.mark.long
def test_two_who_ask_at_once_come_to_one_table(finished: Game, people: list[Any], signed_in: Any) -> None:
    assert connection.vendor == "postgresql"
    for _round in range(4):
        accesses = [posting(signed_in(person), f"/games/{finished.pk}/rematch/") for person in people]
        accesses.append(posting(signed_in(people[0]), f"/games/{finished.pk}/rematch/"))
        answers = at_once(*accesses)
        table = rematch_of(finished)
        assert {answer["Location"] for answer in answers} == {f"/tables/{table.pk}/"}
        assert {seat.user for seat in table.seats.all()} == set(people)
        assert table.host in people
        services.cancel(table)
    assert Table.objects.filter(rematch_of=finished).count() == 1


def test_only_players_may_ask_and_only_after_the_end(
    finished: Game, people: list[Any], stranger: Any, signed_in: Any
) -> None:
    assert ask(signed_in(stranger), finished).status_code == 404
    assert ask(Client(), finished)["Location"].startswith("/accounts/login/")
    assert signed_in(people[0]).get(f"/games/{finished.pk}/rematch/").status_code == 405
    running = begin_game(people)
    assert "Create a rematch" not in page(signed_in(people[0]), f"/games/{running.pk}/")
    assert ask(signed_in(people[0]), running)["Location"] == f"/games/{running.pk}/"
    assert not Table.objects.filter(rematch_of__isnull=False).exists()


def test_after_a_rematch_was_cancelled_the_next_to_ask_makes_another(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    ask(signed_in(people[1]), finished)
    first = rematch_of(finished)
    services.cancel(first)
    assert "Ask for a rematch" in page(signed_in(people[0]), f"/games/{finished.pk}/")
    ask(signed_in(people[0]), finished)
    second = rematch_of(finished)
    assert second.pk != first.pk
    assert second.host == people[0]


def test_someone_who_declined_may_think_better_of_it_and_who_was_turned_away_may_not(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    ask(signed_in(people[1]), finished)
    table = rematch_of(finished)
    services.decline(table.invitations.get(user=people[0]))
    services.withdraw(table.invitations.get(user=people[2]))
    ask(signed_in(people[0]), finished)
    answer = signed_in(people[2]).post(f"/games/{finished.pk}/rematch/", follow=True)
    assert "The host has withdrawn this invitation." in answer.content.decode()
    assert {seat.user for seat in table.seats.all()} == {people[0], people[1]}


def test_a_rematch_that_began_without_me_says_so(
    finished: Game, people: list[Any], dario: Any, elena: Any, signed_in: Any
) -> None:
    ask(signed_in(people[1]), finished)
    table = rematch_of(finished)
    for person in (dario, elena):
        services.take_seat(table, person)
    for seat in table.seats.all():
        services.confirm(seat)
    assert "rematch" not in page(signed_in(people[0]), f"/games/{finished.pk}/").lower()
    answer = signed_in(people[0]).post(f"/games/{finished.pk}/rematch/", follow=True)
    assert "The game at this table has already started." in answer.content.decode()


def test_bots_come_along(anna: Any, bruno: Any, finished: Game, signed_in: Any) -> None:
    Seat.objects.filter(table=finished.table, number=2).update(user=None, bot="captain")
    ask(signed_in(bruno), finished)
    table = rematch_of(finished)
    bot = table.seats.exclude(bot="").get()
    assert bot.bot == "captain"
    assert bot.confirmed_at is not None
    ask(signed_in(anna), finished)
    assert table.seats.count() == 3
    assert OutgoingEmail.objects.filter(kind="confirm").count() == 2


def test_against_bots_alone_it_begins_at_once(anna: Any, signed_in: Any, people: list[Any]) -> None:
    table = seat_table([anna], size=3)
    for number in (1, 2):
        services.seat_bot(table, "recruit", number)
    services.confirm(table.seats.get(user=anna))
    first = Game.objects.get(table=table)
    play_to_the_end(first)
    OutgoingEmail.objects.all().delete()
    annas = signed_in(anna)
    shown = page(annas, f"/games/{first.pk}/")
    assert "Play a rematch" in shown
    assert "The game starts at once" in shown
    assert "invites" not in shown
    answers = [ask(annas, first) for _click in range(2)]
    begun = Game.objects.get(table__rematch_of=first)
    assert {answer["Location"] for answer in answers} == {f"/games/{begun.pk}/"}
    assert "The rematch has started." in page(annas, f"/games/{begun.pk}/")
    assert Game.objects.count() == 2
    assert not OutgoingEmail.objects.filter(kind="confirm").exists()


def test_the_seat_of_a_former_player_stays_free_and_the_page_says_so(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    bruno = signed_in(people[1])
    assert "stays free" not in page(bruno, f"/games/{finished.pk}/")
    people[2].is_active = False
    people[2].save()
    shown = " ".join(page(bruno, f"/games/{finished.pk}/").split())
    assert "invites the other players. The seat of 1 former player stays free." in shown
    people[0].is_active = False
    people[0].save()
    shown = page(bruno, f"/games/{finished.pk}/")
    assert "The seats of 2 former players stay free." in shown
    assert "the same people" not in shown
    answer = bruno.post(f"/games/{finished.pk}/rematch/", follow=True)
    assert "You created a table for the rematch." in answer.content.decode()
    assert "others are invited" not in answer.content.decode()
    assert rematch_of(finished).seats.count() == 1


def test_former_players_are_not_written_to(finished: Game, people: list[Any], signed_in: Any) -> None:
    people[2].is_active = False
    people[2].save()
    ask(signed_in(people[1]), finished)
    assert [invited.user for invited in rematch_of(finished).invitations.all()] == [people[0]]


def test_rematches_count_as_invitations(
    finished: Game, people: list[Any], signed_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(table_invitations, "INVITATIONS_A_DAY", 1)
    answer = signed_in(people[1]).post(f"/games/{finished.pk}/rematch/", follow=True)
    assert "limit of invitations for today (1)" in answer.content.decode()
    assert not Table.objects.filter(rematch_of=finished).exists()
    assert not OutgoingEmail.objects.exists()


def test_someone_who_got_enough_emails_today_finds_the_rematch_on_their_page(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    while hit("be invited", people[0].email, table_invitations.INVITATIONS_TO_ONE_A_DAY):
        pass
    ask(signed_in(people[1]), finished)
    written = OutgoingEmail.objects.filter(kind="invitation").values_list("to_address", flat=True)
    assert list(written) == ["carla@example.org"]
    assert "Bruno invited you" in page(signed_in(people[0]), "/games/")


@pytest.mark.parametrize(
    ("name", "following"),
    [
        ("Friday", "Friday (2)"),
        ("Friday (2)", "Friday (3)"),
        ("Friday (99)", "Friday (100)"),
        ("x" * 60, "x" * 56 + " (2)"),
        ("(2)", "(2) (2)"),
    ],
)
def test_the_name_is_counted_on(name: str, following: str) -> None:
    assert next_name(name) == following
    assert len(next_name(name)) <= 60


def test_a_rematch_of_a_rematch_leads_on(finished: Game, people: list[Any], signed_in: Any) -> None:
    ask(signed_in(people[1]), finished)
    table = rematch_of(finished)
    for person in (people[0], people[2]):
        ask(signed_in(person), finished)
    for seat in table.seats.all():
        services.confirm(seat)
    second = Game.objects.get(table=table)
    assert re.search(rf'href="/tables/{table.pk}/"', page(signed_in(people[0]), f"/games/{finished.pk}/"))
    assert not Table.objects.filter(rematch_of=second).exists()


def test_a_name_typed_at_another_table_does_not_turn_into_an_address(
    finished: Game, people: list[Any], signed_in: Any
) -> None:
    """The person invited by name may be invited by their address elsewhere; the two rows stay apart."""
    ask(signed_in(people[1]), finished)
    other = seat_table([people[1]], size=3, entry="invitation")
    services.invite(other, "anna@example.org")
    assert ">anna@example.org</span>" in page(signed_in(people[1]), f"/tables/{other.pk}/")
    assert "anna@example.org" not in page(signed_in(people[1]), f"/tables/{rematch_of(finished).pk}/")
