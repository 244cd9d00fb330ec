"""Players who stay away from tables of a league, and the letters that follow."""

from __future__ import annotations

from django.db import transaction

from accounts import present
from accounts.models import User
from accounts.post.models import Letter
from games import commands
from games.commands.away import stand_in_for
from games.commands.locking import locked_game
from games.commands.record import Progress, write_down
from games.leagues.commands import absence, helping
from games.leagues.models import Ask, LeagueTable, Season, Vacancy
from games.replaying import replayed
from tests.leagues import world


@transaction.atomic
def stay_away(table: LeagueTable, user: User) -> None:
    """He has let the clock answer too often: a bot plays for him from now on."""
    game = locked_game(world.game_at(table))
    stand_in_for(game, world.seat_at(table, user), game.ply, present.now())
    write_down(game, Progress(replayed(game).state), present.now())


def give_up(table: LeagueTable, user: User) -> None:
    """As on the page of the game."""
    commands.give_up(world.seat_at(table, user))


def tick() -> None:
    """What the site does by itself about seats that are left."""
    absence.notice_absences(present.now())
    helping.run_asks(present.now())


def help_in(season: Season, *people: User) -> None:
    for person in people:
        helping.offer_help(season, person)


def asked(vacancy: Vacancy) -> list[User]:
    """Who has been asked for a seat, in order."""
    return [ask.substitute.user for ask in vacancy.asks.select_related("substitute__user")]


def the_ask(user: User) -> Ask:
    """What this person has not answered yet."""
    return Ask.objects.get(substitute__user=user, answer=Ask.Answer.OPEN)


def letters(kind: str) -> list[User | None]:
    """Whom letters of this kind go to, in order."""
    return [letter.to_user for letter in Letter.objects.filter(kind=kind).order_by("pk")]
