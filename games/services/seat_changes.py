"""Seats that change hands while a game runs: given up, taken over, filled or replaced (R49).

These are events of the table, not moves in the rules. The game's row is locked first, as moves do, then the
table's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue, queue_each
from accounts.models import User
from games.clocks.running_clocks import pace_of
from games.models import Game, Invitation, Seat, SeatChange, Table
from games.models.locking import Refused, locked_seat, people, present_people, require_accounts
from games.services.absence import PLAYED_BY_BOT
from games.services.continue_game import continue_game
from games.services.decisions import DECISION_COLUMNS, clear_decision
from games.services.first_games import GUIDE_COLUMNS, guide_newcomer
from games.services.game_endings import end_by_table
from games.services.lobby import require_games_seen, require_welcome
from games.services.match_games import begin_if_all_ready
from games.services.progress import Progress
from games.services.proposals import carry_out_if_agreed
from games.services.seat_offers import may_be_taken, no_longer_free, withdraw_offers

HOUR_COLUMNS = ("hour_from", "hour_until", "seen_at", "shows_presence")


@transaction.atomic
def give_up(seat: Seat) -> bool:
    """Leave a game, or a match between two games, for good; a bot takes over this seat at once.

    When no person plays any more, the game is abandoned without a winner: bots do not play on alone. Returns
    whether the bot plays on, which it does not if this ended the game. Raises Refused if no game is running.
    """
    game, seat = locked_seat(seat)
    now = clock.now()
    _change_hands(game, seat, None, now)
    withdraw_offers(seat)
    if game.is_over:
        _continue_between_games(game)
    elif not present_people(game).exists():
        end_by_table(game, Game.Ended.ABANDONED, (), now)
    else:
        carry_out_if_agreed(game, now)
        _continue_unless_over(game, now)
    return Table.objects.filter(pk=game.table_id, state=Table.State.PLAYING).exists()


def _continue_unless_over(game: Game, now: datetime) -> None:
    """Put the seat's pending decision to its new occupant, unless the game has just been ended."""
    if not game.is_over:
        continue_game(game, Progress.of(game), now)


def _continue_between_games(game: Game) -> None:
    """Stop the match waiting for the player who has left; end it if no person is left."""
    if present_people(game).exists():
        begin_if_all_ready(game)
    else:
        Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED, next_game_at=None)


@transaction.atomic
def take_over(offer: Invitation, user: User) -> Seat:
    """Accept an offered seat: `user` plays it from now on and answers its pending decision.

    Safe to repeat. An open proposal is closed, because the players have changed. Raises Refused if the offer
    is no longer valid, or the user's account is closed. Also raises Refused if the user is seated or has left
    this table.
    """
    require_accounts([user])
    offered = Seat.objects.select_related("table", "user").get(pk=offer.seat_id or 0)
    if offered.user_id == user.pk:
        return offered
    if offered.user_id is None:
        raise Refused(_("That offer has already been answered or withdrawn."))
    game, seat = locked_seat(offered)
    offers = seat.invitations.filter(pk=offer.pk, state=Invitation.State.SENT)
    if not offers.update(state=Invitation.State.ACCEPTED):
        raise Refused(_("That offer has already been answered or withdrawn."))
    _seat_newcomer(game, seat, user)
    return seat


@transaction.atomic
def take_absent_seat(seat: Seat, user: User) -> Seat:
    """Take over an absent player's seat, if the table's settings allow it.

    The new player gets its hand and log, a newly started decision and the whole reserve. Safe to repeat.
    Raises Refused if the player is back or someone else was quicker, and in the cases of `take_over`. Also
    raises Refused if the host asks for more games seen to the end.
    """
    require_games_seen(seat.table, user)
    return _replace_bot(seat, user, may_be_taken)


