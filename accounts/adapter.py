"""How allauth treats our accounts."""

from allauth.account.adapter import DefaultAccountAdapter


class AccountAdapter(DefaultAccountAdapter):
    """Allauth's own ways."""
