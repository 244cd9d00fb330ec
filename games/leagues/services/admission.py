"""Admission to a season: of anyone, by request or by invitation only, and after how many finished games."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Invitation, Registration, Season
from games.selectors.seen_to_the_end import seen_to_the_end
from games.services import Refused


def require_admission(entry: Registration, answer: str) -> bool:
    """Return whether someone who signs up joins directly; otherwise an organiser decides first.

    Invited people and those with a reserved place join directly, whatever the rules for others.
    Raises Refused for everyone who may not join, and without an answer to what organisers ask.
    """
    season = entry.season
    if is_expected(entry):
        return True
    if refusal := why_not(entry):
        raise Refused(refusal)
    if season.asks and not answer.strip():
        raise Refused(_("Answer what the organisers ask, then sign up."))
    return season.joining != Season.Joining.REQUEST


def is_expected(entry: Registration) -> bool:
    """Return whether the person has a reserved place or was invited."""
    if entry.state == Registration.State.EXPECTED:
        return True
    invited = entry.season.invited.exclude(state=Invitation.State.WITHDRAWN)
    return invited.filter(email=entry.user.email).exists()


def why_not(entry: Registration) -> str:
    """Return why someone who isn't expected may not join; empty if they may."""
    season, user = entry.season, entry.user
    if entry.state == Registration.State.DECLINED:
        return _("An organiser has declined your request.")
    if season.joining == Season.Joining.INVITED:
        return _("Only invited people can sign up for this season.")
    if season.min_finished and seen_to_the_end([user.pk], user)[user.pk].seen < season.min_finished:
        return finished_text(season.min_finished)
    return ""


def finished_text(least: int) -> str:
    """Return how many games someone has to have played to the end before they sign up."""
    text = ngettext(
        "You can sign up once you’ve played %(n)d game on this site to the end.",
        "You can sign up once you’ve played %(n)d games on this site to the end.",
        least,
    )
    return text % {"n": least}
