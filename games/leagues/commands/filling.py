"""Seats find somebody, or are left to their bots; an organiser may settle it by himself."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from games.commands import Refused, fill_seat
from games.leagues.commands.asking import may_sit
from games.leagues.commands.deeds import write_down
from games.leagues.commands.locking import locked_season
from games.leagues.commands.people import require_account, require_organiser
from games.leagues.commands.vacancies import (
    SOUGHT,
    close,
    is_needed,
    nobody_is_asked,
    season_number_of,
    seat_of,
    take,
    vacancy_now,
)
from games.leagues.commands.words import cleaned_reason
from games.leagues.models import Ask, Deed, Season, Vacancy
from games.models import Seat


def give_seat(vacancy: Vacancy, user: User, now: datetime) -> None:
    """Somebody's from now on. Raises Refused where the table does not take him."""
    fill_seat(seat_of(vacancy), user)
    take(vacancy, user, now)


@transaction.atomic
def seat_substitute(vacancy: Vacancy, by: User, user: User, reason: str) -> Seat:
    """An organiser gives the seat to somebody who helps, whosever turn it is, or takes it himself.

    Raises Refused for who has not offered to help, has declined this seat or does not fit the table, where
    the seat is not free any more, and as all that organisers do.
    """
    require_account(user)
    season, reason = _ruled(vacancy, by, reason)
    vacancy = vacancy_now(vacancy)
    if vacancy.state not in SOUGHT or not is_needed(vacancy):
        raise Refused(_("Nobody is sought for this seat any more."))
    _require_willing(vacancy, season, by, user)
    vacancy.asks.filter(substitute__user=user, answer__in=(Ask.Answer.OPEN, Ask.Answer.SILENT)).update(
        answer=Ask.Answer.ACCEPTED
    )
    give_seat(vacancy, user, present.now())
    write_down(Deed.Kind.SUBSTITUTED, season, by, touched=[user], reason=reason, table=vacancy.table)
    return seat_of(vacancy)


def _ruled(vacancy: Vacancy, by: User, reason: str) -> tuple[Season, str]:
    season = locked_season(season_number_of(vacancy))
    require_organiser(season.league, by)
    return season, cleaned_reason(reason)


def _require_willing(vacancy: Vacancy, season: Season, by: User, user: User) -> None:
    if user != by and not season.substitutes.filter(user=user, stopped_at=None).exists():
        raise Refused(_("Only who has offered to help can be given a seat."))
    if vacancy.asks.filter(substitute__user=user, answer=Ask.Answer.DECLINED).exists():
        raise Refused(_("This person has declined the seat."))
    if not may_sit(vacancy, user):
        raise Refused(_("This person cannot take a seat at this table."))


@transaction.atomic
def play_on(vacancy: Vacancy, by: User, reason: str) -> None:
    """An organiser leaves the seat to its bot: nobody is sought any more. Twice is once.

    Who stays away may come back all the same. Raises Refused when somebody has taken it, and as all that
    organisers do.
    """
    season, reason = _ruled(vacancy, by, reason)
    vacancy = vacancy_now(vacancy)
    if vacancy.state == Vacancy.State.TAKEN:
        raise Refused(_("Somebody has taken this seat meanwhile."))
    if vacancy.state == Vacancy.State.CLOSED:
        return
    nobody_is_asked(vacancy)
    close(vacancy, present.now())
    touched = [vacancy.left_by] if vacancy.left_by else []
    write_down(Deed.Kind.LEFT_TO_BOT, season, by, touched=touched, reason=reason, table=vacancy.table)
