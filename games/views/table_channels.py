"""The page on which a host sends a table's news to channels, such as Discord."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.push.target_forms import NewsForm, NewTargetForm
from accounts.push.target_views import add_from_form
from accounts.push.targets import own_targets
from games.access import get_hosted_table, person_of
from games.services import Refused
from games.services.table_news import KINDS, OVER, WORDS, subject_of, write_to_channels


@sensitive_post_parameters("endpoint", "token")
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def table_channels(request: HttpRequest, table_id: int) -> HttpResponse:
    """List the channels that get a table's news, and add one, as the host."""
    table, host = get_hosted_table(request, table_id), person_of(request)
    form = NewTargetForm(
        request.POST if request.method == "POST" else None, kinds=KINDS, initial={"kinds": [OVER, WORDS]}
    )
    subject = subject_of(table.pk)
    if request.method == "POST" and add_from_form(host, form, subject):
        messages.success(request, _("You added the channel. Everyone at the table can see that."))
        return redirect("table_channels", table.pk)
    context = {
        "table": table,
        "form": form,
        "news_form": NewsForm(),
        "targets": list(own_targets(host).filter(subject=subject)),
    }
    return render(request, "games/table_channels.html", context, status=422 if form.errors else 200)


@require_POST
@login_required
def table_channels_write(request: HttpRequest, table_id: int) -> HttpResponse:
    """Send a message of the host to the table's channels."""
    table, form = get_hosted_table(request, table_id), NewsForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Enter a message of at most 500 characters."))
        return redirect("table_channels", table.pk)
    try:
        write_to_channels(table, person_of(request), form.cleaned_data["text"])
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, _("Your message is on its way."))
    return redirect("table_channels", table.pk)
