"""What programs get of games and tables: shapes, and how they are made from what pages show."""

from __future__ import annotations

from datetime import datetime

from django.urls import reverse
from ninja import Schema

from accounts import clock
from accounts.addresses import absolute_url
from games.access import GameAccess
from games.clocks.running_clocks import is_paused
from games.models import Game, Table
from games.models.matches import last_game, points_after
from games.narration.roster import Roster
from games.narration.ways_out import ways_out
from games.presenters.decision import decision_section
from games.presenters.position import position_through
from games.rules import Observation
from games.selectors.match_standings import standings_of
from games.selectors.own_games import GameRow
from games.selectors.waiting import WaitingRow


class Waiting(Schema):
    """One thing that waits for the person: `kind` is game or table, `id` its number."""

    kind: str
    id: int
    name: str
    why: str
    since: datetime
    move_by: datetime | None
    due_at: datetime | None
    page: str


class GameInList(Schema):
    """A game in a list. `is_your_turn` says whether it waits for the person.

    `is_away` says that the site's bot plays for them because they missed turns.
    """

    id: int
    table: int
    name: str
    players: list[str]
    seat: int | None
    is_over: bool
    is_your_turn: bool
    is_away: bool
    last: str
    waiting: str
    result: str
    page: str


class LegalMove(Schema):
    """A move that is possible now: what to send, what it's called, and what follows from it."""

    move: str
    name: str
    follows: list[str]


class OpenDecision(Schema):
    """What the person decides now. Send `step` with the move."""

    step: int
    kind: str
    sentence: str
    due_at: datetime | None


class ProposalSeen(Schema):
    """A proposal to all players: to end the game, pause it, go on, or give more time. `agreed` are seats."""

    number: int
    what: str
    amount: int | None
    sentence: str
    is_yours: bool
    agreed: list[int]


class MatchSeen(Schema):
    """The match to which a game belongs. `points` are those of each seat so far.

    `next_game` is the number of the game that begins once everyone is ready, `waits_for_you` whether you
    have yet to say so. `following` is the `id` of the next game, if it has begun.
    """

    number: int
    target: int
    points: list[int]
    next_game: int | None
    waits_for_you: bool
    following: int | None
    ending: str


class GameSeen(Schema):
    """A game as the person's seat sees it. Numbers of seats begin with 0."""

    id: int
    table: int
    name: str
    players: list[str]
    seat: int
    is_over: bool
    result: str
    step: int
    decision: OpenDecision | None
    paused_until: datetime | None
    waiting: str
    moves: list[LegalMove]
    observation: Observation
    proposal: ProposalSeen | None
    match: MatchSeen | None
    page: str


class SeatAtTable(Schema):
    """A taken seat at a table. `is_yours` says whether it's the person's own.

    `id` is for the host, who can remove its player before the game begins.
    """

    id: int | None
    number: int
    name: str
    is_bot: bool
    is_yours: bool
    has_confirmed: bool


class TableSeen(Schema):
    """A table. `seats` are those that are taken; `is_invited` says whether the person may answer."""

    id: int
    name: str
    state: str
    edition: str
    variants: list[str]
    size: int
    joining: str
    takes_bots: bool
    is_host: bool
    is_invited: bool
    seats: list[SeatAtTable]
    game: int | None
    page: str


class TableInList(Schema):
    """A table that looks for players."""

    id: int
    name: str
    edition: str
    variants: list[str]
    size: int
    free: int
    takes_bots: bool
    host: str
    page: str


def address(name: str, *args: int | str) -> str:
    """Return the whole address of a page."""
    return absolute_url(reverse(name, args=args))


def waiting_shape(row: WaitingRow) -> Waiting:
    """Return a row of what waits as programs get it."""
    return Waiting(
        kind=row.page,
        id=row.pk,
        name=row.name,
        why=row.why,
        since=row.since,
        move_by=row.move_by,
        due_at=row.due_at,
        page=address(row.page, row.pk),
    )


