"""The page of a game as one reader sees it: a frozen object with a section for each part.

Each section is made by one function from the reader's access and their position; `decision.py`, `battle.py`
(the lines), `seats.py` (the players) and `result.py` serve emails and other pages too. Views choose this
object and a template, and templates decide nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import QueryDict
from django.utils.translation import gettext as _

from games.access import GameAccess
from games.models import Game, Seat, Table
from games.presenters.advice import AdviceSection, advice_section
from games.presenters.battle import LinesSection, lines_section
from games.presenters.deadlines import times_of
from games.presenters.decision import DecisionSection, LinkSection, decision_section, link_section
from games.presenters.game_log import GameLog, LogSection, log_section
from games.presenters.game_news import GameNews, NewsSection, news_section
from games.presenters.guide import Hint, next_hint
from games.presenters.hand_section import HandSection, OrderSection, hand_section, order_section
from games.presenters.live_section import LiveSection
from games.presenters.map_section import MapSection, board_of, links_to_regions, map_section
from games.presenters.now_section import NowSection, now_section
from games.presenters.options_section import (
    EmailSection,
    OptionsSection,
    email_section,
    options_section,
    take_back_key_at,
)
from games.presenters.position import Position, position_through
from games.presenters.reading import Reading
from games.presenters.result import ResultSection, result_section
from games.presenters.seats import PlayersSection, linked_players, players_section
from games.rules import Phase
from games.selectors.match_standings import Standings, standings_of

# The parts of a game's page that are made only on request, with `?open=`.
OPENED = frozenset({"log", "map", "terms"})


@dataclass(frozen=True)
class PageRequest:
    """What a request adds to the page: the part it opens, and what is left of an attempt that failed."""

    opened: str = ""  # one of OPENED
    new_from: int | None = None  # the step from which the log is new to its reader
    problem: str = ""  # why the attempt failed
    picked: str = ""  # the card that is already picked
    typed: QueryDict | None = None  # the form with an order that was refused


@dataclass(frozen=True)
class ChatSection:
    """The table's chat for the reader of the page.

    The chat knows games, but games know nothing of it: its template tags show what its own `reader` may read.
    """

    reader: object | None = None
    is_here: bool = True  # on the page itself
    seat_by_link: Seat | None = None  # whose chat the holder of an email's link opens on a page of its own


@dataclass(frozen=True)
class GamePage:
    """The page of a game as one reader sees it."""

    position: Position
    reading: Reading
    request: PageRequest
    decision: DecisionSection
    result: ResultSection | None
    lines: LinesSection | None
    news: NewsSection
    map: MapSection
    players: PlayersSection
    log: LogSection
    chat: ChatSection
    now: NowSection
    match: Standings | None
    live: LiveSection | None
    options: OptionsSection = field(default_factory=OptionsSection)
    access: GameAccess | None = None  # None for spectators
    hand: HandSection | None = None
    order: OrderSection | None = None
    link: LinkSection | None = None
    hint: Hint | None = None
    advice: AdviceSection | None = None
    take_back_key: UUID | None = None  # of the form that takes back the player's last move
    emails: EmailSection = field(default_factory=EmailSection)

    @property
    def game(self) -> Game:
        return self.position.game

    @property
    def table(self) -> Table:
        return self.position.game.table

    @property
    def page_url(self) -> str:
        """The page's own address: that of the link by which it was opened."""
        return self.access.page_url if self.access else self.reading.page_url

    @property
    def copied_from(self) -> Mapping[str, Any] | None:
        """The part of the log that was copied from a game to play on; None for none."""
        return next((part for part in self.game.copied or [] if not part.get("is_taken_back")), None)

    @property
    def is_taken_back(self) -> bool:
        """Whether the game began again so that a move could be taken back."""
        return any(part.get("is_taken_back") for part in self.game.copied or [])

    @property
    def shows_map_as_list(self) -> bool:
        return self.request.opened == "map"

    @property
    def shows_settings(self) -> bool:
        return self.request.opened == "terms"

    @property
    def folds_lines(self) -> bool:
        """Whether the lines of the last battle are folded, because the decision is about something else."""
        return bool(self.decision.sentence) and self.lines is not None and not self.lines.is_on

    @property
    def prize(self) -> str:
        """For whom the contested region would win the game, next to a decision in its battle."""
        return self.lines.prize if self.lines and self.lines.is_on and self.decision.sentence else ""

    @property
    def is_asked_again(self) -> bool:
        """Whether the reader's seat must decide, but not on this page; everyone may know that (R17)."""
        return (
            self.access is not None
            and self.decision.step is None
            and self.access.seat.number in self.position.seen.waiting_for
        )

    @property
    def is_closed_link(self) -> bool:
        return self.link is not None and self.link.is_closed

    @property
    def waits_unseen(self) -> bool:
        """Whether a closed link's owner must decide: they have another email for that."""
        return self.is_closed_link and self.is_asked_again

    @property
    def tells_of_emails(self) -> bool:
        """Whether to say if an email comes when it's the reader's turn."""
        is_readers_own = self.access is not None and not self.access.is_guest and not self.is_closed_link
        return is_readers_own and not self.is_asked_again

    @property
    def is_secret_round(self) -> bool:
        """Whether to say after a secret decision that others may still make theirs, without their names."""
        return bool(self.link and self.link.message) and self.position.seen.phase == Phase.HAND

    @property
    def is_region_chosen_now(self) -> bool:
        """Whether someone chooses a region, so that the map comes before the news."""
        return self.position.seen.phase == Phase.PLACE

    @property
    def tells_whether_won(self) -> bool:
        """Whether to say if the reader has won; a match says more of it."""
        return self.position.viewer is not None and self.match is None

    @property
    def tells_who_gets_no_emails(self) -> bool:
        return self.access is not None and self.access.is_seated and not self.game.is_over

    @property
    def has_sound(self) -> bool:
        """Whether a sound can tell of the reader's turn; bots at a practice table move at once."""
        return self.result is None and not (self.access is not None and self.access.is_against_bots)

    @property
    def shows_deals(self) -> bool:
        """Whether spectators can see the deals: what they read of the chat, and all of them after the end."""
        return self.table.spectators_read or self.table.state == Table.State.FINISHED

    @property
    def is_thinking(self) -> bool:
        """Whether the game waits for a Strategist, which moves within seconds."""
        seats, waiting_for = self.table.all_seats(), self.position.seen.waiting_for
        return settings.STRATEGIST and any(seats[number].bot == Seat.Bot.STRATEGIST for number in waiting_for)

    @property
    def thinking(self) -> str:
        """What the page says while Strategist thinks."""
        # Translators: names is the bot whose turn it is, such as "Montefeltro (bot)".
        return _("Strategist is thinking: %(names)s.") % {
            "names": self.position.cast.listed(self.position.seen.waiting_for)
        }

    @property
    def poll_seconds(self) -> int:
        """How often the open page asks for news."""
        return settings.THOUGHT_POLL_SECONDS if self.is_thinking else self.now.poll_seconds

    @property
    def opens_itself_again(self) -> bool:
        """Whether a browser without scripts opens the page again: no one else plays or writes here."""
        is_practice = self.access is not None and self.access.is_against_bots
        is_advised = self.advice is not None and self.advice.is_waiting
        return is_practice and (self.is_thinking or is_advised)

    @property
    def _is_away(self) -> bool:
        return self.now.times is not None and self.now.times.is_away

    @property
    def _asks_to_go_on(self) -> bool:
        """Whether the reader is asked to go on to the next game of the match."""
        return self.match is not None and self.match.asks_me

    @property
    def has_more_urgent_part(self) -> bool:
        """Whether a decision, or coming back, comes before a proposal to end the game."""
        return bool(self.decision.sentence) or self._is_away

    @property
    def has_other_main_button(self) -> bool:
        """Whether the button to other games is not the main one."""
        return self._is_away or self._asks_to_go_on

    @property
    def has_button_before_chronicle(self) -> bool:
        """Whether the button to the chronicle is not the main one."""
        is_guest = self.access is not None and self.access.is_guest
        return is_guest or self._asks_to_go_on or bool(self.options.waiting_elsewhere)


