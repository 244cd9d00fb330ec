"""Builds the letters of tables and games from observations and events. None: the reason to write is gone.

Each builder gets the outbox row and returns what to write; templates/mail/<template>/ has the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import present
from accounts.addresses import absolute_url
from accounts.models import User
from accounts.post.content import Content, InlineImage
from accounts.post.models import Letter
from games.board_png import png
from games.company import company_at
from games.deadlines import OwnDeadline, own_deadline
from games.endings import told_change, ways_out
from games.game_terms import game_in_words
from games.links import Question, answer_url, invitation_url, list_of, seat_url
from games.models import Game, Invitation, Seat, SeatChange, Table
from games.names import shown_names
from games.pages import Choice, GameView, LineRow, board_of
from games.replaying import replayed
from games.vocabulary import card_names

MOST_PLAIN_CHOICES = 20


def invitation(letter: Letter) -> Content | None:
    """To an invited address: the table, its terms, and a link that shows them with the buttons."""
    found = (
        Invitation.objects.select_related("table__host", "table__rematch_of__table")
        .filter(pk=letter.about["invitation"], state=Invitation.State.SENT)
        .first()
    )
    if found is None or not found.table.is_gathering:
        return None
    context = {
        **_table_context(found.table, letter.to_user),
        "link": invitation_url(found),
        "is_rematch": found.user_id is not None,
    }
    played = found.table.rematch_of
    if played is not None and found.table.host is not None:  # the reader knows the host by that game's names
        context["host"] = company_at(played.table, letter.to_user).name_of(found.table.host)
    return Content("invitation", context, f"table-{found.table_id}", "invitations", "Invitations")


def declined(letter: Letter) -> Content | None:
    """To the host: an invited person said no."""
    sent = Invitation.objects.select_related("table__host", "user")
    found = sent.filter(pk=letter.about["invitation"]).first()
    if found is None or found.state != Invitation.State.DECLINED or not found.table.is_gathering:
        return None
    return _about_table("declined", letter, found.table, invited=found.shown)


def left(letter: Letter) -> Content | None:
    """To the host: somebody gave his seat up."""
    table = _gathering(letter)
    person = User.objects.filter(pk=letter.about["user"]).first()
    if table is None or person is None:
        return None
    return _about_table("left", letter, table, name=person.shown_name)


def removed(letter: Letter) -> Content | None:
    """To somebody whose seat the host has taken away."""
    table = Table.objects.select_related("host").filter(pk=letter.about["table"]).first()
    return _about_table("removed", letter, table) if table else None


def called_off(letter: Letter) -> Content | None:
    """To everybody at a table that will not play."""
    table = Table.objects.select_related("host").filter(pk=letter.about["table"]).first()
    return _about_table("called_off", letter, table) if table else None


def closing_soon(letter: Letter) -> Content | None:
    """To the host of a table nobody fills: when it is closed, and how to keep it open."""
    table = _gathering(letter)
    if table is None or table.closes_at.isoformat() != letter.about["closes_at"]:
        return None
    return _about_table("closing_soon", letter, table)


def closed(letter: Letter) -> Content | None:
    """To everybody at a table that was closed because its game had not begun in time."""
    table = Table.objects.select_related("host").filter(pk=letter.about["table"]).first()
    return _about_table("closed", letter, table) if table else None


def confirm(letter: Letter) -> Content | None:
    """To everybody at a full table: see who plays, and say that it may begin."""
    seat = (
        Seat.objects.select_related("table__host", "user")
        .filter(pk=letter.about["seat"], confirmed_at__isnull=True)
        .first()
    )
    if seat is None or not seat.table.is_gathering or seat.table.seats.count() < seat.table.size:
        return None
    return _about_table("confirm", letter, seat.table, link=seat_url(seat))


def started(letter: Letter) -> Content | None:
    """To those who are not asked first: the game has begun, with the hand."""
    game = game_of(letter)
    view = view_of(game, letter)
    if view is None or game.is_over:
        return None
    return about_game("started", letter, view)


def your_turn(letter: Letter) -> Content | None:
    """To whoever is asked: the news, the lines, the hand, and a link for each plain choice."""
    view = view_of(game_of(letter), letter)
    if view is None or view.asked_at is None or view.asked_at != letter.about["asked_at"]:
        return None
    return about_question("your_turn", letter, view, subject=subject_of(view))


def about_question(template: str, letter: Letter, view: GameView, **more: Any) -> Content:
    """A letter with all about the open question of its reader: the news, and a link for each choice."""
    link = answer_link(letter, view)
    choices = _linked_choices(view, link, with_cards=shows_hand(letter))
    deadline = deadline_of_reader(view)
    return about_game(template, letter, view, link=link, choices=choices, deadline=deadline, **more)


def deadline_of_reader(view: GameView) -> OwnDeadline | None:
    """Until when the reader's open question may be answered, explained to him."""
    seats = view.game.table.seats.select_related("user")
    seat = next((seat for seat in seats if seat.number == view.viewer), None)
    return own_deadline(view, seat, present.now()) if seat else None


