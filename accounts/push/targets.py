"""What people do with their targets: add one, change it, test it, switch it on or off, remove it."""

from collections.abc import Callable, Sequence
from uuid import uuid4

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import clock
from accounts.models import User
from accounts.push.models import NoticeTarget, TargetNotice
from accounts.push.target_requests import new_signing_key
from accounts.push.target_words import TEST

MOST_TARGETS = 20  # of one person

# The leagues that a person can choose from: the path and name of each
SourceChoices = Callable[[User], Sequence[tuple[str, str]]]

_source_choices: list[SourceChoices] = []


def register_source_choices(choices: SourceChoices) -> None:
    """Register what a person can choose from, when a target is to hear of one league only."""
    _source_choices.append(choices)


def source_choices(user: User) -> list[tuple[str, str]]:
    """Return the paths and names of what this person's tables may be part of."""
    return [choice for choices in _source_choices for choice in choices(user)]


def own_targets(user: User) -> QuerySet[NoticeTarget]:
    """Return all targets that this person added, also those of tables and leagues."""
    return NoticeTarget.objects.filter(user=user)


def targets_in_hand(user: User) -> QuerySet[NoticeTarget]:
    """Return the targets that this person looks after: their own, and those of their bots."""
    return NoticeTarget.objects.filter(Q(user=user) | Q(user__owner=user)).select_related("user")


def target_of_bot(bot: User) -> NoticeTarget | None:
    """Return the address at which a bot's program is woken, if there is one."""
    return NoticeTarget.objects.filter(user=bot).first()


@transaction.atomic
def add_target(target: NoticeTarget) -> NoticeTarget:
    """Keep a new target of its person. One for a program gets a signing key."""
    if target.service == NoticeTarget.Service.WEBHOOK:
        target.secret = new_signing_key()
    target.save()
    note_targets_of(target.user)
    return target


@transaction.atomic
def remove_target(target: NoticeTarget) -> None:
    """Remove a target with what waits for it."""
    target.delete()
    note_targets_of(target.user)


def note_targets_of(user: User) -> None:
    """Store whether the person has a target for what concerns them."""
    user.has_notice_targets = user.notice_targets.filter(subject="").exists()
    user.save(update_fields=["has_notice_targets"])


def switch_off(target: NoticeTarget) -> None:
    """Send no more there until it's switched on again."""
    target.off_at = clock.now()
    target.save(update_fields=["off_at"])


def switch_on(target: NoticeTarget) -> None:
    """Send there again, and count failures from zero."""
    target.off_at, target.failed_at, target.failures = None, None, 0
    target.save(update_fields=["off_at", "failed_at", "failures"])


def queue_test(target: NoticeTarget) -> None:
    """Queue a test, which is due at once."""
    TargetNotice.objects.create(target=target, kind=TEST, key=f"{TEST}:{uuid4()}", not_before=clock.now())
