"""The rules and dates of a season as sentences: what follows from its plan, and what players accept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from datetime import timedelta
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from accounts.times import day_element, moment_element, with_times
from games.leagues.models import Season
from games.leagues.results import scoring_rules_of
from games.leagues.seating import LEAST_AT_TABLE, rounds_for_everybody, table_sizes
from games.leagues.selectors.text import as_people_read
from games.models import MAX_SEATS, MIN_SEATS, Table
from games.narration.cast import and_list
from games.presenters import chat_settings
from games.presenters.settings_text import Setting, settings_of
from games.presenters.time_settings import EXPECTED_DAYS


def outlook(season: Season) -> list[Setting]:
    """Return what follows from a season's plan, in figures. It need not be saved, but must be valid."""
    who = [_divisions(season), *tables_of_each(season), *_sizes(season), _meetings(season)]
    words = {"opens": day_element(season.opens_at), "ends": day_element(season.signup_ends_at)}
    # Translators: opens and ends are dates
    sign_up = with_times(_("Sign-up is open from %(opens)s to %(ends)s."), words)
    when = [sign_up, *_span(season), *_short_tables(season)]
    return [
        Setting("players", _("Players and tables"), tuple(who)),
        Setting("dates", pgettext("setting", "Dates"), tuple(when)),
        Setting("after", _("After the season"), tuple(after_season_rules(season))),
    ]


def effort(season: Season) -> list[str]:
    """Return what a season asks of its players: its tables, when they begin and how long they last."""
    return [*tables_of_each(season), *_span(season)]


def _span(season: Season) -> Iterator[str]:
    # Translators: begins is a date
    text = _("The first tables begin on %(begins)s.")
    yield with_times(text, {"begins": day_element(season.begins_at)})
    yield table_days_text(season)
    yield from expected_dates(season)


