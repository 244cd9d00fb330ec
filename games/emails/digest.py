"""Emails at a user's own frequency: the digest of pending games, every move, and reminders.

A builder returns None if there is no reason to write any more. Each email shows its reader their own
decisions and observations, and no one else's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts import clock
from accounts.mail.messages import LINE_LENGTH, Content, email_kind, own_page
from accounts.mail.models import OutgoingEmail
from accounts.mail.suppression import REMINDERS, is_unsubscribed, names_list, switch_of
from accounts.times import duration, moment_with_city
from games.chat.emails import ROOM, Chat, daily_content, days_chats
from games.emails.game_context import (
    Commitment,
    about_game,
    about_turn,
    commitment_for,
    game_of,
    game_with_seats,
    lines_as_text,
    shows_hand,
    view_of,
)
from games.emails.turns import about_question, answer_link, deadline_of_reader, subject_of
from games.links import list_of
from games.models import Game, Seat, Table, TimeEvent
from games.narration.times import time_event_text
from games.narration.vocabulary import card_names
from games.presenters.deadlines import OwnDeadline
from games.presenters.game_view import GameView
from games.services.notifications import email_about, questions_of
from games.services.reminders import email_came

MOVES = "moves"  # the list of emails about every move
WAITING = "waiting"  # the template, and the list id by which mail programs sort
MOST_TOLD_WHOLE = 5  # games with news, lines and hand in one email; of others it says only what is asked
MOST_WHOLE_BESIDE_CHAT = 3
MOST_NEWS = 8
TO_FIVE_MINUTES = timedelta(minutes=5)
MOVES_A_DEADLINE = (
    TimeEvent.Kind.PAUSED,
    TimeEvent.Kind.RESUMED,
    TimeEvent.Kind.EXTENDED,
    TimeEvent.Kind.CREDITED,
)


# Digest of all pending games


@dataclass(frozen=True)
class WaitingGame:
    """One pending game, as the email shows it."""

    view: GameView
    question: str
    link: str
    deadline: OwnDeadline | None
    commitment: Commitment | None = None
    news: Sequence[str] = ()
    news_left_out: int = 0
    lines_text: str = ""
    hand: str = ""
    is_whole: bool = False

    @property
    def name(self) -> str:
        return self.view.game.table.name

    @property
    def heading(self) -> str:
        """The name with a rule below it, for plain text emails."""
        return f"{self.name}\n{'-' * min(len(self.name), LINE_LENGTH)}"


@email_kind("waiting", name=gettext_lazy("Games waited for you"), on_outcome=email_came)
def waiting(email: OutgoingEmail) -> Content | None:
    """Build the digest: the user's pending games, those not emailed before first, and a day's chat.

    Returns None if none of the new games is pending any more and nobody wrote. A single game looks like a
    turn email of its own, and so does chat without games.
    """
    # Read it again: it may have grown between its reading from the outbox and its claiming.
    email.refresh_from_db(fields=["context"])
    assert email.to_user is not None
    new, told = _waiting_seats(email)
    chats = days_chats(email, ROOM // 3 if new else ROOM)
    is_off = email.to_user.gets_no_emails
    if chats and is_off:
        return daily_content(email, chats)
    if len(new) == 1 and not told and not chats and not is_off:
        return _as_its_own(email, new[0])
    return _of_several(email, new, told, chats)


def _waiting_seats(email: OutgoingEmail) -> tuple[list[Seat], list[Seat]]:
    """Return the reader's seats with a pending decision: those new in this email, and those told before."""
    assert email.to_user is not None
    first = set(questions_of(email))
    new, told = list[Seat](), list[Seat]()
    for seat in Seat.objects.waiting_for(email.to_user).filter(played_by_bot=""):
        is_new = (_game_pk(seat), seat.number, seat.decision_step) in first
        (new if is_new else told).append(seat)
    return new, told


def _game_pk(seat: Seat) -> int:
    pk: int = seat.game_pk  # type: ignore[attr-defined]  # of waiting_for
    return pk


