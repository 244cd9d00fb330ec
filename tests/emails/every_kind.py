"""Six people, and every kind of email they can get: each by the service that causes it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import resolve
from django.utils import translation

from accounts.mail import delivery
from accounts.mail.check_emails import queue_check_email
from accounts.mail.delivery import deliver_due
from accounts.mail.email_content import Content
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.messages import Recipient, build_message
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.receiving import receive
from accounts.mail.unsubscribe_switches import TURNS, turn_off_switch, undo
from accounts.models import User
from accounts.push.models import NoticeTarget
from accounts.push.targets import add_target
from accounts.signals import target_switched_off
from condottiere_site.health.alerts import tell_of_failures
from condottiere_site.health.signs import Sign, SignName
from games import services
from games.chat.models import Report, SealedNote
from games.chat.services import begin_channel, write
from games.chat.services.deal_answers import answer, withdraw
from games.chat.services.moderation import ban_by_host, dismiss, report
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import hand_of, show_cards
from games.models import Game, Proposal, Seat, Table
from games.models.replay import replayed
from games.rules import HIGHEST_TARGET, Decision, State, pending
from games.services.expiry import close_unfilled
from games.services.hours import run_hours
from games.services.notifications import decision_key
from games.services.reminders import remind_due
from games.services.table_alerts import ask_for_alerts, tell_of_open_tables
from tests.chat import dealing
from tests.clocks.passing import HOUR, Wall, asked_seat, pass_once
from tests.emails.league_kinds import about_leagues
from tests.games.playing import game_where, play_to_the_end, play_until, seat_table
from tests.matches.playing import begin_match
from tests.people import proven
from tests.replies.programs import gmail, reply
from tests.words.pseudo import pseudo_locale

DAY, WHILE = 24 * HOUR, HOUR / 6
NAMES = ("Anna", "Bruno", "Carla Francesca", "Dario Bentivoglio", "Elena Montefeltro", "Fabio")
NOTE = "A slow game among friends; chat is welcome.\nWho is late brings the wine, and who wins brings it too."
VARIANTS = ["bigger-kingdoms", "capturing-regions", "hidden-cards"]  # with these a game lasts longest
GAMES_THAT_WAIT = 8  # more than an email has in full
CHAT = (
    "Shall we begin on **Sunday**?",
    "I leave *Siena* to you if you leave *Roma* to me.\n\nhttps://example.org/a/long/address/that/is/pasted/whole/and/breaks/nowhere",
    "> I leave Siena to you\n\nHe said the same to me last week.",
)
NOTICE = {
    "ip": "203.0.113.20",
    "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
}
ACCOUNT_EMAILS: dict[str, dict[str, str]] = {
    "login_code": {"code": "K7QX-M2PD"},
    "email_confirmation": {"code": "K7QX-M2PD"},
    "password_reset_code": {"code": "K7QX-M2PD"},
    "unknown_account": {},
    "account_already_exists": {},
    "account_deleted": {},
    "email_changed": {"from_email": "anna@example.org", "to_email": "anna@mail.example.net", **NOTICE},
    "webauthn_added": NOTICE,
}


def roster() -> list[Any]:
    """Return six people; the last one wants an email about every move."""
    people = [person(name) for name in NAMES]
    people[-1].every_move = True
    people[-1].save()
    return people


def person(name: str) -> Any:
    found = proven(f"{name.split(maxsplit=1)[0].lower()}@example.org", name)
    found.time_zone = "Europe/Rome"
    found.save()
    return found


# The pages on which what an email asks is answered without signing in
ANSWERING = ("answer", "seat", "invitation", "deal_by_link", "chat_answer", "chronicle")


@dataclass(frozen=True)
class Opened:
    """What a signed-out visitor gets from a link in an email."""

    kind: str
    to: str
    name: str  # of the page it leads to
    status: int
    html: str
    sign_in: Any  # the form of the sign-in page, where it ends there
    following: str  # where that goes on to


class Post:
    """The emails that left, by kind, and the pages that their links opened on arrival."""

    def __init__(self, wall: Wall, *, opens_all: bool = False) -> None:
        self.wall, self.opens_all = wall, opens_all
        self.sent: dict[str, list[Any]] = defaultdict(list)
        self.translated: dict[str, Any] = {}  # one of each kind in the pseudo-locale
        self.in_languages: dict[tuple[str, str], Any] = {}  # one of each subject, by language and subject
        self.remembered = set[str]()  # the kinds whose words are kept
        self.opened: list[Opened] = []
        self.answering: list[tuple[Any, Opened]] = []  # of each email, the pages where it can be answered
        # Emails whose links were not opened: what they asked was answered before, or one of the same kind
        # that left at the same moment stands for them.
        self.passed_over = set[int]()
        self._visitor, self._seen = Client(), set[tuple[str, str]]()

    def deliver(self) -> None:
        """Send what is queued by now, messages included, and file it with what the clock has sent."""
        self.wall.now += WHILE
        self._leave_out_more_of_a_kind()
        deliver_due()
        kinds, answered = dict(OutgoingEmail.objects.values_list("message_id", "kind")), set[str]()
        for email in mail.outbox:
            kind = kinds[email.extra_headers["Message-ID"]]
            self.sent[kind].append(email)
            self._open_links(kind, email)
            if self.opens_all or kind not in answered:
                self._open_answering(kind, email)
            else:
                self.passed_over.add(id(email))
            if id(email) not in self.passed_over:
                answered.add(kind)
        mail.outbox.clear()
        assert list(OutgoingEmail.objects.exclude(last_error="").values_list("kind", "last_error")) == []

    def _leave_out_more_of_a_kind(self) -> None:
        """Send league emails to the first and the last of all who get one of a kind at that moment."""
        queued = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED, kind__startswith="league_")
        by_kind = defaultdict[str, list[int]](list)
        for pk, kind in queued.order_by("pk").values_list("pk", "kind"):
            by_kind[kind].append(pk)
        OutgoingEmail.objects.filter(pk__in=[pk for those in by_kind.values() for pk in those[1:-1]]).delete()

    def build_twice(self, content: Content, recipient: Recipient, message_id: str) -> Any:
        """Build the message that is sent; the first of a kind in marks, of a subject in each language."""
        email = OutgoingEmail.objects.get(message_id=message_id)
        self.remembered |= {email.kind} if content.remembered else set()
        if email.kind not in self.translated:
            with pseudo_locale():
                self.translated[email.kind] = _built_again(email, recipient)
        message = build_message(content, recipient, message_id)
        about = re.sub(r"\(.*?\)|\d+", "", f"{email.kind}, {message.subject}".partition(":")[0])
        for code, _name in settings.LANGUAGES:
            if (code, about) not in self.in_languages:
                with translation.override(code):
                    self.in_languages[code, about] = _built_again(email, recipient)
        return message

    def _open_links(self, kind: str, email: Any) -> None:
        """Open the first link to each page from each kind of email; open footer links only once."""
        for link in re.findall(r"http://testserver[^\s<>\"]+", email.body):
            path = link.removeprefix("http://testserver")
            name = resolve(urlsplit(path).path).url_name or ""
            if name == "account_sign_in_for":
                name = resolve(urlsplit(parse_qs(urlsplit(path).query)["next"][0]).path).url_name or ""
            seen = ("" if name == "unsubscribe" else kind, name)
            if seen not in self._seen:
                self._seen.add(seen)
                self.opened.append(self._opened(kind, email.to[0], name, path))

    def _open_answering(self, kind: str, email: Any) -> None:
        """Open every page where this email's reader can answer without signing in, unless they have."""
        row = OutgoingEmail.objects.get(message_id=email.extra_headers["Message-ID"])
        if EMAIL_KINDS[kind].build(row) is None:
            self.passed_over.add(id(email))
            return
        paths = dict.fromkeys(re.findall(r"http://testserver(/[^\s<>\"#]+)", email.body))
        for path in paths:
            name = resolve(urlsplit(path).path).url_name or ""
            if name in ANSWERING:
                self.answering.append((email, self._opened(kind, email.to[0], name, path)))

    def _opened(self, kind: str, to: str, name: str, path: str) -> Opened:
        self._visitor.cookies.clear()
        answer = self._visitor.get(path, follow=True)
        is_sign_in = resolve(answer.request["PATH_INFO"]).url_name in ("account_login", "account_sign_in_for")
        following = parse_qs(answer.request["QUERY_STRING"]).get("next", [""])[0]
        form = answer.context["form"] if is_sign_in else None
        html = b"".join(answer).decode(errors="replace")
        return Opened(kind, to, name, answer.status_code, html, form, following)


