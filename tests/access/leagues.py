"""Leagues to ask about: Anna and Gino run them, and Bruno plays. A public one, of which Carla is too, with a
round that is over and one that is played; one whose sign-up is open; one whose season is only planned; and a
private one, of which Bruno and Elena are, and no one else. Ugo runs a league of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from accounts import clock
from accounts.models import User
from accounts.push.models import NoticeTarget
from accounts.push.targets import add_target
from games.leagues.file_addresses import feed_key
from games.leagues.links import entry_url
from games.leagues.models import AuditEvent, Concern, League, Organiser, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_news import subject_of
from games.leagues.services.registration import sign_up
from games.leagues.services.result_collection import collect
from games.leagues.services.substitutes import volunteer
from tests.leagues import world

NOWHERE = {"number": 999_999, "season": 1, "level": 1, "round": 1, "table": 1}


def league_subjects(people: Mapping[str, User]) -> dict[str, dict[str, Any]]:
    """The objects that league addresses refer to, by their names in the rows."""
    anna, bruno, carla, elena = (people[name] for name in ("anna", "bruno", "carla", "elena"))
    world.a_league(people["ugo"], "Another league")
    draft = world.a_season(world.a_league(anna, "Next year"), division_size=4)
    subjects = {
        "league": _about(_played(world.a_league(anna), [anna, bruno, carla], size=3), bruno),
        "signup": _about(_open(world.a_league(anna), [bruno]), bruno),
        "club": _about(_played(_private(anna), [bruno, elena], size=2), elena),
        "no_league": NOWHERE | {"pk": 999_999, "edition": "1066"},
    }
    subjects["draft"] = {"number": draft.league_id, "season": draft.number}
    subjects["league"] |= _to_decide(Season.objects.get(league=subjects["league"]["number"]), elena)
    subjects["no_league"] |= {name: 999_999 for name in subjects["league"] if ".pk" in name}
    for league in League.objects.filter(organisers__user=anna):
        league.organisers.create(user=people["gino"])
    return subjects


def _to_decide(season: Season, elena: User) -> dict[str, Any]:
    """The objects of organisers' decisions, by the first word of the addresses' names."""
    organiser = season.league.organisers.get().user
    over, playing = season.divisions.get().rounds.all()
    left = playing.tables.get().open_seats.create(seat=0, why="left")
    bruno = season.entries.get(user__email="bruno@example.org").user
    told = Concern.objects.create(season=season, by=bruno, about="slow", text="Carla plays slowly.")
    invited = season.invited.create(email="guest@example.org", by=organiser)
    subject = subject_of(season.league_id)
    address = "https://hooks.slack.com/services/T0/B0/asecrettoken"
    target = add_target(
        NoticeTarget(user=organiser, subject=subject, service="slack", name="Slack", endpoint=address)
    )
    return {
        "target_id": target.pk,
        "entry.pk": season.entries.exclude(user=organiser).first().pk,
        "division.pk": season.divisions.get().pk,
        "round.pk": playing.pk,
        "table.pk": over.tables.get().pk,
        "open.pk": left.pk,
        "invited.pk": invited.pk,
        "concern.pk": told.pk,
        "organiser.pk": season.league.organisers.create(
            user=world.person("Otto"), asked_at=clock.now() - timedelta(days=15)
        ).pk,
        "assistant.pk": season.league.organisers.create(user=elena, role="assistant").pk,
    }


def leagues_live_on(subjects: Mapping[str, Mapping[str, Any]], players: list[User]) -> None:
    """More of everything that a page of leagues could list: these players join in, and tables come to an
    end."""
    signup, running = (
        Season.objects.get(league=subjects[name]["number"], number=1) for name in ("signup", "league")
    )
    for player in players:
        sign_up(signup, player)
        volunteer(running, player)
        Organiser.staff.create(league=running.league, user=player, role=Organiser.Role.ASSISTANT)
    _another_round(running, players)
    organiser = running.league.organisers.order_by("pk")[0].user
    world.running(world.a_season(world.a_league(organiser), size=3, rounds=1), [organiser, *players])
    world.a_season(running.league, state=Season.State.CLOSED)
    world.a_season(world.a_league(organiser, is_private=True))


def _another_round(season: Season, players: list[User]) -> None:
    """Return a season with a finished table of newcomers whose points were awarded."""
    division = season.divisions.get()
    number, now = division.rounds.count() + 1, clock.now()
    round_ = division.rounds.create(number=number)
    for player in players:
        entry = season.entries.create(user=player, state=Registration.State.PLAYING, division=division)
    (row,) = world.seat_by_hand(round_, players)
    world.finish(row)
    collect(row, now)
    organiser = season.league.organisers.order_by("pk")[0].user
    row.awards.create(points=[1, 2, 3], reason="It is better so.", by=organiser)
    row.open_seats.create(seat=0, why="left", left_by=players[0], state="taken", taken_by=players[1])
    round_.byes.create(entry=entry)
    record_event(AuditEvent.Kind.AWARDED, season, organiser, touched=players, round=round_, table=row)


def organisers_forms() -> dict[str, dict[str, Any]]:
    """What an organiser types into each address's form."""
    why = {"reason": "It is better so."}
    named = {"name": "Another league", "about": "", "is_private": "no"}
    return {
        "new_league": named,
        "change_league": named | why,
        "league_organisers": {"email": "elena@example.org"} | why,
        "assistant_remove": why,
        "organiser_remove": why,
        "season_cancel": why,
        "season_fewer": why,
        "season_invite": {"text": "dario@example.org"},
        "season_tell": {"where": "season", "about": "slow", "text": "Carla plays slowly."},
        "concern_reply": {"outcome": "nothing", "answer": "They have time until Sunday."},
        "entry_decline": why,
        "entry_expel": why,
        "entry_move": {"level": 2} | why,
        "division_fill": why,
        "season_write": {"to": "everyone", "text": "Play on."},
        "league_channels_write": {"text": "Play on."},
        "league_pause": {"until": clock.now().date() + timedelta(days=10)} | why,
        "league_resume": why,
        "table_extend": {"days": 3} | why,
        "table_replace": {"seat": 0, "user": 0} | why,
        "table_adjudicate": {"result": "nobody"} | why,
        "table_award": {"points_0": 2, "another_total": "on"} | why,
        "open_seat_bot": why,
    }


