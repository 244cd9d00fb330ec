"""Found a league, change its description and manage its organisers."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.rate_limits import hit
from games.leagues.models import AuditEvent, League, LeagueTable, Organiser, Registration, Season
from games.leagues.services.audit_log import email_event, record_event
from games.leagues.services.league_ratings import rate_again
from games.leagues.services.league_texts import cleaned_about, cleaned_name, cleaned_reason
from games.leagues.services.locks import locked_league
from games.leagues.services.permissions import require_account, require_organiser, require_staff
from games.services import Refused

LEAGUES_A_DAY = 5
MOST_ORGANISERS = 20


def found_league(
    founder: User,
    *,
    name: str,
    about: str = "",
    is_private: bool = False,
    form_key: UUID | None = None,
) -> League:
    """Create a league organised by its founder. The same form sent twice creates one league.

    Raises Refused for an invalid name or text, and when the founder has reached the daily limit.
    """
    key = form_key or uuid4()
    fields = {"name": cleaned_name(name), "about": cleaned_about(about), "is_private": is_private}
    try:
        return _create_league(founder, form_key=key, **fields)
    except IntegrityError:
        founded = League.objects.organised_by(founder).filter(form_key=key).first()
    return founded or _create_league(founder, form_key=uuid4(), **fields)  # the key belonged to someone else


@transaction.atomic
def _create_league(founder: User, **columns: object) -> League:
    require_account(founder)
    league = League.objects.create(**columns)
    if not hit("found league", str(founder.pk), LEAGUES_A_DAY):
        text = ngettext(
            "You have created %(most)d league today. Create the next one tomorrow.",
            "You have created %(most)d leagues today. Create the next one tomorrow.",
            LEAGUES_A_DAY,
        )
        raise Refused(text % {"most": LEAGUES_A_DAY})
    Organiser.objects.create(league=league, user=founder)
    record_event(AuditEvent.Kind.FOUNDED, league, founder)
    return league


@transaction.atomic
def change_league(
    league: League, by: User, *, name: str, about: str, is_private: bool, reason: str
) -> League:
    """Change the league's name, description and privacy, and email everyone in its present seasons.

    Unchanged values are not recorded.
    Tables of a private league are not rated. Existing ratings of them are removed at the next tick.
    """
    fields = {"name": cleaned_name(name), "about": cleaned_about(about), "is_private": is_private}
    league = locked_league(league)
    require_organiser(league, by)
    if all(getattr(league, column) == value for column, value in fields.items()):
        return league
    if league.is_private != is_private:
        rate_again(LeagueTable.objects.filter(round__division__season__league=league))
    for column, value in fields.items():
        setattr(league, column, value)
    league.save(update_fields=list(fields))
    event = record_event(AuditEvent.Kind.CHANGED, league, by, reason=cleaned_reason(reason))
    present = Registration.objects.filter(season__league=league, season__state__in=Season.GOING_ON)
    people = present.exclude(state__in=Registration.NOT_IN_SEASON).values("user")
    email_event(event, User.objects.filter(pk__in=people).order_by("pk"))
    return league


@transaction.atomic
def add_organiser(
    league: League, by: User, user: User, reason: str, role: Organiser.Role = Organiser.Role.ORGANISER
) -> Organiser:
    """Make someone an organiser or an assistant, and email them. Safe to repeat; assistants can rise.

    Raises Refused for an assistant who is an organiser already, and as every organiser action does.
    """
    require_account(user)
    league = locked_league(league)
    require_organiser(league, by)
    known = Organiser.staff.filter(league=league, user=user).first()
    if known is not None and known.role == role:
        return known
    if known is not None and known.role == Organiser.Role.ORGANISER:
        raise Refused(_("They are an organiser, so they can do all this already. Nothing was changed."))
    organiser = _make_organiser(league, user, role)
    facts = {"role": role.value} if role == Organiser.Role.ASSISTANT else {}
    why = cleaned_reason(reason)
    record_event(AuditEvent.Kind.ORGANISER, league, by, touched=[user], reason=why, facts=facts)
    return organiser


@transaction.atomic
def appoint_organiser(league: League, user: User) -> bool:
    """Make someone an organiser for the site's operator, and email them; return False if they are one.

    It's for leagues whose organisers are gone, so it asks no organiser.
    """
    require_account(user)
    league = locked_league(league)
    if league.organisers.filter(user=user).exists():
        return False
    _make_organiser(league, user, Organiser.Role.ORGANISER)
    email_event(record_event(AuditEvent.Kind.ORGANISER, league, None, touched=[user]), [user])
    return True


def _make_organiser(league: League, user: User, role: Organiser.Role) -> Organiser:
    everybody = Organiser.staff.filter(league=league)
    if everybody.exclude(user=user).count() >= MOST_ORGANISERS:
        raise Refused(
            ngettext(
                "A league can have at most %(most)d organiser.",
                "A league can have at most %(most)d organisers.",
                MOST_ORGANISERS,
            )
            % {"most": MOST_ORGANISERS}
        )
    organiser, _is_new = Organiser.staff.update_or_create(league=league, user=user, defaults={"role": role})
    return organiser


@transaction.atomic
def step_down(league: League, by: User) -> None:
    """Stop organising the league. The last organiser cannot, as players need someone to turn to."""
    league = locked_league(league)
    require_staff(league, by)
    own = Organiser.staff.get(league=league, user=by)
    if not own.is_assistant and league.organisers.count() == 1:
        raise Refused(_("You are the only organiser. Make someone else an organiser before you step down."))
    own.delete()
    facts = {"role": own.role} if own.is_assistant else {}
    record_event(AuditEvent.Kind.NO_ORGANISER, league, by, facts=facts)


@transaction.atomic
def remove_assistant(assistant: Organiser, by: User, reason: str) -> None:
    """End someone's work as an assistant, and email them. Safe to repeat.

    Raises Refused if they have become an organiser, and as every organiser action does.
    """
    league, reason = locked_league(assistant.league), cleaned_reason(reason)
    require_organiser(league, by)
    known = Organiser.staff.filter(pk=assistant.pk).first()
    if known is None:
        return
    if known.role == Organiser.Role.ORGANISER:
        raise Refused(_("They have become an organiser. Nothing was changed."))
    known.delete()
    facts = {"role": Organiser.Role.ASSISTANT.value, "is_removed": True}
    touched = [known.user]
    record_event(AuditEvent.Kind.NO_ORGANISER, league, by, touched=touched, reason=reason, facts=facts)