def _built_again(email: OutgoingEmail, recipient: Recipient) -> Any:
    content = EMAIL_KINDS[email.kind].build(email)
    assert content is not None
    return build_message(content, recipient, email.message_id)


def emails_of_every_kind(wall: Wall, *, opens_all: bool = False) -> Post:
    """Cause every kind of email at least once, mostly at its longest; return them."""
    post, people = Post(wall, opens_all=opens_all), roster()
    with patch.object(delivery, "build_message", post.build_twice):
        _about_accounts(post)
        _about_tables_that_gather(post, people)
        _about_open_tables(post, people)
        _about_a_long_game(post, people)
        _about_what_the_site_says_in_a_chat(post, people)
        _about_games_that_wait(post, people)
        _about_time(post, people)
        _about_seats(post, people)
        _about_hours(post, people)
        _about_matches(post, people)
        _about_replies(post, people)
        _about_days(post, people)
        _about_manners(post, people)
        _about_the_site(post)
        about_leagues(post)
    return post


def _about_accounts(post: Post) -> None:
    for name, more in ACCOUNT_EMAILS.items():
        context = {"notice": name, "email": "anna@example.org", "language": "en", **more}
        queue("account", to="anna@example.org", key=name, context=context)
    queue_check_email(to="operator@example.org")
    token = turn_off_switch("anna@example.org", TURNS)
    post.deliver()
    undo(token)
    _about_targets(post, User.objects.get(email="anna@example.org"))


