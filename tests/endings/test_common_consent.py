"""Ending a game by common consent: everyone who plays agrees to one proposal (R49)."""

from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from games import services
from games.models import Game, Proposal, Seat, Table
from games.rules import parse_move, verify
from games.selectors.integrity import differences
from games.selectors.records import record_of
from games.services import NotAsked, Refused
from tests.games.playing import begin_game, decision_of, legal_texts, play_to_the_end, play_until, submit

pytestmark = pytest.mark.django_db

MOST, NONE = Proposal.What.MOST_REGIONS, Proposal.What.NONE


def seat(game: Game, number: int) -> Seat:
    return Seat.objects.get(table=game.table_id, number=number)


def propose(game: Game, number: int = 0, result: str = MOST) -> Proposal:
    return services.propose_end(seat(game, number), game, result)


def everybody_agrees(game: Game, proposal: Proposal) -> None:
    for one in Seat.objects.people().filter(table=game.table_id):
        if one.number != proposal.seat:
            services.accept_proposal(one, proposal)
    game.refresh_from_db()


def with_regions(game: Game) -> Game:
    """Play until someone holds a region."""
    play_until(game, lambda state, decision: state.ply > 60)
    return game


def test_the_game_ends_when_the_last_agrees(game: Game) -> None:
    with_regions(game)
    proposal = propose(game)
    services.accept_proposal(seat(game, 1), proposal)
    assert not Game.objects.get().is_over
    services.accept_proposal(seat(game, 2), proposal)
    game.refresh_from_db()
    assert game.ended == Game.Ended.AGREEMENT
    assert game.result is not None
    assert game.result["reason"] == "most regions"
    assert game.result["winners"]
    assert Table.objects.get().state == Table.State.FINISHED
    assert not Seat.objects.filter(asked_since__isnull=False).exists()
    assert OutgoingEmail.objects.filter(kind="game_over").count() == 3
    assert not Proposal.objects.filter(closed_at=None).exists()


@pytest.mark.parametrize("result", [MOST, NONE])
@pytest.mark.long
def test_record_and_checks_agree_with_it(game: Game, result: str) -> None:
    with_regions(game)
    everybody_agrees(game, propose(game, result=result))
    record = record_of(game, ("A", "B", "C"))
    assert record.ended == "agreement"
    assert verify(record).ok
    assert differences(game.pk) == []


def test_no_one_wins_if_that_is_what_was_proposed(game: Game) -> None:
    everybody_agrees(game, propose(game, result=NONE))
    assert game.result == {"winners": [], "reason": None}


def test_the_others_are_written_to_once(game: Game) -> None:
    propose(game)
    propose(game)
    emails = OutgoingEmail.objects.filter(kind="end_proposed")
    assert {email.to_address for email in emails} == {"bruno@example.org", "carla@example.org"}
    assert emails.count() == 2


def test_the_same_proposal_is_made_once(game: Game) -> None:
    assert propose(game) == propose(game)


def test_another_proposal_waits_its_turn(game: Game) -> None:
    propose(game)
    with pytest.raises(Refused, match="There is already an open proposal"):
        propose(game, result=NONE)
    with pytest.raises(Refused, match="There is already an open proposal"):
        propose(game, 1)


def test_one_refusal_closes_it_and_the_game_goes_on(game: Game) -> None:
    proposal = propose(game)
    services.accept_proposal(seat(game, 1), proposal)
    services.refuse_proposal(seat(game, 2), proposal)
    services.refuse_proposal(seat(game, 2), proposal)
    with pytest.raises(Refused, match="refused or withdrawn"):
        services.accept_proposal(seat(game, 2), proposal)
    assert not Game.objects.get().is_over
    assert propose(game, 1) != proposal


def test_someone_who_proposed_takes_it_back(game: Game) -> None:
    proposal = propose(game)
    services.refuse_proposal(seat(game, 0), proposal)
    with pytest.raises(Refused):
        services.accept_proposal(seat(game, 1), proposal)


def test_agreeing_twice_is_agreeing_once(game: Game) -> None:
    proposal = propose(game)
    for number in (1, 1, 2, 2, 1):
        services.accept_proposal(seat(game, number), proposal)
    assert propose(game) == proposal
    assert OutgoingEmail.objects.filter(kind="game_over").count() == 3


def test_bots_agree(anna: Any) -> None:
    table = services.make_table(anna, name="Two", size=2, entry="open")
    services.seat_bot(table, "recruit", 1)
    services.confirm(table.seats.get(user=anna))
    proposal = propose(Game.objects.get())
    assert Game.objects.get().ended == Game.Ended.AGREEMENT
    assert services.propose_end(seat(proposal.game, 0), proposal.game, MOST) == proposal


def test_nothing_is_proposed_when_the_game_is_over(game: Game) -> None:
    proposal = propose(game)
    play_to_the_end(game)
    with pytest.raises(Refused, match="The game is over"):
        propose(game, 1)
    with pytest.raises(Refused, match="The game is over"):
        services.accept_proposal(seat(game, 1), proposal)


def test_no_one_answers_for_another_table(game: Game, people: list[Any]) -> None:
    proposal, elsewhere = propose(game), begin_game(people)
    with pytest.raises(Refused):
        services.accept_proposal(seat(elsewhere, 1), proposal)
    with pytest.raises(Refused):
        services.refuse_proposal(seat(elsewhere, 1), proposal)
    with pytest.raises(Refused):
        services.propose_end(seat(elsewhere, 1), game, MOST)
    assert Proposal.objects.get().closed_at is None


def test_no_move_is_played_in_a_game_that_the_table_ended(game: Game) -> None:
    decision, text = decision_of(game), legal_texts(game)[0]
    everybody_agrees(game, propose(game))
    entries = game.log.count()
    with pytest.raises(NotAsked):
        submit(game, decision.seat, parse_move(text), decision.decision_step, "web")
    assert game.log.count() == entries


def test_no_one_is_troubled_with_proposals_all_day(game: Game) -> None:
    for _time in range(10):
        services.refuse_proposal(seat(game, 1), propose(game))
    with pytest.raises(Refused, match="Try again tomorrow"):
        propose(game)


def test_a_match_ends_with_its_game(people: list[Any]) -> None:
    from games.rules import MOST_GAMES

    points = {"edition": "2007", "variants": ["playing-for-points"]}
    game = begin_game(people, target=50, options_json=points, chain=MOST_GAMES + 1)
    everybody_agrees(game, propose(game, result=NONE))
    assert game.result == {"winners": [], "reason": None, "points": [0, 0, 0]}
    assert Table.objects.get().state == Table.State.FINISHED
    assert Table.objects.get().next_game_at is None
