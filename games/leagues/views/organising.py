"""What the pages of organisers share: who is there, and a form that is carried out or says why not."""

from __future__ import annotations

from collections.abc import Callable

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.models import User
from games.commands import Refused

read_or_send = require_http_methods(["GET", "HEAD", "POST"])


def person(request: HttpRequest) -> User:
    """Who is signed in: a view asks for it after its decorator or its door has."""
    assert isinstance(request.user, User)
    return request.user


def carried_out(form: forms.BaseForm, act: Callable[[], object]) -> bool:
    """Whether what the form asks for is done; if not, the form says why."""
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
    """A page with a form, in which what was typed stays when something is wrong."""
    status = status or (400 if form.errors else 200)
    return render(request, template, {"form": form, **context}, status=status)
