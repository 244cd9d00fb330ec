"""A season in words: its rules, dates and current state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from django.db.models import Count, Exists, Max, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts import times
from accounts.names import first_in_sentence
from games.leagues.models import League, Registration, Round, Season, Standing
from games.leagues.scoring import usual_placement
from games.leagues.selectors.text import as_people_read, names_in
from games.models import Table
from games.presenters import chat_settings
from games.presenters.settings_text import Setting, settings_of


def at(moment: datetime) -> str:
    """Format a date and time in the reader's time zone."""
    return times.moment(moment)


def dates_told(season: Season) -> Iterator[str]:
    """Yield when players sign up, confirm and play."""
    words = {"opens": at(season.opens_at), "ends": at(season.signup_ends_at), "begins": at(season.begins_at)}
    yield _("Sign-up is open from %(opens)s to %(ends)s.") % words
    if season.closes_when_full:
        yield _("It ends at once when all places are taken.")
    yield _confirming(season)
    yield _("The first round begins on %(begins)s.") % words
    yield _least(season)
    yield from _each_round(season)


def _confirming(season: Season) -> str:
    told = ngettext(
        "Then everybody who has a place is asked by email to confirm it, and has %(n)d day to do so. Who "
        "does not loses the place to whoever waits.",
        "Then everybody who has a place is asked by email to confirm it, and has %(n)d days to do so. Who "
        "does not loses the place to whoever waits.",
        season.confirm_days,
    )
    return told % {"n": season.confirm_days}


def _least(season: Season) -> str:
    told = ngettext(
        "With fewer than %(n)d player it does not begin.",
        "With fewer than %(n)d players it does not begin.",
        season.min_players,
    )
    return told % {"n": season.min_players}


def _each_round(season: Season) -> Iterator[str]:
    days = ngettext("A round has %(n)d day.", "A round has %(n)d days.", season.round_days)
    yield days % {"n": season.round_days}
    if season.rounds > 1:
        yield (
            _("The next one begins as soon as the one before is over.")
            if season.begins_early
            else _("The next one begins on its day, or when the one before is over if that is later.")
        )


def late_told(season: Season) -> Iterator[str]:
    """Yield what happens to a table that is not finished in time."""
    if season.remind_days:
        told = ngettext(
            "%(n)d day before a round ends, whoever is asked at a table that still plays is reminded.",
            "%(n)d days before a round ends, whoever is asked at a table that still plays is reminded.",
            season.remind_days,
        )
        yield told % {"n": season.remind_days}
    if season.extension_days:
        told = ngettext(
            "If a table still plays when the round ends, it gets %(n)d day more, once.",
            "If a table still plays when the round ends, it gets %(n)d days more, once.",
            season.extension_days,
        )
        yield told % {"n": season.extension_days}
    yield {
        Season.Late.REGIONS: _(
            "A table that is late even so is adjudicated: the players with most regions win, or nobody, if "
            "nobody holds a region."
        ),
        Season.Late.NOBODY: _("A table that is late even so is adjudicated: nobody wins."),
        Season.Late.ORGANISER: _("At a table that is late even so an organiser decides, with his reason."),
    }[Season.Late(season.late)]
    if season.scoring == Season.Scoring.PLACEMENT:
        yield _("Where nobody wins, all players of the table share the points of all places equally.")


def leaving_told(season: Season) -> Iterator[str]:
    """Yield what happens to a seat that is left, and to its points."""
    yield _(
        "Whoever cannot go on may withdraw at any time. He is marked as withdrawn, and stands after all who "
        "stay."
    )
    yield _(
        "The seat of somebody who leaves or stays away is offered to those who have said that they help, in "
        "their order; until one takes it a bot plays. Whoever takes it gets the hand, the notes left for him "
        "and a whole reserve of time."
    )
    hours = ngettext(
        "Each has %(n)d hour to answer; silence is a no.",
        "Each has %(n)d hours to answer; silence is a no.",
        season.ask_hours,
    )
    yield hours % {"n": season.ask_hours}
    yield {
        Season.Split.SHARE: _(
            "Points of a seat that changed hands are shared by the turns that each held it; "
            "what falls to a bot is lost."
        ),
        Season.Split.STARTER: _("Points of a seat that changed hands all go to whoever began in it."),
        Season.Split.FINISHER: _("Points of a seat that changed hands all go to whoever held it last."),
    }[Season.Split(season.split)]
    yield _("What a helper earns is listed beside the standings, and changes nothing in his own place.")
    if season.fills_gaps:
        yield _("The place of somebody who left goes to whoever waits, from the next round on.")


