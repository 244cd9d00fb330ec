"""The sections of the form for a season: their titles, and their fields in order."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

SIDE, CARDS, NUMBERS, PLAIN = "side-by-side", "choose", "choose numbers", ""  # styles of a group

# (title, whether it is folded while it is as usual, groups of fields as (display style, field names))
SECTIONS: tuple[tuple[str | Promise, bool, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        pgettext_lazy("setting", "Dates"),
        False,
        ((SIDE, ("opens_at", "signup_ends_at", "begins_at")),),
    ),
    (
        _("Players and tables"),
        False,
        (
            (SIDE, ("places", "most_divisions")),
            (NUMBERS, ("size",)),
            (SIDE, ("rounds",)),
            (NUMBERS, ("tables_at_once",)),
            (CARDS, ("format",)),
        ),
    ),
    (
        _("Joining the season"),
        True,
        ((CARDS, ("joining",)), (PLAIN, ("asks", "min_finished", "takes_bots"))),
    ),
    (pgettext_lazy("setting", "Time"), False, ((CARDS, ("pace",)),)),
    (
        _("Scoring and tie-breaks"),
        True,
        ((CARDS, ("scoring",)), (PLAIN, ("placement",)), (CARDS, ("first_tie_break", "bye_points", "split"))),
    ),
    (
        _("Promotion and the next season"),
        True,
        ((PLAIN, ("promoted", "promoted_share")), (CARDS, ("final",)), (PLAIN, ("pause_days",))),
    ),
    (_("Late tables"), True, ((PLAIN, ("table_days",)), (CARDS, ("late",)))),
    (_("Game, chat and names"), True, ((PLAIN, ("edition", "variants", "match", "chat", "is_anonymous")),)),
)


@dataclass(frozen=True)
class FormSection:
    """A titled section of the form, which may be folded."""

    title: str
    is_foldable: bool
    is_special: bool  # whether something in it is unusual or wrong
    groups: list[tuple[str, list[forms.BoundField]]]
