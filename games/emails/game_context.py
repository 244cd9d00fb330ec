"""Shared context of game emails: the reader's view, and positions as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts import clock
from accounts.durations import duration
from accounts.mail.email_content import Content, InlineImage, own_page
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.mail.unsubscribe_switches import switch_of
from games.links import list_of, seat_url
from games.map.region_names import region_name
from games.models import Game, Seat, Table
from games.models.games_for_pages import games_to_tell, read_roster
from games.models.replay import replayed_for
from games.narration.seat_names import shown_names
from games.narration.text_columns import in_columns
from games.narration.vocabulary import card_names
from games.presenters.battle import LineRow, LinesSection, lines_section, prize_of
from games.presenters.deadlines import own_deadline
from games.presenters.decision import decision_section
from games.presenters.position import Position
from games.presenters.seats import PlayersSection, SeatRow, players_section
from games.rules import Phase
from games.services.notifications import had_turn_email, was_written_to, with_earlier_emails

MOST_PRIZES = 3  # regions that an email names in a battle, of those that would win someone the game
MOST_NEWS = 60  # sentences; mail programs cut longer emails


@names_list("game")
def _name_of_game(number: int) -> str:
    return Table.objects.filter(games=number).values_list("name", flat=True).first() or ""


@names_list("table")
def _name_of_table(number: int) -> str:
    return Table.objects.filter(pk=number).values_list("name", flat=True).first() or ""


def shows_hand(email: OutgoingEmail) -> bool:
    return email.to_user is None or email.to_user.hand_in_emails


def game_of(email: OutgoingEmail) -> Game:
    return game_with_seats(email.context["game"], email)


def game_with_seats(pk: int, email: OutgoingEmail) -> Game:
    """Return the game, its table and all its players, for this email."""
    return _with_seats(with_earlier_emails(games_to_tell(), pk, email.to_user_id), pk)


def game_without_past(email: OutgoingEmail) -> Game:
    """Return the same for an email that tells no news and isn't the first about a game."""
    return _with_seats(Game.objects.select_related("table"), email.context["game"])


def _with_seats(games: QuerySet[Game], pk: int) -> Game:
    game = games.get(pk=pk)
    read_roster(game.table)
    return game


def view_of(game: Game, email: OutgoingEmail) -> Position | None:
    """Return the game, with its seats, as the email's reader sees it; None if they have no seat any more."""
    seats = game.table.all_seats()
    number = next((seat.number for seat in seats if seat.user_id == email.to_user_id), None)
    if number is None:
        return None
    names = shown_names(seats, email.to_user)
    return Position(game, replayed_for(game, number), names, number, reader=number)


def about_game(
    template: str, email: OutgoingEmail, view: Position, images: tuple[InlineImage, ...] = (), **more: Any
) -> Content:
    """Build an email about a game, without its position."""
    game = view.game
    context = {
        "table": game.table,
        "game": game,
        "view": view,
        "page": own_page(email, "game", game.pk),
        "seat_page": seat_url(seat) if (seat := own_seat(view)) else "",
        "images": images,
        **more,
    }
    thread = list_of(game)
    content = Content(template, context, thread, thread, game.table.name, images)
    return remembered(content, view)


def about_position(
    template: str, email: OutgoingEmail, view: Position, *, news: Sequence[str] = (), **more: Any
) -> Content:
    """Build an email about a game and its position: the decision, the lines, the hand and all seats."""
    players, lines = players_section(view), lines_section(view)
    is_first = "commitment" not in more or more["commitment"] is not None  # later turn emails say less
    explained = needs_explained(players) if is_first else ""
    # Which regions win matters while one is chosen. In a battle the first lines say what its region wins.
    needed = [needs(row, in_full=view.seen.phase != Phase.BATTLE) for row in players.rows]
    position: dict[str, Any] = {
        "decision": decision_section(view),
        "prize": prize_of(view),
        "lines": lines,
        "players": players,
        "shows_hand": shows_hand(email),
        "news": news[-MOST_NEWS:],
        "news_left_out": max(0, len(news) - MOST_NEWS),
        "hand": card_names(view.seen.hand or ()),
        "condottiere": condottiere_text(players),
        "pope": pope_text(view),
        "needs_explained": explained,
        "needs": list(zip(players.rows, needed, strict=True)),
        "lines_text": lines_as_text(lines, with_hand=shows_hand(email)) if lines else "",
        "seats_text": seats_as_text(players, needed, pope_text(view), explained),
    }
    return about_game(template, email, view, **position | more)


