"""Emails sent before a season is played, and emails that ask for a decision."""

from __future__ import annotations

from datetime import timedelta

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import clock
from accounts.mail.messages import Content, email_kind
from accounts.mail.models import OutgoingEmail
from accounts.mail.suppression import INVITATIONS
from games.leagues.emails.league_context import (
    Action,
    at,
    division_path,
    email_content,
    entry_of,
    season_of,
    season_path,
    title_of,
    to_organise,
)
from games.leagues.links import ask_url, entry_url, invited_url
from games.leagues.models import (
    AuditEvent,
    Division,
    Invitation,
    OpenSeat,
    Registration,
    Season,
    SubstituteOffer,
)
from games.leagues.selectors.league_log import lines_of, reason_of
from games.leagues.selectors.league_tables import roster_of
from games.leagues.selectors.organiser_dashboard import outlook
from games.leagues.selectors.organiser_tasks import organiser_tasks_of
from games.leagues.selectors.text import names_in


@email_kind("league_opens", name=gettext_lazy("The sign-up of a league's season is open"))
def league_opens(email: OutgoingEmail) -> Content | None:
    """Tell players of the last season, and those with a reserved place, that sign-up is open."""
    season = season_of(email.context["season"])
    entry = season.entries.filter(user=email.to_user_id).first()
    if season.state != Season.State.SIGN_UP or (entry and entry.state != Registration.State.EXPECTED):
        return None
    told = [_("The sign-up is open until %(at)s.") % {"at": at(season.signup_ends_at)}]
    if entry is not None and entry.reserved:
        kept = _("A place in division %(letter)s is kept for you until then, if you sign up.")
        told.append(kept % {"letter": Division(level=entry.reserved).letter})
    return email_content(
        email,
        season,
        _("Season %(number)d: sign up") % {"number": season.number},
        [*told, *outlook(season)],
        Action(_("Read the terms and sign up"), season_path(season)),
    )


@email_kind("league_invitation", name=gettext_lazy("Invitation to a league"))
def league_invitation(email: OutgoingEmail) -> Content | None:
    """Invite an email address to a season, with a link to sign up."""
    invited = Invitation.objects.select_related("season__league", "by").get(pk=email.context["invited"])
    season = invited.season
    before = (Season.State.SIGN_UP, Season.State.CONFIRMING)  # too few players may have signed up in time
    if invited.state != Invitation.State.SENT or season.state not in before:
        return None
    words = {"name": invited.by.shown_name, "season": title_of(season)}
    told = [_("%(name)s invites you to %(season)s, a league of the board game Condottiere.") % words]
    if invited.name:
        told.insert(0, _("Hello %(name)s,") % {"name": invited.name})
    if invited.level:
        letter_of = Division(level=invited.level).letter
        told.append(_("A place in division %(letter)s is kept for you.") % {"letter": letter_of})
    return email_content(
        email,
        season,
        _("You are invited to a league"),
        [*told, *outlook(season)],
        Action(_("See the terms, sign up or decline"), invited_url(invited)),
        list_id=INVITATIONS,
        list_name=_("Invitations"),
        invited_by=invited.by.shown_name,
    )


@email_kind("league_place", name=gettext_lazy("You have a place in a league"))
def league_place(email: OutgoingEmail) -> Content | None:
    """Tell a player on the waiting list that they now have a place."""
    entry = entry_of(email.context["entry"])
    if entry.state not in (Registration.State.SIGNED_UP, Registration.State.PLAYING):
        return None
    return email_content(
        email,
        entry.season,
        _("You have a place"),
        [_("Somebody has left, and you have a place in %(season)s.") % {"season": title_of(entry.season)}],
        Action(_("Open the season"), season_path(entry.season)),
    )


@email_kind("league_no_show", name=gettext_lazy("Your place in a league was no longer kept"))
def league_no_show(email: OutgoingEmail) -> Content | None:
    """Tell a player who did not confirm in time that they lost their place, and what they can do."""
    entry = entry_of(email.context["entry"])
    if entry.state != Registration.State.NO_SHOW or entry.season.state != Season.State.CONFIRMING:
        return None
    told = [
        _("You have not confirmed in time that you play in %(season)s, and your place is no longer kept.")
        % {"season": title_of(entry.season)},
        _("If you want to play you may still say so: you get a place as long as there is one."),
    ]
    return email_content(
        email,
        entry.season,
        _("Your place is no longer kept"),
        told,
        Action(_("Open the season"), season_path(entry.season)),
    )


@email_kind("league_confirm", name=gettext_lazy("Please confirm a league's season"))
def league_confirm(email: OutgoingEmail) -> Content | None:
    """Ask a player with a place to confirm it in time."""
    entry = entry_of(email.context["entry"])
    season = entry.season
    if season.state != Season.State.CONFIRMING or entry.state != Registration.State.SIGNED_UP:
        return None
    assert entry.asked_at is not None
    until = at(entry.asked_at + timedelta(days=season.confirm_days))
    told = [
        _("Please confirm by %(until)s that you play; else your place goes to somebody who waits.")
        % {"until": until},
        *outlook(season),
    ]
    heading = _("Do you play in season %(number)d?") % {"number": season.number}
    return email_content(email, season, heading, told, Action(_("Confirm or leave"), entry_url(entry)))


