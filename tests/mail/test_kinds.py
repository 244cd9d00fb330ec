"""Kinds of email are registered once, each at the function that builds it."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import lazystr

from accounts.mail.email_kinds import EMAIL_KINDS, email_kind
from tests.mail.builders import GREETING, greeting


def test_two_functions_cannot_build_the_same_kind() -> None:
    with pytest.raises(ImproperlyConfigured, match="'greeting' is registered twice"):
        email_kind("greeting", name=lazystr("Another"))(greeting)
    assert EMAIL_KINDS["greeting"] is GREETING
