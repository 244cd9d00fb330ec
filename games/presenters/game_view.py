"""What a page or an email of a game shows, as plain values made from observations and redacted events.

Never looks inside a State, so that nothing a viewer may not know can get onto a page (architecture, idea 6).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from django.utils.translation import gettext as _

from games.map.board import BoardView, kingdoms
from games.models import Game, LogEntry, SeatChange, Table
from games.narration.endings import told_ending
from games.narration.moves import and_list, narrate, told_together
from games.narration.times import changes_since, names_at, told_beside, told_entry
from games.narration.vocabulary import card_name, move_name
from games.presenters.battle import LineRow, line_rows, prize_text, season_text
from games.presenters.chapters import Chapter, begins_chapter, chapters
from games.presenters.hand import HandCard, ends_at_once, hand_cards, totals_after
from games.rules import (
    CARDS,
    IllegalMove,
    Move,
    Observation,
    Ply,
    Replay,
    apply,
    observe,
    preview,
    prizes,
    redact,
    region_name,
)
from games.rules import events as happened

LATEST = 12  # sentences
# The player's own actions, which are not news to them; the effects are.
_DEEDS = (
    happened.RegionChosen,
    happened.CardPlayed,
    happened.PopePlaced,
    happened.MercenaryTakenBack,
    happened.Passed,
    happened.HandDecided,
    happened.CardsKept,
)


# Already said by the name of a move, as what will be done; as an event it is told as done.
_NAMED_BY_MOVE = (happened.PopePlaced, happened.MercenaryTakenBack)


@dataclass(frozen=True)
class SeatRow:
    """What everyone sees of one seat, and how far it is from winning."""

    seat: int
    name: str
    regions: tuple[str, ...]
    largest_group: int
    connected_missing: int
    total_missing: int | None  # None: no total wins (R48)
    hand_size: int
    is_condottiere: bool
    is_waited_for: bool
    is_mine: bool
    kingdoms: tuple[tuple[str, ...], ...] = ()  # its connected groups, the largest first
    prizes: tuple[str, ...] = ()  # the regions that would win it the game at once

    @property
    def wins_with(self) -> str:
        """The regions that would win this seat the game at once; empty for none."""
        return and_list(self.prizes)

    @property
    def to_win(self) -> str:
        """What the seat still needs to win; only connected regions where no total wins (R48)."""
        words = {"connected": self.connected_missing, "total": self.total_missing}
        if self.total_missing is None:
            return _("to win: %(connected)d more connected") % words
        return _("to win: %(connected)d more connected, or %(total)d more in all") % words


@dataclass(frozen=True)
class Choice:
    """One option of the acting seat. `needs_more`: the Pope's place or the Mercenary is chosen next."""

    text: str
    name: str
    follows: str
    needs_more: bool = False

    @property
    def names_cards(self) -> bool:
        """Whether the choice reveals something about the hand."""
        return self.text.startswith(("play ", "keep "))


