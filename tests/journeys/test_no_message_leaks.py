"""Messages that a reader may not read, and standing orders of others, change no byte that they get.

One table, told in three ways that a reader cannot tell apart: in the channels that are closed to them nothing
was said, or a word, or much, with cards shown, emails sealed and deals made; and no one else has given a
standing order, or all who can, of either kind. All that they can ask for, and every email to them, stays the
same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail, OutgoingEmail, SentWords
from accounts.models import User
from condottiere_site.api_requests import Limits
from condottiere_site.privacy import everything_about
from games import services
from games.chat import thread
from games.chat.links import chat_token
from games.chat.models import (
    EPILOGUE,
    Channel,
    ChannelReadMarker,
    Deal,
    DealParty,
    DealPromise,
    Member,
    Message,
    SealedNote,
    ShownCards,
    people_key,
)
from games.chat.services import channels, messages
from games.chat.services.messages import add
from games.chat.text import rendered
from games.links import LinkedDecision, answer_token, chronicle_token
from games.models import ReadMarker, Seat, StandingOrder, Table
from games.models.replay import replayed
from games.orders import Aside, suggested
from games.rules import observe, pending
from games.views.page_version import NO_SEAT, Viewer, ViewerKind, live_token
from tests.access.world import addresses
from tests.api.asking import Program
from tests.api.harmless import harmless_answers
from tests.games.playing import answer, begin_game, legal_texts, play_to_the_end

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture(autouse=True)
def no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs ask here more often than people's."""
    for limits in ("WITH_TOKEN", "WITHOUT_TOKEN"):
        monkeypatch.setattr(f"condottiere_site.api_requests.{limits}", Limits(10**9, 10**9))


BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
TALKED = BEGAN + timedelta(hours=6)
LOOKED = BEGAN + timedelta(days=2)
TELLINGS = ("nothing", "a word", "much")
DRAWN = re.compile(rb'name="(csrfmiddlewaretoken|form_key)" value="[\w-]+"|={10,}\d+==')
MOST_CHANNELS = 3  # for the test: fewer than there are where much is said
NAMES = ("anna", "bruno", "carla", "dario")
PRIVATE = {  # by their addresses
    "annabruno": ("anna", "bruno"),
    "brunodario": ("bruno", "dario"),
    "allbutcarla": ("anna", "bruno", "dario"),
    "annacarla": ("anna", "carla"),
    "annadario": ("anna", "dario"),
}
SLUGS = (*PRIVATE, EPILOGUE, "guessed")
ONE_OF_EACH_KIND = ("allbutcarla", "annacarla")
# Addresses that do something else than show a page of this site to anyone who asks.
LEFT_OUT = re.compile(
    r"^(admin:|account_|mfa_|usersessions|operator|socialaccount|rules|practice|health|new_table)"
)


@dataclass
class Visitor:
    """A reader, and the channels that they may read."""

    name: str
    client: Client
    person: User | None
    reads: frozenset[str]