def _about_targets(post: Post, user: User) -> None:
    """Nothing arrives at a chat service any more, so it is switched off."""
    target = NoticeTarget(
        user=user, service="slack", name="Family chat", endpoint="https://hooks.slack.com/x"
    )
    target.off_at = post.wall.now
    target_switched_off.send(NoticeTarget, target=add_target(target), now=post.wall.now)
    post.deliver()


def _about_tables_that_gather(post: Post, people: Sequence[Any]) -> None:
    table = _table(people[:3], invited=["dario@example.org", "zoe@example.org"])
    post.deliver()
    services.decline(table.invitations.get(email="zoe@example.org"))
    services.leave(table.seats.get(user=people[1]))
    services.remove(table.seats.get(user=people[2]))
    post.deliver()
    services.cancel(table)
    table = _table(people[:4])
    for closes_at in (post.wall.now + DAY, post.wall.now):
        Table.objects.filter(pk=table.pk).update(closes_at=closes_at)
        close_unfilled(post.wall.now)
        post.deliver()


def _about_open_tables(post: Post, people: Sequence[Any]) -> None:
    ask_for_alerts(people[3])
    for one in people[:2]:
        post.wall.now += WHILE
        _table([one], entry="open", size=4)
    tell_of_open_tables(post.wall.now + WHILE)
    post.deliver()


def _table(people: Sequence[Any], **more: Any) -> Table:
    options = {"edition": "2007", "variants": VARIANTS}
    terms = {"name": "The long war for Italy", "size": 6, "entry": "link", "note": NOTE, "watch": "link"}
    return seat_table(people, **(terms | {"options_json": options, "pace": "day"} | more))


def _begin(table: Table) -> Game:
    for seat in table.seats.all():
        services.confirm(seat)
    return Game.objects.get(table=table)


def _about_a_long_game(post: Post, people: Sequence[Any]) -> None:
    """Play a game from its first emails to its last, with decisions where the emails say most."""
    table = _table(people)
    post.deliver()
    game = _begin(table)
    post.deliver()
    for phase in ("battle", "place", "hand", "battle"):
        play_until(game, lambda state, decision, phase=phase: _is_late(state, phase), seed=4)
        post.deliver()
        _remind(post, game)
        play_until(game, lambda state, decision, ply=game.ply: state.ply > ply)
    _chat(game)
    post.deliver()
    play_to_the_end(game, seed=3)
    post.deliver()
    _chat(Game.objects.get(pk=game.pk))  # the epilogue
    post.deliver()


