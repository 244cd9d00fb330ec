"""The digest: one email about all games where it's its reader's turn, and a day's chat.

A builder returns None if there is no reason to write any more. Each email shows its reader their own
decisions and observations, and no one else's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from games.chat.emails.channel_news import ROOM, ChannelNews, days_chats
from games.chat.emails.chat_emails import daily_content
from games.emails.game_context import (
    Commitment,
    EmailDeadline,
    about_turn,
    commitment_for,
    deadline_for,
    game_with_seats,
    goal_for_beginner,
    own_seat,
    remembered,
    view_of,
)
from games.emails.turns import about_decision, linked_decision, subject_of
from games.links import answer_url, digests_to, seat_url
from games.models import Seat
from games.presenters.battle import prize_of
from games.presenters.decision import decision_section
from games.presenters.position import Position
from games.services.late_emails import give_time_for_late_email
from games.services.notifications import decisions_in

WAITING = "waiting"  # the template, and the list id by which mail programs sort


@dataclass(frozen=True)
class WaitingGame:
    """One pending game, as the email shows it: what to do, until when, and the link."""

    view: Position
    link: str
    deadline: EmailDeadline | None
    commitment: Commitment | None
    goal: str = ""  # what wins, for a beginner

    @property
    def name(self) -> str:
        return self.view.game.table.name

    @property
    def decision(self) -> str:
        """What to do, in a sentence."""
        return decision_section(self.view).sentence

    @property
    def prize(self) -> str:
        """For whom the contested region would win the game."""
        return prize_of(self.view)


@email_kind(
    "waiting", name=gettext_lazy("Games where it’s your turn"), on_outcome=give_time_for_late_email, asks=True
)
def waiting(email: OutgoingEmail) -> Content | None:
    """Build the digest: the user's pending games, those not emailed before first, and a day's chat.

    Returns None if none of the new games is pending any more and no one wrote. A single game looks like a
    turn email of its own, and so does chat without games.
    """
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
        "how": next((seat_url(seat) for row in rows if row.commitment and (seat := own_seat(row.view))), ""),
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
    return WaitingGame(view, link, deadline_for(view), commitment_for(email, view), goal_for_beginner(view))


def _view_at(email: OutgoingEmail, seat: Seat) -> Position | None:
    """Return the game as the asked reader sees it, or None if the decision is no longer pending."""
    view = view_of(game_with_seats(_game_pk(seat), email), email)
    return view if view is not None and view.decision_step == seat.decision_step else None
