"""`manage.py normalize_addresses`: store addresses as this version does, and list accounts of one mailbox."""

from collections import defaultdict
from typing import Any

from allauth.account.models import EmailAddress
from django.core.management.base import BaseCommand
from django.db import IntegrityError, models, transaction

from accounts.addresses import normal_address, readable_address
from accounts.mail.models import CapturedEmail, OutgoingEmail, SuppressedAddress, Unsubscription
from accounts.models import User
from games.leagues.models import Invitation as SeasonInvitation
from games.models import Invitation

_COLUMNS: tuple[tuple[type[models.Model], str], ...] = (
    (Invitation, "email"),
    (SeasonInvitation, "email"),
    (OutgoingEmail, "to_address"),
    (SuppressedAddress, "address"),
    (Unsubscription, "address"),
    (CapturedEmail, "to"),
    (EmailAddress, "email"),
)


class Command(BaseCommand):
    """Store every address in its normal form, and list accounts that share a mailbox. Safe to repeat."""

    help = "Stores email addresses in one form, and lists accounts that share a mailbox."

    def handle(self, **options: Any) -> None:
        """Bring all rows into the normal form; print what the operator must know."""
        with transaction.atomic():
            shared = [_in_order(people) for people in _by_mailbox().values() if len(people) > 1]
            for people in shared:
                _give_to_the_oldest(people)
            for user in User.objects.exclude(pk__in=[user.pk for people in shared for user in people]):
                _rename(user, normal_address(user.email))
            for model, column in _COLUMNS:
                _normalize(model, column)
        self.stdout.write("Every address is stored in its normal form.")
        for people in shared:
            self._tell_of(people)
        if not shared:
            self.stdout.write("No two accounts share a mailbox.")

    def _tell_of(self, people: list[User]) -> None:
        named = " and ".join(f"account {user.pk}" for user in people)
        address = readable_address(normal_address(people[0].email))
        self.stdout.write(f"{named} share the mailbox {address}. Signing in opens account {people[0].pk}.")


def _by_mailbox() -> dict[str, list[User]]:
    found = defaultdict(list)
    for user in User.objects.filter(deleted_at=None).only("pk", "email", "joined_at"):
        found[normal_address(user.email)].append(user)
    return found


def _in_order(people: list[User]) -> list[User]:
    return sorted(people, key=lambda user: (user.joined_at, user.pk))


def _give_to_the_oldest(people: list[User]) -> None:
    """Give the normal form to the oldest account; the one that has it takes over the oldest's spelling."""
    oldest, *newer = people
    spelling, normal = oldest.email, normal_address(oldest.email)
    if spelling == normal:
        return
    holder = next((user for user in newer if user.email == normal), None)
    _rename(oldest, f"{oldest.pk}@moving.invalid")
    if holder is not None:
        _rename(holder, spelling)
    _rename(oldest, normal)


def _rename(user: User, address: str) -> None:
    """Change an account's address and the row of its proof; the account's other addresses stay."""
    if user.email != address:
        EmailAddress.objects.filter(user=user, email=user.email).update(email=address)
        User.objects.filter(pk=user.pk).update(email=address)
        user.email = address


def _normalize(model: type[models.Model], column: str) -> None:
    """Normalize a column; a row stays as it is if another one says the same about the mailbox."""
    rows = model._default_manager.order_by("pk").values_list("pk", column)
    for pk, address in rows.iterator(chunk_size=1000):
        normal = normal_address(address)
        if normal != address:
            try:
                with transaction.atomic():
                    model._default_manager.filter(pk=pk).update(**{column: normal})
            except IntegrityError:
                continue
