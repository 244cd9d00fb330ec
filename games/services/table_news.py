"""A table's public news, for the channels that its host added: it's over, or what the host writes.

None of it says more than that. Others may read there.
"""

from __future__ import annotations

from uuid import uuid4

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.push.models import NoticeTarget
from accounts.push.queueing import queue_news
from accounts.rate_limits import hit
from games.models import Table
from games.models.locking import Refused

TABLE = "table"  # before the number, in a target's subject
OVER, WORDS = "table_over", "table_words"
KINDS = ((OVER, gettext_lazy("That the game is over")), (WORDS, gettext_lazy("What you write here")))
MESSAGES_A_DAY = 20


def subject_of(table: int) -> str:
    """Return what news about this table have as subject."""
    return f"{TABLE}:{table}"


def name_of(number: int) -> str:
    """Return the name of the table with this number; empty if it's gone."""
    return str(Table.objects.filter(pk=number).values_list("name", flat=True).first() or "")


def told_of(table: Table) -> list[str]:
    """Return the names of the services that get the table's news, each once, for everyone at the table."""
    targets = NoticeTarget.objects.filter(subject=subject_of(table.pk), user=table.host_id, off_at=None)
    return list(dict.fromkeys(str(NoticeTarget.Service(one.service).label) for one in targets))


def tell_over(table: int) -> None:
    """Queue the news that a table's only game or its match is over, in the caller's transaction."""
    queue_news(subject_of(table), OVER, key=f"{OVER}:{table}", context={"table": table})


def write_to_channels(table: Table, by: User, text: str) -> None:
    """Queue a message of the host. Raises Refused after too many."""
    if not hit("table_words", str(by.pk), MESSAGES_A_DAY):
        raise Refused(_("You’ve sent too many messages today. Try again tomorrow."))
    key = f"{WORDS}:{table.pk}:{uuid4()}"
    queue_news(subject_of(table.pk), WORDS, key=key, context={"table": table.pk, "text": text})