def game_in_list(row: GameRow) -> GameInList:
    """Return a row of a list of the person's games as programs get it."""
    game, seats = row.game, row.game.table.all_seats()
    own = row.names.reader
    is_asked = own is not None and seats[own].pending_decision is not None and not game.is_over
    return GameInList(
        id=game.pk,
        table=game.table_id,
        name=game.table.name,
        players=list(row.names),
        seat=own,
        is_over=game.is_over,
        is_your_turn=is_asked,
        is_away=own is not None and bool(seats[own].played_by_bot) and not game.is_over,
        last=row.last_told if not game.is_over else "",
        waiting=row.waits_for if not game.is_over else "",
        result=row.result_text,
        page=address("game", game.pk),
    )


def game_seen(access: GameAccess) -> GameSeen:
    """Return the game as this access sees it: what its page shows, and nothing else."""
    position, game, seat = position_through(access), access.game, access.seat
    told = decision_section(position)
    decision = None
    if told.step is not None:
        decision = OpenDecision(step=told.step, kind=told.kind, sentence=told.sentence, due_at=seat.due_at)
    moves = [
        LegalMove(
            move=move.text,
            name=position.choices.move_name(move),
            follows=position.choices.follows(move),
        )
        for move in position.seen.legal
    ]
    return GameSeen(
        id=game.pk,
        table=game.table_id,
        name=game.table.name,
        players=list(position.names),
        seat=seat.number,
        is_over=position.is_over,
        result=GameRow(game, position.cast).result_text,
        step=position.seen.step,
        decision=decision,
        paused_until=game.paused_until if is_paused(game, clock.now()) else None,
        waiting=told.waiting,
        moves=moves,
        observation=position.seen,
        proposal=_proposal_seen(access),
        match=_match_seen(access),
        page=address("game", game.pk),
    )


def _proposal_seen(access: GameAccess) -> ProposalSeen | None:
    """Return the open proposal as the game's page shows it."""
    ways = ways_out(access.game, access.seat, access.names)
    if ways is None or ways.proposal is None or ways.words is None:
        return None
    return ProposalSeen(
        number=access.game.proposals.filter(pk__lte=ways.proposal.pk).count(),
        what=ways.proposal.what,
        amount=ways.proposal.amount,
        sentence=f"{ways.words.title} {ways.words.follows}",
        is_yours=ways.is_mine,
        agreed=ways.proposal.accepted,
    )


def _match_seen(access: GameAccess) -> MatchSeen | None:
    """Return how the game's match stands; None for a single game."""
    standings = standings_of(access.game, access.names, access.seat)
    if standings is None:
        return None
    following = standings.following
    return MatchSeen(
        number=access.game.number,
        target=access.game.table.target or 0,
        points=list(points_after(standings.last)),
        next_game=standings.next_number if standings.is_pausing else None,
        waits_for_you=standings.asks_me,
        following=following.game.pk if following else None,
        ending=standings.ending,
    )


def table_seen(table: Table, roster: Roster, reader: int | None, *, is_invited: bool) -> TableSeen:
    """Return a table as this reader sees it; a nameless table tells no seats before its game."""
    is_host = reader is not None and table.host_id == reader
    is_nameless = any(seat.anonymity == Table.Anonymity.NAMELESS for seat in roster.seats)
    seats = [
        SeatAtTable(
            id=seat.pk if is_host and table.is_gathering and seat.user_id != reader else None,
            number=seat.number,
            name=name,
            is_bot=bool(seat.bot or (seat.user and seat.user.is_bot)),
            is_yours=reader is not None and seat.user_id == reader,
            has_confirmed=seat.confirmed_at is not None,
        )
        for seat, name in roster.named
        if not is_nameless or seat.user_id == reader or seat.bot
    ]
    game: Game | None = last_game(table)
    return TableSeen(
        id=table.pk,
        name=table.name,
        state=table.state,
        edition=table.options.edition,
        variants=list(table.options.variants),
        size=table.size,
        joining=table.entry,
        takes_bots=table.welcomes_bots,
        is_host=is_host,
        is_invited=is_invited,
        seats=seats,
        game=None if game is None else game.pk,
        page=address("table", table.pk),
    )
