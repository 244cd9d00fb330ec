"""People come into a season by signing up, wait where it is full, and leave before it begins."""

from collections.abc import Iterable
from typing import Any

import pytest

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.models import Block, User
from condottiere_site.privacy import erase
from games.leagues.models import Invitation, Registration, Season
from games.leagues.services.registration import confirm, leave_season, sign_up
from games.leagues.services.season_start import close_sign_up
from games.leagues.services.sign_up_opening import open_sign_up
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues.world import DAY, a_league, a_running_season, a_season, invite, people

pytestmark = pytest.mark.django_db

State = Registration.State


def said_in(email: OutgoingEmail) -> str:
    content = EMAIL_KINDS[email.kind].build(email)
    assert content is not None
    return str(content.context)


@pytest.fixture
def organiser(wall: Wall, anna: User) -> User:
    return anna


def open_season(organiser: User, **plan: Any) -> Season:
    """Four places at one table of four."""
    small = {"division_size": 4, "min_players": 4}
    season = a_season(a_league(organiser), **(small | plan))
    open_sign_up(season, organiser, season.opens_at)
    return again(season)


def again(season: Season) -> Season:
    return Season.objects.select_related("league").get(pk=season.pk)


def states(season: Season) -> list[str]:
    """Of everyone, in the order in which places are given."""
    return list(season.entries.values_list("state", flat=True))


def signed_up(wall: Wall, season: Season, users: Iterable[User]) -> list[Registration]:
    entries = []
    for user in users:
        wall.now += DAY / 1000
        entries.append(sign_up(season, user))
    return entries


def confirming(wall: Wall, season: Season) -> Season:
    wall.now = season.signup_ends_at
    assert close_sign_up(season, wall.now)
    return again(season)


