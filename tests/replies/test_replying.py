"""What a reply does: it plays, gives an order or writes to the chat. Otherwise it says what is possible."""

from __future__ import annotations

import itertools
import re
from datetime import timedelta
from typing import Any

import pytest

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import MOST_READ, Unreadable, receive
from games.chat.models import Message
from games.links import ANSWER_AGE, LinkedDecision, reply_address
from games.models import Game, LogEntry, StandingOrder, Table
from games.models.replay import replayed
from games.narration.orders import order_text
from games.narration.typed_names import meant
from games.orders import HOLD
from games.replies.button_names import cards_by_name
from games.rules import observe, pending
from tests.games.playing import answer, decision_of, play_until
from tests.replies.conftest import delivered, turn_email
from tests.replies.programs import gmail, reply, thunderbird_below

pytestmark = pytest.mark.django_db


def moves(game: Game) -> list[str]:
    return list(game.log.exclude(seat=None).order_by("ply").values_list("move", flat=True))


def test_a_reply_moves_once_and_its_receipt_says_so_in_the_conversation(game: Game, replied: Any) -> None:
    email = turn_email()
    assert re.fullmatch(r"reply\+[0-9a-z-]+@testserver", email.extra_headers["Reply-To"])
    assert len(email.extra_headers["Reply-To"].partition("@")[0]) <= 64
    assert "Or reply with your move, such as “" in email.body
    (receipt,) = replied(email, "Siena", Message_ID="<reply-1@example.org>")
    assert moves(game) == ["place siena"]
    assert game.log.exclude(seat=None).get().via == LogEntry.Via.EMAIL
    assert receipt.to == email.to
    assert receipt.body.startswith("You chose to fight for Siena.")
    assert "Play a card or pass." in receipt.body
    assert receipt.subject == f"Re: {email.subject}"
    assert receipt.extra_headers["In-Reply-To"] == "<reply-1@example.org>"
    assert receipt.extra_headers["References"].split()[0] == email.extra_headers["References"]
    assert receipt.extra_headers["Auto-Submitted"] == "auto-replied"
    (late,) = replied(email, "Roma")
    assert "You have already made your move for that turn." in late.body
    assert replied(email, "Lucca") == []  # told once
    assert moves(game) == ["place siena"]


def test_without_an_address_for_replies_the_email_says_that_no_one_reads_them(
    game: Game, settings: Any
) -> None:
    settings.REPLY_ADDRESS = ""
    email = turn_email()
    assert "Reply-To" not in email.extra_headers
    for body in (email.body, email.alternatives[0][0]):
        assert "No one reads replies to this email." in body


def test_what_is_no_move_is_answered_once_with_what_is_possible(game: Game, replied: Any) -> None:
    email = turn_email()
    (receipt,) = replied(email, "Hello, what <b>is</b> this?")
    assert "“Hello, what <b>is</b> this?” is not a move." in receipt.body
    assert "<b>is</b>" not in receipt.alternatives[0][0]
    assert "Nothing was changed." in receipt.body
    assert "Fight for Siena" in receipt.body
    assert replied(email, "Is anyone there?") == []
    assert moves(game) == []
    (played,) = replied(receipt, "fight for siena")
    assert "You chose to fight for Siena." in played.body


@pytest.mark.parametrize(
    "words",
    [
        "Siena, thanks!",
        "Hello, fight for Siena please",
        "  Fight for Siena  http://testserver/answer/1.0.1.1.a/confirm/?move=place+siena",
        "Fight for Siena <http://testserver/answer/1.0.1.1.a/confirm/?move=place+siena>",
        "http://testserver/answer/1.0.1.1.a/confirm/?move=place+siena",
    ],
)
def test_courtesies_and_the_link_of_a_choice_change_nothing(game: Game, replied: Any, words: str) -> None:
    replied(turn_email(), words)
    assert moves(game) == ["place siena"]


