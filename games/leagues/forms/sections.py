"""In which order the form of a season stands on its page, and what of it is folded."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django import forms

SIDE, CARDS, NUMBERS, PLAIN = "side-by-side", "choose", "choose numbers", ""

# Title, whether it stands open, then groups of fields: how they are shown, and which.
_SECTIONS: tuple[tuple[str | Promise, bool, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        _("When"),
        True,
        ((SIDE, ("opens_at", "signup_ends_at", "begins_at")),),
    ),
    (
        _("Who plays, and how much"),
        True,
        (
            (NUMBERS, ("size",)),
            (SIDE, ("division_size", "most_divisions", "least")),
            (SIDE, ("rounds", "round_days")),
            (CARDS, ("format",)),
        ),
    ),
    (_("How fast the games go"), True, ((CARDS, ("pace",)),)),
    (
        _("What scores, and what decides between equal points"),
        False,
        (
            (CARDS, ("scoring",)),
            (PLAIN, ("placement", "tie_breaks")),
            (CARDS, ("bye_points", "split", "is_rated")),
        ),
    ),
    (
        _("Promotion, relegation, and the next season"),
        False,
        ((SIDE, ("promoted", "relegated")), (PLAIN, ("pause_days",))),
    ),
    (
        _("Signing up, confirming, and places that become free"),
        False,
        ((PLAIN, ("confirm_days", "closes_when_full", "fills_gaps")),),
    ),
    (
        _("Late tables and absent players"),
        False,
        (
            (PLAIN, ("begins_early",)),
            (SIDE, ("remind_days", "extension_days")),
            (CARDS, ("late",)),
            (PLAIN, ("ask_hours", "most_misses", "hours", "most_holidays")),
        ),
    ),
    (
        _("Rules of the game, matches and watching"),
        False,
        ((PLAIN, ("edition", "variants", "match", "target", "watch")),),
    ),
    (
        _("Talk, shown cards, and who knows whom"),
        False,
        ((PLAIN, ("talk", "shows_cards", "watchers_read", "is_anonymous")),),
    ),
)


@dataclass(frozen=True)
class Section:
    """A part of the form under one title."""

    title: str
    stands_open: bool
    groups: list[tuple[str, list[forms.BoundField]]]

    @property
    def has_errors(self) -> bool:
        return any(field.errors for field in chain.from_iterable(fields for _shown, fields in self.groups))


def sections_of(form: forms.BaseForm) -> list[Section]:
    """All fields of the form that are shown, each once."""
    return [
        Section(str(title), is_open, [(shown, [form[name] for name in names]) for shown, names in groups])
        for title, is_open, groups in _SECTIONS
    ]
