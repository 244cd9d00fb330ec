"""What an email about a league said, by its link: for pages that are not for everyone. It shows the email's
sentences as they are now, and no more of the league."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from accounts.addresses import sign_in_path
from accounts.models import User
from accounts.post.content import Content
from accounts.post.models import Letter
from games.leagues.access import LeagueDoor
from games.leagues.links import Named
from games.leagues.models import League
from games.links import BadLink

_TO_ORGANISERS = ("league_needs", "league_vacancy_over")


class News(NamedTuple):
    """What the page shows: to whom it was sent, about what, and where it leads once they sign in."""

    owner: User
    league: League
    where: str
    heading: str
    told: tuple[str, ...]
    label: str
    path: str


def owner_of(named: Named) -> User:
    """The person to whom the email was sent. Raises BadLink without an open account."""
    owner = User.objects.filter(pk=named.whose, is_active=True).first()
    if owner is None:
        raise BadLink
    return owner


def news_of(named: Named, owner: User) -> News:
    """Raises BadLink for people who may not read the league any more."""
    league = League.objects.filter(pk=named.league).first()
    door = LeagueDoor(league, owner) if league else None
    letter = Letter.objects.select_related("to_user").filter(pk=named.pk, to_user=owner).first()
    if league is None or door is None or not door.is_person:
        raise BadLink
    content = _said(letter, door) if letter else None
    path = sign_in_path(owner.email, named.path)
    if content is None or content.context["action"] is None:
        told = (_("What this email was about is settled, or has changed since."),)
        return News(owner, league, league.name, _("This is settled"), told, _("Open the league"), path)
    said = content.context
    return News(
        owner, league, said["where"], said["heading"], tuple(said["told"]), said["action"].label, path
    )


def _said(letter: Letter, door: LeagueDoor) -> Content | None:
    """The email as it would be written now; None where the reason to write it is gone."""
    if letter.kind in _TO_ORGANISERS and not door.is_organiser:
        return None
    content: Content | None = import_string(settings.LETTER_KINDS[letter.kind])(letter)
    return content
