"""What waits for the organisers of leagues, as the home page lists it; a league's own page lists more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.time_elements import day_element, with_times
from games.leagues.models import League, Organiser
from games.leagues.selectors.concern_texts import concern_task, open_concerns
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.organiser_tasks import OrganiserTask, tasks_in_leagues
from games.leagues.services.vanished_organisers import may_be_removed_at

MOST_ROWS = 20


@dataclass(frozen=True)
class WaitingForOrganiser:
    """A league, what its organiser has to decide or answer there, and where."""

    league: League
    why: str
    url: str


def waiting_for_organiser(reader: User) -> list[WaitingForOrganiser]:
    """Return what waits for this organiser, in one query for everyone who organises no league."""
    staff = list(Organiser.objects.filter(user=reader).select_related("league").order_by("pk"))
    if not staff:
        return []
    leagues = [one.league_id for one in staff]
    tasks = [*_concerns(leagues, reader), *tasks_in_leagues(leagues, clock.now())]
    return [*_questions_whether_here(staff), *map(_row_of, tasks)][:MOST_ROWS]


def _questions_whether_here(staff: Sequence[Organiser]) -> Iterator[WaitingForOrganiser]:
    for one in staff:
        if until := may_be_removed_at(one):
            # Translators: day is a date
            text = _(
                "Another organiser asks whether you still organise this league. From %(day)s on, the others "
                "can remove you as an organiser if you haven’t answered."
            )
            sentence = with_times(text, {"day": day_element(until)})
            yield WaitingForOrganiser(one.league, sentence, _page_of(one.league_id))


def _concerns(leagues: Sequence[int], reader: User) -> Iterator[OrganiserTask]:
    concerns = open_concerns(leagues, reader)[:MOST_ROWS]
    names = names_in(leagues, [one.by for one in concerns])
    return (concern_task(one, names[one.by_id]) for one in concerns)


def _row_of(task: OrganiserTask) -> WaitingForOrganiser:
    """Return the row of a task; where several things can be decided, the league's page lists them."""
    league = task.season.league
    return WaitingForOrganiser(league, task.sentence, _page_of(league.pk) if task.ways else task.url)


def _page_of(league: int) -> str:
    return reverse("organise", args=[league])
