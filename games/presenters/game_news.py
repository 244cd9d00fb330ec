"""What has happened since a viewer's own last move, for pages and emails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from django.utils.translation import gettext as _

from games.narration.dealing_sentences import Narrated, merge_deals
from games.narration.entries import OWN_ACTIONS
from games.presenters.game_log import GameLog
from games.presenters.moments import Moment, last_moment
from games.rules import Phase, redact
from games.rules import events as happened

LATEST = 12  # sentences
FOLDED_ABOVE = 6  # sentences; of more, only the last few are open
UNFOLDED = 5
# How a battle ended for its region.
_FATES = (
    happened.RegionConquered,
    happened.RegionDefended,
    happened.NobodyConquered,
    happened.BattleStopped,
)
# What those who read in brief see next to it: their hand, and who is the Condottiere.
_UNSAID_IN_BRIEF = (
    happened.CardsShuffled,
    happened.CardsDealt,
    happened.HandsOpened,
    happened.CondottiereHanded,
)


@dataclass(frozen=True)
class GameNews:
    """What has happened in a game since the viewer's own last move, which the log tells with all the rest."""

    log: GameLog

    def sentences(self, *, with_hand: bool = True) -> list[str]:
        """Return what happened since the viewer's own last move: that move's effects, and what followed."""
        return self._sentences(self._entries, with_hand)

    def sentences_of(self, plies: Iterable[int], *, with_hand: bool = True) -> list[str]:
        """Return what happened in these entries, if they follow the viewer's own last move.

        The result of a round of secret decisions is news to everyone alike, regardless of who made theirs
        last (R17).
        """
        own, states = self._last_own, self.log.position.replay.states
        first = 0 if own is None else own if states[own].phase == Phase.HAND else own + 1
        return self._sentences([ply for ply in plies if ply >= first], with_hand)

    def brief(self, *, with_hand: bool = True) -> list[str]:
        """Return the news in brief: of battles that are over only how they ended; the present one in full."""
        ends = [ply for ply in self._entries if self._ends_battle(ply)]
        plies = self.log.position.replay.plies
        sentences: list[str] = []
        for ply in self._entries:
            seen = self._seen_in(ply, with_hand)
            if ends and ply < ends[-1]:
                seen = tuple(event for event in seen if isinstance(event, _FATES))
            elif ends and ply == ends[-1] and not self.log.is_viewers_own(ply, plies[ply].seat):
                seen = tuple(event for event in seen if not isinstance(event, OWN_ACTIONS))
            seen = tuple(event for event in seen if _is_said_in_brief(event))
            sentences += self.log.sentences(ply, self._news_in(ply, seen, ()))
        return sentences

    def _ends_battle(self, ply: int) -> bool:
        known = self.log.position.known_of(self.log.position.replay.plies[ply])
        return any(isinstance(event, happened.BattleCompared | happened.BattleStopped) for event in known)

    @cached_property
    def latest(self) -> list[str]:
        """The last few sentences that the moment does not tell, short enough to fit next to the decision."""
        told = self.moment.told if self.moment else ()
        return self._sentences(self._entries, True, told)[-LATEST:]

    @property
    def title(self) -> str:
        """The heading of the news: before their first move, viewers have no last one."""
        return _("Since your last move") if self.follows_own_move else _("The game so far")

    @property
    def follows_own_move(self) -> bool:
        """Whether the viewer has moved yet."""
        return self._last_own is not None

    @cached_property
    def moment(self) -> Moment | None:
        """What has ended since the viewer's own last move; None for spectators, and if nothing has."""
        return last_moment(self.events, self.log.position.cast, self.log.position.viewer)

    @cached_property
    def events(self) -> tuple[happened.Event, ...]:
        """The events from the viewer's last move on; none for spectators and in earlier positions."""
        position = self.log.position
        if position.viewer is None or position.as_then:
            return ()
        return tuple(
            chain.from_iterable(map(position.known_of, position.replay.plies[self._last_own or 0 :]))
        )

    @property
    def laid(self) -> Counter[int]:
        """Count the cards that each seat has played since the viewer's last move."""
        return Counter(event.seat for event in self.events if isinstance(event, happened.CardPlayed))

    @cached_property
    def _last_own(self) -> int | None:
        """Return the entry of the viewer's last move."""
        plies = self.log.position.replay.plies
        own = [ply for ply, entry in enumerate(plies) if self.log.is_viewers_own(ply, entry.seat)]
        return own[-1] if own else None

    @property
    def _entries(self) -> range:
        """Return the entries from the viewer's last move on."""
        return range(self._last_own or 0, len(self.log.position.replay.plies))

    def _sentences(
        self, plies: Iterable[int], with_hand: bool, told: Collection[happened.Event] = ()
    ) -> list[str]:
        return [
            sentence
            for ply in plies
            for sentence in self.log.sentences(ply, self._news_in(ply, self._seen_in(ply, with_hand), told))
        ]

    def _news_in(
        self, ply: int, events: Sequence[happened.Event], told: Collection[happened.Event]
    ) -> list[Narrated]:
        """Return the events of an entry that are news.

        What players did themselves is no news to them; the effects are. Nor is a game's first shuffle.
        """
        return [
            event
            for event in merge_deals([event for event in events if event not in told])
            if not (isinstance(event, OWN_ACTIONS) and self.log.is_viewers_own(ply, event.seat))
            if not (isinstance(event, happened.CardsShuffled) and ply == 0)
        ]

    def _seen_in(self, ply: int, with_hand: bool) -> tuple[happened.Event, ...]:
        seen = self.log.position.known_of(self.log.position.replay.plies[ply])
        return seen if with_hand else redact(seen, None)


def _is_said_in_brief(event: happened.Event) -> bool:
    """Return whether an event is news in brief; that no hand was discarded is none."""
    if isinstance(event, happened.HandsShown):
        return bool(event.hands)
    return not isinstance(event, _UNSAID_IN_BRIEF)


@dataclass(frozen=True)
class NewsSection:
    """What happened since the viewer's last move, on a page: the end of it open, what came before folded."""

    title: str
    moment: Moment | None  # what has just ended
    earlier: tuple[str, ...]
    latest: tuple[str, ...]


def news_section(news: GameNews, *, has_decision: bool) -> NewsSection:
    """Return the news as a page shows them: the sentences only next to a decision.

    Before the viewer's first move they would be the whole log, which the page has below.
    """
    latest = tuple(news.latest) if has_decision and news.follows_own_move else ()
    folded = len(latest) - UNFOLDED if len(latest) > FOLDED_ABOVE else 0
    return NewsSection(news.title, news.moment, latest[:folded], latest[folded:])
