"""Bots of one's own: made and closed by their owner, marked, and seated where a table takes them."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.api_tokens import MOST_TOKENS_OF_A_BOT, make_token
from accounts.blocking import block
from accounts.bots import MOST_BOTS, bots_of, close_bot, make_bot
from accounts.clock import now
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import ApiToken, User
from accounts.names import first_in_sentence
from accounts.privacy import export
from accounts.tasks import delete_unconfirmed_accounts
from condottiere_site import api_requests
from condottiere_site.privacy import erase
from games import services
from games.leagues.forms.season_form import SeasonForm
from games.leagues.models import Season
from games.models import Seat, Table
from games.narration.roster import roster_at
from games.services import lobby
from games.services.absence import play_for_absent
from games.services.lobby import take_seat
from tests.api.asking import Program, told
from tests.games.playing import begin_game
from tests.leagues.world import a_league, a_season
from tests.people import all_proven

pytestmark = pytest.mark.django_db
TOKEN = {"name": "A program", "scopes": ["read", "play"], "days": "30"}


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno")})


@pytest.fixture
def anna(people: list[User]) -> User:
    return people[0]


@pytest.fixture
def bruno(people: list[User]) -> User:
    return people[1]


@pytest.fixture
def client(anna: User) -> Client:
    found = Client()
    found.force_login(anna)
    return found


@pytest.fixture
def robin(anna: User) -> User:
    bot = make_bot(anna, "Robin")
    assert bot is not None
    return bot


def table_of(host: User, **terms: Any) -> Table:
    usual = {"name": "Friday", "size": 3, "entry": Table.Entry.OPEN, "takes_bots": True}
    return services.make_table(host, **usual | terms)


def test_an_owner_makes_a_bot_and_gives_its_program_a_token_that_is_shown_once(
    client: Client, anna: User
) -> None:
    page = client.post("/me/bots/", {"name": "Robin"}, follow=True).content.decode()
    assert "<h1>Robin (bot)</h1>" in page
    bot = bots_of(anna).get()
    shown = client.post(f"/me/bots/{bot.pk}/tokens/", TOKEN).content.decode()
    found = re.search(r"<code>(condottiere_[\w-]{43})</code>", shown)
    assert found is not None
    program = Program()
    program.headers["Authorization"] = f"Bearer {found[1]}"
    me = told(program.get("me"))
    assert (me["name"], me["is_bot"]) == ("Robin (bot)", True)
    assert found[1] not in client.get(f"/me/bots/{bot.pk}/").content.decode()
    (email,) = OutgoingEmail.objects.all()
    assert (email.to_address, email.context["notice"]) == (anna.email, "bot_token_made")


def test_people_have_few_bots_and_bots_have_few_tokens(client: Client, anna: User) -> None:
    for number in range(MOST_BOTS):
        assert client.post("/me/bots/", {"name": f"Robin {number}"}).status_code == 302
    assert client.post("/me/bots/", {"name": "One more"}).status_code == 422
    bot = bots_of(anna)[0]
    for _number in range(MOST_TOKENS_OF_A_BOT):
        assert client.post(f"/me/bots/{bot.pk}/tokens/", TOKEN).status_code == 200
    assert client.post(f"/me/bots/{bot.pk}/tokens/", TOKEN).status_code == 422
    assert (bots_of(anna).count(), bot.api_tokens.count()) == (MOST_BOTS, MOST_TOKENS_OF_A_BOT)


@pytest.mark.parametrize("name", ["", "Robin (bot)", "operator", "x" * 41])
def test_a_bot_has_a_name_that_people_may_have(client: Client, anna: User, robin: User, name: str) -> None:
    assert client.post("/me/bots/", {"name": name}).status_code == 422
    assert client.post(f"/me/bots/{robin.pk}/", {"name": name}).status_code == 422
    assert [bot.name for bot in bots_of(anna)] == ["Robin"]


def test_only_its_owner_finds_a_bot(robin: User, bruno: User) -> None:
    other = Client()
    other.force_login(bruno)
    row, _text = make_token(robin, "A program", ["play"], None)
    paths = ("", "tokens/", "tokens/remove/", "close/")
    forms = TOKEN | {"token": str(row.pk), "sure": "on"}
    assert [other.post(f"/me/bots/{robin.pk}/{path}", forms).status_code for path in paths] == [404] * 4
    assert other.get(f"/me/bots/{robin.pk}/").status_code == 404
    assert ApiToken.objects.get().user == robin


def test_a_bot_sits_only_where_the_table_takes_bots(anna: User, bruno: User, robin: User) -> None:
    program = Program(robin)
    open_to_bots, closed, rated = (
        table_of(bruno),
        table_of(bruno, takes_bots=False),
        table_of(bruno, is_rated=True, watch=Table.Watch.ANYONE),
    )
    assert [told(program.get(f"tables/{one.pk}"))["takes_bots"] for one in (open_to_bots, closed, rated)] == [
        True, False, False,
    ]  # fmt: skip
    for refusing in (closed, rated):
        assert told(program.post(f"tables/{refusing.pk}/seat"), 409)["code"] == "refused"
    seated = told(program.post(f"tables/{open_to_bots.pk}/seat"))["seats"]
    assert [(seat["name"], seat["is_bot"]) for seat in seated] == [("Bruno", False), ("Robin (bot)", True)]
    assert set(Seat.objects.filter(user=robin).values_list("table", flat=True)) == {open_to_bots.pk}


def test_who_blocks_the_owner_blocks_the_bot(anna: User, bruno: User, robin: User) -> None:
    block(bruno, anna)
    assert told(Program(robin).post(f"tables/{table_of(bruno).pk}/seat"), 409)["code"] == "refused"


def test_a_bot_sits_at_so_many_tables_at_once(
    bruno: User, robin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "MOST_TABLES_OF_A_BOT", 2)
    tables = [table_of(bruno) for _table in range(3)]
    answers = [Program(robin).post(f"tables/{table.pk}/seat").status_code for table in tables]
    assert answers == [200, 200, 409]
    services.cancel(tables[0])
    assert Program(robin).post(f"tables/{tables[2].pk}/seat").status_code == 200


def test_a_bots_tokens_share_one_limit_of_requests(robin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_requests, "WITH_TOKEN", api_requests.Limits(a_day=2, a_minute=60))
    first, second = Program(robin), Program(robin)
    assert [one.get("me").status_code for one in (first, second, first, second)] == [200, 200, 429, 429]


def test_a_bot_is_marked_where_names_are_hidden_too(anna: User, bruno: User, robin: User) -> None:
    table = table_of(bruno, is_anonymous=True)
    take_seat(table, anna)
    take_seat(table, robin)
    assert roster_at(table, anna).shown_names == ["2 players", "a player (bot)"]
    for seat in table.seats.all():
        services.confirm(seat)
    table.refresh_from_db()
    names = roster_at(Table.objects.get(pk=table.pk), anna).names
    assert sorted(name.endswith("(bot)") for name in names) == [False, False, True]


def test_the_bots_page_names_its_owner(client: Client, robin: User) -> None:
    page = client.get(f"/me/bots/{robin.pk}/").content.decode()
    found = re.search(r'href="(/players/[^"]+)">The bot’s page', page)
    assert found is not None
    shown = Client().get(found[1]).content.decode()
    assert "<h1>Robin (bot)</h1>" in shown
    assert re.search(r'It’s a bot of <a href="/players/[^"]+">Anna</a>', shown)


def test_an_owner_invites_the_bot_by_name_and_it_finds_the_invitation(client: Client, robin: User) -> None:
    form = client.get("/tables/new/").context["form"]
    ((key, name),) = form.fields["people"].choices
    assert name == "Robin (bot)"
    typed = {"name": "Friday", "size": 2, "entry": "invitation", "people": key, "form_key": str(uuid4())}
    refused = client.post("/tables/new/", typed)
    assert "You invite a bot." in refused.content.decode()
    assert not Table.objects.exists()
    client.post("/tables/new/", typed | {"takes_bots": "on"})
    table = Table.objects.get()
    (waiting,) = told(Program(robin).get("waiting"))
    assert (waiting["kind"], waiting["id"]) == ("table", table.pk)
    assert Program(robin).post(f"tables/{table.pk}/seat").status_code == 200


def test_a_bot_gets_no_emails(bruno: User, robin: User, mailoutbox: list[Any]) -> None:
    table = table_of(bruno, size=2)
    take_seat(table, robin)
    assert OutgoingEmail.objects.filter(to_user=robin).exists()
    deliver_due()
    assert {email.to[0] for email in mailoutbox} == {"bruno@example.org"}
    assert not OutgoingEmail.objects.filter(to_user=robin, state=OutgoingEmail.State.QUEUED).exists()


def test_a_bots_own_table_takes_bots_and_is_never_rated(robin: User) -> None:
    program = Program(robin)
    made = told(program.post("tables", {"key": str(uuid4()), "name": "Against Captain", "size": 2}))
    assert made["takes_bots"]
    services.seat_bot(Table.objects.get(), "captain", 1)
    begun = told(program.post(f"tables/{made['id']}/confirmation"))
    assert [seat["is_bot"] for seat in begun["seats"]] == [True, True]
    assert "Robin (bot)" in told(program.get(f"games/{begun['game']}"))["players"]
    rated = {"key": str(uuid4()), "name": "x", "settings": {"is_rated": True, "watch": "anyone"}}
    assert told(program.post("tables", rated), 409)["code"] == "refused"
    assert Table.objects.count() == 1


def test_a_bot_that_missed_its_turns_takes_its_seat_back(bruno: User, robin: User) -> None:
    game = begin_game([bruno, robin], takes_bots=True)
    seat = game.table.seats.get(user=robin)
    play_for_absent(game, seat, game.ply, now())
    program = Program(robin)
    assert [row["is_away"] for row in told(program.get("games"))] == [True]
    for _twice in range(2):
        assert told(program.post(f"games/{game.pk}/back"))["id"] == game.pk
    assert [row["is_away"] for row in told(program.get("games"))] == [False]
    assert [row["is_away"] for row in told(Program(bruno).get("games"))] == [False]


def test_a_bot_signs_up_where_the_season_takes_bots(bruno: User, robin: User) -> None:
    program, league = Program(robin), a_league(bruno)
    closed = a_season(league, state=Season.State.SIGN_UP)
    path = f"leagues/{league.pk}/seasons/{closed.number}/place"
    assert told(program.get(path)) == {"season": "sign-up", "takes_bots": False, "state": ""}
    assert told(program.post(path, {}), 409)["code"] == "refused"
    closed.terms = closed.terms | {"takes_bots": True}
    closed.save()
    for _twice in range(2):
        assert told(program.post(path, {}))["state"] == "signed up"
    assert told(program.post(f"{path}/confirmation"), 409)["code"] == "refused"
    closed.state = Season.State.CONFIRMING
    closed.save()
    assert told(program.post(f"{path}/confirmation"))["state"] == "confirmed"
    assert told(program.delete(path))["state"] == "left"
    assert program.post(f"{path.replace('/place', '')}/place/confirmation").status_code == 409


def test_organisers_let_bots_sign_up_by_the_form_of_a_season(bruno: User) -> None:
    form = SeasonForm(a_league(bruno), {"takes_bots": "on", "edition": "2007"})
    form.is_valid()
    assert form.cleaned_data["takes_bots"] is True
    assert form.plan["terms"]["takes_bots"] is True


def test_a_closed_bot_leaves_its_tables_and_its_tokens_stop_working(
    client: Client, anna: User, bruno: User, robin: User
) -> None:
    program, table = Program(robin), table_of(bruno)
    take_seat(table, robin)
    client.post(f"/me/bots/{robin.pk}/close/")
    assert bots_of(anna).exists()
    page = client.post(f"/me/bots/{robin.pk}/close/", {"sure": "on"}, follow=True).content.decode()
    assert "You have no bots." in page
    assert program.get("me").status_code == 401
    assert not table.seats.filter(user=robin).exists()
    robin.refresh_from_db()
    assert robin.shown_name == "a former player (bot)"
    assert first_in_sentence(robin.shown_name) == "A former player (bot)"
    close_bot(robin)


def test_bots_go_with_their_owners_account(anna: User, bruno: User, robin: User) -> None:
    program, table = Program(robin), table_of(bruno)
    take_seat(table, robin)
    assert json.loads(json.dumps(export(anna), default=str))["bots"][0]["name"] == "Robin"
    erase(anna)
    assert program.get("me").status_code == 401
    robin.refresh_from_db()
    assert (robin.name, robin.is_active) == ("", False)
    assert not table.seats.filter(user=robin).exists()
    assert [email.to_address for email in OutgoingEmail.objects.filter(kind="account")] == [
        "anna@example.org"
    ]


def test_a_bots_token_stops_when_the_operator_closes_the_owners_account(anna: User, robin: User) -> None:
    program = Program(robin)
    anna.is_active = False
    anna.save()
    assert program.get("me").status_code == 401


def test_a_bot_is_not_an_account_that_was_never_confirmed(robin: User) -> None:
    User.objects.update(joined_at="2020-01-01T00:00Z")
    delete_unconfirmed_accounts()
    assert User.objects.filter(pk=robin.pk).exists()
