"""One check of a game's fairness, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class FairnessCheck:
    """One completed check; `is_right` is None where this page cannot tell."""

    title: str
    sentences: list[str]
    is_right: bool | None
    values: list[tuple[str, str]] = field(default_factory=list)
    shuffles: list[CheckedShuffle] = field(default_factory=list)


@dataclass(frozen=True)
class CheckedShuffle:
    """One shuffle of the log, next to what the key makes of the same cards."""

    number: int  # from 0, as in the scheme
    ply: int
    text: str
    is_right: bool
    logged: str
    computed: str
    url: str  # address of the position after it

    @property
    def entry(self) -> int:
        """Its number in the history, which counts from 1."""
        return self.ply + 1


def entry_numbers(ply: int) -> dict[str, object]:
    """Return a log entry's number in the history and in the record."""
    return {"entry": ply + 1, "ply": ply}
