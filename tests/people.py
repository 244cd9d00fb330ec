"""Accounts for tests, and their browsers, made with as few statements as can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.test import Client

    from accounts.models import User


def proven(address: str, name: str = "") -> User:
    """Return the account of a verified address, as signing up leaves it; make it if needed."""
    return all_proven({address: name})[0]


def all_proven(names: Mapping[str, str]) -> list[User]:
    """Return the accounts of these verified addresses, in their order; make those that are needed at once."""
    from accounts.addresses import normal_address
    from accounts.models import User

    wanted = {normal_address(address): name for address, name in names.items()}
    found = {user.email: user for user in User.objects.filter(email__in=wanted)}
    found |= _made({address: name for address, name in wanted.items() if address not in found})
    return [found[address] for address in wanted]


def _made(names: Mapping[str, str]) -> dict[str, Any]:
    from allauth.account.models import EmailAddress
    from django.contrib.auth.hashers import make_password

    from accounts.models import User

    users = [
        User(
            email=address,
            password=make_password(None),
            name_chosen=bool(name),
            **({"name": name} if name else {}),
        )
        for address, name in names.items()
    ]
    if users:
        User.objects.bulk_create(users)
        rows = (EmailAddress(user=user, email=user.email, primary=True, verified=True) for user in users)
        EmailAddress.objects.bulk_create(rows)
    return {user.email: user for user in users}


def client_of(user: User) -> Client:
    """Return a web client with this person's session, without what else `force_login` writes."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.test import Client
    from django.utils.crypto import get_random_string

    session = SessionStore(get_random_string(32).lower())
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create_model_instance(session._session).save(force_insert=True)
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    return client
