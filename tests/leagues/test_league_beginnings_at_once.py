"""Two people, two organisers or two beats at one moment, on PostgreSQL: one effect, and clear answers."""

from __future__ import annotations

import uuid
from collections import Counter
from functools import partial

import pytest
from django.db import connection

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.privacy import erase
from games.leagues.models import AuditEvent, Invitation, League, Organiser, Registration, Season
from games.leagues.services.cancellation import cancel
from games.leagues.services.founding import add_organiser, found_league, step_down
from games.leagues.services.invitations import invite_players
from games.leagues.services.player_lists import Listed
from games.leagues.services.registration import confirm, leave_season, sign_up
from games.leagues.services.season_plans import plan_season
from games.leagues.services.season_start import close_sign_up, draw
from games.leagues.services.sign_up_opening import open_sign_up
from games.services import Refused
from tests.clocks.passing import MONDAY, Wall
from tests.clocks.racing import TIMES, at_once
from tests.leagues.world import DAY, a_league, a_season, people, person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

State = Registration.State


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


def open_season(wall: Wall, organiser: User, **plan: object) -> Season:
    """Four places."""
    wall.now = MONDAY
    season = a_season(a_league(organiser), **({"division_size": 4} | plan))
    open_sign_up(season, None, wall.now)
    return Season.objects.get(pk=season.pk)


def states(season: Season) -> Counter[str]:
    return Counter(season.entries.values_list("state", flat=True))


def test_the_last_place_is_taken_by_one_of_two(wall: Wall, anna: User) -> None:
    users = people(5)
    for _turn in range(TIMES):
        season = open_season(wall, anna)
        for user in users[:3]:
            sign_up(season, user)
        at_once(wall, *(partial(sign_up, season, user) for user in users[3:]))
        assert states(season) == {State.SIGNED_UP: 4, State.WAITING: 1}


def test_one_person_in_two_windows_is_in_it_once(wall: Wall, anna: User, bruno: User) -> None:
    for _turn in range(TIMES):
        season = open_season(wall, anna)
        entries = at_once(wall, *[partial(sign_up, season, bruno)] * 3)
        assert len(set(entries)) == season.entries.count() == 1


def test_someone_who_leaves_and_who_comes_never_share_a_place(wall: Wall, anna: User) -> None:
    users = people(6)
    for _turn in range(TIMES):
        season = open_season(wall, anna)
        for user in users[:5]:
            sign_up(season, user)
        at_once(wall, partial(leave_season, season, users[0]), partial(sign_up, season, users[5]))
        assert states(season) == {State.LEFT: 1, State.SIGNED_UP: 4, State.WAITING: 1}
        assert season.entries.get(user=users[4]).state == State.SIGNED_UP


def test_two_organisers_who_plan_at_once_plan_one_season(wall: Wall, anna: User, bruno: User) -> None:
    for _turn in range(TIMES):
        league = found_league(anna, name="Lega", about="", is_private=False, form_key=uuid.uuid4())
        add_organiser(league, anna, bruno, "Two see more.")
        now = clock.now()
        plan = {"opens_at": now, "signup_ends_at": now + 7 * DAY, "begins_at": now + 10 * DAY}
        plans = [partial(plan_season, league, by, form_key=uuid.uuid4(), **plan) for by in (anna, bruno)]
        answers = at_once(wall, *plans)
        assert sorted(type(answer).__name__ for answer in answers) == ["Refused", "Season"]
        assert league.seasons.get().number == 1
        assert league.events.filter(kind=AuditEvent.Kind.PLANNED).count() == 1


def test_one_form_sent_twice_at_once_founds_and_plans_one(wall: Wall, anna: User) -> None:
    for turn in range(TIMES):
        found = partial(found_league, anna, name="Lega", about="", is_private=False, form_key=uuid.uuid4())
        leagues = at_once(wall, found, found)
        assert len(set(leagues)) == 1
        assert League.objects.count() == turn + 1
        league = League.objects.latest("pk")
        now = clock.now()
        plan = {"opens_at": now, "signup_ends_at": now + 7 * DAY, "begins_at": now + 10 * DAY}
        sent = partial(plan_season, league, anna, form_key=uuid.uuid4(), **plan)
        seasons = at_once(wall, sent, sent)
        assert set(seasons) == {league.seasons.get()}


def test_of_two_last_organisers_one_stays(wall: Wall, anna: User, bruno: User) -> None:
    for _turn in range(TIMES):
        league = found_league(anna, name="Lega", about="", is_private=False)
        add_organiser(league, anna, bruno, "Two see more.")
        answers = at_once(wall, partial(step_down, league, anna), partial(step_down, league, bruno))
        assert sum(isinstance(answer, Refused) for answer in answers) == 1
        assert league.organisers.count() == 1


def test_someone_who_gets_two_roles_at_once_is_an_organiser(wall: Wall, anna: User, bruno: User) -> None:
    for turn in range(TIMES):
        league = found_league(anna, name="Lega", about="", is_private=False)
        add_organiser(league, anna, bruno, "Two see more.")
        carla = person(f"Carla{turn}")
        adding = [
            partial(add_organiser, league, by, carla, "They help.", role)
            for by, role in ((anna, Organiser.Role.ORGANISER), (bruno, Organiser.Role.ASSISTANT))
        ]
        at_once(wall, *adding)
        assert Organiser.staff.get(league=league, user=carla).role == Organiser.Role.ORGANISER


