"""What staff see of tables and games: nothing that shows a hand, gives access or changes a log."""

import re
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games import services
from games.models import Game, Invitation, LogEntry, Note, Seat, Table
from games.models.replay import replayed
from games.narration.vocabulary import card_names
from games.rules import observe
from tests.games.playing import begin_game, game_where, seat_table

pytestmark = pytest.mark.django_db

GAMES = (Table, Seat, Invitation, Game)


@pytest.fixture
def staff(fabio: User, signed_in: Any) -> Client:
    """Fabio, who may do everything that anyone may do there."""
    User.objects.filter(pk=fabio.pk).update(is_staff=True, is_superuser=True)
    client: Client = signed_in(User.objects.get(pk=fabio.pk))
    return client


@pytest.fixture
def people(anna: User, bruno: User, carla: User) -> list[User]:
    return [anna, bruno, carla]


def list_of(model: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def page_of(row: Any) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def shown(staff: Client, game: Game) -> list[str]:
    """What the lists of seats and games, and the game's page, say."""
    paths = (list_of(Seat), list_of(Game), page_of(game))
    texts = [staff.get(path).content.decode() for path in paths]
    return [re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", text) for text in texts]


def pages() -> list[str]:
    """Every list, and the page of every row, of every kind that the administration knows."""
    found = [reverse("admin:index")]
    for model in admin.site._registry:
        found += [list_of(model), *(page_of(row) for row in model._default_manager.all())]
    return found


@pytest.mark.long
def test_no_page_shows_a_secret_a_key_or_a_hand(staff: Client, people: list[User]) -> None:
    game, state = game_where(people, lambda state, decision: state.phase == "hand")
    services.invite(seat_table(people, size=4), "dario@example.org")
    Note.objects.create(game=game, user=people[0], text="Bruno has the Heroine")
    hidden = ["Bruno has the Heroine", *game.nonces]
    for table in Table.objects.all():
        hidden += [bytes(table.secret).hex(), table.join_key, table.watch_key, str(table.form_key)]
    for seat in range(3):
        hand = observe(state, seat).hand or ()
        hidden += [text for text in (card_names(hand), ", ".join(hand), " ".join(hand)) if len(hand) > 1]
    shuffle = game.log.get(ply=0).move
    hidden += [shuffle, *[f"{entry.move}<" for entry in game.log.filter(seat__isnull=False)]]
    for path in pages():
        page = staff.get(path)
        assert page.status_code == 200, path
        for secret in hidden:
            assert secret not in page.content.decode(), (path, secret)


def test_what_a_seat_is_asked_in_secret_is_not_told(staff: Client, people: list[User]) -> None:
    game, _ = game_where(people, lambda state, decision: state.phase == "hand")
    before = shown(staff, game)
    Seat.objects.filter(table=game.table).update(
        pending_decision="hand", decision_step=3, asked_since=game.moved_at
    )
    Game.objects.filter(pk=game.pk).update(ply=game.ply + 1)
    assert shown(staff, game) == before


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        (Table, "secret__startswith=a"),
        (Table, "watch_key__startswith=a"),
        (Table, "join_key__gte=a"),
        (Table, "practice_key__isnull=0"),
        (Table, "seats__pending_decision=hand"),
        (Table, "games__log__move__contains=winter"),
        (Seat, "pending_decision=hand"),
        (Seat, "table__watch_key__startswith=a"),
        (Invitation, "table__join_key__startswith=a"),
        (Game, "ply=7"),
        (Game, "nonces__contains=a"),
        (Game, "log__move__contains=heroine"),
        (User, "password__startswith=p"),
        (User, "emailaddress__email__contains=a"),
        (OutgoingEmail, "context__decision_step=3"),
        (OutgoingEmail, "key__contains=your_turn"),
    ],
)
def test_what_is_not_shown_cannot_be_guessed_by_asking(
    staff: Client, people: list[User], model: Any, lookup: str
) -> None:
    begin_game(people)
    assert staff.get(f"{list_of(model)}?{lookup}").status_code == 400


def test_filters_and_search_that_are_offered_work(staff: Client, people: list[User]) -> None:
    begin_game(people, name="The long road")
    seat_table(people, size=4, name="Not yet")
    page = staff.get(f"{list_of(Table)}?state__exact=playing").content.decode()
    assert "The long road" in page
    assert "Not yet" not in page
    for model in GAMES:
        assert staff.get(f"{list_of(model)}?q=road").status_code == 200
    assert staff.get(f"{list_of(Table)}?created_at__gte=2026-01-01%2000:00:00%2B00:00").status_code == 200
    assert staff.get(f"{list_of(Game)}?phase__exact=battle").status_code == 200