@dataclass(frozen=True)
class GameView:
    """One position of a game as one viewer sees it: a seat's number, or None for spectators.

    `as_then`: even of a finished game, only what the viewer knew at that moment.
    """

    game: Game
    replay: Replay
    names: tuple[str, ...]
    viewer: int | None
    as_then: bool = False
    is_answered_elsewhere: bool = False  # the viewer's current question is for another page
    new_from: int | None = None  # the step from which the log is new to its reader
    opened: str = ""  # the part the reader opened that is otherwise left out, such as the whole log

    @cached_property
    def seen(self) -> Observation:
        seen = observe(self.replay.state, self.viewer)
        if self.was_ended:  # the rules would go on asking
            return replace(seen, asked=None, legal=(), waiting_for=())
        if self.is_answered_elsewhere:
            return replace(seen, asked=None, legal=())
        return seen

    @property
    def was_ended(self) -> bool:
        """Whether this is where the table, not the rules, ended the game (R49)."""
        return bool(self.game.ended) and self.replay.state.ply == self.game.ply

    @property
    def decision_step(self) -> int | None:
        return self.seen.asked.decision_step if self.seen.asked else None

    @cached_property
    def lines(self) -> tuple[LineRow, ...]:
        # Someone who looks from another seat's viewpoint is not addressed by its name.
        seen = replace(self.seen, seat=None) if self.as_then else self.seen
        return line_rows(seen, self.names, [self._down_card(seat) for seat in range(seen.players)])

    @property
    def season(self) -> str:
        """What the season in play does to the totals."""
        return season_text(self.seen, self.names)

    @property
    def prize(self) -> str:
        """For whom the contested region would win the game."""
        if self.seen.battle is None:
            return ""
        winners = [self.names[seat] for seat in self.prizes.get(self.seen.battle, ())]
        return prize_text(region_name(self.seen.battle), winners)

    @property
    def has_cards_down(self) -> bool:
        """Whether a card lies face down, which no total counts (R6, R40)."""
        return any(self.seen.face_down)

    def _down_card(self, seat: int) -> str | None:
        """Return a seat's face-down card: for its owner, and for everyone once the game is over (R40)."""
        if self.game.is_over and not self.as_then:
            return observe(self.replay.state, seat).own_face_down
        return self.seen.own_face_down if seat == self.viewer else None

    @cached_property
    def prizes(self) -> Mapping[str, tuple[int, ...]]:
        """The regions that would win the game at once, each with the seats that would win."""
        return {} if self.was_ended else prizes(self.seen)

    @property
    def goals(self) -> str:
        """How many regions win, in a sentence."""
        words = {"connected": self.seen.goal_connected, "total": self.seen.goal_total}
        if self.seen.goal_total is None:
            return _("%(connected)d connected regions win.") % words
        return _("%(connected)d connected regions or %(total)d in all win.") % words

    @cached_property
    def seats(self) -> tuple[SeatRow, ...]:
        seen = self.seen
        held: dict[int, list[str]] = {seat: [] for seat in range(seen.players)}
        for region, seat in sorted(dict(seen.control).items()):
            held[seat].append(region)
        return tuple(
            SeatRow(
                seat=seat,
                name=self.names[seat],
                regions=tuple(region_name(region) for region in held[seat]),
                largest_group=seen.largest_group[seat],
                connected_missing=seen.goal_connected - seen.largest_group[seat],
                total_missing=None if seen.goal_total is None else seen.goal_total - len(held[seat]),
                hand_size=seen.hand_sizes[seat],
                is_condottiere=seat == seen.condottiere,
                is_waited_for=seat in seen.waiting_for,
                is_mine=seat == self.viewer and not self.as_then,
                kingdoms=tuple(tuple(map(region_name, group)) for group in kingdoms(held[seat])),
                prizes=tuple(region_name(region) for region, seats in self.prizes.items() if seat in seats),
            )
            for seat in range(seen.players)
        )

    @property
    def battle_name(self) -> str:
        """The contested region, or what else the lines on the table belong to."""
        if self.seen.final_battle:
            return _("the final battle")
        return region_name(self.seen.battle) if self.seen.battle else _("the last battle")

    @property
    def shows_lines(self) -> bool:
        return self.seen.phase == "battle" or any(self.seen.lines)

    @property
    def question(self) -> str:
        """The viewer's question in a sentence; empty when there is none."""
        return question_text(self.seen)

    @property
    def waiting(self) -> str:
        """The players the game waits for, as far as everyone may know (R17)."""
        if self.seen.outcome or self.was_ended:
            return ""
        if self.seen.phase == "hand":
            return _("Hands without a Mercenary may be discarded now. Who is asked stays secret (R17).")
        return _("Waiting for %(names)s.") % {
            "names": and_list([self.names[seat] for seat in self.seen.waiting_for])
        }

    @property
    def result(self) -> str:
        """The winner and the reason; empty while the game runs."""
        if self.was_ended:
            return told_ending(self.game, self.names)
        if self.seen.outcome is None:
            return ""
        ended = happened.GameEnded(self.seen.outcome.winners, self.seen.outcome.reason)
        return narrate([ended], self.names)[0]

    @property
    def winners(self) -> str:
        if self.was_ended and self.game.result:
            return and_list([self.names[seat] for seat in self.game.result["winners"]])
        return and_list([self.names[seat] for seat in self.seen.outcome.winners]) if self.seen.outcome else ""

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return grouped_choices(self)

    @cached_property
    def hand(self) -> tuple[HandCard, ...]:
        """The viewer's cards; those that can be played now are buttons."""
        return hand_cards(self.seen, self.foreseen)

    @cached_property
    def answers(self) -> tuple[Choice, ...]:
        """The options of the acting seat that play no card, except a plain pass."""
        return tuple(choice for choice in self._other_choices if not self._is_plain(choice))

    @cached_property
    def plain_passes(self) -> tuple[Choice, ...]:
        """A pass with nothing more to say; it is shown among the cards."""
        return tuple(choice for choice in self._other_choices if self._is_plain(choice))

    @cached_property
    def _other_choices(self) -> tuple[Choice, ...]:
        moves = [move for move in self.seen.legal if move.kind not in ("play", "keep", "place")]
        return tuple(_choice(self, str(move), [move]) for move in moves)

    def _is_plain(self, choice: Choice) -> bool:
        return choice.text == "pass" and not choice.follows and self.viewer not in self.seen.holds_back

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """The log in sentences, a chapter for each battle, in the order of play, with the table's own events.

        All chapters if the log was opened. Otherwise the last one, and those from the first with something
        new.
        """
        ending = told_ending(self.game, self.names) if self.was_ended else ""
        since = [0, *self._beginnings][self.earlier]
        events = list(map(self._seen_of, self.replay.plies[since:]))
        return chapters(events, self.names_at, self.beside, ending, self.clocked, self._first_new, since)

    @cached_property
    def earlier(self) -> int:
        """How many earlier chapters are left out."""
        if self.opened == "log":
            return 0
        end, new = len(self.replay.plies), self._first_new
        return bisect_left(self._beginnings, end if new is None else min(new, end))

    @cached_property
    def _beginnings(self) -> list[int]:
        """Return the entries that begin a chapter, except the first."""
        return [ply for ply, entry in enumerate(self.replay.plies) if begins_chapter(entry.events)]

    @property
    def newest(self) -> str:
        """The last sentence of the log; empty before the first."""
        if self.was_ended:
            return self.result
        after = self.beside.get(len(self.replay.plies), [])
        entries = (self._with_beside(ply) for ply in reversed(range(len(self.replay.plies))))
        return next((told[-1] for told in chain([after], entries) if told), "")

    def _with_beside(self, ply: int) -> list[str]:
        """Return the sentences of one entry, after those of the table's own events before it."""
        events, names = self._seen_of(self.replay.plies[ply]), self.names_at(ply)
        told = [told_entry(event, names, by_clock=ply in self.clocked) for event in told_together(events)]
        return [*self.beside.get(ply, []), *chain.from_iterable(told)]

    @cached_property
    def _first_new(self) -> int | None:
        """Return the entry from which the log is new.

        Secret answers share a step: what they led to is new (R17).
        """
        if self.new_from is None:
            return None
        states, end = self.replay.states, len(self.replay.plies)
        return bisect_left(states, self.new_from, hi=end, key=lambda state: state.step)

    @cached_property
    def clocked(self) -> frozenset[int]:
        """The log entries that the clock made because no answer came."""
        return frozenset(ply for ply, via in self._played_for.items() if via == LogEntry.Via.CLOCK)

    @property
    def _has_clock(self) -> bool:
        return self.game.table.pace != Table.Pace.NONE

    @cached_property
    def _played_for(self) -> dict[int, str]:
        """Return the entries made by the clock, and those a bot made for the viewer's seat."""
        if not self._has_clock:
            return {}
        made = zip(self.game.vias, self.replay.plies, strict=False)  # an earlier position has fewer entries
        return {
            ply: via
            for ply, (via, entry) in enumerate(made)
            if via == LogEntry.Via.CLOCK or (via == LogEntry.Via.BOT and entry.seat == self.viewer)
        }

    def _seen_of(self, entry: Ply) -> tuple[happened.Event, ...]:
        """Return what the viewer may know of an entry; all of it once the game is over."""
        if (self.seen.outcome or self.was_ended) and not self.as_then:
            return entry.events
        return redact(entry.events, self.viewer)

    def move_name(self, move: Move) -> str:
        """Return the label of the button for this move."""
        if move.kind == "pass" and self.viewer in self.seen.holds_back:
            return _("Pass and wait: as the defender you stay in")
        holder = dict(self.seen.control).get(move.region) if move.kind == "place" and move.region else None
        if holder is None:
            return move_name(move, self.names, self.viewer)
        words = {"move": move_name(move), "name": self.names[holder]}
        if holder == self.viewer:
            return _("%(move)s, your own") % words
        return _("%(move)s, held by %(name)s") % words

    def follows(self, move: Move) -> list[str]:
        """Return what a move leads to, as far as the viewer can know beforehand, in sentences."""
        events = self.foreseen(move)
        return narrate(events, self.names) + self.changed_totals(events)

    def foreseen(self, move: Move) -> tuple[happened.Event, ...]:
        """Return what a move leads to as events; the first is the move itself."""
        return () if self.viewer is None else preview(self.replay.state, self.viewer, move)

    def changed_totals(self, events: Sequence[happened.Event]) -> list[str]:
        """Return how a move changes the others' totals, with the card that it turns up."""
        return [
            _("%(name)s: %(before)d becomes %(after)d.")
            % {"name": self.names[seat], "before": self.seen.totals[seat], "after": total}
            for seat, total in enumerate(totals_after(events))
            if seat != self.viewer and total != self.seen.totals[seat]
        ]

    def why_not(self, move: Move) -> IllegalMove | None:
        """Return the rules' objection to the viewer's move; None for a legal one."""
        try:
            apply(self.replay.state, self.viewer, move)
        except IllegalMove as error:
            return error
        return None

    @cached_property
    def latest(self) -> list[str]:
        """The last few news items, short enough to fit next to the question."""
        return self.news()[-LATEST:]

    def news(self, *, with_hand: bool = True) -> list[str]:
        """Return what happened since the viewer's own last move: that move's effects, and what followed."""
        first = 0 if self._last_own is None else self._last_own
        return self._told(range(first, len(self.replay.plies)), with_hand)

    def news_of(self, plies: Iterable[int], *, with_hand: bool = True) -> list[str]:
        """Return what happened in these entries, if they follow the viewer's own last move.

        The result of a round of secret answers is news to everyone alike, regardless of who answered last
        (R17).
        """
        own = self._last_own
        first = 0 if own is None else own if self.replay.states[own].phase == "hand" else own + 1
        return self._told([ply for ply in plies if ply >= first], with_hand)

    @cached_property
    def _last_own(self) -> int | None:
        """Return the entry of the viewer's last move."""
        own = [ply for ply, entry in enumerate(self.replay.plies) if self._is_his(ply, entry.seat)]
        return own[-1] if own else None

    @cached_property
    def changes(self) -> list[SeatChange]:
        """The seats that have changed hands since this game began."""
        return changes_since(self.game)

    @cached_property
    def beside(self) -> dict[int, list[str]]:
        """The table's own events outside the log, in sentences, by the entry they came before."""
        return told_beside(self.game, self.names, self.changes)

    def names_at(self, ply: int) -> Sequence[str]:
        """Return the names of the seats when this entry was made."""
        return names_at(ply, self.game, self.names, self.changes)

    def _told(self, plies: Iterable[int], with_hand: bool) -> list[str]:
        return [
            sentence
            for ply in plies
            for event in told_together(self._seen_in(ply, with_hand))
            if not (isinstance(event, _DEEDS) and self._is_his(ply, event.seat))
            for sentence in told_entry(event, self.names_at(ply), by_clock=ply in self.clocked)
        ]

    def _seen_in(self, ply: int, with_hand: bool) -> tuple[happened.Event, ...]:
        seen = self._seen_of(self.replay.plies[ply])
        return seen if with_hand else redact(seen, None)

    def _is_his(self, ply: int, seat: int | None) -> bool:
        """Return whether the viewer personally made this entry at that seat, with no substitute."""
        return seat == self.viewer and ply not in self._played_for


