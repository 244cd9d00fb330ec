"""One world for every question of who may get what: tables and games of each kind, and who asks for them.

A new kind of address needs an entry in `World.subjects`, and rows in tests/access/rows.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver, reverse

from accounts.api_tokens import make_token
from accounts.bots import make_bot
from accounts.clock import now
from accounts.mail.models import CapturedEmail
from accounts.mail.unsubscribe_links import unsubscribe_path
from accounts.mail.unsubscribe_switches import TURNS, turn_off_switch
from accounts.models import User
from accounts.push.models import NoticeTarget, Push, PushSubscription
from accounts.push.sending import SHOWN
from accounts.push.targets import add_target
from accounts.reader_links import sign_in_path
from accounts.tokens import sign
from condottiere_site.operators import sign_in_url
from games import services
from games.chat.links import chat_token, deal_path
from games.chat.models import EPILOGUE, Report
from games.chat.services import agree_to_open, begin_channel, write
from games.chat.services.deals import Proposed, propose
from games.chat.services.moderation import ban_by_host, report
from games.links import LinkedDecision, answer_token, chronicle_token, invitation_token, seat_token
from games.models import Game, Proposal, SharedHour, Table
from games.rules import HIGHEST_TARGET, Decision, State, legal_moves
from games.services.practice import begin_practice
from games.views.page_version import Viewer, ViewerKind, live_token
from tests.access.leagues import league_subjects, organisers_forms
from tests.access.rows import ORGANISERS, ROLES
from tests.accounts.proofs import has_just_typed_a_code
from tests.games.playing import begin_game, decision_of, game_where, legal_texts, play_to_the_end, seat_table
from tests.matches.playing import begin_match
from tests.people import proven

SIGN_IN = "login"  # a status: led to the page where one signs in


@dataclass(frozen=True)
class Address:
    """One entry of the site's URLconf."""

    name: str
    parameters: tuple[str, ...]


def addresses() -> Iterator[Address]:
    """Return every named address of the site; only Django's admin has others, which redirect."""
    yield from _named(get_resolver(), "", ())


def _named(resolver: URLResolver, namespace: str, before: tuple[str, ...]) -> Iterator[Address]:
    for entry in resolver.url_patterns:
        parameters = before + tuple(entry.pattern.regex.groupindex)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _named(entry, inner, parameters)
        elif entry.name:
            yield Address(namespace + entry.name, parameters)
        else:
            assert namespace == "admin:", f"{entry} has no name"