def test_nothing_is_added_or_deleted_by_hand(staff: Client, people: list[User]) -> None:
    begin_game(people)
    services.invite(seat_table(people, size=4), "dario@example.org")
    staff.get(reverse("admin:index"))  # the site's addresses say which models are there
    for model in admin.site._registry:
        add = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add")
        assert staff.get(add).status_code == 403, model
        assert staff.post(add, {}).status_code == 403, model
        for row in model._default_manager.all():
            delete = reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_delete", args=[row.pk])
            assert staff.post(delete, {"post": "yes"}).status_code == 403, model
        form = {"action": "delete_selected", "_selected_action": [1], "post": "yes"}
        staff.post(list_of(model), form)
    assert Table.objects.count() == 2
    assert Invitation.objects.count() == 1


def test_logs_notes_sessions_and_second_factors_are_not_in_the_administration() -> None:
    known = {model._meta.label_lower for model in admin.site._registry}
    assert {"games.table", "games.seat", "games.invitation", "games.game"} <= known
    assert not known & {
        LogEntry._meta.label_lower,
        Note._meta.label_lower,
        "usersessions.usersession",
        "mfa.authenticator",
        "account.emailaddress",
        "sessions.session",
        "auth.group",
    }


def test_a_game_a_seat_and_an_invitation_cannot_be_changed(staff: Client, people: list[User]) -> None:
    game = begin_game(people)
    rows = [
        game,
        game.table.seats.get(number=1),
        services.invite(seat_table(people, size=4), "d@example.org"),
    ]
    for row in rows:
        form = {"ply": 0, "phase": "over", "user": people[2].pk, "state": "accepted", "number": 5}
        assert staff.post(page_of(row), form).status_code == 403
    assert replayed(Game.objects.get()).state.phase == game.phase


def test_only_the_words_of_a_table_change_and_nothing_else_is_written(
    staff: Client, people: list[User]
) -> None:
    game = begin_game(people)
    table = Table.objects.get()
    form = {"name": " A \u202e better\nname ", "note": "Be kind.", "state": "gathering", "watch": "anyone"}
    form |= {"secret": "00", "host": people[1].pk, "join_key": "open", "size": 6}
    assert staff.post(page_of(table), form).status_code == 302
    changed = Table.objects.get()
    assert (changed.name, changed.note) == ("A better name", "Be kind.")
    for column in ("state", "watch", "host_id", "join_key", "watch_key", "size", "entry"):
        assert getattr(changed, column) == getattr(table, column)
    assert bytes(changed.secret) == bytes(table.secret)
    assert replayed(Game.objects.get()).state.ply == game.ply


def test_words_can_be_mended_after_the_table_moved_on(
    staff: Client, people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = seat_table(people, size=4, name="Rude")
    clean = Table.full_clean

    def slowly(self: Table, *args: Any, **kwargs: Any) -> None:
        Table.objects.filter(pk=table.pk).update(state=Table.State.PLAYING)
        clean(self, *args, **kwargs)

    monkeypatch.setattr(Table, "full_clean", slowly)
    staff.post(page_of(table), {"name": "Polite", "note": ""})
    table.refresh_from_db()
    assert (table.name, table.state) == ("Polite", Table.State.PLAYING)


def test_a_gathering_table_is_cancelled_as_by_its_host_and_a_running_one_is_not(
    staff: Client, people: list[User]
) -> None:
    gathering, running = seat_table(people, size=4, name="Not yet"), begin_game(people, name="Begun").table
    form = {"action": "cancel", "_selected_action": [gathering.pk, running.pk]}
    page = staff.post(list_of(Table), form, follow=True).content.decode()
    assert "Not yet is cancelled." in page
    assert "Begun: The game at this table has already started." in page
    gathering.refresh_from_db()
    running.refresh_from_db()
    assert (gathering.state, running.state) == (Table.State.CANCELLED, Table.State.PLAYING)
    assert OutgoingEmail.objects.filter(kind="cancelled").count() == 2


def test_staff_without_the_right_look_at_nothing(carla: User, people: list[User], signed_in: Any) -> None:
    begin_game(people)
    User.objects.filter(pk=carla.pk).update(is_staff=True)
    client = signed_in(User.objects.get(pk=carla.pk))
    for model in GAMES:
        assert client.get(list_of(model)).status_code == 403
