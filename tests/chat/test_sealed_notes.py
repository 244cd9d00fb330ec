"""Sealed notes: unread before their event, and afterwards proven to be the same."""

import re
from collections.abc import Callable
from hashlib import sha256
from threading import Barrier, Thread
from typing import Any

import pytest
import time_machine
from django.db import connections
from django.test import Client

from accounts import clock
from games import services
from games.chat import services as chat_services
from games.chat.models import Channel, Message, SealedNote
from games.chat.privacy import erase
from games.chat.services import messages
from games.chat.services.sealed_note_openings import open_sealed_notes
from games.chat.services.sealed_notes import digest_of, seal_note, takable_regions
from games.models import Game, LogEntry, Proposal, Seat, Table
from games.models.replay import replayed
from games.rules import BattleCompared, RegionConquered, State, pending
from tests.chat.chatting import chat_emails, html_of
from tests.chat.test_shown_cards import attested
from tests.games.playing import begin_game, play_to_the_end, play_until, seat_table

pytestmark = pytest.mark.django_db

WORDS = "Carla takes **Siena**,\nor I am no *prophet* 🦉"


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def seat_of(game: Game, person: Any) -> Seat:
    return game.table.seats.get(user=person)


def pair(game: Game, people: list[Any]) -> Channel:
    return chat_services.begin_channel(seat_of(game, people[0]), [seat_of(game, people[1])])


def page_of(client: Client, channel: Channel) -> str:
    path = f"/tables/{channel.table_id}/chat/" + (f"{channel.slug}/" if channel.slug else "")
    return client.get(path).content.decode()


def tick() -> int:
    return open_sealed_notes(clock.now())


def happened(game: Game, kind: type, since: int = 0) -> list[Any]:
    plies = replayed(game).plies[since:]
    return [event for ply in plies for event in ply.events if isinstance(event, kind)]


def play_on_until(game: Game, enough: Callable[[State], bool], seed: int = 1) -> State:
    return play_until(game, lambda state, decision: enough(state), seed)


def battles(game: Game) -> int:
    return replayed(game).state.battles


def test_an_email_is_written_sealed_and_opened(game: Game, people: list[Any], signed_in: Any) -> None:
    anna, bruno, _carla = people
    channel, client = pair(game, people), signed_in(anna)
    form = client.get(f"/tables/{game.table_id}/seal/?channel={channel.slug}").content.decode()
    assert re.search(rf'value="{channel.slug}"[^>]* checked', form)
    chosen = {"text": WORDS, "to": channel.slug, "opens": "battle", "region": ""}
    sealed = client.post(f"/tables/{game.table_id}/seal/", chosen)
    assert sealed["Location"] == f"/tables/{game.table_id}/chat/{channel.slug}/#message-1"
    seal = SealedNote.objects.get()
    (said,) = attested(page_of(signed_in(bruno), channel))
    assert seal.digest in said
    assert "It opens when the next battle ends" in said
    (email,) = chat_emails()
    assert seal.digest in email.body
    assert tick() == 0

    play_on_until(game, lambda state: state.battles > 0)
    assert tick() == 1
    page = page_of(signed_in(bruno), channel)
    assert "Carla takes <strong>" in page
    assert "the text that was sealed, unchanged" in attested(page)[1]
    assert "The battle ended." in attested(page)[1]
    (email,) = chat_emails()
    assert email.to == ["bruno@example.org"]
    assert email.subject == "A sealed note was opened: Table 42"
    assert "Carla takes" in email.body
    assert "The text is the one that was sealed." in " ".join(attested(html_of(email)))


