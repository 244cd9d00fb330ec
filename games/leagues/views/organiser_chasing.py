"""The page on which an organiser reminds people who have not answered or confirmed."""

from __future__ import annotations

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.names import alphabetical
from games.leagues.access import get_assisted_season
from games.leagues.forms.chase_form import ChaseForm
from games.leagues.models import Season
from games.leagues.selectors.organiser_lists import open_answers
from games.leagues.services.chase_times import Chased
from games.leagues.services.chasing import chase, why_not
from games.leagues.services.permissions import is_organiser
from games.leagues.views.organiser_decisions import OrganiserDecision, decides, person
from games.leagues.views.organiser_people import players_of
from games.narration.cast import and_list


@decides(get_assisted_season)
def remind_invited(request: HttpRequest, found: Season) -> OrganiserDecision:
    """Remind everyone invited or with a reserved place who hasn't signed up or declined."""
    return _decision(request, found, Chased.INVITED, _("Remind people who haven’t answered"))


@decides(get_assisted_season)
def remind_silent(request: HttpRequest, found: Season) -> OrganiserDecision:
    """Remind the players who have yet to confirm."""
    return _decision(request, found, Chased.SILENT, _("Remind players who haven’t confirmed"))


def _decision(request: HttpRequest, season: Season, whom: Chased, title: str) -> OrganiserDecision:
    answers = open_answers(season)
    people = answers.not_answered if whom == Chased.INVITED else answers.not_confirmed
    refusal = why_not(season, whom, clock.now())
    return OrganiserDecision(
        season.league,
        title,
        (
            _people_text(people),
            *([refusal] if refusal else ()),
            _("Each gets an email with a link to answer. You can do this once in three days, three times."),
            _("Those who have blocked you get no email."),
        ),
        _("Remind them"),
        _("You reminded them."),
        form=ChaseForm(request.POST or None),
        act=lambda given: chase(season, person(request), whom, given["words"]),
        back=players_of(season) if is_organiser(season.league, person(request)) else "",
    )


def _people_text(people: list[str]) -> str:
    if not people:
        return _("There is no one to remind.")
    # Translators: names is a list of names and email addresses
    text = ngettext("%(n)d person: %(names)s.", "%(n)d people: %(names)s.", len(people))
    return text % {"n": len(people), "names": and_list(sorted(people, key=alphabetical))}
