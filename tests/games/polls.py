"""An open page that polls for news, as its script does."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from django.test import Client

LIVE = re.compile(r'<div id="live" hx-get="([^"]+)"\s+hx-headers=\'([^\']+)\'')


def asked_by(page: str) -> tuple[str, dict[str, str]]:
    """Return the address this page polls, and the headers it sends."""
    found = LIVE.search(page)
    assert found, "the page asks for no news"
    return found[1], json.loads(html.unescape(found[2]))


def poll(client: Client, page: str) -> Any:
    """Return the answer to this page's poll."""
    address, headers = asked_by(page)
    return client.get(address, headers=headers)
