"""Lists that an address turned off."""

from dataclasses import dataclass

from django.utils.translation import pgettext

from accounts.addresses import normal_address
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import Unsubscription


@dataclass(frozen=True)
class Subscription:
    """One address and one list that it can turn off; an empty address is not known any more."""

    address: str
    list_id: str
    list_name: str

    @property
    def kind(self) -> str:
        """Return the first word of the list id, as in "game-42"."""
        return self.list_id.partition("-")[0]


def is_unsubscribed(address: str, list_id: str) -> bool:
    """Return whether this address is unsubscribed from this list."""
    return Unsubscription.objects.filter(address=normal_address(address), list_id=list_id).exists()


def lists_turned_off(address: str) -> frozenset[str]:
    """Return all lists that this address is unsubscribed from."""
    rows = Unsubscription.objects.filter(address=normal_address(address))
    return frozenset(rows.values_list("list_id", flat=True))


def unsubscribe(subscription: Subscription) -> None:
    """Stop sending this list to the address. Safe to repeat."""
    Unsubscription.objects.get_or_create(
        address=subscription.address,
        list_id=subscription.list_id,
        defaults={"list_name": subscription.list_name},
    )


def resubscribe(subscription: Subscription) -> None:
    """Send this list to the address again. Safe to repeat."""
    Unsubscription.objects.filter(address=subscription.address, list_id=subscription.list_id).delete()


def refuse_invitations(address: str, *, refused: bool) -> None:
    """Stop or resume invitations to the address. Safe to repeat."""
    invitations = Subscription(normal_address(address), INVITATIONS, pgettext("kind of email", "Invitations"))
    unsubscribe(invitations) if refused else resubscribe(invitations)