def after_told(season: Season) -> Iterator[str]:
    """Yield what follows at the end of the season."""
    if season.most_divisions > 1:
        yield from rises_and_falls(season)
    if season.pause_days is not None:
        told = ngettext(
            "Sign-up for the next season opens %(n)d day after the end; until it ends, places are kept for "
            "those who played.",
            "Sign-up for the next season opens %(n)d days after the end; until it ends, places are kept for "
            "those who played.",
            season.pause_days,
        )
        yield told % {"n": season.pause_days}
    if season.is_rated and not season.league.is_private:
        yield _("Games count for the players' ratings.")
    else:
        yield _("Games count for no ratings.")


def moving_told(season: Season, level: int) -> list[str]:
    """Return who is promoted and relegated from a division at the end of the season."""
    told = []
    if level > 1 and season.promoted:
        first = ngettext("The first goes up.", "The first %(n)d go up.", season.promoted)
        told.append(_filled(first, season.promoted))
    if level < season.most_divisions and season.relegated:
        last = ngettext("The last goes down.", "The last %(n)d go down.", season.relegated)
        told.append(_filled(last, season.relegated))
    return told


def _filled(told: str, number: int) -> str:
    """Insert the number into the sentence, if it has a placeholder for it."""
    return told % {"n": number} if "%(n)d" in told else told


def rises_and_falls(season: Season) -> Iterator[str]:
    """Yield how many players of each division are promoted and relegated at the end of the season."""
    for number, told in (
        (
            season.promoted,
            ngettext(
                "The first of each lower division goes up.",
                "The first %(n)d of each lower division go up.",
                season.promoted,
            ),
        ),
        (
            season.relegated,
            ngettext(
                "The last of each higher division goes down.",
                "The last %(n)d of each higher division go down.",
                season.relegated,
            ),
        ),
    ):
        if number:
            yield _filled(told, number)


# # The rules that players accept by signing up. They don't change once the sign-up is open.


_TIE_BREAKS = {
    "head_to_head": gettext_lazy(
        "The direct result: points per table at the tables where they met, if all of them have met."
    ),
    "wins": gettext_lazy("Victories; a shared one counts for its share."),
    "regions": gettext_lazy("Regions held at the end of games."),
    "strength_of_schedule": gettext_lazy(
        "The strength of opponents: the average of their points per table, each as often as met. Opponents "
        "are the players of the division whom the draw seated at the same tables, also those who left; "
        "substitutes are nobody's opponents, and a round sat out is no table."
    ),
    "lot": gettext_lazy(
        "A lot: players stand in ascending order of HMAC-SHA256, its key the season's published seed and its "
        "message “condottiere-lot-1 N”, where N is the number of the player's page."
    ),
}


def table_of(season: Season) -> Table:
    """Return an unsaved table of the season, used to describe its settings."""
    return Table(size=season.size, entry=Table.Entry.INVITATION, source=str(season.league), **season.terms)


def rules_of(season: Season) -> list[Setting]:
    """Return all rules of the season, with the most important ones first."""
    told = [
        Setting("meeting", _("Who meets whom"), tuple(_meeting(season))),
        Setting("dates", _("Dates"), tuple(dates_told(season))),
        Setting("points", _("Points"), tuple(_points(season))),
        Setting("ties", _("Equal points"), (_("Of players with equal points, these decide in this order:"),)),
        Setting("byes", _("Sitting out"), tuple(_byes(season))),
        Setting("late", _("Late tables"), tuple(late_told(season))),
        Setting("leaving", _("Who leaves, and who helps"), tuple(leaving_told(season))),
        Setting("after", _("After the season"), tuple(after_told(season))),
        *terms_of(season),
    ]
    return [article for article in told if article.sentences]


def terms_of(season: Season) -> list[Setting]:
    """Return the settings of each table of the season."""
    table = table_of(season)
    articles = [article for article in settings_of(table) if article.key != "players"]
    names = chat_settings.anonymity_explained(table)[:1]
    return [*articles, Setting("names", _("Who is who"), tuple(names))]


