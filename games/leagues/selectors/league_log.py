"""A league's log: events as sentences, "Anna opened sign-up" and to Anna "You opened sign-up"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import alphabetical, first_in_sentence
from accounts.time_elements import moment_element
from games.chat.models.messages import TAKEN_OUT
from games.leagues.models import AuditEvent, Division, League, Organiser
from games.leagues.selectors.log_sentences import (
    ACTS,
    ACTS_ON_PLAYERS,
    ANSWERS,
    CORRECTED_RESULT,
    LEFT_TO_BOT,
    MADE_ASSISTANT,
    NO_ASSISTANT,
    REMOVED_ASSISTANT,
    REMOVED_ORGANISER,
    STARTED,
    TOOK_SEAT,
    ActOnPlayerSentences,
    Kind,
)
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.setting_changes import MomentText, change_text
from games.narration.cast import and_list
from games.narration.seat_names import bot_name

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as Text


@dataclass(frozen=True)
class LogLine:
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
) -> list[LogLine]:
    """Return the events as this reader reads them; `moment_text` formats their moments."""
    events = list(events)
    names = names_in({event.league_id for event in events}, _people_of(events))
    return [
        LogLine(
            event,
            event_text(event, names, reader, moment_text),
            _where_text(event),
            reason_of(event) if with_reasons else "",
            list(_change_texts(event, names, moment_text)),
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


def _change_texts(event: AuditEvent, names: Mapping[int, str], moment_text: MomentText) -> Iterator[str]:
    """Yield each setting that changed, each result that was corrected, and each place that followed."""
    for column, before, after in event.facts.get("changes", ()):
        yield change_text(column, before, after, moment_text)
    yield from _result_texts(event, names)
    for user, *places in event.facts.get("places", ()):
        yield from _place_texts(names.get(user, ""), *places)
    if event.facts.get("stays"):
        yield _("The next season’s sign-up is over, so its divisions stay as they are.")


def _result_texts(event: AuditEvent, names: Mapping[int, str]) -> Iterator[str]:
    results = event.facts.get("results", ())
    for name, (place, regions) in zip(_seat_names(event, names), results, strict=False):
        # Translators: name is a player; place is their place at a table, such as 2; regions is a number
        text = _("%(name)s: place %(place)d, regions %(regions)d")
        yield text % {"name": name, "place": place, "regions": regions}


def _place_texts(name: str, place: int, level: int | None, now: int, level_now: int | None) -> Iterator[str]:
    if place != now:
        # Translators: name is a player; before and after are places in a standing, such as 3
        text = _("%(name)s: rank %(before)d → rank %(after)d")
        yield text % {"name": name, "before": place, "after": now}
    if level != level_now:
        # Translators: name is a player; before and after are letters of divisions
        text = _("%(name)s: division %(before)s → division %(after)s in the next season")
        yield text % {"name": name, "before": _letter(level), "after": _letter(level_now)}


def _people_of(events: Iterable[AuditEvent]) -> Iterator[User]:
    for event in events:
        yield from event.touched.all()
        yield from (
            [assignment.entry.user for assignment in event.table.assignments.all()] if event.table else ()
        )
        if event.by:
            yield event.by


def _where_text(event: AuditEvent) -> str:
    """Return the season, round and table of an event, and the division if the season can have several."""
    is_only = event.season is not None and event.season.most_divisions == 1
    found = event.table.round if event.table else event.round
    words = {
        "season": event.season.number if event.season else 0,
        "division": found.division.letter if found else "",
        "round": found.number if found else 0,
        "table": event.table.number if event.table else 0,
    }
    if found and found.is_final:
        text = _("Season %(season)d, final")
    elif event.table and is_only:
        text = _("Season %(season)d, round %(round)d, table %(table)d")
    elif found and is_only:
        text = _("Season %(season)d, round %(round)d")
    elif event.table:
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


def event_text(
    event: AuditEvent,
    names: Mapping[int, str],
    reader: User | None = None,
    moment_text: MomentText = moment_element,
) -> str:
    """Return what happened, in one or two sentences, to this reader, who may be anonymous."""
    words = _placeholders(event, names, moment_text)
    text = str(_choose_sentence(event, reader) % words)
    if event.kind == Kind.NO_ORGANISER and event.facts.get("is_last"):
        last = _(
            "The league now has no organiser. Seasons that have begun are played to the end, and no new "
            "season follows."
        )
        return f"{text} {last}"
    return text


def _choose_sentence(event: AuditEvent, reader: User | None) -> Text | str:
    by_reader = reader is not None and event.by_id == reader.pk
    others = _people_concerned(event)
    if (act := _act_on_player(event)) and others:
        to_reader = reader is not None and others[0].pk == reader.pk
        if event.by_id is None:
            return act.auto_you if to_reader else act.auto_player
        if by_reader:
            return act.you_player
        return act.name_you if to_reader else act.name_player
    if event.kind == Kind.AWARDED and not any(point is not None for point in event.facts.get("points", ())):
        return CORRECTED_RESULT.you if by_reader else CORRECTED_RESULT.name
    if event.kind == Kind.NO_ORGANISER and event.facts.get("role") == Organiser.Role.ASSISTANT:
        return NO_ASSISTANT.you if by_reader else NO_ASSISTANT.name
    acts = ACTS | {Kind.SUBSTITUTED: TOOK_SEAT, Kind.LEFT_TO_BOT: LEFT_TO_BOT}
    if event.season is not None and event.season.most_divisions == 1:
        acts |= {Kind.DRAWN: STARTED}
    plain = ANSWERS.get(event.facts.get("outcome", ""), acts[event.kind])
    if event.by_id is None:
        return (
            plain.you
            if event.kind in (Kind.LEFT_OUT, Kind.MADE_UP, Kind.FINAL) and reader in others
            else plain.auto
        )
    return plain.you if by_reader else plain.name


def _act_on_player(event: AuditEvent) -> ActOnPlayerSentences | None:
    is_assistant = event.facts.get("role") == Organiser.Role.ASSISTANT
    if event.kind == Kind.ORGANISER and is_assistant:
        return MADE_ASSISTANT
    if event.kind == Kind.NO_ORGANISER and event.facts.get("is_removed"):
        return REMOVED_ASSISTANT if is_assistant else REMOVED_ORGANISER
    return ACTS_ON_PLAYERS.get(event.kind)


def _people_concerned(event: AuditEvent) -> list[User]:
    """Return the people whom the event concerns, other than who did it."""
    return [person for person in event.touched.all() if person.pk != event.by_id]


def _placeholders(event: AuditEvent, names: Mapping[int, str], moment_text: MomentText) -> dict[str, object]:
    facts, concerned = event.facts, _people_concerned(event)
    until = datetime.fromisoformat(facts["until"]) if "until" in facts else None
    return {
        "name": first_in_sentence(names[event.by.pk]) if event.by else "",
        "player": names[concerned[0].pk] if concerned else "",
        "players": and_list(sorted((names[one.pk] for one in event.touched.all()), key=alphabetical)),
        "awards": _awards_text(event, names),
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


def _awards_text(event: AuditEvent, names: Mapping[int, str]) -> str:
    """Return the players with their awarded points; players without an award are left out."""
    given = zip(_seat_names(event, names), event.facts.get("points", ()), strict=False)
    return ", ".join([f"{name} ({points})" for name, points in given if points is not None])


def _seat_names(event: AuditEvent, names: Mapping[int, str]) -> list[str]:
    """Return who was seated at the event's table, in order; seats that began without anyone had a bot."""
    if event.table is None:
        return []
    seated = {one.position: names[one.entry.user_id] for one in event.table.assignments.all()}
    seats = max(len(event.facts.get(what, ())) for what in ("results", "points"))
    return [seated.get(position) or bot_name(position) for position in range(seats)]
