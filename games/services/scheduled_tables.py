"""Tables that are part of something larger, such as a league's round: who called them says who sits where,
and in the end, if need be, how they end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.models import Game, Seat, Table
from games.models.locking import Refused, locked_game
from games.models.matches import last_game
from games.services.moves import end_by_table, holding_most_regions, regions_held
from games.services.start import begin_set_game, start_game


@transaction.atomic
def create_scheduled_table(people: Sequence[User], *, source: str, source_path: str, **terms: Any) -> Game:
    """A table at which these people sit in this order, the first of them as first Condottiere (R2), and whose
    game begins at once: they have all agreed to the source, whose terms these are.

    At an anonymous table seats and first Condottiere are drawn all the same. `terms` are the table's
    columns. Raises Refused if one of them has closed his account.
    """
    _require_accounts(people)
    now = clock.now()
    table = Table.objects.create(
        host=None,
        size=len(people),
        entry=Table.Entry.INVITATION,
        source=source,
        source_path=source_path,
        **terms,
    )
    for number, person in enumerate(people):
        Seat.objects.create(table=table, number=number, user=person, confirmed_at=now)
    return start_game(table) if table.is_anonymous else begin_set_game(table, 0)


def _require_accounts(people: Sequence[User]) -> None:
    """Held until the transaction ends, as deleting an account locks the person first."""
    asked = [person.pk for person in people]
    here = User.objects.filter(pk__in=asked, is_active=True, deleted_at=None).order_by("pk")
    found = {person.pk for person in here.select_for_update(no_key=True)}
    gone = [person.shown_name for person in people if person.pk not in found]
    if gone:
        raise Refused(_("This account is closed: it takes no seat."))


@transaction.atomic
def adjudicate(table: Table, *, with_winner: bool, now: datetime) -> Game | None:
    """End what is played at a table whose time is out: the players with most regions win (R20), or nobody
    does. Nobody wins where nobody holds a region.

    In a match most points win then (R49). Returns the game; None when all was over already, and between two
    games of a match: the next has to begin first.
    """
    game = last_game(table)
    if game is None:
        return None
    game = locked_game(game)
    table = Table.objects.select_for_update(of=("self",)).get(pk=table.pk)
    if table.state != Table.State.PLAYING or game.is_over:
        return None
    has_winner = with_winner and _has_scored(game)
    end_by_table(game, Game.Ended.ADJUDICATED, holding_most_regions(game) if has_winner else (), now)
    return game


def _has_scored(game: Game) -> bool:
    """Whether anybody holds a region, or has points from earlier games of the match."""
    return any(game.points_before or ()) or any(regions_held(game))