def remembered(content: Content, *views: Position) -> Content:
    """Return the same email about these games; replies that quote it will be recognised, but not by names."""
    names = (name for view in views for name in (*view.names, view.game.table.name))
    return replace(content, remembered=True, common_words=(*content.common_words, *names))


@dataclass(frozen=True)
class Commitment:
    """What fixed a game's shuffles before its first deal, for the first email to each player."""

    secret: str  # SHA-256 of the secret, in hex
    words: str  # the nonce of the reader's own words, in hex; empty if they gave none


def commitment_for(email: OutgoingEmail, view: Position) -> Commitment | None:
    """Return the commitment for the reader to keep; None once an email has told them."""
    game = view.game
    seat = own_seat(view)
    if not game.table.secret or seat is None or was_written_to(game, seat):
        return None
    return Commitment(game.table.commitment_of(game.number), seat.nonce)


def goal_for_beginner(view: Position) -> str:
    """Return what wins, in a sentence, for the first turn email of a person's first game; empty elsewhere."""
    game, seat = view.game, own_seat(view)
    if seat is None or not seat.is_first_game or game.number > 1 or view.seen.final_battle:
        return ""
    return "" if had_turn_email(game, seat) else players_section(view).goal


def own_seat(view: Position) -> Seat | None:
    """Return the seat of the email's reader."""
    return next((seat for seat in view.game.table.all_seats() if seat.number == view.viewer), None)


def about_turn(email: OutgoingEmail, content: Content) -> Content:
    """Return the same email, with an unsubscribe link that reduces emails about turns."""
    return replace(content, stops=switch_of(email.to_user, is_at_once=email.kind == "your_turn"))


@dataclass(frozen=True)
class EmailDeadline:
    """The deadline of the reader's decision, in sentences: when to move by, and what else to know."""

    headline: str
    more: tuple[str, ...] = ()
    left: str = ""  # a length of time; empty once it has passed, and where `reserve` says it
    reserve: str = ""  # until when it lasts; the first of `more`


def deadline_for(view: Position, *, names_pause: bool = True) -> EmailDeadline | None:
    """Return the deadline of the reader's pending decision, reserve included; None if no clock runs.

    It explains what is counted only where something is not. An email about a pause names that itself.
    """
    seat = own_seat(view)
    own = own_deadline(view, seat, clock.now()) if seat else None
    if own is None:
        return None
    deadline = own.deadline
    left_out = (deadline.days_off, deadline.quiet, deadline.holidays, deadline.paused_until)
    more = [own.reserve] if own.reserve else []
    if deadline.is_secret or any(left_out):
        more += [sentence for sentence in own.explained if names_pause or sentence != own.paused]
    says_left = own.is_out or deadline.uses_reserve(own.now)  # then the reserve's own sentence does
    left = "" if says_left else duration(own.move_by - own.now)
    return EmailDeadline(own.headline, tuple(more), left, own.reserve)


def lines_as_text(lines: LinesSection, *, with_hand: bool = True) -> str:
    """Return the battle lines in columns.

    The reader's own face-down card is named only where the hand is shown (R40).
    """
    rows = [(lines.title, "", pgettext("of a line of cards", "Strength"))]
    for line in lines.rows:
        # Translators: name is the reader's own, in a table of players
        name = _("%(name)s (you)") % {"name": line.name} if line.is_mine else line.name
        rows.append(
            (name, _line_cards(line, with_hand=with_hand), ", ".join([str(line.total), *_marks(line)]))
        )
    text = in_columns(rows)
    if lines.has_cards_down:
        note = _("Face-down cards aren’t counted yet.")
        text += f"\n  {note}"
    if lines.season:
        text += f"\n  {lines.season}"
    return text