@pytest.mark.parametrize(
    "words",
    [
        "Fight for Roma http://testserver/answer/1.0.1.1.a/confirm/?move=place+siena",
        "http://testserver/answer/1.0.1.1.a/confirm/?move=place+atlantis",
        "thanks",
        "no thanks",
        "Hello Siena and Roma",
        "siena please?",
    ],
)
def test_what_could_mean_something_else_is_no_move(game: Game, replied: Any, words: str) -> None:
    replied(turn_email(), words)
    assert moves(game) == []


def test_a_message_may_follow_a_choice_that_was_copied_with_its_link(game: Game, replied: Any) -> None:
    link = "http://testserver/answer/1.0.1.1.a/confirm/?move=place+siena"
    replied(turn_email(), f"Fight for Siena\n<{link}>\n\nsay: one\n\ntwo")
    assert moves(game) == ["place siena"]
    assert Message.objects.get().text == "one\n\ntwo"


@pytest.mark.parametrize("words", ["siena?", "not siena", "siena or roma", "s", "sienna", "reply with siena"])
def test_nothing_is_guessed(game: Game, replied: Any, words: str) -> None:
    replied(turn_email(), words)
    assert moves(game) == []


def in_battle(game: Game, card: str = "") -> LinkedDecision:
    """Play until someone with this card and two Mercenaries is asked in a battle; return their decision."""

    def is_there(state: Any, decision: Any) -> bool:
        hand = observe(state, decision.seat).hand or ()
        return state.phase == "battle" and card in ("", *hand) and sum(one.isdigit() for one in hand) > 2

    state = play_until(game, is_there)
    found = next(decision for decision in pending(state) if is_there(state, decision))
    user = game.table.seats.get(number=found.seat).user_id
    assert user is not None
    return LinkedDecision(game.pk, found.seat, user, found.decision_step)


def lowest_of(game: Game, decision: LinkedDecision) -> str:
    hand = observe(replayed(game).state, decision.seat).hand or ()
    return min((card for card in hand if card.isdigit()), key=int)


def test_cards_orders_and_what_is_not_legal(game: Game, replied: Any) -> None:
    decision = in_battle(game)
    email, hand = turn_email(), observe(replayed(game).state, decision.seat).hand or ()
    missing = next(
        card for card in ("winter", "spring", "heroine", "bishop", "surrender") if card not in hand
    )
    (receipt,) = replied(email, f"Play {missing}!")
    assert "That card isn’t in your hand. Choose another." in receipt.body
    before = len(moves(game))
    card = lowest_of(game, decision)
    (receipt,) = replied(email, f"Play {card} and fight on.")
    assert f"You played {card}. Your standing order is in." in receipt.body
    assert moves(game)[before] == f"play {card}"
    order = StandingOrder.objects.filter(game=game, seat=decision.seat)
    assert order.exists() or any(via == LogEntry.Via.ORDER for via in game.log.values_list("via", flat=True))


def test_a_player_stands_aside_by_reply_now_or_after_their_move(game: Game, replied: Any) -> None:
    decision = in_battle(game)
    email = turn_email()
    replied(email, lowest_of(game, decision))
    seat = game.table.seats.get(number=decision.seat)
    assert seat.decision_step is None
    (receipt,) = replied(email, "aside")
    assert "Your standing order is in." in receipt.body
    assert "Your standing order passes for you in this battle." in " ".join(receipt.body.split())
    assert StandingOrder.objects.get(game=game, seat=decision.seat).kind == StandingOrder.Kind.ASIDE
    StandingOrder.objects.all().delete()
    decision = in_battle(game)
    receive(reply_address(decision), reply(gmail, email, "Stand aside"))
    assert game.log.get(seat=decision.seat, decision_step=decision.decision_step).move == "pass"


def test_a_player_holds_by_reply_with_a_card_or_after_it(game: Game, replied: Any) -> None:
    decision = in_battle(game)
    email, card = turn_email(), lowest_of(game, decision)
    (receipt,) = replied(email, f"{card} and hold")
    assert f"You played {card}. Your standing order is in." in receipt.body
    orders = StandingOrder.objects.filter(game=game, seat=decision.seat)
    assert orders.get().order == HOLD
    assert order_text(HOLD) in " ".join(receipt.body.split())
    orders.delete()
    (receipt,) = replied(email, "hold")
    assert "Your standing order is in." in receipt.body
    assert orders.get().order == HOLD


