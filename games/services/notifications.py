"""Queue emails about turns and moves, as often as each player wants them.

Call these under the game's lock, in the transaction that put the decision or made the move.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts import clock
from accounts.availability import hours_of_person
from accounts.mail.collecting import MOVED, WAITING, collecting_email, is_open
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import NO_HOLD, queue
from accounts.mail.send_times import next_send_at
from accounts.models import User
from accounts.push.models import Push
from accounts.push.queueing import notify
from accounts.working_hours import open_spans
from games.clocks.counted_hours import HIDDEN
from games.models import Game, Seat

TOLD_OF_A_REPLY = ("answers", "facts")  # what a receipt, or the turn email that stands in for it, knows
DECISIONS = "questions"  # in the context of a digest; queued emails have it, so the word stays


def notify_asked(game: Game, seat: Seat, decision_step: int) -> None:
    """Queue one email about this seat's pending decision, by its player's notification frequency.

    Seats are handled in order of user number, so all games lock the digests in one order. If a reminder would
    be due before the digest, the email goes out at once. It also does if the game waits for this player
    alone, where they have not turned that off.
    """
    if seat.user is None or seat.played_by_bot:
        return  # a guest plays on the page, and a bot plays for an absent player
    now = clock.now()
    key, context = _own_key(game, seat, decision_step), _about(game, seat, decision_step)
    notify(Push.Kind.TURN, seat.user, key=key, email_key=key, context=context)
    due = _due(seat, seat.user, now)
    if due is None or _cannot_wait(seat, due):
        _queue_turn(game, seat, decision_step, settings.EMAIL_HOLD)
    else:
        _collect(game, seat, decision_step, max(due, now + settings.EMAIL_HOLD))


def _queue_turn(game: Game, seat: Seat, decision_step: int | None, hold: timedelta) -> OutgoingEmail:
    """Queue the email about one decision alone."""
    key, context = _own_key(game, seat, decision_step), _about(game, seat, decision_step)
    return queue("your_turn", to=seat.person, key=key, context=context, hold=hold)


def _about(game: Game, seat: Seat, decision_step: int | None) -> dict[str, int | None]:
    """Return the context of an email or a notification about one decision."""
    return {"game": game.pk, "seat": seat.number, "decision_step": decision_step}


def answer_by_turn(game: Game, seat: Seat, reply: Mapping[str, Any]) -> str:
    """Let the email about the seat's pending decision answer the reply that led to it; return its key.

    It leaves at once, for readers of the daily email too: they are there now. Returns an empty string if the
    seat has no decision that is still to be announced.
    """
    seat.refresh_from_db(fields=["decision_step", "played_by_bot"])
    email = email_about(game, seat) if seat.decision_step is not None and not seat.played_by_bot else None
    if email is None or not is_open(email):
        return ""
    if email.kind == WAITING:
        del email.context[DECISIONS][decision_key(game.pk, seat.number, seat.decision_step)]
        email.save(update_fields=["context"])
        email = _queue_turn(game, seat, seat.decision_step, NO_HOLD)
    email.context["reply"], email.not_before = dict(reply), clock.now()
    email.save(update_fields=["context", "not_before"])
    return email.key


@transaction.atomic
def let_turn_answer(receipt: OutgoingEmail, game: Game, seat: Seat) -> bool:
    """Let the email about a turn that came since a reply answer it too, unless it has begun to leave.

    Returns whether it does. It then leaves at once, as the receipt would. Digests leave at their own hour.
    """
    if seat.decision_step is None:
        return False
    rows = OutgoingEmail.objects.select_for_update(of=("self",), skip_locked=True)
    turn = rows.filter(key=_own_key(game, seat, seat.decision_step)).first()
    if turn is None or not is_open(turn) or "reply" in turn.context:
        return False
    turn.context["reply"] = {part: receipt.context[part] for part in TOLD_OF_A_REPLY}
    turn.not_before = min(turn.not_before, clock.now())
    turn.save(update_fields=["context", "not_before"])
    receipt.context["turn"] = turn.key
    receipt.save(update_fields=["context"])
    return True


def is_answered_by_turn(receipt: OutgoingEmail) -> bool:
    """Return whether a turn email answers the reply that this receipt is for."""
    told = (OutgoingEmail.State.QUEUED, OutgoingEmail.State.SENT)
    key = receipt.context.get("turn", "")
    return bool(key) and OutgoingEmail.objects.filter(key=key, state__in=told).exists()


def with_earlier_emails(games: QuerySet[Game], pk: int, user: int | None) -> QuerySet[Game]:
    """Return these games; that with this key says if emails about it, and digests, went to this person."""
    own = Q(key__startswith=f"your_turn:{pk}:") | Q(key__startswith=f"started:{pk}:")
    digests = _digests(user).filter(created_at__gte=OuterRef("started_at"))
    return games.annotate(had_email=Exists(_sent(user).filter(own)), had_digest=Exists(digests))  # type: ignore[no-redef]  # False in games that are read without


def was_written_to(game: Game, seat: Seat) -> bool:
    """Return whether an email about this game has gone to the player in this seat, who is its reader."""
    return game.had_email or _was_collected(game, seat)


def had_turn_email(game: Game, seat: Seat) -> bool:
    """Return whether an email about a turn in this game has gone to the player in this seat, its reader."""
    if game.had_email and _sent(seat.user_id).filter(key__startswith=f"your_turn:{game.pk}:").exists():
        return True
    return _was_collected(game, seat)


def _was_collected(game: Game, seat: Seat) -> bool:
    """Return whether a digest has announced a turn in this game to the player in this seat."""
    if not game.had_digest:
        return False
    collected = _digests(seat.user_id).filter(created_at__gte=game.started_at)
    return any(decision[0] == game.pk for email in collected for decision in decisions_in(email))


def _digests(user: int | None) -> QuerySet[OutgoingEmail]:
    return _sent(user).filter(key__startswith=f"{WAITING}:{user}:")


def _sent(user: int | None) -> QuerySet[OutgoingEmail]:
    return OutgoingEmail.objects.filter(to_user=user, state=OutgoingEmail.State.SENT)


def notify_again(game: Game, seat: Seat) -> None:
    """Email this seat's pending decision if its email was turned off when it came due."""
    email = email_about(game, seat)
    if seat.decision_step is None or email is None or email.state != OutgoingEmail.State.UNSUBSCRIBED:
        return
    if email.kind == "your_turn":
        email.delete()  # its key is needed again
    notify_asked(game, seat, seat.decision_step)


