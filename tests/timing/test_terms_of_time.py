"""A table's time settings: chosen with the table, and shown with its settings."""

import re
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from games.clocks.policy import PACES
from games.models import Table
from games.presenters.time_settings import EXPECTED_DAYS, expected_length, pace_explained, round_span
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db

PLAIN = {"name": "Friday", "size": 3, "entry": "link"}


def made(client: Client, **terms: Any) -> Table:
    answer = client.post("/tables/new/", PLAIN | terms)
    assert answer.status_code == 302, answer.content.decode()
    return Table.objects.latest("pk")


def read(client: Client, path: str) -> str:
    page = unescape(client.get(path, follow=True).content.decode())
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"</?time[^>]*>", "", page)))


def test_someone_who_says_nothing_gets_a_day_and_their_own_hours(anna: Any, signed_in: Any) -> None:
    table = made(signed_in(anna))
    assert (table.pace, table.hours, table.most_holidays) == ("day", "own", 28)
    assert (table.most_misses, table.absent, table.time_by) == (3, "bot", "all")


def test_what_is_chosen_is_kept(anna: Any, signed_in: Any) -> None:
    chosen = {"pace": "hours", "hours": "holidays", "most_holidays": 0, "most_misses": 1}
    table = made(signed_in(anna), **chosen, absent="offer", time_by="host")
    assert (table.pace, table.hours, table.most_holidays) == ("hours", "holidays", 0)
    assert (table.most_misses, table.absent, table.time_by) == (1, "offer", "host")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pace", "soon"),
        ("hours", "mine"),
        ("most_holidays", "91"),
        ("most_holidays", "-1"),
        ("most_misses", "0"),
        ("most_misses", "10"),
        ("absent", "wait"),
        ("time_by", "nobody"),
    ],
)
def test_what_there_is_not_is_refused_and_shown(anna: Any, signed_in: Any, field: str, value: str) -> None:
    answer = signed_in(anna).post("/tables/new/", PLAIN | {field: value})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "errorlist" in page
    folded = re.search(r'<details class="more"( open)?>\s*<summary>Hours that count', page)
    assert folded is not None
    assert bool(folded[1]) == (field != "pace")
    assert not Table.objects.exists()


def test_the_form_says_for_each_pace_what_it_gives_and_how_long_games_last(anna: Any, signed_in: Any) -> None:
    page = read(signed_in(anna), "/tables/new/")
    told = "6 hours per move, 24 hours in reserve; a game of 4 lasts about 6 days."
    assert pace_explained("hours", 4) == told
    for pace, lengths in EXPECTED_DAYS.items():
        for seats in lengths:
            assert pace_explained(pace, seats) in page


def test_every_pace_with_a_clock_has_lengths_for_every_table() -> None:
    assert EXPECTED_DAYS.keys() == PACES.keys()
    for lengths in EXPECTED_DAYS.values():
        assert list(lengths) == [2, 3, 4, 5, 6]
        assert all(0 < median < ninety for median, ninety in lengths.values())


def test_no_slower_pace_and_no_larger_table_is_said_to_be_quicker() -> None:
    days = {"day": 1, "days": 1, "week": 7, "weeks": 7, "month": 30, "months": 30}
    told = {
        (pace, seats): [
            int(n) * days[unit] for n, unit in re.findall(r"about (\d+) (\w+)", expected_length(pace, seats))
        ]
        for pace, lengths in EXPECTED_DAYS.items()
        for seats in lengths
    }
    for which in (0, 1):
        rows = [[told[pace, seats][which] for seats in range(2, 7)] for pace in PACES]
        for row in [*rows, *map(list, zip(*rows, strict=True))]:
            assert row == sorted(row)


def test_lengths_are_told_in_round_numbers() -> None:
    told = {1: "1 days", 10: "10 days", 11: "2 weeks", 24: "3 weeks", 59: "8 weeks", 60: "2 months"}
    for days, words in told.items():
        assert "{} {}".format(*round_span(days)) == words


TOLD = (
    "24 hours per move, 3 days in reserve for the whole game",
    "Holidays: at most 28 days.",
    "After 3 missed turns in a row, a bot plays until the player is back.",
    "If only bots are left, the game is abandoned and no one wins.",
    "All players together can pause the game or give more time.",
)


def test_the_terms_are_told_at_the_table_to_the_invited_and_on_the_joining_link(
    anna: Any, signed_in: Any
) -> None:
    table = made(signed_in(anna), invited="bruno@example.org")
    for client, path in ((signed_in(anna), f"/tables/{table.pk}/"), (Client(), f"/join/{table.join_key}/")):
        page = read(client, path)
        assert [told for told in TOLD if told not in page] == []
        paragraphs = re.findall(r"<p>([^<]*)</p>", unescape(client.get(path).content.decode()))
        assert [told for told in TOLD if not any(told in paragraph for paragraph in paragraphs)] == []


def test_the_emails_of_invitation_and_confirmation_lead_to_them(
    people: list[Any], settings: Any, signed_in: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    made(signed_in(people[0]), invited="dario@example.org")
    seat_table(people, pace="day")
    deliver_due()
    emails = {email.subject.partition(":")[0].partition("?")[0]: email for email in mail.outbox}
    assert len(emails) == 2
    for email in emails.values():
        found = re.search(r"http://testserver(/\S+)#settings", email.body)
        assert found
        text = read(Client(), found[1])
        assert [told for told in TOLD if told not in text] == []


def test_a_table_without_a_clock_says_so_and_no_more(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, pace="none")
    page = read(signed_in(people[0]), f"/tables/{table.pk}/")
    assert "No time limit: players take the time they need" in page
    assert "default move" not in page


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"hours": "all"}, "All hours of all days count."),
        ({"hours": "holidays", "most_holidays": 1}, "each player’s holidays, up to 1 day."),
        ({"most_misses": 1}, "After 1 missed turn, a bot plays until the player is back."),
        ({"absent": "offer"}, "until the player is back or someone else takes the seat."),
        ({"time_by": "host"}, "All players together, or the host alone, can pause"),
        ({"pace": "week"}, "7 days per move, 7 days in reserve"),
    ],
)
def test_other_terms_have_their_own_words(
    people: list[Any], signed_in: Any, terms: dict[str, Any], told: str
) -> None:
    table = seat_table(people, **{"pace": "day"} | terms)
    assert told in read(signed_in(people[0]), f"/tables/{table.pk}/")


def test_the_list_of_open_tables_tells_the_pace(anna: Any, signed_in: Any) -> None:
    made(signed_in(anna), entry="open", pace="days")
    assert "2 days per move" in read(Client(), "/tables/")


def test_a_game_against_bots_has_no_clock(client: Client) -> None:
    answer = client.post("/practice/", {"opponents": 2, "strength": "recruit", "form_key": "0" * 32})
    assert answer.status_code == 302
    assert Table.objects.get().pace == "none"
