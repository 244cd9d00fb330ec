"""The entries that a log copied from other games, whose shuffles follow from the keys of those."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.fairness.check import FairnessCheck
from games.models import Game


def check_copied_entries(game: Game) -> Iterator[FairnessCheck]:
    """Yield what is known of each copied part of the log; nothing of it is checked here."""
    first = 1
    for part in game.copied or []:
        if part["entries"] >= first:
            yield _not_checked(first, part)
        first = part["entries"] + 1


def _not_checked(first: int, part: dict[str, object]) -> FairnessCheck:
    if part.get("is_taken_back"):
        # Translators: both are numbers of entries of the log.
        text = _(
            "Entries %(first)d to %(last)d were copied from a practice game in which a move was taken back. "
            "Its secret stays unknown, so no one can check their shuffles."
        )
    else:
        # Translators: both are numbers of entries of the log.
        text = _(
            "Entries %(first)d to %(last)d were copied from another game. Their shuffles follow from the key "
            "of that game. Its record proves them; this page doesn’t check them."
        )
    values = [(pgettext("fair shuffle", "Commitment of that game"), str(part["commitment"]))]
    said = text % {"first": first, "last": part["entries"]}
    return FairnessCheck(_("Copied entries"), [said], None, values if part["commitment"] else [])
