"""Emails to organisers about decisions to make, and from organisers to players."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import clock
from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.models import OutgoingEmail
from accounts.names import first_in_sentence
from accounts.times import day
from games.leagues.emails.email_paths import division_path, season_path, table_path
from games.leagues.emails.email_rows import season_of
from games.leagues.emails.league_context import EmailButton, at, email_content, to_organise
from games.leagues.links import concern_url, organiser_url
from games.leagues.models import AuditEvent, Concern, Division, LeagueTable, Organiser, Season
from games.leagues.selectors.concern_texts import open_concerns, paragraphs_of, told_text
from games.leagues.selectors.league_log import lines_of
from games.leagues.selectors.names_in_leagues import name_in
from games.leagues.selectors.organiser_tasks import OrganiserTask, organiser_tasks_of
from games.leagues.services.vanished_organisers import may_be_removed_at
from games.links import seat_url
from games.models import Seat, Table


@email_kind("league_needs", name=gettext_lazy("Your league needs a decision"), asks=True)
def league_needs(email: OutgoingEmail) -> Content | None:
    """Tell the organisers which decisions are needed now.

    Returns None if there are none left, or if an email that was queued at the same moment names them.
    """
    if "named_in" in email.context:
        return None
    season = season_of(email.context["season"])
    tasks = organiser_tasks_of(season.league, clock.now(), at)
    sentences = [text for task in tasks for text in (task.sentence, _ways_text(task)) if text]
    return (
        email_content(email, season, _("A decision is needed"), sentences, to_organise(season))
        if sentences
        else None
    )


def _ways_text(task: OrganiserTask) -> str:
    """Return a line for each way to decide about the task, where there are several."""
    # Translators: a list of links follows, such as "Invite people", each in a line
    return "\n".join([_("You can:"), *(f"– {way.words}" for way in task.ways)]) if task.ways else ""


@email_kind("league_message", name=gettext_lazy("An organiser wrote to you"))
def league_message(email: OutgoingEmail) -> Content | None:
    """Build the message of an organiser to a table, a division or everyone in a season."""
    events = AuditEvent.objects.select_related(
        "season__league", "by", "table__round__division__season__league"
    )
    event = events.get(pk=email.context["event"])
    if event.season is None or event.by is None:
        return None
    name = name_in(event.league_id, event.by)
    # Translators: name is an organiser
    heading = _("A message from %(name)s") % {"name": name}
    where, button = _written_to(event, event.season)
    return email_content(email, where, heading, paragraphs_of(event.reason), button)


def _written_to(event: AuditEvent, season: Season) -> tuple[LeagueTable | Division | Season, EmailButton]:
    """Return the table, the division or the season to which an organiser wrote, and the button to it."""
    if event.table:
        return event.table, EmailButton(_("Open the table"), table_path(event.table))
    division = season.divisions.filter(level=event.facts.get("division")).first()
    if division:
        return division, EmailButton(_("Open the division"), division_path(division))
    return season, EmailButton(_("Open the season"), season_path(season))


@email_kind("league_event", name=gettext_lazy("An organiser made a decision"))
def league_event(email: OutgoingEmail) -> Content | None:
    """Tell a player what an organiser has decided about them, and why.

    Returns None if the table's result says so: the table was ended.
    """
    events = AuditEvent.objects.select_related(
        "league", "season__league", "by", "table__round__division", "round__division"
    )
    event = events.get(pk=email.context["event"])
    if event.kind == AuditEvent.Kind.ADJUDICATED and _gets_result(event, email.to_user_id):
        return None
    where = event.season or event.league
    (line,) = lines_of([event], with_reasons=False, reader=email.to_user, moment_text=at)
    sentences = [text for text in (line.text, line.where) if text]
    if event.kind == AuditEvent.Kind.LEFT_OUT and event.season and clock.now() < event.season.half_at:
        # Translators: half is a date
        instead = _("Until %(half)s you get others, as soon as you’re back and there are players for them.")
        sentences.append(instead % {"half": day(event.season.half_at)})
    if event.reason:
        sentences.append(_("Reason: %(reason)s") % {"reason": event.reason})
    if event.season and line.changes:
        is_corrected = event.kind in (AuditEvent.Kind.AWARDED, AuditEvent.Kind.UNAWARDED)
        heading = _("Season %(number)d was corrected") if is_corrected else _("Season %(number)d has changed")
        heading %= {"number": event.season.number}
        season, changed = EmailButton(_("Open the season"), season_path(event.season)), _("What changed")
        return email_content(
            email, where, heading, sentences, season, listed=line.changes, list_title=changed
        )
    if event.by:
        heading = _("An organiser made a decision")
    elif event.kind == AuditEvent.Kind.ORGANISER:
        heading = _("You are an organiser now")
    else:
        heading = _("A table plays without you")
    return email_content(email, where, heading, sentences, _next_page(event, email.to_user_id))


def _next_page(event: AuditEvent, reader: int | None) -> EmailButton:
    """Return the button that leads to what the reader was given: a seat, a place or a league."""
    if event.kind == AuditEvent.Kind.SUBSTITUTED and event.table and reader:
        seats = Seat.objects.select_related("table", "user").filter(table__state=Table.State.PLAYING)
        if seat := seats.filter(table=event.table.table_id, user=reader).first():
            return EmailButton(_("Go to your seat"), seat_url(seat))
    if event.kind == AuditEvent.Kind.FILLED and event.season:
        return EmailButton(_("Open the season"), season_path(event.season))
    if event.kind == AuditEvent.Kind.ORGANISER:
        path = reverse("organise", args=[event.league_id])
        return EmailButton(_("Manage this league"), path, is_for_organisers=True)
    return EmailButton(_("Open the league’s log"), reverse("league_log", args=[event.league_id]))


def _gets_result(event: AuditEvent, user: int | None) -> bool:
    """Return whether this person gets an email with the result of the event's table."""
    seats = event.table.assignments.filter(entry__user=user) if event.table else ()
    return any(not seat.entry.is_out for seat in seats)