def _meetings(season: Season) -> str:
    others = season.division_size - 1
    sizes = table_sizes(season.division_size, season.size)
    most = min(others, season.rounds * sum(size * (size - 1) for size in sizes) // season.division_size)
    words = {"most": most, "others": others}
    needed = rounds_for_everybody(season.division_size, season.size)
    if season.format == Season.Format.SWISS:
        return _("Players with similar scores meet, and pairs meet again as rarely as possible.")
    if most == others and season.rounds >= needed:
        text = ngettext(
            "In a full division, everyone meets %(others)d other player: all of them.",
            "In a full division, everyone meets all %(others)d other players.",
            others,
        )
    elif most == others:
        text = ngettext(
            "In a full division, everyone meets nearly all of %(others)d other player.",
            "In a full division, everyone meets nearly all of the %(others)d other players.",
            others,
        )
    else:
        text = ngettext(
            "In a full division, everyone meets about %(most)d of %(others)d other player.",
            "In a full division, everyone meets about %(most)d of the %(others)d other players.",
            others,
        )
    return text % words


def _short_tables(season: Season) -> Iterator[str]:
    """Yield a warning if tables have fewer days than games are likely to take."""
    if not (lengths := game_lengths(season)):
        yield _("There is no time limit per move, so only the end of a table's days ends a slow game.")
    elif lengths[0] > season.table_days:
        yield _("Most games take longer than a table's days, so most would be late. Give tables more days.")
    elif lengths[1] > season.table_days + season.extension_days:
        yield _("Some games take longer than a table's days, so expect some late tables.")


def date_rules(season: Season) -> Iterator[str]:
    """Yield when players sign up, confirm and play."""
    words = {
        "opens": moment_element(season.opens_at),
        "ends": moment_element(season.signup_ends_at),
        "begins": moment_element(season.begins_at),
    }
    # Translators: opens and ends are dates with times
    yield with_times(_("Sign-up is open from %(opens)s to %(ends)s."), words)
    yield _confirming(season)
    yield _("Players who do not confirm are reminded once, and keep their place unless someone waits for it.")
    yield _("In that case, it goes to the first person on the waiting list who has confirmed.")
    # Translators: begins is a date with a time
    yield with_times(_("The first tables begin on %(begins)s."), words)
    yield least_text(season)
    yield table_days_text(season)
    yield _("A table begins as soon as all its players have room for it. A slow table holds up no one else.")
    if season.format == Season.Format.SWISS:
        yield (
            _("A round is drawn when the one before is over.")
            if season.tables_at_once == 1
            else _(
                "A round is drawn when half the tables of the one before are over, and all tables of earlier "
                "rounds."
            )
        )
    if season.state in Season.BEFORE_PLAY:
        yield from expected_dates(season)


def _confirming(season: Season) -> str:
    text = ngettext(
        "After that, we email everyone who signed up. They have %(n)d day to confirm that they play.",
        "After that, we email everyone who signed up. They have %(n)d days to confirm that they play.",
        season.confirm_days,
    )
    return text % {"n": season.confirm_days}


def least_text(season: Season) -> str:
    """Return how many players the season needs."""
    text = ngettext(
        "The season does not begin with fewer than %(n)d player.",
        "The season does not begin with fewer than %(n)d players.",
        season.min_players,
    )
    return text % {"n": season.min_players}


def table_days_text(season: Season) -> str:
    """Return how long a table has."""
    days = ngettext("Each table has %(n)d day.", "Each table has %(n)d days.", season.table_days)
    return days % {"n": season.table_days}


def expected_dates(season: Season) -> Iterator[str]:
    """Yield when the first and the last tables are likely to end, and when they end at the latest."""
    at_once = min(season.tables_at_once, season.rounds, 2 if season.format == Season.Format.SWISS else 20)
    most = season.table_days + season.extension_days
    longest = ceil(season.rounds / at_once) * most
    days = {"latest": longest}
    if median_and_ninety := game_lengths(season):
        median, ninety = (min(one, most) for one in median_and_ninety)
        usual = min(ceil(days_of_all_tables(season.rounds, at_once, median, ninety)), longest)
        days |= {"median": median, "ninety": ninety, "usual": usual}
    words = {name: day_element(season.begins_at + timedelta(days=n)) for name, n in days.items()}
    if median_and_ninety:
        # Translators: median and ninety are dates
        text = _("First tables usually end around %(median)s, and 9 out of 10 by %(ninety)s.")
        yield with_times(text, words)
        # Translators: usual is a date
        yield with_times(_("Half of the players finish their last table by about %(usual)s."), words)
    # Translators: latest is a date
    yield with_times(_("If every table took all its days, the season would end around %(latest)s."), words)


def days_of_all_tables(tables: int, at_once: int, median: float, ninety: float) -> float:
    """Return the days in which half of the players finish all their tables, given those of one game.

    For four tables, this is within about a tenth of what simulated seasons of daily games give.
    """
    later = tables / at_once - 1  # how often all of a player's tables are followed by others
    return median + ninety * (later + (at_once - 1) / 7)


def game_lengths(season: Season) -> tuple[int, int] | None:
    """Return the days in which half of the games at the largest tables end, and 9 out of 10."""
    largest = max(table_sizes(season.division_size, season.size), default=season.size)
    by_seats = EXPECTED_DAYS.get(str(season.terms.get("pace", "")))
    return by_seats[largest] if by_seats else None


def late_table_rules(season: Season) -> Iterator[str]:
    """Yield what happens to a table that is not finished in time."""
    if season.remind_days:
        text = ngettext(
            "%(n)d day before a table's end, we remind the players whose turn it is there.",
            "%(n)d days before a table's end, we remind the players whose turn it is there.",
            season.remind_days,
        )
        yield text % {"n": season.remind_days}
    if season.extension_days:
        yield late_text(season, is_extended=False)
    yield late_text(season, is_extended=True)
    if season.scoring == Season.Scoring.PLACEMENT:
        yield _("If no one wins, all players of the table share the points of all places equally.")


def late_text(season: Season, *, is_extended: bool) -> str:
    """Return what happens to a table that is not finished in time, before or after its extra days."""
    if season.extension_days and not is_extended:
        text = ngettext(
            "If a table is not finished in time, it gets %(n)d more day, once.",
            "If a table is not finished in time, it gets %(n)d more days, once.",
            season.extension_days,
        )
        return text % {"n": season.extension_days}
    return {
        Season.Late.REGIONS: _(
            "A table that is not finished in time is adjudicated: the players with most regions win. If no "
            "one holds a region, no one wins."
        ),
        Season.Late.NOBODY: _("A table that is not finished in time is adjudicated: no one wins."),
        Season.Late.ORGANISER: _(
            "If a table is not finished by then, an organiser decides what happens and gives a reason."
        ),
    }[Season.Late(season.late)]


def leaving_rules(season: Season) -> Iterator[str]:
    """Yield what happens to a seat that is left, and to its points."""
    yield _(
        "Players can withdraw at any time. They are marked as withdrawn and rank below everyone who stays."
    )
    yield _(
        "If a player leaves or is away, we offer the seat to the substitutes in order. A bot plays until one "
        "of them takes it. The substitute gets the hand, the notes left for them and a full reserve of time."
    )
    hours = ngettext(
        "Each substitute has %(n)d hour to answer. No answer counts as a no.",
        "Each substitute has %(n)d hours to answer. No answer counts as a no.",
        season.ask_hours,
    )
    yield hours % {"n": season.ask_hours}
    yield {
        Season.Split.SHARE: _(
            "The points of a seat that changed hands are shared by the turns that each player played "
            "themselves. A bot's share is lost."
        ),
        Season.Split.STARTER: _("All points of a seat that changed hands go to the player who began in it."),
        Season.Split.FINISHER: _(
            "All points of a seat that changed hands go to the player who held it last."
        ),
    }[Season.Split(season.split)]
    yield _(
        "What a substitute earns is listed below the standings. It does not change the substitute's own "
        "place."
    )
    yield _(
        "If a player leaves, the first player on the waiting list takes their seats at tables that have not "
        "begun. If no one waits, those tables play without them."
    )
    waits = ngettext(
        "Tables wait for players on holiday for up to %(n)d day, and then begin without them.",
        "Tables wait for players on holiday for up to %(n)d days, and then begin without them.",
        season.away_days,
    )
    yield waits % {"n": season.away_days}
    yield _("A player can skip their next table until it begins. They get no points for it.")


def after_season_rules(season: Season) -> Iterator[str]:
    """Yield what follows at the end of the season."""
    if season.most_divisions > 1 and season.promoted:
        text = ngettext(
            "At the end of the season, %(n)d player moves up from each division, and one moves down.",
            "At the end of the season, %(n)d players move up from each division, and as many move down.",
            season.promoted,
        )
        yield text % {"n": season.promoted}
    if season.pause_days is None:
        yield _("No next season is planned automatically.")
    elif season.pause_days == 0:
        yield _(
            "Sign-up for the next season opens within a day of the end. Until that sign-up ends, places are "
            "reserved for the players of this season."
        )
    else:
        text = ngettext(
            "Sign-up for the next season opens %(n)d day after the end. Until that sign-up ends, places are "
            "reserved for the players of this season.",
            "Sign-up for the next season opens %(n)d days after the end. Until that sign-up ends, places are "
            "reserved for the players of this season.",
            season.pause_days,
        )
        yield text % {"n": season.pause_days}
    if not season.league.is_private:
        yield _("Games count for the players' ratings.")
    else:
        yield _("Games do not count for ratings.")


def moving_rules(season: Season, level: int) -> list[str]:
    """Return who is promoted and relegated from a division at the end of the season."""
    up = ngettext(
        "At the end of the season, %(n)d player from the top of this division is promoted.",
        "At the end of the season, %(n)d players from the top of this division are promoted.",
        season.promoted,
    )
    down = ngettext(
        "At the end of the season, %(n)d player from the bottom of this division is relegated.",
        "At the end of the season, %(n)d players from the bottom of this division are relegated.",
        season.promoted,
    )
    moves = [*([up] if level > 1 else []), *([down] if level < season.most_divisions else [])]
    return [text % {"n": season.promoted} for text in moves if season.promoted]


_TIE_BREAKS = {
    "head_to_head": gettext_lazy(
        "Head to head: points per table at the tables where these players met, if all of them have met."
    ),
    "wins": gettext_lazy("Victories: a shared victory counts for its share."),
    "regions": gettext_lazy("Regions held at the end of games."),
    "strength_of_schedule": gettext_lazy(
        "Strength of schedule: the average of the opponents' points per table, each opponent as often as "
        "met. Opponents are the players of the division whom the draw put at the same table, including "
        "those who left. Substitutes are no one's opponents, and a bye is not a table."
    ),
    "lot": gettext_lazy(
        "Lot: players are ordered by HMAC-SHA256, lowest first. Its key is the season's published seed. Its "
        "message is “condottiere-lot-1 N”, where N is the number of the player's page."
    ),
}


def _table(season: Season) -> Table:
    """Return an unsaved table of the season, used to describe its settings."""
    return Table(size=season.size, entry=Table.Entry.INVITATION, source=str(season.league), **season.terms)


def rules_of(season: Season) -> list[Setting]:
    """Return all rules of the season, with the most important ones first."""
    ties = _("If players have equal points, these tie-breaks decide, in this order:")
    settings = [
        Setting("meeting", pgettext("setting", "Pairings"), tuple(_meeting(season))),
        Setting("dates", pgettext("setting", "Dates"), tuple(date_rules(season))),
        Setting("points", pgettext("setting", "Scoring"), tuple(_points(season))),
        Setting("ties", pgettext("setting", "Tie-breaks"), (ties,)),
        Setting("byes", pgettext("setting", "Byes"), tuple(_byes(season))),
        Setting("late", _("Late tables"), tuple(late_table_rules(season))),
        Setting("leaving", _("Withdrawals and substitutes"), tuple(leaving_rules(season))),
        Setting("after", _("After the season"), tuple(after_season_rules(season))),
        *_terms(season),
    ]
    return [article for article in settings if article.sentences]


def _terms(season: Season) -> list[Setting]:
    """Return the settings of each table of the season."""
    table = _table(season)
    articles = [article for article in settings_of(table) if article.key != "players"]
    names = chat_settings.anonymity_explained(table)[:1]
    return [*articles, Setting("names", _("Anonymous seats"), tuple(names))]


def tie_breaks_of(season: Season) -> list[str]:
    """Return the tie-breaks in order; the lot, which always decides, is last."""
    return [str(_TIE_BREAKS[name]) for name in [*(n for n in season.tie_breaks if n != "lot"), "lot"]]


def _meeting(season: Season) -> Iterator[str]:
    yield str(Season.Format(season.format).label)
    yield from size_rules(season)
    if season.state in Season.BEFORE_PLAY and season.division_size >= season.size:
        yield _meetings(season)
    yield _(
        "Opponents, seats and the first Condottiere are spread as evenly as possible. They are drawn from a "
        "seed that is published with the draw, so anyone can check them."
    )


def tables_of_each(season: Season) -> Iterator[str]:
    """Yield at how many tables everyone plays."""
    if season.size == MIN_SEATS:
        tables = ngettext("Everyone plays %(n)d duel.", "Everyone plays %(n)d duels.", season.rounds)
    else:
        tables = ngettext("Everyone plays at %(n)d table.", "Everyone plays at %(n)d tables.", season.rounds)
    yield tables % {"n": season.rounds}
    if season.rounds > 1:
        at_once = ngettext(
            "Everyone plays at %(n)d table at a time.",
            "Everyone plays at up to %(n)d tables at a time.",
            season.tables_at_once,
        )
        yield at_once % {"n": season.tables_at_once}


def size_rules(season: Season) -> Iterator[str]:
    """Yield the numbers of divisions, of tables of each player, and of players at a table."""
    yield _divisions(season)
    yield from tables_of_each(season)
    if season.size > MIN_SEATS:
        text = ngettext(
            "A table has %(n)d player. Some have a player more or fewer if that lets everyone play.",
            "A table has %(n)d players. Some have a player more or fewer if that lets everyone play.",
            season.size,
        )
        yield text % {"n": season.size}
    yield from _sizes(season)


def _sizes(season: Season) -> Iterator[str]:
    """Yield the tables of a full division."""
    sizes = table_sizes(season.division_size, season.size)
    if season.size == MIN_SEATS:
        if season.division_size % 2:
            yield _("In a full division, 1 player has a bye in each round, because the number is odd.")
        return
    if sizes:
        # Translators: tables is a list such as "3 tables of 5 and 2 tables of 4"
        text = ngettext(
            "A full division has %(n)d player: %(tables)s.",
            "A full division has %(n)d players: %(tables)s.",
            season.division_size,
        )
        yield text % {"n": season.division_size, "tables": and_list(_counted(sizes))}


def _counted(sizes: Collection[int]) -> list[str]:
    """Return how many tables there are of each size."""
    return [
        # Translators: n is a number of tables, size the number of players at each
        ngettext("%(n)d table of %(size)d", "%(n)d tables of %(size)d", count) % {"n": count, "size": size}
        for size, count in Counter(sizes).items()
    ]


def _divisions(season: Season) -> str:
    if season.most_divisions == 1:
        text = ngettext(
            "There is one division of up to %(size)d player.",
            "There is one division of up to %(size)d players.",
            season.division_size,
        )
    else:
        # Translators: n is a number of divisions, size the number of players in each; A is a division
        text = ngettext(
            "There is up to %(n)d division, with up to %(size)d in each. A is the highest.",
            "There are up to %(n)d divisions, with up to %(size)d in each. A is the highest.",
            season.most_divisions,
        )
    return text % {"n": season.most_divisions, "size": season.division_size}


def _points(season: Season) -> Iterator[str]:
    if season.scoring == Season.Scoring.PLACEMENT:
        yield from _placement(season)
    elif season.scoring == Season.Scoring.POINTS:
        yield _(
            "Each region held at the end of a game scores 1 point. A victory by a connected group scores 5 "
            "more (Playing for Points)."
        )
    else:
        yield _(
            "A victory scores 1 point, and nothing else scores. Players who share a victory share the point."
        )
    yield _("An abandoned table gives no one points.")


def _placement(season: Season) -> Iterator[str]:
    near = (season.size + 1, season.size - 1) if season.size > MIN_SEATS else ()
    for size in (season.size, *[size for size in near if LEAST_AT_TABLE <= size <= MAX_SEATS]):
        # Translators: size is a number of players; places is a list such as "1st place: 6, 2nd place: 3"
        text = _("Points for each place at a table of %(size)d. %(places)s.")
        yield text % {"size": size, "places": _places(season, size)}
    if season.placement and season.size > MIN_SEATS:
        yield _(
            "First and last place give the same points at every table. At tables of other sizes, the places "
            "between are read off the straight lines between the season's points."
        )
    yield _("The winners of a table share 1st place. If no one wins, all players share it.")
    yield _(
        "The other players follow by the regions they hold at the end. In a match, the regions of all its "
        "games are added up, plus 5 for each victory by a connected group."
    )
    yield _("Players who share a place share the points of the places they fill together.")


def _places(season: Season, size: int) -> str:
    points = scoring_rules_of(season).points_by_place(size)
    return ", ".join([f"{ordinal(place)}: {as_people_read(one)}" for place, one in enumerate(points, 1)])


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
    if season.size > MIN_SEATS:
        yield _("If fewer than 3 players are left in a division, they have a bye: they sit the round out.")
    else:
        yield _(
            "If a division has an odd number of players, one of them has a bye in each round: they sit it "
            "out. Byes go first to the players who have had the fewest. No one has a second bye before "
            "everyone has had one."
        )
    if season.bye_points == Season.ByePoints.AVERAGE:
        yield _(
            "A bye scores the average of what all the player's own tables give them, including tables of "
            "later rounds. It never scores more than the average of what all seats of the division give, no "
            "matter who held them. If the player has no table, it scores that."
        )
        yield _(
            "A bye counts as soon as its round is over. It changes with each table that is counted later."
        )
    else:
        yield _("A bye scores no points.")
