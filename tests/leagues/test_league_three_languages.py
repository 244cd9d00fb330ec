"""A season that a Polish organiser runs for English, Polish and Russian players: everyone reads all pages and
emails in their own language."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.services.registration import confirm
from tests.clocks.passing import Wall
from tests.games.playing import play_until
from tests.journeys.in_a_league import Person, Town, address_of, to
from tests.journeys.visiting import Page
from tests.leagues import world
from tests.words.pseudo import texts_of
from tests.words.reading import ON_THE_MAP, in_another_language, side_by_side

pytestmark = [pytest.mark.django_db, pytest.mark.long]

DAY = timedelta(days=1)
SPOKEN = {
    "Olga": "pl", "Adam": "en", "Bert": "en", "Celina": "pl", "Dobek": "pl", "Eva": "ru", "Foma": "ru",
    "Gleb": "ru", "Henry": "en", "Nova": "pl",
}  # fmt: skip
PLAYERS = ("Adam", "Celina", "Eva", "Bert", "Dobek", "Foma")
WAITS, HELPS, INVITED = "Gleb", "Henry", "Nova"  # Nova has no account, so the organiser's language is theirs
WORDS = "Ottimo."  # what people write themselves
OF_ALL = (
    rf"\b({'|'.join(SPOKEN)})\b|Lodi|Ottimo"
    r"|\b(CSV|JSON|Atom|iCalendar|UTC|OpenSkill|Plackett|Luce|mu|sigma)\b"
    r"|“condottiere[^”]*”|«condottiere[^»]*»|„condottiere[^”]*”|Bentivoglio|Gattamelata|Colleoni|Montefeltro|Sforza|"
    + ON_THE_MAP
)
FILES = (".csv", ".json", ".atom", ".ics", ".zip")


class Reader(Person):
    """A person who reads every page in one language."""

    def __init__(self, user: User | None, language: str, read: dict[str, dict[str, str]]) -> None:
        super().__init__(user)
        self.language, self._read = language, read

    def open(self, address: str) -> Page:
        return self._reads(super().open(address))

    def send(self, page: Page, sends: str, status: int = 200, **typed: Any) -> Page:
        return self._reads(super().send(page, sends, status, **typed))

    def _reads(self, page: Page) -> Page:
        text = "\n".join(texts_of(page.html))
        assert f'<html lang="{self.language}"' in page.html, page.url
        assert in_another_language(self.language, text, OF_ALL) == [], (page.url, text)
        self._read[page.url][self.language] = text
        return page

    def reads_everything(self, *addresses: str) -> None:
        """Open these pages, and all pages of leagues that they lead to."""
        found, queue = set(addresses), list(addresses)
        while queue:
            links = self.open(queue.pop()).links
            paths = {urlsplit(link).path for link in links}
            paths = {path for path in paths if path.startswith("/leagues/") and not path.endswith(FILES)}
            queue += sorted(paths - found)
            found |= paths


class Story(Town):
    """The season, its people, and all that they have read."""

    league = "/leagues/1/"

    def __init__(self, wall: Wall) -> None:
        super().__init__(wall)
        self.read: dict[str, dict[str, str]] = defaultdict(dict)
        self.emails: dict[str, dict[str, str]] = defaultdict(dict)
        self.people = {
            name: Reader(self._user(name), SPOKEN[name], self.read) for name in SPOKEN if name != INVITED
        }
        self.organiser = self.people["Olga"]

    @staticmethod
    def _user(name: str) -> User:
        user = world.person(name)
        User.objects.filter(pk=user.pk).update(language=SPOKEN[name])
        user.refresh_from_db()
        return user

    @property
    def season(self) -> Season:
        return Season.objects.get()

    def guest(self, name: str) -> Reader:
        """Return a reader who follows the links of this person's emails without signing in."""
        reader = Reader(None, SPOKEN[name], self.read)
        if name == INVITED:  # without an account, their browser says what they read
            reader.client = Client(headers={"accept-language": SPOKEN[name]})
        return reader

    def everyone_reads(self) -> None:
        for name in ("Olga", "Adam", "Celina", "Eva"):
            self.people[name].reads_everything(self.league)

    def _sorted(self, emails: list[Any]) -> dict[str, list[Any]]:  # type: ignore[override]
        kinds = dict(OutgoingEmail.objects.values_list("message_id", "kind"))
        names = {address_of(name): name for name in SPOKEN}
        for email in emails:
            language, text = SPOKEN[names[email.to[0]]], f"{email.subject}\n\n{email.body}"
            assert in_another_language(language, text, OF_ALL) == [], text
            self.emails[kinds[email.extra_headers["Message-ID"]]].setdefault(language, text)
        return super()._sorted(emails)


@pytest.fixture
def story(settings: Any) -> Iterator[Story]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    wall = Wall()
    with clock.use_clock(wall):
        yield Story(wall)


