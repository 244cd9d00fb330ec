"""The letters about a game that is to end, and about seats that changed hands (R49)."""

from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from condottiere_site.privacy import erase
from games import services
from games.models import Game, Proposal, Seat
from tests.games.playing import play_until, question_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def letters_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def delivered(kind: str) -> dict[str, Any]:
    """The letters of one kind that leave now, by address."""
    mail.outbox.clear()
    OutgoingEmail.objects.exclude(kind=kind).filter(state="queued").delete()
    deliver_due()
    return {letter.to[0]: letter for letter in mail.outbox}


def seat(number: int) -> Seat:
    return Seat.objects.get(number=number)


def propose(game: Game, result: str) -> Proposal:
    return services.propose_end(seat(0), game, result)


@pytest.mark.parametrize(
    ("result", "follows"),
    [("most regions", "whoever holds the most regions wins"), ("none", "Then nobody wins.")],
)
def test_a_proposal_says_what_follows(game: Game, result: str, follows: str) -> None:
    propose(game, result)
    letters = delivered("end_proposed")
    assert set(letters) == {"bruno@example.org", "carla@example.org"}
    letter = letters["bruno@example.org"]
    assert letter.subject == "Anna proposes to end the game: Table 42"
    told = " ".join(letter.body.split())
    assert follows in told
    assert "One refusal is enough" in told
    assert "http://testserver/seat/" in letter.body
    assert follows in letter.alternatives[0][0]


def test_a_proposal_that_is_closed_or_agreed_to_is_not_written_about(game: Game) -> None:
    proposal = propose(game, "none")
    services.accept_proposal(seat(1), proposal)
    assert set(delivered("end_proposed")) == {"carla@example.org"}
    services.refuse_proposal(seat(2), proposal)
    propose(game, "none")
    services.refuse_proposal(seat(0), Proposal.objects.get(closed_at=None))
    assert delivered("end_proposed") == {}


def test_the_end_says_who_won_by_it(game: Game) -> None:
    play_until(game, lambda state, question: state.ply > 60)
    proposal = propose(game, "most regions")
    services.accept_proposal(seat(1), proposal)
    services.accept_proposal(seat(2), proposal)
    letter = delivered("game_over")["anna@example.org"]
    assert "Ended by common consent: " in letter.body
    assert " won: Table 42" in letter.subject


def test_an_end_without_winner_says_so(game: Game) -> None:
    proposal = propose(game, "none")
    services.accept_proposal(seat(1), proposal)
    services.accept_proposal(seat(2), proposal)
    letter = delivered("game_over")["anna@example.org"]
    assert letter.subject == "Game over, nobody won: Table 42"
    assert "Ended by common consent: nobody wins." in letter.body


def test_who_stays_learns_of_a_bot(game: Game) -> None:
    services.give_up(seat(0))
    letter = delivered("seat_changed")["carla@example.org"]
    assert letter.subject == "A seat has changed hands: Table 42"
    assert "Anna gave the seat to Sforza (bot). The bot plays on" in letter.body


def test_who_deleted_his_account_is_not_named(game: Game, people: list[Any]) -> None:
    erase(people[0])
    letter = delivered("seat_changed")["carla@example.org"]
    assert "A former player gave the seat to Sforza (bot)." in letter.body
    assert "Anna" not in letter.body


def test_who_left_gets_no_letter_about_a_question_any_more(game: Game) -> None:
    asked = question_of(game).seat
    address = seat(asked).person.email
    services.give_up(seat(asked))
    OutgoingEmail.objects.update(not_before=timezone.now())
    assert address not in delivered("your_turn")