def test_two_organisers_import_one_list_once(wall: Wall, anna: User, bruno: User) -> None:
    rows = [Listed(line, f"{name}@example.org") for line, name in enumerate(("carla", "dario", "elena"))]
    for turn in range(TIMES):
        season = open_season(wall, anna)
        add_organiser(season.league, anna, bruno, "Two see more.")
        imports = [partial(invite_players, season, by, rows) for by in (anna, bruno)]
        answers = at_once(wall, *imports)
        assert set(answers) == {3, 0}
        assert season.invited.count() == 3
        assert OutgoingEmail.objects.filter(kind="league_invitation").count() == 3 * (turn + 1)


def test_two_beats_close_a_sign_up_once(wall: Wall, anna: User) -> None:
    for turn in range(TIMES):
        season = open_season(wall, anna)
        for user in people(4):
            sign_up(season, user)
        wall.now = season.signup_ends_at
        beats = [partial(close_sign_up, season, wall.now)] * 3
        assert sorted(at_once(wall, *beats)) == [False, False, True]
        assert season.events.filter(kind=AuditEvent.Kind.ASKED).count() == 1
        assert OutgoingEmail.objects.filter(kind="league_confirm").count() == 4 * (turn + 1)


def test_someone_who_signs_up_as_it_closes_has_a_place_and_is_asked_or_has_confirmed(
    wall: Wall, anna: User
) -> None:
    users = people(4)
    for _turn in range(TIMES):
        season = open_season(wall, anna)
        for user in users[:3]:
            sign_up(season, user)
        wall.now = season.signup_ends_at
        at_once(wall, partial(close_sign_up, season, wall.now), partial(sign_up, season, users[3]))
        entry = season.entries.get(user=users[3])
        is_asked = OutgoingEmail.objects.filter(key=f"league_confirm:{entry.pk}").exists()
        assert entry.state == (State.SIGNED_UP if is_asked else State.CONFIRMED)


def asked(wall: Wall, organiser: User, users: list[User], **plan: object) -> Season:
    season = open_season(wall, organiser, **plan)
    for user in users:
        sign_up(season, user)
    wall.now = season.signup_ends_at
    close_sign_up(season, wall.now)
    return Season.objects.get(pk=season.pk)


@pytest.mark.long
def test_two_beats_draw_once(wall: Wall, anna: User) -> None:
    users = people(8)
    for turn in range(TIMES):
        season = asked(wall, anna, users, most_divisions=2, rounds=3)
        for entry in season.entries.all():
            confirm(entry)
        assert sorted(at_once(wall, *[partial(draw, season, wall.now)] * 3)) == [False, False, True]
        assert season.divisions.count() == 2
        assert sum(division.rounds.count() for division in season.divisions.all()) == 6
        assert season.events.filter(kind=AuditEvent.Kind.DRAWN).count() == 1
        assert OutgoingEmail.objects.filter(kind="league_begins").count() == 8 * (turn + 1)


def test_someone_who_confirms_as_it_is_drawn_plays_or_is_told_that_it_is_too_late(
    wall: Wall, anna: User
) -> None:
    users = people(5)
    for _turn in range(TIMES):
        season = asked(wall, anna, users)
        entries = list(season.entries.all())
        for entry in (*entries[:3], entries[4]):
            confirm(entry)
        wall.now += 3 * DAY
        drawn, answer = at_once(wall, partial(draw, season, wall.now), partial(confirm, entries[3]))
        assert drawn
        loses = isinstance(answer, Refused)
        assert states(season) == {State.PLAYING: 4, State.NO_SHOW if loses else State.WAITING: 1}
        assert season.entries.get(user=users[3]).state == (State.NO_SHOW if loses else State.PLAYING)


def test_a_season_is_drawn_or_called_off_but_never_both(wall: Wall, anna: User) -> None:
    for _turn in range(TIMES):
        season = asked(wall, anna, people(4))
        for entry in season.entries.all():
            confirm(entry)
        drawn, answer = at_once(
            wall, partial(draw, season, wall.now), partial(cancel, season, anna, "It rains.")
        )
        season.refresh_from_db()
        assert drawn == isinstance(answer, Refused)
        assert season.state == (Season.State.RUNNING if drawn else Season.State.CANCELLED)
        assert season.divisions.exists() == drawn


def test_someone_who_deletes_their_account_as_it_is_drawn_does_not_play_on(wall: Wall, anna: User) -> None:
    for turn in range(TIMES):
        users = people(5, f"Turn{turn}")
        season = asked(wall, anna, users, division_size=5)
        for entry in season.entries.all():
            confirm(entry)
        leaving = User.objects.get(pk=users[0].pk)
        answers = at_once(wall, partial(draw, season, wall.now), partial(erase, leaving))
        assert not [answer for answer in answers if isinstance(answer, Exception)]
        assert season.entries.filter(user=users[0]).exclude(state__in=Registration.OUT).count() == 0


def test_an_invitation_that_two_send_at_once_is_one(wall: Wall, anna: User) -> None:
    season = open_season(wall, anna)
    at_once(wall, *[partial(invite_players, season, anna, [Listed(1, "bruno@example.org")])] * 2)
    assert Invitation.objects.count() == 1
