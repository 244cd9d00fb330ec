"""Which game a table plays: edition, optional rules and whether several games make a match.

Has the form fields, and the sentences in which pages and emails repeat the choices.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import Table
from games.narration.cast import and_list
from games.rulebook import edition_name, option_name
from games.rulebook.page_addresses import EDITION_NAMES, OPTION_GISTS, OPTION_NAMES
from games.rules import EDITIONS, HIGHEST_TARGET, MOST_GAMES, Options

POINTS = "playing-for-points"
CAPTURING = "capturing-regions"
OFFERED_TARGETS = (20, 30)
ANOTHER = "another"


def _to_points(target: int) -> Promise:
    return format_lazy(gettext_lazy("A match to {points} points."), points=target)


def _explained(option: str) -> Promise:
    return format_lazy("{name}: {gist}", name=OPTION_NAMES[option], gist=OPTION_GISTS[option])


class GameSettings(forms.Form):
    """The game that will be played. The cleaned data are a table's columns."""

    edition = forms.ChoiceField(
        label=gettext_lazy("Game"),
        choices=list(EDITION_NAMES.items()),
        initial=next(iter(EDITIONS)),
        required=False,
        widget=forms.RadioSelect,
    )
    variants = forms.MultipleChoiceField(
        label=gettext_lazy("Optional rules"),
        choices=[(name, _explained(name)) for name in OPTION_NAMES if name != POINTS],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("They belong to the game of 2007; any of them go together."),
    )
    match = forms.ChoiceField(
        label=gettext_lazy("One game, or a match for points"),
        choices=[
            ("", gettext_lazy("One game.")),
            *((str(target), _to_points(target)) for target in OFFERED_TARGETS),
            (ANOTHER, gettext_lazy("A match to another number of points:")),
        ],
        required=False,
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "In a match each region scores 1 point at the end of a game, and a victory by a connected group "
            "5 more; games follow until somebody has enough (Playing for Points, of the game of 2007)."
        ),
    )
    target = forms.IntegerField(
        label=gettext_lazy("Points for another match"),
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
            self.add_error("edition", _("Optional rules and matches belong to the game of 2007."))
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
            self.add_error("target", _("Say to how many points."))
        return another


def game_in_words(table: Table) -> str:
    """Return which game a table plays, in one phrase."""
    options = table.options
    chosen = [option_name(name) for name in options.variants if name != POINTS]
    words = {"game": edition_name(options.edition), "options": and_list(chosen), "target": table.target}
    game = _("%(game)s, with %(options)s") % words if chosen else words["game"]
    if table.target is None:
        return str(game)
    return _("%(game)s; a match to %(target)d points") % {**words, "game": game}


def options_explained(table: Table) -> list[str]:
    """Return each optional rule in force, in a sentence, and what the rulebook advises against (R30)."""
    told = [str(_explained(name)) for name in table.options.variants]
    if {POINTS, CAPTURING} <= set(table.options.variants):
        told.append(
            _(
                "The rulebook advises against Playing for Points together with Capturing Regions; it can be "
                "played."
            )
        )
    return told
