"""A player's place in a season and what comes next for them, in sentences."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.time_elements import moment_element, with_times
from games.leagues.models import LeagueTable, Registration, Season, Standing
from games.leagues.services.ready_tables import next_round, tables_held, waits_until
from games.leagues.services.schedule import answers_by

State, Has = Season.State, Registration.State


def place_text(mine: Registration) -> str:
    """Return a player's status in a season as a sentence."""
    match mine.state:
        case Has.EXPECTED:
            return _("A place is reserved for you until sign-up ends. Sign up to take it.")
        case Has.SIGNED_UP:
            return _("You have a place.")
        case Has.CONFIRMED:
            return _("You have a place and have confirmed it.")
        case Has.WAITING:
            return _("You are number %(n)d on the waiting list.") % {"n": _number_waiting(mine)}
        case Has.PLAYING if mine.season.state == State.CLOSED:
            standing = Standing.objects.filter(entry=mine).select_related("division").first()
            return final_place_text(standing, mine.season) if standing else ""
        case Has.PLAYING:
            return _("You are playing in this season.")
        case Has.LEFT:
            return _("You have left this season.")
        case Has.NO_SHOW:
            return _("You did not confirm in time, so you have no place.")
        case Has.WITHDRAWN:
            return _("You have withdrawn from this season.")
    return _("An organiser has expelled you from this season.")


def final_place_text(own: Standing, season: Season) -> str:
    """Return a player's place in a closed season as a sentence."""
    words = {"place": own.place, "letter": own.division.letter}
    if season.most_divisions == 1:
        return _("Your rank: %(place)d.") % words
    # Translators: letter is the division's
    return _("Your rank in division %(letter)s: %(place)d.") % words


def _number_waiting(mine: Registration) -> int:
    earlier = Q(registered_at=mine.registered_at, pk__lte=mine.pk) | Q(registered_at__lt=mine.registered_at)
    return Registration.objects.filter(earlier, season=mine.season_id, state=Has.WAITING).count()


def what_comes_next(season: Season, mine: Registration) -> str:
    """Return what comes next for a registered player; empty if nothing is pending."""
    words = {"ends": moment_element(season.signup_ends_at), "begins": moment_element(season.begins_at)}
    match mine.state:
        case Has.SIGNED_UP if season.state == State.SIGN_UP:
            # Translators: ends is a date with a time
            told = _("When sign-up ends, on %(ends)s at the latest, we’ll email you to confirm your place.")
            return with_times(told, words)
        case Has.SIGNED_UP if season.state == State.CONFIRMING:
            # Translators: by is a date with a time
            told = _("Confirm by %(by)s. After that you keep your place only if no one is waiting for it.")
            return with_times(told, {"by": moment_element(answers_by(season))})
        case Has.WAITING if mine.can_confirm:
            # Translators: by is a date with a time
            told = _("Confirm by %(by)s that you’ll play. You may then get the place of someone who hasn’t.")
            return with_times(told, {"by": moment_element(answers_by(season))})
        case Has.WAITING if season.state == State.RUNNING:
            return _("We’ll email you if someone leaves and you get their place.")
        case Has.WAITING:
            return _("We’ll email you as soon as you get a place.")
        case Has.PLAYING:
            return next_table_text(season, mine)
        case Has.CONFIRMED:
            # Translators: begins is a date with a time
            told = _("On %(begins)s the divisions are drawn and the first tables begin. We’ll email you.")
            return with_times(told, words)
    return ""


def next_table_text(season: Season, mine: Registration) -> str:
    """Return when a player's next table begins, or what it waits for; empty once the season is over."""
    number = next_round(mine)
    if season.state != State.RUNNING:
        return ""
    if number is None:
        return _("All your tables in this season have begun.")
    if number in mine.skipped:
        return _("You skip your table of round %(round)d. It begins without you.") % {"round": number}
    row = LeagueTable.objects.planned().filter(round__number=number, assignments__entry=mine).first()
    if row is None:
        return _not_drawn_text(season, number)
    assert mine.division is not None
    if tables_held(mine.division)[mine.user_id] >= season.tables_at_once:
        return ngettext(
            "Your next table begins once your table is over and its other players are free.",
            "Your next table begins once one of your tables is over and its other players are free.",
            season.tables_at_once,
        )
    if row.waits_since is None:
        return _("Your next table begins as soon as its other players are free.")
    until = moment_element(waits_until(row, season))
    # Translators: until is a date with a time
    told = _("Your next table waits for players who are away. It begins on %(until)s at the latest.")
    return with_times(told, {"until": until})


def _not_drawn_text(season: Season, number: int) -> str:
    if season.begins_at > clock.now():
        # Translators: begins is a date with a time
        told = _("Your first table begins on %(begins)s.")
        return with_times(told, {"begins": moment_element(season.begins_at)})
    if number == 1:
        return _("Your first table is about to begin.")
    return _("Your next table is drawn once enough tables of the round before are over.")
