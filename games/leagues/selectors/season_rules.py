"""The rules of a season as sentences: what follows from its plan, and what players accept."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from accounts.time_elements import day_element, with_times
from games.leagues.models import Season
from games.leagues.scoring.scoring_methods import TieBreak
from games.leagues.selectors.date_rules import date_rules, short_table_warnings, span_rules
from games.leagues.selectors.scoring_rules import bye_rules, points_rules
from games.leagues.selectors.size_rules import (
    divisions_text,
    full_division_rules,
    meetings_text,
    pairing_rules,
    tables_of_each,
)
from games.models import MIN_SEATS, Table
from games.presenters import chat_settings
from games.presenters.settings_text import Setting, settings_of

_TIE_BREAKS = {
    TieBreak.HEAD_TO_HEAD: gettext_lazy(
        "Head to head: points per table at the tables where these players met, if all of them have met."
    ),
    TieBreak.WINS: gettext_lazy("Victories: a shared victory counts for its share."),
    TieBreak.REGIONS: gettext_lazy("Regions held at the end of games."),
    TieBreak.STRENGTH_OF_SCHEDULE: gettext_lazy(
        "Strength of schedule: the average points per table of everyone you met, counted once for each "
        "meeting. Opponents are the players of the division whom the draw put at the same table, including "
        "those who left. Substitutes are no one’s opponents, and a bye is not a table."
    ),
    TieBreak.LOT: gettext_lazy(
        "Lot: players are ordered by HMAC-SHA256, lowest first. Its key is the season’s published seed. Its "
        "message is “condottiere-lot-1 N”, where N is the number of the player’s page."
    ),
}


def outlook(season: Season) -> list[Setting]:
    """Return what follows from a season's plan, in figures. It need not be saved, but must be valid."""
    who = [
        divisions_text(season),
        *tables_of_each(season),
        *full_division_rules(season),
        meetings_text(season),
    ]
    words = {"opens": day_element(season.opens_at), "ends": day_element(season.signup_ends_at)}
    # Translators: opens and ends are dates
    sign_up = with_times(_("Sign-up is open from %(opens)s to %(ends)s."), words)
    when = [sign_up, *span_rules(season), *short_table_warnings(season)]
    return [
        Setting("players", _("Players and tables"), tuple(who)),
        Setting("dates", pgettext("setting", "Dates"), tuple(when)),
        Setting("after", _("After the season"), tuple(after_season_rules(season))),
    ]


def effort(season: Season) -> list[str]:
    """Return what a season asks of its players: its tables, when they begin and how long they last."""
    return [*tables_of_each(season), *span_rules(season)]


def late_table_rules(season: Season) -> Iterator[str]:
    """Yield what happens to a table that is not finished in time."""
    if season.remind_days:
        text = ngettext(
            "%(n)d day before a table’s end, we remind the players whose turn it is there.",
            "%(n)d days before a table’s end, we remind the players whose turn it is there.",
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
            "themselves. A bot’s share is lost."
        ),
        Season.Split.STARTER: _("All points of a seat that changed hands go to the player who began in it."),
        Season.Split.FINISHER: _(
            "All points of a seat that changed hands go to the player who held it last."
        ),
    }[Season.Split(season.split)]
    yield _(
        "What a substitute earns is listed below the standings. It does not change the substitute’s own rank."
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
    yield from _final_rules(season)
    if season.most_divisions > 1 and season.promoted:
        text = ngettext(
            "At the end of the season, %(n)d player moves up from each division, and one moves down.",
            "At the end of the season, %(n)d players move up from each division, and as many move down.",
            season.promoted,
        )
        yield text % {"n": season.promoted}
    elif season.most_divisions > 1 and season.promoted_share:
        yield _(
            "At the end of the season, %(percent)d%% of the smallest division, but at least one player, move "
            "up from each division, and as many move down."
        ) % {"percent": season.promoted_share}
    if season.most_divisions > 1 and (season.promoted or season.promoted_share):
        yield _("Players whom holidays kept from all tables of the season keep their division.")
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
        yield _("Games count for the players’ ratings.")
    else:
        yield _("Games do not count for ratings.")


def _final_rules(season: Season) -> Iterator[str]:
    """Yield who plays the final, and what it decides."""
    if season.final == Season.Final.NONE:
        return
    if season.final == Season.Final.DIVISIONS:
        yield _("After all tables, the first of each division play a final.")
    elif season.size == MIN_SEATS:
        yield _("After all tables, the first two of the highest division play a final.")
    else:
        yield _("After all tables, the first four of the highest division play a final.")
    yield _("It has the days, the time per move and the rules of the other tables. It gives no points.")
    yield _("The first in the standings is the first Condottiere, unless seats are anonymous.")
    waits = ngettext(
        "The final waits for players on holiday for up to %(n)d day. Then the next places play.",
        "The final waits for players on holiday for up to %(n)d days. Then the next places play.",
        season.away_days,
    )
    yield waits % {"n": season.away_days}
    yield _(
        "The player with the best place in the final wins the season. If several share it, the highest of "
        "them in the standings wins. Players who leave during the final can’t win it."
    )
    yield _("With fewer than two players, there is no final.")


def is_restricted(season: Season) -> bool:
    """Return whether not everyone may join the season."""
    return season.joining != Season.Joining.ANYONE or season.min_finished > 0


def joining_rules(season: Season) -> Iterator[str]:
    """Yield who may join the season, apart from those with a reserved place."""
    if season.joining == Season.Joining.REQUEST:
        yield _("People ask to join, and an organiser accepts or declines. Invited people join directly.")
    elif season.joining == Season.Joining.INVITED:
        yield _("Only invited people can sign up.")
    if season.min_finished:
        text = ngettext(
            "Others need to have played at least %(n)d game to the end on this site.",
            "Others need to have played at least %(n)d games to the end on this site.",
            season.min_finished,
        )
        yield text % {"n": season.min_finished}


def _table(season: Season) -> Table:
    """Return an unsaved table of the season, used to describe its settings."""
    return Table(size=season.size, entry=Table.Entry.INVITATION, source=str(season.league), **season.terms)


def rules_of(season: Season) -> list[Setting]:
    """Return all rules of the season, with the most important ones first."""
    ties = _("If players have equal points, these tie-breaks decide, in this order:")
    settings = [
        Setting("meeting", pgettext("setting", "Pairings"), tuple(pairing_rules(season))),
        *(
            [Setting("joining", _("Joining the season"), tuple(joining_rules(season)))]
            if is_restricted(season)
            else []
        ),
        Setting("dates", pgettext("setting", "Dates"), tuple(date_rules(season))),
        Setting("points", pgettext("setting", "Scoring"), tuple(points_rules(season))),
        Setting("ties", pgettext("setting", "Tie-breaks"), (ties,)),
        Setting("byes", pgettext("setting", "Byes"), tuple(bye_rules(season))),
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
    before_lots = [name for name in season.tie_breaks if name != TieBreak.LOT]
    return [str(_TIE_BREAKS[name]) for name in [*before_lots, TieBreak.LOT]]
