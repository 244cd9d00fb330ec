"""Puts messages into the letters that tell of them, as each reader wants them.

A letter names the messages that it tells, and every message is named by one letter to each reader: it is put
into the letter that collects for him, under the lock of its row, or into the next if that is being sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from accounts import present
from accounts.models import User
from accounts.post.collecting import DAILY, TALK, WAITING, collecting_letter, is_untouched
from accounts.post.models import Letter
from accounts.rhythm import next_digest
from games.models import Seat
from games.press.following import wanted_of_all, wanted_where
from games.press.models import Circle, Message, Mute


@dataclass(frozen=True)
class _Home:
    """The letter that collects for a reader: its kind, how its keys begin, and when it goes."""

    kind: str
    stem: str
    due: datetime


def tell_others(message: Message) -> None:
    """Lets one letter to everybody else who wants one tell of this message, in the order of their numbers."""
    now, circle = present.now(), message.circle
    readers = [one for one in _who_listens(message) if one.pk != message.author_id]
    wanted = wanted_of_all(circle, readers)
    for reader in readers:
        home = _home(circle.pk, reader, wanted[reader.pk], now, now)
        if home is not None:
            _put(home, reader, str(circle.pk), [message.number])


def readers_of(circle: Circle) -> Iterable[User]:
    """The people at the table who read this circle, who can be written to; watchers are not."""
    seats = Seat.objects.filter(table=circle.table_id, user__is_active=True).select_related("user")
    if circle.is_private:
        seats = seats.filter(user__in=circle.members.values("user"))
    return [seat.person for seat in seats.order_by("user")]


def _who_listens(message: Message) -> list[User]:
    """The circle's readers without those who do not want to read its author at this table."""
    mutes = Mute.objects.filter(table=message.circle.table_id, whom=message.author_id)
    deaf = set(mutes.values_list("by_id", flat=True)) if message.author_id else set()
    return [reader for reader in readers_of(message.circle) if reader.pk not in deaf]


def follow_talk(user: User, now: datetime) -> None:
    """His preferences were changed: what waits to be told to him waits where and as long as he wants now.

    A letter that was tried already goes on being tried. What he wants no letters of is left where it is, and
    left out when that letter is written.
    """
    letters = Letter.objects.select_for_update(of=("self",)).filter(
        to_user=user, kind__in=(TALK, DAILY, WAITING), state=Letter.State.QUEUED, attempts=0
    )
    # One by one: what one held may have been put into the next.
    for pk in list(letters.order_by("pk").values_list("pk", flat=True)):
        letter = letters.filter(pk=pk).first()
        if letter is not None and is_untouched(letter):
            _settle(letter, user, now)


def _settle(letter: Letter, user: User, now: datetime) -> None:
    """Moves what this letter tells to where it belongs now."""
    talk = letter.about.get("talk", {})
    wanted = wanted_where(talk, user)
    for circle, numbers in list(talk.items()):
        home = _home(int(circle), user, wanted[circle], letter.created_at, now)
        if home is not None and home.kind != letter.kind:
            del talk[circle]
            _put(home, user, circle, numbers)
        elif home is not None and letter.kind != WAITING:
            letter.not_before = home.due
    if letter.kind != WAITING and not talk:
        letter.delete()
    else:
        letter.save(update_fields=["about", "not_before"])


def _home(circle: int, reader: User, wanted: str, since: datetime, now: datetime) -> _Home | None:
    """The letter that tells him what was said in this circle since then; None: he wants none."""
    match wanted:
        case User.TalkLetters.AT_ONCE:
            return _own_letter(circle, reader, max(now, since + settings.TALK_HOLD))
        case User.TalkLetters.BATCHED:
            return _own_letter(circle, reader, max(now, since + timedelta(minutes=reader.batch_minutes)))
        case User.TalkLetters.DIGEST:
            kind = WAITING if reader.rhythm == User.Rhythm.DIGEST else DAILY
            return _Home(kind, f"{kind}:{reader.pk}:", next_digest(reader, now))
    return None


def _own_letter(circle: int, reader: User, due: datetime) -> _Home:
    return _Home(TALK, f"talk:{circle}:{reader.pk}:", due)


def _put(home: _Home, reader: User, circle: str, numbers: Iterable[int]) -> None:
    letter = collecting_letter(home.kind, to=reader, stem=home.stem, about={"talk": {}}, due=home.due)
    talk = letter.about.setdefault("talk", {})
    talk[circle] = sorted({*talk.get(circle, ()), *numbers})
    letter.save(update_fields=["about"])
