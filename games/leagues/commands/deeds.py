"""Writing down what was done in a league, by whom and why, for its people to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from accounts.models import User
from games.leagues.commands.telling import tell
from games.leagues.models import Deed, League, LeagueTable, Round, Season


def write_down(
    kind: Deed.Kind,
    about: League | Season,
    by: User | None,
    *,
    touched: Iterable[User] = (),
    reason: str = "",
    facts: Mapping[str, Any] | None = None,
    round: Round | None = None,  # noqa: A002 - what it is called everywhere else
    table: LeagueTable | None = None,
) -> Deed:
    """A line of the league's log; whom an organiser's deed touches is written to. Part of the caller's
    transaction. `by` is None for what a season does by itself."""
    season = about if isinstance(about, Season) else None
    league = about.league if isinstance(about, Season) else about
    deed = Deed.objects.create(
        league=league,
        season=season,
        kind=kind,
        by=by,
        reason=reason,
        facts=dict(facts or {}),
        round=round,
        table=table,
    )
    people = {person.pk: person for person in touched}
    deed.touched.set(people.values())
    for person in people.values():
        if by is not None and person.pk != by.pk:
            tell("league_deed", to=person, key=f"league_deed:{deed.pk}:{person.pk}", about={"deed": deed.pk})
    return deed