def _due(seat: Seat, user: User, now: datetime) -> datetime | None:
    """Return when a digest should announce the seat's pending decision; None if an email at once should.

    A player who alone holds up a game hears of it when their quiet hours and days off are over.
    """
    due = next_send_at(user, now, now)
    if due is None or not user.at_once_when_alone or not _is_waited_for_alone(seat):
        return due
    opens, _closes = next(open_spans(hours_of_person(user), now))
    return min(due, opens) if opens > now else None


@transaction.atomic
def move_digests_up(user: User, now: datetime, **_: object) -> None:
    """Send the person's queued digests early again where a game waits for them alone.

    Their new preferences have just put these back to the usual hour.
    """
    queued = OutgoingEmail.objects.filter(kind=WAITING, to_user=user, attempts=0)
    for email in queued.filter(state=OutgoingEmail.State.QUEUED).select_for_update(of=("self",)):
        dues = [_due(seat, user, now) or now for seat in _still_asked(email)]
        email.not_before = min([email.not_before, *dues])
        email.save(update_fields=["not_before"])


def _still_asked(email: OutgoingEmail) -> Iterator[Seat]:
    """Yield the seats of a digest's reader whose decisions in it are still open."""
    mine = Seat.objects.filter(user=email.to_user_id, played_by_bot="")
    for game, number, step in decisions_in(email):
        yield from mine.filter(table__games=game, number=number, decision_step=step)


def _is_waited_for_alone(seat: Seat) -> bool:
    """Return whether other people wait for this seat alone.

    The rules put open decisions to one seat at a time. A secret one never counts: the email would tell that
    no one else was asked (R17).
    """
    others = Seat.objects.people().filter(table=seat.table_id, played_by_bot="").exclude(pk=seat.pk)
    return seat.pending_decision != HIDDEN and others.exists()


