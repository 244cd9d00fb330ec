"""A player's place in a season and what comes next for them, in sentences."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts import clock
from accounts.availability import DAY
from accounts.time_elements import day_element, moment_element, with_times
from accounts.times import day
from games.leagues.models import LeagueTable, Registration, Season, Standing
from games.leagues.services.ready_tables import next_round, tables_held, waits_until
from games.leagues.services.schedule import answers_by
from games.leagues.services.starting_holidays import StartingHoliday
from games.narration.cast import and_list

State, Has = Season.State, Registration.State


_PLACES = {
    Has.EXPECTED: gettext_lazy("A place is reserved for you until sign-up ends. Sign up to take it."),
    Has.SIGNED_UP: gettext_lazy("You have a place."),
    Has.CONFIRMED: gettext_lazy("You have a place and have confirmed it."),
    Has.PLAYING: gettext_lazy("You are playing in this season."),
    Has.REQUESTED: gettext_lazy("You asked to join. An organiser decides."),
    Has.DECLINED: gettext_lazy("An organiser has declined your request to join."),
    Has.LEFT: gettext_lazy("You have left this season."),
    Has.NO_SHOW: gettext_lazy("You did not confirm in time, so you have no place."),
    Has.WITHDRAWN: gettext_lazy("You have withdrawn from this season."),
    Has.EXPELLED: gettext_lazy("An organiser has expelled you from this season."),
}


def place_text(mine: Registration) -> str:
    """Return a player's status in a season as a sentence."""
    match mine.state:
        case Has.WAITING:
            return _("You are number %(n)d on the waiting list.") % {"n": _number_waiting(mine)}
        case Has.PLAYING if mine.season.state == State.CLOSED:
            standing = Standing.objects.filter(entry=mine).select_related("division").first()
            return final_place_text(standing, mine.season) if standing else ""
    return str(_PLACES[Has(mine.state)])


def waiting_list_text(season: Season) -> str:
    """Return why someone who has just signed up is on the waiting list."""
    if season.state == State.RUNNING:
        return _("The season is in progress, so you’re on the waiting list.")
    return _("All places are taken, so you’re on the waiting list.")


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
        case Has.REQUESTED:
            return _("We’ll email you the answer.")
        case Has.PLAYING:
            missed, following = missed_text(season, mine), next_table_text(season, mine)
            return f"{missed} {following}".strip() if missed else following
        case Has.CONFIRMED if season.most_divisions == 1:
            # Translators: begins is a date with a time
            told = _("On %(begins)s the first tables begin. We’ll email you.")
            return with_times(told, words)
        case Has.CONFIRMED:
            # Translators: begins is a date with a time
            told = _("On %(begins)s the divisions are drawn and the first tables begin. We’ll email you.")
            return with_times(told, words)
    return ""


def holiday_text(mine: Registration, holiday: StartingHoliday) -> list[str]:
    """Return what a holiday over the start of the season means for its player, in sentences."""
    season = mine.season
    words = {
        "first": day_element(holiday.first),
        "last": day_element(holiday.last),
        "begins": day_element(season.begins_at),
        "half": day_element(season.half_at),
    }
    # Translators: first, last and begins are dates
    away = _("You’re away from %(first)s to %(last)s. The first tables begin on %(begins)s.")
    waits = ngettext(
        "Your tables wait for you for up to %(n)d day.",
        "Your tables wait for you for up to %(n)d days.",
        season.away_days,
    )
    # Translators: half is a date
    made_up = _("For tables that begin without you, you get others if you’re back by %(half)s.")
    sentences = [with_times(away, words), waits % {"n": season.away_days}, with_times(made_up, words)]
    if season.most_divisions > 1 and (season.promoted or season.promoted_share):
        sentences.append(_("If holidays keep you from all tables, you keep your division."))
    return sentences


def back_label(holiday: StartingHoliday) -> str:
    """Return the button by which someone on holiday confirms."""
    # Translators: day is a date, such as "Monday 9 March"
    return _("I’ll be back by %(day)s") % {"day": day(holiday.last + DAY)}


def missed_text(season: Season, mine: Registration) -> str:
    """Return which tables a player missed on holiday, and whether they may get others; else empty."""
    missed = mine.missed.filter(make_up=None).order_by("round__number")
    numbers = list(missed.values_list("round__number", flat=True))
    if season.state != State.RUNNING or not numbers:
        return ""
    # Translators: rounds is a list of numbers, such as "1 and 2"
    told = ngettext(
        "Your table of round %(rounds)s began while you were away.",
        "Your tables of rounds %(rounds)s began while you were away.",
        len(numbers),
    ) % {"rounds": and_list([str(number) for number in numbers])}
    if clock.now() >= season.half_at:
        return told
    words = {"half": day_element(season.half_at)}
    # Translators: half is a date
    instead = _("Until %(half)s you get others, as soon as you’re back and there are players for them.")
    return with_times(f"{told} {instead}", words)


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
    until = waits_until(row, season)
    if until <= clock.now():  # with too few players, it waits for longer
        until = season.half_at
    # Translators: until is a date with a time
    told = _("Your next table waits for players who are away. It begins on %(until)s at the latest.")
    return with_times(told, {"until": moment_element(until)})


def _not_drawn_text(season: Season, number: int) -> str:
    if season.begins_at > clock.now():
        # Translators: begins is a date with a time
        told = _("Your first table begins on %(begins)s.")
        return with_times(told, {"begins": moment_element(season.begins_at)})
    if number == 1:
        return _("Your first table is about to begin.")
    return _("Your next table is drawn once enough tables of the round before are over.")
