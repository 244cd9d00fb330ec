"""Where a reader of a game downloads its talk, `{% talk_file table key %}`: beside the record."""

from __future__ import annotations

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.models import Table
from games.press.access import Reader

register = template.Library()


@register.simple_tag
def talk_file(table: Table, prefix: str, game: int) -> SafeString | str:
    """The button for a player (`prefix` is "game") or a spectator; nothing where it may not be read."""
    if table.is_practice or prefix == "chronicle":  # a link opens a game, not what was said at its table
        return ""
    if prefix != "game" and not Reader(table, is_let_in=True).reads_public:
        return ""
    address = (
        reverse("game_talk", args=[game])
        if prefix == "game"
        else reverse("watch_talk_file", args=[table.watch_key])
    )
    return format_html('<a class="button quiet" href="{}">{}</a>', address, _("Download the talk"))
