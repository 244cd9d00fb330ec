"""Access to leagues: who may read one and who runs it. Every view starts here; denied access is a 404."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from accounts.models import User
from games.leagues.models import (
    Concern,
    Division,
    Invitation,
    League,
    LeagueTable,
    OpenSeat,
    Organiser,
    Registration,
    Season,
    Substitute,
)

_LINKS = "leagues_by_link"  # session key: the joining-link keys followed in this session
_MOST_LINKS = 20


@dataclass(frozen=True)
class LeagueAccess:
    """One reader's access to one league; `user` is None for anonymous readers."""

    league: League
    user: User | None

    @cached_property
    def is_organiser(self) -> bool:
        """Whether the reader organises the league."""
        return self.user is not None and self.league.organisers.filter(user=self.user).exists()

    @cached_property
    def is_staff(self) -> bool:
        """Whether the reader organises the league or assists in it."""
        return self.user is not None and Organiser.staff.filter(league=self.league, user=self.user).exists()

    @cached_property
    def is_person(self) -> bool:
        """Whether the reader is one of the league's people, who may read the reasons for events.

        These are its organisers, assistants and substitutes, and everyone who was in a season or invited
        to one.
        """
        if self.user is None:
            return False
        return self.is_staff or _of_its_people(self.user).filter(pk=self.league.pk).exists()


def get_league(request: HttpRequest, number: int) -> LeagueAccess:
    """Return the reader's access to a league. Raises Http404.

    A private league is open to its people.
    It is also open to signed-in users who followed its joining link in this session.
    """
    league = get_object_or_404(League, pk=number)
    access = LeagueAccess(league, _reader(request))
    if league.is_private and not (_came_by_link(request, league) or access.is_person):
        raise Http404
    return access


def get_season(request: HttpRequest, number: int, season: int) -> tuple[LeagueAccess, Season]:
    """Return the reader's access and one of the league's seasons by its number. Raises Http404."""
    access = get_league(request, number)
    return access, _season_of(access.league, season)


def get_organised(request: HttpRequest, number: int) -> League:
    """Return a league that this person organises. Raises Http404."""
    user = _reader(request)
    if user is None:
        raise Http404
    return get_object_or_404(League.objects.organised_by(user), pk=number)


def get_assisted(request: HttpRequest, number: int) -> League:
    """Return a league that this person organises or assists in. Raises Http404."""
    user = _reader(request)
    if user is None:
        raise Http404
    return get_object_or_404(League.objects.assisted_by(user), pk=number)


def get_assisted_season(request: HttpRequest, number: int, season: int) -> Season:
    """Return a season of a league that this person organises or assists in. Raises Http404."""
    return _season_of(get_assisted(request, number), season)


def get_assisted_table(request: HttpRequest, number: int, pk: int) -> LeagueTable:
    """Return a table of a league that this person organises or assists in. Raises Http404."""
    return _table_of(get_assisted(request, number), pk)


def get_assistant(request: HttpRequest, number: int, pk: int) -> Organiser:
    """Return an assistant in a league that this person organises. Raises Http404."""
    league = get_organised(request, number)
    assistants = Organiser.staff.filter(role=Organiser.Role.ASSISTANT).select_related("league", "user")
    return get_object_or_404(assistants, league=league, pk=pk)


def get_other_organiser(request: HttpRequest, number: int, pk: int) -> Organiser:
    """Return another organiser of a league that this person organises. Raises Http404."""
    league = get_organised(request, number)
    others = Organiser.objects.exclude(user=_reader(request)).select_related("league", "user")
    return get_object_or_404(others, league=league, pk=pk)


def get_organised_season(request: HttpRequest, number: int, season: int) -> Season:
    """Return a season, by its number, of a league that this person organises. Raises Http404."""
    return _season_of(get_organised(request, number), season)


def get_organised_table(request: HttpRequest, number: int, pk: int) -> LeagueTable:
    """Return a table of a league that this person organises. Raises Http404."""
    return _table_of(get_organised(request, number), pk)


def get_organised_registration(request: HttpRequest, number: int, pk: int) -> Registration:
    """Return a registration in a league that this person organises. Raises Http404."""
    league = get_organised(request, number)
    entries = Registration.objects.select_related("season__league", "user", "division")
    return get_object_or_404(entries, season__league=league, pk=pk)


def get_organised_division(request: HttpRequest, number: int, pk: int) -> Division:
    """Return a division of a league that this person organises. Raises Http404."""
    league = get_organised(request, number)
    divisions = Division.objects.select_related("season__league")
    return get_object_or_404(divisions, season__league=league, pk=pk)


def get_organised_open_seat(request: HttpRequest, number: int, pk: int) -> OpenSeat:
    """Return an open seat, past or present, of a league that this person organises. Raises Http404."""
    league = get_organised(request, number)
    seats = OpenSeat.objects.select_related(
        "table__round__division__season__league", "table__table", "left_by"
    )
    return get_object_or_404(seats, table__round__division__season__league=league, pk=pk)


def get_organised_concern(request: HttpRequest, number: int, pk: int) -> Concern:
    """Return what a player told this organiser. Raises Http404, also for who sits there.

    Once it's answered, a second click or another organiser reads so in a sentence.
    """
    league, reader = get_organised(request, number), _reader(request)
    assert reader is not None
    concerns = Concern.objects.select_related("season__league", "table__table", "by")
    return get_object_or_404(concerns.readable_to([league.pk], reader), pk=pk)


def get_organised_invitation(request: HttpRequest, number: int, pk: int) -> Invitation:
    """Return an invitation to a season of a league that this person organises. Raises Http404."""
    league = get_organised(request, number)
    invited = Invitation.objects.select_related("season__league")
    return get_object_or_404(invited, season__league=league, pk=pk)


def follow_link(request: HttpRequest, key: str) -> LeagueAccess:
    """Store a joining link in the session and return the access it gives. Raises Http404."""
    league = get_object_or_404(League, join_key=key)
    kept = [one for one in request.session.get(_LINKS, []) if one != key]
    request.session[_LINKS] = [*kept, key][-_MOST_LINKS:]
    return LeagueAccess(league, _reader(request))


def readable_leagues(user: User | None) -> QuerySet[League]:
    """Return the leagues that lists may show this user: public ones, and those they belong to."""
    public = Q(is_private=False)
    if user is None:
        return League.objects.filter(public)
    querysets = (_of_its_people(user), League.objects.assisted_by(user))
    own = Q(pk__in=querysets[0].values("pk")) | Q(pk__in=querysets[1].values("pk"))
    return League.objects.filter(public | own)


def _of_its_people(user: User) -> QuerySet[League]:
    """Return the leagues in which this user was registered, was invited or is a substitute."""
    entered = Registration.objects.filter(user=user).order_by().values("season__league")
    helps = Substitute.objects.filter(user=user).order_by().values("season__league")
    invited = Invitation.objects.filter(email=user.email).exclude(state=Invitation.State.WITHDRAWN).order_by()
    return League.objects.filter(pk__in=entered.union(helps, invited.values("season__league")))


def _season_of(league: League, number: int) -> Season:
    return get_object_or_404(Season.objects.select_related("league"), league=league, number=number)


def _table_of(league: League, pk: int) -> LeagueTable:
    tables = LeagueTable.objects.select_related("round__division__season__league", "table")
    return get_object_or_404(tables, round__division__season__league=league, pk=pk)


def _came_by_link(request: HttpRequest, league: League) -> bool:
    return _reader(request) is not None and league.join_key in request.session.get(_LINKS, [])


def _reader(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None
