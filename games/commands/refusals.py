"""Why a command was not carried out, in words for the person who asked."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.models import Table


class Refused(Exception):
    """Nothing was changed. The message is a translated sentence that may be shown."""


def over_before_it_began(table: Table) -> str:
    """Why a table gathers players no more."""
    if table.state == Table.State.CALLED_OFF:
        return _("The host has called this table off.")
    if table.state == Table.State.CLOSED:
        return _("This table was closed, for its game had not begun in time.")
    return _("The game at this table has begun already.")
