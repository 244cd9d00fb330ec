"""Letters that ask somebody to decide, and that tell what an organiser has decided."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import present
from accounts.post.content import Content
from accounts.post.models import Letter
from games.leagues.letters.parts import Action, about, at, season_of, to_organise
from games.leagues.links import ask_url
from games.leagues.models import Ask, Deed, Vacancy
from games.leagues.needs import needs_of
from games.leagues.overview.log import lines_of
from games.leagues.overview.tables import company_of


def league_ask(letter: Letter) -> Content | None:
    """To a substitute: a seat needs somebody; does he take it?"""
    asked = Ask.objects.select_related(
        "substitute__user", "vacancy__table__table", "vacancy__table__round__division__season__league"
    )
    ask = asked.get(pk=letter.about["ask"])
    if ask.answer != Ask.Answer.OPEN:
        return None
    row = ask.vacancy.table
    words = {"table": row.table.name, "until": at(ask.until)}
    told = [
        _("A seat at “%(table)s” needs somebody, and it is your turn to be asked.") % words,
        _("Seated there: %(names)s.") % {"names": company_of(row)},
        _("You get its hand, its log and time anew. Taking it can never cost you points or rating."),
        _("Please answer by %(until)s; then the next is asked.") % words,
    ]
    return about(
        letter,
        row.round.division.season,
        _("Do you take a seat?"),
        told,
        Action(_("See the seat, take it or decline"), ask_url(ask)),
    )


def league_vacancy_over(letter: Letter) -> Content | None:
    """To its organisers: nobody would take a seat."""
    found = Vacancy.objects.select_related("table__table", "table__round__division__season__league")
    vacancy = found.get(pk=letter.about["vacancy"])
    if vacancy.state != Vacancy.State.NOBODY:
        return None
    season = vacancy.table.round.division.season
    told = [
        _("No substitute takes the free seat at “%(table)s”; a bot plays there.")
        % {"table": vacancy.table.table.name},
        _("You can give it to somebody, or leave it to the bot."),
    ]
    return about(letter, season, _("A seat finds nobody"), told, to_organise(season))


def league_needs(letter: Letter) -> Content | None:
    """To its organisers: what needs them now; nothing, once it is decided."""
    season = season_of(letter.about["season"])
    told = [need.sentence for need in needs_of(season.league, present.now())]
    return about(letter, season, _("A decision is needed"), told, to_organise(season)) if told else None


def league_deed(letter: Letter) -> Content | None:
    """To somebody whom a deed of an organiser touches: what was done, and why."""
    deeds = Deed.objects.select_related(
        "league", "season__league", "by", "table__round__division", "round__division"
    )
    deed = deeds.get(pk=letter.about["deed"])
    where = deed.season or deed.league
    told = [_told_deed(deed), _("The reason given: %(reason)s") % {"reason": deed.reason}]
    log = Action(_("Open the log of the league"), reverse("league_log", args=[deed.league_id]))
    return about(
        letter, where, _("An organiser has decided something"), told if deed.reason else told[:1], log
    )


def _told_deed(deed: Deed) -> str:
    """What was done, by whom, to whom and where, as the log has it."""
    (line,) = lines_of([deed], with_reasons=False)
    return f"{line.who} {line.told} ({line.where})." if line.where else f"{line.who} {line.told}."
