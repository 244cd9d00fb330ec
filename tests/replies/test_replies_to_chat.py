"""Replies to emails about the chat: what they say goes to that channel, once, and to no other."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from accounts.mail.receiving import NotOurs, receive
from games.chat.models import Message
from games.chat.services import begin_channel, write
from games.models import Game, LogEntry, Seat, Table
from tests.chat.chatting import chat_emails
from tests.games.playing import play_to_the_end
from tests.replies.conftest import delivered
from tests.replies.programs import PROGRAMS, gmail, reply, thunderbird_below

pytestmark = pytest.mark.django_db


def seat_of(game: Game, person: Any) -> Seat:
    return game.table.seats.select_related("user", "table").get(user=person)


def email_to(person: Any) -> Any:
    """Return the email about the chat that leaves now to this person."""
    return next(email for email in chat_emails() if email.to == [person.email])


def answered(email: Any, words: str, program: Any = gmail, **how: Any) -> Any:
    """Reply to an email, twice, as mail servers may; return the one receipt, or None."""
    source = reply(program, email, words, **how)
    for _time in range(2):
        receive(email.extra_headers["Reply-To"], source)
    found = [one for one in delivered() if one.subject.startswith("Re: ")]
    assert len(found) <= 1
    return found[0] if found else None


def said() -> list[tuple[str, str]]:
    """Return who wrote what, in the order in which it was written."""
    return [(one.author.name, one.text) for one in Message.objects.select_related("author").order_by("pk")]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("only", ["text", "html", ""])
def test_a_reply_is_a_message_to_the_same_channel(
    game: Game, anna: Any, bruno: Any, program: Any, only: str
) -> None:
    write(seat_of(game, anna), "I leave Siena to you, if you leave Ancona to me.")
    receipt = answered(email_to(bruno), "Agreed.\n\nBut only this time.", program, only=only)
    assert said()[1:] == [("Bruno", "Agreed.\n\nBut only this time.")]
    assert "Your message is sent." in receipt.body
    assert "    Agreed.\n\n    But only this time." in receipt.body
    assert "Reply-To" not in receipt.extra_headers


def test_the_email_says_that_it_can_be_replied_to(game: Game, anna: Any, bruno: Any, settings: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    assert "Or reply to this email: what you write goes to this chat." in email.body
    settings.REPLY_ADDRESS = ""
    write(seat_of(game, anna), "Hello again")
    email = email_to(bruno)
    assert "Reply-To" not in email.extra_headers
    for body in (email.body, email.alternatives[0][0]):
        assert "No one reads replies to this email." in body


def test_a_reply_to_a_private_chat_stays_private(game: Game, anna: Any, bruno: Any, carla: Any) -> None:
    channel = begin_channel(seat_of(game, anna), [seat_of(game, bruno)])
    write(seat_of(game, anna), "Carla is too strong.", channel=channel)
    for words in ("She is.", "say: Let’s stop her."):
        answered(email_to(bruno), words)
        write(seat_of(game, anna), "Go on.", channel=channel)
    assert set(Message.objects.values_list("channel", flat=True)) == {channel.pk}  # the one with a slug
    assert ("Bruno", "Let’s stop her.") in said()
    assert not [email for email in chat_emails() if email.to == [carla.email]]


def test_a_reply_may_name_whom_it_is_for(game: Game, anna: Any, bruno: Any, carla: Any) -> None:
    write(seat_of(game, anna), "Hello, all")
    receipt = answered(email_to(bruno), "to Carla: Anna is too strong.")
    channel = Message.objects.get(text="Anna is too strong.").channel
    assert channel.is_private
    assert {member.user for member in channel.members.all()} == {bruno, carla}
    assert "Your message is sent." in receipt.body
    write(seat_of(game, anna), "Hello again")
    assert "called “Dario”. Nothing was sent." in answered(email_to(bruno), "to Dario: Hello").body
    assert len(said()) == 3


def test_a_reply_may_repeat_what_others_wrote(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Good luck, have fun, everyone!")
    answered(email_to(bruno), "Good luck, have fun, everyone!")
    write(seat_of(game, anna), "I leave Siena to you, if you leave Ancona and Urbino to me.")
    words = "You say you leave Siena to you, if you leave Ancona and Urbino to me?\nNo."
    answered(email_to(bruno), words)
    assert [text for name, text in said() if name == "Bruno"] == ["Good luck, have fun, everyone!", words]


def test_a_move_in_the_wrong_place_is_neither_played_nor_told(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, bruno), "Which one?")
    email = email_to(anna)
    receipt = answered(email, "Siena")
    assert "“Siena” could be your move" in receipt.body
    assert len(said()) == 1
    assert not game.log.filter(via=LogEntry.Via.EMAIL).exists()
    answered(email, "say: Siena")
    assert said()[1:] == [("Anna", "Siena")]
    write(seat_of(game, anna), "And you?")
    answered(email_to(bruno), "Siena")  # Bruno is not asked
    assert said()[-1] == ("Bruno", "Siena")


def test_without_words_above_the_quote_nothing_is_sent(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    for program in (gmail, thunderbird_below):
        assert "no words of yours" in answered(email, "", program).body
    assert len(said()) == 1


def test_between_the_lines_of_a_quote_nothing_is_read(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Will you leave Siena?\n\nAnd Roma, which is far from you?")
    words = "\n> Will you leave Siena?\n\nYes.\n\n> And Roma, which is far from you?\n\nNo."
    assert "no words of yours" in answered(email_to(bruno), words).body
    assert len(said()) == 1


def test_below_a_quote_no_link_gets_into_the_chat(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    link = next(word for word in email.body.split() if "/chat/" in word)
    assert "contains text or a link" in answered(email, f"Look:\n\n{link}", thunderbird_below).body
    assert len(said()) == 1


def test_no_link_of_an_email_gets_into_the_chat(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    link = next(word for word in email.body.split() if "/chat/" in word)
    assert "Nothing was sent." in " ".join(answered(email, f"Look: {link}").body.split())
    assert len(said()) == 1


def test_why_nothing_could_be_written_is_said(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    Table.objects.filter(pk=game.table_id).update(chat=Table.Chat.NONE)
    assert "settings don’t allow chat" in " ".join(answered(email, "Hello, Anna").body.split())
    assert len(said()) == 1


def test_refused_replies_are_answered_ten_times_a_day(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    answers = [answered(email, f"to Nobody{number}: Hello") for number in range(12)]
    assert sum(one is not None for one in answers) == 10
    assert OutgoingEmail.objects.filter(kind="chat_receipt").count() == 10


def test_without_a_seat_one_writes_nothing(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    email = email_to(bruno)
    Seat.objects.filter(user=bruno).update(user=None)
    assert answered(email, "Hello, Anna") is None
    assert len(said()) == 1


def test_an_address_for_one_purpose_is_none_for_another(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    name, _at, domain = email_to(bruno).extra_headers["Reply-To"].partition("@")
    with pytest.raises(NotOurs):
        receive(f"{name[:-1]}{'a' if name[-1] != 'a' else 'b'}@{domain}", b"Subject: x\n\nHello")
    assert len(said()) == 1


def test_automatic_answers_write_nothing(game: Game, anna: Any, bruno: Any) -> None:
    write(seat_of(game, anna), "Hello")
    assert answered(email_to(bruno), "I am away.", Auto_Submitted="auto-replied") is None
    assert len(said()) == 1


def test_a_reply_to_the_chat_after_the_game_goes_there(game: Game, anna: Any, bruno: Any) -> None:
    play_to_the_end(game, seed=1)
    delivered()
    seat = seat_of(Game.objects.get(pk=game.pk), anna)
    write(seat, "Well played!")
    answered(email_to(bruno), "You, too.")
    assert [one.channel.is_epilogue for one in Message.objects.filter(author__isnull=False)] == [True, True]
