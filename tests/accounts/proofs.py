"""Sessions of people who have shown a moment ago that it is them."""

import time
from typing import Any

from django.test import Client

from accounts.models import User


def has_just_typed_a_code(client: Client, person: User) -> None:
    """Note it as allauth does, an hour ahead: walking all pages takes longer than a code's proof lasts."""
    records: dict[str, Any] = {
        "account_authentication_methods": [{"method": "code", "at": time.time() + 3600}],
        "account_authentication_methods_user": str(person.pk),
    }
    session = client.session
    session.update(records)
    session.save()
