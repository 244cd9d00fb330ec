"""People are invited to a season by their addresses; a list with a broken row invites no one."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import Block, User
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.cancellation import cancel
from games.leagues.services.invitations import (
    INVITATIONS_A_DAY,
    accept_invitation,
    decline_invitation,
    invite_players,
    read_list,
    withdraw_invitation,
)
from games.leagues.services.player_list_rows import MOST_BYTES, BadRows, text_of
from games.leagues.services.player_lists import MOST_ROWS, Listed
from games.leagues.services.registration import sign_up
from games.leagues.services.sign_up_opening import open_sign_up
from games.services import Refused
from games.services.table_invitations import INVITATIONS_TO_ONE_A_DAY
from tests.clocks.passing import Wall
from tests.leagues.league_pages import path_of, words_of
from tests.leagues.world import a_league, a_running_season, a_season, invite, people, running

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


def errors_of(season: Season, by: User, data: str) -> list[tuple[int, str]]:
    """What is wrong with a list."""
    with pytest.raises(BadRows) as refused:
        read_list(season, by, data)
    return list(refused.value.errors)


def left_out(season: Season, by: User, text: str) -> str:
    """Why the only line of a list is left out."""
    found = read_list(season, by, text)
    assert not found.players
    ((_line, reason),) = found.left_out
    return reason


def test_an_invitation_is_sent_when_the_sign_up_opens(season: Season, anna: User) -> None:
    invite_players(season, anna, read_list(season, anna, " Bruno@Example.org ").players)
    assert not emails()
    season = opened(season)
    assert emails() == ["bruno@example.org"]
    invite(season, anna, "carla@example.org")
    assert emails() == ["bruno@example.org", "carla@example.org"]
    assert not season.entries.exists()  # no one is in it before they say so


def test_an_invitation_says_what_the_league_is(
    season: Season, anna: User, wall: Wall, client: Client
) -> None:
    season.league.about = "Slow games among friends.\n\n" + "We meet in Rome once a year. " * 100
    season.league.save()
    invite(season, anna, "zoe@example.org")
    opened(season)
    deliver_due()
    (email,) = mail.outbox
    assert "Slow games among friends." in email.body
    assert email.body.count("once a year") < 30
    assert "You don’t need an account" in email.body
    link = re.search(r"http://testserver(/leagues/by-link/\S+)", email.body)
    assert link is not None
    assert "Slow games among friends." in client.get(link[1]).content.decode()


def test_inviting_again_writes_no_second_email(season: Season, anna: User) -> None:
    season = opened(season)
    invite(season, anna, "bruno@example.org", 1)
    again = [Listed(1, "bruno@example.org", level=2), Listed(2, "carla@example.org", "Carla")]
    assert [invite_players(season, anna, again) for _time in range(2)] == [1, 0]
    assert set(season.invited.values_list("email", "level", "name")) == {
        ("bruno@example.org", 1, ""),
        ("carla@example.org", None, "Carla"),
    }
    assert len(emails()) == 2


def test_the_log_tells_how_many_were_invited_and_not_whom(season: Season, anna: User) -> None:
    invite(season, anna, "zoe@example.org")
    (event,) = season.events.filter(kind=AuditEvent.Kind.INVITED)
    assert (event.by, event.facts, event.reason) == (anna, {"players": 1}, "")


def test_someone_who_accepts_signs_up_at_the_level_that_was_kept(
    season: Season, anna: User, bruno: User
) -> None:
    season = opened(season)
    invited = invite(season, anna, bruno.email, 3)
    entry = accept_invitation(invited, bruno)
    assert (entry.state, entry.reserved) == (Registration.State.SIGNED_UP, 3)
    assert accept_invitation(invited, bruno) == entry
    assert Invitation.objects.get().state == Invitation.State.ACCEPTED
    assert "already in this season" in left_out(season, anna, bruno.email)


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
    assert "has declined" in left_out(season, anna, bruno.email)
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


def test_no_one_is_invited_to_a_season_that_runs_nor_by_a_stranger(
    season: Season, anna: User, bruno: User
) -> None:
    running = a_running_season(anna, people(4))
    with pytest.raises(Refused, match="no longer invite"):
        invite(running, anna, bruno.email)
    with pytest.raises(Refused, match="Only organisers"):
        invite(season, bruno, bruno.email)
    with pytest.raises(Refused, match="Only organisers"):
        read_list(season, bruno, "email\ncarla@example.org\n")


def test_no_one_is_written_to_by_many_in_a_day(wall: Wall, anna: User) -> None:
    for _turn in range(INVITATIONS_TO_ONE_A_DAY):
        invite(a_season(a_league(anna)), anna, "bruno@example.org")
    with pytest.raises(Refused, match="too many invitations"):
        invite(a_season(a_league(anna)), anna, "bruno@example.org")


@pytest.mark.long
def test_an_organiser_writes_to_so_many_in_a_day(season: Season, anna: User) -> None:
    players = [Listed(line, f"player{line}@example.org") for line in range(INVITATIONS_A_DAY)]
    assert invite_players(season, anna, players) == INVITATIONS_A_DAY
    other = a_season(season.league)
    with pytest.raises(Refused, match="tomorrow"):
        invite(other, anna, "bruno@example.org")
    assert not other.invited.exists()


SOUND = {
    "plain": "email,level\nbruno@example.org,1\ncarla@example.org,\n",
    "no last line break": "email,level\nbruno@example.org,1\ncarla@example.org",
    "semicolons": "E-Mail;Level\nbruno@example.org;1\ncarla@example.org;\n",
    "tabulators": "level\temail\n1\tbruno@example.org\n\tcarla@example.org\n",
    "byte order mark": "\ufeffemail,level\nbruno@example.org,1\ncarla@example.org,\n",
    "old line breaks": "email,level\rbruno@example.org,1\rcarla@example.org,\r",
    "other line breaks": "email,level\r\nbruno@example.org,1\r\n\r\ncarla@example.org,\r\n",
    "letters": "email,division\nbruno@example.org,A\ncarla@example.org,\n",
    "words": "email,division\nbruno@example.org,Division a\ncarla@example.org,\n",
    "quotation marks": '"email","level"\n" Bruno@example.org","1"\n"carla@example.org",""\n',
    "quoted line break": '"email\n","level"\nbruno@example.org,"1\n"\n"carla@example.org\n",\n',
    "no headings": "1;bruno@example.org\n;carla@example.org\n",
    "no headings, another order": "bruno@example.org,A\ncarla@example.org\n",
    "title, other columns": "Members,,\nShoe,Level,Mail\n43,1,bruno@example.org\n41,,carla@example.org\n",
    "a number before each": "1;bruno@example.org;A\n2;carla@example.org;\n",
    "links": "email,level\nmailto:bruno@example.org,1\n<carla@example.org>,\n",
    "two addresses each": "email,email 2,level\nbruno@example.org,b@example.org,1\ncarla@example.org,,\n",
}  # fmt: skip


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_a_sound_list_invites_everyone(season: Season, anna: User, text: str) -> None:
    players = read_list(season, anna, text).players
    assert not Invitation.objects.exists()
    assert invite_players(season, anna, players) == 2
    assert set(season.invited.values_list("email", "level")) == {
        ("bruno@example.org", 1),
        ("carla@example.org", None),
    }
    opened(season)
    assert sorted(emails()) == ["bruno@example.org", "carla@example.org"]


NAMED = {
    "names beside": "Anna Rossi <anna@example.org>\nbruno@example.org\n",
    "a line of addresses": '"Anna Rossi" <anna@example.org>, bruno@example.org',
    "no headings": "anna@example.org;Anna Rossi;Rome;06 123\nbruno@example.org;;Rome;06 124\n",
    "first and last": "Nachname;Vorname;E-Mail-Adresse\nRossi;Anna;anna@example.org\n;;bruno@example.org\n",
    "first and name": "Name;Vorname;Mail\nRossi;Anna;anna@example.org\n;;bruno@example.org\n",
    "one heading": "player,club,email\nAnna Rossi,Lega,anna@example.org\n,,bruno@example.org\n",
    "unknown headings": "Hráč;Adresa\nAnna Rossi;anna@example.org\n;bruno@example.org\n",
}


@pytest.mark.parametrize("text", NAMED.values(), ids=NAMED)
def test_names_are_found(season: Season, anna: User, text: str) -> None:
    players = read_list(season, anna, text).players
    assert [(one.email, one.name) for one in players] == [
        ("anna@example.org", "Anna Rossi"),
        ("bruno@example.org", ""),
    ]


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("Zoë Müller", "utf-8-sig"),
        ("Zoë Müller", "utf-16"),
        ("Zoë Müller", "latin-1"),
        ("Łukasz Żak", "cp1250"),
        ("Иван Петров", "cp1251"),
    ],
)
def test_letters_of_usual_encodings_are_read(name: str, encoding: str) -> None:
    text = f"name;email\n{name};one@example.org\n"
    assert text_of(text.encode(encoding)) == (text, not encoding.startswith("utf"))


@pytest.mark.parametrize("data", [b"PK\x03\x04\x14\x00\x06\x00", b"a\0b", b"\xd0\xcf\x11\xe0\0", b"%PDF-1.7"])
def test_what_is_no_text_is_told(data: bytes) -> None:
    with pytest.raises(Refused, match="Save the sheet as CSV"):
        text_of(data)


def test_every_broken_row_is_told_by_its_line(season: Season, anna: User) -> None:
    text = (
        "email,level\n"
        "carla@example.org,1\n"
        "no address,1\n"
        "dario@example.org,4\n"
        "\n"
        'elena@example.org,"first\n'
        'of all"\n'
        f"{'x' * 10_000}@example.org,\n"
        "guido@example.org,-1\n"
        "nobody,99999999999999999999\n"
        "hugo\x07@example.org\n"
        "ida@example.org bcc@example.org\n"
    )
    told = errors_of(season, anna, text)
    assert [line for line, _told in told] == [3, 4, 6, 8, 9, 10, 10, 11, 12]
    told_of = dict(told)
    assert "“" not in told_of[3]
    assert "This is not an email address: no address" in told_of[3]
    assert "no division 4" in told_of[4]
    assert "no division first of all" in told_of[6]
    assert all(len(sentence) < 200 and sentence.isprintable() for _line, sentence in told)


def test_what_needs_no_invitation_is_left_out_and_told(season: Season, anna: User, bruno: User) -> None:
    invite(season, anna, "carla@example.org")
    decline_invitation(invite(season, anna, "dario@example.org"))
    sign_up(opened(season), bruno)
    text = (
        "Members of 2026;\n"
        "Name;Email;Fee\n"
        "Bruno;bruno@example.org;5\n"
        ";carla@example.org\n"
        ";Dario@example.org\n"
        "Ezio (12);ezio@example.org;5;x;y\n"
        "Fabio;;5\n"
        "Ezio;EZIO@example.org;5\n"
    )
    found = read_list(season, anna, text)
    assert found.players == [Listed(6, "ezio@example.org")]
    assert found.remarks == ["We don’t use these columns: “Fee”."]
    assert found.left_out == [
        (1, "This line is read as a heading."),
        (3, "bruno@example.org is already in this season."),
        (4, "carla@example.org has already been invited."),
        (5, "dario@example.org has declined. They can still sign up on the season’s page."),
        (6, "We can’t use the name “Ezio (12)”. The invitation has none."),
        (7, "This line has no email address."),
        (8, "ezio@example.org is already on line 6."),
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "empty"),
        ("\n\n \n", 1, "empty"),
        ("email,level\n", 1, "no players"),
        ("level\n1\n", 1, "no email addresses"),
        ("Bruno\nCarla\n", 1, "no email addresses"),
        ('email\nbruno@example.org\n"carla@example.org\n', 3, "quotation marks"),
        ("email\n" + "x" * 200_000 + "\n", 2, "can’t read this row"),
        ("email\nbruno@example.org\x00\n", 2, ""),
    ],
)
def test_what_is_no_list_is_told(season: Season, anna: User, text: str, line: int, said: str) -> None:
    told = errors_of(season, anna, text)
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


def test_the_email_of_an_invitation_is_one_a_day(wall: Wall, season: Season, anna: User) -> None:
    season = opened(season)
    for _turn in range(3):
        withdraw_invitation(invite(season, anna, "bruno@example.org"), anna)
    assert len(emails()) == 1
    wall.now += timedelta(days=1)
    invite(season, anna, "bruno@example.org")
    assert len(emails()) == 2


@pytest.mark.parametrize(
    "text",
    ["a@b.example\n" * 200_000, "a@b\n" * 60_000, "@," * 100_000, "x\n" * 60_000, "a" * (MOST_BYTES + 1)],
    ids=["bytes", "lines", "cells", "no addresses", "one line"],
)
def test_a_list_too_long_to_look_at_is_not_looked_at(season: Season, anna: User, text: str) -> None:
    assert errors_of(season, anna, text) == [(1, "The list is too long. Split it into several lists.")]


def test_organisers_see_invited_people_with_numbers_in_order(
    season: Season, anna: User, signed_in: Any
) -> None:
    for number in (10, 2, 1):
        invite(season, anna, f"player{number}@example.org")
    page = signed_in(anna).get(reverse("season_players", args=[season.league_id, season.number]))
    shown = re.findall(r"player[0-9]+(?=@)", page.content.decode())
    assert list(dict.fromkeys(shown)) == ["player1", "player2", "player10"]


def test_an_invitation_without_an_answer_is_not_waited_for_once_the_season_runs(
    wall: Wall, anna: User, signed_in: Any
) -> None:
    season = a_season(a_league(anna))
    invite(season, anna, "zed@example.org")
    running(season, people(4))
    page = signed_in(anna).get(path_of("season_players", season)).content.decode()
    said = words_of(page)
    assert "zed@example.org Did not answer" in said
    assert "Not answered yet" not in said
