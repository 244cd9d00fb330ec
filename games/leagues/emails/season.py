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
from games.leagues.selectors.season_rules import late_text
from games.leagues.selectors.standings import standings_page
from games.leagues.selectors.text import as_people_read, names_in


@email_kind("league_round", name=gettext_lazy("A round started"))
def league_round(email: OutgoingEmail) -> Content | None:
    """Tell a player that a round has begun, and their table or that they sit out."""
    round_, entry = round_of(email.context["round"]), entry_of(email.context["entry"])
    if round_.state != Round.State.PLAYING or entry.is_out:
        return None
    table = round_.tables.filter(assignments__entry=entry).first()
    words = {"number": round_.number, "until": at(round_.ends_at)}
    if table is not None:
        heading = _("Round %(number)d has started") % words
        others = table.assignments.exclude(entry=entry).select_related("entry__user")
        seated = [assignment.entry.user for assignment in others]
        names = names_in([round_.division.season.league_id], seated).values()
        sentences = [
            _("You play at table %(table)d.") % {"table": table.number},
            # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
            _("The round ends on %(until)s.") % words,
        ]
        return email_content(
            email,
            round_.division,
            heading,
            sentences,
            Action(_("Open the table"), table_path(table)),
            listed=sorted(names, key=str.casefold),
            list_title=_("Other players at your table"),
        )
    if not Bye.objects.filter(round=round_, entry=entry).exists():
        return None
    return email_content(
        email,
        round_.division,
        _("You have a bye in round %(number)d") % words,
        [_("This round’s players don’t fill their tables evenly, and this time you’re left over.")],
        Action(_("Open the round"), round_path(round_)),
    )


@email_kind("league_reminder", name=gettext_lazy("A round ends soon"))
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
    sentences = [
        # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        _("It’s your turn at table %(table)d. Round %(round)d ends on %(until)s.") % words,
        late_text(season, is_extended=round_.is_extended),
    ]
    heading = _("Round %(round)d ends soon") % words
    return email_content(
        email, round_.division, heading, sentences, Action(_("Open the table"), table_path(row))
    )


@email_kind("league_result", name=gettext_lazy("A round is over"))
def league_result(email: OutgoingEmail) -> Content | None:
    """Tell everyone in a division the results of a round and the standings."""
    round_ = round_of(email.context["round"])
    if round_.state != Round.State.CLOSED:
        return None
    page = standings_page(round_.division, email.to_user)
    rows = [
        (str(line.row.place), line.name, as_people_read(line.row.points))
        for line in page.lines
        if line.entry.is_out is False
    ]
    # Translators: ending says who won
    results = [
        _("Table %(number)d: %(ending)s") % {"number": table.number, "ending": table.ending}
        for table in _tables_of(round_, email)
    ]
    return email_content(
        email,
        round_.division,
        _("Round %(number)d is over") % {"number": round_.number},
        results,
        Action(_("Open the standings"), division_path(round_.division)),
        rows=rows,
    )


@email_kind("league_closed", name=gettext_lazy("A season is over"))
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
    sentences = [_("All rounds of season %(number)d are over.") % {"number": entry.season.number}]
    if own is not None:
        sentences += _own_place(own, entry.division)
    is_only = entry.season.most_divisions == 1
    return email_content(
        email,
        entry.division,
        _("Season %(number)d is over") % {"number": entry.season.number},
        sentences,
        Action(_("Open the standings") if is_only else _("Open the division"), division_path(entry.division)),
        rows=rows,
    )


def _tables_of(round_: Round, email: OutgoingEmail) -> list[TableView]:
    return table_views(LeagueTable.objects.filter(round=round_), email.to_user)


def _own_place(own: Standing, division: Division) -> list[str]:
    """Return the player's place, and the place kept for them in the next season."""
    words = {"place": own.place, "letter": division.letter}
    if division.season.most_divisions == 1:
        sentences = [_("Your place: %(place)d.") % words]
        kept = _("If you sign up, we keep a place in the next season for you.")
    else:
        # Translators: letter is the division's
        sentences = [_("Your place in division %(letter)s: %(place)d.") % words]
        # Translators: letter is the division's
        kept = _("If you sign up, we keep a place in division %(letter)s of the next season for you.")
    if own.next_level is None:
        return sentences
    return [*sentences, kept % {"letter": Division(level=own.next_level).letter}]
