"""The content shared by all league emails.

An email has a heading, sentences, a list or a table of points, and a button.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.addresses import absolute_url
from accounts.mail.email_content import Content
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.times import moment_with_city
from games.leagues.links import news_url
from games.leagues.models import Division, League, LeagueTable, Season
from games.narration.text_columns import in_columns


class EmailButton(NamedTuple):
    """An email button, linking to a full URL or to the path of a league page.

    A full URL opens without signing in.
    """

    label: str
    url: str
    is_for_organisers: bool = False


def email_content(
    email: OutgoingEmail,
    subject: League | Season | Division | LeagueTable,
    heading: str,
    sentences: Sequence[str],
    action: EmailButton | None = None,
    *,
    listed: Sequence[str] = (),
    list_title: str = "",
    rows: Sequence[tuple[str, str, str]] = (),
    list_id: str | None = None,
    list_name: str | None = None,
    invited_by: str = "",
) -> Content:
    """Return the content of one email.

    `rows` are (place, name, points). All emails of a league form one thread. They share one mailing list that
    the reader can unsubscribe from, unless `list_id` names another. What people wrote
    comes from `paragraphs_of`.
    """
    league = _league_of(subject)
    opened = action and EmailButton(action.label, _link_for(email, league, action))
    context = {
        "league": league,
        "where": _subject_name(subject),
        "invited_by": invited_by,
        "heading": heading,
        "sentences": sentences,
        "action": opened,
        "path": action.url if action else "",
        "listed": listed,
        "list_title": list_title,
        "rows": rows,
        "rows_text": in_columns([_column_titles(), *rows]) if rows else "",
    }
    own = f"league-{league.pk}"
    page_url = opened.url if opened else None
    return Content("league", context, own, list_id or own, list_name or league.name, page_url=page_url)


def _column_titles() -> tuple[str, str, str]:
    return (
        pgettext("in a list of players", "Rank"),
        pgettext("column of a table", "Player"),
        pgettext("column of a table", "Points"),
    )


def _link_for(email: OutgoingEmail, league: League, action: EmailButton) -> str:
    """Return a link that opens without signing in.

    It leads to the page itself if the page is public, otherwise to one that shows the email's news.
    """
    if not action.url.startswith("/"):
        return action.url
    if league.is_private or action.is_for_organisers:
        return news_url(email, league)
    return absolute_url(action.url)


@names_list("league")
def _name_of_list(number: int) -> str:
    return League.objects.filter(pk=number).values_list("name", flat=True).first() or ""


def _league_of(subject: League | Season | Division | LeagueTable) -> League:
    if isinstance(subject, LeagueTable):
        subject = subject.round.division
    if isinstance(subject, Division):
        subject = subject.season
    return subject.league if isinstance(subject, Season) else subject


def _subject_name(subject: League | Season | Division | LeagueTable) -> str:
    """Return the name of what the email is about.

    The division is left out if the season can have only one.
    """
    if isinstance(subject, League):
        return subject.name
    if isinstance(subject, LeagueTable):
        return _table_name(subject)
    season = subject.season if isinstance(subject, Division) else subject
    words = {"league": season.league.name, "number": season.number}
    if isinstance(subject, Season) or season.most_divisions == 1:
        # Translators: league is its name
        return _("%(league)s, season %(number)d") % words
    words["letter"] = subject.letter
    # Translators: league is its name; letter is the division's
    return _("%(league)s, season %(number)d, division %(letter)s") % words


def _table_name(table: LeagueTable) -> str:
    season = table.round.division.season
    words = {"league": season.league.name, "number": season.number, "letter": table.round.division.letter}
    words |= {"round": table.round.number, "table": table.number}
    if table.round.is_final:
        # Translators: league is its name
        return _("%(league)s, season %(number)d, final") % words
    if season.most_divisions == 1:
        # Translators: league is its name
        return _("%(league)s, season %(number)d, round %(round)d, table %(table)d") % words
    # Translators: league is its name; letter is the division's
    name = _("%(league)s, season %(number)d, division %(letter)s, round %(round)d, table %(table)d")
    return name % words


def to_organise(season: Season) -> EmailButton:
    """Return the button that leads to the league's organiser page."""
    path = reverse("organise", args=[season.league_id])
    return EmailButton(_("See what needs a decision"), path, is_for_organisers=True)


def at(moment: datetime) -> str:
    """Format a moment in the reader's time zone, with its city."""
    return moment_with_city(moment)
