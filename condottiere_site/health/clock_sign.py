"""The sign that no one has set the machine's clock while the site runs."""

from accounts.clock_jumps import LEAP, watch
from condottiere_site.health.signs import Sign, SignName, Unit, within


def clock_signs() -> list[Sign]:
    """Return how far this machine's clock is from where it should be. Other machines have their own."""
    return [within(SignName.CLOCK, abs(watch.leap().total_seconds()), LEAP.total_seconds(), Unit.SECONDS)]
