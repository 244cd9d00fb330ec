"""Accounts for tests, made with as few statements as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounts.models import User


def proven(address: str, name: str = "") -> User:
    """Return the account of a verified address, as signing up leaves it; make it if needed."""
    from allauth.account.models import EmailAddress

    from accounts.models import User

    user = User.objects.filter(email=address).first()
    if user is None:
        chosen = {"name": name, "name_chosen": True} if name else {}
        user = User.objects.create_user(address, **chosen)
        EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user
