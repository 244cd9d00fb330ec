"""Who is asked for a seat, one after the other. Called under the season's lock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from accounts.models import Block, User
from accounts.post.failing import fails
from accounts.post.outbox import queue
from games.leagues.commands.vacancies import SOUGHT, close, is_needed, season_of, seat_of
from games.leagues.models import Ask, Chair, Entry, Substitute, Vacancy
from games.models import Seat, SeatChange


def ask_somebody(vacancy: Vacancy, now: datetime) -> Ask | None:
    """The next in order is asked, unless somebody has yet to answer. With nobody left an organiser is told.

    Who is being asked for another seat is waited for: nobody is asked twice at once.
    """
    if vacancy.state not in SOUGHT or vacancy.asks.filter(answer=Ask.Answer.OPEN).exists():
        return None
    if not is_needed(vacancy):
        close(vacancy, now)
        return None
    is_anybody_busy = False
    for substitute in list(candidates(vacancy)):
        if _is_held(substitute.user) and not _is_asked(substitute.user):
            return _ask(vacancy, substitute, now)
        is_anybody_busy = True
    if is_anybody_busy:
        _become(vacancy, Vacancy.State.OPEN)
    elif vacancy.state == Vacancy.State.OPEN:
        _give_in(vacancy)
    return None


def candidates(vacancy: Vacancy) -> Iterator[Substitute]:
    """Who may be asked, in order: whoever helps, can be reached by mail, was not asked for this seat before,
    and is welcome there."""
    helping = season_of(vacancy).substitutes.filter(
        stopped_at=None, user__is_active=True, user__deleted_at=None
    )
    free = helping.exclude(asks__vacancy=vacancy).exclude(user__in=_expelled(vacancy))
    lost = fails(free.values_list("user__email", flat=True))
    for substitute in free.exclude(user__email__in=lost).select_related("user").order_by("turn_at", "pk"):
        if may_sit(vacancy, substitute.user):
            yield substitute


def may_sit(vacancy: Vacancy, user: User) -> bool:
    """Whether he neither sits nor has sat at this table, and gets on with everybody there."""
    return not _knows_a_hand(vacancy, user) and not _is_at_odds(vacancy, user)


def _knows_a_hand(vacancy: Vacancy, user: User) -> bool:
    table = vacancy.table
    changes = SeatChange.objects.filter(Q(before=user) | Q(after=user), game__table=table.table_id)
    return (
        Seat.objects.filter(table=table.table_id, user=user).exists()
        or changes.exists()
        or Chair.objects.filter(table=table, entry__user=user).exists()
    )


def _is_at_odds(vacancy: Vacancy, user: User) -> bool:
    """Whether he and somebody who stays do not want to play together; nobody learns which of them."""
    company = Seat.objects.filter(table=vacancy.table.table_id, user__isnull=False)
    others = company.exclude(pk=seat_of(vacancy).pk).values("user")
    return Block.objects.filter(Q(whom=user, by__in=others) | Q(by=user, whom__in=others)).exists()


def _expelled(vacancy: Vacancy) -> QuerySet[Entry]:
    out = Entry.objects.filter(season=season_of(vacancy), state=Entry.State.EXPELLED)
    return out.values("user")  # type: ignore[return-value]


def _is_held(user: User) -> bool:
    """His row, until the transaction ends, so that no other season asks him at this moment. Who is held by
    another is not waited for: he is asked at the next beat."""
    here = User.objects.filter(pk=user.pk, deleted_at=None)
    return bool(here.select_for_update(no_key=True, skip_locked=True))


def _is_asked(user: User) -> bool:
    return Ask.objects.filter(substitute__user=user, answer=Ask.Answer.OPEN).exists()


def _ask(vacancy: Vacancy, substitute: Substitute, now: datetime) -> Ask:
    until = now + timedelta(hours=season_of(vacancy).ask_hours)
    ask = Ask.objects.create(vacancy=vacancy, substitute=substitute, asked_at=now, until=until)
    substitute.turn_at = now
    substitute.save(update_fields=["turn_at"])
    _become(vacancy, Vacancy.State.OPEN)
    queue("league_ask", to=substitute.user, key=f"league_ask:{ask.pk}", about={"ask": ask.pk})
    return ask


def _give_in(vacancy: Vacancy) -> None:
    """Nobody is left to be asked: its organisers are told, each time that the last one has said no."""
    _become(vacancy, Vacancy.State.NOBODY)
    asked = vacancy.asks.count()
    for organiser in season_of(vacancy).league.organisers.select_related("user"):
        key = f"league_vacancy_over:{vacancy.pk}:{asked}:{organiser.user_id}"
        queue("league_vacancy_over", to=organiser.user, key=key, about={"vacancy": vacancy.pk})


def _become(vacancy: Vacancy, state: Vacancy.State) -> None:
    if vacancy.state != state:
        vacancy.state = state
        vacancy.save(update_fields=["state"])
