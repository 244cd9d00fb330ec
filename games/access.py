"""Access to games and tables: the first line of every view. Strangers get 404, never 403."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import http_date

from accounts import clock
from accounts.forms import SIGN_IN_ADDRESS
from accounts.models import User
from games.links import BadLink, Question, answer_token, read_answer_token, read_chronicle_token
from games.models import Game, Invitation, LogEntry, Seat, SeatChange, Table
from games.models.replay import game_with_roster
from games.narration.roster import shown_names
from games.services.practice import deleted_at

SAFE = ("GET", "HEAD")
VISIT_SECONDS = 3600
_VISITS = "visits"  # in a session: by seat, until when and the question that followed at once


class HasLeft(Http404):
    """The game is closed to a person who once had a seat in it; he may be told so."""


@dataclass(frozen=True)
class GameAccess:
    """A way into one game, for one seat. An email's link opens only its own question."""

    game: Game
    seat: Seat
    question: Question | None = None  # None: signed in or a guest, so every question of this seat
    token: str = ""
    is_visit: bool = False  # by a link in a browser that has just answered for this seat

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all seats as the person at this door may see them."""
        return shown_names(self.seat.table.all_seats(), self.seat.user)

    @property
    def is_guest(self) -> bool:
        """Whether this is a practice table's door, open to whoever has its key."""
        return self.seat.table.is_practice

    @property
    def kept_until(self) -> datetime | None:
        """When a guest's game is deleted, if he does not keep it; None for games that stay."""
        return deleted_at(self.seat.table) if self.is_guest else None

    @property
    def is_link(self) -> bool:
        return self.question is not None

    @property
    def is_seated(self) -> bool:
        """Whether a player came by it who has signed in, not by an email's link and not as a guest."""
        return not self.is_link and self.seat.user is not None

    @property
    def via(self) -> str:
        return LogEntry.Via.LINK if self.is_link else LogEntry.Via.WEB

    def opens(self, decision_step: int | None) -> bool:
        """Whether the seat's question of this step may be seen and answered here."""
        return self.question is None or self.question.decision_step == decision_step

    @property
    def page_url(self) -> str:
        return self._url("")

    @property
    def confirm_url(self) -> str:
        return self._url("_confirm")

    @property
    def move_url(self) -> str:
        return self._url("_move")

    def next_page_url(self, decision_step: int | None) -> str:
        """Where the visit goes on after an answer: the seat's next question, if it is asked at once."""
        if self.question is None or decision_step is None:
            return self.page_url
        following = Question(self.game.pk, self.seat.number, self.question.user, decision_step)
        return reverse("answer", args=[answer_token(following)])

    @property
    def address(self) -> tuple[str, int | str]:
        """Where the whole game is found: how the names of its addresses begin, and what stands in them."""
        key = self.seat.table.practice_key
        return ("game", self.game.pk) if key is None else ("practice", key)

    def _url(self, page: str) -> str:
        name, key = ("answer", self.token) if self.is_link else self.address
        return reverse(name + page, args=[key])


def get_game_access(request: HttpRequest, game_id: int) -> GameAccess:
    """The signed-in person's door to a game he plays in.

    Raises HasLeft for who once had a seat in it, Http404 for everybody else.
    """
    person = _person(request)
    access = _door_to_read(game_id, person) if request.method in SAFE else _door_to_write(game_id, person)
    if access is None:
        raise _why_closed(game_id, person)
    return access


def _door_to_read(game_id: int, person: User) -> GameAccess | None:
    """A page that only reads reads all seats of the table too, once."""
    game = game_with_roster(game_id)
    seats = game.table.all_seats() if game else []
    seat = next((seat for seat in seats if seat.user_id == person.pk), None)
    return GameAccess(game, seat) if game and seat else None


def _door_to_write(game_id: int, person: User) -> GameAccess | None:
    game = Game.objects.select_related("table").filter(pk=game_id).first()
    seats = Seat.objects.select_related("table", "user")
    seat = seats.filter(table=game.table_id, user=person).first() if game else None
    return GameAccess(game, seat) if game and seat else None


def _why_closed(game_id: int, person: User) -> Http404:
    """What to say to somebody without a seat: only who had one may know that there is such a game."""
    had_one = SeatChange.objects.filter(game_id=game_id, before=person).exists()
    return HasLeft() if had_one else Http404()


def seats_by_link() -> QuerySet[Seat]:
    """The seats that links in emails may open: an account that was closed opens none."""
    return Seat.objects.select_related("table__host", "user").filter(user__is_active=True)


def get_link_access(request: HttpRequest, token: str) -> GameAccess:
    """The door an email's link opens, without signing in. Raises BadLink, also once the seat is another's."""
    question = read_answer_token(token)
    game = Game.objects.select_related("table").filter(pk=question.game).first()
    seat = (
        seats_by_link()
        .filter(table__games=question.game, number=question.seat, user_id=question.user)
        .first()
    )
    if game is None or seat is None:
        raise BadLink
    return GameAccess(game, seat, question, token, _visit_key(question) in _visits(request))


