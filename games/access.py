"""Access to games and tables: the first line of every view. Strangers get 404, never 403."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.db.models import FilteredRelation, Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts import clock
from accounts.models import User
from accounts.sessions import SIGN_IN_ADDRESS, UNFINISHED_LASTS, hold_address
from games.links import (
    BadLink,
    LinkedDecision,
    answer_token,
    read_answer_token,
    read_chronicle_token,
    read_person_key,
)
from games.models import Game, Invitation, LogEntry, Seat, SeatChange, Table
from games.models.games_for_pages import game_to_show, game_with_roster
from games.narration.seat_names import shown_names
from games.services.practice import deleted_at
from games.waiting_count import note_games_waiting

SAFE = ("GET", "HEAD")
VISIT_SECONDS = int(UNFINISHED_LASTS.total_seconds())
_VISITS = "visits"  # in a session: by seat, until when and the decision that followed at once


class HasLeft(Http404):
    """Raised for someone who once had a seat in the game. Unlike strangers, they may read that it exists."""


@dataclass(frozen=True)
class GameAccess:
    """Access to one game for one seat. An email link opens only its own decision."""

    game: Game
    seat: Seat
    decision: LinkedDecision | None = None  # None: signed in or a guest, so every decision of this seat
    token: str = ""
    is_visit: bool = False  # by a link in a browser that has just answered for this seat

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all seats as the person with this access may see them."""
        return shown_names(self.seat.table.all_seats(), self.seat.user)

    @property
    def is_guest(self) -> bool:
        """Whether this is access to a practice table, open to anyone with its key."""
        return self.seat.table.is_practice

    @property
    def kept_until(self) -> datetime | None:
        """When a guest's game is deleted unless they keep it; None for games that stay."""
        return deleted_at(self.seat.table) if self.is_guest else None

    @property
    def is_link(self) -> bool:
        return self.decision is not None

    @property
    def is_seated(self) -> bool:
        """Whether this is a signed-in player, not a guest or the holder of an email link."""
        return not self.is_link and self.seat.user is not None

    @property
    def via(self) -> str:
        return LogEntry.Via.LINK if self.is_link else LogEntry.Via.WEB

    def opens(self, decision_step: int | None) -> bool:
        """Return whether the seat's decision of this step may be seen and answered here."""
        return self.decision is None or self.decision.decision_step == decision_step

    @property
    def page_url(self) -> str:
        return self._url("")

    @property
    def decision_url(self) -> str:
        """The address of the page at what is decided now."""
        return f"{self.page_url}#ask"

    @cached_property
    def is_against_bots(self) -> bool:
        """Whether its table was made for practice against bots."""
        return self.seat.table.is_against_bots

    @property
    def has_guide(self) -> bool:
        """Whether the guide gives hints: in a person's first game, and at every practice table."""
        return self.seat.is_first_game or self.is_against_bots

    @property
    def hint_url(self) -> str:
        return self._url("_hint")

    @property
    def order_url(self) -> str:
        return self._url("_order")

    @property
    def move_url(self) -> str:
        return self._url("_move")

    @property
    def advice_url(self) -> str:
        return self._url("_advice")

    @property
    def take_back_url(self) -> str:
        return self._url("_take_back_move")

    def next_page_url(self, decision_step: int | None) -> str:
        """Return the address after an answer: the seat's next decision, if it follows at once."""
        if self.decision is None or decision_step is None:
            return self.decision_url
        following = LinkedDecision(self.game.pk, self.seat.number, self.decision.user, decision_step)
        return f"{reverse('answer', args=[answer_token(following)])}#ask"

    @property
    def address(self) -> tuple[str, int | str]:
        """The address of the whole game: the prefix of its URL names, and their argument."""
        key = self.seat.table.practice_key
        return ("game", self.game.pk) if key is None else ("practice", key)

    def _url(self, page: str) -> str:
        name, key = ("answer", self.token) if self.is_link else self.address
        return reverse(name + page, args=[key])


def get_game_access(request: HttpRequest, game_id: int) -> GameAccess:
    """Return the signed-in person's access to a game they play in.

    Raises HasLeft for people who once had a seat in it, Http404 for everyone else.
    """
    person = person_of(request)
    access = _access_to_read(game_id, person) if request.method in SAFE else _access_to_write(game_id, person)
    if access is None:
        raise _why_closed(game_id, person)
    note_games_waiting(request, access.game.waiting_for_reader)
    return access


def _access_to_read(game_id: int, person: User) -> GameAccess | None:
    """Return access for reading, with all seats of the table prefetched."""
    game = game_with_roster(game_id, person)
    seats = game.table.all_seats() if game else []
    seat = next((seat for seat in seats if seat.user_id == person.pk), None)
    return GameAccess(game, seat) if game and seat else None


def _access_to_write(game_id: int, person: User) -> GameAccess | None:
    """Return access for a change, in one statement: what the change needs is read again under its lock."""
    own = FilteredRelation("table__seats", condition=Q(table__seats__user=person))
    found = Game.objects.annotate(own_seat=own).filter(pk=game_id, own_seat__isnull=False)
    # Not first(): for its order, Django compares every column that is read.
    game = next(iter(found.select_related("table", "own_seat")), None)  # type: ignore[misc]
    if game is None:
        return None
    seat: Seat = game.own_seat  # type: ignore[attr-defined]
    seat.table, seat.user = game.table, person
    return GameAccess(game, seat)


def _why_closed(game_id: int, person: User) -> Http404:
    """Return the error for someone without a seat: only former players may know that the game exists."""
    had_one = SeatChange.objects.filter(game_id=game_id, before=person).exists()
    return HasLeft() if had_one else Http404()