def test_someone_who_comes_after_the_last_place_waits(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    entries = signed_up(wall, season, people(6))
    assert [entry.state for entry in entries] == [State.SIGNED_UP] * 4 + [State.WAITING] * 2


def test_twice_is_once(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    berta, *others = people(5)
    first = sign_up(season, berta)
    signed_up(wall, season, others)
    assert sign_up(season, berta) == first
    assert sign_up(season, others[-1]).state == State.WAITING
    assert states(season) == [State.SIGNED_UP] * 4 + [State.WAITING]


def test_someone_who_leaves_gives_their_place_to_the_first_who_waits(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    users = people(6)
    entries = signed_up(wall, season, users)
    leave_season(season, users[0])
    assert leave_season(season, users[0]).state == State.LEFT
    assert states(season) == [State.LEFT] + [State.SIGNED_UP] * 4 + [State.WAITING]
    email = OutgoingEmail.objects.get(kind="league_place")
    assert (email.to_user, email.context) == (users[4], {"entry": entries[4].pk})
    content = EMAIL_KINDS["league_place"].build(email)
    assert content is not None
    assert any(str(text).startswith("The first tables begin on ") for text in content.context["sentences"])


def test_someone_who_left_comes_back_at_the_end_of_the_queue(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    users = people(6)
    signed_up(wall, season, users)
    leave_season(season, users[0])
    wall.now += DAY
    entry = sign_up(season, users[0])
    assert (entry.state, entry.out_at) == (State.WAITING, None)
    assert season.entries.last() == entry


def test_a_place_that_was_kept_is_no_one_elses(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    kept, *others = people(5)
    Registration.objects.create(season=season, user=kept, state=State.EXPECTED, reserved=1, seeding=3)
    assert [entry.state for entry in signed_up(wall, season, others)] == [State.SIGNED_UP] * 3 + [
        State.WAITING
    ]
    entry = sign_up(season, kept)
    assert (entry.state, entry.reserved, entry.seeding) == (State.SIGNED_UP, 1, 3)


def test_someone_who_does_not_want_a_kept_place_gives_it_to_someone_who_waits(
    wall: Wall, organiser: User
) -> None:
    season = open_season(organiser)
    kept, *others = people(5)
    Registration.objects.create(season=season, user=kept, state=State.EXPECTED, reserved=1)
    signed_up(wall, season, others)
    leave_season(season, kept)
    assert states(season).count(State.SIGNED_UP) == 4


@pytest.mark.parametrize("state", ["planned", "closed", "cancelled"])
def test_no_one_signs_up_where_it_is_not_open(wall: Wall, organiser: User, bruno: User, state: str) -> None:
    season = open_season(organiser)
    Season.objects.filter(pk=season.pk).update(state=state)
    with pytest.raises(Refused):
        sign_up(season, bruno)
    assert not season.entries.exists()


def test_someone_who_comes_to_a_running_season_waits(organiser: User, bruno: User) -> None:
    season = a_running_season(organiser, people(4))
    assert sign_up(season, bruno).state == State.WAITING
    assert leave_season(season, bruno).state == State.LEFT


def test_someone_who_plays_cannot_leave_but_withdraws(organiser: User) -> None:
    users = people(4)
    season = a_running_season(organiser, users)
    with pytest.raises(Refused, match="Withdraw"):
        leave_season(season, users[0])


@pytest.mark.parametrize("state", [State.WITHDRAWN, State.EXPELLED])
def test_someone_who_withdrew_or_was_expelled_does_not_come_back(organiser: User, state: str) -> None:
    users = people(4)
    season = a_running_season(organiser, users)
    season.entries.filter(user=users[0]).update(state=state)
    with pytest.raises(Refused, match="can’t sign up"):
        sign_up(season, users[0])
    assert season.entries.get(user=users[0]).state == state


def test_whom_an_organiser_has_blocked_stays_out(organiser: User, bruno: User) -> None:
    season = open_season(organiser)
    Block.objects.create(by=organiser, whom=bruno)
    with pytest.raises(Refused, match="can’t take part"):
        sign_up(season, bruno)


def test_a_closed_account_takes_no_place(organiser: User, bruno: User) -> None:
    season = open_season(organiser)
    erase(User.objects.get(pk=bruno.pk))
    with pytest.raises(Refused, match="closed"):
        sign_up(season, bruno)


def test_someone_who_signs_up_has_answered_their_invitation(organiser: User, bruno: User) -> None:
    season = open_season(organiser, most_divisions=2)
    invite(season, organiser, bruno.email, 2)
    assert sign_up(season, bruno).reserved == 2
    assert season.invited.get().state == Invitation.State.ACCEPTED


def test_no_one_confirms_before_they_are_asked(organiser: User, bruno: User) -> None:
    season = open_season(organiser)
    entry = sign_up(season, bruno)
    with pytest.raises(Refused, match="can’t confirm yet"):
        confirm(entry)


def test_confirming_twice_is_once(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    entries = signed_up(wall, season, people(5))
    season = confirming(wall, season)
    first = confirm(entries[0])
    wall.now += DAY
    assert confirm(entries[0]).confirmed_at == first.confirmed_at
    waits = confirm(entries[4])
    assert (waits.state, waits.confirmed_at) == (State.WAITING, wall.now)


def test_someone_who_moves_up_while_players_confirm_has_confirmed_or_still_can(
    wall: Wall, organiser: User
) -> None:
    season = open_season(organiser)
    users = people(6)
    entries = signed_up(wall, season, users)
    season = confirming(wall, season)
    confirm(entries[4])
    for user in users[:2]:
        leave_season(season, user)
    assert states(season)[4:] == [State.CONFIRMED, State.SIGNED_UP]
    first, second = OutgoingEmail.objects.filter(kind="league_place").order_by("pk")
    assert (first.to_user, second.to_user) == (users[4], users[5])
    assert "Confirm" not in said_in(first)
    assert "Confirm your place by" in said_in(second)
    assert confirm(entries[5]).state == State.CONFIRMED


def test_someone_who_signs_up_while_players_confirm_has_confirmed_by_that(
    wall: Wall, organiser: User, bruno: User, carla: User
) -> None:
    season = open_season(organiser)
    signed_up(wall, season, people(3))
    season = confirming(wall, season)
    assert sign_up(season, bruno).state == State.CONFIRMED
    assert sign_up(season, carla).state == State.WAITING


def test_a_confirmation_that_comes_too_late_is_refused(wall: Wall, organiser: User) -> None:
    season = open_season(organiser)
    entries = signed_up(wall, season, people(4))
    season = confirming(wall, season)
    season.entries.filter(pk=entries[0].pk).update(state=State.NO_SHOW)
    with pytest.raises(Refused, match="no longer reserved"):
        confirm(entries[0])
    assert sign_up(season, entries[0].user).state == State.CONFIRMED  # the place is still free
