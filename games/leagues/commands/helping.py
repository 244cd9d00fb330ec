"""Substitutes: they offer to take seats that others leave, are asked in order, and accept or decline."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from games.commands import Refused
from games.leagues.commands.asking import ask_somebody
from games.leagues.commands.deeds import write_down
from games.leagues.commands.each import for_each
from games.leagues.commands.filling import give_seat, play_on, seat_substitute
from games.leagues.commands.locking import locked_season
from games.leagues.commands.people import require_account, require_welcome
from games.leagues.commands.vacancies import (
    SOUGHT,
    close,
    is_needed,
    season_number_of,
    season_of,
    seat_of,
    vacancy_now,
)
from games.leagues.models import Ask, Deed, Entry, Season, Substitute, Vacancy
from games.models import Seat

__all__ = [
    "OVER",
    "accept",
    "ask_next",
    "decline",
    "offer_help",
    "play_on",
    "run_asks",
    "seat_substitute",
    "stop_helping",
]

OVER = (Season.State.CLOSED, Season.State.CALLED_OFF)


@transaction.atomic
def offer_help(season: Season, user: User) -> Substitute:
    """From now on he is asked for seats that others leave, last of all who help; twice is once. Seats that
    nobody wanted are offered to him at once.

    Raises Refused when the season is over, for whoever was expelled from it or is blocked by an
    organiser, and for a closed account.
    """
    require_account(user)
    season, now = locked_season(season), present.now()
    _require_wanted(season, user)
    substitute, _is_new = season.substitutes.get_or_create(user=user, defaults={"turn_at": now})
    if substitute.stopped_at is not None:
        substitute.stopped_at, substitute.turn_at = None, now
        substitute.save(update_fields=["stopped_at", "turn_at"])
    for vacancy in _unwanted(season):
        ask_somebody(vacancy, now)
    return substitute


def _require_wanted(season: Season, user: User) -> None:
    require_welcome(season.league, user)
    if season.state in OVER:
        raise Refused(_("This season is over: nobody is sought any more."))
    if season.entries.filter(user=user, state=Entry.State.EXPELLED).exists():
        raise Refused(_("You were expelled from this season, and take no seats in it."))


def _unwanted(season: Season) -> list[Vacancy]:
    found = Vacancy.objects.filter(table__round__division__season=season, state=Vacancy.State.NOBODY)
    return [vacancy_now(vacancy) for vacancy in found.order_by("pk")]


@transaction.atomic
def stop_helping(season: Season, user: User) -> None:
    """He is asked no more. Seats he has taken stay his; twice is once."""
    season, now = locked_season(season), present.now()
    stopped = season.substitutes.filter(user=user, stopped_at=None)
    stopped.update(stopped_at=now)
    for ask in Ask.objects.filter(substitute__season=season, substitute__user=user, answer=Ask.Answer.OPEN):
        _answer(ask, Ask.Answer.DECLINED, now)


# Asking


@transaction.atomic
def ask_next(vacancy: Vacancy, now: datetime) -> Ask | None:
    """Ask whoever is next in order, unless an answer is waited for; None if nobody was asked."""
    locked_season(season_number_of(vacancy))
    return ask_somebody(vacancy_now(vacancy), now)


def run_asks(now: datetime) -> int:
    """The tick: who did not answer in time is asked no longer, and where nobody is asked the next one is;
    returns how often either happened."""
    silent = Ask.objects.filter(answer=Ask.Answer.OPEN, until__lte=now).order_by("until", "pk")
    done = for_each(silent, _give_up_waiting, now)
    waiting = Vacancy.objects.filter(state=Vacancy.State.OPEN).exclude(asks__answer=Ask.Answer.OPEN)
    return done + for_each(waiting.order_by("pk"), ask_next, now)


@transaction.atomic
def _give_up_waiting(ask: Ask, now: datetime) -> bool:
    ask = _locked(ask)
    if ask.answer != Ask.Answer.OPEN or ask.until > now:
        return False
    _answer(ask, Ask.Answer.SILENT, now)
    return True


def _answer(ask: Ask, answer: Ask.Answer, now: datetime) -> None:
    """He does not take it; so the next is asked."""
    ask.answer = answer
    ask.save(update_fields=["answer"])
    ask_somebody(vacancy_now(ask.vacancy), now)


def _locked(ask: Ask) -> Ask:
    """The row as it is, under its season's lock."""
    locked_season(Season.objects.values_list("pk", flat=True).get(substitutes__asks=ask.pk))
    return Ask.objects.select_related("vacancy", "substitute__user", "substitute__season").get(pk=ask.pk)


# Answering


@transaction.atomic
def decline(ask: Ask) -> None:
    """He does not take this seat, and the next is asked. Twice is once, and so is too late."""
    ask = _locked(ask)
    if ask.answer == Ask.Answer.ACCEPTED:
        raise Refused(_("You have taken this seat. You can give it up on the page of the game."))
    if ask.answer == Ask.Answer.OPEN:
        _answer(ask, Ask.Answer.DECLINED, present.now())


def accept(ask: Ask) -> Seat:
    """The seat is his: with its hand, its log, the note that was left there, and time as for a new question.

    Twice is once; and who answers too late has it all the same where nobody else is asked. Raises Refused
    when it is not to be had any more: its player is back, another has it, or the game is over.
    """
    refusal = _try_to_accept(ask)
    if refusal:
        raise Refused(refusal)
    return seat_of(Vacancy.objects.select_related("table").get(pk=ask.vacancy_id))


@transaction.atomic
def _try_to_accept(ask: Ask) -> str:
    """Why he cannot have it; "" if he has. What is found out by the way is kept."""
    require_account(ask.substitute.user)
    ask, now = _locked(ask), present.now()
    vacancy = vacancy_now(ask.vacancy)
    if _is_his(ask, vacancy):
        return ""
    if not is_needed(vacancy) and vacancy.state in SOUGHT:
        close(vacancy, now)
    refusal = _why_not(ask, vacancy)
    return refusal or _seat_him(ask, vacancy, now)


def _is_his(ask: Ask, vacancy: Vacancy) -> bool:
    is_taken = vacancy.state == Vacancy.State.TAKEN and vacancy.taken_by_id == ask.substitute.user_id
    return is_taken and seat_of(vacancy).user_id == ask.substitute.user_id


def _why_not(ask: Ask, vacancy: Vacancy) -> str:
    if vacancy.state == Vacancy.State.CLOSED:
        return _("This seat is not free any more: its player is back, or the game is over.")
    if vacancy.state == Vacancy.State.TAKEN:
        return _("Somebody else has taken this seat meanwhile.")
    if ask.substitute.stopped_at is not None:
        return _("You take no seats in this season any more; offer your help again first.")
    if vacancy.asks.filter(answer=Ask.Answer.OPEN).exclude(pk=ask.pk).exists():
        return _("Somebody else has been asked meanwhile. If he declines you may have it.")
    return ""


def _seat_him(ask: Ask, vacancy: Vacancy, now: datetime) -> str:
    """Whom the table does not take, whatever the reason, has declined."""
    try:
        give_seat(vacancy, ask.substitute.user, now)
    except Refused as refused:
        if ask.answer == Ask.Answer.OPEN:
            _answer(ask, Ask.Answer.DECLINED, now)
        return str(refused)
    ask.answer = Ask.Answer.ACCEPTED
    ask.save(update_fields=["answer"])
    write_down(
        Deed.Kind.SUBSTITUTED, season_of(vacancy), None, touched=[ask.substitute.user], table=vacancy.table
    )
    return ""
