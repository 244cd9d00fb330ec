"""At anonymous tables, swapping two people's seats changes no byte that anyone else gets.

Until the end no one at the table and no spectator learns which person has which seat; the host is named
as the host, and no more. Afterwards everyone is named everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.core import mail
from django.db import transaction
from django.test import Client

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail, SuppressedAddress
from accounts.models import Holiday, User
from games import services
from games.chat.links import chat_token
from games.chat.models import Channel
from games.chat.services import begin_channel, write
from games.chat.services.channels import public_channel
from games.chat.services.deal_answers import answer
from games.chat.services.deals import Proposed, propose
from games.chat.services.moderation import ban_by_host
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import hand_of, show_cards
from games.links import seat_token
from games.models import Game, Seat, Table
from games.models.replay import replayed
from games.narration.seat_names import BOT_NAMES, SIGNS
from games.rules import region_name
from games.rules.board import REGIONS
from games.services.absence import play_for_absent
from tests.games.playing import play_to_the_end, play_until, seat_table
from tests.people import proven

pytestmark = [pytest.mark.django_db, pytest.mark.once]

BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
LOOKED = BEGAN + timedelta(hours=30)
BY_LOT = re.compile(rb'name="(csrfmiddlewaretoken|form_key)" value="[\w-]+"|={10,}\d+==')
OF_THE_HOST = {("Table", "host"), ("TimeEvent", "by"), ("Invitation", "user"), ("Ban", "by")}

Seen = dict[str, bytes]


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


LIVES = {  # unlike each other's, and by names that no page has of itself
    "Anna": ("Europe/Rome", 21, 6),
    "Brunhild": ("Asia/Tokyo", 22, 7),
    "Carlotta": ("America/New_York", 20, 8),
    "Darius": ("Europe/London", 23, 9),
    "Eleonora": ("Pacific/Auckland", 19, 10),
}


@pytest.fixture
def people(anna: User, bruno: User, carla: User, dario: User, elena: User) -> list[User]:
    """Five people with different zones, hours and holidays; Anna is the host."""
    seated = [anna, bruno, carla, dario, elena]
    for person, (name, (zone, quiet_from, quiet_until)) in zip(seated, LIVES.items(), strict=True):
        person.name, person.time_zone = name, zone
        person.quiet_from, person.quiet_until = time(quiet_from), time(quiet_until)
        person.every_move = quiet_until > 7
        person.save()
        first = date(2026, 3, quiet_until)
        Holiday.objects.create(user=person, first=first, last=first + timedelta(days=quiet_until))
    SuppressedAddress.objects.create(address=bruno.email, since=BEGAN)
    return seated


def terms(**more: Any) -> dict[str, Any]:
    usual = {"is_anonymous": True, "watch": "anyone", "pace": "day", "time_by": "host", "absent": "offer"}
    return {"name": "The masked ball", "entry": "open"} | usual | more


def begun(people: list[User], **more: Any) -> Game:
    table = seat_table(people, **terms(**more))
    for seat in table.seats.all():
        services.confirm(seat)
    return Game.objects.get(table=table)


@pytest.fixture
def game(people: list[User]) -> Game:
    """A game in which all happened that can: chat, a pause by the host, someone away, a seat handed over,
    and something proposed."""
    with time_machine.travel(BEGAN, tick=False):
        game = begun(people)
        play_until(game, lambda state, decision: decision.kind == "battle" and state.ply > 12)
        _chat(game.table)
        _deal(game, people)
        services.host_gives_time(game, people[0], 5)
        away = _seat_of(game, people[1])
        with transaction.atomic():
            play_for_absent(game, away, game.ply, BEGAN)
        services.give_up(_seat_of(game, people[4]))
        game = Game.objects.get(pk=game.pk)
        proposer = _seat_of(game, people[0])
        services.propose_time(proposer, game, "pause", 3)
    return Game.objects.get(pk=game.pk)


def _seat_of(game: Game, person: User) -> Seat:
    return Seat.objects.select_related("table", "user").get(table=game.table_id, user=person)


def _chat(table: Table) -> None:
    seats = list(table.seats.select_related("table", "user"))
    for seat in seats:
        write(seat, f"Good evening from seat {seat.number}.")
    for others in (seats[1:], seats[1:3], seats[2:4]):
        channel = begin_channel(seats[0], others)
        write(seats[0], "Between us.", channel=channel)
        write(others[-1], "Agreed.", channel=channel)


def _deal(game: Game, people: list[User]) -> None:
    """A deal, a sealed note, shown cards, and a ban by the host."""
    seats = list(game.table.seats.select_related("table", "user"))
    channel = public_channel(game.table)
    deal = propose(seats[1], channel, Proposed("I leave Roma to you.", (seats[2].number, seats[3].number)))
    answer(seats[2], deal.pk, accepts=True)
    seal_note(seats[3], channel, "It was never true.", "game")
    holding = next(seat for seat in seats if hand_of(replayed(game).state, seat))
    others = [seat for seat in seats if seat != holding]
    show_cards(holding, hand_of(replayed(game).state, holding)[:1], others=others)
    ban_by_host(_seat_of(game, people[0]), _seat_of(game, people[1]), "Too many words.", None)


def _pages(table: Table, game: Game | None) -> list[str]:
    number, watch = table.pk, f"/watch/{table.watch_key}/"
    paths = ["/", "/games/", "/tables/", "/watch/", f"/tables/{number}/", f"/tables/{number}/chat/"]
    asides = ("chat-with", "show", "seal", "people", "deals", "chat-emails", "message/1", "message/2")
    paths += [f"/tables/{number}/{aside}/" for aside in asides]
    paths += ["/me/messages/?q=evening", "/me/blocks/", f"{watch}deals/"]
    paths += [f"/join/{table.join_key}/", watch, f"{watch}chat/", "/me/hours/", "/me/emails/"]
    paths += [
        f"/tables/{number}/chat/{channel.slug}/"
        for channel in Channel.objects.filter(table=table)
        if channel.slug
    ]
    if game is not None:
        here = f"/games/{game.pk}/"
        asides = ("", "arrangements/", "proof/", "record.json", "chronicle/")
        paths += [f"{here}{aside}" for aside in asides]
        paths += [f"{here}history/{ply}/" for ply in (0, game.ply - 1, game.ply)]
        paths += [
            f"{watch}{page}" for page in ("proof/", "record.json", "chronicle/", f"history/{game.ply}/")
        ]
    return paths


def seen_by(client: Client, table: Table, reader: User | None) -> Seen:
    """Return everything a person gets: every page, and the emails that wait for them."""
    game = Game.objects.filter(table=table).order_by("pk").last()
    with time_machine.travel(LOOKED, tick=False), undone():
        paths = [*_pages(table, game), *_links(table, reader)]
        found = {path: _bytes(client.get(path)) for path in paths}
        found |= {"/me/export/": _bytes(client.post("/me/export/"))}
        return found | (_emails(reader) if reader is not None else {})


def _links(table: Table, reader: User | None) -> list[str]:
    """Return where the links of their emails lead."""
    seat = Seat.objects.filter(table=table, user=reader).first() if reader else None
    return [f"/seat/{seat_token(seat)}/", f"/chat/{chat_token(seat)}/"] if seat else []


@contextmanager
def undone() -> Iterator[None]:
    """Roll back read markers and sent emails after this block."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _bytes(answer: Any) -> bytes:
    headers = sorted(f"{name}: {value}" for name, value in answer.headers.items())
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return BY_LOT.sub(b"", "\n".join([str(answer.status_code), *headers, ""]).encode() + body)


