"""What a game's page marks, and whether the turn email says it: a list that knows every mark of the page.

A new field of one of these sections fails here until someone decides. Over the turns of a game, each email is
compared with what the list says of it, as text and as HTML.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from html import unescape
from typing import Any

import pytest

from accounts import clock
from accounts.mail.models import OutgoingEmail
from games.emails.choices import MOST_SHOWN
from games.emails.game_context import MOST_PRIZES, game_of, own_seat, view_of
from games.map.region_names import region_name
from games.narration.vocabulary import card_name
from games.orders import Kind
from games.presenters.battle import LineRow, LinesSection, lines_section
from games.presenters.choices import Pick
from games.presenters.deadlines import OwnDeadline, Times, own_deadline, times_of
from games.presenters.decision import DecisionSection, decision_section
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews, NewsSection, news_section
from games.presenters.guide import Hint
from games.presenters.hand import HandCard
from games.presenters.hand_section import OrderSection
from games.presenters.map_section import MapSection, board_of, map_section
from games.presenters.moments import Moment
from games.presenters.orders import FightOn, fight_on, with_orders
from games.presenters.position import Position
from games.presenters.seats import PlayersSection, SeatRow, players_section
from tests.games.playing import begin_game
from tests.journeys.emails import html_of, text_of
from tests.journeys.playing import SECRETS, Company, delivered

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Left:
    """A mark that the email leaves to the page, and why."""

    why: str


Said = Callable[[Any], Iterable[object]]  # what the email says of a section
CLOCKS = (OwnDeadline, Times)
ANSWERS = ("pass", "discard-hand", "keep-hand")  # moves that play no card
FACT = Left("not shown by itself: others of this list are made from it")
SHOWN = Left("shown where the email has it, but not in words to compare")

# For each section of the page: each of its fields, and what the email says of it.
LIST: dict[type, dict[str, Said | Left]] = {
    DecisionSection: {
        "sentence": lambda decision: [decision.sentence],
        "waiting": Left("it's the reader's turn"),
        "step": FACT,
        "kind": FACT,
        "stop": lambda decision: [decision.stop],
    },
    LinesSection: {
        "title": lambda lines: [lines.title],
        "rows": FACT,
        "season_card": FACT,
        "season": lambda lines: [lines.season],
        "prize": lambda lines: [lines.prize],
        "has_cards_down": lambda lines: ["Face-down cards aren’t counted yet."] * lines.has_cards_down,
        "is_on": FACT,
    },
    LineRow: {
        "seat": FACT,
        "name": lambda line: [line.name],
        "cards": lambda line: map(card_name, line.cards),
        "total": lambda line: [line.total],
        "leads": lambda line: ["leads"] * line.leads,
        "is_out": lambda line: ["has passed"] * line.is_out,
        "is_mine": lambda line: ["you"] * line.is_mine,
        "has_card_down": lambda line: ["face down" if line.down_card else "face-down"] * line.has_card_down,
        "down_card": lambda line: [card_name(line.down_card)] if line.down_card else [],
        "defends": lambda line: ["defends"] * line.defends,
        "holds_back": lambda line: ["may still wait"] * line.holds_back,
        "counted": Left("the cards are said; what each counts is on its picture"),
        "why": Left("the sum behind a strength opens on the page"),
        "hand_size": Left("said of every player, below"),
        "is_condottiere": Left("said of every player, below"),
        "is_waited_for": Left("it's the reader's turn"),
        "is_level": lambda line: ["tied"] * line.is_level,
        "won": lambda line: ["won"] * line.won,
        "is_on": FACT,
    },
    HandCard: {
        "card": lambda held: [card_name(held.card)],
        "copies": SHOWN,
        "moves": FACT,
        "gist": lambda held: [held.gist],
        "standing": lambda held: [held.standing],
        "leads": FACT,
        "does": Left("said of special cards that have an effect"),
        "idle": Left("the gist says that it has no effect now; the page says why"),
    },
    PlayersSection: {
        "rows": FACT,
        "goal_in_short": Left("what each player needs is said of each"),
        "goal": Left("said in the first turn email of someone's first game"),
        "race": Left("what each player needs is said of each"),
        "is_over": FACT,
    },
    SeatRow: {
        "seat": FACT,
        "name": lambda row: [row.name],
        "regions": lambda row: row.regions,
        "largest_group": FACT,
        "connected_missing": lambda row: [] if row.prizes else [row.connected_missing],
        "total_missing": lambda row: [] if row.prizes else [row.total_missing],
        "hand_size": lambda row: [row.hand_size],
        "is_condottiere": lambda row: (
            ["You are the Condottiere." if row.is_mine else f"The Condottiere is {row.name}."]
            * row.is_condottiere
        ),
        "is_waited_for": Left("it's the reader's turn"),
        "is_mine": Left("said at the lines"),
        "kingdoms": Left("the map shows which regions are connected"),
        "prizes": lambda row: [_named_or_counted(prize, row) for prize in row.prizes],
        "page": Left("one opens it from the game's page"),
    },
    Pick: {
        "key": FACT,
        "steps": FACT,
        "held": Left("said of the card, above"),
        "sentences": Left("said of special cards that have an effect, and of a pass that ends the battle"),
        "asks": Left("asked on the page of the choice"),
        "gist": lambda pick: [pick.gist],
        "orders": lambda pick: [order.label for order in pick.orders if order.kind != Kind.FIGHT],
    },
    FightOn: {
        "order": Left("a reply's words for it are said; its cards and limit are picked on the page"),
        "typed": Left("what was typed on the page"),
    },
    OrderSection: {
        "text": Left("an order that stands moves by itself, and an email comes when it stops"),
        "fight": Left("given with a move in the email; without a turn there is no turn email"),
        "step": FACT,
        "address": FACT,
    },
    NewsSection: {
        "title": Left("said where some news are neither the battle's end nor one's own move"),
        "moment": Left("its title is the last sentence of the news"),
        "earlier": Left("the email says finished battles in a sentence each"),
        "latest": Left("said in brief, up to the last twelve"),
    },
    Moment: {
        "title": lambda moment: [moment.title] if moment.region else [],
        "region": FACT,
        "standings": Left("the lines of the last battle have the strengths while they lie there"),
        "sentences": Left("in the news, where they are news"),
        "round_sentences": Left("in the news, where they are news"),
        "is_mine": Left("a colour of the page"),
        "is_loss": Left("a colour of the page"),
        "earlier": Left("the email says each in the news"),
        "told": FACT,
    },
    Hint: {
        "key": FACT,
        "text": Left("the first turn email of someone's first game says what wins; hints are for choosing"),
    },
    OwnDeadline: {
        "deadline": FACT,
        "now": FACT,
        "move_by": Left("in the headline"),
        "is_out": Left("the headline says that time ran out"),
        "is_soon": Left("a colour of the page; a reminder comes by email"),
        "headline": lambda own: [own.headline],
        "left": Left("an email is read later than it was sent; reminders say it"),
        "reserve": lambda own: [own.reserve],
        "zone": lambda own: [f"({own.zone})"],
        "explained": Left("only where some time doesn't count: tests/timing reads that"),
        "paused": Left("one of what is explained"),
    },
    Times: {
        **dict.fromkeys(("position", "seats", "seat", "now", "game", "table"), FACT),
        "mine": Left("said of one's own deadline, above"),
        "others": Left("it's the reader's turn; no one waits for the others"),
        "paused_until": Left("one of what is explained, and an email of its own tells of the pause"),
        "is_away": Left("no turn email goes to players for whom a bot plays"),
        "away": Left("an email of its own tells of it"),
        "is_offered": Left("what can be done about it is on the page"),
        "is_host": Left("what can be done about it is on the page"),
        "host_decides": Left("what can be done about it is on the page"),
    },
    MapSection: {
        "board": SHOWN,
        "condottiere": Left("said of the player"),
        "pope": lambda section: [f"The Pope is in {region_name(section.pope)}."] if section.pope else [],
        "pile_size": Left("seldom matters; one touch away"),
        "discards": Left("seldom matters; one touch away"),
        "options": Left("never changes during a game"),
    },
}


@pytest.mark.parametrize("section", LIST)
def test_the_list_knows_every_mark_of_the_page(section: Any) -> None:
    assert set(LIST[section]) == {*_names_of(section)}


def _names_of(section: Any) -> list[str]:
    """Return what the page can show of a section; of the clocks, that is worked out when it's asked for."""
    if not is_dataclass(section):
        return list(section._fields)
    shown = (name for name, what in vars(section).items() if isinstance(what, property | cached_property))
    worked_out = [name for name in shown if not name.startswith("_")] if section in CLOCKS else []
    return [*(field.name for field in fields(section)), *worked_out]