def tie_breaks_of(season: Season) -> list[str]:
    """Return the tie-breaks in order; the lot, which always decides, is last."""
    return [str(_TIE_BREAKS[name]) for name in [*(n for n in season.tie_breaks if n != "lot"), "lot"]]


def points_by_place(season: Season) -> tuple[Fraction, ...]:
    """Return the points of each place at a table; empty if places don't score."""
    if season.scoring != Season.Scoring.PLACEMENT:
        return ()
    return tuple([Fraction(one) for one in season.placement]) or usual_placement(season.size)


def _meeting(season: Season) -> Iterator[str]:
    yield f"{season.get_format_display()}."
    yield _rounds(season)
    yield _divisions(season)
    yield _(
        "Opponents, seats and who begins are shared as evenly as can be, and drawn from a seed that is "
        "published with the draw: anybody can check them."
    )


def _rounds(season: Season) -> str:
    rounds = ngettext("%(n)d round", "%(n)d rounds", season.rounds) % {"n": season.rounds}
    if season.size == 2:
        return _("%(rounds)s; in each everybody plays a duel.") % {"rounds": rounds}
    words = {"rounds": rounds, "n": season.size}
    return _("%(rounds)s; in each everybody plays at one table of %(n)d.") % words


def _divisions(season: Season) -> str:
    words = {"n": season.most_divisions, "size": season.division_size}
    if season.most_divisions == 1:
        return _("One division of up to %(size)d players.") % words
    return _("Up to %(n)d divisions of up to %(size)d players each; A is the highest.") % words


def _points(season: Season) -> Iterator[str]:
    yield {
        Season.Scoring.POINTS: _(
            "Each region held at the end of a game scores 1 point, and a victory by a connected group 5 more "
            "(Playing for Points)."
        ),
        Season.Scoring.PLACEMENT: _placement(season),
        Season.Scoring.WINS: _(
            "A victory scores 1 point, and nothing else scores. Who share it share the point."
        ),
    }[Season.Scoring(season.scoring)]
    if season.scoring == Season.Scoring.PLACEMENT:
        yield _("The winners of a table share the 1st place; if nobody wins, all share it.")
        yield _(
            "The others follow by the regions that they hold at the end. In a match the regions of all its "
            "games are added up, and 5 for each victory by a connected group."
        )
        yield _("Players who share a place share the points of the places that they fill together.")
    yield _("An abandoned table gives nobody points.")


def _placement(season: Season) -> str:
    points = points_by_place(season)
    places = [f"{ordinal(place)}: {as_people_read(one)}" for place, one in enumerate(points, start=1)]
    return _("Each place at a table scores: %(places)s.") % {"places": ", ".join(places)}


def ordinal(place: int) -> str:
    """Return a place as an ordinal."""
    return {
        1: _("1st place"),
        2: _("2nd place"),
        3: _("3rd place"),
        4: _("4th place"),
        5: _("5th place"),
        6: _("6th place"),
    }[place]


def _byes(season: Season) -> Iterator[str]:
    yield _(
        "Where the players of a division do not fill all tables, some sit a round out: first those who have "
        "done so least, and nobody again before everybody has."
    )
    if season.bye_points == Season.ByePoints.AVERAGE:
        yield _(
            "A player who sits a round out scores the average of what all their own tables give them, those "
            "of later rounds too. Without any it is the average of what all seats of the division give, "
            "whoever held them."
        )
        yield _("It counts as soon as that round is over, and changes with each table that is counted later.")
    else:
        yield _("A player who sits a round out scores nothing in it.")


# # Current state in one sentence. A league with no current season shows the winner of its last one.


State = Season.State
GOING_ON = (State.PLANNED, State.SIGN_UP, State.CONFIRMING, State.RUNNING)
WITH_PLACE = (
    Registration.State.EXPECTED,
    Registration.State.SIGNED_UP,
    Registration.State.CONFIRMED,
    Registration.State.PLAYING,
)


@dataclass(frozen=True)
class Now:
    """A season and a sentence about its current state."""

    season: Season
    sentence: str


@dataclass(frozen=True)
class _Playing:
    """The lowest round being played in a season, and when it ends."""

    round: int
    ends_at: datetime


