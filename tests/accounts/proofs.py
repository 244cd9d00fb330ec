"""Sessions of people who have shown a moment ago that it is them."""

import time
from typing import Any

from django.test import Client

from accounts.models import User


def has_just_typed_a_code(client: Client, person: User) -> None:
    """As allauth notes it; from an hour ahead, for a walk through all pages outlasts what a code proves."""
    records: dict[str, Any] = {
        "account_authentication_methods": [{"method": "code", "at": time.time() + 3600}],
        "account_authentication_methods_user": str(person.pk),
    }
    session = client.session
    session.update(records)
    session.save()
