"""Players who stay away from tables of a league, and the emails that follow."""

from __future__ import annotations

from django.db import transaction

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games import services
from games.leagues.models import LeagueTable, OpenSeat, Season, SubstituteOffer
from games.leagues.services import absences, substitute_offers, substitutes
from games.models.locking import locked_game
from games.models.replay import replayed
from games.services.absence import play_for_absent
from games.services.continue_game import continue_game
from games.services.progress import Progress
from tests.leagues import world


@transaction.atomic
def stay_away(table: LeagueTable, user: User) -> None:
    """They have let the clock answer too often: a bot plays for them from now on."""
    game = locked_game(world.game_at(table).pk)
    play_for_absent(game, world.seat_at(table, user), game.ply, clock.now())
    continue_game(game, Progress(replayed(game).state), clock.now())


def give_up(table: LeagueTable, user: User) -> None:
    """As on the page of the game."""
    services.give_up(world.seat_at(table, user))


def tick() -> None:
    """What the site does automatically about seats that are left."""
    absences.notice_absences(clock.now())
    substitute_offers.run_offers(clock.now())


def help_in(season: Season, *people: User) -> None:
    for person in people:
        substitutes.volunteer(season, person)


def asked(open_seat: OpenSeat) -> list[User]:
    """The substitutes who have been asked for a seat, in order."""
    return [ask.substitute.user for ask in open_seat.asks.select_related("substitute__user")]


def the_ask(user: User) -> SubstituteOffer:
    """What this person has not answered yet."""
    return SubstituteOffer.objects.get(substitute__user=user, answer=SubstituteOffer.Answer.OPEN)


def emails(kind: str) -> list[User | None]:
    """The recipients of emails of this kind, in order."""
    return [email.to_user for email in OutgoingEmail.objects.filter(kind=kind).order_by("pk")]