def question_text(seen: Observation) -> str:
    """Return the question of the observing seat, in a sentence."""
    match seen.asked.kind if seen.asked else None:
        case "place":
            return _("Choose the region to fight for.")
        case "battle":
            if seen.seat in seen.holds_back:
                return _("You defend: play a card, or pass and wait.")
            return _("Play a card or pass.")
        case "hand":
            return _("You may discard your whole hand, or keep it.")
        case "keep":
            return _("Choose up to two cards to keep for the next round.")
    return ""


def grouped_choices(view: GameView) -> tuple[Choice, ...]:
    """Return the legal moves as buttons; a card with several ways to play it is one, with a second step."""
    by_first_words: dict[str, list[Move]] = {}
    for move in sorted(view.seen.legal, key=_offered_order):
        key = f"play {move.card}" if move.kind == "play" else str(move)
        by_first_words.setdefault(key, []).append(move)
    return tuple(_choice(view, text, moves) for text, moves in by_first_words.items())


def _offered_order(move: Move) -> tuple[int, int]:
    """Return the sort key of a move: cards in their canonical order, then the rest."""
    return (0, CARDS.index(move.card)) if move.card else (1, 0)


def _choice(view: GameView, text: str, moves: Sequence[Move]) -> Choice:
    if len(moves) == 1:
        move = moves[0]
        return Choice(str(move), view.move_name(move), " ".join(_what_follows(view, move)))
    name = _("Play %(card)s …") % {"card": card_name(str(moves[0].card))}
    return Choice(text, name, "", needs_more=True)


def _what_follows(view: GameView, move: Move) -> list[str]:
    """Return the consequences shown next to a button; the confirmation also describes the move itself."""
    own, *others = foreseen = view.foreseen(move)
    others = [event for event in others if not isinstance(event, _NAMED_BY_MOVE)]
    told = narrate(others, view.names) + view.changed_totals(foreseen)
    if not isinstance(own, happened.CardPlayed) or ends_at_once(foreseen):
        return told
    words = {"total": totals_after(foreseen)[own.seat]}
    if own.is_face_down:
        return [_("The card lies face down, your total face up becomes %(total)d.") % words, *told]
    return [_("Your total becomes %(total)d.") % words, *told]


def board_of(view: GameView, links: dict[str, str] | None = None, selected: str | None = None) -> BoardView:
    """Return the map of one position."""
    seen = view.seen
    return BoardView(
        control=dict(seen.control),
        battle=seen.battle,
        pope=seen.pope,
        links=links or {},
        names=view.names,
        selected=selected,
        has_pope=not seen.options.is_1995,
        prizes=view.prizes,
    )
