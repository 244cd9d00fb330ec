"""The current state of seasons, each in one sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import first_in_sentence
from accounts.time_elements import moment_element, with_times
from games.leagues.models import League, LeagueTable, Registration, Season, Standing
from games.leagues.selectors.names_in_leagues import names_in

State = Season.State
_TableCount = tuple[int, int]  # tables that are over, and all that are drawn


@dataclass(frozen=True)
class SeasonInWords:
    """A season and a sentence about its current state."""

    season: Season
    sentence: str


def going_on(leagues: Iterable[League]) -> dict[int, list[SeasonInWords]]:
    """Return the current seasons of each league by primary key, the most advanced first.

    It takes four queries, however many leagues there are. Without a current season it returns the last one.
    """
    by_league: dict[int, list[Season]] = {league.pk: [] for league in leagues}
    for season in _seasons(by_league):
        by_league[season.league_id].append(season)
    shown = {pk: _seasons_to_show(seasons) for pk, seasons in by_league.items()}
    summaries = now_in_words([season for seasons in shown.values() for season in seasons])
    return {
        pk: [SeasonInWords(season, summaries[season.pk]) for season in seasons]
        for pk, seasons in shown.items()
    }


def _seasons(leagues: Collection[int]) -> Iterable[Season]:
    """Return the current seasons and the last season of each league."""
    later = Season.objects.filter(league=OuterRef("league"), number__gt=OuterRef("number"))
    shown = Q(state__in=Season.GOING_ON) | ~Exists(later)
    return Season.objects.filter(shown, league__in=leagues).select_related("league")


def _seasons_to_show(seasons: Iterable[Season]) -> list[Season]:
    """Return the current seasons, the most advanced first, or else the last one."""
    going = [season for season in seasons if season.state in Season.GOING_ON]
    return sorted(going, key=lambda one: Season.GOING_ON.index(State(one.state)), reverse=True) or list(
        seasons
    )


def now_in_words(seasons: Collection[Season]) -> dict[int, str]:
    """Return the current state of each season in words, by primary key, in three queries."""
    taken, played, winners = _count_places(seasons), _count_tables(seasons), winners_of(seasons)
    return {
        season.pk: _summary_of(
            season, taken.get(season.pk, 0), played.get(season.pk), winners.get(season.pk, "")
        )
        for season in seasons
    }


def _count_places(seasons: Collection[Season]) -> dict[int, int]:
    """Return the number of places taken or reserved in each season."""
    counted = Registration.objects.filter(season__in=seasons, state__in=Registration.WITH_PLACE).order_by()
    return {row["season"]: row["n"] for row in counted.values("season").annotate(n=Count("pk"))}


def _count_tables(seasons: Collection[Season]) -> dict[int, _TableCount]:
    """Return how many tables of each season are over, and how many are drawn."""
    tables = LeagueTable.objects.filter(round__division__season__in=seasons).order_by()
    counted = tables.values_list("round__division__season").annotate(Count("collected_at"), Count("pk"))
    return {season: (over, drawn) for season, over, drawn in counted}


def winners(seasons: Collection[Season]) -> dict[int, User]:
    """Return the winner of each closed season: of its final, or else of its highest division."""
    first = Q(division__level=1, place=1) | Q(won_final=True)
    found = Standing.objects.filter(first, division__season__in=seasons).order_by("won_final")
    return {one.entry.season_id: one.entry.user for one in found.select_related("entry__user")}


def winners_of(seasons: Collection[Season]) -> dict[int, str]:
    """Return the names of the winners."""
    won = winners(seasons)
    names = names_in({season.league_id for season in seasons}, won.values())
    return {season: names[user.pk] for season, user in won.items()}


def _summary_of(season: Season, taken: int, played: _TableCount | None, winner: str) -> str:
    words: dict[str, str | int] = {"number": season.number, "taken": taken, "places": season.max_players}
    words |= {
        "free": max(season.max_players - taken, 0),
        "opens": moment_element(season.opens_at),
        "ends": moment_element(season.signup_ends_at),
        "begins": moment_element(season.begins_at),
    }
    match season.state:
        case State.PLANNED:
            # Translators: number is that of a season; opens is a date with a time
            return with_times(_("Sign-up for season %(number)d opens on %(opens)s."), words)
        case State.SIGN_UP:
            return with_times(_sign_up_text(taken, season), words)
        case State.CONFIRMING if season.short_since is not None:
            text = _("Season %(number)d needs more players. Places taken: %(taken)d of %(places)d.")
            return text % words
        case State.CONFIRMING:
            # Translators: begins is a date with a time
            text = _("Players of season %(number)d are confirming their places. It begins on %(begins)s.")
            return with_times(text, words)
        case State.RUNNING:
            return _running_text(played, words)
        case State.CLOSED if winner:
            # Translators: winner is a player's name
            return _("%(winner)s won season %(number)d.") % (words | {"winner": first_in_sentence(winner)})
        case State.CLOSED:
            return _("Season %(number)d has finished.") % words
    return _("Season %(number)d was cancelled.") % words


def _sign_up_text(taken: int, season: Season) -> str:
    if taken >= season.max_players:
        # Translators: ends is a date with a time
        return _("Sign-up for season %(number)d is open until %(ends)s. All places are taken.")
    return _("Sign-up for season %(number)d is open until %(ends)s. Free places: %(free)d of %(places)d.")


def _running_text(played: _TableCount | None, words: dict[str, str | int]) -> str:
    if played is None:
        return _("Season %(number)d is in progress. Its first tables are about to begin.") % words
    over, drawn = played
    # Translators: number is that of a season; over and drawn are numbers of tables
    text = _("Season %(number)d is in progress. Tables over: %(over)d of %(drawn)d.")
    return text % (words | {"over": over, "drawn": drawn})
