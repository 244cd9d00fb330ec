"""People are invited to a season by their addresses; a list with a broken row invites no one."""

from datetime import timedelta
from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from accounts.models import Block, User
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.invitations import (
    INVITATIONS_A_DAY,
    MOST_ROWS,
    BadRows,
    accept_invitation,
    decline_invitation,
    import_players,
    invite,
    withdraw_invitation,
)
from games.leagues.services.lifecycle import cancel, open_sign_up
from games.leagues.services.registration import sign_up
from games.services import Refused
from games.services.lobby import INVITATIONS_TO_ONE_A_DAY
from tests.clocks.passing import Wall
from tests.leagues.world import a_league, a_running_season, a_season, people

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(wall: Wall, anna: User) -> Season:
    """Planned, with three divisions."""
    return a_season(a_league(anna), most_divisions=3)


def opened(season: Season) -> Season:
    open_sign_up(season, None, season.opens_at)
    return Season.objects.get(pk=season.pk)


def emails() -> list[str]:
    return list(OutgoingEmail.objects.filter(kind="league_invitation").values_list("to_address", flat=True))


def errors_of(season: Season, by: User, data: bytes | str) -> list[tuple[int, str]]:
    """What is wrong with a list, of which no one is invited."""
    before = list(Invitation.objects.values())
    with pytest.raises(BadRows) as refused:
        import_players(season, by, data)
    assert list(Invitation.objects.values()) == before
    assert not emails()
    assert not season.events.filter(kind=AuditEvent.Kind.IMPORTED).exists()
    return list(refused.value.errors)


def test_an_invitation_is_sent_when_the_sign_up_opens(season: Season, anna: User) -> None:
    invite(season, anna, " Bruno@Example.org ")
    assert not emails()
    season = opened(season)
    assert emails() == ["bruno@example.org"]
    invite(season, anna, "carla@example.org")
    assert emails() == ["bruno@example.org", "carla@example.org"]
    assert not season.entries.exists()  # no one is in it before they say so


def test_inviting_again_writes_no_second_email(season: Season, anna: User) -> None:
    season = opened(season)
    invite(season, anna, "bruno@example.org", 1)
    again = invite(season, anna, "bruno@example.org", 2)
    assert (again.level, len(emails()), season.invited.count()) == (2, 1, 1)


def test_the_log_tells_that_someone_was_invited_and_not_whom(season: Season, anna: User) -> None:
    for _again in range(2):
        invite(season, anna, "zoe@example.org")
    (event,) = season.events.filter(kind=AuditEvent.Kind.INVITED)
    assert (event.by, event.facts, event.reason) == (anna, {}, "")


def test_someone_who_accepts_signs_up_at_the_level_that_was_kept(
    season: Season, anna: User, bruno: User
) -> None:
    season = opened(season)
    invited = invite(season, anna, bruno.email, 3)
    entry = accept_invitation(invited, bruno)
    assert (entry.state, entry.reserved) == (Registration.State.SIGNED_UP, 3)
    assert accept_invitation(invited, bruno) == entry
    assert Invitation.objects.get().state == Invitation.State.ACCEPTED
    with pytest.raises(Refused, match="already in this season"):
        invite(season, anna, bruno.email)


def test_someone_who_accepts_at_another_of_their_addresses_signs_up_too(
    season: Season, anna: User, bruno: User
) -> None:
    season = opened(season)
    entry = accept_invitation(invite(season, anna, "bruno@elsewhere.example.org", 2), bruno)
    assert (entry.user, Registration.objects.get().reserved) == (bruno, 2)
    assert Invitation.objects.get().state == Invitation.State.ACCEPTED


def test_someone_who_declines_is_not_asked_again_but_may_come(
    season: Season, anna: User, bruno: User
) -> None:
    season = opened(season)
    invited = invite(season, anna, bruno.email)
    decline_invitation(invited)
    decline_invitation(invited)
    with pytest.raises(Refused, match="has declined"):
        invite(season, anna, bruno.email)
    assert accept_invitation(invited, bruno).state == Registration.State.SIGNED_UP


def test_an_invitation_that_was_withdrawn_opens_nothing(season: Season, anna: User, bruno: User) -> None:
    season = opened(season)
    invited = invite(season, anna, bruno.email)
    with pytest.raises(Refused, match="Only organisers"):
        withdraw_invitation(invited, bruno)
    withdraw_invitation(invited, anna)
    with pytest.raises(Refused, match="withdrawn"):
        accept_invitation(invited, bruno)
    assert not season.entries.exists()
    with pytest.raises(Refused, match="already been answered"):
        withdraw_invitation(invited, anna)
    assert invite(season, anna, bruno.email).state == Invitation.State.SENT