def test_the_name_of_a_choice_is_a_move_below_the_quote_too(game: Game) -> None:
    email = turn_email()
    assert "  Fight for Siena " in email.body
    receive(email.extra_headers["Reply-To"], reply(thunderbird_below, email, "Fight for Siena"))
    assert moves(game)[-1] == "place siena"


def test_a_reply_that_only_holds_is_no_move(game: Game, replied: Any) -> None:
    in_battle(game)
    before = moves(game)
    (receipt,) = replied(turn_email(), "hold")
    assert "“hold” is not a move." in receipt.body
    assert moves(game) == before
    assert not StandingOrder.objects.exists()


def test_a_scarecrow_is_asked_which_card_it_takes(game: Game, replied: Any) -> None:
    def has_choice(state: Any, decision: Any) -> bool:
        seen = observe(state, decision.seat)
        return sum(move.card == "scarecrow" for move in seen.legal) > 2

    play_until(game, has_choice)
    email = turn_email()
    (receipt,) = replied(email, "scarecrow")
    assert "Which card does the Scarecrow take? Nothing was changed." in receipt.body
    way = re.search(r"Reply with one of these:\s+(\S.*)", receipt.body)
    assert way is not None
    replied(receipt, way[1])
    assert game.log.exclude(seat=None).filter(via=LogEntry.Via.EMAIL).get().move.startswith("play scarecrow ")


def test_a_reply_writes_to_everyone_or_to_one_player_alone(game: Game, replied: Any) -> None:
    email = turn_email()
    token = "http://testserver/answer/1.0.1.1.aaaaaaaaaaaaaaaaaaaaaaaaaaa/"
    (receipt,) = replied(email, f"say: Good luck!\n\nSee {token}")
    assert "Your message contains text or a link from one of our emails." in receipt.body
    assert not Message.objects.exists()
    (receipt,) = replied(email, "say: Good luck!\n\nSee you on Sunday")
    assert "Your message is sent." in receipt.body
    words = Message.objects.get()
    assert words.text == "Good luck!\n\nSee you on Sunday"
    assert not words.channel.is_private
    others = [seat.user.name for seat in game.table.seats.all() if seat.person.email != email.to[0]]
    replied(email, f"To {others[0][:3]}: only you")
    private = Message.objects.get(text="only you").channel
    assert private.is_private
    assert {member.user.email for member in private.members.all()} == {
        email.to[0],
        f"{others[0].lower()}@example.org",
    }
    (receipt,) = replied(email, "to Nobody: x")
    assert "No other player here is called “Nobody”." in receipt.body
    (receipt,) = replied(email, f"siena\n\nsay: and to {others[1]}\n\nNew paragraph\n\nand another")
    assert "You chose to fight for Siena.\nYour message is sent." in receipt.body
    text = f"and to {others[1]}\n\nNew paragraph\n\nand another"
    assert Message.objects.filter(text=text).count() == 1
    Table.objects.filter(pk=game.table_id).update(chat=Table.Chat.NONE)
    (receipt,) = replied(email, "say: still here")
    assert "don’t allow chat during the game" in receipt.body
    assert Message.objects.count() == 3


@pytest.mark.parametrize("words", ["СИЕНА", "Сиен", "Walcz o region Siena!", "сразиться за регион «Сиена»"])
def test_regions_are_understood_in_every_language_of_the_site(game: Game, replied: Any, words: str) -> None:
    replied(turn_email(), words)
    assert moves(game) == ["place siena"]


@pytest.mark.parametrize("words", ["pas", "Пас.", "spasuj"])
def test_a_player_passes_in_every_language_of_the_site(game: Game, replied: Any, words: str) -> None:
    decision = in_battle(game)
    replied(turn_email(), words)
    assert game.log.get(seat=decision.seat, decision_step=decision.decision_step).move == "pass"


def test_cards_are_understood_in_every_language_of_the_site() -> None:
    known = cards_by_name()
    assert {known[name] for name in ("winter", "zima", "зима", "play winter", "zagraj karte zima")} == {
        "winter"
    }
    assert known["zagraj 10"] == known["сыграть 10"] == "10"
    for words in ("zimę", "zagraj zimę", "зиму", "play wint"):
        assert meant(words, known) == "winter"
    assert meant("епископа", known) == "bishop"
    assert meant("play 11", known) == meant("100", known) == meant("wi", known) == ""


