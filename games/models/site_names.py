"""Names made by the site: stored as facts, and translated for each reader."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models.expressions import Combinable
from django.db.models.query_utils import DeferredAttribute
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.characters import CODE_POINTS, CharactersField

if TYPE_CHECKING:
    _CharField = models.CharField[str | Combinable, str]
else:
    _CharField = models.CharField  # only the stubs know its types

LONGEST_TYPED = 60
TABLE_NAME_COLUMN = LONGEST_TYPED * CODE_POINTS + 200  # facts are longer than what they say
_FACTS = "\x1f"  # prefix of facts: no one can type a control character into a name

_TEXTS = {
    # Translators: the name of a game against bots
    "practice": gettext_noop("Practice"),
    "imported game": gettext_noop("Imported game"),
    "imported match": gettext_noop("Imported match"),
    "league table": gettext_noop("%(league)s: round %(round)d, table %(table)d"),
    "table of a division": gettext_noop("%(league)s: %(division)s, round %(round)d, table %(table)d"),
    "league final": gettext_noop("%(league)s: final"),
    "final of a season": gettext_noop("%(league)s, season %(season)d, final"),
    "league round": gettext_noop("%(league)s, season %(season)d, round %(round)d"),
    "round of a division": gettext_noop(
        "%(league)s, season %(season)d, division %(division)s, round %(round)d"
    ),
}


class SiteName(str):
    """A name made by the site, translated for its reader; `kind` and `facts` are what is stored."""

    kind: str
    facts: dict[str, Any]

    def __new__(cls, kind: str, **facts: Any) -> SiteName:
        """Translate the name. `repeat` in `facts` is the number of a rematch."""
        text = _(_TEXTS[kind]) % facts
        name = super().__new__(cls, f"{text} ({facts['repeat']})" if "repeat" in facts else text)
        name.kind, name.facts = kind, facts
        return name

    @staticmethod
    def beginning(kind: str) -> str:
        """Return how the column's text begins for names of this kind, whatever their facts."""
        return _FACTS + json.dumps([kind]).removesuffix("]")

    @property
    def stored(self) -> str:
        """The facts as the column stores them."""
        return _FACTS + json.dumps([self.kind, self.facts], ensure_ascii=False)


class _NameNow(DeferredAttribute):
    """Descriptor that translates a stored SiteName when it is read, in the language of that moment."""

    def __get__(self, row: Any, model: Any = None) -> Any:
        name = super().__get__(row, model)
        return SiteName(name.kind, **name.facts) if isinstance(name, SiteName) else name

    def __set__(self, row: Any, name: Any) -> None:
        row.__dict__[self.field.attname] = name


class SiteNameField(_CharField):
    """A name that someone typed, or a SiteName, which is translated whenever it is read."""

    descriptor_class = _NameNow

    def formfield(self, *args: Any, **kwargs: Any) -> Any:
        """Limit typed names: the column is wider only to hold facts."""
        return super().formfield(
            *args, **{"form_class": CharactersField, "max_length": LONGEST_TYPED, **kwargs}
        )

    def from_db_value(self, value: str | None, *_about: object) -> str | None:
        if value is None or not value.startswith(_FACTS):
            return value
        kind, facts = json.loads(value[1:])
        return SiteName(kind, **facts)

    def get_prep_value(self, value: Any) -> Any:
        return value.stored if isinstance(value, SiteName) else super().get_prep_value(value)
