"""Do what a reply by email says: move, give a standing order, write to the chat; then send a receipt.

Everything happens in one transaction, once for each message. The signed address says whose reply it is; the
sender is never read. A receipt goes to the player's own address.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from email.message import Message as Mail

from django.db import transaction
from django.utils import translation

from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.receiving import inbox, reading
from accounts.mail.sent_words import Find, finder
from accounts.models import known_language
from games.access import seats_by_link
from games.links import ANSWER_AGE, REPLIES, LinkedDecision, digests_to, list_of
from games.models import Game, Seat
from games.models.locking import locked_game
from games.replies.chat_lines import message_in
from games.replies.line_meanings import is_farewell, without_links
from games.replies.messages_by_reply import write_replied_message
from games.replies.moves_by_reply import make_replied_move
from games.replies.outcomes import CHANGED, RECEIPT, TOLD_ONCE, Fact, ReplyOutcome, fact
from games.replies.text import Reply, read_reply
from games.services.notifications import answer_by_turn

logger = logging.getLogger(__name__)

MOST_RECEIPTS = 10  # for one decision, of replies that changed nothing


@inbox(REPLIES, setting="REPLY_ADDRESS", count=4, max_age=ANSWER_AGE)
def take_reply(numbers: list[int], mail: Mail) -> None:
    """Do what a reply says for the seat in its address, if its player still has it. Safe to repeat."""
    decision = LinkedDecision(*numbers)
    seat = (
        seats_by_link()
        .filter(table__games=decision.game, number=decision.seat, user_id=decision.user)
        .first()
    )
    with reading():
        reply = read_reply(mail, _emails_to(seat)) if seat else None
    if reply is None or seat is None:
        logger.info("a reply to game %s was left aside", decision.game, extra={"automatic": reply is None})
        return
    with translation.override(known_language(seat.person.language)):
        _carry_out_once(decision, seat, reply)


def _emails_to(seat: Seat) -> Find:
    """Return a function that finds words of emails that this player may quote: of one game or of several."""
    games = [list_of(game) for game in seat.table.games.all()]
    return finder(seat.person, [*games, digests_to(seat.user_id)])


@transaction.atomic
def _carry_out_once(decision: LinkedDecision, seat: Seat, reply: Reply) -> None:
    """Do what the reply says, unless it has been done, and queue its receipt."""
    game = locked_game(decision.game)  # replies to one game are taken one at a time
    about = f"reply:{decision.game}:{decision.seat}:{decision.user}:{decision.decision_step}:"
    if OutgoingEmail.objects.filter(key=about + reply.digest).exists():
        return
    facts = [fact(ReplyOutcome.TOO_LONG)] if reply.is_too_long else _carry_out(game, seat, decision, reply)
    outcomes = {ReplyOutcome(one["outcome"]) for one in facts}
    key = about + reply.digest
    if not outcomes & CHANGED:
        key = about + min(outcomes & TOLD_ONCE, default=reply.digest)
        if OutgoingEmail.objects.filter(key__startswith=about).count() >= MOST_RECEIPTS:
            return
    told = {"answers": reply.message_id, "facts": facts}
    turn = answer_by_turn(game, seat, told) if ReplyOutcome.PLAYED in outcomes else ""
    context = {
        "game": decision.game,
        "seat": decision.seat,
        "decision_step": decision.decision_step,
        "turn": turn,
        **told,
    }
    queue(RECEIPT, to=seat.person, key=key, context=context)


def _carry_out(game: Game, seat: Seat, decision: LinkedDecision, reply: Reply) -> list[Fact]:
    """Do what the reply says; return what came of it. A line with a move may be followed by a message."""
    if message_in(reply.lines):
        return [write_replied_message(seat, reply, reply.lines)]
    facts = [make_replied_move(game, seat, decision, reply.lines[0] if reply.lines else reply.below)]
    rest = reply.lines[1:]
    while rest and not without_links(rest[0]):  # empty, or the link of a choice that was copied
        rest = rest[1:]
    if message_in(rest):
        return [*facts, write_replied_message(seat, reply, rest)]
    is_understood = facts[0]["outcome"] != ReplyOutcome.UNREAD
    return [*facts, fact(ReplyOutcome.REST)] if is_understood and _says_more(seat, reply, rest) else facts


def _says_more(seat: Seat, reply: Reply, lines: Sequence[str]) -> bool:
    """Return whether lines say more than a farewell, a link or words of an email of ours."""
    own = [line for line in lines if line not in reply.words.repeating and without_links(line)]
    return not all(is_farewell(line, seat.person.shown_name) for line in own)
