"""Tables that something larger has called: who begins is set, bots' seats find people, and what is late is
adjudicated."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts import clock
from accounts.blocking import block
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from condottiere_site.privacy import erase, everything_about
from games import services
from games.models import Game, Proposal, Seat, SeatChange, Table
from games.rules import MOST_GAMES, verify
from games.selectors.integrity import differences
from games.selectors.records import record_of, record_text
from games.services import Refused
from tests.clocks.passing import Wall
from tests.commands.records import run
from tests.games.playing import begin_game, decision_of, play_to_the_end, play_until

pytestmark = pytest.mark.django_db

SECRET = hashlib.sha256(b"the same deals in every run").digest()
POINTS = {"options_json": {"edition": "2007", "variants": ["playing-for-points"]}, "chain": MOST_GAMES + 1}
NAMES = ("Anna", "Bruno", "Carla")


def convene(people: list[Any], **terms: Any) -> Game:
    terms = {"name": "Table 42", "secret": SECRET} | terms
    return services.create_scheduled_table(
        people, source="the Autumn Cup, round 1", source_path="/cups/1/", **terms
    )


@pytest.fixture
def cup(people: list[Any]) -> Game:
    """A cup's game of Anna, Bruno and Carla, in which Anna is set to begin."""
    return convene(people)


def seat(game: Game, number: int) -> Seat:
    return Seat.objects.select_related("table", "user").get(table=game.table_id, number=number)


def text_of(client: Client, path: str) -> str:
    page = client.get(path)
    assert page.status_code == 200, path
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.content.decode())).split())


