"""A page is shown again only while all that it is made of is as it was, to its reader alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from accounts import kept_pages, present
from accounts.composed import rows
from accounts.kept_pages import KeptPages, kept_page
from accounts.models import User
from accounts.post.models import FailingAddress
from condottiere_site import kept
from games import commands
from games.models import Game, LogEntry, Proposal, Seat, Table
from games.press.commands import write
from tests.games.playing import answer, begin_game, legal_texts, play_until, question_of, seat_table

pytestmark = pytest.mark.django_db

TOKEN = re.compile(r'(name="csrfmiddlewaretoken" value=")([^"]+)')
POLL = re.compile(r'/live/[^"]+')
MOST_QUERIES = 9


class Clock:
    """What time it is for the site; it goes on when it is told to."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC).replace(second=5, microsecond=0)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(autouse=True)
def clock(time_machine: Any) -> Iterator[Clock]:
    kept.forget()
    clock = Clock()
    time_machine.move_to(clock.now, tick=False)  # by the machine's own, sessions end
    with present.told_by(clock):
        yield clock
    kept.forget()


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def game(people: list[Any]) -> Game:
    """Carla is not asked anything; Anna or Bruno is."""
    game = begin_game(people, pace="day", time_by="host")
    play_until(game, lambda state, question: state.ply > 9 and question.seat == 1 and state.phase == "battle")
    return game


@pytest.fixture
def client(anna: Any, signed_in: Any) -> Client:
    return signed_in(anna)


def path(game: Game) -> str:
    return f"/games/{game.pk}/"


def seen_at(client: Client, address: str) -> tuple[str, bool]:
    """What a page says but for what is another each time, and whether it was made for this visit."""
    answer = client.get(address)
    assert answer.status_code == 200
    return POLL.sub("", TOKEN.sub(r"\1", answer.content.decode())), bool(answer.templates)


def keeps(client: Client, address: str) -> str:
    """The page, once there is nothing new to its reader on it any more and it has been kept."""
    for _visit in range(2):
        seen_at(client, address)
    shown, is_made = seen_at(client, address)
    assert not is_made
    return shown


def test_a_second_visit_is_like_the_first_but_for_the_token(game: Game, client: Client) -> None:
    client.get(path(game))
    first, second = (client.get(path(game)) for _visit in range(2))
    assert first.templates
    assert not second.templates
    tokens = [TOKEN.search(page.content.decode())[2] for page in (first, second)]  # type: ignore[index]
    assert tokens[0] != tokens[1]
    assert first.content == second.content.replace(tokens[1].encode(), tokens[0].encode())
    told = [{name: text for name, text in page.items() if name != "Expires"} for page in (first, second)]
    assert told[0] == told[1]
    assert first.cookies.keys() == second.cookies.keys()


def moves(game: Game) -> None:
    answer(game, legal_texts(game)[0])


def talks(game: Game) -> None:
    write(game.table.seats.get(number=1), "A word.")


def is_called_otherwise(game: Game) -> None:
    User.objects.filter(pk=game.table.seats.get(number=1).user_id).update(name="Beatrice")


def calls_herself_otherwise(game: Game) -> None:
    User.objects.filter(pk=game.table.seats.get(number=0).user_id).update(name="Annalisa")


def lives_elsewhere(game: Game) -> None:
    User.objects.filter(pk=game.table.seats.get(number=0).user_id).update(time_zone="Asia/Tokyo")


def has_not_chosen_a_name(game: Game) -> None:
    User.objects.filter(pk=game.table.seats.get(number=0).user_id).update(name_chosen=False)


def takes_notes(game: Game) -> None:
    commands.write_note(game, game.table.seats.get(number=0).user, "Bruno holds a Bishop.")


def proposes_an_end(game: Game) -> None:
    commands.propose_end(game.table.seats.get(number=1), game, Proposal.What.NONE)


def pauses(game: Game) -> None:
    commands.host_pauses(game, game.table.host, 3)


def renames_the_table(game: Game) -> None:
    Table.objects.filter(pk=game.table_id).update(name="At the well")


def lets_mail_fail(game: Game) -> None:
    FailingAddress.objects.create(address="anna@example.org", since=present.now())


def goes_away(game: Game) -> None:
    Seat.objects.filter(table=game.table_id, number=1).update(stand_in="captain")


def another_game_waits(game: Game) -> None:
    begin_game([seat.user for seat in game.table.all_seats()])
    Seat.objects.filter(number=0).exclude(table=game.table_id).update(asked_since=present.now())


CHANGES = [
    moves,
    talks,
    is_called_otherwise,
    calls_herself_otherwise,
    lives_elsewhere,
    has_not_chosen_a_name,
    takes_notes,
    proposes_an_end,
    pauses,
    renames_the_table,
    lets_mail_fail,
    goes_away,
    another_game_waits,
]


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_shows_at_once(game: Game, client: Client, change: Callable[[Game], None]) -> None:
    before = keeps(client, path(game))
    change(game)
    after, is_made = seen_at(client, path(game))
    assert is_made
    assert after != before
    shown_again, _is_made = seen_at(client, path(game))  # whether or not it could be kept
    kept.forget()
    assert shown_again == seen_at(client, path(game))[0]