@pytest.mark.parametrize("variants", [[], ["hidden-cards"], ["capturing-regions"]])
@pytest.mark.long
def test_turn_emails_say_what_the_list_says(anna: Any, bruno: Any, carla: Any, variants: list[str]) -> None:
    said = compared([anna, bruno, carla], variants, 70)
    assert said >= {
        *("LineRow.leads", "LineRow.is_out", "HandCard.gist", "HandCard.standing", "MapSection.pope"),
        *("SeatRow.is_condottiere", "SeatRow.hand_size", "Pick.gist", "OwnDeadline.reserve"),
    }
    assert ("Pick.orders" in said) == ("capturing-regions" in variants)  # defenders can wait (R33)


def test_the_first_turn_emails_say_what_the_list_says(anna: Any, bruno: Any, carla: Any) -> None:
    said = compared([anna, bruno, carla], [], 12)
    assert said >= {"LineRow.leads", "LineRow.is_out", "HandCard.gist", "HandCard.standing"}


def compared(people: list[Any], variants: list[str], most: int) -> set[str]:
    """Compare the turn emails of so many moves with their positions; return which marks there were."""
    options = {"edition": "2007", "variants": variants}
    company = Company(begin_game(people, secret=SECRETS[3], pace="day", options_json=options))
    found = set[str]()
    for _move in range(most):
        if not (questions := company.open_decisions()):
            break
        for email in delivered():
            row = OutgoingEmail.objects.get(message_id=email["Message-ID"])
            view = view_of(game_of(row), row) if row.kind == "your_turn" else None
            if view is not None:
                html = re.sub(r"</?time\b[^>]*>", "", html_of(email))  # within a sentence
                texts = [_plain(text_of(email)), _plain(re.sub(r"<[^>]+>", " ", html))]
                found |= _said(view, texts)
        company.answer(questions[0])
    return found