def game_page(
    access: GameAccess, request: PageRequest, chat_reader: object | None, live: LiveSection | None
) -> GamePage:
    """Return the page of a game for someone with access to one of its seats."""
    position = position_through(access)
    news = GameNews(GameLog(position, request.new_from, request.opened == "log"))
    reading = Reading(access.game, position.names, *access.address)
    seat = None if access.is_link else access.seat
    match = standings_of(access.game, position.names, seat)
    page = _page(news, reading, request, now_section(access, position), match, live)
    return replace(
        page,
        access=access,
        chat=chat_section(access, position, chat_reader),
        hand=hand_section(access, position, page.decision, request.picked, request.typed),
        order=order_section(access, position, request.typed),
        link=link_section(access, position),
        hint=hint_at(access, news),
        advice=advice_section(access, position),
        take_back_key=take_back_key_at(access, position),
        options=options_section(access, position, reading, has_hours=page.now.hours is not None),
        emails=email_section(access),
    )


def watched_page(
    position: Position,
    reading: Reading,
    request: PageRequest,
    chat_reader: object | None,
    live: LiveSection | None,
) -> GamePage:
    """Return the page of a game for spectators: what everyone at the table sees."""
    news = GameNews(GameLog(position, is_whole=request.opened == "log"))
    match = standings_of(position.game, position.names, watching=True)
    page = _page(news, reading, request, NowSection(times_of(position, None)), match, live)
    return replace(page, chat=ChatSection(chat_reader))


def _page(
    news: GameNews,
    reading: Reading,
    request: PageRequest,
    now: NowSection,
    match: Standings | None,
    live: LiveSection | None,
) -> GamePage:
    """Return the sections that everyone gets."""
    position = news.log.position
    decision, players = decision_section(position), players_section(position)
    told = news_section(news, has_decision=bool(decision.sentence))
    taken = told.moment.region if told.moment else None
    return GamePage(
        position=position,
        reading=reading,
        request=request,
        decision=decision,
        result=result_section(position, players.rows),
        lines=lines_section(position, news.laid),
        news=told,
        map=map_section(position, board_of(position, links_to_regions(position), taken=taken)),
        players=linked_players(players, position.game.table),
        log=log_section(news.log),
        chat=ChatSection(),
        now=now,
        match=match,
        live=live,
    )


def chat_section(access: GameAccess, position: Position, reader: object | None) -> ChatSection:
    """Return where this access reads the chat: the holder of an email's link does on a page of its own."""
    if not access.is_link:
        return ChatSection(reader)
    return ChatSection(reader, is_here=False, seat_by_link=None if position.viewer is None else access.seat)


def hint_at(access: GameAccess, news: GameNews) -> Hint | None:
    """Return the guide's hint for this turn; None where it gives none."""
    seen = news.log.position.seen
    if not access.has_guide or seen.asked is None:
        return None
    return next_hint(seen, news.events, access.seat.hints_read)
