"""What becomes of a letter under way: closed, parked, or given back; and telling whoever asked to know.

Everything is recorded only while the claim stands (leases.py). A letter the server has taken is recorded as
sent whatever else goes wrong, for it must not be sent again.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Q
from django.utils.module_loading import import_string

from accounts.post import failing, leases
from accounts.post.models import Letter, LetterQuerySet

logger = logging.getLogger(__name__)

Watcher = Callable[[Letter, datetime], None]

DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 15, 60))
# Sooner at first where a connection broke, that to the database too: most breaks are short, and a letter
# cut off may have been taken.
DELAYS_AFTER_A_BREAK = (*(timedelta(seconds=seconds) for seconds in (15, 25, 25, 25)), *DELAYS)
LAST_DELAY = timedelta(hours=2)
MOST_ATTEMPTS = 28  # with the delays above: given up after two days
_FATES = frozenset({Letter.State.SENT, Letter.State.FAILED, Letter.State.BOUNCED})  # others tell nothing new
_LONGEST_ERROR = 1000
_RECORDED_WITHIN = 10.0  # seconds; well inside the lease
_LOOK_AGAIN = 0.5


def close(
    letter: Letter, state: Letter.State, now: datetime, error: str = "", *, address_fails: bool = False
) -> bool:
    """The letter's fate is known; a secret it carried is forgotten. True if it was sent."""
    sent = state == Letter.State.SENT
    letter.state, letter.last_error = state, error[:_LONGEST_ERROR]
    letter.sent_at = now if sent else None
    rows = leases.held(letter.pk, letter.attempts)
    _insist(lambda: _record_and_tell(letter, rows, now, address_fails), sent)
    return sent


def park(
    letter: Letter, now: datetime, error: str, *, for_server: bool = False, is_brief: bool = False
) -> bool:
    """The letter waits longer after each attempt and is given up in the end; never counts as sent.

    With `for_server` it may be the mail server's fault, and the wait ends when that is well again; with
    `is_brief` it is somebody else's fault that is over soon.
    """
    if letter.attempts >= MOST_ATTEMPTS:
        return close(letter, Letter.State.FAILED, now, error)
    delays = DELAYS_AFTER_A_BREAK if for_server or is_brief else DELAYS
    delay = delays[letter.attempts - 1] if letter.attempts <= len(delays) else LAST_DELAY
    columns = {"waits_for_server": True} if for_server else {}
    _record(letter, not_before=now + delay, last_error=error[:_LONGEST_ERROR], **columns)
    return False


def give_back(letter: Letter, error: str) -> None:
    """A server that takes nothing is not the letter's fault: the attempt does not count."""
    _record(letter, attempts=letter.attempts - 1, last_error=error[:_LONGEST_ERROR])


def come_back(letter: Letter, now: datetime, error: str, *, address_fails: bool) -> bool:
    """A letter the server had taken came back, once; False if it never went or came back before.

    It may come back before its worker has recorded that it went.
    """
    went = Q(state=Letter.State.SENT) | Q(state=Letter.State.QUEUED, attempts__gt=0)
    rows = Letter.objects.filter(went, pk=letter.pk)
    if not rows.exists():
        return False
    letter.state, letter.last_error = Letter.State.BOUNCED, error[:_LONGEST_ERROR]
    return _record_and_tell(letter, rows, now, address_fails)


def tell(letter: Letter, now: datetime) -> None:
    """Calls who wants to know the fate of letters of this kind, in the transaction that records it.

    He sees the letter with its new state; his own failure is logged and changes nothing of the fate.
    """
    name = settings.LETTER_FATES.get(letter.kind)
    if name is None or letter.state not in _FATES:
        return
    try:
        with transaction.atomic():
            _watcher(name)(letter, now)
    except (OperationalError, InterfaceError):
        if not connection.is_usable():
            raise  # it is the database that is gone, and all of this is tried again
        logger.exception("the fate of letter %s could not be told", letter.pk)
    except Exception:  # another room's code
        logger.exception("the fate of letter %s could not be told", letter.pk)


def _watcher(name: str) -> Watcher:
    watcher: Watcher = import_string(name)
    return watcher


def _record_and_tell(letter: Letter, rows: LetterQuerySet, now: datetime, address_fails: bool) -> bool:
    """Writes the letter's fate if it still is among these rows; what was told is undone if it is not."""
    # Told first, recorded then: rows of games are locked before rows of letters, as everywhere.
    with transaction.atomic():
        tell(letter, now)
        if address_fails:
            failing.mark(letter, letter.last_error, now)
        known = bool(rows.update(leased_until=None, **_columns(letter)))
        if not known:
            transaction.set_rollback(True)  # another has claimed it: what we know of it counts no more
    return known


def _columns(letter: Letter) -> dict[str, object]:
    columns: dict[str, object] = {
        "state": letter.state,
        "sent_at": letter.sent_at,
        "to_address": letter.to_address,
        "last_error": letter.last_error,
        **_subject(letter),
    }
    if letter.forgets:
        columns["about"] = {}
    if letter.forgets_address:
        columns |= {"to_address": "", "last_error": ""}
    return columns


def _subject(letter: Letter) -> dict[str, object]:
    """What the letter's reader finds in the list of letters to him, unless it may hold a secret or a name."""
    forgets = letter.forgets or letter.forgets_address
    return {} if forgets or not letter.subject else {"subject": letter.subject}


def _record(letter: Letter, **columns: object) -> bool:
    """Writes what became of the attempt, if the claim still stands."""
    return bool(
        leases.held(letter.pk, letter.attempts).update(leased_until=None, **_subject(letter), **columns)
    )


def _insist(record: Callable[[], bool], sent: bool) -> bool:
    """Records; what was sent is recorded even if the database goes away and comes back meanwhile."""
    give_up_at = time.monotonic() + _RECORDED_WITHIN
    while True:
        try:
            return record()
        except DatabaseError:
            if not sent or connection.in_atomic_block or time.monotonic() > give_up_at:
                raise
            logger.warning("a letter's fate could not be recorded; trying again", exc_info=True)
            connection.close()
            time.sleep(_LOOK_AGAIN)