class World:
    """The table and its readers."""

    def __init__(
        self,
        people: dict[str, User],
        *,
        is_over: bool,
        spectators_read: bool,
        slugs: tuple[str, ...] = SLUGS,
    ) -> None:
        self.people, self.slugs = people, slugs
        self._programs: dict[str, Program] = {}
        seated = [people[name] for name in NAMES]
        with time_machine.travel(BEGAN, tick=False):
            self.game = begin_game(
                seated, watch="anyone", spectators_read=spectators_read, entry="link", name="The long road"
            )
            if is_over:
                play_to_the_end(self.game)
            else:
                answer(self.game, legal_texts(self.game)[0])
        self.table = Table.objects.get(pk=self.game.table_id)
        self.is_over = is_over
        self.public = frozenset({"", EPILOGUE} if is_over else {""})

    def visitor(self, name: str, signed_in: Callable[[User], Client]) -> Visitor:
        watched = self.public if self.table.spectators_read else frozenset()
        person = self.people.get(name)
        with time_machine.travel(LOOKED, tick=False):
            client = signed_in(person) if person else Client()
        reads = self.public | {"annacarla"} if name == "carla" else watched
        return Visitor(name, client, person, frozenset(reads))

    def dario_leaves(self) -> None:
        """Let Dario, who has written before, give up the seat and read nothing any more."""
        with time_machine.travel(BEGAN + timedelta(hours=1), tick=False):
            services.give_up(Seat.objects.get(user=self.people["dario"]))

    def tell(self, telling: str, reader: Visitor) -> None:
        """Store what everyone wrote, channel by channel; the hidden channels are made first."""
        for rows in (Channel, ChannelReadMarker, OutgoingEmail, CapturedEmail, ReadMarker):
            rows.objects.all().delete()
        if not self.is_over:
            self._order(telling, reader)
        slugs = [*PRIVATE, *sorted(self.public)]
        for slug in sorted(slugs, key=lambda slug: slug in reader.reads):
            if slug in reader.reads:
                self._say_all(slug, 5)
            elif reader.name == "dario" and "dario" in PRIVATE.get(slug, ()):
                self._say(self._channel(slug), "dario", 0, "What I said before I left.")
                self._hide(slug, telling, reader)
            else:
                self._hide(slug, telling, reader)

    def _order(self, telling: str, reader: Visitor) -> None:
        """What the others have ordered for the battle; none of it has acted yet."""
        StandingOrder.objects.all().delete()
        state = replayed(self.game).state
        free = set(range(len(NAMES))) - {decision.seat for decision in pending(state)}
        for seat in free if telling != "nothing" else ():
            if NAMES[seat] != reader.name and self._sits(NAMES[seat]):
                order = Aside() if telling == "a word" else suggested(observe(state, seat))
                mine = Seat.objects.get(table=self.table, number=seat)
                with time_machine.travel(TALKED, tick=False):
                    services.give_order(self.game, mine, order, state.step)
        assert StandingOrder.objects.exists() == (telling != "nothing")

    def _hide(self, slug: str, telling: str, reader: Visitor) -> None:
        if telling == "a word":
            self._say_all(slug, 1)
        if telling == "much":
            self._say_all(slug, 27 if slug == "allbutcarla" else 2)
            self._vouch(self._channel(slug))
            if not (self.is_over and reader.name in NAMES):  # then the deals is open to the table
                self._deal(self._channel(slug))

    def _say_all(self, slug: str, count: int) -> None:
        people = [name for name in PRIVATE.get(slug, NAMES) if self._sits(name)]
        for number in range(count):
            text = f"Message {number} of {count} in *{slug}*. " + "And more. " * (number % 7)
            self._say(self._channel(slug), people[number % len(people)], number * 3 + count, text)

    def _sits(self, name: str) -> bool:
        return Seat.objects.filter(table=self.table, user=self.people[name]).exists()

    def _say(self, channel: Channel, name: str, minute: int, text: str, **more: Any) -> Message:
        with transaction.atomic(), time_machine.travel(TALKED + timedelta(minutes=minute), tick=False):
            said = {"text": text, "html": rendered(text)} if text else {}
            return add(channel, author=self.people[name], **said, **more)

    def _channel(self, slug: str) -> Channel:
        kind = {"": Channel.Kind.TABLE, EPILOGUE: Channel.Kind.EPILOGUE}.get(slug, Channel.Kind.PRIVATE)
        people = [self.people[name] for name in PRIVATE.get(slug, ())]
        with time_machine.travel(TALKED, tick=False):
            channel, is_new = Channel.objects.get_or_create(
                table=self.table, slug=slug, defaults={"kind": kind, "people_key": people_key(people)}
            )
            if is_new:
                agreed = TALKED if self.is_over else None
                Member.objects.bulk_create(
                    Member(channel=channel, user=one, opens_at=agreed if number else None)
                    for number, one in enumerate(people)
                )
        return channel

    def _vouch(self, channel: Channel) -> None:
        """Let Bruno show cards and seal a note."""
        say = partial(self._say, channel, "bruno", 200, "")
        game, step = self.game, self.game.step
        shown = say(kind=Message.Kind.SHOWN)
        ShownCards.objects.create(message=shown, game=game, seat=1, cards=["10", "bishop"], ply=2, step=step)
        sealed = say(kind=Message.Kind.SEALED)
        SealedNote.objects.create(
            message=sealed,
            game=game,
            opens=SealedNote.Opens.GAME,
            text="I shall win.",
            salt="5a" * 16,
            digest="d1" * 32,
            made_ply=2,
            checked_step=step,
        )

    def _deal(self, channel: Channel) -> None:
        """Let Bruno propose a deal to Anna."""
        deal = Deal.objects.create(
            channel=channel,
            game=self.game,
            number=1,
            author=self.people["bruno"],
            text="Leave me Roma.",
            html="<p>Leave me Roma.</p>",
            made_at=TALKED,
        )
        DealParty.objects.bulk_create(DealParty(deal=deal, seat=seat) for seat in (0, 1))
        DealPromise.objects.create(deal=deal, seat=1, kind=DealPromise.Kind.WORDS)
        DealPromise.objects.create(deal=deal, seat=0, kind=DealPromise.Kind.NO_ATTACK, region="roma")
        told = {"kind": Message.Kind.DEAL, "event": "proposed", "deal": deal}
        self._say(channel, "bruno", 201, "", **told)

    def seen(self, telling: str, reader: Visitor) -> dict[str, bytes]:
        """Return everything this reader can get of the table, by address."""
        self.tell(telling, reader)
        with time_machine.travel(LOOKED, tick=False):
            emails = self._emails(reader)
            program = self._program_of(reader)
            found = {path: _bytes(_asked(reader, program, path)) for path in self.paths(reader)}
            found |= {what: _bytes(answer) for what, answer in self._sent(reader)}
            found |= {what: _bytes(_uncounted(answer)) for what, answer in self._sent_by(program)}
            found |= {f"again {path}": _bytes(reader.client.get(path)) for path in ("/games/", "/")}
            if reader.person:
                about = json.dumps(everything_about(reader.person), default=str, sort_keys=True)
                found["everything about them"] = about.encode()
        return found | emails

    def _program_of(self, reader: Visitor) -> Program:
        """Return the program that asks with the reader's token, which has been used before."""
        if reader.name not in self._programs:
            self._programs[reader.name] = Program(reader.person)
            self._programs[reader.name].get("me")
        return self._programs[reader.name]

    def paths(self, reader: Visitor) -> list[str]:
        """Return every address that can be about this table, and those of this reader's links."""
        paths = [path for address in addresses() for path in self._paths(address.name, address.parameters)]
        chat = reverse("chat", args=[self.table.pk])
        places = f"tables/{self.table.pk}", f"watch/{self.table.watch_key}"
        paths += [f"/api/v1/{place}/channels/table/messages" for place in places]
        return [*paths, f"{chat}?before=4", f"{chat}?have=x", *self._links(reader)]

    def _paths(self, name: str, parameters: tuple[str, ...]) -> Iterator[str]:
        if LEFT_OUT.match(name) or "league_id" in parameters:  # there is no league here
            return
        keys = {"watch": self.table.watch_key, "join": self.table.join_key}
        opens = "watch" if name.startswith("api:") else name.partition("_")[0]
        known = {
            "table_id": self.table.pk,
            "game_id": self.game.pk,
            "key": keys.get(opens, "guessed"),
            "number": 1,
            "ply": 0,
            "seat_id": Seat.objects.get(table=self.table, number=0).pk,
        }
        for slug in self.slugs:
            values = known | {"slug": slug}
            if set(parameters) <= values.keys():
                yield reverse(name, kwargs={parameter: values[parameter] for parameter in parameters})
            if "slug" not in parameters:
                return

    def _links(self, reader: Visitor) -> Iterator[str]:
        """Yield the addresses in this reader's emails and open pages."""
        spectator = Viewer(ViewerKind.SPECTATOR, self.game.pk, NO_SEAT, self.table.watch_key)
        yield f"/live/{live_token(spectator)}/"
        if reader.person is None:
            return
        number = NAMES.index(reader.name) if reader.name in NAMES else 0
        seat, me = Seat.objects.get(table=self.table, number=number), reader.person.pk
        seat.user_id = me  # also links that they had while they sat there, or made up
        yield f"/live/{live_token(Viewer(ViewerKind.PLAYER, self.game.pk, number, me, me))}/"
        yield f"/answer/{answer_token(LinkedDecision(self.game.pk, number, me, self.game.step))}/"
        yield f"/chronicle/{chronicle_token(self.game, me)}/"
        for slug in ("", *(slug for slug in self.slugs if slug != "guessed")):
            yield f"/chat/{chat_token(seat, slug)}/"

    def _sent(self, reader: Visitor) -> Iterator[tuple[str, Any]]:
        """Yield the answers to forms; what a reader may not use answers as if it did not exist."""
        client, table = reader.client, self.table.pk
        for slug in self.slugs:
            words = {"text": "Is anybody here?", "after": "0"}
            path = reverse("channel", args=[table, slug])
            yield f"post {path}", client.post(path, words)
            yield f"open {path}", client.post(f"{path}open/", {"action": "open"}, follow=True)
        for chosen in (["1"], ["0", "1"], ["7"], []):
            path = reverse("chat_with", args=[table])
            answer = client.post(path, {"seats": chosen, "text": "Shall we?"}, follow=True)
            yield f"post {path} {chosen}", answer
        yield "post chat", client.post(reverse("chat", args=[table]), {"text": "To all."}, follow=True)

    def _sent_by(self, program: Program) -> Iterator[tuple[str, Any]]:
        """Yield what a program gets that writes, begins channels, and proposes and answers deals."""
        table = f"tables/{self.table.pk}"
        for seats in ([1], [0, 1], [5]):
            begun = {"seats": seats, "text": "Shall we, by program?"}
            yield f"api begin {seats}", program.post(f"{table}/channels", begun)
        for slug in ("table", *(slug for slug in self.slugs if slug)):
            path = f"{table}/channels/{slug}"
            words = {"text": f"By program, in {slug}.", "after": 0}
            yield f"api {path}", program.post(f"{path}/messages", words)
            yield f"api {path} open", program.post(f"{path}/opening", {"agrees": True})
            yield f"api {path} deal", program.post(f"{path}/deals", words | {"seats": [0]})
            yield f"api {path} answer", program.post(f"{path}/deals/1/answer", {"action": "accept"})
        yield from harmless_answers(program, self.table.pk, self.game.pk, self.slugs[0])
        yield "api deals", program.get(f"{table}/deals")
        yield "api channels", program.get(f"{table}/channels")

    def _emails(self, reader: Visitor) -> dict[str, bytes]:
        """Return the emails to this reader that are sent now, with headers, and the list of them."""
        OutgoingEmail.objects.exclude(to_user=reader.person).delete()
        OutgoingEmail.objects.update(message_id="<email-1@testserver>")
        SentWords.objects.all().delete()  # of the emails of an earlier telling
        mail.outbox.clear()
        deliver_due()
        to = [reader.person.email] if reader.person else ["nobody"]
        mine = sorted(DRAWN.sub(b"-", one.message().as_bytes()) for one in mail.outbox if one.to == to)
        return {f"email {number}": text for number, text in enumerate(mine)}