def test_everyone_reads_a_season_in_their_own_language(story: Story) -> None:
    _is_founded(story)
    _is_signed_up_for(story)
    _begins(story)
    _a_seat_changes_hands(story)
    _a_table_is_corrected(story)
    _ends(story)
    assert {language for texts in story.emails.values() for language in texts} == {"en", "pl", "ru"}
    for name, texts in (*sorted(story.read.items()), *sorted(story.emails.items())):
        print(f"\n== {name}\n{side_by_side([texts.get(language, '') for language in ('en', 'pl', 'ru')])}")


def _is_founded(story: Story) -> None:
    organiser, today = story.organiser, story.wall.now.date()
    page = organiser.send(organiser.open("/leagues/new/"), "form_key", name="Lodi", about=WORDS)
    story.league = page.url.removesuffix("organise/")
    page = organiser.follow(page, "/plan/")
    numbers = {"places": 6, "size": 3, "most_divisions": 2, "rounds": 1, "tables_at_once": 1, "promoted": 1}
    days = {"signup_ends_at": today + 10 * DAY, "begins_at": today + 15 * DAY}
    page = organiser.send(page, "opens_at", **days, **numbers, table_days=20, pace="none")
    assert page.url.endswith("/organise/"), page.words
    organiser.reads_everything(page.url)
    story.pass_to(story.season.opens_at)


def _is_signed_up_for(story: Story) -> None:
    """Players are invited, with and without an account, or sign up on the season's page."""
    organiser, season = story.organiser, f"{story.league}season/1/"
    page = organiser.open(f"{story.league}organise/season/1/invite/")
    page = organiser.send(page, "text", text="".join(f"{address_of(name)}\n" for name in ("Eva", INVITED)))
    organiser.send(page, "shown")
    invitations = story.tick()["league_invitation"]
    for name in ("Eva", INVITED):
        guest, link = story.guest(name), _link_to_a_page(to(invitations, name))
        guest.send(guest.open(link), "action", action="sign_up" if name == "Eva" else "decline")
    for name in (*PLAYERS, WAITS):
        if name != "Eva":
            story.wall.now += timedelta(minutes=1)
            person = story.people[name]
            person.send(person.open(season), "/sign-up/")
    story.everyone_reads()


def _begins(story: Story) -> None:
    """All confirm by their emails but Foma, whose place goes to Gleb, who waits."""
    asked = story.pass_to(story.season.signup_ends_at)["league_confirm"]
    for name in ("Adam", "Celina", "Eva"):
        guest = story.guest(name)
        guest.send(guest.open(_link_to_a_page(to(asked, name))), "action", action="confirm")
    for name in ("Bert", "Dobek", WAITS):
        confirm(Registration.objects.get(user__name=name))
    story.pass_to(story.season.confirm_by - DAY)
    story.pass_to(story.season.confirm_by)
    story.pass_to(story.season.begins_at)
    assert LeagueTable.objects.count() == 2
    page = story.organiser.open(f"{story.league}organise/season/1/write/")
    story.organiser.send(page, "text", text=WORDS)
    story.post()
    story.everyone_reads()


def _a_seat_changes_hands(story: Story) -> None:
    """Gleb withdraws, and Henry takes the seat."""
    season = f"{story.league}season/1/"
    table = LeagueTable.objects.get(assignments__entry__user__name=WAITS)
    play_until(world.game_at(table), lambda state, decision: state.step >= 20)
    story.post()
    leaves, helps = story.people[WAITS], story.people[HELPS]
    leaves.send(leaves.open(season), "/withdraw/", note=WORDS, reason=WORDS)
    story.tick()
    story.organiser.reads_everything(f"{story.league}organise/")
    helps.send(helps.open(season), "/help/")
    asked = story.post()["league_ask"]
    guest = story.guest(HELPS)
    guest.send(guest.open(_link_to_a_page(to(asked, HELPS))), "action", action="accept")
    story.everyone_reads()


def _a_table_is_corrected(story: Story) -> None:
    first, second = LeagueTable.objects.order_by("pk")
    story.pass_to(first.deadline - story.season.remind_days * DAY)
    world.finish(first, seed=3)
    story.tick()
    page = story.organiser.open(f"{story.league}organise/table/{first.pk}/award/")
    typed = {"points_0": 1, "points_1": 1, "points_2": 6}
    story.organiser.send(page, "reason", reason=WORDS, **typed)
    story.post()
    story.everyone_reads()
    world.finish(second, seed=4)


def _ends(story: Story) -> None:
    assert "league_closed" in story.tick()
    story.everyone_reads()
    heads = [_head_of_standing(story, name) for name in ("Adam", "Celina", "Eva")]
    assert [re.split("[,;]", head)[1].strip('"') for head in heads] == ["Player", "Gracz", "Игрок"]


def _head_of_standing(story: Story, name: str) -> str:
    answer = story.people[name].client.get(f"{story.league}season/1/division/1/standing.csv")
    return str(answer.content.decode("utf-8-sig").splitlines()[0])


def _link_to_a_page(email: Any) -> str:
    """Return the first link to a page that opens without signing in."""
    return next(word for word in email.body.split() if "/leagues/by-link/" in word)
