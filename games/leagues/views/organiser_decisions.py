"""Pages on which an organiser decides: each first shows the effects, and then acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.models import User
from games.leagues.models import League
from games.leagues.selectors.organiser_links import OrganiserLink
from games.services import Refused

read_or_send = require_http_methods(["GET", "HEAD", "POST"])
Row = TypeVar("Row", bound=Model)


def person(request: HttpRequest) -> User:
    """Return the signed-in user, in views that have already required one."""
    assert isinstance(request.user, User)
    return request.user


def refusal_of(require: Callable[[], object]) -> str:
    """Return the sentence in which the check refuses; empty if it doesn't."""
    try:
        require()
    except Refused as refused:
        return str(refused)
    return ""


def carried_out(form: forms.BaseForm, act: Callable[[], object]) -> bool:
    """Run the action if the form is valid, and return whether it succeeded.

    A refusal becomes an error of the form.
    """
    if not form.is_valid():
        return False
    try:
        act()
    except Refused as refused:
        form.add_error(None, str(refused))
    return not form.errors


def show_form(
    request: HttpRequest, template: str, form: forms.BaseForm, *, status: int | None = None, **context: object
) -> HttpResponse:
    """Render a page with a form, which keeps the input if there are errors."""
    status = status or (400 if form.errors else 200)
    return render(request, template, {"form": form, **context}, status=status)


@dataclass(frozen=True)
class OrganiserDecision:
    """A decision in a league, as shown on its page, and how it is carried out."""

    league: League
    title: str
    follows: Sequence[str]  # sentences: what it does, to whom, and whether it can be undone
    button: str
    done: str  # the message shown afterwards
    form: forms.Form
    act: Callable[[dict[str, Any]], object]  # given the values of the form
    back: str = ""  # the path to go back to, if not the league's
    subject: str = ""  # the table it is about, below the title
    is_final: bool = False  # whether it removes something for good
    others: Sequence[OrganiserLink] = ()  # what the organiser could do instead
    fills: Sequence[tuple[str, str]] = ()  # values and labels of buttons that fill in the form, unsaved
    refusal: str = ""  # why it can't be made now; its page has no form then
    next: str = ""  # the path that follows, if not the one to go back to


def decides(
    find: Callable[..., Row],
) -> Callable[[Callable[[HttpRequest, Row], OrganiserDecision]], Callable[..., HttpResponse]]:
    """Make a view of a function that describes a decision about the row that `find` returns."""

    def decorate(describe: Callable[[HttpRequest, Row], OrganiserDecision]) -> Callable[..., HttpResponse]:
        @wraps(describe)
        @read_or_send
        @login_required
        def show_or_act(request: HttpRequest, number: int, **where: int) -> HttpResponse:
            act = describe(request, find(request, number, **where))
            back = act.back or reverse("organise", args=[number])
            is_sent = request.method == "POST" and "fill" not in request.POST
            if is_sent and carried_out(act.form, lambda: act.act(act.form.cleaned_data)):
                messages.success(request, act.done)
                return redirect(act.next or back)
            template = "leagues/organise/act.html"
            return show_form(request, template, act.form, act=act, league=act.league, back=back)

        return show_or_act

    return decorate