class World:
    """Anna hosts, Bruno is asked, Carla sits there too; Elena is invited, Fabio is staff. Gino runs the
    leagues with Anna, and Ugo another one."""

    def __init__(self) -> None:
        self.people = {
            name: _person(name)
            for name in ("anna", "bruno", "carla", "elena", "fabio", "gino", "ugo", "stranger")
        }
        User.objects.filter(email="fabio@example.org").update(is_staff=True, is_superuser=True)
        seated = [self.people[name] for name in ("anna", "bruno", "carla")]
        running, _ = game_where(seated, _bruno_may_pass)
        watched, _ = game_where(seated, _bruno_may_pass)
        Table.objects.filter(pk=watched.table_id).update(watch=Table.Watch.LINK)
        finished = begin_game(seated)
        play_to_the_end(finished)
        public = begin_game(seated, watch=Table.Watch.ANYONE)
        play_to_the_end(public)
        pausing, won = (
            begin_match(seated, target, watch=Table.Watch.ANYONE) for target in (HIGHEST_TARGET, 1)
        )
        play_to_the_end(pausing)
        play_to_the_end(won)
        self.subjects: dict[str, dict[str, Any]] = {
            "-": {"language": "en"},
            "open": self._table(seat_table(seated, size=4, entry="open")),
            "private": self._table(seat_table(seated, size=4, entry="invitation")),
            "full": self._table(seat_table(seated, size=3, entry="link")),
            "running": self._game(running),
            "watched": self._game(watched),
            "finished": self._game(finished),
            "public": self._game(public),
            "pausing": self._game(pausing),
            "won": self._game(won),
            "practice": self._practice(),
            "wrong": {
                "token": "WzEsMl0:x:y",
                "key": "a-key-that-was-guessed",
                "signed": "a-key-that-was-guessed",
                "number": 1,
                "ply": 0,
                "seat_id": 1,
                "slug": "guessed",
                "language": "guessed",
            },
        }
        self.subjects |= {
            "epilogue": self.subjects["finished"] | {"slug": EPILOGUE},
            "opened": self.subjects["public"] | {"slug": self._opened_channel(public.table)},
        }
        self.subjects |= league_subjects(self.people)
        self.subjects |= self._manners(seat_table(seated, size=4, entry="open"))
        self.subjects["running"]["deal.token"] = self._deal(running)
        self._client = Client()
        self._sessions = {role: self._signed_in(role) for role in ROLES + ORGANISERS}
        self._emails()

    def _table(self, table: Table) -> dict[str, Any]:
        invitation = services.invite(table, "elena@example.org")
        seat = table.seats.get(user=self.people["bruno"])
        return {
            "table_id": table.pk,
            "seat_id": table.seats.get(user=self.people["carla"]).pk,
            "invitation_id": invitation.pk,
            "number": 1,
            "join.key": table.join_key,
            "watch.key": table.watch_key,
            "seat.token": seat_token(seat),
            "invitation.token": invitation_token(invitation),
            "chat.token": chat_token(seat),
            "slug": self._channel(table),
        }

    def _game(self, game: Game) -> dict[str, Any]:
        table = game.table
        game.refresh_from_db()
        decision_step = game.step - 1 if game.is_over else decision_of(game).decision_step
        bruno = self.people["bruno"]
        return {
            "table_id": table.pk,
            "game_id": game.pk,
            "number": 1,
            "ply": 0,
            "seat_id": table.seats.get(user=self.people["carla"]).pk,
            "invitation_id": 1,
            "proposal_id": self._proposal(game),
            "hour_id": self._hour(table),
            "join.key": table.join_key,
            "watch.key": table.watch_key,
            "seat.token": seat_token(table.seats.get(user=bruno)),
            "decision_step": decision_step,
            "answer.token": answer_token(LinkedDecision(game.pk, 1, bruno.pk, decision_step)),
            "chronicle.token": chronicle_token(game, bruno.pk),
            "live.token": live_token(Viewer(ViewerKind.PLAYER, game.pk, 1, bruno.pk)),
            "chat.token": chat_token(table.seats.get(user=bruno)),
            "slug": self._channel(table),
        }

    def _hour(self, table: Table) -> int:
        """Anna proposes an hour to play together, and Bruno has agreed."""
        start = now() + timedelta(days=1)
        anna, bruno = self.people["anna"], self.people["bruno"]
        hour = SharedHour.objects.create(
            table=table, proposer=anna, starts_at=start, ends_at=start + timedelta(hours=1), zone="UTC"
        )
        for person in (anna, bruno):
            hour.answers.create(user=person, accepts=True)
        return hour.pk

    def _opened_channel(self, table: Table) -> str:
        """Anna and Carla's channel, which they opened to their table after the game."""
        slug = self._channel(table, "anna", "carla")
        channel = table.channels.get(slug=slug)
        assert [agree_to_open(channel, table.seats.get(user=self.people[n])) for n in ("anna", "carla")][1]
        return slug

    def _channel(self, table: Table, *names: str) -> str:
        """Return the private channel of Anna and Bruno, or of the people named."""
        state, table.state = table.state, Table.State.PLAYING
        table.save(update_fields=["state"])
        pair = [table.seats.get(user=self.people[name]) for name in names or ("anna", "bruno")]
        channel = begin_channel(pair[0], pair[1:])
        table.state = state
        table.save(update_fields=["state"])
        return channel.slug

    def _manners(self, table: Table) -> dict[str, dict[str, Any]]:
        """Carla writes to the table; Anna writes to Bruno, who reports her; then Carla is banned."""
        told = self._table(table)
        seats = {name: table.seats.get(user=self.people[name]) for name in ("anna", "bruno", "carla")}
        write(seats["carla"], "A word.")
        said = write(seats["anna"], "A word to you.", channel=table.channels.get(slug=told["slug"]))
        made = report(said, self.people["bruno"], Report.Reason.OTHER, "It is no word.", [])
        held = ban_by_host(seats["anna"], seats["carla"], "It is enough.", None)
        return {"told": told, "reported": {"pk": made.pk}, "banned": {"pk": held.pk}}

    def _deal(self, game: Game) -> str:
        """Anna proposes a deal to Bruno in their channel; return the token of Bruno's link to it."""
        anna, bruno = (game.table.seats.get(user=self.people[name]) for name in ("anna", "bruno"))
        what = Proposed("I help you, if you help me.", (bruno.number,))
        return _token(deal_path(bruno, propose(anna, begin_channel(anna, [bruno]), what)))

    def _proposal(self, game: Game) -> int:
        """Anna proposes to end the game, if it runs."""
        if game.is_over:
            return 0
        host = game.table.seats.get(user=self.people["anna"])
        return services.propose_end(host, game, Proposal.What.NONE).pk

    def _practice(self) -> dict[str, Any]:
        """A guest's practice game, which opens only by its address."""
        game = begin_practice(None, opponents=2, strength="recruit", form_key=uuid4())
        decision = decision_of(game)
        return {
            "table_id": game.table_id,
            "game_id": game.pk,
            "ply": 0,
            "practice.key": game.table.practice_key,
            "live.token": live_token(Viewer(ViewerKind.GUEST, game.pk, 0, str(game.table.practice_key))),
            "watch.key": game.table.watch_key,
            "decision_step": decision.decision_step,
            "move": legal_texts(game)[0],
        }

    def _emails(self) -> None:
        kept = CapturedEmail.objects.create(to="x@example.org", subject="An email", text="x", html="<p>x</p>")
        User.objects.filter(email="bruno@example.org").update(feed_key="the-key-of-his-calendar")
        self.subjects["-"] |= {
            "pk": kept.pk,
            "holiday_id": self.people["bruno"].holidays.create(first="2020-01-01", last="2020-01-02").pk,
            "calendar.key": "the-key-of-his-calendar",
            "person.signed": sign("person", self.people["bruno"].pk),
            **_notified(self.people["bruno"]),
            "bot_id": _bot_of(self.people["bruno"]).pk,
            "unsubscribe.token": _token(unsubscribe_path(self.people["bruno"], "chat-1")),
            "undo.token": turn_off_switch("bruno@example.org", TURNS),
            "account.token": _token(sign_in_path(self.people["bruno"], "/").partition("?")[0]),
            "operator.token": _token(sign_in_url(User.objects.get(email="fabio@example.org"))),
        }

    def _signed_in(self, role: str) -> str:
        """Return the role's session cookie; empty without an account."""
        name = {
            "stranger": "stranger",
            "other": "carla",
            "asked": "bruno",
            "host": "anna",
            "staff": "fabio",
            "organiser": "gino",
            "other_organiser": "ugo",
        }.get(role)
        client = Client()
        if role == "spectator":
            watched = client.get(reverse("watch", args=[self.subjects["watched"]["watch.key"]]))
            assert watched.status_code == 200
        if name is None:
            session = client.cookies.get(settings.SESSION_COOKIE_NAME)
            return session.value if session else ""
        client.force_login(self.people[name], backend=settings.AUTHENTICATION_BACKENDS[0])
        has_just_typed_a_code(client, self.people[name])
        return client.cookies[settings.SESSION_COOKIE_NAME].value

    def form(self, name: str, subject: str) -> dict[str, Any]:
        """Return valid form data for this address, so that everyone who may use it succeeds."""
        values = self.subjects[subject]
        move = {"move": values.get("move", "pass"), "decision_step": values.get("decision_step", 0)}
        text = {"text": "Well played."}
        tomorrow = (now() + timedelta(days=1)).date()
        whom = {f"who_{row}": "0" for row in range(1, 5)}
        forms: dict[str, dict[str, Any]] = {
            "new_table": {"name": "Another", "size": 3, "entry": "open"},
            **organisers_forms(),
            "table_channels_write": {"text": "Well played."},
            "table_invite": {"invited": "dario@example.org"},
            "my_groups": {"delete": "1"},
            "table_bot": {"strength": "recruit", "roster": 3},
            "seat": {"action": "confirm"},
            "game_go_on": {"number": "2"},
            "game_propose_end": {"result": "none"},
            "game_time": {"what": "pause", "days": 3},
            "game_hours": {"day_1": str(tomorrow), "start_1": "20:00", "end_1": "21:00"},
            "game_hour": {"action": "accept"},
            "game_offer_absent": {"email": "dario@example.org"},
            "game_hand_over": {"email": "dario@example.org"},
            "game_answer_end": {"action": "accept"},
            "invitation": {"action": "decline"},
            "notice_target": {"kinds": "turn"},
            "my_bots": {"name": "Another bot"},
            "my_bot": {"name": "Robot"},
            "make_bot_token": {"name": "A program", "scopes": ["play"], "days": "30"},
            "close_my_bot": {"sure": "on"},
            "game_move": move,
            "game_order": {"order": "withdraw"},
            "practice_order": {"order": "withdraw"},
            "answer_confirm": move,
            "answer_move": move,
            "practice_move": move,
            "game_note": text,
            "chat": text,
            "chat_answer": text,
            "chat_with": {"seats": ["2"], **text},
            "channel": text,
            "propose_deal": {"seats": ["1"], "until": "game", **text, **whom},
            "deal": {"action": "accept"},
            "deal_by_link": {"answer": "accept"},
            "people": {"action": "mute", "seat": "2"},
            "message": {"reason": "spam"},
            "channel_message": {"reason": "spam"},
            "operator_decide": {
                "action": "dismiss",
                "decision": "There is nothing in it.",
                "where": "table",
                "lasts": "day",
            },
            "show_cards": {"to": "table"},
            "seal_note": {"to": "table", "opens": "game", **text},
            "channel_open": {"action": "open"},
            "begin_practice": {"opponents": 2, "strength": "recruit", "form_key": uuid4()},
        }
        if name.endswith("_play_on"):
            return {"seat": 0, "strength": "recruit", "form_key": uuid4()}
        return forms.get(name, {"sent": "yes"})

    def address(self, address: Address, subject: str) -> str:
        """Return the address for the given table or game."""
        values = self.subjects[subject]
        room = address.name.partition("_")[0]
        chosen = {
            name: values[f"{room}.{name}"] if f"{room}.{name}" in values else values[name]
            for name in address.parameters
        }
        return reverse(address.name, kwargs=chosen)

    def sample(self, address: Address) -> str:
        """Return one address of this kind, for other apps: allauth and Django's admin."""
        chosen = {name: self._sample_value(address.name, name) for name in address.parameters}
        return reverse(address.name, kwargs=chosen)

    def _sample_value(self, name: str, parameter: str) -> Any:
        if parameter == "object_id":
            models = {f"{m._meta.app_label}_{m._meta.model_name}": m for m in admin.site._registry}
            model = models.get(name.partition(":")[2].rpartition("_")[0])
            first = model._default_manager.first() if model else None
            return first.pk if first else 1
        return {"app_label": "games", "uidb36": "1", "key": "x", "url": "x"}.get(parameter, 1)

    def ask(self, role: str, method: str, path: str, form: dict[str, Any]) -> Any:
        """Return the answer this role gets; roll back what it changed."""
        client = self._client  # to make one for each request would cost as much as many a request
        client.cookies.clear()
        if self._sessions[role]:
            client.cookies[settings.SESSION_COOKIE_NAME] = self._sessions[role]
        with transaction.atomic():
            answer = client.get(path, form) if method == "GET" else client.post(path, form)
            transaction.set_rollback(True)
        return answer