def begin_visit(request: HttpRequest, access: GameAccess, following: int | None) -> None:
    """Remember that this browser has just answered for the seat, and which question followed at once.

    For an hour every link of this seat shows there what its player sees. Only the session is asked, never
    the link: an old email opened elsewhere shows nothing new.
    """
    assert access.question is not None
    until = clock.now().timestamp() + VISIT_SECONDS
    visits = {**_visits(request), _visit_key(access.question): [until, following]}
    request.session[_VISITS] = visits
    if not request.user.is_authenticated:
        request.session[SIGN_IN_ADDRESS] = access.seat.person.email
        request.session.set_expiry(VISIT_SECONDS)


def followed_in_visit(request: HttpRequest, access: GameAccess) -> int | None:
    """The question that followed at once on the last answer of this visit; None for none, or no visit."""
    assert access.question is not None
    _until, following = _visits(request).get(_visit_key(access.question), (0, None))
    return following


def _visits(request: HttpRequest) -> dict[str, tuple[float, int | None]]:
    """The visits of this browser that have not ended."""
    now = clock.now().timestamp()
    return {key: visit for key, visit in request.session.get(_VISITS, {}).items() if visit[0] > now}


def _visit_key(question: Question) -> str:
    return f"{question.game}-{question.seat}-{question.user}"


def get_chronicle_access(token: str) -> GameAccess:
    """The door that a finished game's last email opens, without signing in, for one of its players.

    It is for reading the chronicle, the record and the proof, and nothing else. Raises BadLink, also once
    the seat is another's.
    """
    number, user = read_chronicle_token(token)
    game = Game.objects.select_related("table").filter(pk=number).first()
    seat = seats_by_link().filter(table__games=number, user=user).first()
    if game is None or seat is None:
        raise BadLink
    return GameAccess(game, seat)


def get_practice_access(key: str) -> GameAccess:
    """The guest's door to a practice game, for whoever has its key. Raises Http404, also once it is kept."""
    seats = Seat.objects.select_related("table", "user").filter(bot="")
    seat = get_object_or_404(seats, table__practice_key=key)
    game = get_object_or_404(Game.objects.select_related("table"), table=seat.table_id)
    return GameAccess(game, seat)


def get_table(request: HttpRequest, table_id: int) -> Table:
    """A table this person sits at or is invited to, or one open to anyone. Raises Http404."""
    table = get_object_or_404(Table.objects.select_related("host"), pk=table_id)
    if table.is_gathering and table.entry == Table.Entry.OPEN:
        return table
    if table.seats.filter(user=_person(request)).exists() or get_invitation(request, table):
        return table
    raise Http404


def get_invitation(request: HttpRequest, table: Table) -> Invitation | None:
    """The signed-in person's invitation to this table, if he can still take a seat by it."""
    if not table.is_gathering or not isinstance(request.user, User):
        return None
    takeable = (Invitation.State.SENT, Invitation.State.DECLINED)
    return table.invitations.to_person(request.user).filter(state__in=takeable).first()


def get_watched_table(key: str) -> Table:
    """A table that lets people watch, by the key of its watching link. Raises Http404."""
    watchable = Table.objects.exclude(watch=Table.Watch.NOBODY).select_related("host")
    return get_object_or_404(watchable, watch_key=key)


def get_joinable_table(key: str) -> Table:
    """A table that people may join by its link, whether it still looks for players or not. Raises Http404."""
    joinable = Table.objects.exclude(entry=Table.Entry.INVITATION).select_related("host")
    return get_object_or_404(joinable, join_key=key)


def get_seat_of_joinable(key: str, seat_id: int) -> Seat:
    """A seat at such a table. Raises Http404."""
    table = get_joinable_table(key)
    return get_object_or_404(table.seats.select_related("table", "user"), pk=seat_id)


def get_hosted_table(request: HttpRequest, table_id: int) -> Table:
    """A table this person is the host of. Raises Http404."""
    return get_object_or_404(Table.objects.select_related("host"), pk=table_id, host=_person(request))


def _person(request: HttpRequest) -> User:
    """Who is signed in. Raises Http404 for nobody: the seats of bots and guests have nobody too."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


# Headers of pages that show a hand or were opened by a link that is itself the key.


P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def private_page(view: View[P]) -> View[P]:
    """Never stored by a browser or a proxy, never indexed.

    `SECURE_REFERRER_POLICY` keeps its address from other sites and lets its forms say their origin.
    """

    @wraps(view)
    def shown(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "no-store, private"
        response["Expires"] = http_date()
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return cast(View[P], shown)
