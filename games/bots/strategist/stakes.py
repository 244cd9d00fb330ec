"""What stays the same while a battle is imagined, computed when first asked for."""

from dataclasses import replace

from games.bots.regions import holding, worths
from games.rules import REGIONS, Observation

from .world_building import is_dealt_anew


class Stakes:
    """What everyone sees of the regions and the discards, and where the Pope hinders each seat's rivals."""

    def __init__(self, seen: Observation) -> None:
        # A new deal begins with all cards in the pile.
        self.seen = replace(seen, discards=()) if is_dealt_anew(seen) else seen
        self._worths: dict[int, tuple[float, ...]] = {}
        self._popes: dict[int, tuple[int, ...]] = {}

    def popes(self, seat: int) -> tuple[int, ...]:
        """Return where the Pope hinders the others more than this seat (R9, R36), the best place first."""
        if seat not in self._popes:
            gains = []
            for region in self._open_to_pope():
                worth = self._worth(region)
                others = [value for other, value in enumerate(worth) if other != seat]
                gains.append((max(others) - worth[seat], region))
            self._popes[seat] = tuple([region for gain, region in sorted(gains, reverse=True) if gain > 0])
        return self._popes[seat]

    def _worth(self, region: int) -> tuple[float, ...]:
        if region not in self._worths:
            self._worths[region] = worths(self.seen, REGIONS[region])
        return self._worths[region]

    def _open_to_pope(self) -> list[int]:
        """Return where the Pope may go (R9, R36): nowhere in a final battle (R21) and in 1995 (R43)."""
        seen, taken = self.seen, 0
        if seen.final_battle or seen.options.is_1995:
            return []
        if not seen.options.captures_regions:
            taken = sum([holding(seen, owner) for owner in range(seen.players)])
        return [
            number
            for number, region in enumerate(REGIONS)
            if not taken >> number & 1 and region != seen.battle
        ]
