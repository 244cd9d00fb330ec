"""A place in a season, by its letter's link: to confirm it, or to leave."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.leagues.commands import signing_up
from games.leagues.commands.looking import answers_by
from games.leagues.models import Entry, Season
from games.leagues.overview.course_in_words import at
from games.leagues.views.by_link.opened import Button, Opened


def of_entry(entry: Entry) -> Opened:
    season = entry.season
    may_confirm = season.state == Season.State.CONFIRMING and entry.state == Entry.State.SIGNED_UP
    may_leave = entry.state in (Entry.State.SIGNED_UP, Entry.State.CONFIRMED, Entry.State.WAITING)
    buttons = [Button("confirm", _("I play"))] if may_confirm else []
    if may_leave and _not_begun(season):
        buttons.append(Button("leave", _("I do not play"), is_quiet=True))
    return Opened(
        season,
        entry.user,
        _("Do you play?") if may_confirm else _("Your place"),
        (_how_it_is(entry),),
        tuple(buttons),
        {"confirm": lambda request: _confirmed(entry), "leave": lambda request: _left(entry)},
    )


def _not_begun(season: Season) -> bool:
    return season.state in (Season.State.SIGN_UP, Season.State.CONFIRMING)


def _how_it_is(entry: Entry) -> str:
    if entry.asked_at and entry.state == Entry.State.SIGNED_UP and _not_begun(entry.season):
        until = at(answers_by(entry.season, entry.asked_at))
        return _("You have a place, and are asked to say by %(until)s that you play.") % {"until": until}
    return {
        Entry.State.SIGNED_UP: _("You have signed up."),
        Entry.State.CONFIRMED: _("You have confirmed: the season begins by itself."),
        Entry.State.WAITING: _("You wait for a place."),
        Entry.State.PLAYING: _("The season has begun, and you play."),
        Entry.State.EXPECTED: _("A place is kept for you; sign up on the page of the season."),
        Entry.State.LEFT: _("You have left this season."),
        Entry.State.DROPPED: _("You have not confirmed in time, and your place went to somebody else."),
        Entry.State.WITHDRAWN: _("You have withdrawn from this season."),
        Entry.State.EXPELLED: _("You are no longer in this season."),
    }[Entry.State(entry.state)]


def _confirmed(entry: Entry) -> str:
    signing_up.confirm(entry)
    return _("You have confirmed.")


def _left(entry: Entry) -> str:
    signing_up.leave_season(entry.season, entry.user)
    return _("You have left the season.")
