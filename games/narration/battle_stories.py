"""Battles as short paragraphs. Gets redacted events only, and says nothing that they do not say."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.narration.battle_course import BattleCourse
from games.narration.battle_result import BattleResult
from games.narration.battle_telling import BattleTelling, NamesAt
from games.narration.battles import Battle
from games.narration.entries import entry_sentences
from games.narration.event_sentences import narrate
from games.rules import events as happened

# Events between two battles, told with the one before or after.
_DISCARDS = (happened.HandsShown, happened.HandsDropped)


def story(battle: Battle, names_at: NamesAt, clocked: Container[int] = ()) -> list[str]:
    """Return the battle in a few sentences: who began it, how the lead changed and why, and the result.

    `names_at` says who had the seats at an entry, `clocked` are the entries that the clock made.
    """
    return _Story(battle, names_at, clocked).sentences()


def outcome_in_brief(battle: Battle, names_at: NamesAt) -> str:
    """Return who has the region now, for a list of battles; empty while the battle goes on."""
    if battle.end is None:
        return ""
    if battle.winner is not None:
        return names_at(battle.end)[battle.winner]
    # Translators: who won a battle, in a list of battles.
    return pgettext("winner of a battle", "no one")


@dataclass(frozen=True)
class _Story(BattleTelling):
    """A battle from its choice to its result."""

    clocked: Container[int]

    def sentences(self) -> list[str]:
        end = self.battle.end
        before = [self._discarded(at) for at in self.battle.seen if end is None or at[0] < end]
        after = [self._discarded(at) for at in self.battle.seen if end is not None and at[0] >= end]
        course = BattleCourse(self.battle, self.names_at).sentences()
        result = BattleResult(self.battle, self.names_at).sentences()
        told = [self._opening(), self._idle(), *before, *course, *self._leaving(), *result, *after]
        return [sentence for sentence in told if sentence]

    def _opening(self) -> str:
        """Return who began the battle."""
        for ply, event in self.battle.seen:
            if isinstance(event, happened.RegionChosen):
                return " ".join(entry_sentences(event, self.cast(ply), by_clock=ply in self.clocked))
            if isinstance(event, happened.FinalBattleBegun):
                # Translators: names are players, such as "Anna and Bruno".
                return _("Fought the final battle: %(names)s.") % {"names": self.cast().listed(event.seats)}
        return ""

    def _discarded(self, at: tuple[int, happened.Event]) -> str:
        """Return a sentence on hands discarded before the first card, or after the last."""
        ply, event = at
        is_worth_it = isinstance(event, _DISCARDS) and event.hands
        return " ".join(narrate([event], self.names_at(ply))) if is_worth_it else ""

    def _idle(self) -> str:
        """Return who played no card, where others did and the battle is over."""
        idle = [seat for seat in self._fighters if seat not in self.battle.played]
        if not idle or not self.battle.played or self.battle.end is None:
            return ""
        if list(self.battle.played) == [self._chooser]:
            return _("No one else played a card.")
        if len(self.battle.played) == 1:
            (alone,) = self.battle.played
            # Translators: name is a player.
            return self.cast().say(alone, _("Only you played cards."), _("Only %(name)s played cards."))
        if len(idle) == 1:
            # Translators: name is a player.
            return self.cast().say(idle[0], _("You played no card."), _("%(name)s played no card."))
        return self.cast().say_of_several(
            idle,
            # Translators: names are players, such as "You and Anna".
            pgettext("the reader and others", "%(names)s played no card."),
            # Translators: names are players, such as "Anna and Bruno".
            _("%(names)s played no card."),
        )

    @property
    def _chooser(self) -> int | None:
        chosen = [event for _ply, event in self.battle.seen if isinstance(event, happened.RegionChosen)]
        return chosen[0].seat if chosen else None

    @property
    def _fighters(self) -> Sequence[int]:
        for _ply, event in self.battle.seen:
            if isinstance(event, happened.FinalBattleBegun):
                return event.seats
        if self.battle.region is None:
            return list(self.battle.played)
        return range(len(self.names_at(self.last)))

    def _leaving(self) -> list[str]:
        """Return who left the battle without cards or an answer, which was not their choice."""
        empty = [event.seat for _p, event in self.battle.seen if isinstance(event, happened.RanOutOfCards)]
        late = [
            " ".join(entry_sentences(event, self.cast(ply), by_clock=True))
            for ply, event in self.battle.seen
            if isinstance(event, happened.Passed) and ply in self.clocked
        ]
        return [*([self._emptied(empty)] if empty else []), *sorted(set(late))]

    def _emptied(self, seats: Sequence[int]) -> str:
        if len(seats) == 1:
            # Translators: name is a player.
            return self.cast().say(seats[0], _("You ran out of cards."), _("%(name)s ran out of cards."))
        return self.cast().say_of_several(
            seats,
            # Translators: names are players, such as "You and Anna".
            pgettext("the reader and others", "%(names)s ran out of cards."),
            # Translators: names are players, such as "Anna and Bruno".
            _("%(names)s ran out of cards."),
        )