def _is_late(state: State, phase: str) -> bool:
    return state.ply > 150 and state.phase == phase


def _remind(post: Post, game: Game) -> None:
    moment = Seat.objects.filter(table=game.table, remind_at__isnull=False).earliest("remind_at").remind_at
    assert moment is not None
    post.wall.now = moment
    remind_due(moment)
    post.deliver()


def _chat(game: Game) -> None:
    seats = list(game.table.seats.select_related("user").order_by("number"))
    for seat, text in zip(seats, CHAT, strict=False):
        write(seat, text)
    if not game.is_over:
        _chat_among_three(game)


def _chat_among_three(game: Game) -> None:
    seats = list(game.table.seats.select_related("user", "table").order_by("number"))[:3]
    channel = begin_channel(seats[0], seats[1:])
    for seat, text in zip(seats, CHAT, strict=True):
        write(seat, text, channel=channel)


def _about_what_the_site_says_in_a_chat(post: Post, people: Sequence[Any]) -> None:
    """Deals are proposed and answered, a note is sealed, cards are shown, and someone is banned."""
    game = _begin(_table(people[:3], size=3))
    table, anna, bruno = game.table, *people[:2]
    channel = dealing.channel_of(table, anna, bruno)
    asked = pending(replayed(game).state)[0].seat
    promise = dealing.no_attack(asked, "roma")
    deals = [dealing.proposed_to(table, anna, bruno, promises=[promise], text=words) for words in CHAT]
    host, other, third = (seat_at(game, one) for one in people[:3])
    seal_note(host, channel, "I took nothing from you.", SealedNote.Opens.BATTLE)
    show_cards(host, hand_of(replayed(game).state, host)[:2], channel)
    post.deliver()
    answer(other, deals[0].pk, accepts=True)
    answer(other, deals[1].pk, accepts=False)
    withdraw(host, deals[2].pk)
    ban_by_host(host, third, "They shout.", DAY)
    post.deliver()


def _about_games_that_wait(post: Post, people: Sequence[Any]) -> None:
    """Cause one email about many games, and the same with messages."""
    names = [_decision_of_the_first(people, seed) for seed in range(GAMES_THAT_WAIT)]
    context = {"questions": dict.fromkeys(names, True)}
    queue("waiting", to=people[0], key="waiting", context=context)
    post.deliver()
    daily = {"frequency": User.Frequency.DIGEST, "chat_emails": User.ChatEmails.DIGEST}
    User.objects.filter(pk=people[0].pk).update(**daily)
    for game in Game.objects.order_by("-pk")[:2]:
        _chat(game)
    waiting = OutgoingEmail.objects.get(kind="waiting", to_user=people[0], state="queued")
    waiting.context, waiting.not_before = waiting.context | context, post.wall.now
    waiting.save()
    post.deliver()
    User.objects.filter(pk=people[0].pk).update(frequency="at once", chat_emails="at once")


def _decision_of_the_first(people: Sequence[Any], seed: int) -> str:
    game, state = game_where(people, _is_asked_in_a_battle, seed)
    Table.objects.filter(pk=game.table_id).update(name=f"The long war for Italy ({seed + 1})")
    return decision_key(game.pk, 0, next(iter(pending(state))).decision_step)


def _is_asked_in_a_battle(state: State, decision: Decision) -> bool:
    return decision.seat == 0 and state.phase == "battle" and state.ply > 60


def _about_time(post: Post, people: Sequence[Any]) -> None:
    """Let Bruno miss turns until a bot plays, then come back; pause and resume the game."""
    game = _begin(_table(people[:3], size=3, most_misses=2, absent=Table.Absent.OFFER))
    _stay_away(post, game, people[1])
    services.come_back(seat_at(game, people[1]))
    for what, days in ((Proposal.What.PAUSE, 3), (Proposal.What.GO_ON, None)):
        proposal = services.propose_time(seat_at(game, people[2]), game, what, days)
        post.deliver()
        for one in people[:3]:
            services.accept_proposal(seat_at(game, one), proposal)
        post.deliver()
    _stay_away(post, game, people[1])
    other = person("Zoe")
    services.take_absent_seat(seat_at(game, people[1]), other)
    post.deliver()


