"""People are invited by their addresses or from a list: all of it or nothing, and the page names all wrong
lines of a list."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.mail.delivery import deliver_due
from accounts.models import User
from games.leagues.models import AuditEvent, Invitation, Season
from tests.clocks.passing import Wall
from tests.leagues.organisers_desk import text_of
from tests.leagues.world import a_league, a_season
from tests.tidy import tidy

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]

BROKEN = """email,level
anna@example.org,1
nobody
bruno@example.org,7
dario@example.org,B
"""


@pytest.fixture
def season(wall: Wall, anna: User) -> Season:
    return a_season(a_league(anna), division_size=8, most_divisions=2)


@pytest.fixture
def desk(anna: User, signed_in: SignedIn) -> Client:
    return signed_in(anna)


def send(desk: Client, season: Season, **typed: Any) -> Any:
    address = reverse("season_invite", args=[season.league_id, season.number])
    return desk.post(address, {"text": "", **typed} if "shown" not in typed else typed, follow=True)


def shown(answer: Any) -> str:
    """What the button of a preview sends."""
    assert not Invitation.objects.exists()
    return str(answer.context["signed"])


def test_everyone_of_a_list_is_invited_as_shown(desk: Client, season: Season) -> None:
    seen = send(desk, season, text="email,level,club\nbruno@example.org,2,Lega\ncarla@example.org,\n")
    for told in ("about to invite 2 players", "Division B", "these columns: “club”"):
        assert told in text_of(seen)
    answer = send(desk, season, shown=shown(seen))
    assert "You invited 2 players." in text_of(answer)
    assert list(Invitation.objects.values_list("email", "level")) == [
        ("bruno@example.org", 2),
        ("carla@example.org", None),
    ]
    assert AuditEvent.objects.get(kind=AuditEvent.Kind.INVITED).facts == {"players": 2}


def test_a_list_may_be_a_file(desk: Client, season: Season) -> None:
    file = SimpleUploadedFile("players.csv", "\ufeffE-Mail;Division\nbruno@example.org;B\n".encode())
    send(desk, season, shown=shown(send(desk, season, file=file)))
    assert list(Invitation.objects.values_list("email", "level")) == [("bruno@example.org", 2)]


@pytest.mark.parametrize("is_file", [False, True])
def test_all_that_is_wrong_is_told_by_line_and_no_one_is_invited(
    desk: Client, season: Season, is_file: bool
) -> None:
    typed = {"file": SimpleUploadedFile("players.csv", BROKEN.encode())} if is_file else {"text": BROKEN}
    answer = send(desk, season, **typed)
    assert answer.status_code == 400
    assert [line for line, _told in answer.context["wrong"]] == [3, 4]
    told = text_of(answer)
    for line in (3, 4):
        assert f"Line {line}:" in told
    assert not Invitation.objects.exists()
    assert answer.context["form"]["text"].value() == BROKEN


@pytest.mark.parametrize(
    "text",
    [
        "email",
        "name\nBruno\n",
        'email\n"bruno@example.org\n',
        "\n\n",
        "email\n" + "x" * 10_000,
    ],
)
def test_what_is_no_list_of_players_is_refused(desk: Client, season: Season, text: str) -> None:
    assert send(desk, season, text=text).status_code == 400
    assert not Invitation.objects.exists()


def test_neither_a_list_nor_a_file_is_no_import(desk: Client, season: Season) -> None:
    assert "There is no list yet. Paste one, or choose a file." in text_of(send(desk, season))


def test_a_file_of_another_program_is_read_or_refused(desk: Client, season: Season) -> None:
    latin = SimpleUploadedFile("players.csv", "name;email\nMüller;m@example.org\n".encode("latin-1"))
    seen = text_of(send(desk, season, file=latin))
    assert "Müller <m@example.org>" in seen
    assert "save the sheet as “CSV UTF-8”" in seen
    excel = SimpleUploadedFile("players.xlsx", b"PK\x03\x04\x14\x00\x06\x00")
    assert "Save the sheet as CSV" in text_of(send(desk, season, file=excel))
    large = SimpleUploadedFile("players.csv", b"email\n" + b"x" * 2_000_000)
    assert "The file is too large." in text_of(send(desk, season, file=large))
    assert not Invitation.objects.exists()


def test_a_list_cannot_run_into_the_page(desk: Client, season: Season) -> None:
    answer = send(desk, season, text="email\n<script>alert(1)</script>\n")
    assert b"<script>alert" not in answer.content


def test_a_button_pressed_twice_invites_once(desk: Client, season: Season) -> None:
    signed = shown(send(desk, season, text="Bruno <bruno@example.org>\ncarla@example.org"))
    assert "You invited 2 players." in text_of(send(desk, season, shown=signed))
    assert "has already been invited" in text_of(send(desk, season, shown=signed))
    assert set(Invitation.objects.values_list("email", "name")) == {
        ("bruno@example.org", "Bruno"),
        ("carla@example.org", ""),
    }


def test_only_what_was_shown_is_invited(
    desk: Client, season: Season, bruno: User, signed_in: SignedIn
) -> None:
    signed = shown(send(desk, season, text="carla@example.org"))
    other = a_season(a_league(bruno))
    for client, about, sent in ((desk, season, "x" + signed), (signed_in(bruno), other, signed)):
        assert "That preview is too old." in text_of(send(client, about, shown=sent))
    assert not Invitation.objects.exists()


def test_an_invitation_that_is_delayed_is_called_so(desk: Client, season: Season, smtp_sink: Any) -> None:
    Season.objects.filter(pk=season.pk).update(state=Season.State.SIGN_UP)
    smtp_sink.refusals["bruno@example.org"] = "451 4.7.1 greylisted, try again later"
    send(desk, season, shown=shown(send(desk, season, text="bruno@example.org\ncarla@example.org\n")))
    deliver_due()
    page = tidy(desk.get(reverse("season_players", args=[season.league_id, season.number])).content.decode())
    stated = re.findall(r'>(\w+)@example.org</span> <span class="small">([\w ]+)', page)
    assert stated == [("bruno", "delayed"), ("carla", "Not answered yet")]


def test_the_list_of_players_leads_to_inviting_more_until_the_season_begins(
    desk: Client, season: Season
) -> None:
    number, page = season.league_id, reverse("season_players", args=[season.league_id, season.number])
    way = f'href="{reverse("season_invite", args=[number, season.number])}"'
    assert way in desk.get(page).content.decode()
    Season.objects.filter(pk=season.pk).update(state=Season.State.RUNNING)
    assert way not in desk.get(page).content.decode()


def test_an_invitation_is_taken_back_by_sending_only(desk: Client, anna: User, season: Season) -> None:
    invited = season.invited.create(email="guest@example.org", by=anna)
    address = reverse("invited_withdraw", args=[season.league_id, invited.pk])
    assert desk.get(address).status_code == 405
    desk.post(address)
    invited.refresh_from_db()
    assert invited.state == Invitation.State.WITHDRAWN


def test_addresses_are_shown_to_organisers_alone(
    desk: Client, anna: User, bruno: User, season: Season, signed_in: SignedIn
) -> None:
    season.invited.create(email="guest@example.org", by=anna)
    assert "guest@example.org" in text_of(desk.get(f"/leagues/{season.league_id}/organise/season/1/players/"))
    for path in (f"/leagues/{season.league_id}/", f"/leagues/{season.league_id}/season/1/"):
        assert "guest@example.org" not in text_of(signed_in(bruno).get(path))
