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

from accounts.characters import cut
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.receiving import inbox, reading
from accounts.mail.sent_words import Find, finder
from accounts.models import known_language
from games.access import seats_by_link
from games.chat.access import Reader, reader_at
from games.chat.forms import MessageForm
from games.chat.models import Channel
from games.chat.services import TooMany, begin_channel, write
from games.links import ANSWER_AGE, REPLIES, Question, digests_to, list_of
from games.models import Game, LogEntry, Seat
from games.models.locking import locked_game
from games.models.replay import replayed_for
from games.narration.roster import shown_names
from games.orders import Aside
from games.presenters.game_view import GameView
from games.replies.outcomes import CHANGED, RECEIPT, TOLD_ONCE, Fact, Outcome, fact
from games.replies.text import Reply, read_reply
from games.replies.words import (
    Message,
    Play,
    StandAside,
    Unclear,
    matching,
    meaning_of,
    message_in,
    without_links,
)
from games.rules import IllegalMove, parse_move
from games.services import AlreadyPlayed, BadOrder, NotAsked, Refused, StaleOrder, give_order, submit_move

logger = logging.getLogger(__name__)

MOST_RECEIPTS = 10  # for one decision, of replies that changed nothing
LONGEST_QUOTE = 60  # characters of a line that was not understood


@inbox(REPLIES, setting="REPLY_ADDRESS", count=4, max_age=ANSWER_AGE)
def take_reply(numbers: list[int], mail: Mail) -> None:
    """Do what a reply says for the seat in its address, if its player still has it. Safe to repeat."""
    question = Question(*numbers)
    seat = (
        seats_by_link()
        .filter(table__games=question.game, number=question.seat, user_id=question.user)
        .first()
    )
    with reading():
        reply = read_reply(mail, _emails_to(seat)) if seat else None
    if reply is None or seat is None:
        logger.info("a reply to game %s was left aside", question.game, extra={"automatic": reply is None})
        return
    with translation.override(known_language(seat.person.language)):
        _answer(question, seat, reply)


def _emails_to(seat: Seat) -> Find:
    """Return what finds words of the emails that this player may quote: of these games, or of several."""
    games = [list_of(game) for game in seat.table.games.all()]
    return finder(seat.person, [*games, digests_to(seat.user_id)])


@transaction.atomic
def _answer(question: Question, seat: Seat, reply: Reply) -> None:
    game = locked_game(Game.objects.get(pk=question.game))  # replies to one game are taken one at a time
    about = f"reply:{question.game}:{question.seat}:{question.user}:{question.decision_step}:"
    if OutgoingEmail.objects.filter(key=about + reply.digest).exists():
        return
    facts = [fact(Outcome.TOO_LONG)] if reply.is_too_long else _facts(game, seat, question, reply)
    outcomes = {Outcome(one["outcome"]) for one in facts}
    key = about + reply.digest
    if not outcomes & CHANGED:
        key = about + min(outcomes & TOLD_ONCE, default=reply.digest)
        if OutgoingEmail.objects.filter(key__startswith=about).count() >= MOST_RECEIPTS:
            return
    context = {
        "game": question.game,
        "seat": question.seat,
        "decision_step": question.decision_step,
        "answers": reply.message_id,
        "facts": facts,
    }
    queue(RECEIPT, to=seat.person, key=key, context=context)


def _facts(game: Game, seat: Seat, question: Question, reply: Reply) -> list[Fact]:
    """Do what the reply says; return what came of it. A line with a move may be followed by a message."""
    if message_in(reply.lines):
        return [_written(seat, reply, reply.lines)]
    facts = [_moved(game, seat, question, reply.lines[0] if reply.lines else reply.below)]
    rest = reply.lines[1:]
    while rest and not without_links(rest[0]):  # empty, or the link of a choice that was copied
        rest = rest[1:]
    return [*facts, _written(seat, reply, rest)] if message_in(rest) else facts


# Moves and standing orders


