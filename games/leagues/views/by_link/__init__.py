"""What a letter's link lets its reader do about a league without signing in: confirm a place or leave it,
take a seat as a substitute, answer an invitation, read its news. A GET shows; a button acts."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.middleware import told_by_link
from accounts.models import User
from games.commands import Refused
from games.forms import TakeSeatForm
from games.leagues.links import Matter, Named, read_token
from games.leagues.models import Ask, Entry, Invited
from games.leagues.overview.rules_in_words import rules_of, terms_of, tie_breaks_of
from games.leagues.views.by_link.asks import of_ask
from games.leagues.views.by_link.entries import of_entry
from games.leagues.views.by_link.invitations import of_invitation
from games.leagues.views.by_link.news import news_of, owner_of
from games.leagues.views.by_link.opened import NothingSaid, Opened
from games.links import BadLink
from games.private import private_page


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def league_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """One matter of a league by its letter's link."""
    try:
        named = read_token(token)
        if named.matter == Matter.NEWS:
            return _show_news(request, named)
        opened = _opened(named)
    except (BadLink, Entry.DoesNotExist, Ask.DoesNotExist, Invited.DoesNotExist):
        return render(request, "games/bad_link.html", status=404)
    if request.method == "POST":
        return told_by_link(opened.owner, request, lambda: _act(request, opened, token))
    return told_by_link(opened.owner, request, lambda: _show(request, opened))


def _opened(named: Named) -> Opened:
    """Raises BadLink or DoesNotExist once the row is gone, or another's, or its account is closed."""
    match named.matter:
        case Matter.ENTRY:
            entries = Entry.objects.select_related("season__league", "user")
            return of_entry(entries.get(pk=named.pk, user__pk=named.whose, user__is_active=True))
        case Matter.ASK:
            asks = Ask.objects.select_related(
                "substitute__user", "vacancy__table__table", "vacancy__table__round__division__season__league"
            )
            whose = {"substitute__user__pk": named.whose, "substitute__user__is_active": True}
            return of_ask(asks.get(pk=named.pk, **whose))
        case Matter.INVITED:
            if User.objects.filter(email=named.whose, is_active=False).exists():
                raise BadLink
            invited = Invited.objects.select_related("season__league", "by")
            return of_invitation(invited.get(pk=named.pk, email=named.whose))
    raise BadLink


def _show_news(request: HttpRequest, named: Named) -> HttpResponse:
    owner = owner_of(named)
    page = "leagues/news.html"
    return told_by_link(owner, request, lambda: render(request, page, {"news": news_of(named, owner)}))


def _show(
    request: HttpRequest, opened: Opened, form: TakeSeatForm | None = None, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {
        "opened": opened,
        "season": opened.season,
        "league": opened.season.league,
        "form": form or opened.form,
        "rules": rules_of(opened.season),
        "terms": terms_of(opened.season),
        "tie_breaks": tie_breaks_of(opened.season),
    }
    return render(request, "leagues/by_link.html", context, status=status)


def _act(request: HttpRequest, opened: Opened, token: str) -> HttpResponse:
    deed = opened.deeds.get(request.POST.get("action", ""))
    try:
        if deed is not None:
            messages.success(request, deed(request))
    except NothingSaid as nothing:
        return _show(request, opened, nothing.form, 400)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("league_by_link", token)
