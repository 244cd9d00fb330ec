"""Sign-up ends, players confirm, and the season is drawn: each step by date and once."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from accounts.mail.delivery_status import overtake_queued
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.privacy import erase
from games.clocks.outages import beat_heart
from games.leagues.models import AuditEvent, Registration, Season, Standing
from games.leagues.scoring.division_sizes import Candidate, divided, division_sizes
from games.leagues.selectors.league_log import reason_of
from games.leagues.services.registration import confirm, leave_season, sign_up
from games.leagues.services.schedule import next_action_at
from games.leagues.services.season_changes import change_season
from games.leagues.services.season_start import begin_with_fewer, close_sign_up, draw
from games.leagues.services.sign_up_opening import open_sign_up
from games.leagues.tasks import notify_organisers
from games.models import Heartbeat
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues.world import DAY, a_league, a_running_season, a_season, people, person

pytestmark = pytest.mark.django_db

State = Registration.State


def said_in(email: OutgoingEmail) -> str:
    content = EMAIL_KINDS[email.kind].build(email)
    assert content is not None
    return str(content.context)


@pytest.fixture
def organiser(wall: Wall, anna: User) -> User:
    return anna


def asked(wall: Wall, organiser: User, users: Iterable[User], **plan: Any) -> Season:
    """A season whose sign-up is over: these people have signed up, and are asked to confirm."""
    small = {"division_size": 4, "min_players": 4}
    season = a_season(a_league(organiser), **(small | plan))
    open_sign_up(season, None, wall.now)
    for user in users:
        wall.now += DAY / 1000
        sign_up(season, user)
    wall.now = season.signup_ends_at
    assert close_sign_up(season, wall.now)
    return again(season)


def again(season: Season) -> Season:
    return Season.objects.select_related("league").get(pk=season.pk)


def all_confirm(season: Season, *, but: Iterable[User] = ()) -> None:
    for entry in season.entries.filter(state=State.SIGNED_UP).exclude(user__in=list(but)):
        confirm(entry)


def states(season: Season) -> list[str]:
    return list(season.entries.values_list("state", flat=True))


def goes_on(season: Season, wall: Wall) -> bool:
    """The tick looks at it when its moment has come, and not before."""
    next_action_at = again(season).next_action_at
    return next_action_at is not None and next_action_at <= wall.now and draw(season, wall.now)


def test_a_sign_up_ends_by_date_once_and_asks_everyone_with_a_place(wall: Wall, organiser: User) -> None:
    season = asked(wall, organiser, people(5))
    assert not close_sign_up(season, wall.now)
    assert (season.state, season.asked_at, season.confirm_by) == (
        Season.State.CONFIRMING,
        wall.now,
        wall.now + 3 * DAY,
    )
    assert OutgoingEmail.objects.filter(kind="league_confirm").count() == 5  # also the one who waits
    assert season.events.filter(kind=AuditEvent.Kind.ASKED, by=None).count() == 1
    assert season.next_action_at == next_action_at(season) == wall.now + 2 * DAY


def test_kept_places_of_someone_who_did_not_sign_up_go_to_someone_who_waits(
    wall: Wall, organiser: User
) -> None:
    season = a_season(a_league(organiser), division_size=4)
    silent, *others = people(5)
    Registration.objects.create(season=season, user=silent, state=State.EXPECTED, reserved=1)
    open_sign_up(season, None, wall.now)
    for user in others:
        sign_up(season, user)
    assert season.entries.filter(state=State.WAITING).count() == 1
    wall.now = season.signup_ends_at
    close_sign_up(season, wall.now)
    assert season.entries.get(user=silent).state == State.NO_SHOW
    assert season.entries.filter(state=State.SIGNED_UP).count() == 4
    asked = OutgoingEmail.objects.filter(kind="league_confirm").order_by("pk")
    assert [email.to_user for email in asked] == others[:3]
    given = OutgoingEmail.objects.get(kind="league_place")
    assert given.to_user == others[3]
    assert "Confirm your place by" in said_in(given)
    overtake_queued()
    given.refresh_from_db()
    assert given.state == OutgoingEmail.State.QUEUED, "after a restore they still have to confirm"


def test_when_all_have_confirmed_it_is_drawn_at_once(wall: Wall, organiser: User) -> None:
    users = people(5)
    season = asked(wall, organiser, users)
    assert not goes_on(season, wall)
    all_confirm(season, but=users[:1])
    assert not goes_on(season, wall)
    all_confirm(season)
    assert goes_on(season, wall)
    season = again(season)
    assert (season.state, len(bytes.fromhex(season.seed))) == (Season.State.RUNNING, 32)
    assert states(season) == [State.PLAYING] * 4 + [State.WAITING]
    assert season.events.get(kind=AuditEvent.Kind.DRAWN).facts == {"seed": season.seed}
    assert set(OutgoingEmail.objects.filter(kind="league_begins").values_list("to_user", flat=True)) == {
        user.pk for user in users[:4]
    }
    assert not draw(season, wall.now)
    assert OutgoingEmail.objects.filter(kind="league_begins").count() == 4


def test_rounds_are_planned_and_not_drawn_before_the_start(wall: Wall, organiser: User) -> None:
    season = asked(wall, organiser, people(8), division_size=4, most_divisions=2, rounds=3, table_days=10)
    all_confirm(season)
    draw(season, wall.now)
    season = again(season)
    for division in season.divisions.all():
        assert [(one.number, one.draw) for one in division.rounds.all()] == [(1, None), (2, None), (3, None)]
    assert season.next_action_at == season.begins_at


def test_seeds_are_drawn_again_for_each_season(wall: Wall, organiser: User) -> None:
    seeds = set()
    for _turn in range(3):
        season = asked(wall, organiser, people(4))
        assert season.seed == ""
        all_confirm(season)
        draw(season, wall.now)
        seeds.add(again(season).seed)
    assert len(seeds) == 3


def test_someone_who_does_not_confirm_is_reminded_once_and_keeps_a_place_that_no_one_waits_for(
    wall: Wall, organiser: User
) -> None:
    users = people(4)
    season = asked(wall, organiser, users, division_size=8)
    all_confirm(season, but=users[:1])
    OutgoingEmail.objects.all().delete()
    wall.now += 2 * DAY
    for _twice in range(2):
        assert not draw(season, wall.now)
    email = OutgoingEmail.objects.get(kind="league_confirm")
    assert email.to_user == users[0]
    assert "Reminder: confirm your place in season 1" in said_in(email)
    assert again(season).next_action_at == wall.now + DAY
    wall.now += DAY
    assert goes_on(season, wall)
    assert states(season) == [State.PLAYING] * 4
    assert OutgoingEmail.objects.filter(kind="league_confirm").count() == 1


def test_someone_who_does_not_confirm_loses_their_place_to_someone_who_waits_and_has(
    wall: Wall, organiser: User
) -> None:
    users = people(7)
    season = asked(wall, organiser, users)
    for user in (*users[1:3], users[5]):  # the fifth waits longer than the sixth, but does not confirm
        confirm(season.entries.get(user=user))
    assert season.entries.get(user=users[5]).state == State.WAITING
    wall.now += 3 * DAY
    assert goes_on(season, wall)
    played = [State.PLAYING, State.PLAYING, State.PLAYING, State.NO_SHOW, State.WAITING, State.PLAYING]
    assert states(season) == [
        *played,
        State.WAITING,
    ]  # the last to sign up loses the place, the first keeps it
    lost, got = [OutgoingEmail.objects.get(kind=kind) for kind in ("league_no_show", "league_place")]
    assert (lost.to_user, got.to_user) == (users[3], users[5])
    assert "went to someone who was waiting" in said_in(lost)
    assert sign_up(season, users[3]).state == State.WAITING


def test_time_in_which_the_site_was_down_is_not_taken_from_who_has_to_confirm(
    wall: Wall, organiser: User
) -> None:
    users = people(5)
    season = asked(wall, organiser, users)
    all_confirm(season, but=users[:1])
    confirm(season.entries.get(user=users[4]))
    Heartbeat.objects.create(at=wall.now + DAY)
    wall.now += 3 * DAY
    assert not goes_on(season, wall)  # the clock has not ticked yet
    beat_heart(wall.now)
    assert not goes_on(season, wall)
    assert states(season)[0] == State.SIGNED_UP
    assert again(season).next_action_at == wall.now + DAY  # the reminder
    wall.now += 2 * DAY
    Heartbeat.objects.update(at=wall.now)
    assert goes_on(season, wall)
    assert states(season)[0] == State.NO_SHOW


def test_it_begins_no_sooner_than_it_was_drawn(wall: Wall, organiser: User) -> None:
    users = people(5)
    season = asked(wall, organiser, users)
    all_confirm(season, but=users[:1])
    wall.now += 30 * DAY
    assert goes_on(season, wall)
    assert again(season).begins_at == wall.now


def too_few(wall: Wall, organiser: User, count: int = 3) -> Season:
    season = asked(wall, organiser, people(count))
    all_confirm(season)
    assert not goes_on(season, wall)
    return again(season)


def test_with_too_few_the_sign_up_stays_open_a_week_at_a_time(wall: Wall, organiser: User) -> None:
    season = too_few(wall, organiser)
    assert (season.state, season.short_since) == (Season.State.CONFIRMING, wall.now)
    assert season.next_action_at == season.signup_ends_at == wall.now + 7 * DAY
    assert season.begins_at >= season.signup_ends_at
    assert not goes_on(season, wall)
    notify_organisers()
    assert OutgoingEmail.objects.get(kind="league_needs").to_user == organiser
    wall.now += 7 * DAY
    assert not goes_on(season, wall)
    notify_organisers()
    newcomer = person("Newcomer")
    assert sign_up(season, newcomer).state == State.CONFIRMED
    assert (
        again(season).next_action_at == again(season).asked_at
    )  # all four places are taken: it is drawn at once
    assert goes_on(season, wall)
    assert again(season).short_since is None
    assert OutgoingEmail.objects.filter(kind="league_needs").count() == 1


def test_with_enough_it_is_drawn_at_the_end_of_the_week(wall: Wall, organiser: User) -> None:
    season = asked(wall, organiser, people(3), division_size=8)
    all_confirm(season)
    assert not goes_on(season, wall)
    sign_up(season, person("Newcomer"))
    assert not goes_on(season, wall)
    wall.now += 7 * DAY
    assert goes_on(season, wall)


def test_after_a_month_of_too_few_it_is_called_off(wall: Wall, organiser: User) -> None:
    season = too_few(wall, organiser)
    for _week in range(4):
        wall.now += 7 * DAY
        assert not goes_on(season, wall)
        assert again(season).state == Season.State.CONFIRMING
    wall.now += 2 * DAY
    assert not goes_on(season, wall)
    assert (again(season).state, again(season).next_action_at) == (Season.State.CANCELLED, None)
    assert OutgoingEmail.objects.filter(kind="league_cancelled").count() == 3
    event = season.events.get(kind=AuditEvent.Kind.CANCELLED)
    assert (event.by, reason_of(event)) == (None, "Too few players have signed up.")


def test_a_season_to_which_no_one_came_ends_too(wall: Wall, organiser: User) -> None:
    season = asked(wall, organiser, [])
    assert not goes_on(season, wall)
    wall.now += 31 * DAY
    assert not goes_on(season, wall)
    assert again(season).state == Season.State.CANCELLED


def test_an_organiser_begins_with_fewer(wall: Wall, organiser: User, bruno: User) -> None:
    season = asked(wall, organiser, people(5), division_size=8, min_players=8)
    all_confirm(season)
    with pytest.raises(Refused, match="not waiting for a decision"):
        begin_with_fewer(season, organiser, "Five are enough.")
    goes_on(season, wall)
    with pytest.raises(Refused, match="Only organisers"):
        begin_with_fewer(season, bruno, "Five are enough.")
    begin_with_fewer(season, organiser, "Five are enough.")
    season = again(season)
    assert (season.state, season.min_players) == (Season.State.RUNNING, 5)
    event = season.events.get(kind=AuditEvent.Kind.DRAWN)
    assert (event.by, event.reason) == (organiser, "Five are enough.")


def test_the_page_of_a_short_season_offers_to_begin_with_fewer(
    wall: Wall, organiser: User, signed_in: Any
) -> None:
    season = asked(wall, organiser, people(5), division_size=8, min_players=8)
    all_confirm(season)
    goes_on(season, wall)
    client, organise = signed_in(organiser), f"/leagues/{season.league_id}/organise/"
    path = f"{organise}season/{season.number}/fewer/"
    assert path in client.get(organise).content.decode()
    assert "One table needs 4 players." in client.get(path).content.decode()
    client.post(path, {"reason": "Five are enough."})
    assert again(season).state == Season.State.RUNNING


def test_no_one_begins_with_fewer_than_a_table(wall: Wall, organiser: User) -> None:
    season = too_few(wall, organiser)
    with pytest.raises(Refused, match="needs 4 players"):
        begin_with_fewer(season, organiser, "Three will do.")


def test_an_organiser_gives_it_more_time(wall: Wall, organiser: User) -> None:
    season = too_few(wall, organiser)
    until = wall.now + 40 * DAY
    change_season(season, organiser, reason="After the holidays.", signup_ends_at=until)
    season = again(season)
    assert (season.next_action_at, season.short_since) == (until, None)
    wall.now = until
    assert not goes_on(season, wall)
    assert again(season).state == Season.State.CONFIRMING  # a month begins again


def test_someone_who_closes_their_account_before_the_draw_does_not_play(wall: Wall, organiser: User) -> None:
    users = people(5)
    season = asked(wall, organiser, users, division_size=8)
    all_confirm(season)
    erase(User.objects.get(pk=users[0].pk))
    assert goes_on(season, wall)
    assert season.entries.filter(state=State.PLAYING).count() == 4
    assert season.entries.get(user=users[0]).is_out


def test_someone_who_leaves_last_lets_the_others_begin(wall: Wall, organiser: User) -> None:
    users = people(5)
    season = asked(wall, organiser, users, division_size=8)
    all_confirm(season, but=users[:1])
    assert not goes_on(season, wall)
    leave_season(season, users[0])
    assert goes_on(season, wall)


def division_of(season: Season) -> dict[str, int]:
    rows = season.entries.filter(division__isnull=False).values_list("user__name", "division__level")
    return dict(rows)


def test_in_a_first_season_who_signed_up_first_plays_higher(wall: Wall, organiser: User) -> None:
    season = asked(wall, organiser, people(10), division_size=4, most_divisions=3)
    all_confirm(season)
    draw(season, wall.now)
    drawn = division_of(season)
    assert list(Counter(drawn.values()).values()) == [4, 3, 3]  # as large as they may be, and no one sits out
    assert [drawn[f"Player{number:02}"] for number in range(1, 11)] == [1] * 4 + [2] * 3 + [3] * 3


def test_kept_levels_come_first_and_gaps_are_filled_from_below(wall: Wall, organiser: User) -> None:
    before = a_running_season(organiser, people(4, "Top"), people(4, "Low"), most_divisions=2)
    users = [*people(4, "Top"), *people(4, "Low")]
    levels = dict(zip(users, [1, 1, 1, 2, 1, 2, 2, 2], strict=True))  # one goes down, one goes up
    for place, entry in enumerate(before.entries.select_related("division").order_by("pk"), 1):
        level = levels[entry.user]
        assert entry.division is not None
        Standing.objects.create(
            division=entry.division, entry=entry, place=place, points="0", next_level=level
        )
    Season.objects.filter(pk=before.pk).update(state=Season.State.CLOSED)
    season = a_season(before.league, division_size=4, most_divisions=2, min_players=4)
    for seeding, (user, level) in enumerate(levels.items()):
        Registration.objects.create(
            season=season, user=user, state=State.EXPECTED, reserved=level, seeding=seeding
        )
    open_sign_up(season, None, wall.now)
    newcomer = person("Newcomer")
    for user in [newcomer, *users[1:]]:  # the first of all does not come back
        sign_up(season, user)
    wall.now = season.signup_ends_at
    close_sign_up(season, wall.now)
    all_confirm(season)
    assert draw(season, wall.now)
    drawn = division_of(season)
    # Low01 has come up; Low02, and not Top04 who was sent down, fills the gap; the newcomer begins below.
    assert {name for name, level in drawn.items() if level == 1} == {"Top02", "Top03", "Low01", "Low02"}
    assert {name for name, level in drawn.items() if level == 2} == {"Top04", "Low03", "Low04", "Newcomer"}


@pytest.mark.parametrize(
    ("players", "table", "largest", "most", "sizes"),
    [
        (4, 4, 4, 1, (4,)),
        (5, 4, 4, 1, (5,)),
        (5, 4, 4, 2, (5,)),  # two divisions would have no table each
        (11, 4, 4, 3, (4, 4, 3)),  # a table of three, and no division larger than was said
        (11, 6, 10, 3, (6, 5)),
        (12, 4, 12, 3, (12,)),
        (20, 4, 12, 3, (12, 8)),  # and not 10 and 10, where four would sit out
        (20, 4, 10, 3, (10, 10)),
        (17, 3, 6, 3, (6, 6, 5)),
        (60, 4, 20, 3, (20, 20, 20)),
        (59, 4, 20, 3, (20, 20, 19)),
        (7, 2, 4, 5, (4, 3)),
        (30, 5, 12, 3, (10, 10, 10)),
        (100, 5, 120, 26, (100,)),
    ],
)
def test_divisions_are_even_and_few_sit_out(
    players: int, table: int, largest: int, most: int, sizes: tuple[int, ...]
) -> None:
    assert division_sizes(players, table=table, largest=largest, most=most) == sizes


def test_whatever_the_numbers_everyone_has_a_division_with_a_table() -> None:
    for table in range(2, 7):
        for largest in (table, table + 1, 2 * table, 3 * table + 1):
            for most in (1, 2, 5):
                for players in range(table, largest * most + 1):
                    sizes = division_sizes(players, table=table, largest=largest, most=most)
                    assert sum(sizes) == players
                    least = min(table, 3)
                    assert min(sizes) >= least
                    assert len(sizes) <= most
                    if -(-players // largest) * least <= players:
                        assert max(sizes) <= largest
                    assert max(sizes) - min(sizes) <= table
                    everybody = tuple(Candidate(number, None) for number in range(players))
                    assert tuple(map(len, divided(everybody, sizes))) == sizes


def test_a_place_that_is_kept_in_a_division_is_a_place_there() -> None:
    """Fifty of sixty come again: divisions above are filled first, and no one goes down for evenness."""
    for kept in ((18, 16, 12), (20, 16, 14), (20, 20, 3), (17, 17, 16)):
        sizes = division_sizes(50, table=4, largest=20, most=3, kept=kept)
        assert sum(sizes) == 50
        assert max(sizes) <= 20
        assert all(places <= size for places, size in zip(kept[:2], sizes[:2], strict=True))
    assert division_sizes(50, table=4, largest=20, most=3, kept=(18, 16, 12)) == (20, 20, 10)
    assert division_sizes(42, table=4, largest=20, most=3, kept=(20, 18, 4)) == (20, 19, 3)
    assert division_sizes(50, table=4, largest=20, most=3, kept=(5, 5, 5)) == (16, 17, 17)


def test_levels_that_are_not_there_any_more_are_the_last() -> None:
    candidates = [Candidate(1, 5), Candidate(2, 1), Candidate(3, None), Candidate(4, 2)]
    assert divided(candidates, (2, 2)) == ((2, 4), (1, 3))


def test_someone_who_has_no_room_at_their_level_goes_down() -> None:
    candidates = [Candidate(number, 1) for number in range(1, 6)]
    assert divided(candidates, (3, 2)) == ((1, 2, 3), (4, 5))
