"""What a simulation found, as numbers that can be added up, and how they are printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from math import ceil, floor, sqrt
from typing import Any

from accounts.mail.models import OutgoingEmail
from games.models import Game, LogEntry, SeatChange, TimeEvent
from games.models.replay import replayed
from games.rules import FinalBattleBegun, RegionChosen
from games.services.notifications import decisions_in
from tests.simulation.games.checks import ABOUT_DECISIONS, GONE_OUT
from tests.simulation.games.people import USUAL, Levers, assumptions

SECONDS_A_DAY = 86_400
MOST_PROBLEMS = 20
# What the clock did to games, by the name of the row that tells of it.
EVENTS = {
    TimeEvent.Kind.STOOD_IN: "seats that a bot took over",
    TimeEvent.Kind.BACK: "players who came back",
    TimeEvent.Kind.PAUSED: "pauses",
    TimeEvent.Kind.EXTENDED: "times that more time was given",
    TimeEvent.Kind.CREDITED: "games in which time was given back",
}


@dataclass
class Figures:
    """The figures of one or several simulated worlds."""

    lengths: list[float] = field(default_factory=list)  # of finished games, in days
    abandoned: int = 0
    moves: int = 0
    ordered: int = 0  # of the moves, by standing orders
    replied: int = 0  # of the moves, by replies to emails
    orders: Counter[str] = field(default_factory=Counter)  # standing orders given, by kind
    stops: Counter[str] = field(default_factory=Counter)  # answered by their players, by reason
    turn_emails: list[int] = field(default_factory=list)  # of each finished game
    battle_emails: list[int] = field(default_factory=list)  # of each battle, the same emails
    player_days: float = 0.0  # a day of a running game, for each of its people
    emails: Counter[str] = field(default_factory=Counter)  # that were sent, by kind
    fates: Counter[str] = field(default_factory=Counter)
    time_outs: int = 0
    timed_out_games: int = 0
    events: Counter[str] = field(default_factory=Counter)
    opened: int = 0  # links, by mail scanners
    looked_into: int = 0  # emails built again with other hidden cards
    problems: list[str] = field(default_factory=list)
    processor: float = 0.0  # seconds

    @property
    def game_days(self) -> float:
        return sum(self.lengths)

    def add(self, other: Figures) -> None:
        """Add another world's figures to these."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter):
                mine.update(value)
            else:
                setattr(self, name, mine + value)

    def as_json(self) -> dict[str, Any]:
        """As plain values; dataclasses.asdict cannot copy a Counter before Python 3.12."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Figures:
        counters = {
            field.name: Counter(told[field.name]) for field in fields(cls) if field.default_factory is Counter
        }
        return cls(**{**told, **counters})


def counted() -> Figures:
    """Return the figures of the world in the database."""
    figures = Figures()
    for game in Game.objects.exclude(ended_at=None).order_by("pk"):
        _count_game(figures, game)
    _count_turn_emails(figures)
    sent = OutgoingEmail.objects.filter(state__in=(OutgoingEmail.State.SENT, OutgoingEmail.State.BOUNCED))
    figures.emails.update(sent.values_list("kind", flat=True))
    figures.fates.update(OutgoingEmail.objects.values_list("state", flat=True))
    figures.events.update(TimeEvent.objects.values_list("kind", flat=True))
    figures.events["seat changed"] = SeatChange.objects.count()
    return figures


def _count_game(figures: Figures, game: Game) -> None:
    assert game.ended_at is not None
    days = (game.ended_at - game.started_at).total_seconds() / SECONDS_A_DAY
    missed = game.log.filter(via=LogEntry.Via.CLOCK).count()
    figures.lengths.append(days)
    figures.abandoned += game.ended == Game.Ended.ABANDONED
    figures.moves += game.log.exclude(seat=None).count()
    figures.ordered += game.log.filter(via=LogEntry.Via.ORDER).count()
    figures.replied += game.log.filter(via=LogEntry.Via.EMAIL).count()
    figures.player_days += days * game.table.seats.people().count()
    figures.time_outs += missed
    figures.timed_out_games += bool(missed)


def _count_turn_emails(figures: Figures) -> None:
    """Count the emails about turns; one about turns in several games counts for each of them."""
    asked_at: dict[int, list[int]] = {}  # by game, the steps that its emails are about
    emails = OutgoingEmail.objects.filter(kind__in=ABOUT_DECISIONS, state__in=GONE_OUT)
    for email in emails.order_by("pk"):
        for game, step in {game: step for game, _seat, step in decisions_in(email)}.items():
            asked_at.setdefault(game, []).append(step)
    for game in Game.objects.select_related("table").exclude(ended_at=None).order_by("pk"):
        steps = asked_at.get(game.pk, [])
        figures.turn_emails.append(len(steps))
        figures.battle_emails += _by_battle(game, steps)


def _by_battle(game: Game, steps: Sequence[int]) -> list[int]:
    """Return how many of these steps lie in each battle of a game."""
    battle, battle_at = 0, dict[int, int]()
    played = replayed(game)
    for ply, _before, after in zip(played.plies, played.states, played.states[1:], strict=False):
        battle += any(isinstance(event, RegionChosen | FinalBattleBegun) for event in ply.events)
        if after.phase == "battle":
            battle_at[after.step] = battle
    counts = Counter(battle_at[step] for step in steps if step in battle_at)
    return [counts[number] for number in range(1, battle + 1)]


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the values between which the median lies at 95 %; nothing is assumed of how they spread."""
    ordered = sorted(values)
    apart = 0.98 * sqrt(len(ordered))
    low, high = floor(len(ordered) / 2 - apart), ceil(len(ordered) / 2 + apart)
    return (ordered[max(0, low - 1)], ordered[min(len(ordered) - 1, high)]) if ordered else (0.0, 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that this share of values does not exceed; 0 if there are none."""
    ordered = sorted(values)
    return ordered[max(0, ceil(len(ordered) * share) - 1)] if ordered else 0.0


def printed(
    figures: Figures, pace: str, players: int, seconds: float, levers: Levers = USUAL
) -> Iterator[str]:
    """Yield the report line by line."""
    yield "Assumed"
    yield from _listed(assumptions(pace, levers))
    yield "Found"
    yield from _listed(_of_games(figures, players))
    yield from _listed(_of_site(figures))
    yield "Speed"
    yield from _listed(_speed(figures, seconds))
    yield "Checks"
    yield from _listed(_checks(figures))


def printed_quick(figures: Figures, pace: str, players: int, levers: Levers) -> Iterator[str]:
    """Yield the report of games without a site line by line."""
    yield "Assumed"
    yield from _listed(assumptions(pace, levers))
    yield "Found, without the site and what hosts do"
    yield from _listed(_of_games(figures, players))


def _listed(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _of_games(figures: Figures, players: int) -> Iterator[str]:
    games = len(figures.lengths)
    moves = figures.moves / max(1, games)
    yield f"{games} games of {players}, {moves:.0f} moves each, {figures.abandoned} abandoned"
    low, high = median_interval(figures.lengths)
    yield (
        f"length in days: median {percentile(figures.lengths, 0.5):.1f} ({low:.1f} to {high:.1f} at 95 %), "
        f"90th percentile {percentile(figures.lengths, 0.9):.1f}, "
        f"longest {max(figures.lengths, default=0):.1f}"
    )
    yield (
        f"turn emails: {sum(figures.turn_emails) / max(1, games):.1f} a game, "
        f"median {percentile(figures.battle_emails, 0.5):.0f} a battle "
        f"(mean {sum(figures.battle_emails) / max(1, len(figures.battle_emails)):.2f})"
    )
    yield f"standing orders given: {_by_number(figures.orders)}; they made {figures.ordered} moves"
    yield f"they asked their players: {_by_number(figures.stops)}"
    yield f"reminders: {figures.emails['reminder']}"


def _of_site(figures: Figures) -> Iterator[str]:
    sent = figures.emails.total()
    yield f"emails: {sent}, {sent / max(1.0, figures.player_days):.2f} for each player and day of a game"
    yield "by kind: " + _by_number(figures.emails)
    yield "by fate: " + _by_number(figures.fates)
    yield f"bounces: {figures.fates['bounced']} came back, {figures.fates['failed']} refused"
    yield f"time-outs: {figures.time_outs}, in {figures.timed_out_games} games"
    yield f"moves by replies to emails: {figures.replied}"
    for kind, words in EVENTS.items():
        yield f"{words}: {figures.events[kind]}"


def _by_number(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def _speed(figures: Figures, seconds: float) -> Iterator[str]:
    yield (
        f"{figures.game_days:.0f} game-days in {seconds:.0f} s: "
        f"{figures.game_days / max(seconds, 0.001) * 60:.0f} a minute"
    )
    yield (
        f"{figures.processor:.0f} s of processor time: "
        f"{figures.game_days / max(figures.processor, 0.001) * 60:.0f} game-days a minute of it"
    )


def _checks(figures: Figures) -> Iterator[str]:
    if not figures.problems:
        yield "every game ended, and its log replays to what is stored beside it"
        yield f"nobody was timed out without a delivered reminder ({figures.time_outs} time-outs)"
        yield f"nobody was timed out early, by another count of his open time ({figures.time_outs} time-outs)"
        yield "no decision was written about twice as a new one"
        yield f"no email tells of a hidden card ({figures.looked_into} built again with other cards)"
        yield f"no link that a mail scanner opened changed anything ({figures.opened} opened)"
    for problem in figures.problems[:MOST_PROBLEMS]:
        yield f"FAILED: {problem}"
    if len(figures.problems) > MOST_PROBLEMS:
        yield f"FAILED: and {len(figures.problems) - MOST_PROBLEMS} more"
