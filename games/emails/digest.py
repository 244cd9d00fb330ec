"""Emails at a user's own frequency: the digest of pending games, every move, and reminders.

A builder returns None if there is no reason to write any more. Each email shows its reader their own
decisions and observations, and no one else's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Q
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts import clock
from accounts.durations import duration
from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from accounts.mail.subscriptions import is_unsubscribed
from accounts.mail.unsubscribe_switches import REMINDERS, switch_of
from games.chat.emails.channel_news import ROOM, ChannelNews, days_chats
from games.chat.emails.chat_emails import daily_content
from games.emails.battle_end import pictured
from games.emails.game_context import (
    Commitment,
    EmailDeadline,
    about_game,
    about_turn,
    commitment_for,
    deadline_for,
    game_of,
    game_with_seats,
    remembered,
    shows_hand,
    view_of,
)
from games.emails.turns import about_decision, linked_decision, subject_of
from games.links import answer_url, digests_to, list_of, reply_address
from games.models import Game, Seat, Table, TimeEvent
from games.narration.times import time_event_text
from games.presenters.decision import decision_section
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.position import Position
from games.replies.commands import Command, first_word
from games.rules import Phase
from games.services.late_emails import give_time_for_late_email
from games.services.notifications import decisions_in, email_about

MOVES = "moves"  # the list of emails about every move
WAITING = "waiting"  # the template, and the list id by which mail programs sort
MOVES_A_DEADLINE = (
    TimeEvent.Kind.PAUSED,
    TimeEvent.Kind.RESUMED,
    TimeEvent.Kind.EXTENDED,
    TimeEvent.Kind.CREDITED,
)


# Digest of all pending games


@dataclass(frozen=True)
class WaitingGame:
    """One pending game, as the email shows it: what to do, until when, and the link."""

    view: Position
    link: str
    deadline: EmailDeadline | None
    commitment: Commitment | None

    @property
    def name(self) -> str:
        return self.view.game.table.name

    @property
    def decision(self) -> str:
        """What to do, in a sentence."""
        return decision_section(self.view).sentence


@email_kind(
    "waiting", name=gettext_lazy("Games where it’s your turn"), on_outcome=give_time_for_late_email, asks=True
)
def waiting(email: OutgoingEmail) -> Content | None:
    """Build the digest: the user's pending games, those not emailed before first, and a day's chat.

    Returns None if none of the new games is pending any more and no one wrote. A single game looks like a
    turn email of its own, and so does chat without games.
    """
    # Read it again: it may have grown between its reading from the outbox and its claiming.
    email.refresh_from_db(fields=["context"])
    assert email.to_user is not None
    new, old = _waiting_seats(email)
    chats = days_chats(email, ROOM // 3 if new else ROOM)
    is_off = email.to_user.gets_no_emails
    if chats and is_off:
        return daily_content(email, chats)
    if len(new) == 1 and not old and not chats and not is_off:
        return _as_its_own(email, new[0])
    return _of_several(email, new, old, chats)


def _waiting_seats(email: OutgoingEmail) -> tuple[list[Seat], list[Seat]]:
    """Return the reader's seats with a pending decision: new ones, and those in an earlier email."""
    assert email.to_user is not None
    first = set(decisions_in(email))
    new, old = list[Seat](), list[Seat]()
    for seat in Seat.objects.waiting_for(email.to_user).filter(played_by_bot=""):
        is_new = (_game_pk(seat), seat.number, seat.decision_step) in first
        (new if is_new else old).append(seat)
    return new, old


def _game_pk(seat: Seat) -> int:
    pk: int = seat.game_pk  # type: ignore[attr-defined]  # of waiting_for
    return pk


def _as_its_own(email: OutgoingEmail, seat: Seat) -> Content | None:
    view = _view_at(email, seat)
    return about_decision("your_turn", email, view, subject=subject_of(view.game.table)) if view else None


def _of_several(
    email: OutgoingEmail, new: list[Seat], old: list[Seat], chats: Sequence[ChannelNews]
) -> Content | None:
    fresh = [row for row in (_row(email, seat) for seat in new) if row]
    known = [row for row in (_row(email, seat) for seat in old) if row]
    if not fresh and not (known and chats):
        return daily_content(email, chats)
    rows = [*fresh, *known]
    context = {
        "rows": rows,
        "chats": chats,
        "commitments": [row for row in rows if row.commitment],
        "subject": _subject_of_several(rows, chats),
        "heading": _heading(len(rows)),
        "page": own_page(email, "my_games"),
        "preferences": own_page(email, "email_preferences"),
    }
    name = _("All games where it’s your turn")
    content = Content(WAITING, context, digests_to(email.to_user_id), WAITING, name)
    return about_turn(email, remembered(content, *(row.view for row in rows)))


