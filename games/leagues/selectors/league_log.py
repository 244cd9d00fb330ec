"""A league's log: events as sentences, "Anna opened sign-up" and to Anna "You opened sign-up"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext

from accounts.models import User
from accounts.names import alphabetical, first_in_sentence
from accounts.times import moment_element, with_times
from games.chat.models.channels import TAKEN_OUT
from games.leagues.models import AuditEvent, Division, League, Season
from games.leagues.selectors.text import names_in
from games.narration.cast import and_list

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Text

MomentText = Callable[[datetime], str]


@dataclass(frozen=True)
class Line:
    """A log event in words: what happened, where, the reason, and each setting that changed."""

    event: AuditEvent
    text: str
    where: str
    reason: str
    changes: list[str]


def events_of(league: League) -> QuerySet[AuditEvent]:
    """Return all events of the league, newest first, with the rows that their texts need."""
    known = league.events.select_related("by", "season", "round__division", "table__round__division")
    return known.prefetch_related("touched", "table__assignments__entry__user").order_by("-pk")


def lines_of(
    events: Iterable[AuditEvent],
    *,
    with_reasons: bool,
    reader: User | None = None,
    moment_text: MomentText = moment_element,
) -> list[Line]:
    """Return the events as this reader reads them; `moment_text` formats their moments."""
    events = list(events)
    names = names_in({event.league_id for event in events}, _people_of(events))
    return [
        Line(
            event,
            event_text(event, names, reader, moment_text),
            _where(event),
            reason_of(event) if with_reasons else "",
            list(_changes(event, names, moment_text)),
        )
        for event in events
    ]


def reason_of(event: AuditEvent) -> str:
    """Return the reason for an event: the organiser's own words, or the rule that caused it."""
    match event.facts.get("why"):
        case AuditEvent.TOO_FEW:
            return _("Too few players have signed up.")
        case AuditEvent.NO_ORGANISER_LEFT:
            return _("The league has no organiser any more.")
    return _(TAKEN_OUT) if event.reason == TAKEN_OUT else event.reason


def _changes(event: AuditEvent, names: Mapping[int, str], moment_text: MomentText) -> Iterator[str]:
    """Yield each setting that changed, and each player's place that was corrected."""
    for column, before, after in event.facts.get("changes", ()):
        yield change_text(column, before, after, moment_text)
    for user, *places in event.facts.get("places", ()):
        yield from _place_moved(names.get(user, ""), *places)
    if event.facts.get("stays"):
        yield _("The next season’s sign-up is over, so its divisions stay as they are.")


def _place_moved(name: str, place: int, level: int | None, now: int, level_now: int | None) -> Iterator[str]:
    if place != now:
        # Translators: name is a player; before and after are places in a standing, such as 3
        text = _("%(name)s: place %(before)d → place %(after)d")
        yield text % {"name": name, "before": place, "after": now}
    if level != level_now:
        # Translators: name is a player; before and after are letters of divisions
        text = _("%(name)s: division %(before)s → division %(after)s in the next season")
        yield text % {"name": name, "before": _letter(level), "after": _letter(level_now)}


def change_text(column: str, before: Any, after: Any, moment_text: MomentText = moment_element) -> str:
    """Return a changed setting of a season with its values, as stored in an event."""
    old, new = value_text(before, moment_text), value_text(after, moment_text)
    words = {"setting": label_of(column), "before": old, "after": new}
    # Translators: setting is its name, such as "Days per table"; before and after are numbers or dates
    return with_times(_("%(setting)s: %(before)s → %(after)s"), words)


def label_of(column: str) -> str:
    """Return the name of a season's setting."""
    return str(getattr(Season._meta.get_field(column), "verbose_name", column))


def value_text(value: datetime | str | int | None, moment_text: MomentText = moment_element) -> str:
    """Return the value of a number or date of a season; dates may be in ISO format."""
    match value:
        case None:
            return pgettext("value of a setting", "none")
        case int():
            return str(value)
    return moment_text(value if isinstance(value, datetime) else datetime.fromisoformat(value))


def _people_of(events: Iterable[AuditEvent]) -> Iterator[User]:
    for event in events:
        yield from event.touched.all()
        yield from (
            [assignment.entry.user for assignment in event.table.assignments.all()] if event.table else ()
        )
        if event.by:
            yield event.by