def test_a_minute_later_the_page_is_made_anew(game: Game, client: Client, clock: Clock) -> None:
    before = keeps(client, path(game))
    clock.now += timedelta(seconds=50)
    assert seen_at(client, path(game)) == (before, False)
    clock.now += timedelta(minutes=30)
    after, is_made = seen_at(client, path(game))
    assert is_made
    assert after != before


def test_a_change_is_noticed_with_no_more_queries_than_a_new_page(game: Game, client: Client) -> None:
    keeps(client, path(game))
    is_called_otherwise(game)
    with CaptureQueriesContext(connection) as captured:
        assert seen_at(client, path(game))[1]
    assert len(captured) <= MOST_QUERIES


def test_everybody_sees_his_own_page(game: Game, people: list[Any], client: Client, signed_in: Any) -> None:
    hers = keeps(client, path(game))
    his, is_made = seen_at(signed_in(people[1]), path(game))
    assert is_made
    assert his != hers


def test_a_kept_page_opens_to_nobody_else(
    game: Game, client: Client, stranger: Any, anna: Any, signed_in: Any
) -> None:
    keeps(client, path(game))
    assert signed_in(stranger).get(path(game)).status_code == 404
    assert Client().get(path(game)).status_code == 302
    Seat.objects.filter(table=game.table_id, user=anna).update(user=stranger)
    assert client.get(path(game)).status_code == 404


def test_who_signs_out_sees_it_no_more_and_who_comes_back_does(game: Game, client: Client, anna: Any) -> None:
    shown = keeps(client, path(game))
    client.logout()
    assert client.get(path(game)).status_code == 302
    client.force_login(anna, backend="accounts.sessions.People")
    assert seen_at(client, path(game))[0] == shown


def is_locked_out(anna: User, client: Client) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)


def has_another_password(anna: User, client: Client) -> None:
    anna.set_password("as good as new")
    anna.save()


def is_signed_out_elsewhere(anna: User, client: Client) -> None:
    Session.objects.filter(pk=client.session.session_key).delete()


def came_long_ago(anna: User, client: Client) -> None:
    Session.objects.update(expire_date=datetime.now(UTC) - timedelta(seconds=1))


def has_a_broken_cookie(anna: User, client: Client) -> None:
    client.cookies[settings.SESSION_COOKIE_NAME] = client.session.session_key[::-1]


def has_no_cookie(anna: User, client: Client) -> None:
    client.cookies.clear()


@pytest.mark.parametrize(
    "change",
    [
        is_locked_out,
        has_another_password,
        is_signed_out_elsewhere,
        came_long_ago,
        has_a_broken_cookie,
        has_no_cookie,
    ],
)
def test_who_is_not_signed_in_any_more_sees_it_no_more(
    game: Game, client: Client, anna: User, change: Callable[[User, Client], None]
) -> None:
    keeps(client, path(game))
    change(anna, client)
    assert client.get(path(game)).status_code == 302


def test_a_session_is_over_within_the_minute_kept_page_or_not(
    game: Game, client: Client, time_machine: Any
) -> None:
    ends = datetime.now(UTC) + timedelta(hours=1)
    Session.objects.update(expire_date=ends)
    time_machine.move_to(ends - timedelta(minutes=1), tick=False)
    keeps(client, path(game))
    time_machine.move_to(ends + timedelta(seconds=1), tick=False)
    assert client.get(path(game)).status_code == 302


@pytest.mark.parametrize(
    "said",
    [
        {"headers": {"Accept-Language": "it"}},
        {"headers": {"Host": "elsewhere"}},
        {"secure": True},
        {"query_params": {"history": "1"}},
    ],
)
def test_whoever_asks_otherwise_is_not_shown_what_was_kept(
    game: Game, client: Client, said: dict[str, Any]
) -> None:
    keeps(client, path(game))
    answer = client.get(path(game), **said)
    assert answer.templates or answer.status_code == 400


