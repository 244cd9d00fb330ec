"""Emails that a tick queues by the thousand, such as those of deadlines, give way to all others."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.mail.collecting import KINDS, collecting_email
from accounts.mail.delivery import BATCH, LEAST_GIVING_WAY, deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import giving_way
from accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

# Ticks whose emails answer someone who has just done something, or are few.
ANSWERS = {
    "accounts.mail.tasks.fetch_mail",
    "condottiere_site.tasks.tell_of_failures",
    "games.tasks.think",
}
# Ticks that queue no email.
SILENT = {
    "accounts.mail.tasks.deliver_due",
    "accounts.mail.tasks.delete_old_emails",
    "accounts.push.tasks.send_due",
    "accounts.push.tasks.send_due_to_targets",
    "accounts.tasks.delete_unconfirmed_accounts",
    "accounts.tasks.delete_ended_sessions",
    "accounts.tasks.delete_old_counts",
    "games.tasks.delete_old_practice",
    "games.tasks.forget_old_invitations",
    "games.leagues.tasks.forget_what_is_over",
    "games.leagues.tasks.tell_standings",
}


def recipients(mailoutbox: Any) -> list[str]:
    return [email.to[0] for email in mailoutbox]


def test_an_email_leaves_before_older_ones_that_give_way(greet: Any, mailoutbox: Any) -> None:
    with giving_way():
        for number in range(2 * BATCH):
            greet(f"crowd{number}@example.org")
    greet("anna@example.org")
    assert deliver_due() == 2 * BATCH + 1
    assert recipients(mailoutbox)[0] == "anna@example.org"


def test_an_email_that_comes_meanwhile_waits_for_one_batch(greet: Any, mailoutbox: Any) -> None:
    with giving_way():
        for number in range(3 * BATCH):
            greet(f"crowd{number}@example.org")
    looked = 0

    def is_over() -> bool:
        nonlocal looked
        looked += 1
        if looked == 5:  # in the middle of the first batch
            greet("anna@example.org")
        return False

    deliver_due(is_over=is_over)
    assert recipients(mailoutbox).index("anna@example.org") == BATCH


def test_emails_that_give_way_leave_though_others_keep_coming(greet: Any, mailoutbox: Any) -> None:
    with giving_way():
        greet("crowd@example.org")
    batches = 0

    def is_over() -> bool:
        nonlocal batches
        batches += 1
        if batches % BATCH == 1:
            for _ in range(BATCH):
                greet("anna@example.org")
        return batches > 4 * BATCH

    deliver_due(is_over=is_over)
    assert recipients(mailoutbox).index("crowd@example.org") < BATCH
    assert len(mailoutbox) > 2 * BATCH - LEAST_GIVING_WAY


@pytest.mark.parametrize("kind", KINDS)
def test_digests_give_way_because_many_are_due_at_one_hour(kind: str, anna: User) -> None:
    due = timezone.now() + timedelta(hours=1)
    collecting_email(kind, to=anna, key_prefix=f"{kind}:{anna.pk}:", context={}, due=due)
    assert OutgoingEmail.objects.get().gives_way


def test_an_email_gives_way_only_if_its_tick_says_so(greet: Any) -> None:
    with giving_way():
        assert greet().gives_way
    assert not greet().gives_way


def test_each_tick_that_queues_emails_for_many_says_that_they_give_way() -> None:
    ticks = {task for task in settings.BEAT_SECONDS if not _gives_way(task)}
    assert ticks == ANSWERS | SILENT


def _gives_way(task: str) -> bool:
    """Return whether the task, or what it calls in its own module, has the decorator."""
    module, name = task.rsplit(".", 1)
    source = Path(settings.BASE_DIR, *module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    return f"@giving_way()\ndef {name}(" in source or f"@giving_way()\ndef _{name}(" in source
