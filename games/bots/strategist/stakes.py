"""What a battle would change for each seat, as far as the regions tell it."""

from games.bots.regions import WON, holding, worths
from games.rules import REGIONS, Observation

from .battle_world import NONE

# Between these a stake is small, fair, large, or the game.
_BOUNDS = (12.0, 24.0, 48.0, WON)
LEVELS = len(_BOUNDS) + 1


class Stakes:
    """What regions are worth to each seat in one position, computed when first asked for."""

    def __init__(self, seen: Observation) -> None:
        self._seen = seen
        final = tuple([LEVELS - 1 if seat in seen.final_battle else 0 for seat in range(seen.players)])
        self._levels: dict[int, tuple[int, ...]] = {NONE: final}
        self._worths: dict[int, tuple[float, ...]] = {}
        self._popes: dict[int, tuple[int, ...]] = {}

    def levels(self, region: int) -> tuple[int, ...]:
        """Return what a battle there means to each seat, from 0 to LEVELS - 1; NONE is a final battle."""
        if region not in self._levels:
            worth = self._worth(region)
            self._levels[region] = tuple([sum([value >= bound for bound in _BOUNDS]) for value in worth])
        return self._levels[region]

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
            self._worths[region] = worths(self._seen, REGIONS[region])
        return self._worths[region]

    def _open_to_pope(self) -> list[int]:
        """Return where the Pope may go (R9, R36): nowhere in a final battle (R21) and in 1995 (R43)."""
        seen, taken = self._seen, 0
        if seen.final_battle or seen.options.is_1995:
            return []
        if not seen.options.captures_regions:
            taken = sum([holding(seen, owner) for owner in range(seen.players)])
        return [
            number
            for number, region in enumerate(REGIONS)
            if not taken >> number & 1 and region != seen.battle
        ]
