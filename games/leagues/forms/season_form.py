"""The form for a season's plan, with its fields and sections."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import clock
from accounts.forms import OwnDate
from games.forms import TableForm
from games.leagues.models import League, Season
from games.leagues.models.seasons import MOST_AT_ONCE, usual_terms, usual_tie_breaks
from games.leagues.services.season_plans import DATES, TERMS, problems_of
from games.models import MAX_SEATS, MIN_SEATS, Table
from games.presenters.chat_settings import ChatSettings, YesOrNo
from games.presenters.game_settings import ANOTHER, OFFERED_TARGETS, POINTS, GameSettings
from games.presenters.time_settings import TimeSettings

TIE_BREAKS = {
    "head_to_head": gettext_lazy("Head to head"),
    "wins": pgettext_lazy("tie-break", "Victories"),
    "regions": gettext_lazy("Regions held"),
    "strength_of_schedule": gettext_lazy("Strength of schedule"),
}
LOT = "lot"
FARTHEST = timedelta(days=5 * 366)


class DayField(forms.DateField):
    """A date field in the user's time zone that cleans to a datetime on that day.

    The time of day is the field's `at`.
    """

    def __init__(self, *, at: time, **kwargs: Any) -> None:
        super().__init__(widget=OwnDate, **kwargs)
        self.at = at

    def clean(self, value: Any) -> datetime:
        day: date = super().clean(value)
        if abs(day - clock.now().date()) > FARTHEST:
            raise ValidationError(
                gettext("This date is too far away. Choose one within the next five years.")
            )
        return timezone.make_aware(datetime.combine(day, self.at))

    def prepare_value(self, value: Any) -> Any:
        return timezone.localtime(value).date() if isinstance(value, datetime) else value


class PointsField(forms.CharField):
    """A field of whole numbers separated by spaces, cleaned to a list that may be empty."""

    def clean(self, value: Any) -> list[int]:
        typed = re.findall(r"[^\s,;]+", str(super().clean(value)))
        wrong = [word for word in typed if not re.fullmatch(r"-?[0-9]{1,4}", word)]
        if wrong:
            # Translators: wrong is what someone typed, such as "6a".
            error = gettext("“%(wrong)s” isn’t a whole number. Enter whole numbers with spaces between them.")
            raise ValidationError(error % {"wrong": ", ".join(wrong)[:80]})
        return [int(word) for word in typed]

    def prepare_value(self, value: Any) -> Any:
        return " ".join(map(str, value)) if isinstance(value, list) else value


class _InOrder(forms.MultiWidget):
    """A widget with one choice per rank."""

    def __init__(self, choices: list[tuple[str, Any]]) -> None:
        ranks = (
            pgettext_lazy("tie-break", "First"),
            pgettext_lazy("tie-break", "Second"),
            pgettext_lazy("tie-break", "Third"),
            pgettext_lazy("tie-break", "Fourth"),
        )
        selects = [forms.Select(attrs={"aria-label": rank}, choices=choices) for rank in ranks]
        super().__init__(selects, {"class": "in-order"})

    def decompress(self, value: Any) -> list[str]:
        chosen = [one for one in value or [] if one != LOT]
        return [*chosen, *[""] * len(self.widgets)][: len(self.widgets)]


class TieBreaksField(forms.MultiValueField):
    """A field for the tie-breaks in order of priority.

    The lot, which always decides, is appended last.
    """

    def __init__(self, **kwargs: Any) -> None:
        choices = [("", gettext_lazy("None: draw lots")), *TIE_BREAKS.items()]
        fields = [forms.ChoiceField(choices=choices, required=False) for _rank in TIE_BREAKS]
        super().__init__(fields, widget=_InOrder(choices), require_all_fields=False, required=False, **kwargs)

    def compress(self, data_list: list[str]) -> list[str]:
        chosen = [one for one in data_list if one]
        if len(set(chosen)) < len(chosen):
            raise ValidationError(gettext("A tie-break is listed twice. Choose each one only once."))
        return [*chosen, LOT]


# Sections of the form


SIDE, CARDS, NUMBERS, PLAIN = "side-by-side", "choose", "choose numbers", ""

# (title, whether it is open at first, groups of fields as (display style, field names))
_SECTIONS: tuple[tuple[str | Promise, bool, tuple[tuple[str, tuple[str, ...]], ...]], ...] = (
    (
        pgettext_lazy("setting", "Dates"),
        True,
        ((SIDE, ("opens_at", "signup_ends_at", "begins_at")),),
    ),
    (
        _("Players and rounds"),
        True,
        (
            (NUMBERS, ("size",)),
            (SIDE, ("division_size", "most_divisions", "min_players")),
            (NUMBERS, ("tables_at_once",)),
            (SIDE, ("rounds", "table_days")),
            (CARDS, ("format",)),
        ),
    ),
    (_("Time per move"), True, ((CARDS, ("pace",)),)),
    (
        _("Scoring and tie-breaks"),
        False,
        (
            (CARDS, ("scoring",)),
            (PLAIN, ("placement", "tie_breaks")),
            (CARDS, ("bye_points", "split", "is_rated")),
        ),
    ),
    (
        _("Promotion, relegation and the next season"),
        False,
        ((SIDE, ("promoted", "relegated")), (PLAIN, ("pause_days",))),
    ),
    (
        _("Sign-up and free places"),
        False,
        ((PLAIN, ("confirm_days", "closes_when_full")),),
    ),
    (
        _("Late tables and absent players"),
        False,
        (
            (PLAIN, ("extension_days",)),
            (CARDS, ("late",)),
            (PLAIN, ("ask_hours", "most_misses", "hours", "most_holidays")),
        ),
    ),
    (
        _("Game rules, matches and spectators"),
        False,
        ((PLAIN, ("edition", "variants", "match", "target", "has_orders", "watch")),),
    ),
    (
        _("Chat, showing cards and anonymity"),
        False,
        ((PLAIN, ("chat", "shows_cards", "spectators_read", "is_anonymous")),),
    ),
)


@dataclass(frozen=True)
class Section:
    """A titled section of the form."""

    title: str
    is_open: bool
    groups: list[tuple[str, list[forms.BoundField]]]

    @property
    def has_errors(self) -> bool:
        return any(field.errors for field in chain.from_iterable(fields for _shown, fields in self.groups))


def sections_of(form: forms.BaseForm) -> list[Section]:
    """Return the form's sections, with each visible field exactly once."""
    return [
        Section(str(title), is_open, [(shown, [form[name] for name in names]) for shown, names in groups])
        for title, is_open, groups in _SECTIONS
    ]