def _emails(reader: User) -> Seen:
    OutgoingEmail.objects.exclude(to_user=reader).delete()
    for number, email in enumerate(OutgoingEmail.objects.order_by("pk")):
        OutgoingEmail.objects.filter(pk=email.pk).update(message_id=f"<email-{number}@testserver>")
    mail.outbox.clear()
    deliver_due()
    return {
        f"email {number}: {email.subject}": BY_LOT.sub(b"", email.message().as_bytes())
        for number, email in enumerate(mail.outbox)
    }


def exchange(one: User, other: User, spare: User) -> None:
    """Swap two people's seats, as if they had had each other's from the start."""
    for model in (*apps.get_app_config("games").get_models(), *apps.get_app_config("chat").get_models()):
        for field in model._meta.fields:
            if field.related_model is User and (model.__name__, field.name) not in OF_THE_HOST:
                for now, then in ((one, spare), (other, one), (spare, other)):
                    model._default_manager.filter(**{field.name: now}).update(**{field.name: then})


def differing(told: bytes, other: bytes) -> list[bytes]:
    """Return the lines that differ."""
    lines, others = told.split(b"\n"), other.split(b"\n")
    return [line for line in lines if line not in others] + [line for line in others if line not in lines]


Pair = tuple[int, int]


@pytest.mark.parametrize("pair", [(0, 3), (0, 1), (1, 4)])
@pytest.mark.long
def test_two_who_change_seats_change_no_byte_that_others_get(
    game: Game, people: list[User], stranger: User, signed_in: Any, pair: Pair
) -> None:
    one, other = (people[number] for number in pair)
    rest = [person for person in people[:4] if person not in (one, other)]
    readers: list[User | None] = [*rest, stranger, None]
    clients = [signed_in(reader) if reader else Client() for reader in readers]
    first = [seen_by(client, game.table, reader) for client, reader in zip(clients, readers, strict=True)]
    spare = proven("spare@example.org", "Spare")
    exchange(one, other, spare)
    for client, reader, before in zip(clients, readers, first, strict=True):
        after = seen_by(client, game.table, reader)
        assert before.keys() == after.keys()
        for what, told in before.items():
            if told != after[what]:
                raise AssertionError(f"{reader} {what}", *differing(told, after[what]))
    assert any(what.startswith("email ") for seen in first for what in seen)
    assert sum(told.startswith(b"200\n") for told in first[0].values()) > 15