def _asked(reader: Visitor, program: Program, path: str) -> Any:
    """Return what the reader gets at an address: programs ask with the reader's token."""
    is_for_programs = path.startswith("/api/v1/")
    found = reader.client.get(path, headers=program.headers if is_for_programs else None)
    return _uncounted(found)


def _uncounted(answer: Any) -> Any:
    """Return an answer without what is counted by this very test."""
    for counted in ("RateLimit", "Retry-After"):
        del answer[counted]
    return answer


def _bytes(answer: Any) -> bytes:
    """Return status, headers and body, without what is random in each answer."""
    headers = sorted(f"{name}: {value}" for name, value in answer.headers.items())
    way = [f"by {path} {status}" for path, status in getattr(answer, "redirect_chain", ())]
    return "\n".join([str(answer.status_code), *headers, *way, ""]).encode() + DRAWN.sub(
        b"", answer.getvalue()
    )


@pytest.fixture
def people(anna: User, bruno: User, carla: User, dario: User, stranger: User) -> dict[str, User]:
    return {**dict(zip(NAMES, (anna, bruno, carla, dario), strict=True)), "stranger": stranger}


@pytest.fixture(autouse=True)
def small_and_certain(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    monkeypatch.setattr(
        channels, "new_slug", lambda: f"fresh{Channel.objects.filter(slug__startswith='fresh').count()}"
    )
    monkeypatch.setattr(channels, "MOST_CHANNELS", MOST_CHANNELS)
    monkeypatch.setattr(messages, "MOST_A_DAY", 10_000)
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 10_000)