def _moved(game: Game, seat: Seat, question: Question, line: str) -> Fact:
    view = _view_of(game, seat)
    if view.decision_step != question.decision_step:
        return _ordered_later(view, seat, question, line)
    match meaning_of(line, view):
        case Play(move, order):
            return _submitted(game, seat, question, Play(move, order))
        case StandAside():
            return _submitted(game, seat, question, Play(parse_move("pass"), Aside()))
        case Unclear(card):
            return fact(Outcome.UNCLEAR, card=card)
    return fact(Outcome.UNREAD, text=cut(line, LONGEST_QUOTE))


def _view_of(game: Game, seat: Seat) -> GameView:
    names = shown_names(seat.table.all_seats(), seat.user)
    return GameView(game, replayed_for(game, seat.number), names, seat.number, reader=seat.number)


def _submitted(game: Game, seat: Seat, question: Question, play: Play) -> Fact:
    try:
        played = submit_move(
            game, seat, play.move, question.decision_step, LogEntry.Via.EMAIL, order=play.order
        )
    except IllegalMove as error:
        return fact(Outcome.ILLEGAL, reason=error.reason.name)
    except BadOrder as bad:
        return fact(Outcome.BAD_ORDER, wrong=bad.problems[0].wrong, card=bad.problems[0].card)
    except AlreadyPlayed:
        return fact(Outcome.KEPT)
    except (NotAsked, Refused):
        return fact(Outcome.CLOSED)
    if played.again:
        return fact(Outcome.KEPT)
    return fact(Outcome.PLAYED, move=str(play.move), has_order=play.order is not None)


def _ordered_later(view: GameView, seat: Seat, question: Question, line: str) -> Fact:
    """Stand aside after the answer to the question; anything else came too late."""
    answers = LogEntry.objects.filter(game=view.game, seat=seat.number, decision_step__isnull=False)
    newest = answers.order_by("-ply").values_list("decision_step", flat=True).first()
    is_newest = newest == question.decision_step and view.seen.asked is None
    if is_newest and meaning_of(line, view) == StandAside():
        return _stood_aside(view, seat)
    is_kept = answers.filter(decision_step=question.decision_step).exists()
    return fact(Outcome.KEPT if is_kept else Outcome.CLOSED)


def _stood_aside(view: GameView, seat: Seat) -> Fact:
    try:
        give_order(view.game, seat, Aside(), view.replay.state.step)
    except BadOrder as bad:
        return fact(Outcome.BAD_ORDER, wrong=bad.problems[0].wrong, card=bad.problems[0].card)
    except (StaleOrder, Refused):
        return fact(Outcome.CLOSED)
    return fact(Outcome.ORDERED)


# Messages to the chat


def _written(seat: Seat, reply: Reply, lines: Sequence[str]) -> Fact:
    """Write the message of these lines, unless it holds words of an email of ours."""
    message = message_in(lines)
    assert message is not None
    return _sent(seat, message) if reply.words.may_be_sent(lines) else fact(Outcome.QUOTED)


def _sent(seat: Seat, message: Message) -> Fact:
    """Write a message; a channel that was begun for it goes again if nothing could be written."""
    reader = reader_at(seat.table, seat.user)
    form = MessageForm({"text": message.text})
    if not form.is_valid():
        return fact(Outcome.NO_TEXT)
    chosen = [matching(name, [name for _number, name in reader.others]) for name in message.names]
    for name, found in zip(message.names, chosen, strict=True):
        if len(found) != 1:
            return fact(Outcome.NOBODY, name=cut(name, LONGEST_QUOTE))
    try:
        with transaction.atomic():
            channel = _channel(seat, reader, [found[0] for found in chosen])
            write(seat, form.cleaned_data["text"], channel=channel)
    except TooMany:
        return fact(Outcome.TOO_MANY)
    except Refused:
        return fact(Outcome.SILENT, is_private=bool(message.names))
    return fact(Outcome.SAID)


def _channel(seat: Seat, reader: Reader, names: list[str]) -> Channel | None:
    """Return the private channel with these players; None for the public one."""
    if not names:
        return None
    numbers = {number for number, name in reader.others if name in names}
    return begin_channel(seat, reader.seats_chosen(numbers))
