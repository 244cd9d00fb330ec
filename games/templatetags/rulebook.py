"""Template tags for the rules: ruling marks, examples, and links from game pages."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.narration.vocabulary import card_rule
from games.rulebook import card_anchor, edition_name, option_name, rule_url
from games.rulebook.bodies import Marks
from games.rulebook.example_narration import tell
from games.rulebook.examples import EXAMPLES
from games.rules import MERCENARIES, Options

register = template.Library()
register.filter(edition_name)


class Way(NamedTuple):
    """A link to a rule."""

    name: str
    url: str


class CardRow(NamedTuple):
    """A kind of card of an edition, with what it does; all Mercenaries are one kind."""

    key: str
    cards: tuple[str, ...]
    copies: str
    does: str
    url: str


@register.simple_tag
def cards_of_game(options: Options) -> list[CardRow]:
    """Return the kinds of cards in the deck, the Mercenaries first."""
    kinds, copies = dict[str, list[str]](), options.copies
    for card in copies:
        kinds.setdefault("mercenary" if card in MERCENARIES else card, []).append(card)
    rules = rule_url(options.edition)
    return [
        _card_row(options, key, cards, sum(copies[card] for card in cards), rules)
        for key, cards in kinds.items()
    ]


def _card_row(options: Options, key: str, cards: list[str], n: int, rules: str) -> CardRow:
    # Translators: n is how many cards of one kind are in the deck; a link to the rules of these cards
    copies = ngettext("%(n)s in the deck", "%(n)s in the deck", n) % {"n": n}
    does = str(card_rule(cards[0], options.edition).sentence)
    return CardRow(key, tuple(cards), copies, does, f"{rules}#{card_anchor(cards[0])}")


@register.simple_tag
def card_does(card: str, options: Options) -> str:
    """Return what a card does in one sentence."""
    return str(card_rule(card, options.edition).sentence)


@register.simple_tag
def rules_in_force(options: Options) -> list[Way]:
    """Return links to the edition's rules and to each optional rule in play."""
    edition = options.edition
    chosen = [Way(option_name(option), rule_url(edition, option=option)) for option in options.variants]
    return [Way(edition_name(edition), rule_url(edition)), *chosen]


@register.simple_tag(takes_context=True)
def ruling(context: template.Context, *numbers: int) -> SafeString:
    """Return the numbers of a sentence's rulings; the first mark of each on a page can be linked to."""
    marks: Marks = context["marks"]
    parts = [_mark("ruling", f"R{number}", f"r{number}", marks.tell(number)) for number in numbers]
    return format_html_join(" ", "{}", ((mark,) for mark in parts))


@register.simple_tag(takes_context=True)
def house(context: template.Context, number: int) -> SafeString:
    """Return the mark of a rule that this site had to decide."""
    words = _("House ruling, R%(number)d") % {"number": number}
    return _mark("house", words, f"house-{number}", context["marks"].tell(number, is_house=True))


def _mark(kind: str, words: str, anchor: str, is_first: bool) -> SafeString:
    if is_first:
        return format_html('<span class="{}" id="{}">{}</span>', kind, anchor, words)
    return format_html('<span class="{}">{}</span>', kind, words)


@register.inclusion_tag("rulebook/_example.html")
def worked(key: str) -> dict[str, Any]:
    """Return an example, played through by the rules when the page is made."""
    example = EXAMPLES[key]
    return {"example": example, "story": tell(example.script)}


@register.simple_tag(takes_context=True)
def what_it_does(context: template.Context, card: str) -> SafeString:
    """Return what a card does in the page's edition, with its rulings."""
    rule = card_rule(card, context["book"].edition)
    return format_html("{} {}", rule.sentence, ruling(context, *rule.rulings))
