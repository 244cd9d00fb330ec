"""Tables created by a source such as a league round, which sets the seats and may adjudicate the game."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import clock
from accounts.models import User
from games.models import Game, Seat, Table
from games.models.locking import locked_game, require_accounts
from games.models.matches import last_game
from games.services.absence import PLAYED_BY_BOT
from games.services.game_endings import end_by_table, holding_most_regions, regions_held
from games.services.start import begin_set_game, start_game


@transaction.atomic
def create_scheduled_table(
    people: Sequence[User], *, source: str, source_path: str, bots: int = 0, **terms: Any
) -> Game:
    """Create a table with these users seated in this order, and begin its game at once.

    The first of them is first Condottiere (R2). They have all agreed to the source and so to its settings.

    At an anonymous table, seats and first Condottiere are still drawn at random. `terms` are the table's
    columns. `bots` sit down after the people. Raises Refused if one of the users has closed their account.
    """
    require_accounts(people)
    now = clock.now()
    table = Table.objects.create(
        host=None,
        size=len(people) + bots,
        entry=Table.Entry.INVITATION,
        source=source,
        source_path=source_path,
        **terms,
    )
    for number, person in enumerate(people):
        Seat.objects.create(table=table, number=number, user=person, confirmed_at=now)
    for number in range(len(people), len(people) + bots):
        Seat.objects.create(table=table, number=number, bot=PLAYED_BY_BOT, confirmed_at=now)
    return start_game(table) if table.is_anonymous else begin_set_game(table, 0)


@transaction.atomic
def adjudicate(table: Table, *, with_winner: bool, now: datetime) -> Game | None:
    """End the play at a table whose time is up: the players with most regions win (R20).

    No one wins if no one holds a region or if `with_winner` is false. In a match, most points win (R49).

    Returns the game. Returns None if everything was already over, and between two games of a match: the next
    game must begin first.
    """
    game = last_game(table)
    if game is None:
        return None
    game = locked_game(game.pk)
    table = Table.objects.select_for_update(of=("self",)).get(pk=table.pk)
    if table.state != Table.State.PLAYING or game.is_over:
        return None
    end_by_table(game, Game.Ended.ADJUDICATED, winners_by_adjudication(game, with_winner=with_winner), now)
    return game


def winners_by_adjudication(game: Game, *, with_winner: bool) -> tuple[int, ...]:
    """Return the seats that would win if the game were adjudicated now.

    There is none if no one holds a region or has points from earlier games of the match.
    """
    has_scored = any(game.points_before or ()) or any(regions_held(game))
    return holding_most_regions(game) if with_winner and has_scored else ()
