"""A new organiser founds a league, and it runs from its first sign-up to the draw of its second season: by
pages and emails, and by the clock.

What many do alike, a few do on pages and the others without.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

from accounts import clock
from accounts.models import User
from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.services.registration import confirm, sign_up
from games.models import LogEntry, SeatChange
from games.models.replay import replayed
from tests.clocks.passing import Wall
from tests.games.playing import play_until
from tests.journeys.in_a_league import Person, Town, flat, link_in, readers, to
from tests.leagues import world
from tests.leagues.league_pages import standing_of

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
INVITED = ("Ida", "Ivo", "Ilse", "Italo", "Irma", "Isa")  # Isa has no account yet
COME = ("Cora", "Ciro", "Clio", "Celso", "Carmen", "Cesare")
LATER = ("Dora", "Duilio")  # they come when all places are taken
BROKEN = "email,level\nida@example.org,1\nnobody at all,1\nivo@example.org,9\n"
LIST = "email,level\n" + "".join(
    f"{name.lower()}@example.org,{level}\n"
    for name, level in zip(INVITED, ("1", "A", "", "", "", ""), strict=True)
)
USUAL = {4: (6, 3, 1, 0), 3: (6, 2, 0)}  # points for places
NOTHING = "You have nothing to do. The season runs automatically."
REASON = "Two of them told each other their hands."
NOTE = "Keep the Bishop for the last battle."


@pytest.fixture
def town(settings: Any) -> Iterator[Town]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    wall = Wall()
    with clock.use_clock(wall):
        yield Town(wall)


class Story:
    """The league as its players and organisers see it."""

    def __init__(self, town: Town) -> None:
        self.town = town
        self.people: dict[str, Person] = {}
        self.organiser = self.person("Olga")
        self.run = self.league = self.season = ""  # addresses

    def person(self, name: str) -> Person:
        if name not in self.people:
            self.people[name] = Person(world.person(name))
        return self.people[name]

    def needs(self) -> str:
        """Return the organiser's tasks on the league's page."""
        page = self.organiser.open(self.run).words
        return " ".join(page.partition("Your tasks")[2].partition("Season")[0].split())

    def may_sign_up(self, name: str) -> str:
        """Press the button on the season's page; return the answer."""
        person = self.person(name)
        return person.send(person.open(self.season), "/sign-up/").words


@pytest.mark.early
def test_a_league_to_its_second_season(town: Town) -> None:
    story = Story(town)
    _is_founded(story)
    _is_planned(story)
    invitations = _invites_by_a_list(story)
    _they_sign_up(story, invitations)
    _one_leaves_by_link(story, invitations)
    _they_confirm(story)
    season = Season.objects.get()
    divisions = _begins(story, season)
    _first_of_all_tables_is_over(story, season)
    helped = _a_seat_changes_hands(story, season)
    _second_rounds_are_played(story, season)
    _a_table_is_late(story, season)
    awarded = _a_table_is_awarded(story, season)
    world.finish(_table(season, 3, 2), seed=13)
    orders = _places_are_published(story, season, divisions, awarded, helped)
    _second_season(story, season, orders)


# Before it begins


def _is_founded(story: Story) -> None:
    page = story.organiser.follow(story.organiser.open("/leagues/"), "/leagues/new/")
    page = story.organiser.send(page, "form_key", name="Lega di Lodi")
    story.run = page.url
    story.league = page.url.removesuffix("organise/")
    assert "The league has no season yet. Plan the first one." in story.needs()


def _is_planned(story: Story) -> None:
    """Return the plan's dates, and the few numbers that are not defaults."""
    page = story.organiser.follow(story.organiser.open(story.run), "/plan/")
    today = story.town.wall.now.date()
    days = {"signup_ends_at": today + 10 * DAY, "begins_at": today + 15 * DAY}
    numbers = {"places": 12, "most_divisions": 3, "rounds": 2, "tables_at_once": 1, "promoted": 1}
    page = story.organiser.send(page, "opens_at", **days, **numbers, pace="none")
    assert page.url == story.run, page.words
    assert "Invite people, or share the link below. Everything else runs automatically." in story.needs()
    story.town.pass_to(Season.objects.get().opens_at)
    page = story.organiser.open(story.run)
    assert "Sign-up open" in page.words
    story.season = f"{story.league}season/1/"


