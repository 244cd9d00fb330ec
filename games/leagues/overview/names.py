"""What people are called in a league: by their names, and namesakes also by the number of their page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from django.db.models.functions import Lower

from accounts.models import User
from accounts.names import skeletons
from games.leagues.models import Entry, Substitute


def names_in(leagues: Collection[int], people: Iterable[User]) -> dict[int, str]:
    """What each of these people is called, in one query. Anyone with a namesake in these leagues, or whose
    name looks like another of theirs, has a number: no one can choose a name that ends like that."""
    known = {person.pk: person for person in people}
    if not known:
        return {}
    names = {name for person in known.values() for name in (person.name, person.name.lower())}
    there = Entry.objects.filter(season__league__in=leagues).order_by().values("user")
    helping = Substitute.objects.filter(season__league__in=leagues).order_by().values("user")
    here = User.objects.filter(pk__in=there.union(helping))
    namesakes = here.annotate(lower=Lower("name")).filter(lower__in=names)
    bearers: dict[str, set[int]] = defaultdict(set)
    for person in [*known.values(), *namesakes.only("name", "deleted_at")]:
        for look in skeletons(person.shown_name):
            bearers[look].add(person.pk)
    return {pk: _called(person, bearers) for pk, person in known.items()}


def name_in(league: int, person: User) -> str:
    """What one person is called in a league."""
    return names_in([league], [person])[person.pk]


def _called(person: User, bearers: Mapping[str, Collection[int]]) -> str:
    has_namesake = any(len(bearers[look]) > 1 for look in skeletons(person.shown_name))
    return f"{person.shown_name} ({person.pk})" if has_namesake else person.shown_name