# The form: dates, tables, scoring, divisions and table settings. It only shows the problems that planning
# finds.


_USUAL_DAYS_OF_SIGN_UP = 14

if TYPE_CHECKING:
    ModelFormOfSeason = forms.ModelForm[Season]  # Django's own class is not generic at runtime
else:
    ModelFormOfSeason = forms.ModelForm


class SeasonForm(GameSettings, TimeSettings, ChatSettings, ModelFormOfSeason):
    """The form for the rules of a season, fixed before anyone signs up."""

    absent = None  # type: ignore[assignment]  # a bot plays and a substitute is sought, as in all leagues
    time_by = None  # type: ignore[assignment]  # a league table has no host

    opens_at = DayField(label=gettext_lazy("Sign-up opens on"), at=time(0, 0))
    signup_ends_at = DayField(label=gettext_lazy("Last day of sign-up"), at=time(23, 59))
    begins_at = DayField(label=gettext_lazy("First round begins on"), at=time(9, 0))
    closes_when_full = YesOrNo(
        label=gettext_lazy("If all places are taken early"),
        yes=gettext_lazy("Sign-up ends at once, and we ask the players to confirm."),
        no=gettext_lazy("Sign-up stays open, and later players join the waiting list."),
        usual=False,
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
    tie_breaks = TieBreaksField(
        label=pgettext_lazy("setting", "Tie-breaks"),
        help_text=gettext_lazy(
            "Used in this order between players with equal points. If players are still tied, lots are "
            "drawn. Anyone can check the draw from what the season publishes."
        ),
    )
    is_rated = YesOrNo(
        label=pgettext_lazy("form", "Ratings"),
        yes=gettext_lazy("Rated, if the league is public."),
        no=gettext_lazy("Not rated."),
        usual=True,
    )
    watch = deepcopy(TableForm.base_fields["watch"])
    form_key = forms.UUIDField(widget=forms.HiddenInput, required=False)

    class Meta:
        model = Season
        fields = (
            "opens_at", "signup_ends_at", "begins_at", "closes_when_full", "confirm_days",
            "size", "division_size", "most_divisions", "min_players", "format", "rounds", "tables_at_once",
            "table_days", "scoring", "placement", "tie_breaks", "split", "bye_points", "is_rated",
            "promoted", "relegated", "pause_days",
            "extension_days", "late", "ask_hours",
        )  # fmt: skip
        widgets = dict.fromkeys(("format", "scoring", "split", "bye_points", "late"), forms.RadioSelect)
        help_texts = {
            "confirm_days": gettext_lazy(
                "Counted from the end of sign-up. Players who don’t confirm lose their place to the "
                "waiting list."
            ),
            "division_size": gettext_lazy(
                "If this is not a multiple of the players per table, some tables are larger or smaller."
            ),
            "min_players": gettext_lazy("With fewer players, you decide how to go on."),
            "table_days": gettext_lazy("See below how long a game usually takes."),
            "pause_days": gettext_lazy("Leave this empty to plan the next season yourself."),
            "extension_days": gettext_lazy("Each round is extended once at most."),
            "ask_hours": gettext_lazy("After that, we ask the next substitute."),
        }

    def __init__(
        self, league: League, *args: Any, stored: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        self.stored = stored or usual_plan(league)
        kwargs["initial"] = initial_of(self.stored) | kwargs.get("initial", {})
        kwargs["label_suffix"] = ""
        super().__init__(*args, **kwargs)
        self.instance.league = league

    @property
    def sections(self) -> list[Section]:
        """Return the sections in the order in which an organiser plans a season.

        Sections that most organisers leave unchanged are collapsed.
        """
        return sections_of(self)

    def clean(self) -> dict[str, Any]:
        self.cleaned_data = cleaned = super().clean()
        self._keep_moments(cleaned)
        for name, problems in problems_of(self.plan, clock.now()).items():
            for problem in problems if name not in self.errors else []:
                self.add_problem(name, problem)
        return cleaned

    @property
    def plan(self) -> dict[str, Any]:
        """Return the season's fields, as far as they were valid."""
        known = self.cleaned_data
        plan = {name: known[name] for name in self.Meta.fields if name in known}
        if "options_json" in known:
            plan["terms"] = {name: known[name] for name in TERMS if name in known}
        return plan

    @property
    def season(self) -> Season:
        """Return an unsaved season with the submitted plan, or the initial plan if the form is unbound."""
        return Season(league=self.instance.league, **(self.plan if self.is_bound else self.stored))

    def _keep_moments(self, cleaned: dict[str, Any]) -> None:
        """Keep the time of a day that was not changed; read today as now for the opening."""
        for name in DATES:
            moment, before = cleaned.get(name), self.initial.get(name)
            if moment is None:
                continue
            if isinstance(before, datetime) and _day(before) == _day(moment):
                cleaned[name] = before
            elif name == "opens_at" and _day(moment) == _day(clock.now()):
                cleaned[name] = clock.now()

    def add_problem(self, name: str, problem: str) -> None:
        """Add a problem to its field, or to the form if it has no such field."""
        self.add_error(name if name in self.fields else None, problem)


def _day(moment: datetime) -> date:
    return timezone.localtime(moment).date()


def usual_plan(league: League) -> dict[str, Any]:
    """Return the usual plan of a season, in which only the dates need checking."""
    opens = _day(clock.now()) + timedelta(days=1)  # until then the organiser can still revise the plan
    ends = opens + timedelta(days=_USUAL_DAYS_OF_SIGN_UP)
    watch = Table.Watch.NOBODY if league.is_private else Table.Watch.ANYONE
    return {
        "opens_at": _at(opens, time(0, 0)),
        "signup_ends_at": _at(ends, time(23, 59)),
        "begins_at": _at(ends + timedelta(days=4), time(9, 0)),
        "tie_breaks": usual_tie_breaks(),
        "terms": usual_terms() | {"watch": watch},
    }


def _at(day: date, hour: time) -> datetime:
    return timezone.make_aware(datetime.combine(day, hour))


def not_before(plan: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Shift all dates of the plan so that the sign-up opens tomorrow at the earliest."""
    late = max(now + timedelta(days=1) - plan["opens_at"], timedelta())
    return plan | {name: plan[name] + late for name in DATES}


def initial_of(plan: dict[str, Any]) -> dict[str, Any]:
    """Return the form's initial values for a plan."""
    terms = plan.get("terms") or {}
    plain = {name: value for name, value in plan.items() if name != "terms"}
    known = {name: terms[name] for name in TERMS if name in terms}
    shown = _as_typed(plain | known)
    return shown | _game_as_typed(terms.get("options_json") or {}, terms.get("target"))


def _as_typed(values: dict[str, Any]) -> dict[str, Any]:
    own_words = {name for name, field in SeasonForm.base_fields.items() if isinstance(field, YesOrNo)}
    return {
        name: ("yes" if value else "no") if name in own_words else value for name, value in values.items()
    }


def _game_as_typed(options: dict[str, Any], target: int | None) -> dict[str, Any]:
    game = {
        "edition": options.get("edition"),
        "variants": [name for name in options.get("variants", []) if name != POINTS],
    }
    if target in OFFERED_TARGETS:
        return game | {"match": str(target), "target": None}
    return game | ({"match": ANOTHER, "target": target} if target else {})