def _invites_by_a_list(story: Story) -> dict[str, str]:
    """Return the links of the emails, by recipient."""
    for name in INVITED[:-1]:
        story.person(name)
    people, organiser = User.objects.count(), story.organiser
    page = organiser.open(f"{story.run}season/1/invite/")
    refused = organiser.send(page, "text", 400, text=BROKEN).words
    for told in (
        "Line 3: This is not an email address: nobody at all",
        "Line 4: There is no division 9. The divisions go from A to C.",
    ):
        assert told in refused
    assert "Line 2" not in refused
    assert story.town.tick() == {}
    page = organiser.send(page, "text", text=LIST + "IDA@example.org,2\n")
    assert "You’re about to invite 6 players" in page.words
    assert "Line 8: ida@example.org is already on line 2." in page.words
    assert story.town.tick() == {}
    assert "You invited 6 players." in organiser.send(page, "shown").words
    emails = story.town.tick()["league_invitation"]
    assert readers(emails) == sorted(name.lower() for name in INVITED)
    assert User.objects.count() == people
    return {name: link_in(to(emails, name), "Read the rules, sign up or decline") for name in INVITED}


def _they_sign_up(story: Story, invitations: Mapping[str, str]) -> None:
    for name, link in invitations.items():
        stranger = Person()
        page = stranger.open(link)
        named = {"name": name} if page.form("action").fields.get("name") is not None else {}
        assert bool(named) == (name == "Isa")
        assert "You signed up." in stranger.send(page, "action", action="sign_up", **named).words
        story.town.wall.now += timedelta(minutes=1)
    first, *others = COME
    person = story.person(first)
    page = person.follow(person.open("/leagues/"), story.league)
    person.follow(page, story.season)
    assert "You have a place." in story.may_sign_up(first)
    for name in others:
        story.town.wall.now += timedelta(minutes=1)
        sign_up(Season.objects.get(), world.person(name))
    story.town.wall.now += timedelta(minutes=1)
    for number, name in enumerate(LATER, start=1):
        assert f"You are number {number}" in story.may_sign_up(name)
        story.town.wall.now += timedelta(minutes=1)
    assert "Players signed up: 12 of 12" in story.person("Cora").open(story.season).words


def _one_leaves_by_link(story: Story, invitations: Mapping[str, str]) -> None:
    """Leave by the invitation's email; the first on the waiting list gets the place and an email."""
    stranger = Person()
    stranger.send(stranger.open(invitations["Irma"]), "action", action="leave")
    emails = story.town.tick()
    assert readers(emails["league_place"]) == ["dora"]
    page = story.person("Dora").open(link_in(emails["league_place"][0], "Open the season"))
    assert "You have a place." in page.words
    assert "You are number 1 on the waiting list." in story.person("Duilio").open(story.season).words
    assert NOTHING in story.needs()


def _they_confirm(story: Story) -> None:
    """Everyone confirms but Cesare, who is reminded, so Duilio, who waits, gets the place."""
    season = Season.objects.get()
    asked = story.town.pass_to(season.signup_ends_at)["league_confirm"]
    playing = sorted(name.lower() for name in (*INVITED, *COME, "Dora") if name != "Irma")
    assert readers(asked) == sorted([*playing, "duilio"])
    _confirm_after([email for email in asked if email.to != ["cesare@example.org"]])
    season.refresh_from_db()
    assert readers(story.town.pass_to(season.confirm_by - timedelta(days=1))["league_confirm"]) == ["cesare"]
    assert NOTHING in story.needs()


