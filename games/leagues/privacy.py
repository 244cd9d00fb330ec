"""A person's data in leagues: seasons, seats taken and left, leagues organised, and events about them.

Standings are computed from games, which are kept; there the person appears as a former player.
"""

from __future__ import annotations

import re
from typing import Any

from django.db.models import Q, QuerySet

from accounts.models import User
from accounts.names import NAME_LEFT_OUT
from games.chat.models.messages import TAKEN_OUT
from games.leagues.models import (
    AuditEvent,
    Award,
    Bye,
    Concern,
    Invitation,
    League,
    MissedRound,
    OpenSeat,
    Organiser,
    Rating,
    RatingChange,
    Registration,
    Season,
    SeatAssignment,
    Standing,
    Substitute,
    SubstituteOffer,
)
from games.leagues.services.account_closing import leave_everything

_EVENT = ("kind", "facts", "reason", "at")
_LEAGUE = {"league": "league__name"}
_TABLE = {"round": "table__round__number", "table": "table__table"}
_GAMES_TABLE = {"table": "table__table"}


def export(user: User) -> dict[str, Any]:
    """Return the person's league data as rows, without anyone else's name, address or note."""
    return {"leagues": _as_player(user) | _as_helper(user) | _as_organiser(user)}


def _as_player(user: User) -> dict[str, Any]:
    return {
        "seasons": _exported(
            Registration.objects.filter(user=user),
            _season_columns(),
            {"division": "division__level", "level_reserved": "reserved"},
            "state", "from_round", "skipped", "registered_at", "confirmed_at", "out_at", "reason", "answer",
        ),
        "tables": _exported(
            SeatAssignment.objects.filter(entry__user=user),
            _season_columns("entry__season"),
            _TABLE,
            "position",
        ),
        "rounds_sat_out": _exported(
            Bye.objects.filter(entry__user=user), _season_columns("entry__season"), {"round": "round__number"}
        ),
        "rounds_missed_while_away": _exported(
            MissedRound.objects.filter(entry__user=user),
            _season_columns("entry__season"),
            {"round": "round__number", "table_in_its_place": "make_up__table"},
            "at",
        ),
        "places": _exported(
            Standing.objects.filter(entry__user=user),
            _season_columns("entry__season"),
            {"division": "division__level"},
            "place", "points", "tables", "victories", "average", "next_level", "won_final",
        ),
        "ratings": _exported(Rating.objects.filter(user=user), "edition", "mu", "sigma", "tables"),
        "rating_changes": _exported(
            RatingChange.objects.filter(user=user), "edition", "table", "at", "mu", "sigma"
        ),
        "invitations_to_me": _exported(_invitations_to(user), _season_columns(), "level", "state", "sent_at"),
        "told_organisers": _exported(
            Concern.objects.filter(by=user),
            _season_columns(),
            _GAMES_TABLE,
            "about", "text", "told_at", "outcome", "answer", "answered_at",
        ),
        "decided_about_me": _exported(AuditEvent.objects.filter(touched=user), _LEAGUE, *_EVENT),
    }  # fmt: skip


def _as_helper(user: User) -> dict[str, Any]:
    return {
        "help_offered": _exported(
            Substitute.objects.filter(user=user), _season_columns(), "registered_at", "turn_at", "stopped_at"
        ),
        "asked_for_a_seat": _exported(
            SubstituteOffer.objects.filter(substitute__user=user),
            _season_columns("substitute__season"),
            "asked_at",
            "until",
            "answer",
        ),
        "seats_left": _exported(
            OpenSeat.objects.filter(left_by=user), _GAMES_TABLE, "seat", "why", "note", "opened_at"
        ),
        "seats_taken": _exported(OpenSeat.objects.filter(taken_by=user), _GAMES_TABLE, "seat", "closed_at"),
    }


