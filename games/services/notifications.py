"""Puts emails about questions and moves into the outbox, as often as each person wants emails.

Called under a game's lock, in the transaction that asked or moved.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from django.conf import settings
from django.db.models import Q

from accounts import clock
from accounts.mail.digests import MOVED, WAITING, collecting_email
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.notification_frequency import next_send_at
from games.models import Game, Seat


def notify_asked(game: Game, seat: Seat, decision_step: int) -> None:
    """Let one email tell of this seat's open question, in its person's own frequency.

    Seats are told in the order of their people's numbers: so all games lock the emails that collect. A
    question that cannot wait for its person's hour, because he would be reminded before, is told at once.
    """
    if seat.user is None or seat.played_by_bot:
        return  # a guest plays on the page, and a bot plays for who stays away
    now = clock.now()
    due = next_send_at(seat.user, now, now)
    if due is None or _cannot_wait(seat, due):
        about = {"game": game.pk, "seat": seat.number, "decision_step": decision_step}
        key = _own_key(game, seat, decision_step)
        queue("your_turn", to=seat.user, key=key, about=about, hold=settings.EMAIL_HOLD)
    else:
        _collect(game, seat, decision_step, max(due, now + settings.EMAIL_HOLD))


def was_written_to(game: Game, seat: Seat) -> bool:
    """Whether an email about this game has gone to the person in this seat."""
    sent = OutgoingEmail.objects.filter(to_user=seat.user_id, state=OutgoingEmail.State.SENT)
    own = Q(key__startswith=f"your_turn:{game.pk}:{seat.number}:")
    if sent.filter(own | Q(key=f"started:{game.pk}:{seat.number}")).exists():
        return True
    collected = sent.filter(kind=WAITING, created_at__gte=game.started_at)
    questions = (question for email in collected for question in questions_of(email))
    return any(question[:2] == (game.pk, seat.number) for question in questions)


def notify_again(game: Game, seat: Seat) -> None:
    """Tell of this seat's open question if its email was turned off when it came due."""
    told_by = email_about(game, seat)
    if seat.decision_step is None or told_by is None or told_by.state != OutgoingEmail.State.UNSUBSCRIBED:
        return
    if told_by.kind == "your_turn":
        told_by.delete()  # its key is needed again
    notify_asked(game, seat, seat.decision_step)


def _cannot_wait(seat: Seat, due: datetime) -> bool:
    needed_at = seat.remind_at or seat.due_at  # some want no reminders
    return needed_at is not None and needed_at <= due


def _collect(game: Game, seat: Seat, decision_step: int, due: datetime) -> None:
    stem = f"{WAITING}:{seat.person.pk}:"
    email = collecting_email(WAITING, to=seat.person, stem=stem, about={"questions": {}}, due=due)
    questions = email.about.setdefault("questions", {})  # it may have told of chat alone so far
    questions[question_name(game.pk, seat.number, decision_step)] = True
    email.save(update_fields=["about"])


def question_name(game: int, seat: int, decision_step: int | None) -> str:
    """How an email that collects names one question."""
    return f"{game}:{seat}:{decision_step}"


def _own_key(game: Game, seat: Seat, decision_step: int | None) -> str:
    """The key of a question's own email; a seat can change hands (R49)."""
    return f"your_turn:{game.pk}:{seat.number}:{decision_step}:{seat.user_id}"


def email_about(game: Game, seat: Seat) -> OutgoingEmail | None:
    """The one email that tells, or told, of the seat's open question."""
    own = OutgoingEmail.objects.filter(key=_own_key(game, seat, seat.decision_step)).first()
    if own is not None:
        return own
    name = question_name(game.pk, seat.number, seat.decision_step)
    collected = OutgoingEmail.objects.filter(key__startswith=f"{WAITING}:{seat.user_id}:")
    return collected.filter(about__questions__has_key=name).order_by("-pk").first()


def questions_of(email: OutgoingEmail) -> list[tuple[int, int, int]]:
    """The questions that an email of this kind tells of for the first time: game, seat and step."""
    if email.kind == "your_turn":
        return [(email.about["game"], email.about["seat"], email.about["decision_step"])]
    names = email.about.get("questions", {}) if email.kind == WAITING else {}
    return [tuple(int(part) for part in name.split(":")) for name in names]  # type: ignore[misc]


def notify_moved(game: Game, seats: Iterable[Seat], before: int, movers: Collection[int | None]) -> None:
    """The table has seen something happen since step `before`: who wants an email of every move gets one.

    Not who moved himself, nor who is asked now, for that email tells him. Secret answers are no step, so
    these emails give none away (R17).
    """
    for seat in seats:
        if seat.number not in movers and seat.decision_step is None and _wants_every_move(seat):
            collecting_email(
                MOVED,
                to=seat.person,
                stem=f"{MOVED}:{game.pk}:{seat.number}:{seat.user_id}:",
                about={"game": game.pk, "seat": seat.number, "after": before},
                due=clock.now() + settings.EMAIL_HOLD,
            )


def _wants_every_move(seat: Seat) -> bool:
    return seat.user is not None and seat.user.every_move and not seat.played_by_bot