def going_on(leagues: Iterable[League]) -> dict[int, list[Now]]:
    """Return the current seasons of each league by primary key, the most advanced first.

    It takes four queries, however many leagues there are. Without a current season it returns the last one.
    """
    by_league: dict[int, list[Season]] = {league.pk: [] for league in leagues}
    for season in _seasons(by_league):
        by_league[season.league_id].append(season)
    shown = {pk: _shown(seasons) for pk, seasons in by_league.items()}
    told = now_in_words([season for seasons in shown.values() for season in seasons])
    return {pk: [Now(season, told[season.pk]) for season in seasons] for pk, seasons in shown.items()}


def _seasons(leagues: Collection[int]) -> Iterable[Season]:
    """Return the current seasons and the last season of each league."""
    later = Season.objects.filter(league=OuterRef("league"), number__gt=OuterRef("number"))
    shown = Q(state__in=GOING_ON) | ~Exists(later)
    return Season.objects.filter(shown, league__in=leagues).select_related("league")


def _shown(seasons: Iterable[Season]) -> list[Season]:
    """Return the current seasons, the most advanced first, or else the last one."""
    going = [season for season in seasons if season.state in GOING_ON]
    return sorted(going, key=lambda one: GOING_ON.index(State(one.state)), reverse=True) or list(seasons)


def now_in_words(seasons: Collection[Season]) -> dict[int, str]:
    """Return the current state of each season in words, by primary key, in three queries."""
    taken, playing, winners = _taken(seasons), _playing(seasons), winners_of(seasons)
    return {
        season.pk: _told(season, taken.get(season.pk, 0), playing.get(season.pk), winners.get(season.pk, ""))
        for season in seasons
    }


def _taken(seasons: Collection[Season]) -> dict[int, int]:
    """Return the number of places taken or reserved in each season."""
    counted = Registration.objects.filter(season__in=seasons, state__in=WITH_PLACE).order_by()
    return {row["season"]: row["n"] for row in counted.values("season").annotate(n=Count("pk"))}


def _playing(seasons: Collection[Season]) -> dict[int, _Playing]:
    """Return the round being played in each season; the lowest if divisions differ."""
    rounds = Round.objects.filter(division__season__in=seasons, state=Round.State.PLAYING)
    ends = rounds.order_by("-number").values_list("division__season", "number").annotate(Max("ends_at"))
    return {season: _Playing(number, ends_at) for season, number, ends_at in ends}


def winners_of(seasons: Collection[Season]) -> dict[int, str]:
    """Return the winner of the highest division of each closed season."""
    first = Standing.objects.filter(division__season__in=seasons, division__level=1, place=1)
    winners = {one.entry.season_id: one.entry.user for one in first.select_related("entry__user")}
    names = names_in({season.league_id for season in seasons}, winners.values())
    return {season: names[user.pk] for season, user in winners.items()}


def _told(season: Season, taken: int, playing: _Playing | None, winner: str) -> str:
    words: dict[str, object] = {"number": season.number, "taken": taken, "places": season.max_players}
    words |= {
        "free": max(season.max_players - taken, 0),
        "rounds": season.rounds,
        "opens": at(season.opens_at),
        "ends": at(season.signup_ends_at),
        "begins": at(season.begins_at),
    }
    match season.state:
        case State.PLANNED:
            return _("Sign-up for season %(number)d opens on %(opens)s.") % words
        case State.SIGN_UP:
            return _sign_up(taken, season) % words
        case State.CONFIRMING:
            return _("The players of season %(number)d confirm; it begins on %(begins)s.") % words
        case State.RUNNING:
            return _running(playing, words)
        case State.CLOSED if winner:
            return _("%(winner)s won season %(number)d.") % (words | {"winner": first_in_sentence(winner)})
        case State.CLOSED:
            return _("Season %(number)d is over.") % words
    return _("Season %(number)d was called off.") % words


def _sign_up(taken: int, season: Season) -> str:
    if season.short_since is not None:
        return _("Season %(number)d looks for more players: %(taken)d of %(places)d places are taken.")
    if taken >= season.max_players:
        return _("Sign-up for season %(number)d is open until %(ends)s; all places are taken.")
    return _("Sign-up for season %(number)d is open until %(ends)s; %(free)d of %(places)d places are free.")


def _running(playing: _Playing | None, words: dict[str, object]) -> str:
    if playing is None:
        return _("Season %(number)d is being played; the next round is about to begin.") % words
    words |= {"round": playing.round, "until": at(playing.ends_at)}
    return _("Season %(number)d: round %(round)d of %(rounds)d is being played, until %(until)s.") % words
