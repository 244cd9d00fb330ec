"""What public news can be about: apps above register their subjects, each with its kinds of news."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from accounts.push.models import Push
from accounts.push.target_words import TEST

Kinds = Sequence[tuple[str, Any]]

_KINDS: dict[str, Kinds] = {}


def register_subject(prefix: str, kinds: Kinds) -> None:
    """Register subjects that begin with this word and a colon, and the kinds of news about them."""
    _KINDS[prefix] = kinds


def kinds_for(subject: str) -> Kinds:
    """Return what targets with this subject can hear; without one, what concerns a person."""
    return _KINDS[subject.partition(":")[0]] if subject else Push.Kind.choices


def name_of_kind(subject: str, kind: str) -> str:
    """Return what a kind of notification is called on pages."""
    return _("Test") if kind == TEST else str(dict(kinds_for(subject)).get(kind, ""))
