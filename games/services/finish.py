"""Seats given up, handed over, or taken because their players stay away, while a game runs (R49).

Facts of the table, not moves of the rules. The game's row is locked first, as moves lock it, then the
table's.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.addresses import normal_address
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.rate_limits import hit
from games.clocks.countdowns import pace_of
from games.models import Game, Invitation, Seat, SeatChange, Table
from games.models.locking import Refused, locked_seat, people, present_people
from games.models.replay import replayed
from games.services.absence import PLAYED_BY_BOT
from games.services.lobby import (
    INVITATIONS_A_DAY,
    INVITATIONS_TO_ONE_A_DAY,
    MOST_SENDINGS,
    deliver,
    require_welcome,
)
from games.services.match_games import begin_if_all_ready
from games.services.moves import QUESTION_COLUMNS, Progress, append_entries, end_by_table, unask
from games.services.proposals import carried_out_meanwhile


@transaction.atomic
def give_up(seat: Seat) -> None:
    """Leave a game, or a match between two games, for good: a bot plays on in this seat at once.

    When nobody is left who plays himself the game is abandoned and nobody wins: no game goes on among bots
    alone. Raises Refused where nothing is played.
    """
    game, seat = locked_seat(seat)
    now = clock.now()
    _change_hands(game, seat, None, now)
    _withdraw_offers(seat)
    if game.is_over:
        _go_on_between_games(game)
    elif not present_people(game).exists():
        end_by_table(game, Game.Ended.ABANDONED, (), now)
    else:
        carried_out_meanwhile(game, now)
        _play_on(game, now)


def _play_on(game: Game, now: datetime) -> None:
    """What was asked at a seat is asked of whoever plays there now, unless the table has ended the game."""
    if not game.is_over:
        append_entries(game, Progress(replayed(game).state), now)


def _go_on_between_games(game: Game) -> None:
    """The others of a match need not wait for who has left; with nobody left it is over."""
    if present_people(game).exists():
        begin_if_all_ready(game)
    else:
        Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED, next_game_at=None)


@transaction.atomic
def hand_over(seat: Seat, email: str) -> Invitation:
    """Offer one's seat in a running game to an address: the email's link takes it. Till then one plays on.

    The same address again is the same offer. Raises Refused where nothing is played, while another offer
    waits, for somebody seated, at a table of an source, and beyond the limits of all invitations.
    """
    _game, seat = locked_seat(seat)
    email = normal_address(email)
    if seat.table.source:
        raise Refused(_("Nobody is handed a seat at this table; give it up, and somebody is sought for it."))
    standing = seat.invitations.filter(state=Invitation.State.SENT).first()
    if standing is not None and standing.email != email:
        raise Refused(_("Your seat is offered to somebody already; take that offer back first."))
    if standing is not None:
        return standing
    if seat.table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": email})
    _count_offer(seat.person, email)
    return _offer(seat, seat.person, email)


def _offer(seat: Seat, sender: User, email: str) -> Invitation:
    offer = _offered(seat, email)
    deliver(offer, sender, "hand_over")
    return offer


@transaction.atomic
def offer_absent_seat(seat: Seat, host: User, email: str) -> Invitation:
    """The host offers the seat of somebody who stays away to an address, where the terms allow it; the offer
    ends when its player is back. An offer to another address before is taken back.

    The same address again is the same offer. Raises Refused for who is not the host, once the player is back
    or the seat another's, and as handing over does.
    """
    if seat.user_id is None:
        raise Refused(_not_to_be_had())
    _game, seat = locked_seat(seat)
    email = normal_address(email)
    if seat.table.host_id != host.pk:
        raise Refused(_("Only the host can offer the seat of somebody who stays away."))
    if not _is_offered(seat):
        raise Refused(_not_to_be_had())
    standing = seat.invitations.filter(state=Invitation.State.SENT, email=email).first()
    if standing is not None:
        return standing
    if seat.table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": email})
    _count_offer(host, email)
    _withdraw_offers(seat)
    return _offer(seat, host, email)


def _withdraw_offers(seat: Seat) -> None:
    seat.invitations.filter(state=Invitation.State.SENT).update(state=Invitation.State.WITHDRAWN)


def _count_offer(holder: User, email: str) -> None:
    """Counted with all invitations: nobody writes to many people, and nobody is written to by many."""
    if not hit("invite", str(holder.pk), INVITATIONS_A_DAY):
        raise Refused(
            _("You have sent %(most)d invitations today; go on tomorrow.") % {"most": INVITATIONS_A_DAY}
        )
    if not hit("be invited", email, INVITATIONS_TO_ONE_A_DAY):
        raise Refused(_("%(email)s has got enough invitations for today.") % {"email": email})


def _offered(seat: Seat, email: str) -> Invitation:
    """The table's one invitation to this address, which now is for this seat; stored when it is delivered."""
    offer = seat.table.invitations.filter(email=email).first()
    if offer is None:
        return Invitation(table=seat.table, seat=seat, email=email)
    if offer.sent_count >= MOST_SENDINGS:
        raise Refused(
            _("%(email)s has been invited %(most)d times to this table; that is enough.")
            % {"email": email, "most": MOST_SENDINGS}
        )
    offer.seat, offer.user, offer.state = seat, None, Invitation.State.SENT
    offer.sent_count += 1
    return offer


@transaction.atomic
def close_offer(offer: Invitation, state: str) -> None:
    """The offered seat is declined, or the offer taken back: its holder plays on. Twice is once.

    Raises Refused when it was answered otherwise.
    """
    Table.objects.select_for_update(of=("self",)).get(pk=offer.table_id)
    closed = Invitation.objects.filter(pk=offer.pk, state__in=(Invitation.State.SENT, state))
    if not closed.update(state=state):
        raise Refused(_("That offer has been answered or taken back already."))


