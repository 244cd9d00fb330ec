"""Who sits with whom in a round that begins, and the tables they are called to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from django.urls import reverse

from accounts.models import User
from games.commands import convene
from games.leagues.models import Bye, Chair, Entry, LeagueTable, Round, Season
from games.leagues.models.leagues import LONGEST_NAME
from games.leagues.reading import division_standings, seated_rounds
from games.leagues.seating import Seated, seat_next
from games.models import SiteName


def players_of(round_: Round) -> list[Entry]:
    """Who plays in this round: whoever is in its division and neither out nor without account."""
    here = round_.division.entries.filter(
        state=Entry.State.PLAYING,
        from_round__lte=round_.number,
        user__is_active=True,
        user__deleted_at=None,
    )
    return list(here.select_related("user").order_by("user_id"))


def hold_players(round_: Round) -> frozenset[int]:
    """Holds their rows, and says whose; called before the season is locked, as deleting an account locks the
    person first."""
    players = [entry.user_id for entry in players_of(round_)]
    here = User.objects.filter(pk__in=players, is_active=True, deleted_at=None).order_by("pk")
    return frozenset([person.pk for person in here.select_for_update(no_key=True)])


def drawn_up(round_: Round, season: Season, players: Collection[int]) -> Seated:
    """The round's tables and byes, by nothing but what the division's file tells (overview.seating_files)."""
    before = [seated for number, seated in seated_rounds(round_.division).items() if number < round_.number]
    scores = None
    if round_.scores is not None:
        scores = {int(player): Fraction(points) for player, points in round_.scores.items()}
    seed, rounds = bytes.fromhex(season.seed), round_.division.rounds.count()
    return seat_next(players, season.size, rounds, seed, before=before, scores=scores)


def scores_before(round_: Round, season: Season, players: Collection[int]) -> dict[str, str] | None:
    """What everybody of the round has so far, as Round.scores keeps it, where tables gather equal scores."""
    if season.format != Season.Format.SWISS:
        return None
    rows = division_standings(round_.division).standings.rows
    return {str(row.player): str(row.points) for row in rows if row.player in players}


def call_together(
    round_: Round, season: Season, seated: Seated, entries: Mapping[int, Entry]
) -> list[LeagueTable]:
    """The tables begin, and who sits out is written down."""
    for player in seated.byes:
        Bye.objects.create(round=round_, entry=entries[player])
    return [
        _call(round_, season, number, [entries[player] for player in table])
        for number, table in enumerate(seated.tables, start=1)
    ]


def _call(round_: Round, season: Season, number: int, company: Sequence[Entry]) -> LeagueTable:
    """Whoever is drawn into which seat at an anonymous table sits there: that is asked of the game."""
    game = convene(
        [entry.user for entry in company],
        occasion=_occasion(round_, season),
        occasion_path=_address(round_, season, number),
        name=_name(round_, season, number),
        **season.terms,
    )
    table = LeagueTable.objects.create(round=round_, number=number, table=game.table)
    by_user = {entry.user_id: entry for entry in company}
    seats = game.table.seats.order_by("number").values_list("number", "user_id")
    Chair.objects.bulk_create(
        [Chair(table=table, position=seat, entry=by_user[user or 0]) for seat, user in seats]
    )
    return table


def _address(round_: Round, season: Season, table: int) -> str:
    """Where a table's part in its league is told."""
    level = round_.division.level
    return reverse("league_table", args=[season.league_id, season.number, level, round_.number, table])


def _occasion(round_: Round, season: Season) -> str:
    where = {"league": season.league.name, "season": season.number, "round": round_.number}
    if season.most_divisions == 1:
        return SiteName("league round", **where)
    return SiteName("round of a division", **where, division=round_.division.letter)


def _name(round_: Round, season: Season, table: int) -> str:
    """What the table is called; the league's name is cut where it would be too long."""
    league = season.league.name
    too_long = len(_named(league, round_, season, table)) - LONGEST_NAME
    if too_long > 0:
        league = league[: len(league) - too_long - 1].rstrip() + "…"
    return _named(league, round_, season, table)


def _named(league: str, round_: Round, season: Season, table: int) -> SiteName:
    where = {"league": league, "round": round_.number, "table": table}
    if season.most_divisions == 1:
        return SiteName("league table", **where)
    return SiteName("table of a division", **where, division=round_.division.letter)
