"""What channels get as a table's public news."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.push.models import TargetNotice
from accounts.push.target_words import TargetText, news_kind
from games.models import Table
from games.services.table_news import OVER, WORDS


@news_kind(OVER)
def table_over(row: TargetNotice) -> TargetText | None:
    """Build the news that a table's game is over; not how it ended, which the page says to its readers."""
    table = _hosted_table(row)
    if table is None:
        return None
    # Translators: name is a table's name
    return _about(table, _("%(name)s is over.") % {"name": table.name})


@news_kind(WORDS)
def table_words(row: TargetNotice) -> TargetText | None:
    """Build a message of the host."""
    table = _hosted_table(row)
    if table is None:
        return None
    words = {"name": table.name, "text": row.context["text"]}
    # Translators: name is a table's name, text is what its host wrote
    return _about(table, _("%(name)s: %(text)s") % words)


def _hosted_table(row: TargetNotice) -> Table | None:
    """Return the table, if the target is still its host's."""
    return Table.objects.filter(pk=row.context["table"], host=row.target.user_id).first()


def _about(table: Table, text: str) -> TargetText:
    return TargetText(text, reverse("table", args=[table.pk]))