def test_someone_who_blocks_the_organiser_hears_nothing(season: Season, anna: User, bruno: User) -> None:
    season = opened(season)
    Block.objects.create(by=bruno, whom=anna)
    assert invite(season, anna, bruno.email).state == Invitation.State.SENT
    assert not emails()
    cancel(season, anna, "Nobody comes.")
    assert not OutgoingEmail.objects.filter(kind="league_cancelled").exists()


def test_who_was_invited_is_told_that_the_season_is_called_off(season: Season, anna: User) -> None:
    season = opened(season)
    invited = invite(season, anna, "carla@example.org")
    cancel(season, anna, "Nobody comes.")
    assert OutgoingEmail.objects.get(kind="league_cancelled").to_address == "carla@example.org"
    invited.refresh_from_db()
    assert invited.state == Invitation.State.WITHDRAWN


@pytest.mark.parametrize(
    ("email", "level"),
    [
        ("nobody", None),
        ("", None),
        ("a@b", None),
        ("anna@example.org\nBcc: all@example.org", None),
        ("x" * 10_000 + "@example.org", None),
        ("bruno\x00@example.org", None),
        ("bruno@example.org", 0),
        ("bruno@example.org", 4),
    ],
)
def test_what_cannot_be_invited_is_refused(season: Season, anna: User, email: str, level: int | None) -> None:
    with pytest.raises(Refused):
        invite(season, anna, email, level)
    assert not Invitation.objects.exists()


def test_no_one_is_invited_to_a_season_that_runs_nor_by_a_stranger(
    season: Season, anna: User, bruno: User
) -> None:
    running = a_running_season(anna, people(4))
    with pytest.raises(Refused, match="no longer invite"):
        invite(running, anna, bruno.email)
    with pytest.raises(Refused, match="Only organisers"):
        invite(season, bruno, bruno.email)
    with pytest.raises(Refused, match="Only organisers"):
        import_players(season, bruno, "email\ncarla@example.org\n")


def test_no_one_is_written_to_by_many_in_a_day(wall: Wall, anna: User) -> None:
    for _turn in range(INVITATIONS_TO_ONE_A_DAY):
        invite(a_season(a_league(anna)), anna, "bruno@example.org")
    with pytest.raises(Refused, match="too many invitations"):
        invite(a_season(a_league(anna)), anna, "bruno@example.org")


@pytest.mark.long
def test_an_organiser_writes_to_so_many_in_a_day(season: Season, anna: User) -> None:
    rows = "".join(f"player{number}@example.org\n" for number in range(INVITATIONS_A_DAY))
    assert import_players(season, anna, f"email\n{rows}") == INVITATIONS_A_DAY
    other = a_season(season.league)
    with pytest.raises(Refused, match="tomorrow"):
        import_players(other, anna, "email\nbruno@example.org\n")
    assert not other.invited.exists()


SOUND: list[tuple[str, Any]] = [
    ("plain", "email,level\nbruno@example.org,1\ncarla@example.org,\n"),
    ("no last line break", "email,level\nbruno@example.org,1\ncarla@example.org"),
    ("semicolons", "E-Mail;Level\nbruno@example.org;1\ncarla@example.org;\n"),
    ("tabulators", "level\temail\n1\tbruno@example.org\n\tcarla@example.org\n"),
    ("byte order mark", b"\xef\xbb\xbfemail,level\nbruno@example.org,1\ncarla@example.org,\n"),
    ("byte order mark, read as text", "\ufeffemail,level\nbruno@example.org,1\ncarla@example.org,\n"),
    ("old line breaks", "email,level\rbruno@example.org,1\rcarla@example.org,\r"),
    ("other line breaks", "email,level\r\nbruno@example.org,1\r\n\r\ncarla@example.org,\r\n"),
    ("emails for divisions", "email,division\nbruno@example.org,A\ncarla@example.org,\n"),
    ("quotation marks", '"email","level"\n" Bruno@example.org","1"\n"carla@example.org",""\n'),
    ("quoted line break", '"email\n","level"\nbruno@example.org,"1\n"\n"carla@example.org\n",\n'),
]


