"""Messages of organisers to the players of a table, a division or a season."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import Block, User
from accounts.rate_limits import hit
from games.clocks.pauses import PRESSED_TWICE
from games.leagues.models import AuditEvent, Division, LeagueTable, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_staff
from games.leagues.services.table_deadlines import people_of
from games.services import Refused

MESSAGES_A_DAY = 20


@transaction.atomic
def write_to_players(season: Season, by: User, to: Division | LeagueTable | None, text: str) -> None:
    """Email a message to the players of a table or a division, or to everyone in the season.

    Each gets it as their notification settings say; people who block the organiser don't. Pressed twice, it
    is sent once. Raises Refused if there is no one to write to, after too many messages, and as every
    organiser action does.
    """
    season = locked_season(season)
    require_staff(season.league, by)
    text = cleaned_reason(text)
    table, facts = (to, {}) if isinstance(to, LeagueTable) else (None, {"division": to.level} if to else {})
    same = season.events.filter(kind=AuditEvent.Kind.WROTE, by=by, table=table, facts=facts, reason=text)
    if same.filter(at__gt=clock.now() - PRESSED_TWICE).exists():
        return
    people = _readers(season, by, to)
    if not people:
        raise Refused(_("There is no one to write to."))
    if not hit("league_message", str(by.pk), MESSAGES_A_DAY):
        raise Refused(_("You’ve sent too many messages today. Try again tomorrow."))
    record_event(
        AuditEvent.Kind.WROTE,
        season,
        by,
        touched=people,
        reason=text,
        facts=facts,
        table=table,
        email="league_message",
    )


def _readers(season: Season, by: User, to: Division | LeagueTable | None) -> list[User]:
    """Return those who get the message: active people other than its author, who don't block them."""
    if isinstance(to, LeagueTable):
        found = set(people_of(to))
    else:
        entries = season.entries.exclude(state__in=Registration.NOT_IN_SEASON).select_related("user")
        found = {entry.user for entry in (entries.filter(division=to) if to else entries)}
    blocking = set(Block.objects.filter(whom=by, by__in=found).values_list("by", flat=True))
    left_out = blocking | {by.pk}
    return sorted((one for one in found if one.is_active and one.pk not in left_out), key=lambda one: one.pk)
