"""Emails of a game, built from observations and events: its start, turns and end.

A builder returns None if there is no reason to write any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from accounts.mail.email_content import Content, own_page
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from games.clocks.running_clocks import pace_of
from games.emails.answered_replies import answered_reply
from games.emails.battle_end import map_of, pictured
from games.emails.choices import OfferedChoices, offered_choices
from games.emails.game_context import (
    about_game,
    about_position,
    about_turn,
    commitment_for,
    deadline_for,
    game_of,
    game_without_past,
    goal_for_beginner,
    own_seat,
    shows_hand,
    view_of,
)
from games.links import LinkedDecision, answer_url, chronicle_url, reply_address, seat_url
from games.models import SeatChange, Table
from games.narration.seat_change_words import seat_change_text
from games.narration.text_columns import in_columns
from games.narration.ways_out import ways_out
from games.orders import LISTED
from games.presenters.chronicle import Chronicle
from games.presenters.gains import Gains
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.position import Position
from games.presenters.result import result_section
from games.presenters.seats import players_section
from games.presenters.turning_points import most_telling
from games.replies.commands import Command, first_word
from games.selectors.rematches import rematch_for
from games.services.late_emails import give_time_for_late_email
from games.services.turn_links import TURN_LINK

MOST_TURNING_POINTS = 5
MOST_TOLD = 9  # sentences in a turn email, the latest


@email_kind("started", name=gettext_lazy("A game started"))
def started(email: OutgoingEmail) -> Content | None:
    """Build the email to players who do not move first: the game has begun, with their hand."""
    game = game_of(email)
    view = view_of(game, email)
    if view is None or game.is_over:
        return None
    commitment, hours = commitment_for(email, view), _own_hours_page(email, game.table)
    goal = goal_for_beginner(view)
    return about_position("started", email, view, hours=hours, commitment=commitment, goal=goal)


def _own_hours_page(email: OutgoingEmail, table: Table) -> str:
    """Return the page to choose one's own hours, or an empty string if they do not matter here."""
    is_asked_by_hours = pace_of(table) is not None and table.hours != Table.Hours.ALL
    return own_page(email, "my_hours") if is_asked_by_hours else ""


@email_kind("your_turn", name=gettext_lazy("It’s your turn"), on_outcome=give_time_for_late_email, asks=True)
def your_turn(email: OutgoingEmail) -> Content | None:
    """Build the turn email: the news, the lines, the hand, and a link for each simple choice.

    It answers the reply that led to this turn, if one did.
    """
    view = view_of(game_of(email), email)
    if view is None or view.decision_step is None or view.decision_step != email.context["decision_step"]:
        return None
    table = view.game.table
    if "reply" not in email.context:
        return about_decision("your_turn", email, view, subject=subject_of(table))
    reply = answered_reply(email.context["reply"], view)
    content = about_decision("your_turn", email, view, subject=subject_of_answer(table), reply=reply)
    words = (*content.common_words, *reply.typed)
    return replace(content, answers=reply.message_id, common_words=words)


@email_kind(TURN_LINK, name=gettext_lazy("Your turn’s link"), asks=True)
def turn_link(email: OutgoingEmail) -> Content | None:
    """Build the turn email again for a player who asked for its link. It can't be turned off: they asked."""
    view = view_of(game_of(email), email)
    if view is None or view.decision_step is None or view.decision_step != email.context["decision_step"]:
        return None
    content = about_decision("your_turn", email, view, subject=subject_of(view.game.table))
    return replace(content, list_id=None, stops=None)


def about_decision(template: str, email: OutgoingEmail, view: Position, **more: Any) -> Content:
    """Build an email about the reader's pending decision: the news, and a link for each choice."""
    decision = linked_decision(email, view)
    link = answer_url(decision)
    choices = offered_choices(view, link, with_cards=shows_hand(email))
    more |= {
        "link": link,
        "choices": choices,
        **words_to_reply(choices),
        "deadline": deadline_for(view),
        "goal": goal_for_beginner(view),
        "commitment": commitment_for(email, view),
    }
    news = GameNews(GameLog(view))
    sentences = news.brief(with_hand=shows_hand(email))
    told = pictured(news, sentences[-MOST_TOLD:])
    more["news_left_out"] = max(0, len(sentences) - MOST_TOLD)
    content = about_position(template, email, view, **told, **more)
    return replace(about_turn(email, content), reply_to=reply_address(decision))


def linked_decision(email: OutgoingEmail, view: Position) -> LinkedDecision:
    """Return the view's pending decision, which links and replies to this email answer."""
    assert email.to_user is not None
    assert view.viewer is not None
    assert view.decision_step is not None
    return LinkedDecision(view.game.pk, view.viewer, email.to_user.pk, view.decision_step)


