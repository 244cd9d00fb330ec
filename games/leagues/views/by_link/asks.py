"""A seat for a substitute, by its letter's link: to take it, or to decline."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from games.leagues.commands import helping
from games.leagues.models import Ask, Vacancy
from games.leagues.overview.course_in_words import at
from games.leagues.overview.tables import company_of
from games.leagues.views.by_link.opened import Button, Opened

_MAY_THINK_BETTER = (Ask.Answer.DECLINED, Ask.Answer.SILENT)
_SOUGHT = (Vacancy.State.OPEN, Vacancy.State.NOBODY)


def of_ask(ask: Ask) -> Opened:
    row = ask.vacancy.table
    is_open = ask.answer == Ask.Answer.OPEN
    return Opened(
        row.round.division.season,
        ask.substitute.user,
        _("Do you take a seat?") if is_open else _("A seat you were asked about"),
        tuple(_told_of(ask, {"table": row.table.name, "until": at(ask.until)})),
        tuple(_answers_to(ask)),
        {"accept": lambda request: _taken(ask), "decline": lambda request: _declined(ask)},
    )


def _told_of(ask: Ask, words: dict[str, str]) -> Iterator[str]:
    if ask.answer != Ask.Answer.OPEN:
        yield _("You have been asked to take a seat at “%(table)s”.") % words
        yield _("How it went: %(how)s.") % {"how": _how(ask)}
        return
    yield _("A seat at “%(table)s” needs somebody.") % words
    yield _("Seated there: %(names)s.") % {"names": company_of(ask.vacancy.table)}
    yield _("You get its hand, its log, and time as for a new question.")
    yield _("Please answer by %(until)s; then the next is asked.") % words
    yield _("Taking a seat can never cost you points or rating.")


def _answers_to(ask: Ask) -> Iterator[Button]:
    """Who said no, or nothing in time, may have it all the same while nobody has it."""
    if ask.answer == Ask.Answer.OPEN:
        yield Button("accept", _("Take the seat"))
        yield Button("decline", _("Not this time"), is_quiet=True)
    elif ask.answer in _MAY_THINK_BETTER and ask.vacancy.state in _SOUGHT:
        yield Button("accept", _("Take the seat after all"), is_quiet=True)


def _how(ask: Ask) -> str:
    return {
        Ask.Answer.ACCEPTED: _("you have taken the seat"),
        Ask.Answer.DECLINED: _("you have declined"),
        Ask.Answer.SILENT: _("the time to answer was out, and others were asked"),
        Ask.Answer.NEEDLESS: _("you are not needed any more"),
    }[Ask.Answer(ask.answer)]


def _taken(ask: Ask) -> str:
    helping.accept(ask)
    return _("You have the seat. What it is asked comes to you by letter.")


def _declined(ask: Ask) -> str:
    helping.decline(ask)
    return _("Thank you: the next is asked.")