def answer_link(letter: Letter, view: GameView) -> str:
    """The link by which the letter's reader answers the open question of the view."""
    assert letter.to_user is not None
    assert view.viewer is not None
    assert view.asked_at is not None
    return answer_url(Question(view.game.pk, view.viewer, letter.to_user.pk, view.asked_at))


def game_over(letter: Letter) -> Content | None:
    """To everybody: the result, the final map, and the whole story."""
    view = view_of(game_of(letter), letter)
    if view is None:
        return None
    image = InlineImage("map", png(board_of(view)))
    return about_game("game_over", letter, view, images=(image,), chapters=view.chapters)


def subject_of(view: GameView) -> str:
    """Says what is asked, so that it can be judged from a list of letters."""
    words = {"battle": view.battle_name, "table": view.game.table.name}
    match view.seen.phase:
        case "battle":
            return _("Your move: the battle for %(battle)s (%(table)s)") % words
        case "place":
            return _("Your choice: where to fight next (%(table)s)") % words
        case "hand":
            return _("Discard your hand or keep it? (%(table)s)") % words
    return _("Which cards do you keep? (%(table)s)") % words


def lines_as_text(view: GameView, *, with_hand: bool = True) -> str:
    """The battle lines in columns; empty where there is no battle. One's own face-down card is named where
    one's hand is (R40)."""
    if not view.shows_lines:
        return ""
    rows = [(view.battle_name, "", _("total"))]
    for line in view.lines:
        name = _("%(name)s, you") % {"name": line.name} if line.is_mine else line.name
        marks = [_("leads")] * line.leads + [_("defends")] * line.defends
        marks += [_("may still wait")] * line.holds_back + [_("out")] * line.is_out
        total = ", ".join([" ".join([str(line.total), *marks[:1]]), *marks[1:]])
        rows.append((name, _line_cards(line, with_hand=with_hand), total))
    told = in_columns(rows)
    if view.has_cards_down:
        told += "\n  " + _("What lies face down is not counted in a total.")
    return told


def _line_cards(line: LineRow, *, with_hand: bool) -> str:
    """A line's cards in words, the face-down one last."""
    if not line.has_card_down:
        return card_names(line.cards)
    is_told = line.down_card is not None and with_hand
    words = {"card": card_names([line.down_card])} if line.down_card else {}
    down = _("face down: %(card)s") % words if is_told else _("a card face down")
    return ", ".join(filter(None, [card_names(line.cards) if line.cards else "", down]))


def seats_as_text(view: GameView) -> str:
    """Who holds which regions and how many cards, in columns, and which game it is."""
    rows = [
        (
            row.name,
            ", ".join(row.regions) or "–",
            ngettext("%(n)d card", "%(n)d cards", row.hand_size) % {"n": row.hand_size},
            row.to_win if not view.result else "",
            _("Condottiere") if row.is_condottiere else "",
        )
        for row in view.seats
    ]
    return f"{in_columns(rows)}\n\n{game_in_words(view.game.table)}"


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as indented text whose columns stand below each other."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"  {line.rstrip()}" for line in lines)


def _linked_choices(view: GameView, link: str, *, with_cards: bool) -> list[dict[str, Any]]:
    """Each plain choice with its own link; none where there are too many, or some tell of a hidden hand."""
    tells_of_hand = any(choice.names_cards for choice in view.choices)
    if len(view.choices) > MOST_PLAIN_CHOICES or (tells_of_hand and not with_cards):
        return []
    return [_linked(choice, link) for choice in view.choices]


