"""What the post holds of a person: the fates of letters to him and the lists he turned off."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import Q

from accounts import present
from accounts.batches import delete_in_batches
from accounts.models import User
from accounts.post.failing import TRIED_ANEW_AFTER
from accounts.post.models import FailingAddress, KeptLetter, Letter, Silenced

FATES_LAST = timedelta(days=90)
KEPT_LAST = timedelta(days=30)


def export(user: User) -> dict[str, Any]:
    """The subject and fate of each letter, whether his address fails, and the lists turned off.

    What else the letters said is not kept.
    """
    letters = Letter.objects.to_person(user).order_by("pk")
    silenced = Silenced.objects.filter(address=user.email).order_by("pk")
    return {
        "letters": list(letters.values("kind", "subject", "to_address", "state", "created_at", "sent_at")),
        "letters_that_fail": list(
            FailingAddress.objects.filter(address=user.email).values("address", "reason", "since")
        ),
        "letters_turned_off": list(silenced.values("list_id", "list_name", "since")),
    }


def forget(user: User) -> None:
    """Deletes every row about letters to this person or to an address of his, and the subjects that name him.

    A letter on its way at this moment still arrives; nothing is recorded of it.
    """
    addresses = _addresses(user)
    about_the_account = Q(key__startswith=account_letters_of(user.pk))
    Letter.objects.filter(Q(to_user=user) | Q(to_address__in=addresses) | about_the_account).delete()
    Silenced.objects.filter(address__in=addresses).delete()
    FailingAddress.objects.filter(address__in=addresses).delete()
    KeptLetter.objects.filter(to__in=addresses).delete()
    if user.name:
        Letter.objects.filter(subject__contains=user.name).update(subject="")


def account_letters_of(pk: int | None) -> str:
    """How the keys of letters about one account begin, whichever address they went to."""
    return f"account-{pk or 'nobody'}-"


def forget_old_letters() -> int:
    """Deletes the fates of letters of 90 days ago, kept letters of 30, marks of 7; what still waits stays."""
    now = present.now()
    fates = Letter.objects.exclude(state=Letter.State.QUEUED).filter(created_at__lt=now - FATES_LAST)
    kept = KeptLetter.objects.filter(kept_at__lt=now - KEPT_LAST)
    marks = FailingAddress.objects.filter(since__lte=now - TRIED_ANEW_AFTER)
    return delete_in_batches(fates) + delete_in_batches(kept) + delete_in_batches(marks)


def _addresses(user: User) -> set[str]:
    """His present address, and those that wait to be proved or were added beside it."""
    return {user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)}