def _heading(count: int) -> str:
    return ngettext("It’s your turn in %(n)d game", "It’s your turn in %(n)d games", count) % {"n": count}


def _subject_of_several(rows: Sequence[WaitingGame], chats: Sequence[ChannelNews]) -> str:
    words = {"n": len(rows), "table": name_in_subject(rows[0].name)}
    if len(rows) == 1 and chats:
        # Translators: the subject of an email; table is a game's name
        return _("Your turn and new messages: %(table)s") % words
    if len(rows) == 1:
        # Translators: the subject of an email; table is a game's name
        return _("Your turn: %(table)s") % words
    if not chats:
        return ngettext("Your turn in %(n)d game", "Your turn in %(n)d games", len(rows)) % words
    text = ngettext(
        "Your turn in %(n)d game, and new messages", "Your turn in %(n)d games, and new messages", len(rows)
    )
    return text % words


def _row(email: OutgoingEmail, seat: Seat) -> WaitingGame | None:
    view = _view_at(email, seat)
    if view is None:
        return None
    link = answer_url(linked_decision(email, view))
    return WaitingGame(view, link, deadline_for(view), commitment_for(email, view))


def _view_at(email: OutgoingEmail, seat: Seat) -> Position | None:
    """Return the game as the asked reader sees it, or None if the decision is no longer pending."""
    view = view_of(game_with_seats(_game_pk(seat)), email)
    return view if view is not None and view.decision_step == seat.decision_step else None


# Every move


@email_kind("moved", name=gettext_lazy("Someone moved"))
def moved(email: OutgoingEmail) -> Content | None:
    """Build the email to a player who wants every move: what happened since the last such email.

    Returns None if the reader has a pending decision, because that email says it all. Also returns None if
    they have moved since.
    """
    game = game_of(email)
    view = view_of(game, email)
    if view is None or game.is_over or view.decision_step is not None:
        return None
    news = GameNews(GameLog(view))
    sentences = _sentences(email, news)
    if not sentences:
        return None
    commitment, subject = commitment_for(email, view), _moved_subject(view)
    pictures = pictured(news, sentences)
    content = about_game("moved", email, view, **pictures, subject=subject, commitment=commitment)
    if email.to_user is not None and is_unsubscribed(email.to_user.email, list_of(game)):
        return content  # these are turned off together with the game's other news
    return replace(content, list_id=f"{MOVES}-{game.pk}", list_name=_moves_of(game.pk))


@names_list(MOVES)
def _moves_of(number: int) -> str:
    name = Table.objects.filter(games=number).values_list("name", flat=True).first() or ""
    # Translators: a kind of emails; table is a game's name
    return _("Every move: %(table)s") % {"table": name}


def _sentences(email: OutgoingEmail, news: GameNews) -> list[str]:
    """Return what happened in this email's steps: from its own until the next such email's."""
    following = OutgoingEmail.objects.filter(
        key__startswith=email.key.rpartition(":")[0] + ":", pk__gt=email.pk
    )
    ahead = following.order_by("pk").first()
    steps = [state.step for state in news.log.position.replay.states]
    until = ahead.context["after"] if ahead else steps[-1]
    plies = [ply for ply, step in enumerate(steps[1:]) if email.context["after"] < step <= until]
    return news.sentences_of(plies, with_hand=shows_hand(email))


def _moved_subject(view: Position) -> str:
    # Translators: the subject of an email about others' moves; table is a game's name
    return _("New moves: %(table)s") % {"table": name_in_subject(view.game.table.name)}


# Reminders


@email_kind(
    "reminder",
    name=gettext_lazy("A reminder of your deadline"),
    on_outcome=give_time_for_late_email,
    asks=True,
)
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
    question = linked_decision(email, view)
    context = {
        "table": game.table,
        "view": view,
        "decision": decision_section(view),
        "link": answer_url(question),
        "deadline": deadline_for(view),
        "left": duration(due_at - clock.now()) if due_at > clock.now() else "",
        "moved": _moved_deadline(view, seat),
        "default_move": _default_move(view),
        "preferences": own_page(email, "email_preferences"),
        "say": first_word(Command.SAY),
    }
    content = Content("reminder", context, list_of(game), REMINDERS, _("Reminders of deadlines"))
    stops = switch_of(email.to_user, is_reminder=True)
    return remembered(replace(content, stops=stops, reply_to=reply_address(question)), view)


def _moved_deadline(view: Position, seat: Seat) -> list[str]:
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


def _default_move(view: Position) -> str:
    """Return what the site plays when the time runs out, in a sentence."""
    match view.seen.asked.kind if view.seen.asked else None:
        case Phase.PLACE:
            return _("After that, the site draws a region for you.")
        case Phase.HAND:
            return _("After that, the site keeps your hand.")
        case Phase.KEEP:
            return _("After that, the site keeps your two highest cards.")
    return _("After that, the site passes for you.")