def _as_organiser(user: User) -> dict[str, Any]:
    return {
        "organised": _exported(Organiser.staff.filter(user=user), _LEAGUE, "since", "role", "asked_at"),
        "invitations_by_me": _exported(
            Invitation.objects.filter(by=user), _season_columns(), "state", "sent_at"
        ),
        "decided_by_me": _exported(AuditEvent.objects.filter(by=user), _LEAGUE, *_EVENT),
        "answered_by_me": _exported(
            Concern.objects.filter(answered_by=user), _season_columns(), "outcome", "answer", "answered_at"
        ),
        "points_awarded_by_me": _exported(
            Award.objects.filter(by=user), _GAMES_TABLE, "points", "results", "reason", "at"
        ),
    }


def _season_columns(path: str = "season") -> dict[str, str]:
    return {"league": f"{path}__league__name", "season": f"{path}__number"}


def _exported(found: QuerySet[Any], *columns: str | dict[str, str]) -> list[dict[str, Any]]:
    """Return these columns of the rows, the oldest first; a dict renames its columns."""
    named: dict[str, str] = {}
    for column in columns:
        named |= column if isinstance(column, dict) else {column: column}
    rows = found.order_by("pk").values_list(*named.values())
    return [dict(zip(named, row, strict=True)) for row in rows]


def redact(user: User) -> None:
    """Empty the reasons and notes that the person wrote, on their request; the events themselves stay.

    Called before `erase`, in the same transaction.
    """
    AuditEvent.objects.filter(by=user).exclude(reason="").update(reason=TAKEN_OUT)
    Award.objects.filter(by=user).update(reason=TAKEN_OUT)
    own = Registration.objects.filter(user=user, state=Registration.State.WITHDRAWN).exclude(reason="")
    own.update(reason=TAKEN_OUT)
    Registration.objects.filter(user=user).update(answer="")
    OpenSeat.objects.filter(left_by=user).update(note="")
    Concern.objects.filter(by=user).update(text=TAKEN_OUT)
    Concern.objects.filter(answered_by=user).update(answer=TAKEN_OUT)


def leave(user: User) -> None:
    """Leave every season and every league that this person plays in or organises."""
    leave_everything(user)


def erase(user: User) -> None:
    """Remove the person's name from other people's rows, once they have left every season and league.

    Part of the caller's transaction, which holds the person's lock.
    """
    _invitations_to(user).delete()
    about = (Registration.State.EXPELLED, Registration.State.DECLINED)
    Registration.objects.filter(user=user, state__in=about).update(reason="")  # it was written about them
    Registration.objects.filter(user=user).update(answer="")
    AuditEvent.objects.filter(touched=user, kind=AuditEvent.Kind.EXPELLED).update(reason="")
    _redact_name(user)


def _redact_name(user: User) -> None:
    """Remove the person's name from reasons of events that affected them or that they decided."""
    for event in AuditEvent.objects.filter(Q(touched=user) | Q(by=user)).distinct():
        event.reason = _without(event.reason, user)
        event.save(update_fields=["reason"])
    for award in Award.objects.filter(table__assignments__entry__user=user):
        award.reason = _without(award.reason, user)
        award.save(update_fields=["reason"])

    for concern in Concern.objects.filter(season__in=_seasons_of(user)):
        concern.text, concern.answer = _without(concern.text, user), _without(concern.answer, user)
        concern.save(update_fields=["text", "answer"])


def _seasons_of(user: User) -> QuerySet[Season]:
    """Return the seasons in which others may have written about this person."""
    leagues = League.objects.filter(Q(seasons__entries__user=user) | Q(seasons__substitutes__user=user))
    organised = Organiser.staff.filter(user=user).values("league")
    return Season.objects.filter(Q(league__in=leagues) | Q(league__in=organised))


def _without(text: str, user: User) -> str:
    name = rf"(?<!\w){re.escape(user.shown_name)}(?!\w)"
    return re.sub(name, NAME_LEFT_OUT, text, flags=re.IGNORECASE)


def _invitations_to(user: User) -> QuerySet[Invitation]:
    return Invitation.objects.filter(email=user.email)
