"""Names of people in leagues, told apart where they are alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from accounts.look_alikes import skeletons
from accounts.models import User
from games.leagues.models import Registration, Substitute


def names_in(leagues: Collection[int], people: Iterable[User]) -> dict[int, str]:
    """Return people's names by primary key, in one query.

    Names that are shared, or look alike, in these leagues get a number. No one can choose a name that ends
    like that.
    """
    known = {person.pk: person for person in people}
    if not known:
        return {}
    there = Registration.objects.filter(season__league__in=leagues).order_by().values("user")
    helping = Substitute.objects.filter(season__league__in=leagues).order_by().values("user")
    here = User.objects.filter(pk__in=there.union(helping))
    bearers: dict[str, set[int]] = defaultdict(set)
    for person in [*known.values(), *here.only("name", "deleted_at", "owner")]:
        for look in skeletons(person.shown_name):
            bearers[look].add(person.pk)
    return {pk: _unique_name(person, bearers) for pk, person in known.items()}


def name_in(league: int, person: User) -> str:
    """Return one person's name in a league."""
    return names_in([league], [person])[person.pk]


def _unique_name(person: User, bearers: Mapping[str, Collection[int]]) -> str:
    has_namesake = any(len(bearers[look]) > 1 for look in skeletons(person.shown_name))
    return f"{person.shown_name} ({person.pk})" if has_namesake else person.shown_name