def delivered(settings: Any, kind: str) -> dict[str, str]:
    """Return the texts of the emails of one kind that leave now, by address."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox.clear()
    OutgoingEmail.objects.exclude(kind=kind).filter(state="queued").delete()
    deliver_due()
    return {email.to[0]: " ".join(email.body.split()) for email in mail.outbox}


def nothing_differs() -> bool:
    done = run("replay_games")
    return done.status == 0 and done.out.endswith("0 differences.\n")


# The first Condottiere


def test_the_first_named_is_the_first_condottiere_and_everyone_is_asked_once(cup: Game) -> None:
    assert (cup.first_condottiere, cup.is_first_set) == (0, True)
    assert decision_of(cup).seat == 0
    assert (cup.table.host, cup.table.source) == (None, "the Autumn Cup, round 1")
    assert differences(cup.pk) == []


@pytest.mark.parametrize("number", range(4))
def test_no_matter_whom_the_key_would_have_drawn_the_record_of_a_set_beginning_is_right(
    people: list[Any], tmp_path: Path, number: int
) -> None:
    """Check it with the rules' own command, which knows nothing of this site."""
    game = convene(people, secret=hashlib.sha256(b"%d" % number).digest())
    play_to_the_end(game)
    file = tmp_path / "game.jsonl"
    file.write_text(record_text(record_of(game, NAMES)))
    done = subprocess.run(
        [sys.executable, "-m", "games.rules", "verify", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert record_of(game, NAMES).first_by == "table"
    assert nothing_differs()


def test_the_proof_says_that_no_one_was_drawn(people: list[Any], cup: Game, signed_in: Any) -> None:
    play_to_the_end(cup)
    page = text_of(signed_in(people[1]), f"/games/{cup.pk}/proof/")
    assert "Anna was the first player, by the rules of the Autumn Cup, round 1. No one was drawn." in page


def test_where_no_one_knows_who_is_who_seats_and_beginner_are_drawn(people: list[Any]) -> None:
    game = convene(people, is_anonymous=True)
    assert not game.is_first_set
    play_to_the_end(game)
    assert verify(record_of(game, NAMES)).ok
    assert differences(game.pk) == []


def test_a_match_goes_on_from_a_set_beginning(people: list[Any]) -> None:
    game = convene(people, target=30, **POINTS)
    play_to_the_end(game)
    for one in game.table.seats.all():
        following = services.be_ready(one, 2)
    assert following is not None
    assert not following.is_first_set
    assert nothing_differs()


def test_no_one_is_called_whose_account_is_closed(people: list[Any]) -> None:
    erase(people[2])
    with pytest.raises(Refused, match="closed"):
        convene(people)
    assert not Table.objects.exists()


# A bot's seat given to a person


@pytest.fixture
def left(cup: Game) -> Game:
    """Bruno gave up the seat after a while, and a bot played on for some time."""
    play_until(cup, lambda state, decision: state.ply > 20 and decision.seat == 1)
    services.give_up(seat(cup, 1))
    play_until(cup, lambda state, _decision: state.ply > 45)
    return cup


@pytest.mark.long
def test_a_newcomer_has_the_seat_with_all_that_belongs_to_it(
    left: Game, dario: Any, people: list[Any], signed_in: Any
) -> None:
    taken = services.fill_seat(seat(left, 1), dario)
    assert (taken.user, taken.bot, taken.played_by_bot) == (dario, "", "")
    assert seat(left, 1).user == dario
    assert text_of(signed_in(dario), f"/games/{left.pk}/")
    assert signed_in(people[1]).get(f"/games/{left.pk}/").status_code == 404
    change = SeatChange.objects.last()
    assert change is not None
    assert (change.before, change.after) == (None, dario)
    assert nothing_differs()


@pytest.mark.long
def test_the_table_is_told_whose_seat_it_is_now(
    left: Game, dario: Any, people: list[Any], signed_in: Any, settings: Any
) -> None:
    services.fill_seat(seat(left, 1), dario)
    told = "Dario took the seat that Montefeltro (bot) had played."
    assert told in text_of(signed_in(people[0]), f"/games/{left.pk}/")
    emails = delivered(settings, "seat_changed")
    assert set(emails) >= {people[0].email, people[2].email}
    assert told in emails[people[0].email]
    assert dario.email not in emails


@pytest.mark.long
def test_someone_who_looks_back_finds_each_holder_in_their_time(
    left: Game, dario: Any, people: list[Any], signed_in: Any
) -> None:
    services.fill_seat(seat(left, 1), dario)
    play_to_the_end(left)
    client = signed_in(people[0])
    gave_up, took = SeatChange.objects.order_by("pk")
    own = left.log.filter(seat=1)
    of_bruno, of_dario = own.filter(ply__lt=gave_up.ply).last(), own.filter(ply__gte=took.ply).first()
    of_the_bot = own.filter(ply__gte=gave_up.ply, ply__lt=took.ply).last()
    for entry, holder in ((of_bruno, "Bruno"), (of_the_bot, "Montefeltro (bot)"), (of_dario, "Dario")):
        assert entry is not None
        page = text_of(client, f"/games/{left.pk}/history/{entry.ply + 1}/")
        assert holder in page, entry.ply
    chronicle = text_of(client, f"/games/{left.pk}/chronicle/")
    assert "Dario took the seat that Montefeltro (bot) had played." in chronicle
    assert "Bruno left, and Montefeltro (bot) took the seat." in chronicle


@pytest.mark.long
def test_record_and_proof_are_right_no_matter_who_held_the_seat(
    left: Game, dario: Any, people: list[Any], signed_in: Any
) -> None:
    services.fill_seat(seat(left, 1), dario)
    play_to_the_end(left)
    assert verify(record_of(left, NAMES)).ok
    assert nothing_differs()
    assert signed_in(dario).get(f"/games/{left.pk}/proof/").status_code == 200
    assert "Dario" in text_of(signed_in(people[0]), f"/games/{left.pk}/record.json")


@pytest.mark.long
def test_each_is_handed_out_their_own_moves_and_no_one_the_bots(
    left: Game, dario: Any, people: list[Any]
) -> None:
    services.fill_seat(seat(left, 1), dario)
    play_to_the_end(left)
    mine = [
        [move[0] for move in everything_about(person)["games"][0]["my_moves"]]
        for person in (people[1], dario)
    ]
    own = left.log.filter(seat=1).exclude(via="bot").values_list("move", flat=True)
    assert mine[0] + mine[1] == list(own)
    assert all(mine)


def test_filling_twice_is_once_and_a_seat_someone_plays_is_not_filled(
    left: Game, dario: Any, elena: Any
) -> None:
    free = seat(left, 1)
    services.fill_seat(free, dario)
    services.fill_seat(free, dario)
    assert SeatChange.objects.count() == 2
    for number in range(3):
        with pytest.raises(Refused):
            services.fill_seat(seat(left, number), elena)
    with pytest.raises(Refused):
        services.fill_seat(free, elena)


@pytest.mark.long
def test_no_one_sits_twice_comes_back_or_joins_those_who_do_not_want_them(
    left: Game, people: list[Any], dario: Any, elena: Any
) -> None:
    block(people[2], elena)
    erase(dario)
    for nobody, why in (
        (people[0], "You already have a seat"),
        (people[1], "can’t come back"),
        (elena, "can’t take a seat"),
        (dario, "closed"),
    ):
        with pytest.raises(Refused, match=why):
            services.fill_seat(seat(left, 1), nobody)
    assert seat(left, 1).bot


def test_when_the_game_is_over_no_seat_is_filled(left: Game, dario: Any) -> None:
    play_to_the_end(left)
    with pytest.raises(Refused):
        services.fill_seat(seat(left, 1), dario)


@pytest.mark.long
def test_an_open_proposal_is_closed_with_the_new_company(left: Game, dario: Any) -> None:
    services.propose_end(seat(left, 0), left, Proposal.What.NONE)
    services.fill_seat(seat(left, 1), dario)
    assert not Proposal.objects.filter(closed_at=None).exists()


def test_at_a_table_of_unknown_people_the_newcomer_stays_unknown(
    people: list[Any], dario: Any, signed_in: Any, settings: Any
) -> None:
    game = convene(people, is_anonymous=True)
    leaver = next(one for one in game.table.seats.people() if one.user == people[1])
    services.give_up(leaver)
    services.fill_seat(seat(game, leaver.number), dario)
    page = text_of(signed_in(people[0]), f"/games/{game.pk}/")
    assert "took the seat that" in page
    for name in ("Dario", "Bruno", "Carla"):
        assert name not in page
    emails = delivered(settings, "seat_changed")
    assert emails
    assert not [body for body in emails.values() if "Dario took" in body or "Bruno" in body]
    play_to_the_end(game)
    assert "Dario took the seat" in text_of(signed_in(people[0]), f"/games/{game.pk}/chronicle/")


@pytest.mark.long
def test_deleting_an_account_takes_the_newcomers_name_out(
    left: Game, dario: Any, people: list[Any], signed_in: Any
) -> None:
    services.fill_seat(seat(left, 1), dario)
    erase(dario)
    erase(people[1])
    play_to_the_end(left)
    client = signed_in(people[0])
    for page in ("", "chronicle/", "proof/", "record.json", f"history/{left.ply}/"):
        told = text_of(client, f"/games/{left.pk}/{page}")
        assert "Dario" not in told, page
        assert "Bruno" not in told, page
    assert "A former player took the seat that Montefeltro (bot) had played." in text_of(
        client, f"/games/{left.pk}/chronicle/"
    )
    assert nothing_differs()


def test_a_bots_seat_at_any_table_can_be_filled_as_well(people: list[Any], dario: Any) -> None:
    """Also a seat that was a bot's from the beginning."""
    table = services.make_table(people[0], name="With a bot", size=3, entry="open", secret=SECRET)
    services.take_seat(table, people[1])
    services.seat_bot(table, "recruit", 2)
    for one in table.seats.people():
        services.confirm(one)
    game = Game.objects.get()
    services.fill_seat(seat(game, 2), dario)
    play_to_the_end(game)
    assert verify(record_of(game, NAMES)).ok
    assert nothing_differs()


def test_no_one_is_handed_a_seat_past_those_who_called_the_table(
    cup: Game, people: list[Any], signed_in: Any
) -> None:
    with pytest.raises(Refused, match="can’t offer your seat"):
        services.hand_over(seat(cup, 1), "friend@example.org")
    client, path = signed_in(people[1]), f"/games/{cup.pk}/arrangements/"
    page = text_of(client, path)
    assert "by the rules of the Autumn Cup, round 1" in page
    assert "Offer your seat" not in page
    answer = client.post(f"/games/{cup.pk}/hand-over/", {"email": "friend@example.org"})
    assert "You can’t offer your seat" in unescape(answer.content.decode())
    assert not OutgoingEmail.objects.filter(kind="hand_over").exists()


@pytest.mark.long
def test_someone_who_takes_an_absent_players_seat_has_the_whole_reserve_and_a_fresh_decision(
    people: list[Any], dario: Any
) -> None:
    wall = Wall()
    with clock.use_clock(wall):
        game = convene(people, pace="hours", hours="all", most_misses=1)
        number = decision_of(game).seat
        wall.pass_by(timedelta(hours=31))
        away = seat(game, number)
        assert away.played_by_bot
        play_until(game, lambda state, _decision: state.ply > 12)
        services.fill_seat(away, dario)
        play_until(game, lambda _state, decision: decision.seat == number)
        taken = seat(game, number)
        assert (taken.user, taken.reserve) == (dario, timedelta(hours=24))
        assert taken.due_at == wall.now + timedelta(hours=6 + 24)
        assert differences(game.pk) == []


# Adjudicated


@pytest.fixture
def late(cup: Game) -> Game:
    """A game that ran out of time, in which someone holds regions."""
    play_until(cup, lambda state, _decision: any(state.holdings) and state.ply > 60)
    return cup


@pytest.mark.parametrize("with_winner", [True, False])
@pytest.mark.long
def test_an_adjudicated_game_is_told_as_such_everywhere(
    late: Game, people: list[Any], signed_in: Any, settings: Any, with_winner: bool
) -> None:
    assert services.adjudicate(late.table, with_winner=with_winner, now=late.moved_at) == late
    late.refresh_from_db()
    assert late.ended == Game.Ended.ADJUDICATED
    told = "The game ran out of time, so it was adjudicated."
    client = signed_in(people[0])
    for page in (f"/games/{late.pk}/", f"/games/{late.pk}/chronicle/", "/games/"):
        assert told in text_of(client, page), page
    emails = delivered(settings, "game_over")
    assert set(emails) == {person.email for person in people}
    assert all(told in body for body in emails.values())
    assert ("with the most regions" in emails[people[0].email]) is with_winner
    assert not Seat.objects.filter(decision_step__isnull=False).exists()
    assert verify(record_of(late, NAMES)).ok
    assert nothing_differs()


@pytest.mark.long
def test_its_record_is_imported_elsewhere_and_proved_here(
    late: Game, people: list[Any], signed_in: Any, tmp_path: Path
) -> None:
    services.adjudicate(late.table, with_winner=True, now=late.moved_at)
    late.refresh_from_db()
    file = tmp_path / "late.jsonl"
    file.write_text(run("export_game", late.pk).out)
    done = subprocess.run(
        [sys.executable, "-m", "games.rules", "verify", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert signed_in(people[0]).get(f"/games/{late.pk}/proof/").status_code == 200


@pytest.mark.long
def test_adjudicating_twice_is_once_and_what_is_over_stays(late: Game) -> None:
    services.adjudicate(late.table, with_winner=True, now=late.moved_at)
    late.refresh_from_db()
    result = late.result
    assert services.adjudicate(late.table, with_winner=False, now=late.moved_at) is None
    late.refresh_from_db()
    assert late.result == result


@pytest.mark.long
def test_who_was_proposing_or_pausing_is_not_waited_for(late: Game) -> None:
    services.propose_end(seat(late, 0), late, Proposal.What.NONE)
    services.adjudicate(late.table, with_winner=True, now=late.moved_at)
    assert not Proposal.objects.filter(closed_at=None).exists()


def test_an_adjudicated_match_goes_to_most_points_and_pauses_are_waited_for(
    people: list[Any], signed_in: Any
) -> None:
    game = convene(people, target=40, **POINTS)
    play_to_the_end(game)
    assert services.adjudicate(game.table, with_winner=True, now=game.moved_at) is None
    for one in game.table.seats.all():
        following = services.be_ready(one, 2)
    assert following is not None
    play_until(following, lambda state, _decision: any(state.holdings))
    assert services.adjudicate(game.table, with_winner=True, now=following.moved_at) == following
    assert Table.objects.get().state == Table.State.FINISHED
    assert "it was adjudicated" in text_of(signed_in(people[0]), f"/games/{following.pk}/")
    following.refresh_from_db()
    assert verify(record_of(following, NAMES)).ok
    assert nothing_differs()


def test_where_no_one_holds_a_region_no_one_wins(cup: Game) -> None:
    services.adjudicate(cup.table, with_winner=True, now=cup.moved_at)
    cup.refresh_from_db()
    assert (cup.result["winners"], cup.result["reason"]) == ([], None)
    assert verify(record_of(cup, NAMES)).ok


def test_an_ordinary_game_is_untouched_by_occasions(people: list[Any]) -> None:
    game = begin_game(people)
    assert (game.is_first_set, game.table.source) == (False, "")
