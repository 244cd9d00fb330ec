"""Two seasons of a private league, and every kind of email they send: each by its cause."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Protocol

from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import Concern, League, LeagueTable, Registration, Season, SubstituteOffer
from games.leagues.services import (
    awards,
    cancellation,
    concerns,
    founding,
    join_requests,
    offer_answers,
    organiser_messages,
    registration,
    season_plans,
    substitutes,
    vanished_organisers,
    withdrawals,
)
from games.leagues.services.result_collection import collect
from games.leagues.tasks import notify_organisers, run_seasons
from games.models import Heartbeat
from tests.leagues.world import finish, invite, person

DAY = timedelta(days=1)
NAME = "The league of those who have time on Sundays"
ABOUT = "We play slowly, and with chat.\n\nWhoever is late brings the wine."
PLAN: dict[str, Any] = {
    "size": 3, "rounds": 1, "table_days": 20, "extension_days": 5,
    "division_size": 3, "most_divisions": 2, "promoted": 1, "min_players": 6, "pause_days": 7,
}  # fmt: skip


class Posting(Protocol):
    """Deliver what is queued, and set the time."""

    wall: Any

    def deliver(self) -> None: ...


def about_leagues(post: Posting) -> None:
    """Play a league from its founding to its second season, which has too few players."""
    organiser, players = person("Organisatrice"), _players()
    league = founding.found_league(organiser, name=NAME, about=ABOUT, is_private=True)
    season = _signed_up(post, league, organiser, players)
    _drawn(post, season, players)
    _played(post, season, organiser)
    _second_season(post, league, organiser)


def _players() -> list[User]:
    found = User.objects.get_or_create_proven
    return [found(f"player{n}@example.org", f"Francesca di Montefeltro {n}") for n in range(1, 8)]


def _run(post: Posting, span: timedelta = timedelta(0)) -> None:
    post.wall.now += span
    Heartbeat.objects.update_or_create(defaults={"at": post.wall.now})  # the site was there all the time
    run_seasons()
    notify_organisers()
    post.deliver()


def _signed_up(post: Posting, league: League, organiser: Any, players: list[User]) -> Season:
    now = post.wall.now
    dates = {"opens_at": now, "signup_ends_at": now + 7 * DAY, "begins_at": now + 14 * DAY}
    terms = {"options_json": {"edition": "2007", "variants": []}, "pace": "none"}
    season = season_plans.plan_season(league, organiser, terms=terms, **PLAN, **dates)
    invite(season, organiser, "zenobia@example.org", 2)
    _run(post)
    season.refresh_from_db()
    for player in players:
        registration.sign_up(season, player)
    registration.leave_season(season, players[0])  # the seventh has a place now
    _ask_to_join(season, organiser)
    _run(post)
    return season


def _ask_to_join(season: Season, organiser: Any) -> None:
    """Someone asks to join and is declined."""
    Season.objects.filter(pk=season.pk).update(joining=Season.Joining.REQUEST)
    join_requests.decline_request(
        registration.sign_up(season, person("Guglielma")), organiser, "It is summer, and nobody has time."
    )
    Season.objects.filter(pk=season.pk).update(joining=Season.Joining.ANYONE)


def _drawn(post: Posting, season: Season, players: list[User]) -> None:
    _run(post, 7 * DAY)
    *others, silent = season.entries.filter(state=Registration.State.SIGNED_UP)
    for entry in others:
        registration.confirm(entry)
    registration.sign_up(season, players[0])  # waits, and gets the place of the silent one
    _run(post, 2 * DAY)
    _run(post, 11 * DAY)
    substitutes.volunteer(season, silent.user)


def _played(post: Posting, season: Season, organiser: Any) -> None:
    _run(post)
    first, second = LeagueTable.objects.filter(round__division__season=season)
    bye = first.round.byes.create(entry=second.assignments.all()[0].entry)
    queue("league_bye", to=bye.entry.user, key="league_bye", context={"bye": bye.pk})
    asked = first.table.seats.exclude(asked_since=None).first()
    assert asked is not None
    organiser_messages.write_to_players(season, organiser, None, "It is summer, and nobody has time.")
    summer = "It is summer, and nobody has time."
    told = concerns.tell_organisers(season, asked.person, first, Concern.About.SLOW, summer)
    post.deliver()
    other = founding.add_organiser(season.league, organiser, person("Otto"), summer)
    vanished_organisers.ask_whether_here(other, organiser)
    post.deliver()
    vanished_organisers.say_still_here(other)
    founding.step_down(season.league, other.user)
    concerns.answer_concern(told, organiser, Concern.Outcome.NOTHING, summer)
    _run(post, 16 * DAY)
    leaves = first.assignments.exclude(entry__user=asked.user_id).first()
    assert leaves is not None
    extra = first.round.division.rounds.create(number=2)
    withdrawals.withdraw(leaves.entry, note="Keep the Bishop.")
    post.deliver()  # the substitute reads that the place is free
    extra.delete()
    _run(post)
    ask = SubstituteOffer.objects.get(answer=SubstituteOffer.Answer.OPEN)
    offer_answers.decline(ask)
    _run(post)
    finish(first)
    collect(first, post.wall.now)
    awards.award(first, organiser, [3, 2, 1], "One of them was told what another held.")
    post.deliver()  # once the season is over, its own email says the standings
    finish(second)
    _run(post)


def _second_season(post: Posting, league: League, organiser: User) -> None:
    """One player signs up, so the organiser must decide."""
    following = league.seasons.get(number=2)
    _run(post, following.opens_at - post.wall.now)
    registration.sign_up(following, person("Zoe"))
    following.refresh_from_db()
    _run(post, following.signup_ends_at - post.wall.now)
    for entry in following.entries.filter(state=Registration.State.SIGNED_UP):
        registration.confirm(entry)
    _run(post, 7 * DAY)
    cancellation.cancel(following, organiser, "It is summer, and nobody has time.")
    _run(post)