def _cannot_wait(seat: Seat, due: datetime) -> bool:
    needed_at = seat.remind_at or seat.due_at  # some players want no reminders
    return needed_at is not None and needed_at <= due


def _collect(game: Game, seat: Seat, decision_step: int, due: datetime) -> None:
    key_prefix = f"{WAITING}:{seat.person.pk}:"
    email = collecting_email(WAITING, to=seat.person, key_prefix=key_prefix, context={DECISIONS: {}}, due=due)
    decisions = email.context.setdefault(DECISIONS, {})  # so far it may have held only chat
    decisions[decision_key(game.pk, seat.number, decision_step)] = True
    if not email.attempts:
        email.not_before = min(email.not_before, due)
    email.save(update_fields=["context", "not_before"])


def decision_key(game: int, seat: int, decision_step: int | None) -> str:
    """Return the name of one decision inside a digest."""
    return f"{game}:{seat}:{decision_step}"


def _own_key(game: Game, seat: Seat, decision_step: int | None) -> str:
    """Return the key of a decision's own email; it names the player, as a seat can change hands (R49)."""
    return turn_key(game.pk, seat.number, decision_step, seat.user_id)


def turn_key(game: int, seat: int, decision_step: int | None, user: int | None) -> str:
    """Return the key of the email about one decision alone."""
    return f"your_turn:{game}:{seat}:{decision_step}:{user}"


def email_about(game: Game, seat: Seat) -> OutgoingEmail | None:
    """Return the one email, sent or queued, about the seat's pending decision."""
    own = OutgoingEmail.objects.filter(key=_own_key(game, seat, seat.decision_step)).first()
    if own is not None:
        return own
    name = decision_key(game.pk, seat.number, seat.decision_step)
    collected = OutgoingEmail.objects.filter(key__startswith=f"{WAITING}:{seat.user_id}:")
    return collected.filter(**{f"context__{DECISIONS}__has_key": name}).order_by("-pk").first()


def emails_about(game: Game, seat: Seat) -> QuerySet[OutgoingEmail]:
    """Return all emails about the seat's pending decision: its own, digests with it, and reminders."""
    own = Q(key=_own_key(game, seat, seat.decision_step))
    reminders = Q(key__startswith=reminder_key(game, seat))
    name = decision_key(game.pk, seat.number, seat.decision_step)
    digests = Q(key__startswith=f"{WAITING}:{seat.user_id}:", **{f"context__{DECISIONS}__has_key": name})
    return OutgoingEmail.objects.filter(own | reminders | digests, to_user=seat.user_id)


def reminder_key(game: Game, seat: Seat) -> str:
    """Return how the keys of reminders about the seat's pending decision begin."""
    return f"reminder:{game.pk}:{seat.number}:{seat.decision_step}:{seat.user_id}:"


def decisions_in(email: OutgoingEmail) -> list[tuple[int, int, int]]:
    """Return the decisions that a digest is the first to mention: game, seat and step."""
    if email.kind == "your_turn":
        return [(email.context["game"], email.context["seat"], email.context["decision_step"])]
    names = email.context.get(DECISIONS, {}) if email.kind == WAITING else {}
    return [(int(game), int(seat), int(step)) for game, seat, step in (name.split(":") for name in names)]


def notify_moved(game: Game, seats: Iterable[Seat], before: int, movers: Collection[int | None]) -> None:
    """Queue emails about moves since step `before` for players who want every move.

    Movers get none, nor do players who must decide now: their turn email says it. Secret answers are no step,
    so these emails reveal none (R17).
    """
    for seat in seats:
        if seat.number not in movers and seat.decision_step is None and _wants_every_move(seat):
            collecting_email(
                MOVED,
                to=seat.person,
                key_prefix=f"{MOVED}:{game.pk}:{seat.number}:{seat.user_id}:",
                context={"game": game.pk, "seat": seat.number, "after": before},
                due=clock.now() + settings.EMAIL_HOLD,
            )


def _wants_every_move(seat: Seat) -> bool:
    return seat.user is not None and seat.user.every_move and not seat.played_by_bot
