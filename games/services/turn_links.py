"""The link of a pending decision, emailed again to the player who asks for it."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.suppression import suppression_of
from accounts.mail.unsubscribe_switches import is_turned_off, switch_of
from accounts.rate_limits import hit
from games.models import Game, Seat, Table
from games.models.locking import Refused
from games.models.matches import last_game
from games.services.notifications import email_about

TURN_LINK = "turn_link"  # the kind of email
MOST_A_DAY = 10  # to one person; someone else may have the seat's link


def is_asked(seat: Seat) -> bool:
    """Return whether a seat's player has a pending decision."""
    is_running = seat.table.state == Table.State.PLAYING
    return is_running and seat.decision_step is not None and not seat.played_by_bot


def is_about_to_be_emailed(game: Game, seat: Seat) -> bool:
    """Return whether the email about a seat's pending decision alone will leave within its hold."""
    email, person = email_about(game, seat), seat.person
    if email is None or email.kind != "your_turn" or email.state != OutgoingEmail.State.QUEUED:
        return False
    gets_it = not is_turned_off(person, switch_of(person, is_at_once=True))
    return gets_it and not email.attempts and suppression_of(person.email) is None


def email_turn_link(seat: Seat) -> None:
    """Email the link of a seat's pending decision to its player, once a minute at most. Raises Refused."""
    game = last_game(seat.table)
    if game is None or not is_asked(seat):
        raise Refused(_("It’s not your turn now."))
    if not hit("turn link", str(seat.person.pk), MOST_A_DAY):
        raise Refused(_("We have emailed you enough links today. Use the one in your newest email."))
    key = (
        f"{TURN_LINK}:{game.pk}:{seat.number}:{seat.decision_step}:{seat.person.pk}:{clock.now():%Y%m%d%H%M}"
    )
    context = {"game": game.pk, "seat": seat.number, "decision_step": seat.decision_step}
    queue(TURN_LINK, to=seat.person, key=key, context=context)
