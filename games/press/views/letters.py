"""The page on which somebody at the table chooses when letters of one circle come."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from games.press.access import get_circle_of, person
from games.press.board import circle_title
from games.press.commands import choose_letters
from games.press.following import chosen_letters
from games.press.links import circle_path
from games.press.models import Following
from games.private import private_page


class LettersForm(forms.Form):
    """When letters of one circle come."""

    letters = forms.ChoiceField(
        label=gettext_lazy("Letters of this talk"),
        choices=Following.Letters.choices,
        widget=forms.RadioSelect,
        required=False,
    )


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def circle_letters(request: HttpRequest, table_id: int, slug: str = "") -> HttpResponse:
    """Shows and changes it; for somebody at the table who reads the circle, and nobody else."""
    if person(request) is None:
        return redirect_to_login(request.get_full_path())
    circle, reader = get_circle_of(request, table_id, slug)
    if reader.seat is None or reader.user is None or not reader.is_in(circle):
        raise Http404
    form = LettersForm(request.POST or None, initial={"letters": chosen_letters(circle, reader.user)})
    form.label_suffix = ""
    if request.method == "POST" and form.is_valid():
        choose_letters(circle, reader.user, form.cleaned_data["letters"])
        messages.success(request, _("Saved."))
        return redirect(circle_path(circle))
    context = {
        "table": reader.table,
        "title": circle_title(circle, reader),
        "page": circle_path(circle),
        "form": form,
        "usual": reader.user.get_talk_letters_display(),
    }
    return render(request, "press/circle_letters.html", context, status=422 if form.errors else 200)