def _bruno_may_pass(state: State, decision: Decision) -> bool:
    return decision.seat == 1 and "pass" in [str(move) for move in legal_moves(state, 1)]


def _bot_of(person: User) -> User:
    """A bot of this person, with a token."""
    bot = make_bot(person, "Robin")
    assert bot is not None
    make_token(bot, "A program", ["read", "play"], None)
    return bot


def _notified(person: User) -> dict[str, Any]:
    """A browser of this person that gets notifications, and what it answers with when it shows one."""
    browser = PushSubscription.objects.create(user=person, endpoint="https://push.example.org/1")
    push = Push.objects.create(subscription=browser, kind="turn", key="1", not_before=browser.since)
    target = add_target(
        NoticeTarget(
            user=person,
            service="webhook",
            name="A program",
            endpoint="https://example.org/secret",
            kinds=["turn"],
        )
    )
    for answer, problem, done_at in ((204, "", now()), (503, "", None), (None, "not public", now())):
        target.notices.create(
            kind="turn",
            key=str(answer),
            not_before=now(),
            tried_at=now(),
            answer=answer,
            problem=problem,
            done_at=done_at,
        )
    return {"browser_id": browser.pk, "push.token": sign(SHOWN, push.pk), "target_id": target.pk}


def _token(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]


def _person(name: str) -> User:
    return proven(f"{name}@example.org", name.capitalize())


def status_of(answer: Any) -> str:
    """Return an answer's status; SIGN_IN for a redirect to the sign-in page."""
    if answer.status_code == 302 and answer["Location"].startswith(reverse("account_login")):
        return SIGN_IN
    return str(answer.status_code)
