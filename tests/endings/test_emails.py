"""The emails about a game that is to end, and about seats that changed hands (R49)."""

from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from condottiere_site.privacy import erase
from games import services
from games.models import Game, Proposal, Seat
from tests.games.playing import decision_of, play_until

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def delivered(kind: str) -> dict[str, Any]:
    """Return the emails of one kind that leave now, by address."""
    mail.outbox.clear()
    OutgoingEmail.objects.exclude(kind=kind).filter(state="queued").delete()
    deliver_due()
    return {email.to[0]: email for email in mail.outbox}


def seat(number: int) -> Seat:
    return Seat.objects.get(number=number)


def propose(game: Game, result: str) -> Proposal:
    return services.propose_end(seat(0), game, result)


@pytest.mark.parametrize(
    ("result", "follows"),
    [("most regions", "the player with the most regions wins"), ("none", "Then no one wins.")],
)
def test_a_proposal_says_what_follows(game: Game, result: str, follows: str) -> None:
    propose(game, result)
    emails = delivered("end_proposed")
    assert set(emails) == {"bruno@example.org", "carla@example.org"}
    email = emails["bruno@example.org"]
    assert email.subject == "Anna proposes to end: Table 42"
    told = " ".join(email.body.split())
    assert follows in told
    assert "If one player refuses" in told
    assert "http://testserver/seat/" in email.body
    assert follows in email.alternatives[0][0]


def test_a_proposal_that_is_closed_or_agreed_to_is_not_written_about(game: Game) -> None:
    proposal = propose(game, "none")
    services.accept_proposal(seat(1), proposal)
    assert set(delivered("end_proposed")) == {"carla@example.org"}
    services.refuse_proposal(seat(2), proposal)
    propose(game, "none")
    services.refuse_proposal(seat(0), Proposal.objects.get(closed_at=None))
    assert delivered("end_proposed") == {}


def test_the_end_says_who_won_by_it(game: Game) -> None:
    play_until(game, lambda state, decision: state.ply > 60)
    proposal = propose(game, "most regions")
    services.accept_proposal(seat(1), proposal)
    services.accept_proposal(seat(2), proposal)
    email = delivered("game_over")["anna@example.org"]
    assert "Everyone agreed to end the game. " in email.body
    assert " won: Table 42" in email.subject


def test_an_end_without_winner_says_so(game: Game) -> None:
    proposal = propose(game, "none")
    services.accept_proposal(seat(1), proposal)
    services.accept_proposal(seat(2), proposal)
    email = delivered("game_over")["anna@example.org"]
    assert email.subject == "Game over, no one won: Table 42"
    assert "Everyone agreed to end the game. No one wins." in email.body
    assert "Play a rematch (no sign-in needed):" in email.body


def test_someone_who_stays_learns_of_a_bot(game: Game) -> None:
    services.give_up(seat(0))
    email = delivered("seat_changed")["carla@example.org"]
    assert email.subject == "A seat changed: Table 42"
    assert "Anna left, and Sforza (bot) took the seat. The bot continues" in email.body


def test_someone_who_deleted_their_account_is_not_named(game: Game, people: list[Any]) -> None:
    erase(people[0])
    email = delivered("seat_changed")["carla@example.org"]
    assert "A former player left, and Sforza (bot) took the seat." in email.body
    assert "Anna" not in email.body


def test_no_bot_continues_a_game_that_ended_in_the_same_step(game: Game) -> None:
    Seat.objects.exclude(number=0).update(played_by_bot="captain")
    services.give_up(seat(0))
    told = delivered("seat_changed")
    assert len(told) == 2
    for email in told.values():
        assert "Anna left" in email.body
        assert "continues" not in email.body + email.alternatives[0][0]


def test_someone_who_left_gets_no_email_about_a_decision_any_more(game: Game) -> None:
    asked = decision_of(game).seat
    address = seat(asked).person.email
    services.give_up(seat(asked))
    OutgoingEmail.objects.update(not_before=timezone.now())
    assert address not in delivered("your_turn")
