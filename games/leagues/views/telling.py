"""Telling the organisers something, and answering: by a player, an organiser, or an organiser's link."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.leagues.access import get_organised_concern, get_season
from games.leagues.forms.concern_forms import AnswerForm, ConcernForm
from games.leagues.models import Concern, LeagueTable, Season
from games.leagues.selectors.concern_texts import concern_texts, open_concerns
from games.leagues.selectors.organiser_links import OrganiserLink
from games.leagues.services.concerns import (
    answer_concern,
    deciders_of,
    may_tell,
    no_decider_text,
    tell_organisers,
)
from games.leagues.views.link_page import Button, InvalidForm, LinkPage
from games.leagues.views.organiser_decisions import (
    OrganiserDecision,
    carried_out,
    decides,
    person,
    read_or_send,
    show_form,
)
from games.leagues.views.organiser_desk import desk_of

_SEASON = "season"


@read_or_send
@login_required
def tell(request: HttpRequest, number: int, season: int) -> HttpResponse:
    """Tell the organisers about the season or a table of one's own; 404 for people outside the season."""
    access, found = get_season(request, number, season)
    reader = person(request)
    if not may_tell(found, reader):
        raise Http404
    tables = {str(row.pk): row for row in _tables_of(found, reader)}
    wanted = request.GET.get("table", "")
    start = {"where": wanted if wanted in tables else _SEASON}
    choices = [(_SEASON, _("The season")), *[(key, str(row.game_table.name)) for key, row in tables.items()]]
    form = ConcernForm(request.POST or None, choices={"where": choices}, initial=start)

    def act() -> None:
        given = form.cleaned_data
        table, about = tables.get(given["where"]), Concern.About(given["about"])
        tell_organisers(found, reader, table, about, given["text"])

    if request.method == "POST" and carried_out(form, act):
        messages.success(request, _("You told the organisers. We’ll email you their answer."))
        return redirect("season", number, season)
    table = tables.get(start["where"])
    no_one = "" if deciders_of(found.league, table, reader) else no_decider_text(found.league, table)
    context: dict[str, Any] = {"access": access, "league": found.league, "season": found, "no_one": no_one}
    return show_form(request, "leagues/tell.html", form, **context)


def _tables_of(season: Season, reader: User) -> list[LeagueTable]:
    """Return the tables of the season that have begun, where the reader sits or was seated."""
    own = Q(table__seats__user=reader) | Q(assignments__entry__user=reader)
    rows = LeagueTable.objects.filter(own, round__division__season=season, table__isnull=False)
    return list(rows.select_related("table").distinct().order_by("round__number", "number"))


@decides(get_organised_concern)
def answer(request: HttpRequest, found: Concern) -> OrganiserDecision:
    """Answer what a player told the organisers. Once it's answered, no one reads it here.

    Someone may have become an organiser since.
    """
    told: tuple[str, ...] = (_("An organiser has already answered this."),)
    if found.is_open:
        told = (*concern_texts(found, clock.now()), *_what_follows())
    return OrganiserDecision(
        found.season.league,
        _("Answer a player"),
        told,
        _("Send the answer"),
        _("You answered the player."),
        form=AnswerForm(request.POST or None),
        act=lambda given: answer_concern(
            found, person(request), Concern.Outcome(given["outcome"]), given["answer"]
        ),
        others=tuple(_ways_of(found)),
        back=desk_of(found.season),
    )


def _what_follows() -> tuple[str, ...]:
    return (_("First do what is to be done. Your answer then closes this for all organisers."),)


def _ways_of(concern: Concern) -> list[OrganiserLink]:
    """Return what an organiser can do at the table before answering."""
    if not concern.is_open or concern.table is None or concern.table.table is None:
        return []
    where = [concern.season.league_id, concern.table.pk]
    return [
        OrganiserLink(reverse("table_extend", args=where), _("Extend the table")),
        OrganiserLink(reverse("table_award", args=where), _("Award points")),
    ]


def concern_page(concern: Concern, organiser: User) -> LinkPage:
    """Return the page that an organiser's link opens: what is open, the concern of the link first."""
    waiting = list(open_concerns([concern.season.league_id], organiser))
    one = next((other for other in waiting if other.pk == concern.pk), waiting[0] if waiting else None)
    if one is None:
        return LinkPage(concern.season, _("Players wrote to you"), (_("All of it is answered."),), (), {})
    return LinkPage(
        one.season,
        _("A player wrote to you"),
        (*concern_texts(one, clock.now()), *_what_follows()),
        (Button("answer", _("Send the answer")),),
        {"answer": lambda request: _answer_by_link(request, one, organiser)},
        AnswerForm(),
    )


def _answer_by_link(request: HttpRequest, concern: Concern, organiser: User) -> str:
    form = AnswerForm(request.POST)
    if not form.is_valid():
        raise InvalidForm(form)
    given = form.cleaned_data
    answer_concern(concern, organiser, Concern.Outcome(given["outcome"]), given["answer"])
    return _("You answered the player.")
