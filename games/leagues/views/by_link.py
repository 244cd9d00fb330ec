"""What a link in a league email opens without signing in: GET only shows, POST acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_http_methods

from accounts.middleware import in_recipients_locale
from accounts.models import User
from accounts.tokens import fingerprint
from games.access import reader_of
from games.leagues.links import LinkContent, Matter, read_token
from games.leagues.models import Concern, Invitation, Organiser, Registration, SubstituteOffer
from games.leagues.selectors.season_rules import rules_of, tie_breaks_of
from games.leagues.services.permissions import is_organiser
from games.leagues.views.link_page import InvalidForm, LinkPage
from games.leagues.views.news_by_link import show_news
from games.leagues.views.offer_by_link import offer_page
from games.leagues.views.organiser_vanished import still_here_page
from games.leagues.views.place_by_link import invitation_page, place_page
from games.leagues.views.telling import concern_page
from games.links import BadLink
from games.private_pages import private_page
from games.services import Refused


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def league_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show and handle one league matter through an email's link."""
    try:
        link = read_token(token)
        if link.matter == Matter.NEWS:
            return show_news(request, link)
        owner, opened = _owner_and_page(link)
    except (BadLink, ObjectDoesNotExist):
        return render(request, "games/bad_link.html", status=404)
    if request.method == "POST":
        return in_recipients_locale(owner, request, lambda: _act(request, opened(), token, owner))
    return in_recipients_locale(owner, request, lambda: _show(request, opened(), owner))


def _owner_and_page(link: LinkContent) -> tuple[User | None, Callable[[], LinkPage]]:
    """Return the link's owner, and a function that makes its page content in their language.

    Raises BadLink or DoesNotExist if the row is gone or belongs to someone else, or the account is closed.
    """
    match link.matter:
        case Matter.ENTRY:
            entries = Registration.objects.select_related("season__league", "user")
            entry = entries.get(pk=link.pk, user__pk=link.user, user__is_active=True)
            return entry.user, lambda: place_page(entry)
        case Matter.ASK:
            asks = SubstituteOffer.objects.select_related(
                "substitute__user",
                "open_seat__table__table",
                "open_seat__table__round__division__season__league",
            )
            whose = {"substitute__user__pk": link.user, "substitute__user__is_active": True}
            ask = asks.get(pk=link.pk, **whose)
            return ask.substitute.user, lambda: offer_page(ask)
        case Matter.CONCERN:
            concerns = Concern.objects.select_related("season__league")
            concern = concerns.get(pk=link.pk)
            organiser = User.objects.get(pk=link.user, is_active=True)
            if not is_organiser(concern.season.league, organiser):
                raise BadLink
            return organiser, lambda: concern_page(concern, organiser)
        case Matter.ORGANISER:
            organisers = Organiser.objects.select_related("league", "user")
            asked = organisers.get(pk=link.pk, user__pk=link.user, user__is_active=True)
            return asked.user, lambda: still_here_page(asked)
        case Matter.INVITED:
            invited = Invitation.objects.select_related("season__league", "by").get(pk=link.pk)
            if not constant_time_compare(fingerprint(invited.email), link.address):
                raise BadLink
            if User.objects.filter(email=invited.email, is_active=False).exists():
                raise BadLink
            owner = User.objects.filter(email=invited.email, deleted_at=None).first()
            return owner, lambda: invitation_page(invited, owner)
    raise BadLink


def _show(
    request: HttpRequest,
    opened: LinkPage,
    owner: User | None,
    form: BaseForm | None = None,
    status: int = 200,
) -> HttpResponse:
    reader = reader_of(request)
    context: dict[str, Any] = {
        "opened": opened,
        "season": opened.season,
        "league": opened.league,
        "form": form or opened.form,
        "someone_else": reader if reader != owner else None,
        "rules": rules_of(opened.season) if opened.season else (),
        "tie_breaks": tie_breaks_of(opened.season) if opened.season else (),
    }
    return render(request, "leagues/by_link.html", context, status=status)


def _act(request: HttpRequest, opened: LinkPage, token: str, owner: User | None) -> HttpResponse:
    act = opened.actions.get(request.POST.get("action", ""))
    try:
        if act is not None:
            messages.success(request, act(request))
    except InvalidForm as invalid:
        return _show(request, opened, owner, invalid.form, 400)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("league_by_link", token)