def _confirm_after(emails: Sequence[Any]) -> None:
    """The first and the last recipient confirm by the links, the others without."""
    first, *others, last = emails
    for email in (first, last):
        reader = Person()
        page = reader.open(link_in(email, "Confirm or leave"))
        assert "You confirmed that you’ll play." in reader.send(page, "action", action="confirm").words
    for email in others:
        confirm(Registration.objects.filter(user__email=email.to[0]).latest("pk"))


# It is played


def _begins(story: Story, season: Season) -> list[list[str]]:
    """The draw is automatic: kept levels first, then the others in order of registration."""
    drawn = [["Ida", "Ivo", "Ilse", "Italo"], ["Isa", *COME[:3]], [*COME[3:5], *LATER]]
    season.refresh_from_db()
    emails = story.town.pass_to(season.confirm_by)
    assert readers(emails["league_no_show"]) == ["cesare"]
    assert readers(emails["league_place"]) == ["duilio"]
    assert "You did not confirm in time" in story.person("Cesare").open(story.season).words
    for level, names in enumerate(drawn, start=1):
        email = to(emails["league_begins"], names[0])
        assert f"You play in division {'ABC'[level - 1]}." in email.body
        assert all(name in email.body for name in names[1:])
        assert _people_of(season, level) == set(names)
    season.refresh_from_db()
    emails = story.town.pass_to(season.begins_at)
    assert len(emails["league_table"]) == 12
    for email in emails["league_table"][::4]:
        person = story.person(email.to[0].split("@")[0].title())
        page = person.open(link_in(email, "Open the table"))
        game = next(link for link in page.links if "/games/" in link and link.rstrip("/")[-1].isdigit())
        assert "Lega di Lodi, season 1, division" in person.open(game).words
    assert NOTHING in story.needs()
    assert "Join the waiting list for season 1" in Person().open(story.league).words
    assert "Join the waiting list" not in story.person("Ida").open(story.league).words
    return drawn


def _people_of(season: Season, level: int) -> set[str]:
    playing = season.entries.filter(division__level=level, state=Registration.State.PLAYING)
    return set(playing.values_list("user__name", flat=True))


def _table(season: Season, level: int, number: int) -> LeagueTable:
    return LeagueTable.objects.get(
        round__division__season=season, round__division__level=level, round__number=number
    )


def _first_of_all_tables_is_over(story: Story, season: Season) -> None:
    """The highest division continues automatically, whatever the others do."""
    table = _table(season, 1, 1)
    world.finish(table, seed=3)
    emails = story.town.tick()
    assert len(emails["league_result"]) == len(emails["league_table"]) == 4
    points = _reckoned(table)
    for email in emails["league_result"]:
        for name, own in points.items():
            assert f"{name} {as_people_read(own)}" in flat(email).replace("  ", " ")


def _a_seat_changes_hands(story: Story, season: Season) -> str:
    """A player withdraws without a substitute, so the organiser decides; return the substitute's name."""
    table = _table(season, 2, 1)
    play_until(world.game_at(table), lambda state, decision: state.step >= 20)
    person, helper = story.person("Clio"), story.person("Helga")
    page = person.send(person.open(story.season), "/withdraw/", note=NOTE, reason="I move house.")
    assert "You have withdrawn from this season." in page.words
    emails = story.town.tick()
    assert readers(emails["league_open_seat_over"]) == ["olga"]
    assert "No substitute took a free seat in “" in story.needs()
    helper.send(helper.open(story.season), "/help/")
    asked = story.town.post()["league_ask"]
    assert readers(asked) == ["helga"]
    assert NOTHING in story.needs()
    stranger = Person()
    page = stranger.open(link_in(asked[0], "Take the seat or decline"))
    assert NOTE not in page.words
    assert all(name in page.words for name in ("Isa", "Cora", "Ciro"))
    assert "Clio" not in page.words
    assert "You took the seat." in stranger.send(page, "action", action="accept").words
    assert NOTE in helper.open(f"/games/{world.game_at(table).pk}/").words
    assert NOTE not in story.person("Cora").open(f"/games/{world.game_at(table).pk}/").words
    assert "I move house." in story.organiser.open(f"{story.league}log/").words
    world.finish(table, seed=4)
    story.town.tick()
    return "Clio"