def _as_its_own(email: OutgoingEmail, seat: Seat) -> Content | None:
    view = _view_at(email, seat)
    return about_question("your_turn", email, view, subject=subject_of(view)) if view else None


def _of_several(
    email: OutgoingEmail, new: list[Seat], told: list[Seat], chats: Sequence[Chat]
) -> Content | None:
    whole = MOST_WHOLE_BESIDE_CHAT if chats else MOST_TOLD_WHOLE
    fresh = [row for row in (_row(email, seat, n < whole) for n, seat in enumerate(new)) if row]
    known = [row for row in (_row(email, seat, False) for seat in told) if row]
    if not fresh and not (known and chats):
        return daily_content(email, chats)
    count = len(fresh) + len(known)
    context = {
        "new": fresh,
        "told": known,
        "chats": chats,
        "subject": _subject_of_several(count, chats),
        "shows_hand": shows_hand(email),
        "page": own_page(email, "my_games"),
        "preferences": own_page(email, "email_preferences"),
    }
    thread, name = f"{WAITING}-{email.to_user_id}", _("all games that wait for you")
    return about_turn(email, Content(WAITING, context, thread, WAITING, name))


def _subject_of_several(count: int, chats: Sequence[Chat]) -> str:
    words = {"n": count}
    if chats:
        return (
            ngettext(
                "%(n)d game waits for you, and there are new messages",
                "%(n)d games wait for you, and there are new messages",
                count,
            )
            % words
        )
    return ngettext("%(n)d game waits for you", "%(n)d games wait for you", count) % words


def _row(email: OutgoingEmail, seat: Seat, is_whole: bool) -> WaitingGame | None:
    view = _view_at(email, seat)
    if view is None:
        return None
    link, deadline = answer_link(email, view), deadline_of_reader(view)
    row = WaitingGame(view, view.question, link, deadline, commitment_for(email, view))
    if not is_whole:
        return row
    with_hand = shows_hand(email)
    news = view.news(with_hand=with_hand)
    return replace(
        row,
        is_whole=True,
        news=news[-MOST_NEWS:],
        news_left_out=max(0, len(news) - MOST_NEWS),
        lines_text=lines_as_text(view, with_hand=with_hand),
        hand=card_names(view.seen.hand or ()) if with_hand else "",
    )


def _left(due_at: datetime) -> str:
    """Return the time left until then, only as exactly as an email needs."""
    left = due_at - clock.now()
    if left > TO_FIVE_MINUTES:
        left = (left + TO_FIVE_MINUTES / 2) // TO_FIVE_MINUTES * TO_FIVE_MINUTES
    return duration(left)


def _view_at(email: OutgoingEmail, seat: Seat) -> GameView | None:
    """Return the game as the asked reader sees it, or None if the decision is no longer pending."""
    view = view_of(game_with_seats(_game_pk(seat)), email)
    return view if view is not None and view.decision_step == seat.decision_step else None


# Every move


@email_kind("moved", name=gettext_lazy("Somebody moved"))
def moved(email: OutgoingEmail) -> Content | None:
    """Build the email to a player who wants every move: what happened since the last such email.

    Returns None if the reader has a pending decision, because that email says it all. Also returns None if
    they have moved since.
    """
    game = game_of(email)
    view = view_of(game, email)
    if view is None or game.is_over or view.decision_step is not None:
        return None
    told = _sentences(email, view)
    if not told:
        return None
    commitment, subject = commitment_for(email, view), _moved_subject(view, told)
    content = about_game("moved", email, view, news=told, subject=subject, commitment=commitment)
    if email.to_user is not None and is_unsubscribed(email.to_user.email, list_of(game)):
        return content  # these are turned off together with the game's other news
    return replace(content, list_id=f"{MOVES}-{game.pk}", list_name=_moves_of(game.pk))


@names_list(MOVES)
def _moves_of(number: int) -> str:
    name = Table.objects.filter(games=number).values_list("name", flat=True).first() or ""
    return _("every move at %(table)s") % {"table": name}