def test_no_one_but_the_host_is_named_before_the_end(
    game: Game, people: list[User], stranger: User, signed_in: Any, long: bool
) -> None:
    for reader in (people[2], *([people[3], stranger] if long else []), None):
        client = signed_in(reader) if reader else Client()
        for what, told in seen_by(client, game.table, reader).items():
            for person in people[1:]:
                if person != reader:
                    assert person.name.encode() not in told, (reader, what)
                    assert person.email.encode() not in told, (reader, what)


@pytest.mark.long
def test_the_host_is_named_as_the_host_and_sits_somewhere(
    game: Game, people: list[User], signed_in: Any
) -> None:
    page = signed_in(people[2]).get(f"/tables/{game.table_id}/").content.decode()
    assert "Host: Anna" in page
    assert re.findall(r">\s*host\s*<", page) == []


@pytest.mark.long
def test_a_player_reads_by_which_sign_the_others_know_them(
    game: Game, people: list[User], signed_in: Any
) -> None:
    mine = _seat_of(game, people[2])
    page = signed_in(people[2]).get(f"/games/{game.pk}/").content.decode()
    row = page.split('id="players"')[1].split("<li")[mine.number + 1].split("</li>")[0]
    assert SIGNS[mine.number] in row
    assert '<b class="you">' in row


def test_while_the_table_gathers_no_one_is_told_from_another(
    people: list[User], stranger: User, signed_in: Any, mailoutbox: Any
) -> None:
    with time_machine.travel(BEGAN, tick=False):
        table = seat_table(people[:4], **terms(size=4))
    reader = people[2]
    seen = {who: seen_by(signed_in(who), table, who) for who in (reader, stranger)}
    exchange(people[1], people[3], proven("spare@example.org", "Spare"))
    for who, before in seen.items():
        assert before == seen_by(signed_in(who), table, who)
        for told in before.values():
            assert b"Brunhild" not in told
            assert b"Darius" not in told
    page = seen[reader][f"/tables/{table.pk}/"].decode()
    assert page.lower().count("a player") >= 4
    assert "4 players" in next(
        told.decode() for what, told in seen[reader].items() if what.startswith("email")
    )


def test_the_host_is_told_that_someone_left_and_not_who(people: list[User]) -> None:
    table = seat_table(people[:3], **terms(size=4))
    services.leave(table.seats.get(user=people[1]))
    deliver_due()
    told = [email for email in mail.outbox if email.to == [people[0].email]][-1]
    assert told.subject.startswith("A player left: ")
    assert "Brunhild" not in told.message().as_string()


def test_seats_are_drawn_when_the_game_begins(people: list[User]) -> None:
    orders = set()
    for number in range(8):
        table = seat_table(people[:3], **terms(secret=bytes([number]) * 32))
        rows = dict(table.seats.values_list("pk", "number"))
        for seat in table.seats.all():
            services.confirm(seat)
        assert dict(table.seats.values_list("pk", "number")) == rows
        orders.add(tuple(table.seats.values_list("user", flat=True)))
    assert len(orders) > 2


def test_elsewhere_everyone_keeps_the_seat_they_took(people: list[User]) -> None:
    game = begun(people[:3], is_anonymous=False)
    assert list(game.table.seats.values_list("user", flat=True)) == [person.pk for person in people[:3]]


def test_everyone_keeps_their_own_words_for_the_shuffle(people: list[User]) -> None:
    table = services.make_table(people[0], **terms(size=3))
    for person in people[1:3]:
        services.take_seat(table, person, words=f"the words of {person.name}")
    given = dict(table.seats.values_list("user", "nonce"))
    for seat in table.seats.all():
        services.confirm(seat)
    game = Game.objects.get(table=table)
    for seat in table.seats.all():
        assert seat.nonce == given[seat.person.pk]
        assert game.nonces[seat.number] == seat.nonce or not seat.nonce


