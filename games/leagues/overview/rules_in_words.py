"""The rules of a season as its page tells them, matter by matter: what people accept by signing up.

Nothing here changes once the sign-up is open. The same words stand in letters and forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games import talk_terms
from games.articles import Article, articles_of
from games.leagues.models import Season
from games.leagues.overview.course_in_words import after_told, dates_told, late_told, leaving_told
from games.leagues.overview.numbers import as_people_read
from games.leagues.scoring import usual_placement
from games.models import Table

_TIE_BREAKS = {
    "direct": gettext_lazy(
        "The direct result: points per table at the tables where they met, if all of them have met."
    ),
    "wins": gettext_lazy("Victories; a shared one counts for its share."),
    "regions": gettext_lazy("Regions held at the end of games."),
    "strength": gettext_lazy(
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
    """A table of the season, to tell its terms by. It is never saved."""
    return Table(size=season.size, entry=Table.Entry.INVITATION, occasion=str(season.league), **season.terms)


def rules_of(season: Season) -> list[Article]:
    """All rules of the season, what everybody asks first on top."""
    told = [
        Article("meeting", _("Who meets whom"), tuple(_meeting(season))),
        Article("dates", _("Dates"), tuple(dates_told(season))),
        Article("points", _("Points"), tuple(_points(season))),
        Article("ties", _("Equal points"), (_("Of players with equal points, these decide in this order:"),)),
        Article("byes", _("Sitting out"), tuple(_byes(season))),
        Article("late", _("Late tables"), tuple(late_told(season))),
        Article("leaving", _("Who leaves, and who helps"), tuple(leaving_told(season))),
        Article("after", _("After the season"), tuple(after_told(season))),
        *terms_of(season),
    ]
    return [article for article in told if article.sentences]


def terms_of(season: Season) -> list[Article]:
    """What holds at each table of the season."""
    table = table_of(season)
    articles = [article for article in articles_of(table) if article.key != "players"]
    names = talk_terms.anonymity_explained(table)[:1]
    return [*articles, Article("names", _("Who is who"), tuple(names))]


def tie_breaks_of(season: Season) -> list[str]:
    """What decides between equal points, in order; the lot, which always decides, is the last."""
    return [str(_TIE_BREAKS[name]) for name in [*(n for n in season.tie_breaks if n != "lot"), "lot"]]


def points_by_place(season: Season) -> tuple[Fraction, ...]:
    """What each place at a table gives, where places score; else nothing."""
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
    """A place as it is said."""
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