@email_kind("league_begins", name=gettext_lazy("A league's season was drawn"))
def league_begins(email: OutgoingEmail) -> Content | None:
    """Tell all players that the season begins and the divisions are drawn."""
    entry = entry_of(email.context["entry"])
    if entry.division is None or entry.state != Registration.State.PLAYING:
        return None
    others = entry.division.entries.exclude(pk=entry.pk).select_related("user")
    called = names_in([entry.season.league_id], [other.user for other in others])
    names = sorted(called.values(), key=str.casefold)
    division, season = entry.division, entry.season
    words = {"letter": division.letter, "number": season.number, "at": at(season.begins_at)}
    is_only = season.most_divisions == 1
    told = [
        (_("You play in season %(number)d.") if is_only else _("You play in division %(letter)s.")) % words,
        _("The first round begins on %(at)s; its games begin by themselves, and ask you by email.") % words,
    ]
    return email_content(
        email,
        division,
        _("Season %(number)d is drawn") % words,
        told,
        Action(_("Open the standing") if is_only else _("Open your division"), division_path(division)),
        listed=names,
        list_title=_("The others") if is_only else _("The others of your division"),
    )


@email_kind("league_cancelled", name=gettext_lazy("A league's season was called off"))
def league_cancelled(email: OutgoingEmail) -> Content | None:
    """Tell everyone who signed up, waited or was invited that the season is cancelled."""
    season = season_of(email.context["season"])
    event = season.events.filter(kind=AuditEvent.Kind.CANCELLED).first()
    told = [_("There is nothing for you to do: %(season)s is not played.") % {"season": title_of(season)}]
    if event is not None and (reason := reason_of(event)):
        told.append(reason)
    return email_content(
        email, season, _("Season %(number)d is called off") % {"number": season.number}, told
    )


# # Decisions to make, and decisions by organisers


@email_kind("league_ask", name=gettext_lazy("A league asked you to take a seat"))
def league_ask(email: OutgoingEmail) -> Content | None:
    """Ask a substitute to take a seat."""
    asked = SubstituteOffer.objects.select_related(
        "substitute__user", "open_seat__table__table", "open_seat__table__round__division__season__league"
    )
    ask = asked.get(pk=email.context["ask"])
    if ask.answer != SubstituteOffer.Answer.OPEN:
        return None
    row = ask.open_seat.table
    words = {"table": row.table.name, "until": at(ask.until)}
    told = [
        _("A seat at “%(table)s” needs somebody, and it is your turn to be asked.") % words,
        _("Seated there: %(names)s.") % {"names": roster_of(row)},
        _("You get its hand, its log and time anew. Taking it can never cost you points or rating."),
        _("Please answer by %(until)s; then the next is asked.") % words,
    ]
    return email_content(
        email,
        row.round.division.season,
        _("Do you take a seat?"),
        told,
        Action(_("See the seat, take it or decline"), ask_url(ask)),
    )


@email_kind("league_open_seat_over", name=gettext_lazy("A seat of your league found nobody"))
def league_open_seat_over(email: OutgoingEmail) -> Content | None:
    """Tell the organisers that no substitute took a seat."""
    found = OpenSeat.objects.select_related("table__table", "table__round__division__season__league")
    open_seat = found.get(pk=email.context["open_seat"])
    if open_seat.state != OpenSeat.State.NOBODY:
        return None
    season = open_seat.table.round.division.season
    told = [
        _("No substitute takes the free seat at “%(table)s”; a bot plays there.")
        % {"table": open_seat.table.table.name},
        _("You can give it to somebody, or leave it to the bot."),
    ]
    return email_content(email, season, _("A seat finds nobody"), told, to_organise(season))


@email_kind("league_needs", name=gettext_lazy("Your league needs a decision"))
def league_needs(email: OutgoingEmail) -> Content | None:
    """Tell the organisers which decisions are needed now.

    Returns None if there are none left.
    """
    season = season_of(email.context["season"])
    told = [need.sentence for need in organiser_tasks_of(season.league, clock.now())]
    return (
        email_content(email, season, _("A decision is needed"), told, to_organise(season)) if told else None
    )


@email_kind("league_event", name=gettext_lazy("An organiser of a league decided something"))
def league_event(email: OutgoingEmail) -> Content | None:
    """Tell a player what an organiser has decided about them, and why."""
    events = AuditEvent.objects.select_related(
        "league", "season__league", "by", "table__round__division", "round__division"
    )
    event = events.get(pk=email.context["event"])
    where = event.season or event.league
    (line,) = lines_of([event], with_reasons=False, reader=email.to_user)
    told = [text for text in (line.text, line.where) if text]
    if event.reason:
        told.append(_("The reason given: %(reason)s") % {"reason": event.reason})
    log = Action(_("Open the log of the league"), reverse("league_log", args=[event.league_id]))
    return email_content(email, where, _("An organiser has decided something"), told, log)
