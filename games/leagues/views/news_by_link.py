"""What an email about a page that is not public says now, opened by its link."""

from __future__ import annotations

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.middleware import in_recipients_locale
from accounts.models import User
from accounts.reader_links import sign_in_path
from games.leagues.access import LeagueAccess
from games.leagues.links import LinkContent
from games.leagues.models import League
from games.links import BadLink

_TO_ORGANISERS = ("league_needs", "league_open_seat_over")


def show_news(request: HttpRequest, link: LinkContent) -> HttpResponse:
    """Show what an email says now. Raises BadLink."""
    owner = _owner_of(link)
    page = "leagues/news.html"
    return in_recipients_locale(
        owner, request, lambda: render(request, page, {"news": _news_of(link, owner)})
    )


class NewsPage(NamedTuple):
    """The content of a news page: the recipient, the league, the text and the link after signing in."""

    owner: User
    league: League
    where: str
    heading: str
    paragraphs: tuple[str, ...]
    label: str
    path: str


def _owner_of(link: LinkContent) -> User:
    """Return the recipient of the email; raises BadLink without an active account."""
    owner = User.objects.filter(pk=link.user, is_active=True).first()
    if owner is None:
        raise BadLink
    return owner


def _news_of(link: LinkContent, owner: User) -> NewsPage:
    """Return the news for the recipient.

    Raises BadLink if they may no longer read the league.
    """
    league = League.objects.filter(pk=link.league).first()
    access = LeagueAccess(league, owner) if league else None
    email = OutgoingEmail.objects.select_related("to_user").filter(pk=link.pk, to_user=owner).first()
    if league is None or access is None or not access.is_person:
        raise BadLink
    content = _build_again(email, access) if email else None
    if content is None or content.context["action"] is None:
        paragraphs = (_("What this email was about is settled or has changed since."),)
        path = sign_in_path(owner, reverse("league", args=[league.pk]))
        return NewsPage(
            owner, league, league.name, _("This is settled"), paragraphs, _("Open the league"), path
        )
    said = content.context
    path = said["path"]
    if path.startswith("/"):  # a whole URL opens without signing in
        path = sign_in_path(owner, path)
    return NewsPage(
        owner, league, said["where"], said["heading"], tuple(said["sentences"]), said["action"].label, path
    )


def _build_again(email: OutgoingEmail, access: LeagueAccess) -> Content | None:
    """Return the email as it would be written now; None if it is no longer relevant."""
    if email.kind in _TO_ORGANISERS and not access.is_organiser:
        return None
    return EMAIL_KINDS[email.kind].build(email)
