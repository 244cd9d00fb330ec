"""Drafts of signed-out people, kept in the session until they sign in. The site never sends them."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from accounts.rate_limits import client_key, hit
from games.chat.access import Reader
from games.chat.forms.message_forms import MessageForm
from games.chat.models import Channel
from games.chat.thread import new_form
from games.models import Table

MOST_DRAFTS_A_DAY = 60  # per connection, because each draft may create a session

_DRAFT = "draft"


def sign_in_first(request: HttpRequest, table_id: int, slug: str) -> HttpResponse:
    """Redirect to signing in, keeping or giving back the text.

    The answer doesn't reveal whether the channel exists.
    """
    form = MessageForm(request.POST)
    status = 400
    if form.is_valid():
        if _keep_draft(request, table_id, slug, form.cleaned_data["text"]):
            return redirect_to_login(request.get_full_path())
        form.add_error(
            "text", _("We can’t keep this message while you sign in. Copy it and send it afterwards.")
        )
        status = 429
    return render(request, "chat/signed_out.html", {"form": form}, status=status)


def form_with_draft(request: HttpRequest, channel: Channel, reader: Reader) -> MessageForm | None:
    """Return the form with the text typed while signed out, if any. It is shown only once."""
    draft = _draft_for(request, channel) if request.method == "GET" and reader.is_writer(channel) else ""
    if not draft:
        return None
    if not reader.may_write(channel):  # keep the draft until it can be sent
        messages.info(
            request,
            _("You were signed out, so your message was not sent. We’ll keep it until you can send it."),
        )
    else:
        request.session.pop(_DRAFT)
        messages.info(
            request, _("You were signed out, so your message was not sent. Check it and send it now.")
        )
    return new_form(channel, text=draft)


def _keep_draft(request: HttpRequest, table_id: int, slug: str, text: str) -> bool:
    """Keep a cleaned text for a channel, replacing an earlier one; return False after too many today.

    The session is written even if there is no such table, so that its cookie reveals nothing.
    """
    if not hit("draft", client_key(request), MOST_DRAFTS_A_DAY):
        return False
    is_known = Table.objects.filter(pk=table_id).exists()
    request.session[_DRAFT] = {"table": table_id, "channel": slug, "text": text if is_known else ""}
    return True


def _draft_for(request: HttpRequest, channel: Channel) -> str:
    """Return the draft kept for this channel; empty if there is none."""
    draft = request.session.get(_DRAFT)
    if draft is None or (draft["table"], draft["channel"]) != (channel.table_id, channel.slug):
        return ""
    return str(draft["text"])