def _second_rounds_are_played(story: Story, season: Season) -> None:
    """Begin round 2 everywhere but in the lowest division, whose first round is not over."""
    for level in (1, 2):
        world.finish(_table(season, level, 2), seed=10 + level)
    assert world.game_at(_table(season, 2, 2)).players == 3  # Clio is seated no more
    emails = story.town.tick()
    assert len(emails["league_result"]) == 7
    assert "league_table" not in emails
    assert NOTHING in story.needs()


def _a_table_is_late(story: Story, season: Season) -> None:
    """A late table is reminded, extended, reminded again, and ended by the season's rule."""
    table = _table(season, 3, 1)
    asked = {seat.person.name.lower() for seat in table.table.seats.exclude(asked_since=None)}
    for is_extended in (False, True):
        table.refresh_from_db()
        assert table.is_extended == is_extended
        emails = story.town.pass_to(table.deadline - season.remind_days * DAY)
        assert set(readers(emails["league_reminder"])) == asked
        story.town.pass_to(table.deadline)
        assert NOTHING in story.needs()
    assert "The table was adjudicated because it was late." in _page_of(story, Person(), table)
    assert _table(season, 3, 2)  # its second round has begun


def _page_of(story: Story, reader: Person, table: LeagueTable) -> str:
    round_ = table.round
    where = f"division/{round_.division.level}/round/{round_.number}/table/{table.number}/"
    return reader.open(f"{story.season}{where}").words


def _a_table_is_awarded(story: Story, season: Season) -> dict[str, int]:
    """Return the points by name; the players of the table read the reason."""
    table, organiser = _table(season, 1, 1), story.organiser
    page = organiser.follow(organiser.open(f"{story.run}season/1/desk/"), f"table/{table.pk}/award/")
    assert "Points now: " in page.words
    given = {assignment.entry.user.name: 4 - assignment.position for assignment in table.assignments.all()}
    typed = {f"points_{one.position}": 4 - one.position for one in table.assignments.all()}
    organiser.send(page, "reason", reason=REASON, **typed)
    emails = story.town.post()["league_event"]
    assert readers(emails) == sorted(name.lower() for name in given)
    assert all(REASON in flat(email) for email in emails)
    assert REASON in story.person("Ida").open(f"{story.league}log/").words
    assert REASON in _page_of(story, story.person("Helga"), table)  # substitutes read it too
    assert REASON not in _page_of(story, Person(), table)
    return given


# What it came to


def _reckoned(table: LeagueTable) -> dict[str, Fraction]:
    """Return the points of the places at a table, computed by hand from its final position."""
    game = world.game_at(table)
    held = [holding.bit_count() for holding in replayed(game).state.holdings]
    winners = (game.result or {}).get("winners") or ()
    rank = [
        (1, 0) if not winners else (0, 0) if seat in winners else (1, -regions)
        for seat, regions in enumerate(held)
    ]
    scale, points = USUAL[len(held)], {}
    for assignment in table.assignments.all():
        own = rank[assignment.position]
        first, among = sum(one < own for one in rank), rank.count(own)
        points[assignment.entry.user.name] = Fraction(sum(scale[first : first + among]), among)
    return points


def _share(table: LeagueTable, name: str) -> Fraction:
    """Return the share of a seat's moves that its player made; a bot's count for no one."""
    game, seat = world.game_at(table), table.assignments.get(entry__user__name=name).position
    left = SeatChange.objects.filter(game=game, seat=seat).earliest("pk").ply
    answered = LogEntry.objects.filter(game=game, seat=seat)
    return Fraction(answered.filter(ply__lt=left).count(), answered.count())


