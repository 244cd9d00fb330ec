"""What the parts of a battle's story share: the names at each entry, and who was level.

Gets redacted events only, like all that tells of battles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.narration.battles import Battle
from games.narration.cast import Cast

NamesAt = Callable[[int], Sequence[str]]


@dataclass(frozen=True)
class BattleTelling:
    """A battle that a story tells; `names_at` says who had the seats at an entry."""

    battle: Battle
    names_at: NamesAt

    def cast(self, ply: int | None = None) -> Cast:
        """Return who had the seats at an entry, or at the battle's end."""
        return Cast.of(self.names_at(self.last if ply is None else ply))

    @property
    def last(self) -> int:
        """The entry whose seat names are used at the battle's end."""
        return self.battle.seen[-1][0] if self.battle.end is None else self.battle.end


def level_at(totals: Sequence[int], cast: Cast) -> str:
    """Return who shares the highest strength; empty where no one has any."""
    highest = max(totals, default=0)
    if not highest:
        return ""
    level = [seat for seat, total in enumerate(totals) if total == highest]
    return cast.say_of_several(
        level,
        # Translators: names are players, such as "You and Anna"; strength is a number.
        pgettext("the reader and others", "%(names)s were level at strength %(strength)d."),
        # Translators: names are players, such as "Anna and Bruno"; strength is a number.
        _("%(names)s were level at strength %(strength)d."),
        strength=highest,
    )
