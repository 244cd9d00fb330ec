"""By what right something is done in a league, and for what reason."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.models import User
from games.commands import Refused
from games.leagues.commands.locking import is_organiser
from games.leagues.models import League

LONGEST_REASON = 1000


def stated(reason: str) -> str:
    """The reason as it is written down. Raises Refused where none is given, or a whole speech."""
    said = reason.replace("\0", "").strip()
    if not said:
        raise Refused(_("Say why: those it touches will read it."))
    return _short_enough(said)


def stated_if_any(reason: str) -> str:
    """The same where nobody has to give one."""
    return _short_enough(reason.replace("\0", "").strip())


def _short_enough(said: str) -> str:
    if len(said) > LONGEST_REASON:
        raise Refused(_("Say it in at most %(most)d characters.") % {"most": LONGEST_REASON})
    return said


def require_organiser(league: League, by: User) -> None:
    """Raises Refused for everybody else. Whoever asks is known to be signed in."""
    if not is_organiser(league, by):
        raise Refused(_("Only who organises this league does that."))
