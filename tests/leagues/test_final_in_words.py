"""The final by its name: no email, page, list or file calls it a round, and its correction names places."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.messages import Recipient, build_message
from accounts.mail.models import OutgoingEmail
from games.leagues.models import Award, Concern, LeagueTable, Season, SubstituteOffer
from games.leagues.scoring.table_facts import SeatCorrection
from games.leagues.services import offer_answers
from games.leagues.services.awards import award
from games.leagues.services.concerns import tell_organisers
from games.leagues.services.table_deadlines import extend_by_hand
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues import absent, world
from tests.leagues.league_pages import path_of, text_of
from tests.leagues.test_league_final import FIVE, before_the_final, final_of, named, winner_of
from tests.leagues.test_league_random_seasons import run_ticks

pytestmark = pytest.mark.django_db

LANGUAGES = ("en", "pl", "ru")
# Seasons here have one round, so the final's number would be 2.
A_ROUND = re.compile(r"(round|rund\w+|раунд\w*|тур\w*) 2|2(\.|-\w+) (rund|раунд|тур)", re.IGNORECASE)


def written(last: int, turn: int | None) -> Iterator[tuple[str, str]]:
    """Every email after this one, in three languages; with a turn, each in one of them, in turn."""
    for number, row in enumerate(OutgoingEmail.objects.filter(pk__gt=last).order_by("pk")):
        for language in languages_at(number, turn):
            with translation.override(language):
                content = EMAIL_KINDS[row.kind].build(row)
                if content is None:
                    continue
                zone = timezone.get_current_timezone()
                to = Recipient("someone@example.org", row.to_user, language, zone, row)
                email = build_message(content, to, row.message_id)
            yield f"{row.kind} in {language}", f"{email.subject}\n{email.body}"


def languages_at(number: int, turn: int | None) -> tuple[str, ...]:
    return LANGUAGES if turn is None else (LANGUAGES[(turn + number) % len(LANGUAGES)],)


def paths(season: Season) -> Iterator[str]:
    """Where the final may be named."""
    row = final_of(season)
    own = [season.league_id, row.pk]
    acts = ("extend", "replace", "adjudicate", "award")
    of_league = ("league", "league_log", "league_feed", "league_all_time", "organise")
    yield from (reverse(f"table_{name}", args=own) for name in acts)
    yield from (path_of(name, season) for name in ("season", "season_desk", "season_json"))
    yield from (path_of(name, season, 1) for name in ("division", "division_csv", "division_json"))
    yield from (reverse(name, args=[season.league_id]) for name in of_league)
    yield path_of("league_table", season, 1, row.round.number, row.number)
    yield path_of("round", season, 1, row.round.number)
    yield from (reverse("player", args=[one.entry.user_id]) for one in row.assignments.all())
    yield from (reverse("open_seat_give", args=[season.league_id, one.pk]) for one in row.open_seats.all())


def rounds_named(season: Season, organiser: Client, last: int, turn: int | None) -> list[str]:
    """Emails and pages that call the final a round; with a turn, each in one language, in turn."""
    found = [where for where, text in written(last, turn) if A_ROUND.search(text)]
    for number, path in enumerate(paths(season)):
        for language in languages_at(number, turn):
            organiser.cookies["django_language"] = language
            with translation.override(language):
                page = organiser.get(path)
                if page.status_code == 200 and (named := A_ROUND.search(page.content.decode())):
                    found.append(f"{path} in {language}: {named[0]}")
    return found


def latest() -> int:
    return OutgoingEmail.objects.latest("pk").pk


def test_nothing_calls_it_a_round(wall: Wall, client: Client, long: bool) -> None:
    season = before_the_final(wall, named(*FIVE))
    organiser = world.person("Olga")
    season.league.organisers.create(user=organiser)
    helpers = named("Sara", "Tina")
    absent.help_in(season, *helpers)
    before = latest()
    run_ticks(wall)
    row = final_of(season)
    client.force_login(organiser)
    for one in row.assignments.select_related("entry__user").order_by("-position")[:2]:
        absent.give_up(row, one.entry.user)
        absent.tick()
    player = row.assignments.order_by("position")[1].entry.user
    tell_organisers(season, player, row, Concern.About.SLOW, "Slow.")
    found, told = rounds_named(season, client, before, None if long else 0), latest()
    while asked := SubstituteOffer.objects.filter(answer=SubstituteOffer.Answer.OPEN).first():
        offer_answers.decline(asked)
        absent.tick()
    extend_by_hand(row, organiser, 3, "A slow one.", 0)
    found += rounds_named(season, client, told, None if long else 1)
    told = latest()
    world.finish(row)
    run_ticks(wall)
    corrected = [SeatCorrection(place, 1) for place in (2, 1, 3, 4)]
    award(LeagueTable.objects.get(pk=row.pk), organiser, [None] * 4, "So it was.", corrected)
    found += rounds_named(season, client, told, None if long else 2)
    assert {row.kind for row in OutgoingEmail.objects.filter(pk__gt=before)} >= {
        "league_table", "league_ask", "league_open_seat_over", "league_result",
    }  # fmt: skip
    assert found == [], found


def test_its_correction_takes_places_and_no_points(wall: Wall, client: Client) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    world.finish(final_of(season))
    run_ticks(wall)
    organiser = season.league.organisers.get().user
    client.force_login(organiser)
    row = final_of(season)
    path = reverse("table_award", args=[season.league_id, row.pk])
    page = text_of(client, path)
    assert "The final decides who wins the season. It gives no points." in page
    assert "Points for" not in page
    assert "Points now" not in page
    # The last of the game is to be first: whatever the game's end was, it is not what is stored.
    played = [seat["place"] for seat in (row.facts or {})["seats"]]
    corrected = sorted(range(4), key=lambda seat: -played[seat])
    sent = {f"place_{seat}": place for place, seat in enumerate(corrected, start=1)}
    answer = client.post(path, sent | {"reason": "A slip."})
    assert answer.status_code == 302, answer.content
    assert winner_of(season) == FIVE[corrected[0]]
    assert Award.objects.get(table=row).points == [None] * 4
    assert "Fill in everything as played" in text_of(client, path)


def test_points_for_it_are_refused_in_a_sentence(wall: Wall) -> None:
    season = before_the_final(wall, named(*FIVE))
    run_ticks(wall)
    world.finish(final_of(season))
    run_ticks(wall)
    organiser = season.league.organisers.get().user
    with pytest.raises(Refused, match=r"The final gives no points\. Correct its places instead\."):
        award(final_of(season), organiser, [5, None, None, None], "More.")
    assert not Award.objects.filter(table=final_of(season)).exists()
