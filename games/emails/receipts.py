"""Receipts: what came of a reply by email, in the same conversation."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from games.emails.answered_replies import answered_reply
from games.emails.choices import OfferedChoices, offered_choices
from games.emails.game_context import deadline_for, game_of, own_seat, remembered, shows_hand, view_of
from games.emails.turns import linked_decision, subject_of_answer, words_to_reply
from games.links import LinkedDecision, answer_url, list_of, reply_address
from games.presenters.battle import prize_of
from games.presenters.decision import decision_section
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.position import Position
from games.presenters.result import result_section
from games.presenters.seats import players_section
from games.replies.outcomes import RECEIPT, ReplyOutcome
from games.rules import GameEnded
from games.services.notifications import is_answered_by_turn, let_turn_answer


@email_kind(RECEIPT, name=gettext_lazy("An answer to your reply"))
def reply_receipt(email: OutgoingEmail) -> Content | None:
    """Build the receipt: what the reply did and what followed, or why not, and what is possible now.

    Returns None if a turn email says it all.
    """
    game = game_of(email)
    view = view_of(game, email)
    if view is None or email.to_user is None or is_answered_by_turn(email):
        return None
    outcomes = {ReplyOutcome(one["outcome"]) for one in email.context["facts"]}
    seat = own_seat(view)
    if ReplyOutcome.PLAYED in outcomes and seat is not None and let_turn_answer(email, game, seat):
        return None
    reply = answered_reply(email.context, view)
    replied_to = LinkedDecision(
        game.pk, email.context["seat"], email.to_user.pk, email.context["decision_step"]
    )
    decision = replied_to if view.decision_step is None else linked_decision(email, view)
    choices = _choices(email, view, decision)
    news = GameNews(GameLog(view)) if ReplyOutcome.PLAYED in outcomes else None
    context = {
        "table": game.table,
        "view": view,
        "decision": decision_section(view),
        "prize": prize_of(view),
        "result": None if news and _tells_result(news) else result_section(view, players_section(view).rows),
        "subject": subject_of_answer(game.table),
        "reply": reply,
        "news": news.sentences(with_hand=shows_hand(email)) if news else [],
        "is_told_once": ReplyOutcome.UNREAD in outcomes,
        "choices": choices,
        **words_to_reply(choices),
        "deadline": deadline_for(view),
        "link": answer_url(decision),
    }
    content = Content(
        RECEIPT,
        context,
        list_of(game),
        reply_to=reply_address(decision),
        answers=reply.message_id,
        common_words=reply.typed,
    )
    return remembered(content, view)


def _tells_result(news: GameNews) -> bool:
    return any(isinstance(event, GameEnded) for event in news.events)


def _choices(email: OutgoingEmail, view: Position, decision: LinkedDecision) -> OfferedChoices:
    if view.decision_step is None:
        return OfferedChoices()
    return offered_choices(view, answer_url(decision), with_cards=shows_hand(email))