def words_to_reply(choices: OfferedChoices) -> dict[str, Any]:
    """Return what an email tells of replies: the words of two choices, of orders, and how a message begins.

    A pass is the second choice, unless it settles the battle. Orders are named with a card that takes the
    lead; `aside` comes with a pass.
    """
    words = [choice.word for choice in choices.every if choice.word]
    settles = any(choice.is_settling for choice in choices.every)
    card = next((choice.word for choice in choices.every if choice.order and choice.card in LISTED), "")
    has_aside = any(choice.order and not choice.card for choice in choices.every)
    pair = words[:2] if settles else [card or one for one in words[1:2]] + words[:1]
    return {
        "examples": pair if len(words) > 1 else [],
        "hold": f"{card} {first_word(Command.HOLD)}" if card else "",
        "fight_on": f"{card} {first_word(Command.FIGHT_ON)}" if card else "",
        "aside": first_word(Command.ASIDE) if has_aside else "",
        "say": first_word(Command.SAY),
    }


@email_kind("game_over", name=gettext_lazy("A game is over"))
def game_over(email: OutgoingEmail) -> Content | None:
    """Build the email to everyone about the end: result, final map, gains and turning points.

    It links to the game's chronicle, which opens without signing in.
    """
    game = game_of(email)
    view = view_of(game, email)
    if view is None or email.to_user_id is None:
        return None
    news = GameNews(GameLog(view))
    chronicle = Chronicle(news.log, str)
    points = chronicle.turning_points
    more: dict[str, Any] = {
        "result": result_section(view, players_section(view).rows),
        "chronicle": chronicle,
        "you_won": list((game.result or {}).get("winners", ())) == [view.viewer],
        "gains_text": _gains_as_text(chronicle.gains),
        "turns": most_telling(points, MOST_TURNING_POINTS),
        "more_turns": max(0, len(points) - MOST_TURNING_POINTS),
        "link": chronicle_url(game, email.to_user_id),
        "analysis": chronicle_url(game, email.to_user_id, "_analysis") if settings.STRATEGIST else "",
        "record": chronicle_url(game, email.to_user_id, "_record"),
        "proof": chronicle_url(game, email.to_user_id, "_proof"),
        "commitment": game.table.commitment_of(game.number),
        "secret": game.table.secret_of(game.number).hex(),
        "rematch": rematch_for(game, email.to_user) if email.to_user else None,
    }
    return about_game("game_over", email, view, images=(map_of(news),), **more)


def _gains_as_text(gains: Iterable[Gains]) -> str:
    """Return each player's battles won and regions held at the end, in columns."""
    rows = [(_named_as_text(row), row.victories, _held_as_text(row)) for row in gains]
    return in_columns(
        [
            (
                "",
                pgettext("column of a table", "Battles won"),
                pgettext("column of a table, regions", "Holds"),
            ),
            *rows,
        ]
    )


def _named_as_text(row: Gains) -> str:
    won = pgettext("of a player", "won the game")
    return f"{row.name}\n{won}" if row.has_won else row.name


def _held_as_text(row: Gains) -> str:
    return f"{', '.join(row.regions)}\n{row.holding}" if row.regions else row.holding


@email_kind("end_proposed", name=gettext_lazy("Someone proposed to end a game"), asks=True)
def end_proposed(email: OutgoingEmail) -> Content | None:
    """Build the email to the others: a proposal to end the game, and what follows if all agree (R49)."""
    game = game_of(email)
    view = view_of(game, email)
    seat = own_seat(view) if view else None
    ways = ways_out(game, seat, view.names) if seat and view else None
    if view is None or ways is None or ways.proposal is None or ways.has_agreed:
        return None
    if ways.proposal.pk != email.context["proposal"]:
        return None
    assert seat is not None
    return about_position("end_proposed", email, view, ways=ways, link=seat_url(seat))


@email_kind("seat_changed", name=gettext_lazy("A seat changed"))
def seat_changed(email: OutgoingEmail) -> Content | None:
    """Build the email to the others: a bot or another person now has someone's seat (R49)."""
    change = SeatChange.objects.to_tell().get(pk=email.context["change"])
    view = view_of(game_without_past(email), email)
    if view is None:
        return None
    return about_game("seat_changed", email, view, text=seat_change_text(change), is_bot=change.after is None)


def subject_of(table: Table) -> str:
    """Return the subject of all turn emails of a game, so that mail programs keep one conversation."""
    # Translators: the subject of an email; table is a game's name
    return _("Your turn: %(table)s") % {"table": name_in_subject(table.name)}


def subject_of_answer(table: Table) -> str:
    """Return the subject of a turn email, as mail programs write it above a reply."""
    # Translators: the subject of an answer to “Your turn: %(table)s”; it must be the same after “Re: ”
    return _("Re: Your turn: %(table)s") % {"table": name_in_subject(table.name)}