@pytest.mark.parametrize("data", [data for _name, data in SOUND], ids=[name for name, _data in SOUND])
def test_a_sound_list_invites_everyone(season: Season, anna: User, data: bytes | str) -> None:
    assert import_players(season, anna, data) == 2
    assert set(season.invited.values_list("email", "level")) == {
        ("bruno@example.org", 1),
        ("carla@example.org", None),
    }
    event = season.events.get(kind=AuditEvent.Kind.IMPORTED)
    assert (event.by, event.facts) == (anna, {"players": 2})
    opened(season)
    assert sorted(emails()) == ["bruno@example.org", "carla@example.org"]


def test_every_broken_row_is_told_by_its_line(season: Season, anna: User, bruno: User) -> None:
    sign_up(opened(season), bruno)
    data = (
        "email,level\n"
        "carla@example.org,1\n"
        "no address,1\n"
        "dario@example.org,4\n"
        ",2\n"
        "\n"
        'elena@example.org,"first\n'
        'of all"\n'
        "Carla@example.org,2\n"
        "fabio@example.org,1,x,y\n"
        "bruno@example.org,\n"
        f"{'x' * 10_000}@example.org,\n"
        "guido@example.org,-1\n"
        "nobody,99999999999999999999\n"
        "hugo\x07@example.org\n"
    )
    told = errors_of(season, anna, data)
    assert [line for line, _told in told] == [3, 4, 5, 7, 9, 10, 12, 13, 14, 14, 15]
    told_of = dict(told)
    assert "“" not in told_of[3]
    assert "This is not an email address: no address" in told_of[3]
    assert "no division 4" in told_of[4]
    assert "no division first of all" in told_of[7]
    assert "already on line 2" in told_of[9]
    assert "4 cells" in told_of[10]
    assert all(len(sentence) < 200 and sentence.isprintable() for _line, sentence in told)
    sound = data.splitlines(keepends=True)[:2]
    assert errors_of(season, anna, "".join([*sound, "bruno@example.org,1\n"])) == [
        (3, "bruno@example.org is already in this season.")
    ]
    assert import_players(season, anna, "".join(sound)) == 1


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        ("", 1, "empty"),
        ("\n\n \n", 1, "empty"),
        ("email,level\n", 1, "no players"),
        ("bruno@example.org\ncarla@example.org\n", 1, "do not know the column “bruno@example.org”"),
        ("email,level,shoe size\nbruno@example.org,1,43\n", 1, "do not know the column “shoe size”"),
        ("level\n1\n", 1, "no email column"),
        ("email,E-Mail\nbruno@example.org,carla@example.org\n", 1, "once"),
        ('email\nbruno@example.org\n"carla@example.org\n', 3, "quotation marks"),
        ('email\n"bruno@example.org"x\n', 2, "quotation marks"),
        (b"email\nbruno@example.org\nm\xfcller@example.org\n", 3, "UTF-8"),
        ("email\nbruno@example.org\n".encode("utf-16"), 1, "UTF-8"),
        (b"PK\x03\x04\x14\x00\x06\x00\x08\x00", 1, "do not know the column"),
        ("email\n" + "x" * 3_000_000, 1, "too large"),
        ("email\n" + "x" * 200_000 + "\n", 2, "cannot read this row"),
        ("email\nbruno@example.org\x00\n", 2, ""),
    ],
)
def test_what_is_no_list_is_told(season: Season, anna: User, data: bytes | str, line: int, said: str) -> None:
    told = errors_of(season, anna, data)
    assert told[0][0] == line
    assert said in told[0][1]


def test_of_ten_thousand_rows_every_broken_one_is_told(season: Season, anna: User) -> None:
    rows = "".join(
        f"{'nobody' if number % 2 else f'player{number}@example.org'}\n" for number in range(10_000)
    )
    told = errors_of(season, anna, f"email\n{rows}")
    assert len(told) == 5000 + 1
    assert any(f"You can import at most {MOST_ROWS} at once." in sentence for _line, sentence in told)
    assert told == sorted(told, key=lambda error: error[0])


def test_anyone_who_was_invited_or_has_declined_is_told_by_line(season: Season, anna: User) -> None:
    invite(season, anna, "bruno@example.org")
    decline_invitation(invite(season, anna, "carla@example.org"))
    told = errors_of(season, anna, "email\nbruno@example.org\ncarla@example.org\ndario@example.org\n")
    assert [line for line, _sentence in told] == [2, 3]


def test_the_email_of_an_invitation_is_one_a_day(wall: Wall, season: Season, anna: User) -> None:
    season = opened(season)
    for _turn in range(3):
        withdraw_invitation(invite(season, anna, "bruno@example.org"), anna)
    assert len(emails()) == 1
    wall.now += timedelta(days=1)
    invite(season, anna, "bruno@example.org")
    assert len(emails()) == 2