def test_the_digest_can_be_checked_by_anyone(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = pair(game, people)
    seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    told = attested(page_of(signed_in(people[1]), channel))[0]
    play_to_the_end(game)
    tick()
    page = page_of(signed_in(people[1]), channel)
    salt = re.search(r"printf '%s\\n' ([0-9a-f]{32})", page.replace("&#x27;", "'"))
    assert salt
    assert sha256(f"{salt[1]}\n{WORDS}".encode()).hexdigest() in told
    assert digest_of(salt[1], WORDS) in told
    exact = re.findall(r'<pre class="chat-text"[^>]*>(.*?)</pre>', page, re.S)
    assert exact == [WORDS]


def test_words_that_were_changed_are_not_proven(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = pair(game, people)
    seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    play_to_the_end(game)
    tick()
    Message.objects.filter(kind=Message.Kind.OPENED).update(text=WORDS + "!")
    said = attested(page_of(signed_in(people[1]), channel))[1]
    assert "unchanged" not in said
    assert "This is not the text that was sealed" in said


def _all_pages(client: Client, game: Game, channel: Channel) -> str:
    paths = [f"/games/{game.pk}/", f"/tables/{game.table_id}/", "/games/", f"/tables/{game.table_id}/chat/"]
    paths += [f"/tables/{game.table_id}/chat/{channel.slug}/", f"/tables/{game.table_id}/seal/"]
    paths += ["/me/messages/?q=of+mine"]
    answers = [*map(client.get, paths), client.post("/me/export/")]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    return "".join(answer.content.decode() for answer in answers)


def test_until_then_only_its_writer_reads_it(
    game: Game, people: list[Any], signed_in: Any, django_user_model: Any
) -> None:
    anna, bruno, _carla = people
    django_user_model.objects.filter(pk=bruno.pk).update(is_staff=True, is_superuser=True)
    channel = pair(game, people)
    seal_note(seat_of(game, anna), channel, "XYZZY of mine", "game")
    seal = SealedNote.objects.get()
    assert not Message.objects.filter(text__contains="XYZZY").exists()
    assert "XYZZY" in page_of(signed_in(anna), channel)
    assert "XYZZY" not in "".join(attested(page_of(signed_in(anna), channel)))
    read = _all_pages(signed_in(bruno), game, channel)
    read += "".join(email.body + html_of(email) for email in chat_emails())
    read += signed_in(bruno).get("/admin/").content.decode()
    assert seal.digest in read
    assert "XYZZY" not in read
    assert seal.salt not in read
    assert not [line for line in LogEntry.objects.values_list("move", flat=True) if "XYZZY" in line]


@time_machine.travel("2031-03-03 12:00:30+00:00", tick=False)
@pytest.mark.long
def test_a_stranger_to_the_channel_sees_no_difference(game: Game, people: list[Any], signed_in: Any) -> None:
    channel, client = pair(game, people), signed_in(people[2])

    def seen() -> list[bytes]:
        token = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')
        paths = [
            f"/games/{game.pk}/",
            f"/tables/{game.table_id}/",
            f"/tables/{game.table_id}/chat/",
            "/games/",
        ]
        return [token.sub(b"", client.get(path).content) for path in paths]

    seen()
    before = seen()
    seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    assert seen() == before
    play_to_the_end(game)
    after = seen()
    after = seen()
    assert tick() == 1
    assert seen() == after
    assert not [email for email in chat_emails() if "carla@example.org" in email.to]


def test_what_happened_before_the_sealing_opens_nothing(game: Game, people: list[Any]) -> None:
    Table.objects.filter(pk=game.table_id).update(
        options_json={"edition": "2007", "variants": ["capturing-regions"]}
    )
    game.refresh_from_db()
    taken: list[Any] = []
    while not taken:
        fought = battles(game)
        play_on_until(game, lambda state, fought=fought: state.battles > fought)
        taken = happened(game, RegionConquered)
    seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "region", taken[-1].region)
    assert tick() == 0
    assert SealedNote.objects.get().opened_at is None


@pytest.mark.long
def test_it_opens_when_its_region_is_taken_and_not_with_another(game: Game, people: list[Any]) -> None:
    made = replayed(game).state.ply
    seals: dict[str, SealedNote] = {}
    for region in takable_regions(replayed(game).state):
        message = seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "region", region)
        seals[region] = message.seal
    while len(happened(game, RegionConquered)) < 2:
        fought = battles(game)
        play_on_until(game, lambda state, fought=fought: state.battles > fought)
        tick()
        taken = {event.region for event in happened(game, RegionConquered, made)}
        opened = SealedNote.objects.filter(opened__isnull=False)
        assert {seal.region for seal in opened} == taken
    assert all(seal.opened and seal.opened.event == "happened" for seal in opened)


