"""Turning the letters of one list off and on, by a signed link that needs no signing in.

A link opens exactly one address for exactly one list, and nothing else.
"""

from dataclasses import dataclass

from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext

from accounts.addresses import normal_address
from accounts.post.models import Silenced

INVITATIONS = "invitations"  # the list all invitations belong to, whichever table they are to

_SALT = "accounts.post.unsubscribe"


@dataclass(frozen=True)
class Subscription:
    """One address and one list whose letters go there."""

    address: str
    list_id: str
    list_name: str

    @property
    def kind(self) -> str:
        """What the letters are about: the first word of the list, as in "game-42"."""
        return self.list_id.partition("-")[0]


def unsubscribe_path(address: str, list_id: str, list_name: str) -> str:
    """The path of the page that turns this list off for this address; it does not expire."""
    token = signing.dumps([normal_address(address), list_id, list_name], salt=_SALT)
    return reverse("unsubscribe", args=[token])


def read_token(token: str) -> Subscription:
    """What the link is about; raises signing.BadSignature for any token this site did not make."""
    address, list_id, list_name = signing.loads(token, salt=_SALT)
    return Subscription(address, list_id, list_name)


def is_silenced(address: str, list_id: str) -> bool:
    """Whether the reader at this address turned this list off."""
    return Silenced.objects.filter(address=normal_address(address), list_id=list_id).exists()


def lists_turned_off(address: str) -> frozenset[str]:
    """All lists that the reader at this address turned off."""
    rows = Silenced.objects.filter(address=normal_address(address))
    return frozenset(rows.values_list("list_id", flat=True))


def turn_off(subscription: Subscription) -> None:
    """From now on no letter of the list goes to the address; once or many times is the same."""
    Silenced.objects.get_or_create(
        address=subscription.address,
        list_id=subscription.list_id,
        defaults={"list_name": subscription.list_name},
    )


def turn_on(subscription: Subscription) -> None:
    """Letters of the list go to the address again; once or many times is the same."""
    Silenced.objects.filter(address=subscription.address, list_id=subscription.list_id).delete()


def refuse_invitations(address: str, *, refused: bool) -> None:
    """From now on no invitation goes to the address, or they do again; once or many times is the same."""
    invitations = Subscription(normal_address(address), INVITATIONS, gettext("Invitations"))
    turn_off(invitations) if refused else turn_on(invitations)
