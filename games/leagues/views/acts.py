"""An act of an organiser: a page that shows what follows from it, and asks for what it needs, before it is
done. GET shows, POST acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from games.leagues.models import League
from games.leagues.overview.running import Way
from games.leagues.views.organising import carried_out, show_form


@dataclass(frozen=True)
class Act:
    """What is to be done, in words, and by what."""

    title: str
    follows: Sequence[str]  # sentences: what it does, to whom, and what can be taken back
    button: str
    done: str  # what is said afterwards
    is_final: bool = False  # whether it takes something away that does not come back
    others: Sequence[Way] = ()  # what could be done instead


def act_page(
    request: HttpRequest,
    league: League,
    act: Act,
    form: forms.Form,
    command: Callable[[], object],
    back: str = "",
) -> HttpResponse:
    """The page of an act; once it is done, whatever page it belongs to says so."""
    back = back or reverse("organise", args=[league.pk])
    if request.method == "POST" and carried_out(form, command):
        messages.success(request, act.done)
        return redirect(back)
    return show_form(request, "leagues/organise/act.html", form, act=act, league=league, back=back)