@transaction.atomic
def fill_seat(seat: Seat, user: User) -> Seat:
    """Give `user` a seat that a bot plays, permanently or for an absent player (R49).

    The new player gets its hand and log, a newly started decision and the whole reserve. The caller must have
    checked that this user may take the seat.

    Safe to repeat. Raises Refused if a person plays there or no game is running. Also raises Refused if the
    user is seated, has left this table, or has a closed account.
    """
    return _replace_bot(seat, user, lambda found: bool(found.played_by))


def _replace_bot(seat: Seat, user: User, is_free: Callable[[Seat], bool]) -> Seat:
    """Seat this user where a bot plays, if the seat is free for them before and after it is locked."""
    require_accounts([user])
    seat = Seat.objects.select_related("table", "user").get(pk=seat.pk)
    if seat.user_id == user.pk and not seat.played_by_bot:
        return seat
    if not is_free(seat):
        raise Refused(no_longer_free())
    game, seat = locked_seat(seat)
    if not is_free(seat):
        raise Refused(no_longer_free())
    _seat_newcomer(game, seat, user)
    withdraw_offers(seat)
    return seat


@transaction.atomic
def replace_player(seat: Seat, user: User) -> Seat:
    """Give the seat of a person who plays to `user`, with the whole reserve (R49).

    The caller must have checked that the seat may be taken away and that this user may have it. Raises
    Refused in the cases of `fill_seat`.
    """
    require_accounts([user])
    game, seat = locked_seat(Seat.objects.select_related("table", "user").get(pk=seat.pk))
    pace = pace_of(game.table)
    seat.reserve = pace.reserve if pace else None
    _seat_newcomer(game, seat, user)
    withdraw_offers(seat)
    return seat


def _seat_newcomer(game: Game, seat: Seat, user: User) -> None:
    """Seat a new player; refill the reserve of a seat that a bot played, and tell its absent player."""
    _require_newcomer(game, user)
    require_welcome(game.table, user, leaving=seat)
    now, pace = clock.now(), pace_of(game.table)
    if seat.played_by_bot:
        key = f"seat_taken:{game.pk}:{seat.pk}:{seat.user_id}"
        queue("seat_taken", to=seat.person, key=key, context={"game": game.pk})
    if seat.played_by:
        seat.reserve = pace.reserve if pace else None
    _change_hands(game, seat, user, now)
    if not game.is_over:
        game.proposals.filter(closed_at=None).update(closed_at=now)
        _continue_unless_over(game, now)


def _require_newcomer(game: Game, user: User) -> None:
    """Raise Refused if the user sits at this table, or sat here before and knows a hand."""
    if people(game).filter(user=user).exists():
        raise Refused(_("You already have a seat at this table."))
    if SeatChange.objects.filter(game__table=game.table_id, before=user).exists():
        raise Refused(_("You have left this table and know cards of a hand, so you can’t come back."))


def _change_hands(game: Game, seat: Seat, after: User | None, now: datetime) -> None:
    """Record that the seat changes hands from the next log entry on, and put its decision again.

    The other players get an email. The new holder starts without missed turns.
    """
    change = SeatChange.objects.create(
        game=game, seat=seat.number, ply=game.ply, before=seat.user, after=after, at=now
    )
    clear_decision(game, seat, now)
    game.standing_orders.filter(seat=seat.number).delete()
    seat.user, seat.bot = after, "" if after else PLAYED_BY_BOT
    seat.played_by_bot, seat.misses = "", 0
    seat.hour_from = seat.hour_until = seat.seen_at = None
    seat.shows_presence = False
    guide_newcomer(seat)
    columns = ("user", "bot", "played_by_bot", *GUIDE_COLUMNS, *HOUR_COLUMNS, *DECISION_COLUMNS)
    seat.save(update_fields=columns)
    others = people(game).exclude(pk=seat.pk)
    told = {f"seat_changed:{change.pk}:{other.pk}": other.person for other in others}
    queue_each("seat_changed", told, {"game": game.pk, "change": change.pk})
