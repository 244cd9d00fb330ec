"""A person's export of chat, and what stays when their account is deleted."""

import json
from typing import Any

import pytest

from accounts.models import Block
from condottiere_site.privacy import erase as delete_account
from condottiere_site.privacy import everything_about
from games.chat import privacy
from games.chat.models import (
    Ban,
    Channel,
    ChannelReadMarker,
    Deal,
    DealParty,
    DealPromise,
    Member,
    Message,
    Mute,
    Report,
    SealedNote,
    ShownCards,
    Verdict,
)
from games.chat.services import begin_channel, write
from games.chat.services.sealed_notes import digest_of
from games.models import Game, Table
from tests.chat.chatting import chat_emails
from tests.games.playing import begin_game, play_to_the_end

pytestmark = pytest.mark.django_db

TAKEN = "(removed by its author)"


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def seats(table: Table) -> list[Any]:
    return list(table.seats.select_related("user").order_by("number"))


def everything_said(game: Game) -> Message:
    """Bruno, then Anna, write messages of every kind; Bruno's private message is answered."""
    anna, bruno, _carla = seats(game.table)
    among = begin_channel(bruno, [anna])
    message = write(bruno, "Bruno's own *words*", channel=among)
    write(anna, "Anna's own words", channel=among)
    for user, number, words in ((bruno.user, 3, "Bruno's"), (anna.user, 4, "Anna's")):
        said = {"channel": among, "author": user}
        shown = Message.objects.create(**said, number=number * 10, kind=Message.Kind.SHOWN)
        ShownCards.objects.create(message=shown, game=game, seat=1, cards=["winter"], ply=5, step=4)
        sealed = Message.objects.create(**said, number=number * 10 + 1, kind=Message.Kind.SEALED)
        SealedNote.objects.create(
            message=sealed, game=game, opens="game", text=f"{words} sealed note", salt="ab" * 16,
            digest="cd" * 32, made_ply=1, checked_step=1,
        )  # fmt: skip
        deal = Deal.objects.create(
            channel=among, game=game, number=number, author=user, text=f"{words} deal", html="<p>x</p>"
        )
        DealParty.objects.create(deal=deal, user=user, seat=1, answer="accepted")
        promise = DealPromise.objects.create(deal=deal, seat=1, kind="no attack", region="siena")
        Verdict.objects.create(promise=promise, seat=1, says="kept")
        Mute.objects.create(table=game.table, by=user, whom=people_other(user, anna, bruno))
        Block.objects.create(by=user, whom=people_other(user, anna, bruno))
        Ban.objects.create(table=game.table, whom=user, by=anna.user, reason=f"{words} ban")
        Report.objects.create(
            message=message, by=user, reason="insult", words=f"{words} report",
            context=[
                {"name": "Bruno", "user": bruno.user_id, "text": "Bruno's own *words*", "says": ""},
                {"name": "Anna", "user": anna.user_id, "text": "Anna's own words", "says": "Bruno asked."},
            ],
        )  # fmt: skip
    return message


def people_other(user: Any, anna: Any, bruno: Any) -> Any:
    return anna.user if user == bruno.user else bruno.user


def test_the_export_holds_ones_own_messages_and_no_one_elses(table: Table, people: list[Any]) -> None:
    anna, bruno, _carla = seats(table)
    write(anna, "Mine, *all* mine")
    write(bruno, "Somebody else's")
    exported = privacy.export(people[0])
    assert [message["text"] for message in exported["messages"]] == ["Mine, *all* mine"]
    assert exported["messages"][0]["table"] == "Table 42"


def test_everyones_export_keeps_each_message_they_wrote(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = seats(game.table)
    for seat in (anna, bruno, carla):
        write(seat, f"{seat.person.name} to all")
    for one, other in ((anna, bruno), (bruno, carla)):
        among = begin_channel(one, [other])
        for seat in (one, other):
            write(seat, f"{seat.person.name} to one other", channel=among)
    play_to_the_end(game)
    write(carla, "Carla after the game")
    for seat in (anna, bruno, carla):
        told = signed_in(seat.person).post("/me/export/").json()
        exported = [(one["channel"], one["text"]) for one in told["messages"]]
        written = Message.objects.filter(author=seat.person, kind=Message.Kind.WORDS).order_by("pk")
        assert exported == [(one.channel.slug or one.channel.kind, one.text) for one in written]
        assert len(exported) == {anna: 2, bruno: 3, carla: 3}[seat]


def test_the_export_holds_all_of_ones_own_and_no_one_elses_words(game: Game, people: list[Any]) -> None:
    everything_said(game)
    exported = privacy.export(people[1])
    told = json.dumps(exported, default=str)
    for words in ("own *words*", "sealed note", "deal", "report"):
        assert f"Bruno's {words}" in told
        assert f"Anna's {words}" not in told
    assert "Anna's own words" not in told
    assert "Bruno's ban" in told
    assert "Anna's ban" not in told
    assert exported["cards_shown"] == [{"game": game.pk, "cards": ["winter"], "step": 4}]
    assert exported["deals_answered"][0]["promises"] == [["no attack", "siena", "open"]]
    assert exported["deals_answered"][0]["verdicts"][0][0] == "kept"
    assert [channel["channel"] for channel in exported["channels"]] == [
        Channel.objects.get(kind="private").slug
    ]
    assert all(exported.values()) or [key for key, value in exported.items() if not value] == ["bans_by_me"]
    json.dumps(everything_about(people[1]), default=str)


def test_someone_who_is_deleted_is_a_former_player_whose_words_stay(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    write(table.seats.select_related("user").get(user=people[1]), "I was here")
    privacy.erase(people[1])
    page = signed_in(people[0]).get(f"/tables/{table.pk}/chat/").content.decode()
    assert "I was here" in page
    assert "a former player" in page
    assert "Bruno" not in page
    assert not any(privacy.export(people[1]).values())
    assert Message.objects.get().author is None
    assert {email.subject for email in chat_emails()} >= {"Chat (A former player): Table 42"}


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Al asked Alice.", "[…] asked Alice."),
        ("Alice, Al and Pascal", "Alice, […] and Pascal"),
        ("Al: yes", "[…]: yes"),
        ("Al-Karim met Al's bot", "Al-Karim met […]'s bot"),
    ],
)
def test_a_deleted_name_is_replaced_only_as_a_whole_word(
    game: Game, people: list[Any], said: str, left: str
) -> None:
    people[1].name = "Al"
    people[1].save()
    message = everything_said(game)
    line = {"name": "Anna", "user": people[0].pk, "text": "", "says": said}
    Report.objects.filter(message=message).update(context=[line])
    privacy.erase(people[1])
    assert {report.context[0]["says"] for report in Report.objects.all()} == {left}


