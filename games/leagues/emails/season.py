"""Emails sent while a season is played: its rounds, their results, and the season's end."""

from __future__ import annotations

from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.mail.messages import Content, email_kind
from accounts.mail.models import OutgoingEmail
from games.leagues.emails.league_context import (
    Action,
    at,
    division_path,
    email_content,
    entry_of,
    round_of,
    round_path,
    table_of,
    table_path,
)
from games.leagues.models import Bye, Division, LeagueTable, Round, Season, Standing
from games.leagues.selectors.league_tables import TableView, table_views
from games.leagues.selectors.standings import standings_page
from games.leagues.selectors.text import as_people_read, names_in


@email_kind("league_round", name=gettext_lazy("A round of a league began"))
def league_round(email: OutgoingEmail) -> Content | None:
    """Tell a player that a round has begun, and their table or that they sit out."""
    round_, entry = round_of(email.context["round"]), entry_of(email.context["entry"])
    if round_.state != Round.State.PLAYING or entry.is_out:
        return None
    table = round_.tables.filter(assignments__entry=entry).first()
    words = {"number": round_.number, "until": at(round_.ends_at)}
    if table is not None:
        heading = _("Round %(number)d has begun") % words
        seated = [assignment.entry.user for assignment in table.assignments.select_related("entry__user")]
        names = names_in([round_.division.season.league_id], seated).values()
        told = [
            _("You play at table %(table)d.") % {"table": table.number},
            _("The round ends on %(until)s.") % words,
        ]
        return email_content(
            email,
            round_.division,
            heading,
            told,
            Action(_("Open the table"), table_path(table)),
            listed=sorted(names, key=str.casefold),
            list_title=_("Who plays there"),
        )
    if not Bye.objects.filter(round=round_, entry=entry).exists():
        return None
    return email_content(
        email,
        round_.division,
        _("You sit round %(number)d out") % words,
        [_("The numbers do not divide this time, and you have no table in round %(number)d.") % words],
        Action(_("Open the round"), round_path(round_)),
    )


@email_kind("league_reminder", name=gettext_lazy("A round of a league ends soon"))
def league_reminder(email: OutgoingEmail) -> Content | None:
    """Remind a player whose decision is pending that the round ends soon.

    Returns None if the table is finished or no decision of theirs is pending.
    """
    row = table_of(email.context["table"])
    asks = row.table.seats.filter(user=email.to_user_id, asked_since__isnull=False)
    if row.collected_at is not None or not asks.exists():
        return None
    season, round_ = row.round.division.season, row.round
    words = {"round": round_.number, "table": row.number, "until": at(round_.ends_at)}
    told = [
        _("Round %(round)d ends on %(until)s, and table %(table)d is still played at: it waits for you.")
        % words,
        _what_becomes_of_late(season, round_),
    ]
    heading = _("Round %(round)d ends soon") % words
    return email_content(email, round_.division, heading, told, Action(_("Open the table"), table_path(row)))


@email_kind("league_result", name=gettext_lazy("A round of a league is over"))
def league_result(email: OutgoingEmail) -> Content | None:
    """Tell everyone in a division the results of a round and the standings."""
    round_ = round_of(email.context["round"])
    if round_.state != Round.State.CLOSED:
        return None
    page = standings_page(round_.division, email.to_user)
    rows = [
        (str(line.row.place), line.name, line.points) for line in page.lines if line.entry.is_out is False
    ]
    results = [
        f"{_('Table %(number)d') % {'number': t.number}}: {t.ending}" for t in _tables_of(round_, email)
    ]
    return email_content(
        email,
        round_.division,
        _("Round %(number)d is over") % {"number": round_.number},
        results,
        Action(_("Open the standing"), division_path(round_.division)),
        rows=rows,
    )


@email_kind("league_closed", name=gettext_lazy("A league's season is over"))
def league_closed(email: OutgoingEmail) -> Content | None:
    """Tell everyone who was in a season their final place and what comes next for them."""
    entry = entry_of(email.context["entry"])
    if entry.division is None or entry.season.state != Season.State.CLOSED:
        return None
    standings = Standing.objects.filter(division=entry.division).select_related("entry__user")
    names = names_in([entry.season.league_id], [one.entry.user for one in standings])
    rows = [
        (str(one.place), names[one.entry.user_id], as_people_read(Fraction(one.points))) for one in standings
    ]
    own = next((one for one in standings if one.entry_id == entry.pk), None)
    told = [_("All rounds of season %(number)d have been played.") % {"number": entry.season.number}]
    if own is not None:
        told.append(_own_place(own, entry.division))
    is_only = entry.season.most_divisions == 1
    return email_content(
        email,
        entry.division,
        _("Season %(number)d is over") % {"number": entry.season.number},
        told,
        Action(_("Open the standing") if is_only else _("Open the division"), division_path(entry.division)),
        rows=rows,
    )


def _what_becomes_of_late(season: Season, round_: Round) -> str:
    """Return what the season's rules do with a table still running when its round ends."""
    if season.extension_days and not round_.is_extended:
        return _("A table that is late then is extended once, by %(days)d days.") % {
            "days": season.extension_days
        }
    return {
        Season.Late.REGIONS: _(
            "A table that is late then is adjudicated: the players with most regions win, or nobody, if "
            "nobody holds a region."
        ),
        Season.Late.NOBODY: _("A table that is late then is adjudicated: nobody wins."),
        Season.Late.ORGANISER: _("Of a table that is late then an organiser decides."),
    }[Season.Late(season.late)]


def _tables_of(round_: Round, email: OutgoingEmail) -> list[TableView]:
    return table_views(LeagueTable.objects.filter(round=round_), email.to_user)


def _own_place(own: Standing, division: Division) -> str:
    words = {"place": own.place, "letter": division.letter}
    if division.season.most_divisions == 1:
        told = _("Your place: %(place)d.") % words
        return (
            told
            if own.next_level is None
            else f"{told} {_('A place in the next season is kept for you, if you sign up.')}"
        )
    told = _("Your place in division %(letter)s: %(place)d.") % words
    if own.next_level is None:
        return told
    kept = _("A place in division %(letter)s of the next season is kept for you, if you sign up.")
    return f"{told} {kept % {'letter': Division(level=own.next_level).letter}}"
