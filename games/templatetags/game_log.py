"""The sentences of a game's log as a list: most of a long page, and so joined here, not in a template."""

from __future__ import annotations

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from games.viewing.chapters import Chapter

register = template.Library()


@register.simple_tag
def chapter_sentences(chapter: Chapter) -> SafeString:
    """The items of one chapter, what its reader has not read yet marked as new."""
    return _items(chapter.sentences, chapter.read if chapter.is_new else None, _("New"))


def _items(sentences: tuple[str, ...], read: int | None, new: str) -> SafeString:
    mark = format_html('<li class="new"><strong class="new-mark">{}</strong> ', new)
    first_new = len(sentences) if read is None else read
    told = ((mark if number >= first_new else "<li>", escape(one)) for number, one in enumerate(sentences))
    return SafeString("".join(f"{opening}{sentence}</li>" for opening, sentence in told))
