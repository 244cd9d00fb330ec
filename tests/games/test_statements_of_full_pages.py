"""What more a game page asks of the database when more has happened at its table: per kind, never per row."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts import clock
from games import services
from games.chat.models import Ban, SealedNote, ShownCards
from games.chat.services import begin_channel, write
from games.chat.services.moderation import ban, mute
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import hand_of, show_cards
from games.models import Game, Note, SeatChange, TimeEvent
from games.models.replay import replayed
from games.rules import Phase
from tests.chat.dealing import channel_of, proposed_to, seat_of
from tests.games.playing import begin_game, decision_of, play_until
from tests.games.test_statements import PAGE, WITH_MESSAGES, read
from tests.matches.playing import begin_match

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

MOST = 11  # on a visit to which everything is new that tables usually have


class AtTable:
    """A game in its first battle, the player who is asked, and what the others do."""

    def __init__(self, game: Game) -> None:
        play_until(game, lambda state, decision: decision.kind == Phase.BATTLE and state.ply > 8, seed=3)
        self.game, self.table = game, game.table
        self.me = self.table.seats.get(number=decision_of(game).seat).person
        self.others = [seat.person for seat in self.table.seats.exclude(user=self.me)]
        self.times = 0

    def say(self) -> None:
        for person in (self.me, *self.others):
            write(seat_of(self.table, person), "I leave Siena to you.")

    def whisper(self) -> None:
        """Each of the others has a private channel with the player."""
        me = seat_of(self.table, self.me)
        for seat in (seat_of(self.table, person) for person in self.others):
            write(seat, "Only between us.", channel=begin_channel(seat, [me]))

    def whisper_apart(self) -> None:
        """The others have a private channel without the player."""
        seats = [seat_of(self.table, person) for person in self.others]
        write(seats[0], "Without you.", channel=begin_channel(seats[0], seats[1:]))

    def mute_the_player(self) -> None:
        for person in self.others:
            mute(seat_of(self.table, person), self.me)

    def give_time(self) -> None:
        TimeEvent.objects.create(
            game=self.game,
            kind="extended",
            ply=5,
            by=self.others[0],
            at=clock.now(),
        )

    def change_hands(self) -> None:
        """A bot plays for someone, then someone else takes the seat."""
        seat, who = seat_of(self.table, self.others[0]).number, self.others
        TimeEvent.objects.create(game=self.game, kind="stood in", ply=5, seat=seat, at=clock.now())
        SeatChange.objects.create(
            game=self.game, seat=seat, ply=6, before=who[1], after=who[0], at=clock.now()
        )

    def propose_to_end(self) -> None:
        services.propose_end(seat_of(self.table, self.others[0]), self.game, "none")

    def propose_a_time(self) -> None:
        self.times += 1
        start = clock.now() + timedelta(days=self.times)
        times = [(start, start + timedelta(hours=1))]
        services.propose_hours(seat_of(self.table, self.others[0]), times, is_weekly=False)

    def offer_a_seat(self) -> None:
        services.hand_over(seat_of(self.table, self.me), "new@example.org")

    def note(self) -> None:
        Note.objects.get_or_create(game=self.game, user=self.me, text="Watch Siena.")

    def mute(self) -> None:
        mute(seat_of(self.table, self.me), self.others[0])

    def ban(self) -> None:
        ban(self.table, self.others[1 + Ban.objects.count()], self.me, "Rude.", None)

    def deal(self) -> None:
        self.times += 1
        public, text = channel_of(self.table), f"I help you, {self.times}."
        proposed_to(self.table, self.others[0], self.me, channel=public, text=text)

    def seal(self) -> None:
        self.times += 1
        seat, public = seat_of(self.table, self.others[0]), channel_of(self.table)
        seal_note(seat, public, f"It is {self.times}.", SealedNote.Opens.GAME)

    def show(self) -> None:
        seat = seat_of(self.table, self.others[0])
        cards = hand_of(replayed(self.game).state, seat)[: 1 + ShownCards.objects.count()]
        show_cards(seat, cards, channel_of(self.table))


@pytest.fixture
def sitters(people: list[Any], dario: Any) -> list[Any]:
    return [*people, dario]


def opened(at_table: AtTable, signed_in: Any) -> Client:
    client: Client = signed_in(at_table.me)
    return client


def test_a_visit_to_which_everything_is_new(sitters: list[Any], signed_in: Any) -> None:
    """The first one, in a first game, with messages in the public channel and in private ones."""
    at_table = AtTable(begin_game(sitters, pace="day"))
    at_table.say()
    at_table.whisper()
    found = read(opened(at_table, signed_in), at_table.game)
    assert len(found) == MOST, found


def test_a_later_visit_with_new_messages(sitters: list[Any], signed_in: Any) -> None:
    at_table = AtTable(begin_game(sitters, pace="day"))
    at_table.say()
    client = opened(at_table, signed_in)
    read(client, at_table.game)
    at_table.say()
    found = read(client, at_table.game)
    assert len(found) == WITH_MESSAGES + 1, found


def test_a_match(sitters: list[Any], signed_in: Any) -> None:
    """Its games are read for its standings."""
    at_table = AtTable(begin_match(sitters, 50, pace="day"))
    client = opened(at_table, signed_in)
    read(client, at_table.game)
    found = read(client, at_table.game)
    assert len(found) == PAGE + 1, found


@pytest.mark.parametrize(("chat", "fewer"), [("public", 0), ("between", 1), ("none", 1)])
def test_where_the_chat_is_closed(sitters: list[Any], signed_in: Any, chat: str, fewer: int) -> None:
    """No one asks who is banned; the page knows from its game that a battle is going on."""
    at_table = AtTable(begin_game(sitters, pace="day", chat=chat))
    client = opened(at_table, signed_in)
    read(client, at_table.game)
    found = read(client, at_table.game)
    assert len(found) == PAGE - fewer, found


# How many statements each adds to a page of its table, however often it happens.
MORE: dict[Callable[[AtTable], None], int] = {
    AtTable.whisper: 0,
    AtTable.whisper_apart: 0,
    AtTable.mute_the_player: 0,
    AtTable.note: 0,
    AtTable.mute: 0,
    AtTable.give_time: 1,
    AtTable.change_hands: 1,
    AtTable.propose_to_end: 1,
    AtTable.propose_a_time: 2,  # and the answers
    AtTable.offer_a_seat: 1,
    AtTable.ban: 1,
    AtTable.seal: 1,
    AtTable.show: 1,
    AtTable.deal: 3,  # with their parties and promises
}


def test_what_more_a_page_reads(sitters: list[Any], signed_in: Any) -> None:
    at_table, counts = AtTable(begin_game(sitters, pace="day")), {}
    at_table.say()
    client, before = opened(at_table, signed_in), WITH_MESSAGES
    for happens in MORE:
        once, twice = (_count_after(happens, at_table, client) for _time in range(2))
        assert once == twice, happens
        counts[happens], before = once - before, once
    assert counts == MORE


def _count_after(happens: Callable[[AtTable], None], at_table: AtTable, client: Client) -> int:
    """Return the statements of a page once this has happened, on the visit after the one that reads of it."""
    happens(at_table)
    read(client, at_table.game)
    return len(read(client, at_table.game))
