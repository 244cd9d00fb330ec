"""What a page or an email of a game shows, as plain values made from observations and redacted events.

Never looks inside a State, so that nothing a viewer may not know can get onto a page (architecture, idea 6).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain

from django.utils.translation import gettext as _

from games.map.board import BoardView
from games.map.region_names import region_name
from games.models import Game, LogEntry, SeatChange, Table
from games.narration.cast import Cast, and_list
from games.narration.dealing_sentences import merge_deals
from games.narration.endings import ending_text
from games.narration.entries import OWN_ACTIONS, entry_sentences, stand_in
from games.narration.event_sentences import narrate
from games.narration.orders import stop_text
from games.narration.times import changes_since, names_at, table_events
from games.presenters.battle import LineRow, line_rows, prize_text, season_text
from games.presenters.chapters import Chapter, begins_chapter, chapters
from games.presenters.choices import Choices, Pick, question_text
from games.presenters.hand import Foresee
from games.presenters.moments import Moment, last_moment
from games.presenters.orders import FightOn, fight_on
from games.presenters.seats import SeatRow, goal_text, race_text, seat_rows, winning_regions
from games.rules import (
    IllegalMove,
    Move,
    Observation,
    Phase,
    Ply,
    Replay,
    apply,
    observe,
    preview,
    prizes,
    redact,
)
from games.rules import events as happened

LATEST = 12  # sentences


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
    reader: int | None = None  # the seat of the person who reads this, who is "you"
    opened: str = ""  # the part the reader opened that is otherwise left out, such as the whole log

    @cached_property
    def seen(self) -> Observation:
        seen = observe(self.replay.state, self.viewer)
        if self.was_ended:  # the rules would go on asking
            return replace(seen, asked=None, legal=(), waiting_for=())
        if self.is_answered_elsewhere:
            return replace(seen, asked=None, legal=())
        return seen

    @cached_property
    def cast(self) -> Cast:
        """The names of the seats now, of which one may be the reader's."""
        return Cast(self.names, self.reader)

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
        down = [self._down_card(seat) for seat in range(seen.players)]
        return line_rows(seen, self.names, down, self._laid)

    @property
    def _laid(self) -> Counter[int]:
        """Count the cards that each seat has played since the viewer was asked; none for spectators."""
        played = (event for event in self._since_own if isinstance(event, happened.CardPlayed))
        return Counter(event.seat for event in played)

    @cached_property
    def season(self) -> str:
        """What the season in play does to the totals."""
        return season_text(self.seen, self.cast)

    @cached_property
    def prize(self) -> str:
        """For whom the contested region would win the game."""
        if self.seen.battle is None:
            return ""
        return prize_text(self.seen.battle, self.prizes.get(self.seen.battle, ()), self.cast)

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
        return goal_text(self.seen.goal_connected, self.seen.goal_total)

    @property
    def race(self) -> str:
        """The players closest to winning; empty while no one holds a region."""
        return race_text(self.seats, self.cast)

    @cached_property
    def seats(self) -> tuple[SeatRow, ...]:
        return seat_rows(self.seen, self.names, None if self.as_then else self.viewer, self.prizes)

    @property
    def battle_title(self) -> str:
        """The heading of the lines on the table."""
        if self.seen.final_battle:
            return _("The final battle")
        if not self.seen.battle:
            return _("Lines of the last battle")
        # Translators: a heading. region is a region of the map.
        return _("The battle for %(region)s") % {"region": region_name(self.seen.battle)}

    @property
    def shows_lines(self) -> bool:
        return self.seen.phase == Phase.BATTLE or any(self.seen.lines)

    @cached_property
    def question(self) -> str:
        """The viewer's question in a sentence; empty when there is none."""
        return question_text(self.seen)

    @property
    def waiting(self) -> str:
        """The players the game waits for, as far as everyone may know (R17)."""
        if self.seen.outcome or self.was_ended:
            return ""
        if self.seen.phase == Phase.HAND:
            return _("Players without a Mercenary may discard their hand. Their names stay secret.")
        # Translators: names are players, such as "Anna and Bruno".
        return _("Waiting for: %(names)s.") % {"names": self.cast.listed(self.seen.waiting_for)}

    @cached_property
    def result(self) -> str:
        """The winner and the reason; empty while the game runs."""
        if self.was_ended:
            return ending_text(self.game, self.cast)
        if self.seen.outcome is None:
            return ""
        ended = happened.GameEnded(self.seen.outcome.winners, self.seen.outcome.reason)
        return narrate([ended], self.cast)[0]

    @property
    def winners(self) -> str:
        if self.was_ended and self.game.result:
            return and_list([self.names[seat] for seat in self.game.result["winners"]])
        return and_list([self.names[seat] for seat in self.seen.outcome.winners]) if self.seen.outcome else ""

    @cached_property
    def choices(self) -> Choices:
        return Choices(self.seen, self.cast, self._foreseen)

    @cached_property
    def picks(self) -> tuple[Pick, ...]:
        """The viewer's cards and other answers, each with the moves it leads to."""
        return self.choices.picks

    @cached_property
    def fight(self) -> FightOn | None:
        """How the viewer could fight on after their next card; None where they cannot."""
        fight = fight_on(self.game, self.seen) if self.seen.asked else None
        return fight if fight and len(fight.order.cards) > 1 else None  # one is played first

    @cached_property
    def stop(self) -> str:
        """Why the viewer's standing order ended and asks them; empty if none did."""
        if self.viewer is None or self.decision_step is None:
            return ""
        seat = self.game.table.all_seats()[self.viewer]
        if seat.decision_step != self.decision_step or not seat.order_stop:
            return ""
        return stop_text(seat.order_stop, self.cast)

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """The log in sentences, a chapter for each battle, in the order of play, with the table's own events.

        All chapters if the log was opened. Otherwise the last one, and those from the first with something
        new.
        """
        ending = ending_text(self.game, self.cast) if self.was_ended else ""
        since = [0, *self._beginnings][self.earlier]
        events = list(map(self._seen_of, self.replay.plies[since:]))
        return chapters(
            events, self.names_at, self.table_events, ending, self.clocked, self._first_new, since
        )

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
        after = self.table_events.get(len(self.replay.plies), [])
        entries = (self._with_table_events(ply) for ply in reversed(range(len(self.replay.plies))))
        return next((sentences[-1] for sentences in chain([after], entries) if sentences), "")

    def _with_table_events(self, ply: int) -> list[str]:
        """Return the sentences of one entry, after those of the table's own events before it."""
        events, names = self._seen_of(self.replay.plies[ply]), self.names_at(ply)
        texts = [entry_sentences(event, names, by_clock=ply in self.clocked) for event in merge_deals(events)]
        return [*self.table_events.get(ply, []), *chain.from_iterable(texts)]

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

    @cached_property
    def ordered(self) -> frozenset[int]:
        """The log entries that standing orders made, as far as the viewer may know."""
        return frozenset(ply for ply, via in self._played_for.items() if via == LogEntry.Via.ORDER)

    @property
    def _has_clock(self) -> bool:
        return self.game.table.pace != Table.Pace.NONE

    @cached_property
    def _played_for(self) -> dict[int, str]:
        """Return the entries made by the clock, and those a bot or an order made for the viewer's seat.

        Once the game is over, everyone sees what standing orders did.
        """
        made = zip(self.game.vias, self.replay.plies, strict=False)  # an earlier position has fewer entries
        return {
            ply: via for ply, (via, entry) in enumerate(made) if self._is_made_for_viewer(via, entry.seat)
        }

    def _is_made_for_viewer(self, via: str, seat: int | None) -> bool:
        if via == LogEntry.Via.ORDER:
            return seat == self.viewer or (self.game.is_over and not self.as_then)
        is_absent = via == LogEntry.Via.BOT and seat == self.viewer
        return self._has_clock and (via == LogEntry.Via.CLOCK or is_absent)

    def _seen_of(self, entry: Ply) -> tuple[happened.Event, ...]:
        """Return what the viewer may know of an entry; all of it once the game is over."""
        if (self.seen.outcome or self.was_ended) and not self.as_then:
            return entry.events
        return redact(entry.events, self.viewer)

    @cached_property
    def _foreseen(self) -> Foresee:
        """What a move leads to as events; the first is the move itself. Each move is tried once."""
        viewer = self.viewer
        if viewer is None:
            return lambda move: ()
        return cache(lambda move: preview(self.replay.state, viewer, move))

    def why_not(self, move: Move) -> IllegalMove | None:
        """Return the rules' objection to the viewer's move; None for a legal one."""
        try:
            apply(self.replay.state, self.viewer, move)
        except IllegalMove as error:
            return error
        return None

    @cached_property
    def latest(self) -> list[str]:
        """The last few news items that the moment does not tell, short enough to fit next to the question."""
        first = self._last_own or 0
        told = self.moment.told if self.moment else ()
        return self._sentences_of(range(first, len(self.replay.plies)), True, told)[-LATEST:]

    def news(self, *, with_hand: bool = True) -> list[str]:
        """Return what happened since the viewer's own last move: that move's effects, and what followed."""
        first = self._last_own or 0
        return self._sentences_of(range(first, len(self.replay.plies)), with_hand)

    def news_of(self, plies: Iterable[int], *, with_hand: bool = True) -> list[str]:
        """Return what happened in these entries, if they follow the viewer's own last move.

        The result of a round of secret answers is news to everyone alike, regardless of who answered last
        (R17).
        """
        own = self._last_own
        first = 0 if own is None else own if self.replay.states[own].phase == Phase.HAND else own + 1
        return self._sentences_of([ply for ply in plies if ply >= first], with_hand)

    @property
    def news_title(self) -> str:
        """The heading of the news: before their first move, viewers have no last one."""
        return _("The game so far") if self._last_own is None else _("Since your last move")

    def since_own_move(self) -> list[happened.Event]:
        """Return what the viewer may know of the events from their own last move on."""
        first = self._last_own or 0
        return [event for entry in self.replay.plies[first:] for event in self._seen_of(entry)]

    @cached_property
    def moment(self) -> Moment | None:
        """What has ended since the viewer's own last move; None for spectators, and if nothing has."""
        return last_moment(self._since_own, self.cast, self.viewer)

    @cached_property
    def _since_own(self) -> tuple[happened.Event, ...]:
        """The events from the viewer's last move on; none for spectators and in earlier positions."""
        if self.viewer is None or self.as_then:
            return ()
        first = self._last_own or 0
        return tuple(chain.from_iterable(map(self._seen_of, self.replay.plies[first:])))

    @property
    def winning_regions(self) -> str:
        """Which regions won the game and how many were needed; empty if it was won in another way."""
        return winning_regions(self.seen, self.seats, self.cast)

    @property
    def has_won(self) -> bool:
        """Whether the viewer is among the winners."""
        winners = self.seen.outcome.winners if self.seen.outcome else ()
        if self.was_ended:
            winners = tuple((self.game.result or {}).get("winners", ()))
        return self.viewer is not None and self.viewer in winners

    @cached_property
    def _last_own(self) -> int | None:
        """Return the entry of the viewer's last move."""
        own = [ply for ply, entry in enumerate(self.replay.plies) if self._is_viewers(ply, entry.seat)]
        return own[-1] if own else None

    @cached_property
    def changes(self) -> list[SeatChange]:
        """The seats that have changed hands since this game began."""
        return changes_since(self.game)

    @cached_property
    def table_events(self) -> dict[int, list[str]]:
        """The table's own events outside the log, in sentences, by the entry they came before."""
        return table_events(self.game, self.cast, self.changes)

    def names_at(self, ply: int) -> Cast:
        """Return the names of the seats when this entry was made, and which was the reader's."""
        cast = names_at(ply, self.game, self.cast, self.changes)
        if ply not in self._played_for:
            return cast
        seat = self.replay.plies[ply].seat
        return Cast(cast, cast.reader, stand_in(self._played_for[ply], seat, cast), seat)

    def _sentences_of(
        self, plies: Iterable[int], with_hand: bool, told: Collection[happened.Event] = ()
    ) -> list[str]:
        return [
            sentence
            for ply in plies
            for event in merge_deals(event for event in self._seen_in(ply, with_hand) if event not in told)
            # What players did themselves is no news to them; the effects are. Nor is a game's first shuffle.
            if not (isinstance(event, OWN_ACTIONS) and self._is_viewers(ply, event.seat))
            if not (isinstance(event, happened.CardsShuffled) and ply == 0)
            for sentence in entry_sentences(event, self.names_at(ply), by_clock=ply in self.clocked)
        ]

    def _seen_in(self, ply: int, with_hand: bool) -> tuple[happened.Event, ...]:
        seen = self._seen_of(self.replay.plies[ply])
        return seen if with_hand else redact(seen, None)

    def _is_viewers(self, ply: int, seat: int | None) -> bool:
        """Return whether the viewer personally made this entry at that seat, with no substitute."""
        return seat == self.viewer and ply not in self._played_for


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
        taken=view.moment.region if view.moment else None,
        has_pope=not seen.options.is_1995,
        prizes=view.prizes,
    )