def test_bad_mail_changes_nothing(game: Game, replied: Any, people: list[Any]) -> None:
    email = turn_email()
    address, good = email.extra_headers["Reply-To"], reply(gmail, email, "siena")
    head, _at, domain = address.partition("@")
    forged = [
        f"{head[:-1]}{'a' if head[-1] != 'a' else 'b'}@{domain}",
        f"{head}@elsewhere.example",
        domain,
        "reply@x",
    ]
    for other in forged:
        with pytest.raises(NotOurs):
            receive(other, good)
    with pytest.raises(Unreadable):
        receive(address, b"")
    deep = b"".join(
        b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (n, n) for n in range(2000)
    )
    for bad in (b"\xff\xfe\0" * 1000, b"Subject:\r\n" + b"x" * 10_000_000, deep, reply(gmail, email, "")):
        try:
            receive(address, bad)
        except Unreadable:
            continue
    delivered()
    assert replied(email, "siena", Auto_Submitted="auto-replied") == []
    assert moves(game) == []
    assert MOST_READ < 10_000_000


def test_an_address_ends_with_its_time_its_seat_and_its_account(
    game: Game, people: list[Any], dario: Any, settings: Any
) -> None:
    email = turn_email()
    address, good = email.extra_headers["Reply-To"], reply(gmail, email, "siena")
    later = clock.now() + ANSWER_AGE + timedelta(hours=2)
    with clock.use_clock(lambda: later), pytest.raises(NotOurs):
        receive(address, good)
    seat = game.table.seats.get(number=decision_of(game).seat)
    loser, seat.user = seat.user, dario
    seat.save()
    receive(address, good)
    assert moves(game) == []
    assert loser is not None
    own = LinkedDecision(game.pk, seat.number, dario.pk, decision_of(game).decision_step)
    receive(reply_address(own), reply(gmail, email, "siena"))  # sent by someone else: the address decides
    assert moves(game) == ["place siena"]


def test_a_stale_reply_says_so_and_shows_the_current_turn(game: Game, replied: Any) -> None:
    first = turn_email()
    answer(game, "place siena")
    seat = game.log.exclude(seat=None).get().seat
    play_until(game, lambda state, decision: decision.seat == seat and state.phase == "battle")
    (receipt,) = replied(first, "pass")
    assert "You have already made your move for that turn. It was not changed." in receipt.body
    assert "Play a card or pass." in receipt.body
    replied(receipt, "pass")
    assert game.log.filter(via=LogEntry.Via.EMAIL).get().move == "pass"


def test_many_replies_to_one_turn_get_few_receipts(game: Game) -> None:
    email = turn_email()
    address = email.extra_headers["Reply-To"]
    for number in range(15):
        receive(address, reply(gmail, email, f"to Nobody{number}: x", only="text"))
    assert OutgoingEmail.objects.filter(kind="reply_receipt").count() == 10
    receive(address, reply(gmail, email, "siena"))
    assert moves(game) == ["place siena"]
    assert "You chose to fight for Siena." in "".join(one.body for one in delivered())


def test_two_programs_that_answer_each_other_come_to_an_end(game: Game, replied: Any) -> None:
    email, count = turn_email(), itertools.count()
    sent = [email]
    while sent and next(count) < 20:
        sent = replied(sent[0], f"I am away until Monday ({next(count)}).")
    assert sent == []


def test_a_reply_is_taken_while_the_mail_server_is_down(game: Game, replied: Any, settings: Any) -> None:
    email = turn_email()
    settings.EMAIL_BACKEND = "accounts.mail.smtp_connection.Smtp"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", 9, 1
    replied(email, "siena")
    assert moves(game) == ["place siena"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    from accounts.mail.models import MailServerHealth

    MailServerHealth.objects.all().delete()
    assert [one.body for one in delivered() if one.body.startswith("You chose to fight for Siena.")]