def test_a_deleted_account_leaves_a_thread_that_can_be_read_and_nothing_that_names_them(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    message = everything_said(game)
    path = f"/tables/{game.table_id}/chat/{message.channel.slug}/"
    delete_account(people[1])
    page = signed_in(people[0]).get(path).content.decode()
    assert "own <em>words</em>" in page
    assert "a former player" in page
    assert "Bruno </strong>" not in page.replace("<", " <")
    mine = people[1].pk
    for model, field in (
        (ChannelReadMarker, "user"),
        (Mute, "by"),
        (Mute, "whom"),
        (Block, "by"),
        (Block, "whom"),
    ):
        assert not model.objects.filter(**{field: mine}).exists(), (model, field)
    for model, field in (
        (Message, "author"), (Deal, "author"), (Member, "user"), (DealParty, "user"), (Report, "by"),
        (Ban, "by"),
    ):  # fmt: skip
        assert not model.objects.filter(**{field: mine}).exists(), (model, field)
    assert str(mine) not in Channel.objects.get(pk=message.channel_id).people_key.split(",")
    for report in Report.objects.all():
        assert [line["name"] for line in report.context] == ["", "Anna"]
        assert report.context[0]["user"] is None
        assert report.context[1]["says"] == "[…] asked."


def test_notes_that_are_sealed_still_are_emptied_and_others_stay(game: Game, people: list[Any]) -> None:
    everything_said(game)
    delete_account(people[1])
    assert sorted(SealedNote.objects.values_list("text", flat=True)) == ["", "Anna's sealed note"]


def test_words_stay_unless_their_writer_takes_them_out(game: Game, people: list[Any], signed_in: Any) -> None:
    message = everything_said(game)
    path = f"/tables/{game.table_id}/chat/{message.channel.slug}/"
    delete_account(people[1], with_words=True)
    message.refresh_from_db()
    assert (message.text, message.html.strip()) == (TAKEN, f"<p>{TAKEN}</p>")
    page = signed_in(people[0]).get(path).content.decode()
    assert TAKEN in page
    assert "own words" in page  # Anna's
    left = json.dumps([*Message.objects.values("text", "html"), *Deal.objects.values("text", "html")])
    assert "Bruno's" not in left
    assert "Anna's deal" in left
    assert [line["text"] for line in Report.objects.first().context] == [TAKEN, "Anna's own words"]


def test_an_opened_email_whose_words_were_taken_out_is_not_called_a_forgery(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    _anna, bruno, _carla = seats(game.table)
    channel = write(bruno, "Listen").channel
    sealed = Message.objects.create(channel=channel, number=2, author=people[1], kind=Message.Kind.SEALED)
    opened = Message.objects.create(
        channel=channel,
        number=3,
        author=people[1],
        kind=Message.Kind.OPENED,
        text="I knew",
        html="<p>I knew</p>",
    )
    SealedNote.objects.create(
        message=sealed, opened=opened, opened_at=opened.written_at, game=game, opens="game", salt="ab" * 16,
        digest=digest_of("ab" * 16, "I knew"), made_ply=1, checked_step=1,
    )  # fmt: skip
    Channel.objects.filter(pk=channel.pk).update(newest=3)
    path = f"/tables/{game.table_id}/chat/"
    assert "This is the text that was sealed" in signed_in(people[0]).get(path).content.decode()
    delete_account(people[1], with_words=True)
    page = signed_in(people[0]).get(path).content.decode()
    assert "I knew" not in page
    assert "Its author removed the text." in page
    assert "the text that was sealed" not in page


def test_the_box_on_the_page_of_deletion_takes_the_words_out(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    for ticked, person in ((True, people[1]), (False, people[2])):
        write(table.seats.select_related("user").get(user=person), f"Said by {person.name}")
        client = signed_in(person)
        page = client.get("/me/delete/")
        assert "Also remove the text of my messages" in page.content.decode()
        form = {"email": person.email, "token": page.context["token"]} | ({"words": "on"} if ticked else {})
        client.post("/me/delete/", form)
    assert [message.text for message in Message.objects.order_by("pk")] == [TAKEN, "Said by Carla"]


def test_a_wrong_address_keeps_the_box_as_it_was_ticked(anna: Any, signed_in: Any) -> None:
    page = signed_in(anna).post("/me/delete/", {"email": "x", "words": "on"}).content.decode()
    assert 'name="words" checked' in page


def test_the_privacy_page_says_what_is_kept(client: Any) -> None:
    page = client.get("/privacy/").content.decode()
    assert "You can also remove their text then" in page
    assert "Operators keep a message that someone reported" in page
