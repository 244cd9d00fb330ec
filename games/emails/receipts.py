"""Receipts: what came of a reply by email, in the same conversation."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from games.chat.access import reader_at
from games.emails.choices import OfferedChoices, offered_choices
from games.emails.game_context import deadline_for, game_of, remembered, shows_hand, view_of
from games.emails.turns import linked_decision, words_to_reply
from games.links import LinkedDecision, answer_url, list_of, reply_address
from games.narration.orders import refused_order
from games.narration.refusals import refusal, unreadable
from games.orders import Problem, Wrong
from games.presenters.choices import move_made
from games.presenters.decision import decision_section
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.hand import steps_title
from games.presenters.position import Position
from games.presenters.result import result_section
from games.presenters.seats import players_section
from games.replies.outcomes import CHANGED, RECEIPT, Fact, ReplyOutcome
from games.rules import IllegalMove, Reason, parse_move


@email_kind(RECEIPT, name=gettext_lazy("An answer to your reply"))
def reply_receipt(email: OutgoingEmail) -> Content | None:
    """Build the receipt: what the reply did and what followed, or why not, and what is possible now."""
    game = game_of(email)
    view = view_of(game, email)
    if view is None or email.to_user is None:
        return None
    outcomes = {ReplyOutcome(one["outcome"]) for one in email.context["facts"]}
    replied_to = LinkedDecision(
        game.pk, email.context["seat"], email.to_user.pk, email.context["decision_step"]
    )
    decision = replied_to if view.decision_step is None else linked_decision(email, view)
    asks_again = view.decision_step is not None and not outcomes & CHANGED
    choices = _choices(email, view, decision) if asks_again else OfferedChoices()
    context = {
        "table": game.table,
        "view": view,
        "decision": decision_section(view),
        "result": result_section(view, players_section(view).rows),
        "subject": _subject(view),
        "sentences": [_told(one, view) for one in email.context["facts"]],
        "ways": [way for one in email.context["facts"] for way in _ways(one, view)],
        "news": _news(email, view) if ReplyOutcome.PLAYED in outcomes else [],
        "is_told_once": ReplyOutcome.UNREAD in outcomes,
        "asks_again": asks_again,
        "choices": choices,
        **words_to_reply(choices),
        "deadline": deadline_for(view) if asks_again else None,
        "link": answer_url(decision),
    }
    answers = email.context["answers"]
    typed = tuple(str(one[key]) for one in email.context["facts"] for key in ("text", "name") if key in one)
    content = Content(
        RECEIPT,
        context,
        list_of(game),
        reply_to=reply_address(decision),
        answers=answers,
        common_words=typed,
    )
    return remembered(content, view)


def _news(email: OutgoingEmail, view: Position) -> list[str]:
    return GameNews(GameLog(view)).sentences(with_hand=shows_hand(email))


def _subject(view: Position) -> str:
    """Return the subject of the turn email, as mail programs write it above a reply."""
    # Translators: the subject of an answer to “Your turn: %(table)s”; it must be the same after “Re: ”
    return _("Re: Your turn: %(table)s") % {"table": name_in_subject(view.game.table.name)}


def _choices(email: OutgoingEmail, view: Position, decision: LinkedDecision) -> OfferedChoices:
    return offered_choices(view, answer_url(decision), with_cards=shows_hand(email))


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


def _ordered(_told: Fact, _view: Position) -> str:
    return _("Your standing order is in. Only you can see it.")


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


def _nobody(told: Fact, _view: Position) -> str:
    # Translators: name is what the reader typed as the name of a player.
    return _("No other player here is called “%(name)s”. Nothing was sent.") % {"name": told["name"]}


def _silent(told: Fact, view: Position) -> str:
    """Return why nothing could be written, as it is now."""
    seat = view.game.table.all_seats()[view.viewer or 0]
    reader = reader_at(view.game.table, seat.user)
    channel = reader.main_channel
    why = reader.why_no_channel if told["is_private"] else reader.why_silent(channel) if channel else ""
    return why or _("Your message was not sent. Write it on the game’s page.")


_SENTENCES: dict[ReplyOutcome, Callable[[Fact, Position], str]] = {
    ReplyOutcome.PLAYED: _played,
    ReplyOutcome.ORDERED: _ordered,
    ReplyOutcome.SAID: lambda told, view: _("Your message is sent."),
    ReplyOutcome.UNREAD: _unread,
    ReplyOutcome.UNCLEAR: _unclear,
    ReplyOutcome.ILLEGAL: _illegal,
    ReplyOutcome.BAD_ORDER: _bad_order,
    ReplyOutcome.KEPT: lambda told, view: _(
        "You have already made your move for that turn. It was not changed."
    ),
    ReplyOutcome.CLOSED: lambda told, view: _("That turn is over. Nothing was changed."),
    ReplyOutcome.NOBODY: _nobody,
    ReplyOutcome.NO_TEXT: lambda told, view: _("The message is empty or too long. Nothing was sent."),
    ReplyOutcome.QUOTED: lambda told, view: _(
        "Your message contains text or a link from one of our emails. Nothing was sent, so that no one sees "
        "your cards. Write it again above the quoted email, without that text."
    ),
    ReplyOutcome.SILENT: _silent,
    ReplyOutcome.TOO_MANY: lambda told, view: _(
        "You have written too many messages for now. Nothing was sent. Write again later."
    ),
    ReplyOutcome.TOO_LONG: lambda told, view: _(
        "Your reply is longer than we can read. Nothing was changed. Delete all that is below your words, "
        "and send it again."
    ),
}