def _places_are_published(
    story: Story,
    season: Season,
    divisions: Sequence[Sequence[str]],
    awarded: Mapping[str, int],
    left: str,
) -> list[list[str]]:
    """Return the names of each division in order, after comparing all numbers with those computed by hand."""
    emails = story.town.tick()["league_closed"]
    assert len(emails) == 11
    orders = []
    for level, names in enumerate(divisions, start=1):
        rounds = [_reckoned(_table(season, level, number)) for number in (1, 2)]
        if level == 1:
            rounds[0] = {name: Fraction(points) for name, points in awarded.items()}
        if left in names:
            rounds[0][left] *= _share(_table(season, level, 1), left)
        order = _standing_shows(story, level, rounds, left)
        assert set(order) == set(names)
        orders.append(order)
        for place, name in enumerate(order, start=1):
            if name != left:
                assert f"Your rank in division {'ABC'[level - 1]}: {place}." in flat(to(emails, name))
    return orders


def _standing_shows(
    story: Story, level: int, rounds: Sequence[Mapping[str, Fraction]], left: str
) -> list[str]:
    total: Counter[str] = Counter()
    for one in rounds:
        total.update(one)
    page = story.person("Helga").open(f"{story.season}division/{level}/")
    shown = standing_of(page.html)
    for row in shown:
        name = row[1]
        told = [as_people_read(one[name]) for one in rounds if name in one]
        assert row[2:] == [as_people_read(Fraction(total[name])), *told], (row, rounds)
    order = [row[1] for row in shown]
    stay = [name for name in order if name != left]
    assert stay == sorted(stay, key=lambda name: -total[name])  # a stable order: who is even may stand so
    assert order == [*stay, *[name for name in order if name == left]]
    file = (
        story.person("Helga")
        .client.get(f"{story.season}division/{level}/standing.csv")
        .content.decode("utf-8-sig")
    )
    for line in csv.DictReader(io.StringIO(file)):
        assert line["Points"] == as_people_read(Fraction(total[line["Player"]]))
    return order


# Once more


def _second_season(story: Story, first: Season, orders: Sequence[Sequence[str]]) -> None:
    """The lower division's first and the upper one's last change places. The winner does not return."""
    following = Season.objects.get(number=2)
    emails = story.town.pass_to(following.opens_at)["league_opens"]
    (a1, a2, a3, a4), (b1, b2, b3, _out), (c1, c2, c3, c4) = orders
    kept = {"A": {a1, a2, a3, b1}, "B": {a4, b2, b3, c1}, "C": {c2, c3, c4}}
    for email, names in kept.items():
        for name in names:
            assert f"We keep a place in division {email} for you" in flat(to(emails, name))
    assert NOTHING in story.needs()
    story.season = f"{story.league}season/2/"
    back = [a2, a3, b1, a4, b2, b3, c1, c2, c3, c4]
    for name in ("Irma", *reversed(back), "Cesare"):
        if name in back:
            sign_up(following, world.person(name))
        else:
            page = story.may_sign_up(name)
            assert ("You have a place." in page) == (name != "Cesare")
        story.town.wall.now += timedelta(minutes=1)
    emails = story.town.pass_to(following.signup_ends_at)
    assert readers(emails["league_place"]) == ["cesare"]
    asked = [*emails["league_confirm"], *emails["league_place"]]
    assert readers(asked) == sorted(name.lower() for name in ("Irma", "Cesare", *back))
    _confirm_after(asked)
    emails = story.town.tick()
    assert len(emails["league_begins"]) == 12
    assert _people_of(following, 1) == {a2, a3, b1, b2}  # the gap is filled from below, by the best of it
    assert _people_of(following, 2) == {b3, c1, a4, c2}
    assert _people_of(following, 3) == {c3, c4, "Irma", "Cesare"}
    assert NOTHING in story.needs()