def _private(organiser: User) -> League:
    return world.a_league(organiser, "Night club", is_private=True)


def _played(league: League, players: list[User], size: int) -> Season:
    """Return a season whose first round is over and whose second is running."""
    season = world.running(world.a_season(league, size=size, rounds=2, division_size=size), players)
    rounds = list(season.divisions.get().rounds.all())
    for table in world.seat_by_hand(rounds[0], players):
        world.finish(table)
        collect(table, clock.now())
    world.seat_by_hand(rounds[1], players)
    return season


def _open(league: League, players: list[User]) -> Season:
    season = world.a_season(league, division_size=4)
    season.state = Season.State.SIGN_UP
    season.save(update_fields=["state"])
    for player in players:
        sign_up(season, player)
    volunteer(season, players[0])
    return season


def _about(season: Season, player: User) -> dict[str, Any]:
    """Collect round 1, if there is one."""
    league = season.league
    return {
        "number": league.pk,
        "season": season.number,
        "level": 1,
        "round": 1,
        "table": 1,
        "pk": player.pk,
        "edition": "2007",
        "join.key": league.join_key,
        "league.key": feed_key(league),
        "league.token": _token(season, player),
    }


def _token(season: Season, player: User) -> str:
    """Return the token of the link in this player's emails about their place."""
    return entry_url(season.entries.get(user=player)).rstrip("/").rpartition("/")[2]