def test_the_battle_that_is_being_fought_is_named_and_opens_it(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    state = play_on_until(game, lambda state: state.battle is not None)
    channel, fought = pair(game, people), state.battles
    seal_note(seat_of(game, people[0]), channel, WORDS, "battle")
    assert re.search(
        r"It opens when the battle for \w[\w ]* ends", attested(page_of(signed_in(people[1]), channel))[0]
    )
    play_on_until(game, lambda state: state.battles > fought)
    assert len(happened(game, BattleCompared, state.ply)) == 1
    assert tick() == 1


def test_what_can_happen_no_more_opens_at_the_end_and_says_so(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    channel = pair(game, people)
    region = takable_regions(replayed(game).state)[0]
    for opens in ("region", "battle", "game"):
        seal_note(seat_of(game, people[0]), channel, f"{WORDS} {opens}", opens, region)
    _agree_to_end(game, people)
    assert tick() == 3
    said = attested(page_of(signed_in(people[1]), channel))
    assert sum("The game ended before its event happened" in one for one in said) == 2
    assert sum("The game ended." in one for one in said) == 1


def _agree_to_end(game: Game, people: list[Any]) -> None:
    proposal = services.propose_end(seat_of(game, people[0]), game, Proposal.What.NONE)
    for person in people[1:]:
        services.accept_proposal(seat_of(game, person), proposal)
    game.refresh_from_db()
    assert game.is_over


def test_a_second_tick_opens_nothing_more(game: Game, people: list[Any]) -> None:
    seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "game")
    play_to_the_end(game)
    assert [tick(), tick(), tick()] == [1, 0, 0]
    assert Message.objects.filter(kind=Message.Kind.OPENED).count() == 1


@pytest.mark.once  # SQLite lets one write at a time
@pytest.mark.django_db(transaction=True)
def test_two_ticks_at_once_open_it_once(people: list[Any]) -> None:
    game = begin_game(people)
    seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "game")
    play_to_the_end(game)
    together, opened = Barrier(4), list[int]()

    def look() -> None:
        try:
            together.wait()
            opened.append(tick())
        finally:
            connections.close_all()

    threads = [Thread(target=look) for _tick in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(opened) == [0, 0, 0, 1]
    assert Message.objects.filter(kind=Message.Kind.OPENED).count() == 1


def test_a_second_click_seals_once(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    chosen = {"text": WORDS, "to": "table", "opens": "game", "region": ""}
    form = client.get(f"/tables/{game.table_id}/seal/").content.decode()
    assert re.search(r'name="to" value="table"[^>]* checked', form), "the only channel"
    first, second = (client.post(f"/tables/{game.table_id}/seal/", chosen) for _click in range(2))
    assert first["Location"] == second["Location"]
    assert SealedNote.objects.count() == 1


def test_a_writer_who_is_deleted_takes_their_note_along(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    channel = pair(game, people)
    seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    erase(people[0])
    assert SealedNote.objects.get().text == ""
    assert "no one will ever read it" in attested(page_of(signed_in(people[1]), channel))[0]
    play_to_the_end(game)
    assert tick() == 0
    assert not Message.objects.filter(kind=Message.Kind.OPENED).exists()


def test_an_opened_email_stays_readable_when_its_writer_is_deleted(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    channel = pair(game, people)
    seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    play_to_the_end(game)
    tick()
    erase(people[0])
    page = page_of(signed_in(people[1]), channel)
    assert "Carla takes <strong>" in page
    assert "unchanged" in attested(page)[1]


def test_opening_it_marks_nothing_as_read_for_its_writer(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    channel, anna = pair(game, people), signed_in(people[0])
    seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    chat_services.write(seat_of(game, people[1]), "Unread by Anna", channel=channel)
    play_to_the_end(game)
    tick()
    assert re.search(r'class="new-mark"(?:(?!</li>).)*Unread by Anna', page_of(anna, channel), re.S)


def test_emails_keep_the_pace_of_messages(
    game: Game, people: list[Any], signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 1)
    chat_services.write(seat_of(game, people[0]), "The first of a while")
    sent = {"text": WORDS, "to": "table", "opens": "game"}
    refused = signed_in(people[0]).post(f"/tables/{game.table_id}/seal/", sent)
    assert (refused.status_code, "within ten minutes" in refused.content.decode()) == (429, True)


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"text": ""}, "The message is empty"),
        ({"text": "x" * 4001}, "A message can have at most 4000 characters"),
        ({"to": ""}, "Choose who will read the note."),
        ({"to": "guessed"}, "That isn’t one of the choices. Choose again."),
        ({"opens": ""}, "Choose when the note opens."),
        ({"opens": "never"}, "That isn’t one of the choices. Choose again."),
        ({"opens": "region"}, "Choose the region whose taking opens the note."),
        ({"opens": "region", "region": "atlantis"}, "can no longer be taken"),
        ({"opens": "game", "region": "{region}"}, "You chose a region"),
    ],
)
def test_what_cannot_be_sealed_is_answered_and_kept(
    game: Game, people: list[Any], signed_in: Any, chosen: dict[str, str], why: str
) -> None:
    region = takable_regions(replayed(game).state)[0]
    sent = {"text": "Kept as typed", "to": "table", "opens": "game", "region": ""} | chosen
    sent["region"] = sent["region"].format(region=region)
    answered = signed_in(people[0]).post(f"/tables/{game.table_id}/seal/", sent)
    page = answered.content.decode()
    assert (answered.status_code, why in page) == (400, True), page
    assert sent["text"] in page
    assert not SealedNote.objects.exists()


def test_a_region_that_is_taken_for_good_cannot_be_named(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    while not (taken := happened(game, RegionConquered)):
        fought = battles(game)
        play_on_until(game, lambda state, fought=fought: state.battles > fought)
    with pytest.raises(services.Refused, match="already taken"):
        seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "region", taken[0].region)
    form = signed_in(people[0]).get(f"/tables/{game.table_id}/seal/").content.decode()
    assert f'<option value="{taken[0].region}"' not in form


def test_terms_that_forbid_chat_forbid_sealing(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = pair(game, people)
    Table.objects.filter(pk=game.table_id).update(chat=Table.Chat.PUBLIC)
    with pytest.raises(services.Refused):
        seal_note(seat_of(game, people[0]), channel, WORDS, "game")
    Table.objects.filter(pk=game.table_id).update(chat=Table.Chat.NONE)
    page = signed_in(people[0]).get(f"/tables/{game.table_id}/seal/").content.decode()
    assert "allow chat during the game." in page
    assert "<textarea" not in page


def test_before_and_after_the_game_nothing_opens_an_email(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    page = signed_in(people[0]).get(f"/tables/{table.pk}/seal/").content.decode()
    assert "The game has not started" in page
    game = begin_game(people)
    play_to_the_end(game)
    sent = {"text": WORDS, "to": "table", "opens": "game"}
    over = signed_in(people[0]).post(f"/tables/{game.table_id}/seal/", sent)
    assert (over.status_code, "The game is over" in over.content.decode()) == (409, True)


def test_emails_count_among_the_messages_of_a_day(
    game: Game, people: list[Any], signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "MOST_A_DAY", 1)
    chat_services.write(seat_of(game, people[0]), "The first of today")
    sent = {"text": WORDS, "to": "table", "opens": "game"}
    refused = signed_in(people[0]).post(f"/tables/{game.table_id}/seal/", sent)
    assert (refused.status_code, "daily limit" in refused.content.decode()) == (429, True)


def test_while_hands_may_be_discarded_nothing_is_looked_at(game: Game, people: list[Any]) -> None:
    """A tick between secret answers sees the same step as everyone at the table (R17)."""
    state = play_on_until(game, lambda state: any(decision.kind == "hand" for decision in pending(state)))
    seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "battle")
    assert SealedNote.objects.get().checked_step == state.step
    assert tick() == 0


def test_an_email_in_the_hands_of_a_report_or_a_list_of_channels_is_never_its_words(
    game: Game, people: list[Any]
) -> None:
    seal_note(seat_of(game, people[0]), pair(game, people), WORDS, "game")
    sealed = Message.objects.get()
    assert (sealed.kind, sealed.text, sealed.html) == (Message.Kind.SEALED, "", "")
    assert WORDS not in str(SealedNote.objects.get())
