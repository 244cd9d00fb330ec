"""After a game: a rematch with the same players, and private notes."""

from __future__ import annotations

import re

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.characters import cut
from accounts.models import User
from games.models import Game, Invitation, Note, Seat, SiteName, Table
from games.models.locking import Refused, locked_game, require_accounts
from games.models.matches import ends_match
from games.services.lobby import confirm, make_table, take_seat
from games.services.table_invitations import invite_person

LONGEST_NAME = 60


@transaction.atomic
def make_rematch(game: Game, user: User) -> Table:
    """Return the table of a finished game's rematch, at which `user`, one of its players, has a seat.

    The first player to ask becomes its host, and the others are invited. Players who ask later get their
    seats. If the rematch was cancelled or closed, the next player to ask creates another.

    Raises Refused if the game still runs, its match goes on, or the rematch has not invited this user. Also
    raises Refused if too many invitations were sent today, or the user's account is closed.
    """
    require_accounts([user])
    game = locked_game(game.pk)
    if not game.is_over:
        raise Refused(_("You can ask for a rematch when the game is over."))
    if game.table.is_match and not ends_match(game):
        raise Refused(_("You can ask for a rematch when the match is over, on the page of its last game."))
    made = Table.objects.filter(rematch_of=game).first()
    if made is None or _was_given_up(made):
        return _make_rematch(game, user)
    if not made.seats.filter(user=user).exists():
        take_seat(made, user, _invitation_of(made, user))
    return made


def _was_given_up(made: Table) -> bool:
    if made.never_began:
        Table.objects.filter(pk=made.pk).update(rematch_of=None)
    return made.never_began


def _invitation_of(table: Table, user: User) -> Invitation:
    invitation = table.invitations.filter(user=user).first()
    if invitation is None:
        raise Refused(_("You are not invited to the rematch."))
    return invitation


def _make_rematch(game: Game, host: User) -> Table:
    """Create the rematch with the same settings and bots, inviting only those who played the game.

    With a bot it is not rated. Against bots alone it begins at once.
    """
    old = game.table
    others = list(old.seats.exclude(user=host).select_related("user"))
    has_bots = any(seat.bot for seat in others)
    table = make_table(
        host,
        name=next_name(old.name),
        size=old.size,
        entry=Table.Entry.INVITATION,
        rematch_of=game,
        **old.agreed_settings | {"is_rated": old.is_rated and not has_bots},
    )
    for number, seat in enumerate((seat for seat in others if seat.bot), start=1):
        Seat.objects.create(table=table, number=number, bot=seat.bot, confirmed_at=clock.now())
    people = [seat.user for seat in others if seat.user is not None and seat.user.is_active]
    for person in sorted(people, key=lambda person: person.email):  # each counts against a shared limit
        invite_person(table, person)
    if table.seats.count() == table.size:
        confirm(table.seats.get(user=host))
    return table


def next_name(name: str) -> str:
    """Return the name of a table's rematch: “Friday”, “Friday (2)”, “Friday (3)”."""
    if isinstance(name, SiteName):
        return SiteName(name.kind, **name.facts | {"repeat": name.facts.get("repeat", 1) + 1})
    counted = re.fullmatch(r"(.*) \((\d{1,3})\)", name)
    base, number = (counted[1], int(counted[2]) + 1) if counted else (name, 2)
    ending = f" ({number})"
    return cut(base, LONGEST_NAME - len(ending)).rstrip() + ending


def write_note(game: Game, user: User, text: str) -> None:
    """Store a player's private note about a game; an empty text deletes it."""
    if text.strip():
        Note.objects.update_or_create(game=game, user=user, defaults={"text": text})
    else:
        Note.objects.filter(game=game, user=user).delete()
