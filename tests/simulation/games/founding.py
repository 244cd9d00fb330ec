"""How simulated people get tables, and what hosts do there, through the site's services."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random
from uuid import UUID

from accounts.models import User
from games import services
from games.models import Game, Table
from tests.simulation.games.people import HostAction, Person


def enrolled(person: Person) -> User:
    """Make a person's account, with their hours and email preferences."""
    user = furnish(User.objects.get_or_create_proven(person.address, person.name), person)
    user.save()
    return user


def furnish(user: User, person: Person) -> User:
    """Give an account, unsaved, a person's hours and email preferences."""
    user.time_zone = str(person.zone)
    user.frequency, user.every_move = person.frequency, person.every_move
    user.batch_minutes, user.digest_at = person.batch_minutes, person.digest_at
    user.at_once_when_alone = person.at_once_when_alone
    user.days_off, user.reminders = list(person.days_off), list(person.reminders)
    if person.quiet:
        user.quiet_from, user.quiet_until = person.quiet
    return user


def made_table(name: str, seated: Sequence[int], pace: str, rng: Random) -> Table:
    """Make a full table of these accounts, with the first as host; they confirm later."""
    users = User.objects.in_bulk(seated)
    table = services.make_table(
        users[seated[0]],
        name=name,
        size=len(seated),
        entry=Table.Entry.LINK,
        pace=pace,
        time_by=Table.TimeBy.HOST,
        secret=rng.randbytes(32),
        form_key=UUID(bytes=rng.randbytes(16)),
    )
    for pk in seated[1:]:
        services.take_seat(table, users[pk])
    return table


def do_as_host(table: Table, action: HostAction) -> None:
    """Do nothing if the game is not running, or if no pause can end."""
    game = Game.objects.running().filter(table=table).select_related("table__host").first()
    if game is None or game.table.host is None:
        return
    with suppress(services.Refused):
        match action.what:
            case "pause":
                services.host_pauses(game, game.table.host, action.amount)
            case "go on":
                services.host_resumes(game, game.table.host)
            case "more time":
                services.host_gives_time(game, game.table.host, action.amount)
