"""What public news can be about: apps above register their subjects, each with its kinds of news."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import pgettext

from accounts.push.models import Push
from accounts.push.target_words import TEST

Kinds = Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Subjects:
    """Subjects that begin with the same word: their kinds of news, and the name of each by its number."""

    kinds: Kinds
    name_of: Callable[[int], str]


_SUBJECTS: dict[str, Subjects] = {}


def register_subjects(prefix: str, subjects: Subjects) -> None:
    """Register the subjects that begin with this word and a colon."""
    _SUBJECTS[prefix] = subjects


def name_of_subject(subject: str) -> str:
    """Return the name of what the news is about; empty for what concerns a person."""
    prefix, _colon, number = subject.partition(":")
    return _SUBJECTS[prefix].name_of(int(number)) if subject else ""


def kinds_for(subject: str) -> Kinds:
    """Return what targets with this subject can hear; without one, what concerns a person."""
    return _SUBJECTS[subject.partition(":")[0]].kinds if subject else Push.Kind.choices


def name_of_kind(subject: str, kind: str) -> str:
    """Return what a kind of notification is called on pages."""
    return (
        pgettext("kind of notification", "Test")
        if kind == TEST
        else str(dict(kinds_for(subject)).get(kind, ""))
    )
