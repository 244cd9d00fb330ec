"""The people that a person has played with, and their groups: whom they can invite without an address.

Nothing here depends on what others do in running games, and no one is listed whose name was never shown.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, Max, OuterRef, Prefetch, Q, QuerySet

from accounts.bots import bots_of
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import Unsubscription
from accounts.models import Block, User
from games.models import PlayerGroup, Seat, Table

MOST_LISTED = 24
RECENT_TABLES = 200  # whose players are looked up


@dataclass(frozen=True)
class KnownPeople:
    """The people and groups that a person can invite by name: their bots, then those last played with."""

    people: tuple[User, ...] = ()
    groups: tuple[PlayerGroup, ...] = ()  # with only those members who can be invited, prefetched


def known_people(user: User, muted: Collection[int] = ()) -> KnownPeople:
    """Return whom this user can invite by name; `muted` are people whose messages they don't want to read.

    People who block the user are among them, because no one may know. Their invitations stay hidden.
    """
    invitable = _invitable(user, muted)
    groups = PlayerGroup.objects.filter(owner=user)
    groups = groups.prefetch_related(Prefetch("members", invitable.order_by("name", "pk")))
    fellows = fellow_players(user).exclude(owner=user).filter(pk__in=invitable.values("pk"))[:MOST_LISTED]
    return KnownPeople(
        (*bots_of(user).filter(is_active=True), *fellows),
        tuple(group for group in groups if group.members.all()),
    )


def fellow_players(user: User) -> QuerySet[User]:
    """Return the people whom this user has played with under their names, the latest first."""
    named = Q(table__is_anonymous=False, table__state=Table.State.PLAYING) | Q(
        table__state=Table.State.FINISHED
    )
    mine = Seat.objects.filter(named, user=user, table__practice_key=None).order_by("-table")
    return (
        User.objects.filter(seats__table__in=mine.values("table")[:RECENT_TABLES], is_active=True)
        .exclude(pk=user.pk)
        .annotate(last_played=Max("seats__table__games__started_at"))
        .order_by("-last_played", "pk")
    )


def groups_of(user: User) -> list[PlayerGroup]:
    """Return the user's groups by name, with the members whose accounts are not closed."""
    members = User.objects.filter(is_active=True).order_by("name", "pk")
    return list(PlayerGroup.objects.filter(owner=user).prefetch_related(Prefetch("members", members)))


def _invitable(user: User, muted: Collection[int]) -> QuerySet[User]:
    """Return people with open accounts who take invitations, and whom the user neither blocks nor mutes."""
    blocked = Block.objects.filter(by=user, whom=OuterRef("pk"))
    refusing = Unsubscription.objects.filter(address=OuterRef("email"), list_id=INVITATIONS)
    return (
        User.objects.filter(~Exists(blocked), ~Exists(refusing), is_active=True)
        .exclude(pk=user.pk)
        .exclude(pk__in=muted)
    )