@pytest.mark.parametrize(
    ("reader", "is_over", "spectators_read"),
    [
        ("carla", False, True),
        pytest.param("carla", True, True, marks=pytest.mark.long),
        pytest.param("stranger", False, True, marks=pytest.mark.long),
        pytest.param("stranger", True, False, marks=pytest.mark.long),
        pytest.param("spectator", False, False, marks=pytest.mark.long),
        pytest.param("spectator", True, True, marks=pytest.mark.long),
        pytest.param("dario", False, True, marks=pytest.mark.long),
    ],
)
def test_messages_that_a_reader_may_not_read_change_no_byte_they_get(
    people: dict[str, User],
    signed_in: Any,
    reader: str,
    is_over: bool,
    spectators_read: bool,
    long: bool,
) -> None:
    slugs = SLUGS if long else ONE_OF_EACH_KIND
    world = World(people, is_over=is_over, spectators_read=spectators_read, slugs=slugs)
    if reader == "dario":
        world.dario_leaves()
    visitor = world.visitor(reader, signed_in)
    tellings = TELLINGS if long else ("nothing", "much")
    first, *others = (world.seen(telling, visitor) for telling in tellings)
    for other in others:
        assert first.keys() == other.keys()
        differing = {what: (seen, other[what]) for what, seen in first.items() if seen != other[what]}
        assert not differing, "\n".join(_told(what, *both) for what, both in differing.items())
    assert sum(seen[:4] == b"200\n" for seen in first.values()) >= 15
    assert ("email 0" in first) == (reader == "carla")


def _told(what: str, first: bytes, second: bytes) -> str:
    """Return where two answers first differ."""
    at = next((n for n, both in enumerate(zip(first, second, strict=False)) if both[0] != both[1]), 0)
    here = slice(max(0, at - 80), at + 120)
    return f"{what}\n  {first[here]!r}\n  {second[here]!r}"


@pytest.mark.long
@pytest.mark.parametrize("leak", ["a count", "an order"])
@pytest.mark.long
def test_the_comparison_would_notice_a_leak(
    people: dict[str, User], signed_in: Any, monkeypatch: pytest.MonkeyPatch, leak: str
) -> None:
    title = thread.channel_title

    def leaking(channel: Channel, reader: Any) -> str:
        told = Message.objects.count() if leak == "a count" else channel.pk
        return f"{title(channel, reader)} {told}"

    monkeypatch.setattr(thread, "channel_title", leaking)
    world = World(people, is_over=False, spectators_read=True)
    visitor = world.visitor("carla", signed_in)
    assert world.seen("nothing", visitor) != world.seen("much", visitor)
