"""The chronicle of a finished game: its battles by rounds with maps, turning points, and players' gains.

Made from observations and events of a finished game, for everyone who may read its history. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.durations import duration
from games.map.board import BoardView
from games.narration.battle_stories import outcome_in_brief, story
from games.narration.battles import Battle, battles_in
from games.narration.cast import Cast, and_list
from games.presenters.gains import Gains, gained_by
from games.presenters.game_log import GameLog
from games.presenters.position import Position
from games.presenters.result import ResultSection, result_section
from games.presenters.seats import PlayersSection, players_section
from games.presenters.turning_points import TurningPoint, closest_to_winning, turns_of
from games.rules import Observation, observe
from games.rules import events as happened

BATTLES_OF_A_PART = 4  # where a game knows no rounds (R25)

Address = Callable[[int], str]


@dataclass(frozen=True)
class BattleStory:
    """One battle in words, with the table's own events during it."""

    number: int
    title: str
    place: str
    winner: str
    winner_seat: int | None
    sentences: tuple[str, ...]
    table_events: tuple[str, ...]
    url: str


@dataclass(frozen=True)
class Part:
    """A round, or several battles where a game has no rounds, with the map at its end."""

    title: str
    battles: tuple[BattleStory, ...]
    board: BoardView
    gained: str


