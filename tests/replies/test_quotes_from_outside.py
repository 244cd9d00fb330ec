"""Replies that quote emails of the site: what reaches others, and what is kept to know their words."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any

import pytest

from accounts import clock
from accounts.mail import privacy
from accounts.mail.models import SentWords
from accounts.mail.outbox import queue
from accounts.mail.receiving import receive
from accounts.mail.sent_words import SHORTEST, finder, hashes, letters
from games.chat.models import Message
from games.links import ANSWER_AGE, digests_to, list_of
from games.models import Game, Seat, Table
from games.models.replay import replayed
from games.rules import observe
from games.services.notifications import decision_key
from tests.games.playing import begin_game, play_until
from tests.replies.conftest import delivered, turn_email
from tests.replies.quoting import html_as_text, prefixed, wrapped
from tests.replies.test_replying import in_battle

pytestmark = pytest.mark.django_db

HEAD = "Fra: Condottiere\nSendt: 23. november 2026 14:00\nTil: Anna\nEmne: Your turn\n\n"


def send(email: Any, text: str, subtype: str = "plain") -> list[Any]:
    """Reply to an email with this text, as it is; return the receipts."""
    message = EmailMessage()
    message["From"], message["Message-ID"] = email.to[0], make_msgid(domain="example.org")
    message.set_content(text, subtype=subtype)
    receive(email.extra_headers["Reply-To"], message.as_bytes())
    return [email for email in delivered() if email.subject.startswith("Re: ")]


def sent() -> list[str]:
    return list(Message.objects.order_by("pk").values_list("text", flat=True))


@pytest.mark.parametrize("head", [HEAD, ""], ids=["a head", "no head"])
def test_the_smallest_reply_that_quotes_a_receipt_without_marks(game: Game, head: str) -> None:
    in_battle(game)
    (receipt,) = send(turn_email(), "what is this?")
    assert "Play " in receipt.body
    send(receipt, f"say: hi\n\n{head}{receipt.body}")
    assert sent() == ["hi"]


@pytest.mark.parametrize("begin", ["say: ", "to Bruno: ", "pass\n\nsay: "])
def test_no_message_quotes_its_email_to_anyone(game: Game, people: list[Any], begin: str) -> None:
    play_until(game, lambda state, decision: state.phase == "battle" and decision.seat == 0)
    email = next(one for one in delivered() if one.to == [people[0].email])
    html = email.alternatives[0][0]
    as_text = html_as_text(html, " [{}]", "[{}]", "\t")
    for text in (email.body, as_text, wrapped(prefixed(email.body, "Anna: "), 40)):
        send(email, f"{begin}hi\n\n{text}")
    send(email, f"<p>{begin.strip()} hi</p><br><br>{html}", "html")
    assert set(sent()) == {"hi"}


def test_an_older_email_is_known_after_all_has_changed(game: Game, people: list[Any], settings: Any) -> None:
    older = turn_email()
    reader = next(one for one in people if one.email == older.to[0])
    number = game.table.seats.get(user=reader).number
    play_until(game, lambda state, decision: state.phase == "battle" and decision.seat == number)
    newer = next(one for one in delivered() if one.to == older.to)
    settings.SITE_NAME = "Another name"
    reader.language = "pl"
    for one in people:
        one.name = f"{one.name} Nuova"
        one.save()
    Table.objects.filter(pk=game.table_id).update(name="The last table")
    for words, quoted in (("one", newer), ("two", older)):
        send(newer, f"say: {words}\n\n{quoted.body}")
    assert sent() == ["one", "two"]


def test_a_digest_of_several_games_is_known(game: Game, people: list[Any]) -> None:
    games = [game, begin_game(people, name="Table 43")]
    for one in games:
        play_until(one, lambda state, decision: state.phase == "battle" and decision.seat == 0)
    email = [one for one in delivered() if one.to == [people[0].email]][-1]
    seats = Seat.objects.waiting_for(people[0])
    decisions = {decision_key(one.game_pk, 0, one.decision_step): True for one in seats}
    queue("waiting", to=people[0], key="waiting", context={"questions": decisions})
    digest = next(one for one in delivered() if "2 games" in one.subject)
    send(email, f"say: hi\n\n{digest.body}")
    assert sent() == ["hi"]


@pytest.mark.parametrize(
    "words",
    [
        "I have 3, 3 and a Drummer",
        "Play 10 if you dare",
        "Your hand: must be bad",
        "hi\n\nYour hand: must be bad\nPlay 10 if you dare",
        "what is this, and why is it not played at all, my dear friends?",
        "Bruno and Carla",
    ],
)
def test_what_people_write_themselves_goes_through(game: Game, words: str) -> None:
    in_battle(game)
    email = turn_email()
    (receipt,) = send(email, "what is this, and why is it not played at all, my dear friends?")
    send(receipt, f"say: {words}")
    assert sent() == [words]


def test_words_of_an_email_among_ones_own_are_refused(game: Game) -> None:
    in_battle(game)
    email = turn_email()
    hand = next(line for line in email.body.splitlines() if line.startswith("Your hand: "))
    news = next(line for line in email.body.splitlines() if "Opening a link changes" in line)
    link = next(word for word in email.body.split() if "/answer/" in word)
    for words in (
        f"say: he wrote {news} {hand} to me",
        f"say: hi\n{hand}\nwhat now?",
        f"say: look at {link}",
        f"say: a\n{link[:30]}\n{link[30:]}\nb",
    ):
        (receipt,) = send(email, words)
        assert "Your message contains text or a link from one of our emails." in receipt.body
    assert sent() == []


def test_what_is_kept_of_an_email_is_small_and_holds_no_hand(game: Game, people: list[Any]) -> None:
    in_battle(game)
    email = turn_email()
    reader = next(one for one in people if one.email == email.to[0])
    row = SentWords.objects.filter(to_user=reader).latest("pk")
    assert row.thread == list_of(game)
    assert 1000 < len(row.hashes) < 12_000
    seat = game.table.seats.get(user=reader)
    assert observe(replayed(game).state, seat.number).hand
    other = next(one for one in people if one != reader)
    piece = letters(email.body)[:SHORTEST]
    assert hashes(reader.pk, [piece])[piece] in bytes(row.hashes)
    assert hashes(other.pk, [piece])[piece] not in bytes(row.hashes)


def test_what_is_kept_goes_with_the_address_the_account_and_replies(
    game: Game, people: list[Any], settings: Any
) -> None:
    email = turn_email()
    reader = next(one for one in people if one.email == email.to[0])
    kept = SentWords.objects.filter(to_user=reader)
    assert kept.count() == len(privacy.export(reader)["emails_recognised_in_replies"]) == 1
    expires = clock.now() + ANSWER_AGE
    for moment, count in ((expires - timedelta(hours=1), 1), (expires + timedelta(hours=1), 0)):
        with clock.use_clock(lambda moment=moment: moment):
            privacy.delete_old_emails()
        assert kept.count() == count
    settings.REPLY_ADDRESS = ""
    in_battle(game)
    turn_email()
    assert not SentWords.objects.exists()


def test_erasing_an_account_deletes_what_is_kept_of_its_emails(game: Game, people: list[Any]) -> None:
    delivered()
    assert SentWords.objects.filter(to_user=people[0]).exists()
    privacy.erase(people[0])
    assert set(SentWords.objects.values_list("to_user", flat=True)) == {one.pk for one in people[1:]}


def test_emails_to_other_people_and_about_other_games_are_not_searched(game: Game, people: list[Any]) -> None:
    delivered()
    find = finder(people[0], [list_of(game), digests_to(people[0].pk)])
    text = letters("keep this commitment. After the game, anyone can check every shuffle against it:")
    assert find([text]) == [[(0, len(text))]]
    assert finder(people[0], ["game-0"])([text]) == [[]]
