"""What players told the organisers, in words, for the organisers who decide about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import first_in_sentence
from games.leagues.models import Concern, League, LeagueTable, Season
from games.leagues.selectors.desk import DeskRow
from games.leagues.selectors.league_tables import table_view
from games.leagues.selectors.names_in_leagues import name_in
from games.leagues.selectors.organiser_tasks import OrganiserTask


def open_concerns(leagues: Collection[int], reader: User) -> QuerySet[Concern]:
    """Return what is open in these leagues and their organiser decides about, oldest first."""
    found = Concern.objects.to_decide(leagues, reader).order_by("pk")
    return found.select_related("season__league", "table__table", "table__round__division__season", "by")


def told_text(concern: Concern, name: str = "") -> str:
    """Return who told what about which table, as a sentence. Without the name, it's read."""
    words = {
        "name": first_in_sentence(name or name_in(concern.season.league_id, concern.by)),
        "season": concern.season.number,
        "table": concern.table.game_table.name if concern.table and concern.table.table else "",
    }
    if not words["table"]:
        # Translators: name is a player
        return _("%(name)s wrote to you about season %(season)d.") % words
    # Translators: name is a player; table is a table's name, such as "Autumn League: round 1, table 2"
    return _("%(name)s wrote to you about “%(table)s”.") % words


def concern_texts(concern: Concern, now: datetime) -> list[str]:
    """Return what a player wrote, its subject, and how the table stands as spectators may know it."""
    line = list(table_line(concern.table, now)) if concern.table else []
    return [told_text(concern), f"{concern.get_about_display()}:", *paragraphs_of(concern.text), *line]


def table_line(row: LeagueTable, now: datetime) -> Iterable[str]:
    """Return whose turn it is at a table, since when and until when, as on the desk."""
    view = table_view(row)
    return DeskRow(view, now).waiting or [view.state]


class Quoted(str):
    """A paragraph that a person wrote: set off, so that it can't pass for the site's own words."""

    __slots__ = ()
    is_quoted = True


def paragraphs_of(text: str) -> list[str]:
    """Return the paragraphs of a text that a person wrote, as quotations."""
    return [Quoted(line.strip()) for line in text.split("\n") if line.strip()]


@dataclass(frozen=True)
class ConcernLine:
    """What is open, as the desk lists it: a sentence, how the table stands, and the page to answer."""

    task: OrganiserTask
    line: list[str]


def concern_lines(
    league: League, reader: User, now: datetime, season: Season | None = None
) -> list[ConcernLine]:
    """Return what this organiser has to answer in a league or in one of its seasons."""
    found = open_concerns([league.pk], reader)
    return [_line_of(one, now) for one in (found.filter(season=season) if season else found)]


def concern_task(concern: Concern, name: str = "") -> OrganiserTask:
    """Return the task to answer what a player told. Without the player's name, it's read."""
    url = reverse("concern_reply", args=[concern.season.league_id, concern.pk])
    return OrganiserTask("concern", told_text(concern, name), url, concern.season, f"concern:{concern.pk}")


def _line_of(concern: Concern, now: datetime) -> ConcernLine:
    return ConcernLine(concern_task(concern), list(table_line(concern.table, now)) if concern.table else [])
