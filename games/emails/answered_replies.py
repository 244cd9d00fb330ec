"""What a reply did, in sentences: for its receipt, or for the turn email that stands in for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from games.chat.access import Reader, reader_at
from games.narration.orders import refused_order
from games.narration.refusals import refusal, unreadable
from games.orders import Problem, Wrong
from games.presenters.choices import move_made
from games.presenters.hand import steps_title
from games.presenters.orders import standing_order_text
from games.presenters.position import Position
from games.replies.commands import Command, first_word
from games.replies.outcomes import Fact, ReplyOutcome
from games.rules import IllegalMove, Reason, parse_move


@dataclass(frozen=True)
class AnsweredReply:
    """A reply that an email answers: what it did, and how to say it better."""

    sentences: tuple[str, ...]
    ways: tuple[str, ...]  # to play a card whose reply named none, each as a reply can say it
    typed: tuple[str, ...]  # words of the reply that the email repeats
    message_id: str
    names_chat: bool  # a sentence says how to write to everyone


def answered_reply(told: Mapping[str, Any], view: Position) -> AnsweredReply:
    """Return the reply that an email's context tells of: its facts, and the Message-ID that it had."""
    facts: list[Fact] = told["facts"]
    return AnsweredReply(
        tuple(_told(one, view) for one in facts),
        tuple(way for one in facts for way in _ways(one, view)),
        tuple(str(one[key]) for one in facts for key in ("text", "name") if key in one),
        str(told["answers"]),
        any(one["outcome"] == ReplyOutcome.REST for one in facts) and not _why_silent(view),
    )


def about_message(told: Fact) -> str:
    """Return what came of a message, where that depends on no game; empty for other outcomes."""
    match ReplyOutcome(told["outcome"]):
        case ReplyOutcome.SAID:
            return _("Your message is sent.")
        case ReplyOutcome.NOBODY:
            # Translators: name is what the reader typed as the name of a player.
            return _("No other player here is called “%(name)s”. Nothing was sent.") % {"name": told["name"]}
        case ReplyOutcome.NO_TEXT:
            return _("The message is empty or too long. Nothing was sent.")
        case ReplyOutcome.TOO_MANY:
            return _("You have written too many messages for now. Nothing was sent. Write again later.")
        case ReplyOutcome.TOO_LONG:
            return _(
                "Your reply is longer than we can read. Nothing was changed. Delete all that is below your "
                "words, and send it again."
            )
    return ""


def _ways(told: Fact, view: Position) -> list[str]:
    """Return the ways to play a card whose reply named none, each as a reply can say it."""
    if told["outcome"] != ReplyOutcome.UNCLEAR:
        return []
    return [step.name for pick in view.choices.picks if pick.key == told["card"] for step in pick.steps]


def _told(told: Fact, view: Position) -> str:
    return _SENTENCES[ReplyOutcome(told["outcome"])](told, view)


def _played(told: Fact, view: Position) -> str:
    made = move_made(parse_move(told["move"]), view.names, view.viewer)
    return f"{made} {_ordered(told, view)}" if told["has_order"] else made


def _ordered(_told: Fact, view: Position) -> str:
    """Return that an order was given, and what it does while it stands."""
    given = _("Your standing order is in. Only you can see it.")
    return " ".join(filter(None, [given, standing_order_text(view)]))


def _unread(told: Fact, _view: Position) -> str:
    text = told["text"]
    sentence = unreadable(text) if text else _("We found no words of yours in your reply.")
    return f"{sentence} {_unchanged()}"


def _unclear(told: Fact, _view: Position) -> str:
    return f"{steps_title(told['card'])} {_unchanged()}"


def _illegal(told: Fact, _view: Position) -> str:
    return f"{refusal(IllegalMove(Reason[told['reason']]))} {_unchanged()}"


def _unchanged() -> str:
    return _("Nothing was changed.")


def _bad_order(told: Fact, _view: Position) -> str:
    return refused_order([Problem(Wrong(told["wrong"]), told["card"])])


def _rest(_told: Fact, view: Position) -> str:
    """Return that words below a move went nowhere, and how they would go to everyone, if they may."""
    if why := _why_silent(view):
        # Translators: why is a sentence: why no one can write in the chat now
        return _("The rest was not sent. %(why)s") % {"why": why}
    # Translators: say is the first word of a reply by email
    return _("The rest was not sent. To write to everyone, begin with “%(say)s:”.") % {
        "say": first_word(Command.SAY)
    }


def _silent(told: Fact, view: Position) -> str:
    """Return why nothing could be written, as it is now."""
    why = _reader_in(view).why_no_channel if told["is_private"] else _why_silent(view)
    return why or _("Your message was not sent. Write it on the game’s page.")


def _why_silent(view: Position) -> str:
    """Return why the reader may not write to everyone now; empty if they may."""
    reader = _reader_in(view)
    channel = reader.main_channel
    return reader.why_silent(channel) if channel else ""


def _reader_in(view: Position) -> Reader:
    seat = view.game.table.all_seats()[view.viewer or 0]
    return reader_at(view.game.table, seat.user)


_SENTENCES: dict[ReplyOutcome, Callable[[Fact, Position], str]] = {
    ReplyOutcome.PLAYED: _played,
    ReplyOutcome.ORDERED: _ordered,
    ReplyOutcome.SAID: lambda told, view: about_message(told),
    ReplyOutcome.REST: _rest,
    ReplyOutcome.UNREAD: _unread,
    ReplyOutcome.UNCLEAR: _unclear,
    ReplyOutcome.ILLEGAL: _illegal,
    ReplyOutcome.BAD_ORDER: _bad_order,
    ReplyOutcome.KEPT: lambda told, view: _(
        "You have already made your move for that turn. It was not changed."
    ),
    ReplyOutcome.CLOSED: lambda told, view: _("That turn is over. Nothing was changed."),
    ReplyOutcome.NOBODY: lambda told, view: about_message(told),
    ReplyOutcome.NO_TEXT: lambda told, view: about_message(told),
    ReplyOutcome.QUOTED: lambda told, view: _(
        "Your message contains text or a link from one of our emails. Nothing was sent, so that no one sees "
        "your cards. Write it again above the quoted email, without that text."
    ),
    ReplyOutcome.SILENT: _silent,
    ReplyOutcome.TOO_MANY: lambda told, view: about_message(told),
    ReplyOutcome.TOO_LONG: lambda told, view: about_message(told),
}