def _stay_away(post: Post, game: Game, who: Any) -> None:
    while not (seat := seat_at(game, who)).played_by_bot:
        asked = asked_seat(game)
        if asked.pk == seat.pk and asked.due_at is not None:
            post.wall.pass_to(asked.due_at)
        else:
            pass_once(game)
    post.deliver()


def _about_replies(post: Post, people: Sequence[Any]) -> None:
    """Reply with what is no move, then with a message; then to the email about that message."""
    game = _begin(_table(people))
    for _ in range(3):
        post.deliver()
        play_until(
            game, lambda state, decision, ply=game.ply: state.ply > ply + 20 and state.phase == "battle"
        )
    post.deliver()
    for words in ("I wonder what you would play here, if you were me, and had my cards", "say: On to Roma!"):
        email = post.sent["your_turn"][-1]
        receive(email.extra_headers["Reply-To"], reply(gmail, email, words))
        post.deliver()
    email = post.sent["message"][-1]  # that the last of these caused
    for words in ("I leave Siena to you", f"I leave Siena to you {email.body}"):
        receive(email.extra_headers["Reply-To"], reply(gmail, email, words))
        post.deliver()


def _about_days(post: Post, people: Sequence[Any]) -> None:
    """Cause the daily email of messages, to a person who gets turn emails at once."""
    User.objects.filter(pk=people[1].pk).update(chat_emails=User.ChatEmails.DIGEST)
    for year in (1494, 1495):
        game = _begin(_table(people[:3], size=3, name=f"The war of the year {year}"))
        _chat(game)
    post.wall.now += DAY
    post.deliver()


def _about_manners(post: Post, people: Sequence[Any]) -> None:
    """A message is reported to an operator, who decides."""
    operator = person("Xenia")
    User.objects.filter(pk=operator.pk).update(is_staff=True)
    seat = _table(people[:3]).seats.select_related("user").get(user=people[0])
    made = report(
        write(seat, CHAT[1]), people[1], Report.Reason.UNFAIR, "They promise what is not theirs to give.", []
    )
    post.deliver()
    dismiss(made, operator, "Promises bind nobody here.")
    post.deliver()


def _about_the_site(post: Post) -> None:
    """Every sign but the mail server fails for ten minutes, and an operator gets the email at once."""
    failing = [Sign(name, failed=name != SignName.MAIL_SERVER) for name in SignName]
    post.wall.now -= WHILE
    with patch("condottiere_site.health.alerts.current_signs", lambda: failing):
        for minute in (0, 4, 8, 10):
            tell_of_failures(post.wall.now + HOUR / 60 * minute)
    post.deliver()


def seat_at(game: Game, who: Any) -> Seat:
    return Seat.objects.select_related("table", "user").get(table=game.table_id, user=who)


def _about_seats(post: Post, people: Sequence[Any]) -> None:
    game = _begin(_table(people[:4], size=4))
    services.propose_end(seat_at(game, people[0]), game, Proposal.What.MOST_REGIONS)
    offer = services.hand_over(seat_at(game, people[3]), "yves@example.org")
    post.deliver()
    services.take_over(offer, person("Yves"))
    post.deliver()


def _about_hours(post: Post, people: Sequence[Any]) -> None:
    """Two times to play together, one of them every week; Bruno accepts the first."""
    game = _begin(_table(people[:3], size=3))
    start = post.wall.now + DAY
    times = [(start, start + HOUR), (start + DAY, start + DAY + HOUR)]
    services.email_turn_link(asked_seat(game))
    hour, _other = services.propose_hours(seat_at(game, people[0]), times, is_weekly=True)
    post.deliver()
    services.answer_hour(hour, seat_at(game, people[1]), accepts=True)
    post.wall.now = start - HOUR / 2
    run_hours(post.wall.now)
    post.deliver()


def _about_matches(post: Post, people: Sequence[Any]) -> None:
    """The last email of the first game of a match, which asks for the next."""
    play_to_the_end(begin_match(people[:3], HIGHEST_TARGET))
    post.deliver()