@transaction.atomic
def take_over(offer: Invitation, user: User) -> Seat:
    """Take an offered seat: from here on `user` plays, and what is asked there is asked of him.

    Twice is once. An open proposal is closed, for the company is another. Raises Refused when the offer no
    longer stands, for somebody seated or who has left this table, and for a closed account.
    """
    _require_account(user)
    offered = Seat.objects.select_related("table", "user").get(pk=offer.seat_id or 0)
    if offered.user_id == user.pk:
        return offered
    if offered.user_id is None:
        raise Refused(_("That offer has been answered or taken back already."))
    game, seat = locked_seat(offered)
    offers = seat.invitations.filter(pk=offer.pk, state=Invitation.State.SENT)
    if not offers.update(state=Invitation.State.ACCEPTED):
        raise Refused(_("That offer has been answered or taken back already."))
    _seat_newcomer(game, seat, user)
    return seat


@transaction.atomic
def take_absent_seat(seat: Seat, user: User) -> Seat:
    """Take the seat of somebody who stays away, where the table's terms offer it: with its hand and log, a
    fresh question and the whole reserve.

    Twice is once. Raises Refused when its player is back or another was quicker, and as taking over does.
    """
    _require_account(user)
    offered = Seat.objects.select_related("table", "user").get(pk=seat.pk)
    if offered.user_id == user.pk and not offered.played_by_bot:
        return offered
    if offered.user_id is None or not may_be_taken(offered):
        raise Refused(_not_to_be_had())
    game, offered = locked_seat(offered)
    if not may_be_taken(offered):
        raise Refused(_not_to_be_had())
    _seat_newcomer(game, offered, user)
    _withdraw_offers(offered)
    return offered


@transaction.atomic
def fill_seat(seat: Seat, user: User) -> Seat:
    """Give `user` a seat that a bot plays, for good or in place of somebody who stays away: with its hand and
    log, a fresh question and the whole reserve (R49). Whoever calls has settled that he may have it.

    Twice is once. Raises Refused when somebody plays there himself, when nothing is played, for somebody
    seated or who has left this table, and for a closed account.
    """
    _require_account(user)
    seat = Seat.objects.select_related("table", "user").get(pk=seat.pk)
    if seat.user_id == user.pk and not seat.played_by_bot:
        return seat
    if not seat.played_by:
        raise Refused(_not_to_be_had())
    game, seat = locked_seat(seat)
    if not seat.played_by:
        raise Refused(_not_to_be_had())
    _seat_newcomer(game, seat, user)
    _withdraw_offers(seat)
    return seat


def may_be_taken(seat: Seat) -> bool:
    """Whether anybody new who may see the table may take this seat, for its player stays away. At a table by
    invitation the host offers it to somebody."""
    return _is_offered(seat) and seat.table.entry != Table.Entry.INVITATION


def _is_offered(seat: Seat) -> bool:
    table = seat.table
    is_away = seat.user_id is not None and bool(seat.played_by_bot)
    return is_away and table.absent == Table.Absent.OFFER and table.state == Table.State.PLAYING


def _not_to_be_had() -> str:
    return _("This seat is not to be had: its player is back, or somebody was quicker.")


def _require_account(user: User) -> None:
    """Held until the transaction ends, before the game, as deleting an account locks them."""
    here = User.objects.filter(pk=user.pk, is_active=True, deleted_at=None)
    if not here.select_for_update(no_key=True):
        raise Refused(_("This account is closed: it takes no seat."))


def _seat_newcomer(game: Game, seat: Seat, user: User) -> None:
    """Who takes the seat of somebody away has the whole reserve again, and the other is told."""
    _require_newcomer(game, user)
    require_welcome(game.table, user, leaving=seat)
    now, pace = clock.now(), pace_of(game.table)
    if seat.played_by_bot:
        key = f"seat_taken:{game.pk}:{seat.pk}:{seat.user_id}"
        queue("seat_taken", to=seat.person, key=key, about={"game": game.pk})
    if seat.played_by:
        seat.reserve = pace.reserve if pace else None
    _change_hands(game, seat, user, now)
    if not game.is_over:
        game.proposals.filter(closed_at=None).update(closed_at=now)
        _play_on(game, now)


def _require_newcomer(game: Game, user: User) -> None:
    """Nobody plays who sits here, or has sat here and knows a hand."""
    if people(game).filter(user=user).exists():
        raise Refused(_("You have a seat at this table already."))
    if SeatChange.objects.filter(game__table=game.table_id, before=user).exists():
        raise Refused(_("You have left this table, and know what was in a hand: you cannot come back."))


def _change_hands(game: Game, seat: Seat, after: User | None, now: datetime) -> None:
    """The seat is another's from the next log entry on, the others are told, and what was asked is asked
    anew. Nobody inherits absence."""
    change = SeatChange.objects.create(
        game=game, seat=seat.number, ply=game.ply, before=seat.user, after=after, at=now
    )
    unask(game, seat, now)
    seat.user, seat.bot = after, "" if after else PLAYED_BY_BOT
    seat.played_by_bot, seat.misses = "", 0
    seat.save(update_fields=["user", "bot", "played_by_bot", "misses", *QUESTION_COLUMNS])
    for other in people(game).exclude(pk=seat.pk):
        about = {"game": game.pk, "change": change.pk}
        queue("seat_changed", to=other.person, key=f"seat_changed:{change.pk}:{other.pk}", about=about)
