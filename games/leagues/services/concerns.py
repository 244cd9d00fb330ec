"""Players tell the organisers about a table or a season, and an organiser answers.

An organiser who sits at the table neither reads nor decides what others tell about it.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import NO_HOLD, queue
from accounts.mail.send_times import next_send_at
from accounts.models import User
from accounts.rate_limits import hit
from games.clocks.pauses import PRESSED_TWICE
from games.leagues.models import AuditEvent, Concern, League, LeagueTable, Season
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_account, require_organiser
from games.leagues.services.season_end import is_correctable
from games.leagues.services.table_deadlines import people_of
from games.services import Refused

TOLD_A_DAY = 3
ONCE_IN = timedelta(hours=1)  # how often organisers are emailed


def may_tell(season: Season, user: User | None) -> bool:
    """Return whether this person is in the season, as a player or a substitute, and can still tell of it."""
    if user is None or (season.state in Season.OVER and not is_correctable(season)):
        return False
    return season.entries.filter(user=user).exists() or season.substitutes.filter(user=user).exists()


def deciders_of(league: League, table: LeagueTable | None, by: User) -> list[User]:
    """Return the organisers who decide about what `by` tells: not those who sit at the table."""
    sitting = {person.pk for person in people_of(table)} if table is not None and table.table else set()
    return [
        organiser.user
        for organiser in league.organisers.select_related("user")
        if organiser.user_id != by.pk and organiser.user_id not in sitting
    ]


def no_decider_text(league: League, table: LeagueTable | None) -> str:
    """Return why no organiser can decide about what a player would tell."""
    if not league.organisers.exists():
        return _("The league has no organiser, so there is no one to tell.")
    if table is None:
        return _("The league has no organiser other than you, so there is no one to tell.")
    return _("Each organiser of the league sits at this table, so none of them can decide about it.")


@transaction.atomic
def tell_organisers(
    season: Season, by: User, table: LeagueTable | None, about: Concern.About, text: str
) -> Concern:
    """Tell the organisers, who get an email at most once an hour. Sent twice, it counts once.

    Raises Refused for people outside the season, after too many a day, and if no organiser can decide.
    """
    require_account(by)
    season, text = locked_season(season), cleaned_reason(text)
    if not may_tell(season, by):
        raise Refused(
            _("Only players and substitutes of the season can do this, until its results are final.")
        )
    same = Concern.objects.filter(season=season, by=by, table=table, about=about, text=text)
    known = same.filter(told_at__gt=clock.now() - PRESSED_TWICE).first()
    if known is not None:
        return known
    deciders = deciders_of(season.league, table, by)
    if not deciders:
        raise Refused(no_decider_text(season.league, table))
    if not hit("tell organisers", str(by.pk), TOLD_A_DAY):
        often = ngettext(
            "You can write to organisers %(n)d time a day. Try again tomorrow.",
            "You can write to organisers %(n)d times a day. Try again tomorrow.",
            TOLD_A_DAY,
        )
        raise Refused(often % {"n": TOLD_A_DAY})
    concern = Concern.objects.create(season=season, by=by, table=table, about=about, text=text)
    for person in deciders:
        _email(person, concern)
    return concern


def _email(person: User, concern: Concern) -> None:
    """Queue an email about all that is open, unless one waits; an hour after the last at the earliest."""
    now, prefix = clock.now(), f"league_concern:{concern.season.league_id}:{person.pk}:"
    sent = OutgoingEmail.objects.filter(kind="league_concern", to_user=person, key__startswith=prefix)
    if sent.filter(state=OutgoingEmail.State.QUEUED).exists():
        return
    last = sent.order_by("-not_before").values_list("not_before", flat=True).first()
    due = max([at for at in (next_send_at(person, now, now), last and last + ONCE_IN) if at], default=now)
    context = {"concern": concern.pk}
    hold = max(due - now, NO_HOLD)
    queue("league_concern", to=person, key=f"{prefix}{concern.pk}", context=context, hold=hold)


def may_decide(concern: Concern, user: User) -> bool:
    """Return whether this organiser reads and decides about it."""
    deciders = deciders_of(concern.season.league, concern.table, concern.by)
    return user.pk in {person.pk for person in deciders}


@transaction.atomic
def answer_concern(concern: Concern, by: User, outcome: Concern.Outcome, answer: str) -> None:
    """Close it with what was done, which the log shows, and email the answer to its author. Safe to repeat.

    Raises Refused if another organiser has answered, for organisers who sit at the table, and as every
    organiser action does.
    """
    season, answer = locked_season(concern.season_id), cleaned_reason(answer)
    require_organiser(season.league, by)
    concern = Concern.objects.select_related("season__league", "table__table", "by").get(pk=concern.pk)
    if not may_decide(concern, by):
        raise Refused(_("You sit at this table, so another organiser decides."))
    if not concern.is_open:
        if concern.answered_by_id == by.pk and (concern.outcome, concern.answer) == (outcome, answer):
            return
        raise Refused(_("An organiser has answered already. Nothing was changed."))
    concern.outcome, concern.answer = outcome, answer
    concern.answered_by, concern.answered_at = by, clock.now()
    concern.save(update_fields=["outcome", "answer", "answered_by", "answered_at"])
    record_event(AuditEvent.Kind.ANSWERED, season, by, table=concern.table, facts={"outcome": outcome})
    key, context = f"league_answer:{concern.pk}", {"concern": concern.pk}
    notify("league_answer", to=concern.by, key=key, context=context)
