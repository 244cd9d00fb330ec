"""What channels get as a league's public news."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from accounts.push.models import TargetNotice
from accounts.push.target_words import TargetText, news_kind
from games.leagues.models import Division, League, LeagueTable, Round, Season
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.league_tables import place_of
from games.leagues.selectors.season_summary import winners_of
from games.leagues.selectors.standings_page import standings_pages
from games.leagues.services.league_news import DRAWN, SEASON_OVER, STANDINGS, TABLE_OVER, WORDS

MOST_PLACES = 5  # of a division, in the week's standings


@news_kind(DRAWN)
def round_drawn(row: TargetNotice) -> TargetText | None:
    """Build the news that a round is drawn."""
    rounds = Round.objects.select_related("division__season__league")
    drawn = rounds.filter(pk=row.context["round"]).first()
    if drawn is None or not _is_organisers(row, drawn.division.season.league):
        return None
    division = drawn.division
    words = _words(division) | {"round": drawn.number}
    if division.season.most_divisions == 1:
        # Translators: league is a league's name
        text = _("%(league)s, season %(season)d: round %(round)d is drawn.") % words
    else:
        # Translators: league is a league's name; division is its letter, such as B
        text = _("%(league)s, season %(season)d, division %(division)s: round %(round)d is drawn.") % words
    season = division.season
    path = reverse("round", args=[season.league_id, season.number, division.level, drawn.number])
    return TargetText(text, path)


@news_kind(TABLE_OVER)
def league_table(row: TargetNotice) -> TargetText | None:
    """Build the news that a table is over; its page says how it ended."""
    tables = LeagueTable.objects.select_related("round__division__season__league")
    over = tables.filter(pk=row.context["table"]).first()
    if over is None or not _is_organisers(row, over.round.division.season.league):
        return None
    division = over.round.division
    words = _words(division) | {"round": over.round.number, "table": over.number}
    if over.round.is_final:
        # Translators: league is a league's name
        text = _("%(league)s, season %(season)d: the final is over.") % words
    elif division.season.most_divisions == 1:
        # Translators: league is a league's name
        text = _("%(league)s, season %(season)d, round %(round)d: table %(table)d is over.") % words
    else:
        # Translators: league is a league's name; division is its letter, such as B
        text = (
            _(
                "%(league)s, season %(season)d, division %(division)s, round %(round)d: "
                "table %(table)d is over."
            )
            % words
        )
    return TargetText(text, reverse("league_table", args=[division.season.league_id, *place_of(over)]))


@news_kind(SEASON_OVER)
def season_over(row: TargetNotice) -> TargetText | None:
    """Build the news that a season is over, and who won it."""
    season = _season(row)
    if season is None:
        return None
    words = {"league": season.league.name, "season": season.number}
    # Translators: league is a league's name
    text = _("%(league)s: season %(season)d has finished.") % words
    winner = winners_of([season]).get(season.pk, "")
    # Translators: name is the player who won the season
    won = _("%(name)s won.") % {"name": first_in_sentence(winner)} if winner else ""
    return TargetText(f"{text} {won}".rstrip(), _path(season))


@news_kind(STANDINGS)
def standings(row: TargetNotice) -> TargetText | None:
    """Build the first places of each division; None before the first result."""
    season = _season(row)
    if season is None or season.state != Season.State.RUNNING:
        return None
    divisions = list(
        Division.objects.filter(season=season).select_related("season__league").order_by("level")
    )
    words = {"league": season.league.name, "season": season.number}
    # Translators: league is a league's name; below are the first places
    lines = [_("%(league)s, season %(season)d, standings of the week:") % words]
    for page in standings_pages(divisions):
        places = [one for one in page.lines if one.place is not None][:MOST_PLACES]
        if places and len(divisions) > 1:
            # Translators: letter is a division's, such as B
            lines.append(_("Division %(letter)s") % {"letter": page.division.letter})
        for line in places:
            place = {"place": line.place, "name": line.name, "points": as_people_read(line.row.points)}
            # Translators: a line of the standings, such as “1. Anna: 12”
            lines.append(_("%(place)d. %(name)s: %(points)s") % place)
    return TargetText("\n".join(lines), _path(season)) if len(lines) > 1 else None


@news_kind(WORDS)
def league_words(row: TargetNotice) -> TargetText | None:
    """Build a message of an organiser."""
    league = League.objects.filter(pk=row.context["league"]).first()
    if league is None or not _is_organisers(row, league):
        return None
    # Translators: name is a league's name, text is what its organiser wrote
    text = _("%(name)s: %(text)s") % {"name": league.name, "text": row.context["text"]}
    return TargetText(text, reverse("league", args=[league.pk]))


def _season(row: TargetNotice) -> Season | None:
    season = Season.objects.select_related("league").filter(pk=row.context["season"]).first()
    return season if season is not None and _is_organisers(row, season.league) else None


def _is_organisers(row: TargetNotice, league: League) -> bool:
    """Return whether the person who added the target still organises the league."""
    return league.organisers.filter(user=row.target.user_id).exists()


def _words(division: Division) -> dict[str, object]:
    season = division.season
    return {"league": season.league.name, "season": season.number, "division": division.letter}


def _path(season: Season) -> str:
    return reverse("season", args=[season.league_id, season.number])