def _linked(choice: Choice, link: str) -> dict[str, Any]:
    query = urlencode({"move": choice.text})
    return {"name": choice.name, "follows": choice.follows, "link": f"{link}confirm/?{query}"}


def shows_hand(letter: Letter) -> bool:
    return letter.to_user is None or letter.to_user.hand_in_letters


def _gathering(letter: Letter) -> Table | None:
    return Table.objects.select_related("host").gathering().filter(pk=letter.about["table"]).first()


def game_of(letter: Letter) -> Game:
    return Game.objects.select_related("table__host").get(pk=letter.about["game"])


def view_of(game: Game, letter: Letter) -> GameView | None:
    """The game as the letter's reader sees it; None when he has no seat in it any more."""
    seats = list(game.table.seats.select_related("user"))
    number = next((seat.number for seat in seats if seat.user_id == letter.to_user_id), None)
    if number is None:
        return None
    return GameView(game, replayed(game), shown_names(seats, letter.to_user), number)


def _table_context(table: Table, reader: User | None) -> dict[str, Any]:
    company = company_at(table, reader)
    return {
        "table": table,
        "host": company.name_of(table.host) if table.host else "",
        "names": company.names,
        "free": len(company.free),
        "page": absolute_url(reverse("table", args=[table.pk])),
    }


def _about_table(template: str, letter: Letter, table: Table, **more: Any) -> Content:
    context = {**_table_context(table, letter.to_user), **more}
    return Content(template, context, f"table-{table.pk}", f"table-{table.pk}", table.name)


def about_game(
    template: str, letter: Letter, view: GameView, images: tuple[InlineImage, ...] = (), **more: Any
) -> Content:
    game = view.game
    context = {
        "table": game.table,
        "game": game,
        "view": view,
        "shows_hand": shows_hand(letter),
        "news": view.news(with_hand=shows_hand(letter)),
        "hand": card_names(view.seen.hand or ()),
        "lines_text": lines_as_text(view, with_hand=shows_hand(letter)),
        "seats_text": seats_as_text(view),
        "page": absolute_url(reverse("game", args=[game.pk])),
        **more,
    }
    return Content(template, context, list_of(game), list_of(game), game.table.name, images)


def end_proposed(letter: Letter) -> Content | None:
    """To the others: somebody proposes to end the game, and what follows if all agree (R49)."""
    game = game_of(letter)
    view = view_of(game, letter)
    seat = game.table.seats.filter(user=letter.to_user_id).first()
    ways = ways_out(game, seat, view.names) if seat and view else None
    if view is None or ways is None or ways.proposal is None or ways.has_agreed:
        return None
    if ways.proposal.pk != letter.about["proposal"]:
        return None
    assert seat is not None
    return about_game("end_proposed", letter, view, ways=ways, link=seat_url(seat))


def seat_changed(letter: Letter) -> Content | None:
    """To the others: somebody's seat is a bot's or another person's from now on (R49)."""
    change = SeatChange.objects.select_related("before", "after").get(pk=letter.about["change"])
    view = view_of(game_of(letter), letter)
    if view is None:
        return None
    return about_game("seat_changed", letter, view, told=told_change(change), is_bot=change.after is None)


def hand_over(letter: Letter) -> Content | None:
    """To an address to which somebody offers his seat in a running game, or the host an absent one (R49)."""
    offers = Invitation.objects.select_related("table__host", "seat__user")
    found = offers.filter(pk=letter.about["invitation"], state=Invitation.State.SENT).first()
    if found is None or found.seat is None or found.seat.user is None:
        return None
    if found.table.state != Table.State.PLAYING:
        return None
    holder = company_at(found.table, letter.to_user).name_of(found.seat.user)
    table, is_away = _table_context(found.table, letter.to_user), bool(found.seat.stand_in)
    context = {
        **table,
        "link": invitation_url(found),
        "holder": holder,
        "is_away": is_away,  # then it is the host who offers
        "offers": table["host"] if is_away else holder,
    }
    return Content("hand_over", context, f"table-{found.table_id}", "invitations", "Invitations")
