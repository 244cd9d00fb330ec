"""Requests to join a season: an organiser accepts or declines each. They are not in the league's log."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import Registration, Season
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_account, require_organiser
from games.leagues.services.registration import require_open, take_out, take_place
from games.leagues.services.schedule import reschedule
from games.services import Refused


@transaction.atomic
def accept_request(entry: Registration, by: User) -> Registration:
    """Accept a request to join: the person gets a place, or waits for one. Safe to repeat.

    Raises Refused if the request was withdrawn or declined, or the season is over.
    """
    require_account(entry.user)
    season, entry = _locked(entry, by)
    if entry.state in (*Registration.WITH_PLACE, Registration.State.WAITING):
        return entry
    _require_requested(entry)
    require_open(season)
    take_place(season, entry, clock.now())
    entry.save(update_fields=["state", "registered_at", "confirmed_at"])
    _tell(entry)
    reschedule(season)
    return entry


@transaction.atomic
def decline_request(entry: Registration, by: User, reason: str) -> Registration:
    """Decline a request to join, and email the person the reason. Safe to repeat.

    Raises Refused if the request was withdrawn or accepted.
    """
    _season, entry = _locked(entry, by)
    if entry.state == Registration.State.DECLINED:
        return entry
    _require_requested(entry)
    entry.reason = cleaned_reason(reason)
    entry.save(update_fields=["reason"])
    take_out(entry, Registration.State.DECLINED, clock.now())
    _tell(entry)
    return entry


def _locked(entry: Registration, by: User) -> tuple[Season, Registration]:
    season = locked_season(entry.season_id)
    require_organiser(season.league, by)
    return season, season.entries.select_related("user").get(pk=entry.pk)


def _require_requested(entry: Registration) -> None:
    if entry.state != Registration.State.REQUESTED:
        raise Refused(_("This request is no longer open."))


def _tell(entry: Registration) -> None:
    key = f"league_request:{entry.pk}:{clock.now().isoformat()}"
    queue("league_request", to=entry.user, key=key, context={"entry": entry.pk})
