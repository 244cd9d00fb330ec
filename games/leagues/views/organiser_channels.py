"""The page on which organisers send a league's news to channels, such as Discord."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.push.target_forms import NewsForm, NewTargetForm
from accounts.push.target_views import add_from_form
from accounts.push.targets import remove_target
from games.leagues.access import get_organised
from games.leagues.services.league_news import KINDS, subject_of, targets_of, write_to_channels
from games.leagues.services.permissions import note_presence
from games.leagues.views.organiser_decisions import person
from games.services import Refused


@sensitive_post_parameters("endpoint", "token")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def league_channels(request: HttpRequest, number: int) -> HttpResponse:
    """List the channels that get a league's news, and add one."""
    league, reader = get_organised(request, number), person(request)
    form = NewTargetForm(
        request.POST if request.method == "POST" else None,
        kinds=KINDS,
        initial={"kinds": [kind for kind, _label in KINDS]},
    )
    if request.method == "POST":
        note_presence(league, reader)
    if request.method == "POST" and add_from_form(reader, form, subject_of(league.pk)):
        messages.success(request, _("You added the channel. All organisers can see it."))
        return redirect("league_channels", number)
    targets = list(targets_of(league))
    context = {
        "league": league,
        "form": form,
        "news_form": NewsForm(),
        "targets": [one for one in targets if one.user_id == reader.pk],
        "of_others": [one for one in targets if one.user_id != reader.pk],
    }
    return render(request, "leagues/organise/channels.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def league_channels_write(request: HttpRequest, number: int) -> HttpResponse:
    """Send a message of an organiser to the league's channels."""
    league, form = get_organised(request, number), NewsForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Enter a message of at most 500 characters."))
        return redirect("league_channels", number)
    try:
        write_to_channels(league, person(request), form.cleaned_data["text"])
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Your message is on its way."))
    return redirect("league_channels", number)


@require_POST
@login_required
def league_channel_remove(request: HttpRequest, number: int, target_id: int) -> HttpResponse:
    """Remove a channel of the league, whichever organiser added it."""
    league = get_organised(request, number)
    note_presence(league, person(request))
    remove_target(get_object_or_404(targets_of(league), pk=target_id))
    messages.success(request, _("You removed the channel."))
    return redirect("league_channels", number)