def _where(event: AuditEvent) -> str:
    """Return the season, round and table of an event."""
    found = event.table.round if event.table else event.round
    words = {
        "season": event.season.number if event.season else 0,
        "division": found.division.letter if found else "",
        "round": found.number if found else 0,
        "table": event.table.number if event.table else 0,
    }
    if event.table:
        # Translators: division is its letter, such as B
        text = _("Season %(season)d, division %(division)s, round %(round)d, table %(table)d")
    elif found:
        # Translators: division is its letter, such as B
        text = _("Season %(season)d, division %(division)s, round %(round)d")
    elif event.season:
        text = _("Season %(season)d")
    else:
        return ""
    return text % words


# What happened, in one or two sentences


Kind = AuditEvent.Kind


class _Act(NamedTuple):
    """What someone did, as they read it and as others read it; `auto` if the season did it."""

    you: Text | str = ""
    name: Text | str = ""
    auto: Text | str = ""


class _ActOnPlayer(NamedTuple):
    """What someone did that concerns one player: the first word is who did it, the second who it concerns."""

    you_player: Text
    name_you: Text
    name_player: Text
    auto_you: Text | str = ""
    auto_player: Text | str = ""


# Placeholders: name is an organiser or a player, player another one; until is a date with a time; seed is a
# long number; division, before and after are letters of divisions; round is a number; awards is a list such
# as "Anna (4), Bruno (3)"; players is a list of names.
_ACTS: dict[str, _Act] = {
    Kind.FOUNDED: _Act(
        gettext_lazy("You created the league."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s created the league."),
    ),
    Kind.CHANGED: _Act(
        gettext_lazy("You changed the league's details."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s changed the league's details."),
    ),
    Kind.NO_ORGANISER: _Act(
        gettext_lazy("You stepped down as an organiser."),
        # Translators: name is a player who was an organiser
        gettext_lazy("%(name)s is no longer an organiser."),
    ),
    Kind.PLANNED: _Act(
        gettext_lazy("You planned the season."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s planned the season."),
        gettext_lazy("The season was planned automatically."),
    ),
    Kind.REPLANNED: _Act(
        gettext_lazy("You changed the season's plan."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s changed the season's plan."),
    ),
    Kind.OPENED: _Act(
        gettext_lazy("You opened sign-up."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s opened sign-up."),
        gettext_lazy("Sign-up opened."),
    ),
    Kind.INVITED: _Act(  # not whom: that is private
        ngettext_lazy("You invited %(count)d player.", "You invited %(count)d players.", "count"),
        # Translators: name is an organiser
        ngettext_lazy("%(name)s invited %(count)d player.", "%(name)s invited %(count)d players.", "count"),
    ),
    Kind.SIGN_UP_LONGER: _Act(
        # Translators: until is a date with a time
        auto=gettext_lazy("Sign-up was extended until %(until)s."),
    ),
    Kind.ASKED: _Act(auto=gettext_lazy("The players were asked to confirm their places.")),
    Kind.DRAWN: _Act(
        # Translators: seed is a long number
        gettext_lazy("You started the season, and its divisions were drawn. The seed is %(seed)s."),
        # Translators: name is an organiser; seed is a long number
        gettext_lazy("%(name)s started the season, and its divisions were drawn. The seed is %(seed)s."),
        # Translators: seed is a long number
        gettext_lazy("The divisions were drawn. The seed is %(seed)s."),
    ),
    Kind.CANCELLED: _Act(
        gettext_lazy("You cancelled the season."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s cancelled the season."),
        gettext_lazy("The season was cancelled."),
    ),
    Kind.WITHDREW: _Act(
        gettext_lazy("You withdrew from the season."),
        # Translators: name is a player
        gettext_lazy("%(name)s withdrew from the season."),
    ),
    Kind.ROUND_DRAWN: _Act(auto=gettext_lazy("The round was drawn.")),
    Kind.SKIPPED: _Act(
        gettext_lazy("You decided to skip your table of this round."),
        # Translators: name is a player
        gettext_lazy("%(name)s decided to skip their table of this round."),
    ),
    Kind.NOT_SKIPPED: _Act(
        gettext_lazy("You decided to play your table of this round after all."),
        # Translators: name is a player
        gettext_lazy("%(name)s decided to play their table of this round after all."),
    ),
    Kind.LEFT_OUT: _Act(
        you=gettext_lazy("You were away for too long, so your table of this round plays without you."),
        # Translators: players is a list of names
        auto=gettext_lazy("The table was to begin without players who were away: %(players)s."),
    ),
    Kind.EXTENDED: _Act(
        # Translators: until is a date with a time
        gettext_lazy("You extended the table until %(until)s."),
        # Translators: name is an organiser; until is a date with a time
        gettext_lazy("%(name)s extended the table until %(until)s."),
        # Translators: until is a date with a time
        gettext_lazy("The table was extended until %(until)s."),
    ),
    Kind.ADJUDICATED: _Act(
        # Translators: players is a list of names
        gettext_lazy("You adjudicated the table. Players: %(players)s."),
        # Translators: name is an organiser; players is a list of names
        gettext_lazy("%(name)s adjudicated the table. Players: %(players)s."),
        # Translators: players is a list of names
        gettext_lazy("The table was late and was adjudicated. Players: %(players)s."),
    ),
    Kind.AWARDED: _Act(
        # Translators: awards is a list such as "Anna (4), Bruno (3)"
        gettext_lazy("You awarded points: %(awards)s."),
        # Translators: name is an organiser; awards is a list such as "Anna (4), Bruno (3)"
        gettext_lazy("%(name)s awarded points: %(awards)s."),
    ),
    Kind.UNAWARDED: _Act(
        gettext_lazy("You withdrew an award. The points count as played."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s withdrew an award. The points count as played."),
    ),
    Kind.REMINDED: _Act(
        gettext_lazy("You reminded the players whose turn it was."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s reminded the players whose turn it was."),
    ),
    Kind.WROTE: _Act(
        gettext_lazy("You wrote to the players."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s wrote to the players."),
    ),
    Kind.PAUSED: _Act(
        # Translators: until is a date with a time
        gettext_lazy("You paused the league until %(until)s. No clock runs, and no table begins."),
        # Translators: name is an organiser; until is a date with a time
        gettext_lazy("%(name)s paused the league until %(until)s. No clock runs, and no table begins."),
    ),
    Kind.RESUMED: _Act(
        gettext_lazy("You ended the league’s pause. Clocks run again."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s ended the league’s pause. Clocks run again."),
        gettext_lazy("The league’s pause is over. Clocks run again."),
    ),
    Kind.CLOSED: _Act(auto=gettext_lazy("The season ended.")),
}
_ACTS_ON_PLAYERS: dict[str, _ActOnPlayer] = {
    Kind.ORGANISER: _ActOnPlayer(
        # Translators: player is a name
        gettext_lazy("You made %(player)s an organiser."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s made you an organiser."),
        # Translators: name is an organiser, player the new one
        gettext_lazy("%(name)s made %(player)s an organiser."),
    ),
    Kind.MOVED: _ActOnPlayer(
        # Translators: player is a name; before and after are letters of divisions
        gettext_lazy("You moved %(player)s from division %(before)s to division %(after)s."),
        # Translators: name is an organiser; before and after are letters of divisions
        gettext_lazy("%(name)s moved you from division %(before)s to division %(after)s."),
        # Translators: name is an organiser, player someone else; before and after are letters of divisions
        gettext_lazy("%(name)s moved %(player)s from division %(before)s to division %(after)s."),
    ),
    Kind.EXPELLED: _ActOnPlayer(
        # Translators: player is a name
        gettext_lazy("You expelled %(player)s from the season."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s expelled you from the season."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s expelled %(player)s from the season."),
    ),
    Kind.REPLACED: _ActOnPlayer(
        # Translators: player is a name
        gettext_lazy("You replaced %(player)s at a table."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s replaced you at a table. You’re still in the season."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s replaced %(player)s at a table."),
    ),
    Kind.SUBSTITUTED: _ActOnPlayer(
        # Translators: player is a name
        gettext_lazy("You gave a seat at a table to %(player)s."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s gave you a seat at a table."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s gave a seat at a table to %(player)s."),
        gettext_lazy("You took a seat as a substitute."),
        # Translators: player is a name
        gettext_lazy("%(player)s took a seat as a substitute."),
    ),
    Kind.LEFT_TO_BOT: _ActOnPlayer(
        # Translators: player is a name
        gettext_lazy("You left the seat of %(player)s to a bot."),
        # Translators: name is an organiser
        gettext_lazy("%(name)s left your seat to a bot."),
        # Translators: name is an organiser, player someone else
        gettext_lazy("%(name)s left the seat of %(player)s to a bot."),
    ),
    Kind.FILLED: _ActOnPlayer(
        # Translators: player is a name; division is its letter
        gettext_lazy("You gave %(player)s a place in division %(division)s, from round %(round)d on."),
        # Translators: name is an organiser; division is its letter
        gettext_lazy("%(name)s gave you a place in division %(division)s, from round %(round)d on."),
        # Translators: name is an organiser, player someone else; division is its letter
        gettext_lazy("%(name)s gave %(player)s a place in division %(division)s, from round %(round)d on."),
        # Translators: division is its letter
        gettext_lazy("You got a free place in division %(division)s, from round %(round)d on."),
        # Translators: player is a name; division is its letter
        gettext_lazy("%(player)s got a free place in division %(division)s, from round %(round)d on."),
    ),
}
_LEFT_TO_BOT = _Act(  # at an anonymous table, or after a player's account was deleted
    gettext_lazy("You left a free seat to a bot."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s left a free seat to a bot."),
)
_TOOK_SEAT = _Act(
    gettext_lazy("You took a free seat."),
    # Translators: name is an organiser
    gettext_lazy("%(name)s took a free seat."),
)


def event_text(
    event: AuditEvent,
    names: Mapping[int, str],
    reader: User | None = None,
    moment_text: MomentText = moment_element,
) -> str:
    """Return what happened, in one or two sentences, to this reader, who may be anonymous."""
    words = _words(event, names, moment_text)
    text = str(_template(event, reader) % words)
    if event.kind == Kind.NO_ORGANISER and event.facts.get("is_last"):
        last = _(
            "The league now has no organiser. Seasons that have begun are played to the end, and no new "
            "season follows."
        )
        return f"{text} {last}"
    return text


def _template(event: AuditEvent, reader: User | None) -> Text | str:
    by_reader = reader is not None and event.by_id == reader.pk
    others = _others(event)
    if event.kind in _ACTS_ON_PLAYERS and others:
        act = _ACTS_ON_PLAYERS[event.kind]
        to_reader = reader is not None and others[0].pk == reader.pk
        if event.by_id is None:
            return act.auto_you if to_reader else act.auto_player
        if by_reader:
            return act.you_player
        return act.name_you if to_reader else act.name_player
    acts = _ACTS | {Kind.SUBSTITUTED: _TOOK_SEAT, Kind.LEFT_TO_BOT: _LEFT_TO_BOT}
    plain = acts[event.kind]
    if event.by_id is None:
        return plain.you if event.kind == Kind.LEFT_OUT and reader in others else plain.auto
    return plain.you if by_reader else plain.name


def _others(event: AuditEvent) -> list[User]:
    """Return the people whom the event concerns, other than who did it."""
    return [person for person in event.touched.all() if person.pk != event.by_id]


def _words(event: AuditEvent, names: Mapping[int, str], moment_text: MomentText) -> dict[str, object]:
    facts, others = event.facts, sorted((names[person.pk] for person in _others(event)), key=alphabetical)
    until = datetime.fromisoformat(facts["until"]) if "until" in facts else None
    return {
        "name": first_in_sentence(names[event.by.pk]) if event.by else "",
        "player": names[_others(event)[0].pk] if others else "",
        "players": and_list(sorted((names[one.pk] for one in event.touched.all()), key=alphabetical)),
        "awards": _awards(event, names),
        "count": facts.get("players", 0),
        "until": moment_text(until) if until else "",
        "seed": facts.get("seed", ""),
        "before": _letter(facts.get("from")),
        "after": _letter(facts.get("to")),
        "division": _letter(facts.get("division")),
        "round": facts.get("round", 0),
    }


def _letter(level: int | None) -> str:
    return Division(level=level).letter if level else ""


def _awards(event: AuditEvent, names: Mapping[int, str]) -> str:
    """Return the players with their awarded points; players without an award are left out."""
    assignments = event.table.assignments.all() if event.table else ()
    given = zip(assignments, event.facts.get("points", ()), strict=False)
    return ", ".join(
        [
            f"{names[assignment.entry.user_id]} ({points})"
            for assignment, points in given
            if points is not None
        ]
    )