def test_forms_of_a_kept_page_can_be_sent(game: Game, anna: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(anna, backend="accounts.sessions.People")
    keeps(client, path(game))
    page = client.get(path(game)).content.decode()
    token = TOKEN.search(page)[2]  # type: ignore[index]
    assert client.post("/accounts/logout/", {"csrfmiddlewaretoken": token[::-1]}).status_code == 403
    assert client.post("/accounts/logout/", {"csrfmiddlewaretoken": token}).status_code == 302


def test_what_is_said_once_is_not_said_again(game: Game, people: list[Any], signed_in: Any) -> None:
    asked = question_of(game)
    client = signed_in(people[asked.seat])
    keeps(client, path(game))
    move = {"move": legal_texts(game)[0], "asked_at": str(asked.asked_at)}
    said = client.post(f"{path(game)}move/", move, follow=True).content.decode()
    assert "Done: " in said
    assert "Done: " not in seen_at(client, path(game))[0]
    assert "Done: " not in seen_at(client, path(game))[0]


def test_a_secret_that_reached_the_page_would_show(
    game: Game, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that are compared for the sake of secrecy are compared as they would be made now."""
    monkeypatch.setattr("games.views.play.view_through", _telling_how(game))
    assert "by link" not in keeps(client, path(game))
    last = game.log.order_by("ply").last()
    assert last is not None
    LogEntry.objects.filter(pk=last.pk).update(via=LogEntry.Via.LINK)
    assert "by link" in seen_at(client, path(game))[0]


def _telling_how(game: Game) -> Any:
    from games.views import play

    real = play.view_through

    def leaking(door: Any) -> Any:
        view = real(door)
        object.__setattr__(view, "names", (f"by {view.game.vias[-1]}", *view.names[1:]))
        return view

    return leaking


def test_my_games_show_what_changes(game: Game, client: Client) -> None:
    before = keeps(client, "/games/")
    is_called_otherwise(game)
    assert seen_at(client, "/games/")[0] != before
    before = keeps(client, "/games/")
    talks(game)
    assert seen_at(client, "/games/")[0] != before


@pytest.mark.parametrize("address", ["/games/", "/tables/"])
def test_a_kept_list_is_what_would_be_made_now(game: Game, client: Client, address: str) -> None:
    shown = keeps(client, address)
    kept.forget()
    assert seen_at(client, address) == (shown, True)


def test_a_table_that_looks_for_players_is_in_the_kept_list_at_once(client: Client, bruno: Any) -> None:
    assert "Table 42" not in keeps(client, "/tables/")
    seat_table([bruno], size=4)
    assert "Table 42" in seen_at(client, "/tables/")[0]


def test_each_page_of_a_list_is_a_page_of_its_own(game: Game, client: Client) -> None:
    keeps(client, "/games/")
    assert seen_at(client, "/games/?running=2")[1]


def test_nothing_is_kept_while_one_works_on_the_site(game: Game, client: Client, settings: Any) -> None:
    keeps(client, path(game))
    settings.DEBUG = True
    assert seen_at(client, path(game))[1]


def test_only_so_many_are_kept(game: Game, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pages, "MOST", 2)
    for address in (path(game), "/games/", "/tables/"):
        keeps(client, address)
    assert [seen_at(client, address)[1] for address in ("/games/", "/tables/", path(game))] == [
        False,
        False,
        True,
    ]


# What cannot be kept, by views of one line


def visits(view: Callable[[HttpRequest], HttpResponse], anna: Any) -> list[bytes]:
    """What the view answers to two visits."""
    answers = []
    for _visit in range(2):
        request = RequestFactory().get("/")
        request.user = request._cached_user = anna  # type: ignore[attr-defined]
        request._messages = ()  # type: ignore[attr-defined]
        answers.append(KeptPages(kept_page(view))(request).content)
    return answers


class Counting:
    """Answers another number each time it is asked, and does something else besides."""

    def __init__(self, besides: Callable[[HttpRequest, HttpResponse], object]) -> None:
        self.besides, self.times = besides, 0
        self.__name__ = "counting"

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.times += 1
        answer = HttpResponse(str(self.times))
        self.besides(request, answer)
        return answer


FIELDS = "".join(f'<input name="csrfmiddlewaretoken" value="{token}">' for token in ("one", "two"))
UNLIKE = {
    "asked otherwise": lambda request, answer: Table.objects.count(),
    "wrote": lambda request, answer: User.objects.filter(pk=request.user.pk).update(name="Anna"),
    "not found": lambda request, answer: setattr(answer, "status_code", 404),
    "a cookie": lambda request, answer: answer.set_cookie("a", "b"),
    "a nonce": lambda request, answer: setattr(request, "_csp_nonce", "n"),
    "a message": lambda request, answer: setattr(request, "_messages", ["Done."]),
    "two tokens": lambda request, answer: setattr(answer, "content", f"{answer.content!r}{FIELDS}"),
    "another time": lambda request, answer: rows("SELECT COUNT(*), RANDOM() FROM accounts_user"),
}


@pytest.mark.parametrize("besides", UNLIKE.values(), ids=UNLIKE.keys())
def test_it_is_made_for_each_visit(anna: Any, besides: Callable[..., object]) -> None:
    view = Counting(besides)
    visits(view, anna)
    assert view.times == 2


def test_it_is_made_once(anna: Any) -> None:
    asks = Counting(lambda request, answer: rows("SELECT name FROM accounts_user WHERE id = %s", anna.pk))
    assert visits(asks, anna) == [b"1", b"1"]


def test_what_was_read_before_something_is_written_is_read_again_after_it(anna: Any) -> None:
    told: list[object] = []

    def asks_writes_and_asks(request: HttpRequest, answer: HttpResponse) -> None:
        told.append(rows("SELECT COUNT(*) FROM accounts_user WHERE name <> %s", str(len(told))))
        if len(told) > 1:
            User.objects.filter(pk=anna.pk).update(name="Annalisa")
        told.append(rows("SELECT name FROM accounts_user WHERE id = %s", anna.pk))

    view = Counting(asks_writes_and_asks)
    visits(view, anna)
    User.objects.create(email="new@example.org", name="New")
    visits(view, anna)
    assert told[-1] == [("Annalisa",)]