def _sentences(email: OutgoingEmail, view: GameView) -> list[str]:
    """Return what happened in this email's steps: from its own until the next such email's."""
    following = OutgoingEmail.objects.filter(
        key__startswith=email.key.rpartition(":")[0] + ":", pk__gt=email.pk
    )
    ahead = following.order_by("pk").first()
    steps = [state.step for state in view.replay.states]
    until = ahead.context["after"] if ahead else steps[-1]
    plies = [ply for ply, step in enumerate(steps[1:]) if email.context["after"] < step <= until]
    return view.news_of(plies, with_hand=shows_hand(email))


def _moved_subject(view: GameView, told: Sequence[str]) -> str:
    """Return the subject: a single sentence whole, or the place that several are about."""
    words = {"table": view.game.table.name, "battle": view.battle_name, "sentence": told[0].removesuffix(".")}
    if len(told) == 1:
        return _("%(sentence)s (%(table)s)") % words
    if view.seen.battle or view.seen.final_battle:
        return _("News of the battle for %(battle)s (%(table)s)") % words
    return _("News from the table (%(table)s)") % words


# Reminders


@email_kind("reminder", name=gettext_lazy("A reminder of your deadline"), on_outcome=email_came)
def reminder(email: OutgoingEmail) -> Content | None:
    """Build the reminder to a player who has not answered yet: how much time is left.

    Returns None if the decision is answered, or its deadline has changed.
    """
    game = game_of(email)
    view = view_of(game, email)
    seat = game.table.seats.filter(user=email.to_user_id, number=email.context["seat"]).first()
    due_at = parse_datetime(email.context["due_at"])
    if view is None or seat is None or due_at is None or seat.due_at != due_at or seat.played_by_bot:
        return None
    if view.decision_step is None or view.decision_step != email.context["decision_step"]:
        return None
    content = about_question("reminder", email, view, **_of_deadline(email, view, seat, due_at))
    stops = switch_of(email.to_user, is_reminder=True)
    return replace(content, list_id=REMINDERS, list_name=_("reminders of deadlines"), stops=stops)


def _of_deadline(email: OutgoingEmail, view: GameView, seat: Seat, due_at: datetime) -> dict[str, Any]:
    words = {"left": _left(due_at), "due": moment_with_city(due_at), "subject": subject_of(view)}
    is_ahead = due_at > clock.now()
    return {
        "subject": _("%(left)s left. %(subject)s") % words if is_ahead else subject_of(view),
        "due": _("on %(due)s, %(left)s from now") % words if is_ahead else _("on %(due)s") % words,
        "moved": _moved_deadline(view, seat),
        "by_clock": _by_clock(view),
        "preferences": own_page(email, "email_preferences"),
    }


def _moved_deadline(view: GameView, seat: Seat) -> list[str]:
    """Return sentences on what moved this decision's deadline since the last email about it."""
    since = _last_written(view.game, seat) or seat.asked_since
    events = view.game.time_events.filter(kind__in=MOVES_A_DEADLINE, at__gte=since)
    mine = events.filter(Q(seat=None) | Q(seat=seat.number)).select_related("by")
    return [time_event_text(event, view.cast) for event in mine]


def _last_written(game: Game, seat: Seat) -> datetime | None:
    """Return when the last email about the seat's pending decision left: its own, or a reminder."""
    own = email_about(game, seat)
    question = {
        "context__game": game.pk,
        "context__seat": seat.number,
        "context__decision_step": seat.decision_step,
    }
    reminders = OutgoingEmail.objects.filter(kind="reminder", to_user=seat.user_id, **question)
    moments = [own.sent_at if own else None, *reminders.values_list("sent_at", flat=True)]
    return max((at for at in moments if at is not None), default=None)


def _by_clock(view: GameView) -> str:
    """Return the default move that the clock would play, in words."""
    match view.seen.asked.kind if view.seen.asked else None:
        case "place":
            return _("When it is out, a region is drawn for you.")
        case "hand":
            return _("When it is out, you keep your hand.")
        case "keep":
            return _("When it is out, your two highest cards are kept.")
    return _("When it is out, you pass.")
