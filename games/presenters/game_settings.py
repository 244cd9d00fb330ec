"""Which game a table plays: edition, optional rules and whether several games make a match.

Has the form fields, and the sentences in which pages and emails repeat the choices.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from accounts.form_limits import SaysLimits
from games.models import Table
from games.narration.cast import and_list
from games.rulebook import edition_name, option_name
from games.rulebook.edition_names import EDITION_NAMES, OPTION_GISTS, OPTION_NAMES
from games.rules import EDITIONS, HIGHEST_TARGET, MOST_GAMES, Options

POINTS = "playing-for-points"
CAPTURING = "capturing-regions"
OFFERED_TARGETS = (20, 30)
ANOTHER = "another"


def match_choices() -> list[tuple[str, str]]:
    """Return one game, matches to usual numbers of points, and last a match to another number."""
    return [
        ("", _("One game")),
        *((str(target), _to_points(target)) for target in OFFERED_TARGETS),
        (ANOTHER, _("A match to another number of points")),
    ]


def _to_points(target: int) -> str:
    return ngettext("A match to %(n)d point", "A match to %(n)d points", target) % {"n": target}


def _option_choices() -> list[tuple[str, SafeString]]:
    """Return the optional rules, each with its name and what it does."""
    return [
        (option, format_html("<span><strong>{}</strong> {}</span>", name, OPTION_GISTS[option]))
        for option, name in OPTION_NAMES.items()
        if option != POINTS
    ]


class GameSettings(SaysLimits, forms.Form):
    """The game that will be played. The cleaned data are a table's columns."""

    edition = forms.ChoiceField(
        label=pgettext_lazy("edition", "Game"),
        choices=list(EDITION_NAMES.items()),
        initial=next(iter(EDITIONS)),
        required=False,
        widget=forms.RadioSelect,
    )
    variants = forms.MultipleChoiceField(
        label=gettext_lazy("Optional rules"),
        choices=_option_choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("For the 2007 edition. You can combine them freely."),
    )
    match = forms.ChoiceField(
        label=gettext_lazy("Game or match"),
        choices=match_choices,
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "A match is several games for points (Playing for Points, in the 2007 edition). Each region "
            "scores 1 point at the end of a game. Winning by a connected group scores 5 more. The match "
            "ends when someone has enough points."
        ),
    )
    target = forms.IntegerField(
        label=gettext_lazy("Points to win the match"),
        min_value=1,
        max_value=HIGHEST_TARGET,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        edition = cleaned.pop("edition", "") or next(iter(EDITIONS))
        variants = set(cleaned.pop("variants", []))
        target = self._target(cleaned)
        if target is not None:
            variants.add(POINTS)
        if variants - set(EDITIONS[edition].variants):
            self.add_error(
                "edition",
                _("Optional rules and matches need the 2007 edition. Choose it, or leave them out."),
            )
        else:
            options = Options(edition, tuple(variants))
            cleaned["options_json"] = {"edition": edition, "variants": list(options.variants)}
        # A match draws a chain of secrets: one for each possible game, and one for a final battle.
        return cleaned | {"target": target, "chain": 1 if target is None else MOST_GAMES + 1}

    def _target(self, cleaned: dict[str, Any]) -> int | None:
        chosen, another = cleaned.pop("match", ""), cleaned.get("target")
        if chosen != ANOTHER:
            return int(chosen) if chosen else None
        if another is None and "target" not in self.errors:
            self.add_error("target", _("Enter the number of points."))
        return another


def game_in_words(table: Table) -> str:
    """Return which game a table plays, in one phrase."""
    options = table.options
    chosen = [option_name(name) for name in options.variants if name != POINTS]
    words = {"game": edition_name(options.edition), "options": and_list(chosen), "n": table.target}
    if table.target is None:
        # Translators: %(game)s is the name of an edition, %(options)s are names of optional rules.
        return _("%(game)s, with %(options)s") % words if chosen else edition_name(options.edition)
    if chosen:
        # Translators: %(game)s is the name of an edition, %(options)s are names of optional rules.
        text = ngettext(
            "%(game)s, with %(options)s: a match to %(n)d point",
            "%(game)s, with %(options)s: a match to %(n)d points",
            table.target,
        )
    else:
        # Translators: %(game)s is the name of an edition.
        text = ngettext("%(game)s: a match to %(n)d point", "%(game)s: a match to %(n)d points", table.target)
    return text % words


def options_explained(table: Table) -> list[str]:
    """Return each optional rule in force with what it does, and what the rulebook advises against (R30)."""
    sentences = [f"{option_name(name)}: {OPTION_GISTS[name]}" for name in table.options.variants]
    if {POINTS, CAPTURING} <= set(table.options.variants):
        sentences.append(
            _(
                "The rulebook advises against combining Playing for Points with Capturing Regions. You can "
                "still play it."
            )
        )
    return sentences
