"""Who may read a league, and who runs it: every view's first line. What one may not know answers 404."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from accounts.models import User
from games.leagues.models import (
    Division,
    Invitation,
    League,
    LeagueTable,
    OpenSeat,
    Registration,
    Round,
    Season,
    Substitute,
)

_LINKS = "leagues_by_link"  # of the session: the keys of the joining links that were followed in it
_MOST_LINKS = 20


@dataclass(frozen=True)
class LeagueAccess:
    """A way into one league for one reader, who may be nobody."""

    league: League
    user: User | None

    @cached_property
    def is_organiser(self) -> bool:
        """Whether he runs it."""
        return self.user is not None and self.league.organisers.filter(user=self.user).exists()

    @cached_property
    def is_person(self) -> bool:
        """Whether he is one of its people: they read why things were done. Its organisers, whoever was in
        a season or was invited to one, and its substitutes."""
        if self.user is None:
            return False
        return self.is_organiser or _of_its_people(self.user).filter(pk=self.league.pk).exists()


def get_league(request: HttpRequest, number: int) -> LeagueAccess:
    """The reader's door. A private league opens to its people and to whoever followed its joining link in
    this session, signed in. Raises Http404."""
    league = get_object_or_404(League, pk=number)
    access = LeagueAccess(league, _reader(request))
    if league.is_private and not (_came_by_link(request, league) or access.is_person):
        raise Http404
    return access


def get_season(request: HttpRequest, number: int, season: int) -> tuple[LeagueAccess, Season]:
    """The reader's door, and one of the league's seasons by its number. Raises Http404."""
    access = get_league(request, number)
    return access, _season_of(access.league, season)


def get_organised(request: HttpRequest, number: int) -> League:
    """A league that this person runs. Raises Http404."""
    user = _reader(request)
    if user is None:
        raise Http404
    return get_object_or_404(League.objects.organised_by(user), pk=number)


def get_organised_season(request: HttpRequest, number: int, season: int) -> Season:
    """A season, by its number, of a league that this person runs. Raises Http404."""
    return _season_of(get_organised(request, number), season)


def get_organised_round(request: HttpRequest, number: int, pk: int) -> Round:
    """A round of a league that this person runs. Raises Http404."""
    league = get_organised(request, number)
    rounds = Round.objects.select_related("division__season__league")
    return get_object_or_404(rounds, division__season__league=league, pk=pk)


def get_organised_table(request: HttpRequest, number: int, pk: int) -> LeagueTable:
    """A table of a league that this person runs. Raises Http404."""
    league = get_organised(request, number)
    tables = LeagueTable.objects.select_related("round__division__season__league", "table")
    return get_object_or_404(tables, round__division__season__league=league, pk=pk)


def get_organised_registration(request: HttpRequest, number: int, pk: int) -> Registration:
    """Somebody in a season of a league that this person runs. Raises Http404."""
    league = get_organised(request, number)
    entries = Registration.objects.select_related("season__league", "user", "division")
    return get_object_or_404(entries, season__league=league, pk=pk)


def get_organised_division(request: HttpRequest, number: int, pk: int) -> Division:
    """A division of a league that this person runs. Raises Http404."""
    league = get_organised(request, number)
    divisions = Division.objects.select_related("season__league")
    return get_object_or_404(divisions, season__league=league, pk=pk)


def get_organised_open_seat(request: HttpRequest, number: int, pk: int) -> OpenSeat:
    """A seat for which somebody is or was sought, in a league that this person runs. Raises Http404."""
    league = get_organised(request, number)
    seats = OpenSeat.objects.select_related(
        "table__round__division__season__league", "table__table", "left_by"
    )
    return get_object_or_404(seats, table__round__division__season__league=league, pk=pk)


def get_organised_invitation(request: HttpRequest, number: int, pk: int) -> Invitation:
    """An invitation to a season of a league that this person runs. Raises Http404."""
    league = get_organised(request, number)
    invited = Invitation.objects.select_related("season__league")
    return get_object_or_404(invited, season__league=league, pk=pk)


def follow_link(request: HttpRequest, key: str) -> LeagueAccess:
    """The door that a joining link opens to whoever is signed in; this session keeps it. Raises Http404."""
    league = get_object_or_404(League, join_key=key)
    kept = [one for one in request.session.get(_LINKS, []) if one != key]
    request.session[_LINKS] = [*kept, key][-_MOST_LINKS:]
    return LeagueAccess(league, _reader(request))


def readable_leagues(user: User | None) -> QuerySet[League]:
    """The leagues that lists may name to him: the public ones, and those whose people he is one of."""
    public = Q(is_private=False)
    if user is None:
        return League.objects.filter(public)
    of_his = (_of_its_people(user), League.objects.organised_by(user))
    own = Q(pk__in=of_his[0].values("pk")) | Q(pk__in=of_his[1].values("pk"))
    return League.objects.filter(public | own)


def _of_its_people(user: User) -> QuerySet[League]:
    """The leagues in which he was entered or invited, or helps."""
    entered = Registration.objects.filter(user=user).order_by().values("season__league")
    helps = Substitute.objects.filter(user=user).order_by().values("season__league")
    invited = Invitation.objects.filter(email=user.email).exclude(state=Invitation.State.WITHDRAWN).order_by()
    return League.objects.filter(pk__in=entered.union(helps, invited.values("season__league")))


def _season_of(league: League, number: int) -> Season:
    return get_object_or_404(Season.objects.select_related("league"), league=league, number=number)


def _came_by_link(request: HttpRequest, league: League) -> bool:
    return _reader(request) is not None and league.join_key in request.session.get(_LINKS, [])


def _reader(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None
