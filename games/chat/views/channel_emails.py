"""The page where a player chooses when emails of one channel come."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games.chat.access import get_channel_of
from games.chat.channel_text import channel_title
from games.chat.forms.message_forms import ChannelEmailsForm
from games.chat.links import channel_path
from games.chat.read_markers import chosen_emails
from games.chat.services import choose_emails
from games.private_pages import private_page


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def channel_emails(request: HttpRequest, table_id: int, slug: str = "") -> HttpResponse:
    """Show and change when emails of a channel come, only for players who read it."""
    channel, reader = get_channel_of(request, table_id, slug)
    if reader.seat is None or reader.user is None or not reader.is_in(channel):
        raise Http404
    form = ChannelEmailsForm(request.POST or None, initial={"emails": chosen_emails(channel, reader.user)})
    if request.method == "POST" and form.is_valid():
        choose_emails(channel, reader.user, form.cleaned_data["emails"])
        messages.success(request, _("Your choice was saved."))
        return redirect(channel_path(channel))
    context = {
        "table": reader.table,
        "title": channel_title(channel, reader),
        "page": channel_path(channel),
        "form": form,
        "usual": reader.user.get_chat_emails_display(),
    }
    return render(request, "chat/channel_emails.html", context, status=422 if form.errors else 200)