def test_the_shuffles_of_drawn_seats_are_proved_at_the_end(people: list[User], client: Client) -> None:
    game = begun(people[:3])
    play_to_the_end(game)
    page = client.get(f"/watch/{game.table.watch_key}/proof/").content.decode()
    assert "The secret matches the commitment, every shuffle follows" in page


def test_someone_who_got_an_email_before_the_game_comes_to_the_seat_they_drew(
    people: list[User], client: Client
) -> None:
    table = seat_table(people[:3], **terms(size=3))
    deliver_due()
    links = {
        email.to[0]: found[0]
        for email in mail.outbox
        if (found := re.findall(r"http://testserver(/seat/\S+)", str(email.body)))
    }
    for person in people[:3]:
        page = client.post(links[person.email], {"action": "confirm"}, follow=True)
        assert page.status_code == 200
    assert Game.objects.filter(table=table).exists()
    for person in people[:3]:
        assert "The game has started" in client.get(links[person.email]).content.decode()


@pytest.mark.parametrize("page", ["games/{game}/", "games/{game}/chronicle/", "tables/{table}/", "games/"])
def test_after_the_end_everyone_is_named(people: list[User], signed_in: Any, page: str) -> None:
    game = begun(people[:3])
    client, path = signed_in(people[0]), "/" + page.format(game=game.pk, table=game.table_id)
    assert "Brunhild" not in client.get(path).content.decode()
    play_to_the_end(game)
    told = client.get(path).content.decode()
    for name in ("Anna", "Brunhild", "Carlotta"):
        assert name in told
    assert not any(sign in told for sign in SIGNS)


@pytest.mark.long
def test_after_the_end_the_record_and_the_last_email_name_everyone(
    people: list[User], client: Client
) -> None:
    game = begun(people[:3])
    play_to_the_end(game)
    record = client.get(f"/watch/{game.table.watch_key}/record.json").json()
    assert record["players"] == [seat.person.name for seat in game.table.seats.select_related("user")]
    deliver_due()
    last = [email for email in mail.outbox if email.to == [people[2].email]][-1]
    assert "Brunhild" in last.body


def test_a_match_names_no_one_between_its_games(people: list[User], signed_in: Any) -> None:
    options = {"edition": "2007", "variants": ["playing-for-points"]}
    game = begun(people[:3], target=99, chain=100, options_json=options)
    play_to_the_end(game)
    assert Table.objects.get(pk=game.table_id).state == Table.State.PLAYING
    for path in (f"/games/{game.pk}/", f"/games/{game.pk}/record.json", f"/tables/{game.table_id}/"):
        assert "Brunhild" not in signed_in(people[2]).get(path).content.decode()


@pytest.mark.long
def test_the_comparison_would_notice_a_name(
    game: Game, people: list[User], signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Seat, "anonymity", property(lambda seat: Table.Anonymity.NONE))
    before = seen_by(signed_in(people[2]), game.table, people[2])
    exchange(people[1], people[3], proven("spare@example.org", "Spare"))
    assert before != seen_by(signed_in(people[2]), game.table, people[2])


def test_someone_who_is_offered_a_seat_does_not_learn_whose_it_is(people: list[User], client: Client) -> None:
    game = begun(people[:3])
    mine = _seat_of(game, people[1])
    services.hand_over(mine, "friend@example.org")
    deliver_due()
    email = next(email for email in mail.outbox if email.to == ["friend@example.org"])
    assert SIGNS[mine.number] in email.subject
    link = re.search(r"http://testserver(/invitation/\S+)", str(email.body))
    assert link
    for told in (email.message().as_string(), client.get(link[1]).content.decode()):
        assert "Brunhild" not in told
        assert "Carlotta" not in told


def test_an_absent_players_seat_is_offered_by_the_host_and_not_by_their_sign(people: list[User]) -> None:
    game = begun(people[:3])
    with transaction.atomic():
        play_for_absent(game, _seat_of(game, people[1]), game.ply, clock.now())
    services.offer_absent_seat(_seat_of(game, people[1]), people[0], "friend@example.org")
    deliver_due()
    email = next(email for email in mail.outbox if email.to == ["friend@example.org"])
    assert "Anna" in email.subject


def test_signs_are_neither_regions_nor_bots() -> None:
    assert not {*SIGNS} & {*BOT_NAMES, *map(region_name, REGIONS)}
    assert len({sign[0] for sign in SIGNS}) == len(SIGNS) == 6
