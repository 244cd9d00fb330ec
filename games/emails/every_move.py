"""The email about every move, for players who want one whenever someone moves."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import name_in_subject
from accounts.mail.subscriptions import is_unsubscribed
from games.emails.battle_end import pictured
from games.emails.game_context import (
    about_position,
    commitment_for,
    game_of,
    shows_hand,
    view_of,
)
from games.links import list_of
from games.models import Table
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.position import Position

MOVES = "moves"  # the list of emails about every move


@email_kind("moved", name=gettext_lazy("Someone moved"))
def moved(email: OutgoingEmail) -> Content | None:
    """Build the email to a player who wants every move: what happened since the last such email.

    Returns None if the reader has a pending decision, because that email says it all. Also returns None if
    they have moved since.
    """
    game = game_of(email)
    view = view_of(game, email)
    if view is None or game.is_over or view.decision_step is not None:
        return None
    news = GameNews(GameLog(view))
    sentences = _sentences(email, news)
    if not sentences:
        return None
    commitment, subject = commitment_for(email, view), _moved_subject(view)
    pictures = pictured(news, sentences)
    content = about_position("moved", email, view, **pictures, subject=subject, commitment=commitment)
    if email.to_user is not None and is_unsubscribed(email.to_user.email, list_of(game)):
        return content  # these are turned off together with the game's other news
    return replace(content, list_id=f"{MOVES}-{game.pk}", list_name=_moves_of(game.pk))


@names_list(MOVES)
def _moves_of(number: int) -> str:
    name = Table.objects.filter(games=number).values_list("name", flat=True).first() or ""
    # Translators: a kind of emails; table is a game's name
    return _("Every move: %(table)s") % {"table": name}


def _sentences(email: OutgoingEmail, news: GameNews) -> list[str]:
    """Return what happened in this email's steps: from its own until the next such email's."""
    following = OutgoingEmail.objects.filter(
        key__startswith=email.key.rpartition(":")[0] + ":", pk__gt=email.pk
    )
    ahead = following.order_by("pk").first()
    steps = [state.step for state in news.log.position.replay.states]
    until = ahead.context["after"] if ahead else steps[-1]
    plies = [ply for ply, step in enumerate(steps[1:]) if email.context["after"] < step <= until]
    return news.sentences_of(plies, with_hand=shows_hand(email))


def _moved_subject(view: Position) -> str:
    # Translators: the subject of an email about others' moves; table is a game's name
    return _("New moves: %(table)s") % {"table": name_in_subject(view.game.table.name)}
