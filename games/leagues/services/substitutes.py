"""Substitutes volunteer for seats that others leave, or stop doing so."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.leagues.models import OpenSeat, Registration, Season, Substitute, SubstituteOffer
from games.leagues.services.locks import locked_season
from games.leagues.services.open_seats import open_seat_now
from games.leagues.services.permissions import require_account, require_welcome
from games.leagues.services.schedule import reschedule
from games.leagues.services.substitute_offers import offer_seat, pass_on
from games.services import Refused


@transaction.atomic
def volunteer(season: Season, user: User) -> Substitute:
    """Become a substitute, last in the order, and get offers at once for seats no one wanted. Safe to repeat.

    Raises Refused if the season is over or the account is closed.
    Also raises Refused for people who were expelled or are blocked by an organiser.
    """
    require_account(user)
    season, now = locked_season(season), clock.now()
    _require_wanted(season, user)
    substitute, _is_new = season.substitutes.get_or_create(user=user, defaults={"turn_at": now})
    if substitute.stopped_at is not None:
        substitute.stopped_at, substitute.turn_at = None, now
        substitute.save(update_fields=["stopped_at", "turn_at"])
    for open_seat in _unwanted(season):
        offer_seat(open_seat, now)
    reschedule(season)  # players who missed a table may now get one
    return substitute


def _require_wanted(season: Season, user: User) -> None:
    require_welcome(season.league, user)
    if season.state in Season.OVER:
        raise Refused(_("This season has ended. It no longer needs substitutes."))
    if season.entries.filter(user=user, state=Registration.State.EXPELLED).exists():
        raise Refused(_("You were expelled from this season, so you can’t be a substitute in it."))


def _unwanted(season: Season) -> list[OpenSeat]:
    found = OpenSeat.objects.filter(table__round__division__season=season, state=OpenSeat.State.NOBODY)
    return [open_seat_now(open_seat) for open_seat in found.order_by("pk")]


@transaction.atomic
def stop_volunteering(season: Season, user: User) -> None:
    """Stop being asked. Seats already taken stay with the substitute. Safe to repeat."""
    season, now = locked_season(season), clock.now()
    stopped = season.substitutes.filter(user=user, stopped_at=None)
    stopped.update(stopped_at=now)
    for ask in SubstituteOffer.objects.filter(
        substitute__season=season, substitute__user=user, answer=SubstituteOffer.Answer.OPEN
    ):
        pass_on(ask, SubstituteOffer.Answer.DECLINED, now)
    reschedule(season)