def seats_by_link() -> QuerySet[Seat]:
    """Return the seats that email links may open: those of people whose account is not closed."""
    return Seat.objects.select_related("table__host", "user").filter(user__is_active=True)


def get_link_access(request: HttpRequest, token: str) -> GameAccess:
    """Return the access of an email link, without signing in.

    Raises BadLink, also once the seat belongs to someone else.
    """
    decision = read_answer_token(token)
    game, seat = _by_link(decision.game, decision.user)
    if seat.number != decision.seat:
        raise BadLink
    return GameAccess(game, seat, decision, token, _visit_key(decision) in _visits(request))


def _by_link(number: int, user: int) -> tuple[Game, Seat]:
    """Return a game and the seat of the person for whom a link was made. Raises BadLink without one."""
    game = game_to_show(pk=number)
    seats = game.table.all_seats() if game else []
    seat = next((seat for seat in seats if seat.user_id == user), None)
    if game is None or seat is None or not seat.person.is_active:
        raise BadLink
    return game, seat


def begin_visit(request: HttpRequest, access: GameAccess, following: int | None) -> None:
    """Remember that this browser has just answered for the seat, and which decision followed at once.

    For an hour, every link of this seat shows in that browser what its player sees. Only the session decides,
    never the link: an old email opened elsewhere shows nothing new.
    """
    assert access.decision is not None
    until = clock.now().timestamp() + VISIT_SECONDS
    visits = {**_visits(request), _visit_key(access.decision): [until, following]}
    request.session[_VISITS] = visits
    if not request.user.is_authenticated:
        request.session[SIGN_IN_ADDRESS] = access.seat.person.email
        hold_address(request)


def followed_in_visit(request: HttpRequest, access: GameAccess) -> int | None:
    """Return the decision that directly followed the last answer of this visit; None if there is none."""
    assert access.decision is not None
    _until, following = _visits(request).get(_visit_key(access.decision), (0, None))
    return following


def _visits(request: HttpRequest) -> dict[str, tuple[float, int | None]]:
    """Return the visits of this browser that have not ended."""
    now = clock.now().timestamp()
    return {key: visit for key, visit in request.session.get(_VISITS, {}).items() if visit[0] > now}


def _visit_key(decision: LinkedDecision) -> str:
    return f"{decision.game}-{decision.seat}-{decision.user}"


def get_chronicle_access(token: str) -> GameAccess:
    """Return a player's access from a finished game's last email, without signing in.

    It is only for reading the chronicle, the record and the proof. Raises BadLink, also once the seat belongs
    to someone else.
    """
    number, user = read_chronicle_token(token)
    return GameAccess(*_by_link(number, user))


def get_practice_access(key: str) -> GameAccess:
    """Return the guest's access to a practice game by its key. Raises Http404, also once it is kept."""
    game = game_to_show(table__practice_key=key)
    seats = game.table.all_seats() if game else []
    seat = next((seat for seat in seats if not seat.bot), None)
    if game is None or seat is None:
        raise Http404
    return GameAccess(game, seat)


def get_table(request: HttpRequest, table_id: int) -> Table:
    """Return a table this person sits at or is invited to, or one open to anyone. Raises Http404."""
    table = get_object_or_404(Table.objects.select_related("host"), pk=table_id)
    if table.is_gathering and table.entry == Table.Entry.OPEN:
        return table
    if table.seats.filter(user=person_of(request)).exists() or get_invitation(request, table):
        return table
    raise Http404


def get_invitation(request: HttpRequest, table: Table) -> Invitation | None:
    """Return the signed-in person's invitation to this table, if it can still give them a seat."""
    if not table.is_gathering or not isinstance(request.user, User):
        return None
    takeable = (Invitation.State.SENT, Invitation.State.DECLINED)
    return table.invitations.to_person(request.user).filter(state__in=takeable).first()


def get_watched_table(key: str) -> Table:
    """Return a table that allows spectators, by the key of its watching link. Raises Http404."""
    watchable = Table.objects.exclude(watch=Table.Watch.NOBODY).select_related("host")
    return get_object_or_404(watchable, watch_key=key)


def get_joinable_table(key: str) -> Table:
    """Return a table with a joining link, whether it still looks for players or not. Raises Http404."""
    joinable = Table.objects.exclude(entry=Table.Entry.INVITATION).select_related("host")
    return get_object_or_404(joinable, join_key=key)


def get_seat_of_joinable(key: str, seat_id: int) -> Seat:
    """Return a seat at such a table. Raises Http404."""
    table = get_joinable_table(key)
    return get_object_or_404(table.seats.select_related("table", "user"), pk=seat_id)


def get_hosted_table(request: HttpRequest, table_id: int) -> Table:
    """Return a table this person is the host of. Raises Http404."""
    return get_object_or_404(Table.objects.select_related("host"), pk=table_id, host=person_of(request))


def get_person(request: HttpRequest, key: str) -> User:
    """Return the person whose page has this address. Raises Http404 for others if they hide it."""
    try:
        found = get_object_or_404(User, pk=read_person_key(key))
    except BadLink as error:
        raise Http404 from error
    if not found.has_page and found != request.user:
        raise Http404
    return found


def reader_of(request: HttpRequest) -> User | None:
    """Return the signed-in person, or None."""
    return request.user if isinstance(request.user, User) else None


def person_of(request: HttpRequest) -> User:
    """Return the signed-in person. Raises Http404 without one, who would match seats of bots and guests."""
    reader = reader_of(request)
    if reader is None:
        raise Http404
    return reader