@email_kind("league_concern", name=gettext_lazy("A player wrote to the organisers"), asks=True)
def league_concern(email: OutgoingEmail) -> Content | None:
    """Tell an organiser what players told them and no one has answered; None if there is nothing left."""
    concern = Concern.objects.select_related("season__league").get(pk=email.context["concern"])
    season, organiser = concern.season, email.to_user
    if organiser is None or not season.league.organisers.filter(user=organiser).exists():
        return None
    waiting = list(open_concerns([season.league_id], organiser))
    if not waiting:
        return None
    sentences = [*map(told_text, waiting), _("Only organisers who don’t sit at the table read it.")]
    answer = EmailButton(_("Read and answer"), concern_url(waiting[0], organiser.pk))
    return email_content(email, waiting[0].season, _("A player wrote to you"), sentences, answer)


@email_kind("league_answer", name=gettext_lazy("An organiser answered you"))
def league_answer(email: OutgoingEmail) -> Content | None:
    """Tell a player what an organiser did about what they told, with the answer."""
    found = Concern.objects.select_related("season__league", "answered_by", "table__round__division__season")
    concern = found.get(pk=email.context["concern"])
    if concern.is_open or concern.answered_by is None:
        return None
    name = first_in_sentence(name_in(concern.season.league_id, concern.answered_by))
    # Translators: name is an organiser
    done = {
        Concern.Outcome.AWARD: _("%(name)s awarded points."),
        Concern.Outcome.MORE_TIME: _("%(name)s gave more time."),
        Concern.Outcome.OTHER: _("%(name)s did something else."),
        Concern.Outcome.NOTHING: _("%(name)s sees nothing that has to be done."),
    }[Concern.Outcome(concern.outcome)]
    path = table_path(concern.table) if concern.table else season_path(concern.season)
    action = EmailButton(_("Open the table") if concern.table else _("Open the season"), path)
    sentences = [done % {"name": name}, *paragraphs_of(concern.answer)]
    return email_content(email, concern.season, _("An organiser answered you"), sentences, action)


@email_kind("league_still_here", name=gettext_lazy("Are you still an organiser?"), asks=True)
def league_still_here(email: OutgoingEmail) -> Content | None:
    """Ask an organiser whether they are still here; None once they have answered or stopped organising."""
    event = AuditEvent.objects.select_related("league", "by").get(pk=email.context["event"])
    asked = Organiser.objects.filter(league=event.league, user=email.to_user, asked_at=event.at).first()
    due = may_be_removed_at(asked) if asked else None
    if asked is None or due is None or event.by is None:
        return None
    name = first_in_sentence(name_in(event.league_id, event.by))
    # Translators: day is a date
    removal = _("From %(day)s on, the other organisers can remove you if you haven’t answered.")
    sentences = (
        # Translators: name is an organiser
        _("%(name)s asks whether you still organise the league.") % {"name": name},
        removal % {"day": day(due)},
        _("Anything you do as an organiser is an answer too."),
    )
    answer = EmailButton(_("I’m still here"), organiser_url(asked))
    return email_content(email, event.league, _("Are you still here?"), sentences, answer)