def _marks(line: LineRow) -> list[str]:
    marks = [pgettext("of a line of cards", "leads")] * line.leads
    marks += [pgettext("of a line of cards", "tied")] * line.is_level
    marks += [pgettext("of a line of cards", "won")] * line.won
    marks += [pgettext("of a player in a battle", "defends")] * line.defends
    marks += [pgettext("of a player in a battle", "may still wait")] * line.holds_back
    marks += [pgettext("of a player in a battle", "has passed")] * line.is_out
    return marks


def _line_cards(line: LineRow, *, with_hand: bool) -> str:
    """Return a line's cards in words, the face-down one last."""
    if not line.has_card_down:
        return card_names(line.cards)
    if line.down_card is not None and with_hand:
        # Translators: card is the name of the reader's own card that lies face down
        down = _("face down: %(card)s") % {"card": card_names([line.down_card])}
    else:
        down = pgettext("in a line of cards", "a face-down card")
    return ", ".join(filter(None, [card_names(line.cards) if line.cards else "", down]))


def seats_as_text(players: PlayersSection, needed: Sequence[str], pope: str, explained: str) -> str:
    """Return a line for each player: cards, regions still needed, and regions held; and notes below."""
    columns = (
        pgettext("column of a table", "Player"),
        pgettext("column of a table", "Cards"),
        pgettext("column of a table, regions", "Needs"),
        pgettext("column of a table", "Regions"),
    )
    rows = [
        (row.name, str(row.hand_size), still, ", ".join(row.regions) or "–")
        for row, still in zip(players.rows, needed, strict=True)
    ]
    tokens = " ".join(filter(None, [condottiere_text(players), pope]))
    notes = [f"  {text}" for text in (explained, tokens) if text]
    return "\n".join([in_columns([columns, *rows]), *notes])


def pope_text(view: Position) -> str:
    """Return which region the Pope protects, in a sentence; empty while he is off the map."""
    region = view.seen.pope
    # Translators: region is a region of the map.
    return _("The Pope is in %(region)s.") % {"region": region_name(region)} if region else ""


def needs(row: SeatRow, *, in_full: bool) -> str:
    """Return how many more regions win the game for this seat: connected, or in all; or which ones do."""
    if len(row.prizes) > MOST_PRIZES and not in_full:
        # Translators: n is always 4 or more
        text = ngettext(
            "Wins the game with %(n)d region", "Wins the game with any of %(n)d regions", len(row.prizes)
        )
        return text % {"n": len(row.prizes)}
    if row.wins_with:
        # Translators: regions are alternatives, such as "Roma or Siena"
        return _("Wins the game with %(regions)s") % {"regions": row.wins_with}
    words = {"connected": row.connected_missing, "total": row.total_missing}
    if row.total_missing is None:
        return str(row.connected_missing)
    if row.total_missing <= row.connected_missing:  # any regions do then
        return str(row.total_missing)
    # Translators: numbers of regions that a player still needs, in a narrow column
    text = _("%(connected)d or %(total)d") % words
    return text.replace(" ", "\xa0")  # no line ends within it


def needs_explained(players: PlayersSection) -> str:
    """Return what the column of needed regions means."""
    if any(row.total_missing is not None for row in players.rows):
        return _("Needs: more regions to win, connected or in total.")
    return _("Needs: more connected regions to win.")


def condottiere_text(players: PlayersSection) -> str:
    """Return who has the Condottiere token, in a sentence; empty if no one has it."""
    holder = next((row for row in players.rows if row.is_condottiere), None)
    if holder is None:
        return ""
    if holder.is_mine:
        return _("You are the Condottiere.")
    # Translators: name is a player's
    return _("The Condottiere is %(name)s.") % {"name": holder.name}
