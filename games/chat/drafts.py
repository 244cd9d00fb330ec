"""What somebody signed out tried to send: kept in his session until he has signed in, never sent for him."""

from __future__ import annotations

from django.http import HttpRequest

from accounts.rate_limits import client_key, hit
from games.chat.models import Channel
from games.models import Table

MOST_A_DAY = 60  # from one place: each may make a session

_KEY = "draft"


def keep_draft(request: HttpRequest, table_id: int, slug: str, text: str) -> bool:
    """Keep a cleaned text for a channel of a table, in place of an earlier one; False: too many today.

    The session is written even if there is no such table, for its cookie must not tell.
    """
    if not hit("draft", client_key(request), MOST_A_DAY):
        return False
    is_known = Table.objects.filter(pk=table_id).exists()
    request.session[_KEY] = {"table": table_id, "channel": slug, "text": text if is_known else ""}
    return True


def draft_for(request: HttpRequest, channel: Channel) -> str:
    """The text that was kept for this channel; empty if there is none."""
    draft = request.session.get(_KEY)
    if draft is None or (draft["table"], draft.get("channel", "")) != (channel.table_id, channel.slug):
        return ""
    return str(draft["text"])


def drop_draft(request: HttpRequest) -> None:
    """It has been given back."""
    request.session.pop(_KEY, None)