def _said(view: Position, texts: list[str]) -> set[str]:
    found = set[str]()
    for section in _sections(view):
        for field, says in LIST[type(section)].items():
            wanted = [] if isinstance(says, Left) else [one for one in says(section) if one not in ("", None)]
            for one in wanted:
                found.add(f"{type(section).__name__}.{field}")
                ways = list(map(str, one if isinstance(one, tuple) else (one,)))
                for text in texts:
                    assert any(_plain(words) in text for words in ways), (field, ways, text)
    return found


def _sections(view: Position) -> list[Any]:
    players, lines = players_section(view), lines_section(view)
    shown = [pick.held for pick in view.choices.picks if pick.held]
    cards = shown if view.seen.asked and view.seen.asked.kind == "battle" and len(shown) < MOST_SHOWN else []
    battle = [lines, *lines.rows] if lines else []
    news = news_section(GameNews(GameLog(view)), has_decision=True)
    seat = own_seat(view)
    own = own_deadline(view, seat, clock.now()) if seat else None
    clocks = [own, times_of(view, seat)] if own else []
    answers = [pick for pick in with_orders(view, fight_on(view, None)) if pick.key in ANSWERS]
    told = [news, *([news.moment] if news.moment else [])]
    shown = [decision_section(view), map_section(view, board_of(view)), *battle, *cards, *players.rows]
    return [*shown, *clocks, *answers, *told]


def _named_or_counted(prize: str, row: SeatRow) -> str | tuple[str, str]:
    """Return how an email says that a region would win the game; in a battle it counts so many."""
    counted = f"Wins the game with any of {len(row.prizes)}"  # a column may break after it
    return (prize, counted) if len(row.prizes) > MOST_PRIZES else prize


def _plain(text: str) -> str:
    return " ".join(unescape(text).replace("\xa0", " ").split())
