"""A `?` next to a badge or token, which opens a sentence on what it means. Works without script."""

from __future__ import annotations

from typing import NamedTuple

from django import template
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from games.presenters.battle import LinesSection

register = template.Library()


class Help(NamedTuple):
    """What the `?` is called for screen readers, and what it opens."""

    question: str | Promise
    answer: str | Promise


HELP = {
    "condottiere": Help(
        _("What is the Condottiere?"),
        _(
            "The Condottiere has the token with the swords, and chooses the region of the next battle. The "
            "token usually goes to the winner of a battle."
        ),
    ),
    "pope": Help(
        _("What does the Pope do?"),
        _("No one can fight for the region where the Pope is. A Bishop moves him."),
    ),
    "draw-pile": Help(
        _("What is the draw pile?"),
        _("Cards that no one has drawn yet. You get new cards when a round ends, not after each move."),
    ),
    "draw-pile-after-battle": Help(
        _("What is the draw pile?"),
        _("Cards that no one has drawn yet. Everyone draws after each battle."),
    ),
    "discard-pile": Help(
        _("What is the discard pile?"),
        _(
            "Cards that have been played or discarded. They come back when they are shuffled into a new "
            "draw pile."
        ),
    ),
    "connected": Help(
        _("What does “connected” mean?"),
        _("Regions are connected when they share a border on the map, or are joined by your other regions."),
    ),
    "season": Help(
        _("How long does a season last?"),
        _("Until the battle ends or, in the 2007 edition, until the other season is played."),
    ),
    "passed": Help(
        _("What does “passed” mean?"),
        _("This player plays no more cards in this battle. The cards in their line still count."),
    ),
    "tied": Help(
        _("What does “tied” mean?"),
        _(
            "If two or more lines share the highest strength when the battle ends, no one wins it. In a "
            "final battle, these players share the victory."
        ),
    ),
    "defender": Help(
        _("What is a defender?"),
        _("The defender holds this region now. If they pass first, they can still play later."),
    ),
    "face-down": Help(
        _("When does a face-down card count?"),
        _("It is turned up when its player plays another card, or when the battle ends. Then it counts."),
    ),
    "reserve": Help(
        _("What is the reserve?"),
        _("Extra time for the whole game. It is used when the time for one move is over."),
    ),
}


@register.simple_tag
def help_mark(key: str, place: str = "page") -> SafeString:
    """Render the `?` of one thing; `place` tells several of the same on a page apart."""
    told, name = HELP[key], f"help-{key}-{place}"
    return format_html(
        '<button type="button" class="help-mark" popovertarget="{}" aria-label="{}">?</button>'
        '<span popover id="{}" class="help-words">{}</span>',
        name,
        told.question,
        name,
        told.answer,
    )


@register.simple_tag
def battle_words(lines: LinesSection) -> list[Help]:
    """Return what the words next to the lines of this battle mean, those in use only."""
    used = {
        "passed": any(line.is_out for line in lines.rows),
        "tied": any(line.is_level for line in lines.rows),
        "defender": any(line.defends for line in lines.rows),
        "face-down": lines.has_cards_down,
    }
    return [HELP[key] for key, is_used in used.items() if is_used]
