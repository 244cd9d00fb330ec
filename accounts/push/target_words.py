"""What targets hear. Others may read there, so a person's own notifications are one of three sentences.

They name the table and nothing else: no card, no message, no deal, and no link that opens a seat.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.own_name import site_name
from accounts.push.models import Push, TargetNotice
from accounts.push.queueing import BUILDERS

TEST = "test"

_SENTENCES = {
    # Translators: name is a table's name
    Push.Kind.TURN: gettext_lazy("Something waits for you: %(name)s"),
    # Translators: name is a table's name
    Push.Kind.REMINDER: gettext_lazy("Something still waits for you: %(name)s"),
    # Translators: name is a table's name
    Push.Kind.MESSAGE: gettext_lazy("There’s something new to read: %(name)s"),
}


@dataclass(frozen=True)
class TargetText:
    """What a target hears, and the path that it links to."""

    text: str
    path: str


NewsBuilder = Callable[[TargetNotice], TargetText | None]

NEWS_BUILDERS: dict[str, NewsBuilder] = {}


def news_kind(kind: str) -> Callable[[NewsBuilder], NewsBuilder]:
    """Register the decorated function, which builds public news of this kind.

    It returns None if there is no longer a reason to send it.
    """

    def register(build: NewsBuilder) -> NewsBuilder:
        if kind in NEWS_BUILDERS:
            raise ImproperlyConfigured(f"Two functions build the news {kind!r}.")
        NEWS_BUILDERS[kind] = build
        return build

    return register


def text_for(row: TargetNotice) -> TargetText | None:
    """Return what to tell the target, in the language of its person; None if there's no reason to."""
    if row.kind == TEST:
        # Translators: site is this site's name
        words = _("This is a test. Notifications from %(site)s arrive here.") % {"site": site_name()}
        return TargetText(words, reverse("notice_targets"))
    if row.target.subject:
        return NEWS_BUILDERS[row.kind](row)
    return _own_text(row)


def _own_text(row: TargetNotice) -> TargetText | None:
    notice = BUILDERS[row.kind](row)
    if notice is None or not notice.source.startswith(row.target.only_source):
        return None
    if notice.is_secret and not row.reader.is_bot:
        return None
    return TargetText(str(_SENTENCES[Push.Kind(row.kind)]) % {"name": notice.table}, notice.page)
