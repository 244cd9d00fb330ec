"""The operator replies to a captured email on its page, and the site reads it like any other reply."""

from typing import Any

import pytest

from accounts.mail.delivery import deliver_due
from accounts.mail.models import CapturedEmail
from games.models import Game

pytestmark = pytest.mark.django_db


def test_a_captured_turn_email_can_be_replied_to(
    game: Game, stranger: Any, signed_in: Any, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"
    stranger.is_staff = True
    stranger.save()
    operator = signed_in(stranger)
    deliver_due()
    turn = CapturedEmail.objects.get(subject__startswith="Your turn")
    page = operator.get(f"/operator/emails/{turn.pk}/").content.decode()
    assert f"Reply as {turn.to}" in page
    answer = operator.post(f"/operator/emails/{turn.pk}/reply/", {"text": "siena"}, follow=True)
    assert "Your reply was read." in answer.content.decode()
    assert game.log.exclude(seat=None).get().move == "place siena"
    deliver_due()
    receipt = CapturedEmail.objects.get(to=turn.to, subject__startswith="Re: ")
    assert "You chose to fight for Siena." in receipt.text
    started = CapturedEmail.objects.filter(subject__startswith="Game started").first()
    assert started is not None
    assert 'name="text"' not in operator.get(f"/operator/emails/{started.pk}/").content.decode()
    refused = operator.post(f"/operator/emails/{started.pk}/reply/", {"text": "roma"}, follow=True)
    assert "The site doesn’t read replies to this email." in refused.content.decode()
