"""Emails sent while a season is played: its tables, their results, and the season's end."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.names import first_in_sentence
from games.leagues.emails.email_paths import division_path, round_path, table_path
from games.leagues.emails.email_rows import entry_of, round_of, table_of
from games.leagues.emails.league_context import EmailButton, at, email_content
from games.leagues.models import AuditEvent, Bye, Division, LeagueTable, Registration, Season, Standing
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.league_tables import TableView, points_text, table_views
from games.leagues.selectors.names_in_leagues import name_in, names_in
from games.leagues.selectors.next_steps import final_place_text
from games.leagues.selectors.season_rules import late_text
from games.leagues.selectors.standings_page import standings_page
from games.links import LinkedDecision, answer_url
from games.models.matches import last_game


@email_kind("league_table", name=gettext_lazy("Your table in a league has begun"))
def league_table(email: OutgoingEmail) -> Content | None:
    """Tell a player that one or several of their tables have begun, and with whom they play."""
    entry = entry_of(email.context["entry"])
    begun = LeagueTable.objects.running().filter(pk__in=email.context["tables"], assignments__entry=entry)
    views = table_views(begun, email.to_user)
    if entry.is_out or entry.division is None or not views:
        return None
    return email_content(
        email,
        entry.division,
        ngettext("Your table has begun", "Your tables have begun", len(views)),
        # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        [_("Finish by %(until)s.") % {"until": at(min(view.row.deadline for view in views))}],
        _tables_button(views, entry.division),
        listed=[_begun_text(view) for view in views],
        list_title=ngettext("Your table", "Your tables", len(views)),
    )


def _begun_text(view: TableView) -> str:
    words = {"round": view.row.round.number, "table": view.number, "names": view.roster}
    if view.row.round.is_final:
        # Translators: names is the list of the final's players
        return _("The final: %(names)s. Its winner wins the season.") % words
    # Translators: names is the list of the table's players
    return _("Round %(round)d, table %(table)d: %(names)s") % words


def _tables_button(views: Sequence[TableView], division: Division) -> EmailButton:
    if len(views) == 1:
        return EmailButton(_("Open the table"), table_path(views[0].row))
    return EmailButton(_("Open the standings"), division_path(division))


@email_kind("league_bye", name=gettext_lazy("You have a bye in a league"))
def league_bye(email: OutgoingEmail) -> Content | None:
    """Tell a player that they sit out a round."""
    bye = Bye.objects.filter(pk=email.context["bye"], entry__user=email.to_user_id).first()
    if bye is None or bye.entry.is_out:
        return None
    round_ = round_of(bye.round_id)
    return email_content(
        email,
        round_.division,
        _("You have a bye in round %(number)d") % {"number": round_.number},
        [_("There are too few players for another table in this round, so you sit it out.")],
        EmailButton(_("Open the round"), round_path(round_)),
    )


@email_kind("league_reminder", name=gettext_lazy("A table ends soon"))
def league_reminder(email: OutgoingEmail) -> Content | None:
    """Remind a player whose decision is pending that their table ends soon, with a link to make their move.

    Returns None if the table is finished or no decision of theirs is pending.
    """
    row = table_of(email.context["table"])
    seat = row.game_table.seats.filter(user=email.to_user_id, asked_since__isnull=False).first()
    game = last_game(row.game_table)
    if row.collected_at is not None or seat is None or game is None:
        return None
    assert seat.user_id is not None
    assert seat.decision_step is not None
    division = row.round.division
    words = {"round": row.round.number, "table": row.number, "until": at(row.deadline)}
    sentences = [
        *_who_reminds(email, division),
        # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
        (
            _("It’s your turn in the final. It ends on %(until)s.")
            if row.round.is_final
            # Translators: until is a moment with its city, such as "Friday 6 March, 14:10 (Rome)"
            else _("It’s your turn at table %(table)d of round %(round)d. The table ends on %(until)s.")
        )
        % words,
        late_text(division.season, is_extended=row.is_extended),
    ]
    decision = LinkedDecision(game.pk, seat.number, seat.user_id, seat.decision_step)
    action = EmailButton(_("Make your move"), answer_url(decision))
    heading = _("A reminder from an organiser") if "by" in email.context else _("Your table ends soon")
    return email_content(email, division, heading, sentences, action)


def _who_reminds(email: OutgoingEmail, division: Division) -> list[str]:
    """Return who reminds the player, if the season does not do it automatically."""
    if "by" not in email.context:
        return []
    name = name_in(division.season.league_id, User.objects.get(pk=email.context["by"]))
    # Translators: name is an organiser
    return [_("%(name)s reminds you that the others are waiting.") % {"name": first_in_sentence(name)}]


@email_kind("league_result", name=gettext_lazy("Your table in a league is over"))
def league_result(email: OutgoingEmail) -> Content | None:
    """Tell a player the result of their table, and the standings.

    Returns None if the season is over by now: its own email has the final standings. If an organiser ended
    the table, only this one says why.
    """
    row = table_of(email.context["table"])
    division, who_ended = row.round.division, _who_ended(row)
    if email.sent_at is None and division.season.state == Season.State.CLOSED and not who_ended:
        return None
    (view,) = table_views(LeagueTable.objects.filter(pk=row.pk), email.to_user)
    page = standings_page(division, email.to_user)
    rows = [
        (str(line.row.place), line.name, as_people_read(line.row.points))
        for line in page.lines
        if not line.entry.is_out
    ]
    words = {"round": row.round.number, "table": row.number}
    is_final = row.round.is_final
    # Translators: points is a list of players with their points, such as "Anna (6), Bruno (3)"
    points = [] if is_final else [_("Points: %(points)s.") % {"points": points_text(view)}]
    return email_content(
        email,
        division,
        _("The final is over") if is_final else _("Round %(round)d, table %(table)d is over") % words,
        [view.ending, *who_ended, *points],
        EmailButton(_("Open the standings"), division_path(division)),
        rows=rows,
    )


def _who_ended(row: LeagueTable) -> list[str]:
    """Return which organiser ended the table and why, unless the season did it automatically."""
    event = row.events.filter(kind=AuditEvent.Kind.ADJUDICATED).last()
    if event is None or event.by is None:
        return []
    words = {"name": name_in(event.league_id, event.by), "reason": event.reason}
    # Translators: name is an organiser; reason is what they wrote
    return [_("Decided by %(name)s. Reason: %(reason)s") % words]


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
    sentences = [
        _("All tables of season %(number)d are over.") % {"number": entry.season.number},
        *_who_won_by_final(entry),
    ]
    if own is not None:
        sentences += _own_place(own, entry.division)
    is_only = entry.season.most_divisions == 1
    return email_content(
        email,
        entry.division,
        _("Season %(number)d is over") % {"number": entry.season.number},
        sentences,
        EmailButton(
            _("Open the standings") if is_only else _("Open the division"), division_path(entry.division)
        ),
        rows=rows,
    )


def _who_won_by_final(entry: Registration) -> list[str]:
    """Return who won the season, if a final decided it: the standings name another first place."""
    won = Standing.objects.filter(division__season=entry.season, won_final=True).select_related("entry__user")
    words: dict[str, str | int] = {"number": entry.season.number}
    for one in won:
        if one.entry_id == entry.pk:
            return [_("You won season %(number)d.") % words]
        words["winner"] = first_in_sentence(name_in(entry.season.league_id, one.entry.user))
        # Translators: winner is a player's name
        return [_("%(winner)s won season %(number)d.") % words]
    return []


def _own_place(own: Standing, division: Division) -> list[str]:
    """Return the player's place, and the place kept for them in the next season."""
    place = final_place_text(own, division.season)
    if own.next_level is None:
        return [place]
    if division.season.most_divisions == 1:
        return [place, _("If you sign up, we keep a place in the next season for you.")]
    # Translators: letter is the division's
    kept = _("If you sign up, we keep a place in division %(letter)s of the next season for you.")
    return [place, kept % {"letter": Division(level=own.next_level).letter}]
