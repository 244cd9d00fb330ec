"""Drafts of signed-out users, kept in the session until they sign in. The site never sends them."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.rate_limits import client_key, hit
from games.chat.models import Channel
from games.models import Table

MOST_A_DAY = 60  # per connection, because each draft may create a session

_KEY = "draft"


def keep_draft(request: HttpRequest, table_id: int, slug: str, text: str) -> bool:
    """Keep a cleaned text for a channel, replacing an earlier one; return False after too many today.

    The session is written even if there is no such table, so that its cookie reveals nothing.
    """
    if not hit("draft", client_key(request), MOST_A_DAY):
        return False
    is_known = Table.objects.filter(pk=table_id).exists()
    request.session[_KEY] = {"table": table_id, "channel": slug, "text": text if is_known else ""}
    return True


def draft_for(request: HttpRequest, channel: Channel) -> str:
    """Return the draft kept for this channel; empty if there is none."""
    draft = request.session.get(_KEY)
    if draft is None or (draft["table"], draft.get("channel", "")) != (channel.table_id, channel.slug):
        return ""
    return str(draft["text"])


def drop_draft(request: HttpRequest) -> None:
    """Delete the draft once it has been given back."""
    request.session.pop(_KEY, None)
