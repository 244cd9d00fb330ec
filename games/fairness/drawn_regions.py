"""Whether the regions that the site drew for players who ran out of time follow from the key."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.fairness.check import FairnessCheck, entry_numbers
from games.models import Game, LogEntry
from games.rules import Replay, drawn_by_clock, legal_moves


def entries_drawn(game: Game, played: Replay) -> list[int]:
    """Return the entries in which the clock chose a region, as far as the log can be played.

    Copied entries follow from another game's key.
    """
    own = game.log.filter(ply__gte=game.copied_entries)
    clocks = set(own.filter(via=LogEntry.Via.CLOCK).values_list("ply", flat=True))
    return [ply for ply, entry in enumerate(played.plies) if ply in clocks and entry.move.kind == "place"]


def check_drawn_regions(key: bytes | None, played: Replay, drawn: list[int]) -> FairnessCheck:
    """Check the regions drawn by the site for players who ran out of time."""
    title = _("Regions drawn by the site")
    if key is None:
        return FairnessCheck(title, [_("Without a key the regions can’t be drawn.")], False)
    wrong = next((ply for ply in drawn if not _is_drawn(ply, key, played)), None)
    text = ngettext(
        "%(count)d region was drawn from the key again and compared with the log.",
        "%(count)d regions were drawn from the key again and compared with the log.",
        len(drawn),
    )
    said = [text % {"count": len(drawn)}]
    if wrong is not None:
        # Translators: %(entry)d and %(ply)d identify an entry of the log.
        bad = _(
            "Entry %(entry)d of the log (ply %(ply)d in the record) has a region that the key does not draw."
        )
        said.append(bad % entry_numbers(wrong))
    return FairnessCheck(title, said, wrong is None)


def _is_drawn(ply: int, key: bytes, played: Replay) -> bool:
    entry = played.plies[ply]
    assert entry.seat is not None
    regions = legal_moves(played.states[ply], entry.seat)
    return entry.move == regions[drawn_by_clock(key, ply, len(regions))]