@dataclass(frozen=True)
class Chronicle:
    """A finished game in chapters; `address` returns the URL of each position."""

    log: GameLog
    address: Address

    @property
    def position(self) -> Position:
        """The position at the end."""
        return self.log.position

    @cached_property
    def _players(self) -> PlayersSection:
        return players_section(self.position)

    @cached_property
    def result(self) -> ResultSection | None:
        """How the game ended; None for one that the rules and its table let go on."""
        return result_section(self.position, self._players.rows)

    @cached_property
    def battles(self) -> tuple[Battle, ...]:
        return battles_in([entry.events for entry in self.position.replay.plies])

    @property
    def moves(self) -> int:
        """How many moves the players made, including those made by bots and the clock."""
        return sum(entry.seat is not None for entry in self.position.replay.plies)

    @property
    def lasted(self) -> str:
        """How long it was played here; empty for a game that was not."""
        game = self.position.game
        if game.table.is_imported or game.ended_at is None:
            return ""
        return duration(game.ended_at - game.started_at)

    @property
    def length(self) -> str:
        """The numbers of moves, battles and rounds, and how long they took, in a sentence."""
        counts = [
            ngettext("%(n)d move", "%(n)d moves", self.moves) % {"n": self.moves},
            ngettext("%(n)d battle", "%(n)d battles", len(self.battles)) % {"n": len(self.battles)},
        ]
        if self.rounds > 1:
            counts.append(ngettext("%(n)d round", "%(n)d rounds", self.rounds) % {"n": self.rounds})
        if not self.lasted:
            return f"{and_list(counts)}."
        # Translators: counts are such as "60 moves, 9 battles and 3 rounds"; time is such as "3 days".
        return _("%(counts)s in %(time)s.") % {"counts": and_list(counts), "time": self.lasted}

    @property
    def counts(self) -> list[tuple[str, int]]:
        """Moves, battles and rounds, each with its label."""
        counts = [
            (pgettext("number of", "Moves"), self.moves),
            (pgettext("number of", "Battles"), len(self.battles)),
        ]
        return [*counts, (pgettext("number of", "Rounds"), self.rounds)] if self.rounds > 1 else counts

    @property
    def rounds(self) -> int:
        """How many rounds had a battle; 0 where there are no rounds (R25)."""
        if self.position.seen.options.draws_after_battle:
            return 0
        return len(set(self._rounds))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return tuple(
            Part(
                title=title,
                battles=tuple(self._story(battle) for battle in battles),
                board=self._board_after(battles[-1]),
                gained=self._gained(battles),
            )
            for title, battles in self._parts
        )

    @cached_property
    def beginning(self) -> list[str]:
        """The table's own events before the first battle."""
        first = self.battles[0].first if self.battles else len(self.position.replay.plies) + 1
        return [
            sentence
            for ply, sentences in self._table_events.items()
            if ply <= first
            for sentence in sentences
        ]

    @property
    def ending(self) -> str:
        """The winner and the reason, or how the table ended the game (R49)."""
        return self.result.sentence if self.result else ""

    @cached_property
    def gains(self) -> tuple[Gains, ...]:
        return tuple(self._gains_of(row.seat) for row in self._players.rows)

    @cached_property
    def turning_points(self) -> tuple[TurningPoint, ...]:
        """The battles that turned the game, by `turns_of`, in the order of play."""
        closest = None
        found = []
        for battle in self.battles:
            if battle.end is None:
                continue
            turns = turns_of(battle, self._before(battle), self._after(battle), closest, self._names(battle))
            if turns:
                found.append(TurningPoint(battle.title, tuple(turns), self._url(battle)))
            now = closest_to_winning(self._after(battle))
            closest = closest if now is None else now
        return tuple(found)

    @cached_property
    def _parts(self) -> list[tuple[str, list[Battle]]]:
        """The battles by rounds; one that began before a round ended belongs to the next (R16)."""
        if self.position.seen.options.draws_after_battle:
            return self._parts_without_rounds()
        rounds: dict[int, list[Battle]] = {}
        for battle, number in zip(self.battles, self._rounds, strict=True):
            rounds.setdefault(number, []).append(battle)
        return [(self._round_title(number, battles), battles) for number, battles in rounds.items()]

    def _round_title(self, number: int, battles: Sequence[Battle]) -> str:
        if battles[0].region is None:
            return _("The final battle")
        # Translators: a heading. number is the number of a round, from 1.
        return _("Round %(number)d") % {"number": number}

    def _parts_without_rounds(self) -> list[tuple[str, list[Battle]]]:
        starts = range(0, len(self.battles), BATTLES_OF_A_PART)
        parts = [list(self.battles[start : start + BATTLES_OF_A_PART]) for start in starts]
        return [(_numbers(battles[0].number, battles[-1].number), battles) for battles in parts]

    @cached_property
    def _rounds(self) -> list[int]:
        """The round of each battle; a final battle is a round of its own."""
        numbers, ended = [], 0
        for battle in self.battles:
            number = None
            for _ply, event in battle.seen:
                ended += isinstance(event, happened.RoundEnded)
                if isinstance(event, happened.BattleCompared | happened.BattleStopped):
                    number = ended + 1
            numbers.append((number or ended + 1) + (battle.region is None))
        return numbers

    def _story(self, battle: Battle) -> BattleStory:
        return BattleStory(
            number=battle.number,
            title=battle.title,
            place=battle.place,
            winner=outcome_in_brief(battle, self.log.names_at),
            winner_seat=battle.winner,
            sentences=(*story(battle, self.log.names_at, self.log.clocked), *self._orders_in(battle)),
            table_events=tuple(self._table_events_of(battle)),
            url=self._url(battle),
        )

    def _orders_in(self, battle: Battle) -> list[str]:
        """Return whose standing orders answered in this battle, in a sentence."""
        plies, cast = self.position.replay.plies, Cast.of(self._names(battle))
        last = len(plies) if battle.end is None else battle.end
        entries = [plies[ply] for ply in sorted(self.log.ordered) if battle.first <= ply <= last]
        seats = sorted({entry.seat for entry in entries if entry.seat is not None})
        # Translators: names are players, such as "Anna and Bruno".
        text = _("Standing orders moved for: %(names)s.")
        return [text % {"names": cast.listed(seats)}] if seats else []

    def _url(self, battle: Battle) -> str:
        """Return the address of the position in which its region has been chosen."""
        return self.address(battle.first + 1)

    @cached_property
    def _table_events(self) -> dict[int, list[str]]:
        return self.log.table_events

    def _table_events_of(self, battle: Battle) -> list[str]:
        """Return the table's own events since this battle began and before the next one did."""
        later = self.battles[battle.number :]
        until = later[0].first if later else len(self.position.replay.plies) + 1
        return [
            sentence
            for ply, sentences in self._table_events.items()
            if battle.first < ply <= until
            for sentence in sentences
        ]

    def _names(self, battle: Battle) -> Sequence[str]:
        return self.log.names_at(battle.first if battle.end is None else battle.end)

    def _before(self, battle: Battle) -> Observation:
        """Return what everyone saw when its region had been chosen."""
        return observe(
            self.position.replay.states[min(battle.first + 1, len(self.position.replay.plies))], None
        )

    def _after(self, battle: Battle) -> Observation:
        """Return what everyone saw when it was over; for a battle broken off, at the end."""
        at = len(self.position.replay.plies) if battle.end is None else battle.end + 1
        return observe(self.position.replay.states[at], None)

    def _board_after(self, battle: Battle) -> BoardView:
        seen = self._after(battle)
        return BoardView(
            control=dict(seen.control),
            pope=seen.pope,
            names=self.position.names,
            has_pope=not seen.options.is_1995,
        )

    def _gained(self, battles: Sequence[Battle]) -> str:
        """Return who gained what in these battles."""
        gains = [
            f"{name}: {gained}"
            for seat, name in enumerate(self.position.names)
            if (gained := gained_by(seat, battles))
        ]
        return "; ".join(gains)

    def _gains_of(self, seat: int) -> Gains:
        row = self._players.rows[seat]
        return Gains(
            seat=seat,
            name=row.name,
            regions=row.regions,
            connected=row.largest_group,
            fought=sum(seat in battle.played for battle in self.battles),
            won=sum(battle.winner == seat for battle in self.battles),
            cards=sum(battle.played.get(seat, 0) for battle in self.battles),
            parts=tuple((title, gained_by(seat, battles)) for title, battles in self._parts),
            has_won=seat in self._winners,
        )

    @property
    def _winners(self) -> tuple[int, ...]:
        return tuple((self.position.game.result or {}).get("winners", ()))


def _numbers(first: int, last: int) -> str:
    if first == last:
        # Translators: a heading. number is the number of a battle, from 1.
        return _("Battle %(number)d") % {"number": first}
    # Translators: a heading. first and last are numbers of battles.
    return _("Battles %(first)d to %(last)d") % {"first": first, "last": last}
