"""The form for a season's plan. It only shows the problems that planning finds."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import datetime, time
from math import ceil
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from accounts import clock
from games.leagues.forms.derived_settings import FOLLOWS, completed, days_for_most_games
from games.leagues.forms.league_fields import DAY_ENDS, DayField, PointsField, reason_field
from games.leagues.forms.season_presets import usual_plan
from games.leagues.forms.season_sections import PLAIN, SECTIONS, FormSection
from games.leagues.models import League, Season
from games.leagues.models.seasons import LARGEST_DIVISION, MOST_AT_ONCE, MOST_DIVISIONS, usual_tie_breaks
from games.leagues.scoring.scoring_methods import TieBreak
from games.leagues.selectors.setting_changes import value_text
from games.leagues.services.plan_checks import DATES, problems_of
from games.leagues.services.season_changes import (
    Changes,
    amendable,
    changed_season,
    changes_of,
    plan_key,
    problems_of_change,
    why_fixed,
)
from games.models import MAX_SEATS, MIN_SEATS, Table
from games.presenters.chat_settings import ChatSettings
from games.presenters.game_settings import POINTS, GameSettings, match_choices
from games.presenters.time_settings import TimeSettings

TIE_BREAKS = {
    TieBreak.HEAD_TO_HEAD: gettext_lazy("Head to head"),
    TieBreak.WINS: pgettext_lazy("tie-break", "Victories"),
    TieBreak.REGIONS: gettext_lazy("Regions held"),
    TieBreak.STRENGTH_OF_SCHEDULE: gettext_lazy("Strength of schedule"),
}

if TYPE_CHECKING:
    ModelFormOfSeason = forms.ModelForm[Season]  # Django's own class is not generic at runtime
else:
    ModelFormOfSeason = forms.ModelForm


class SeasonForm(GameSettings, TimeSettings, ChatSettings, ModelFormOfSeason):
    """The form for the rules of a season, fixed before anyone signs up.

    It has the settings of its tables that its sections name. The others stay as they are stored, by default
    those of any table.
    """

    opens_at = DayField(label=gettext_lazy("Sign-up opens on"), at=time(0, 0))
    signup_ends_at = DayField(label=gettext_lazy("Last day of sign-up"), at=DAY_ENDS)
    begins_at = DayField(label=gettext_lazy("First tables begin on"), at=time(9, 0))
    places = forms.IntegerField(
        label=pgettext_lazy("form", "Places"),
        help_text=gettext_lazy("For how many players at most."),
        min_value=2,
        max_value=LARGEST_DIVISION * MOST_DIVISIONS,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    size = forms.TypedChoiceField(
        label=gettext_lazy("Players per table"),
        coerce=int,
        choices=[(n, str(n)) for n in range(MIN_SEATS, MAX_SEATS + 1)],
        initial=4,
        widget=forms.RadioSelect,
    )
    tables_at_once = forms.TypedChoiceField(
        label=gettext_lazy("Tables at once"),
        coerce=int,
        choices=[(n, str(n)) for n in range(1, MOST_AT_ONCE + 1)],
        initial=2,
        widget=forms.RadioSelect,
        help_text=gettext_lazy("How many tables of the season each player plays at the same time."),
    )
    table_days = forms.IntegerField(
        label=gettext_lazy("Days per table"),
        help_text=gettext_lazy(
            "Leave this empty for enough days for 9 out of 10 games. A table that is late gets a quarter "
            "more, once."
        ),
        min_value=1,
        max_value=365,
        required=False,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    placement = PointsField(
        label=gettext_lazy("Points by place"),
        help_text=gettext_lazy(
            "Only for scoring by place: whole numbers from first to last, with spaces between them. "
            "Leave it empty for the defaults. For two players: 6 0. For three: 6 2 0. For four: 6 3 1 0. "
            "For five: 6 4 2 1 0. For six: 6 4 3 2 1 0. Tables of other sizes scale your points."
        ),
        required=False,
        max_length=60,
    )
    first_tie_break = forms.ChoiceField(
        label=gettext_lazy("First tie-break"),
        choices=list(TIE_BREAKS.items()),
        widget=forms.RadioSelect,
        help_text=gettext_lazy(
            "Decides between players with equal points. The others follow in this order. If players are "
            "still tied, lots are drawn. Anyone can check the draw from what the season publishes."
        ),
    )
    match: Any = deepcopy(GameSettings.base_fields["match"])
    match.choices = lambda: match_choices()[:-1]  # another number of points is rare
    takes_bots = forms.BooleanField(
        label=gettext_lazy("Players’ own bots can sign up"),
        help_text=gettext_lazy("Programs that people have made play with them, and are rated like people."),
        required=False,
    )
    form_key = forms.UUIDField(widget=forms.HiddenInput, required=False)

    field_order = tuple(
        name for _title, _folded, groups in SECTIONS for _shown, names in groups for name in names
    )

    class Meta:
        model = Season
        fields = (
            "opens_at", "signup_ends_at", "begins_at", "size", "most_divisions", "format", "rounds",
            "tables_at_once", "table_days", "scoring", "placement", "split", "bye_points",
            "promoted", "promoted_share", "final", "pause_days", "late", "joining", "asks", "min_finished",
        )  # fmt: skip
        widgets = dict.fromkeys(
            ("format", "scoring", "split", "bye_points", "late", "joining", "final"), forms.RadioSelect
        )
        help_texts = {
            "most_divisions": gettext_lazy("Players meet only those of their own division."),
            "joining": gettext_lazy("Invited people and players of the last season always join directly."),
            "asks": gettext_lazy(
                "Optional, at most 200 characters. People answer it as they sign up, for organisers alone."
            ),
            "min_finished": gettext_lazy(
                "How many games someone needs to have played to the end on this site."
            ),
            "rounds": gettext_lazy("How many tables each player plays in the season."),
            "promoted": gettext_lazy("How many go up from each division, and how many go down."),
            "promoted_share": gettext_lazy(
                "Instead of a number: 25 moves a quarter of the smallest division up and as many down. At "
                "least one player moves. Enter 0 to move a number of players."
            ),
            "final": gettext_lazy(
                "One more table after all others. Its winner wins the season. It gives no points."
            ),
            "pause_days": gettext_lazy("Leave this empty to plan the next season yourself."),
        }

    def __init__(
        self,
        league: League,
        *args: Any,
        stored: dict[str, Any] | None = None,
        changing: Season | None = None,
        **kwargs: Any,
    ) -> None:
        self.stored = usual_plan(league) | (stored or {})
        self.usual = initial_of(usual_plan(league))
        self.changing = changing
        kwargs["initial"] = initial_of(self.stored) | kwargs.get("initial", {})
        kwargs["label_suffix"] = ""
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() - {"form_key", *self.field_order}:
            del self.fields[name]
        self.instance.league = league
        if changing:
            self._disable_fixed_fields(changing)

    def _disable_fixed_fields(self, season: Season) -> None:
        """Disable what can no longer change; once others have signed up, ask for a reason too."""
        self.initial["form_key"] = plan_key(season)
        if season.state == Season.State.PLANNED:
            return
        free = {*amendable(season), "form_key"}
        for name, field in self.fields.items():
            field.disabled = _column_of(name) not in free
        self.fields["reason"] = reason_field()

    @property
    def offers_presets(self) -> bool:
        """Whether the organiser can start from a usual kind of season: until its sign-up opens."""
        is_planned = self.changing is None or self.changing.state == Season.State.PLANNED
        return is_planned and not self.is_bound

    @property
    def sections(self) -> list[FormSection]:
        """Return the sections in the order in which an organiser plans a season."""
        if self.changing and self.changing.state != Season.State.PLANNED:
            return [*self._free_sections(), *self._fixed_sections(self.changing)]
        return [
            FormSection(
                str(title),
                is_foldable,
                any(self._is_special(self[name]) for _shown, names in groups for name in names),
                [(shown, [self[name] for name in names]) for shown, names in groups],
            )
            for title, is_foldable, groups in SECTIONS
        ]

    def _free_sections(self) -> Iterator[FormSection]:
        for title, _is_foldable, groups in SECTIONS:
            free = [(shown, self._bound_fields(names, disabled=False)) for shown, names in groups]
            if any(fields for _shown, fields in free):
                yield FormSection(str(title), False, False, free)
        yield FormSection(gettext("Tell the players why"), False, False, [(PLAIN, [self["reason"]])])

    def _fixed_sections(self, season: Season) -> Iterator[FormSection]:
        """Yield what can no longer change, by the reason why."""
        fixed: dict[str, list[tuple[str, list[forms.BoundField]]]] = {}
        for _title, _is_foldable, groups in SECTIONS:
            for shown, names in groups:
                for bound in self._bound_fields(names, disabled=True):
                    fixed.setdefault(why_fixed(season, _column_of(bound.name)), []).append((shown, [bound]))
        for why, groups_of_fields in fixed.items():
            yield FormSection(why, True, False, groups_of_fields)

    def _bound_fields(self, names: tuple[str, ...], *, disabled: bool) -> list[forms.BoundField]:
        return [self[name] for name in names if self.fields[name].disabled == disabled]

    def _is_special(self, bound: forms.BoundField) -> bool:
        """Return whether a field has an error or another value than usual."""
        usual = self.usual.get(bound.name, bound.field.initial)
        if not self.is_bound:
            return bool(bound.value() != bound.field.prepare_value(usual))
        return bool(bound.errors) or bound.field.has_changed(bound.field.prepare_value(usual), bound.data)

    def clean(self) -> dict[str, Any]:
        self.cleaned_data = cleaned = super().clean()
        self._keep_moments(cleaned)
        for name in [name for name in self.errors if name in self.fields and self.fields[name].disabled]:
            del self.errors[name]  # no one could correct it
        if self.changing:
            found = problems_of_change(self.changing, self.plan, clock.now())
        else:
            found = problems_of(self.plan, clock.now())
        for name, problems in found.items():
            for problem in problems if name not in self.errors else []:
                self.add_problem(name, problem)
        return cleaned

    @property
    def plan(self) -> dict[str, Any]:
        """Return the season's fields, as far as they were valid."""
        known = self.cleaned_data
        plan = {name: known[name] for name in self.Meta.fields if name in known}
        if "options_json" in known:
            watch = Table.Watch.NOBODY if self.instance.league.is_private else Table.Watch.ANYONE
            chosen = {name: known[name] for name in Table.SETTINGS if name in known}
            plan["terms"] = self.stored["terms"] | chosen | {"watch": watch}
        if first := known.get("first_tie_break"):
            plan["tie_breaks"] = [first, *[one for one in usual_tie_breaks() if one != first]]
        if known.get("places") and known.get("most_divisions"):
            plan["division_size"] = ceil(known["places"] / known["most_divisions"])
        return self._without_fixed(completed(plan))

    def _without_fixed(self, plan: dict[str, Any]) -> dict[str, Any]:
        """Leave out what can't change, and what follows from settings that stay as they are."""
        if self.changing is None:
            return plan
        free = amendable(self.changing)
        for follows, *sources in FOLLOWS:
            if all(plan.get(name) == getattr(self.changing, name) for name in sources):
                free.discard(follows)
        return {name: value for name, value in plan.items() if name in free}

    @property
    def season(self) -> Season:
        """Return an unsaved season with the submitted plan, or the initial plan if the form is unbound."""
        if self.changing and self.is_bound:
            return changed_season(self.changing, changes_of(self.changing, self.plan))
        if self.changing and self.changing.state != Season.State.PLANNED:
            return self.changing
        return Season(league=self.instance.league, **(self.plan if self.is_bound else completed(self.stored)))

    def _keep_moments(self, cleaned: dict[str, Any]) -> None:
        """Keep the time of a day that was not changed; read today as now for the opening."""
        for name in DATES:
            moment, before = cleaned.get(name), self.initial.get(name)
            if moment is None:
                continue
            if isinstance(before, datetime) and timezone.localdate(before) == timezone.localdate(moment):
                cleaned[name] = before
            elif name == "opens_at" and timezone.localdate(moment) == timezone.localdate(clock.now()):
                cleaned[name] = clock.now()

    def add_problem(self, name: str, problem: str) -> None:
        """Add a problem to its field, or to the form if it has no such field."""
        name = "places" if name == "division_size" else name
        self.add_error(name if name in self.fields else None, problem)

    def show_as_it_is(self, changes: Changes) -> None:
        """Say at each field that differs what the season, just read again, has now; then it can be saved."""
        assert self.changing
        self.data = sent = self.data.copy()  # type: ignore[attr-defined]  # always a QueryDict
        sent["form_key"] = str(plan_key(self.changing))
        for column, (now, _sent) in changes.items():
            value = self.changing.max_players if column == "division_size" else now
            if column in self.fields or column == "division_size":
                is_plain = value is None or isinstance(value, (int, datetime))
                # Translators: value is a number or a date
                known = gettext("At present: %(value)s.") % {"value": value_text(value)} if is_plain else ""
                self.add_problem(column, known or gettext("At present this is set differently."))


def _column_of(name: str) -> str:
    """Return the season's column that a field of the form sets."""
    return "division_size" if name == "places" else name


def initial_of(plan: dict[str, Any]) -> dict[str, Any]:
    """Return the form's initial values for a plan."""
    terms = plan["terms"]
    options, target = terms.get("options_json") or {}, terms.get("target")
    shown = {name: value for name, value in (plan | terms).items() if name in SeasonForm.base_fields}
    usual_days = days_for_most_games(terms.get("pace"), plan["size"])
    return shown | {
        "table_days": None if plan["table_days"] == usual_days else plan["table_days"],
        "places": plan["division_size"] * plan["most_divisions"],
        "first_tie_break": plan["tie_breaks"][0],
        "edition": options.get("edition"),
        "variants": [name for name in options.get("variants", []) if name != POINTS],
        "match": str(target or ""),
    }
