"""Letters that collect: what would have been several letters to one person goes out in one.

Whatever is put into such a letter before anybody begins to send it is told by it, and whatever comes later is
told by the next: nothing is lost between two, and nothing is told by both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from accounts import present
from accounts.models import User
from accounts.post.models import Letter
from accounts.post.outbox import queue
from accounts.rhythm import letter_due

WAITING = "waiting"  # the kind of letter that collects what is asked of somebody, in his own rhythm
MOVED = "moved"  # and the one that collects what he is told of moves
TALK = "message"  # the one that collects what was said in one circle
DAILY = "daily"  # and what was said in a day, for who gets no letter a day of what waits for him
KINDS = (WAITING, MOVED, TALK, DAILY)


def collecting_letter(kind: str, *, to: User, stem: str, about: Mapping[str, Any], due: datetime) -> Letter:
    """The person's letter under this stem that nobody has begun to send; if there is none, a new one that
    goes at `due`.

    Its row is locked until the caller's transaction ends, so that whoever sends it finds what the caller has
    written. Whoever asks for letters of several people asks in the order of their numbers, as all do.
    """
    while (letter := newest(stem)) is None or not is_untouched(letter):
        # Who finds the same one sent makes the same key, and the outbox lets only one of them in.
        key = f"{stem}{letter.pk if letter else 0}"
        queue(kind, to=to, key=key, about=about, hold=due - present.now())
    return letter


def newest(stem: str) -> Letter | None:
    """The latest letter whose key begins so, locked."""
    found = Letter.objects.select_for_update(of=("self",)).filter(key__startswith=stem)
    return found.order_by("-pk").first()


def is_untouched(letter: Letter) -> bool:
    """Whether nobody is sending this letter, nor has closed it. A sender whose lease has run out may still
    come to and say that he sent it as he wrote it, and a letter whose connection broke may have arrived."""
    is_free = letter.leased_until is None and not letter.waits_for_server
    return letter.state == Letter.State.QUEUED and is_free


def is_being_written(letter: Letter) -> bool:
    """Whether a transaction that is not over yet has put something into this letter, and it must be waited
    for; whoever sends letters does the others meanwhile."""
    if letter.kind not in KINDS:
        return False
    with transaction.atomic():
        row = Letter.objects.select_for_update(of=("self",), skip_locked=True).filter(pk=letter.pk)
        return not list(row.values_list("pk"))


@transaction.atomic
def keep_preferences(user: User, columns: Iterable[str]) -> None:
    """Stores these columns of somebody's preferences; what is under way goes by them from now on."""
    user.save(update_fields=list(columns))
    for name in settings.REMINDER_WATCHERS:  # first: games are locked before letters, as everywhere
        import_string(name)(user, present.now())
    follow_rhythm(user)


@transaction.atomic
def follow_rhythm(user: User) -> None:
    """His preferences were changed: what was collected for him by the old ones goes by the new.

    Every letter stays one letter; one that was tried already goes on being tried.
    """
    now = present.now()
    untried = Letter.objects.filter(kind=WAITING, to_user=user, state=Letter.State.QUEUED, attempts=0)
    for letter in untried:
        due = letter_due(user, letter.created_at, now) or now
        untried.filter(pk=letter.pk).update(not_before=due)
    for name in settings.RHYTHM_WATCHERS:
        import_string(name)(user, now)
