"""The text of each rules page, made once per language and process: it is the same for everyone."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from games.map.board import BoardView
from games.rulebook.edition_names import EDITION_NAMES, OPTION_GISTS, OPTION_NAMES
from games.rulebook.page_addresses import edition_address, option_address
from games.rules import EDITIONS, Options

from .example_battles import IN_A_MINUTE
from .reference import Reference, editions


@dataclass
class Marks:
    """The rulings a page has mentioned, and those that are wholly or partly this site's."""

    printed: set[int] = field(default_factory=set)
    house: set[int] = field(default_factory=set)

    def tell(self, number: int, *, is_house: bool = False) -> bool:
        """Record a mark on the page; return whether it is the first of its kind."""
        text = self.house if is_house else self.printed
        is_first = number not in text
        text.add(number)
        return is_first

    @property
    def index(self) -> list[tuple[int, bool]]:
        """Return each ruling by its number, and whether it is one of this site's."""
        return [(number, number in self.house) for number in sorted(self.printed | self.house)]


@dataclass(frozen=True)
class Page:
    """A rules page: its URL name, title, template and subject."""

    name: str
    path: str
    title: str | Promise
    template: str
    options: Options

    @property
    def is_overview(self) -> bool:
        """Whether this is the page that leads to the others."""
        return not self.path


@dataclass(frozen=True)
class Body:
    """A page's text and its rulings."""

    text: SafeString
    rulings: tuple[tuple[int, bool], ...]


def _pages() -> tuple[Page, ...]:
    found = [
        Page("rules", "", _("The rules"), "rulebook/overview.html", Options()),
        Page("rules_minute", "minute/", _("The game in a minute"), "rulebook/minute.html", Options()),
        Page("rules_orders", "standing-orders/", _("Standing orders"), "rulebook/orders.html", Options()),
        Page("rules_map", "map/", _("The map"), "rulebook/map.html", Options()),
    ]
    for edition, printed in EDITIONS.items():
        title, template = EDITION_NAMES[edition], f"rulebook/edition_{edition}.html"
        found.append(Page(edition_address(edition), f"{edition}/", title, template, Options(edition)))
        found += [
            Page(
                option_address(edition, option),
                f"{edition}/{option}/",
                OPTION_NAMES[option],
                f"rulebook/option_{option.replace('-', '_')}.html",
                Options(edition, (option,)),
            )
            for option in printed.variants
        ]
    return tuple(found)


PAGES = _pages()


@lru_cache(maxsize=256)
def body(page: Page, language: str) -> Body:
    """Return a page's text in a language."""
    marks = Marks()
    with override(language):
        context = {
            "page": page,
            "book": Reference(page.options),
            "base": Reference(Options(page.options.edition)),
            "editions": editions(),
            "options": [
                (name, OPTION_NAMES[name], OPTION_GISTS[name], option_address("2007", name))
                for name in EDITIONS["2007"].variants
            ],
            "board": BoardView(),
            "marks": marks,
            "minute": IN_A_MINUTE,
        }
        text = render_to_string(page.template, context)
    return Body(SafeString(text), tuple(marks.index))
