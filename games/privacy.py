"""A person's data in games: their tables, games, own moves, notes and invitations.

Nothing here may change a log: a finished game can be replayed even after players have left.
"""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet

from accounts import clock
from accounts.models import User
from games.models import (
    Game,
    HourAnswer,
    Invitation,
    LogEntry,
    Note,
    PlayerGroup,
    Proposal,
    ReadMarker,
    Seat,
    SeatChange,
    SharedHour,
    StandingOrder,
    Table,
    TableAlert,
    TimeEvent,
)
from games.models.locking import Refused
from games.services import lobby
from games.services.hours import note_hours
from games.services.seat_changes import give_up

_GOING_ON = (Table.State.GATHERING, Table.State.PLAYING)


def export(user: User) -> dict[str, Any]:
    """Return a person's tables and games as rows, with the moves they made and no one else's."""
    seats = Seat.objects.filter(user=user).select_related("table").order_by("pk")
    seat_numbers = {seat.table_id: seat.number for seat in seats}
    changes = SeatChange.objects.filter(Q(before=user) | Q(after=user)).select_related("game").order_by("pk")
    seat_numbers |= {change.game.table_id: change.seat for change in changes}
    games = Game.objects.filter(table__in=seat_numbers).select_related("table").order_by("pk")
    return {
        "tables": [_table(seat.table, user, seat) for seat in seats],
        "games": [_game(game, seat_numbers[game.table_id], user) for game in games],
        "seats_that_changed_hands": [_change(change, user) for change in changes],
        "pauses_and_time_given_by_me": list(
            TimeEvent.objects.filter(by=user).order_by("pk").values("game", "kind", "until", "amount", "at")
        ),
        "my_standing_orders": list(
            StandingOrder.objects.filter(game__table__seats__in=seats, seat=F("game__table__seats__number"))
            .order_by("game")
            .values("game", "kind", "cards", "limit", "is_firm")
        ),
        "notes": [
            {"game": note.game_id, "text": note.text}
            for note in Note.objects.filter(user=user).order_by("pk")
        ],
        "read_at_tables": list(
            ReadMarker.objects.filter(user=user).order_by("table").values("table", "number", "step")
        ),
        "shared_hours": list(
            HourAnswer.objects.filter(user=user)
            .order_by("pk")
            .values("hour__table", "hour__starts_at", "hour__ends_at", "hour__is_weekly", "accepts")
        ),
        "my_groups": [
            {
                "name": group.name,
                "made_at": group.made_at,
                "members": [str(one) for one in group.members.all()],
            }
            for group in PlayerGroup.objects.filter(owner=user).prefetch_related("members")
        ],
        "emails_about_open_tables": list(TableAlert.objects.filter(user=user).values("since", "seen_until")),
        "invitations_to_me": list(
            _invitations_to(user).order_by("pk").values("table__name", "state", "created_at")
        ),
        "invitations_by_me": [_invitation(invitation) for invitation in _invitations_by(user)],
    }


def leave(user: User) -> None:
    """Cancel the tables this person gathers players for and give up their seats, in running games to bots.

    Part of the caller's transaction. Tables are locked in the order of their numbers, and what belongs to
    them later, as everywhere. So people who leave at once don't wait for each other.
    """
    hosted = Q(host=user, state=Table.State.GATHERING)
    seated = Q(pk__in=Seat.objects.filter(user=user).values("table"), state__in=_GOING_ON)
    for table in Table.objects.filter(hosted | seated).order_by("pk"):
        _leave_table(table, user)
    _offers().filter(seat__user=user).delete()


def _leave_table(table: Table, user: User) -> None:
    if table.is_gathering and table.host_id == user.pk:
        _unless_refused(lobby.cancel, table)
    elif table.is_gathering:
        for seat in Seat.objects.filter(table=table, user=user).select_related("table"):
            _unless_refused(lobby.leave, seat)
    for seat in Seat.objects.filter(table=table, user=user, table__state=Table.State.PLAYING):
        _leave_to_a_bot(seat)
        _offers().filter(seat=seat.pk).delete()


def _offers() -> QuerySet[Invitation]:
    """Return the offers of seats that no one took."""
    return Invitation.objects.exclude(seat=None).exclude(state=Invitation.State.ACCEPTED)


def erase(user: User) -> None:
    """Delete what only this person wrote, once they have left every table.

    Seats of finished games stay, and with them the games. Part of the caller's transaction.
    """
    Note.objects.filter(user=user).delete()
    ReadMarker.objects.filter(user=user).delete()
    _forget_hours(user)
    TableAlert.objects.filter(user=user).delete()
    PlayerGroup.objects.filter(owner=user).delete()
    PlayerGroup.members.through.objects.filter(user=user).delete()
    _invitations_to(user).delete()
    hosted = Table.objects.filter(host=user)
    Invitation.objects.filter(table__in=hosted).delete()
    hosted.update(note="")


def _forget_hours(user: User) -> None:
    tables = list(Table.objects.filter(shared_hours__answers__user=user).distinct())
    SharedHour.objects.filter(proposer=user).delete()
    HourAnswer.objects.filter(user=user).delete()
    for table in tables:
        note_hours(table, clock.now())


def _leave_to_a_bot(seat: Seat) -> None:
    """Leave a seat to a bot; retry if a match's next game has just begun. A finished game needs nothing.

    Raises Refused if the person still plays there in the end, so that no one who has a seat is erased.
    """
    for attempts_left in (2, 1, 0):
        try:
            give_up(seat)
        except Refused:
            mine = Seat.objects.filter(pk=seat.pk, user=seat.user_id, table__state=Table.State.PLAYING)
            if not attempts_left and mine.exists():
                raise
        else:
            return


def _unless_refused(command: Any, subject: Table | Seat) -> None:
    """Run a service; ignore a refusal, because a table that just began or was cancelled needs nothing."""
    try:
        command(subject)
    except Refused:
        return


def _invitations_to(user: User) -> Any:
    return Invitation.objects.filter(Q(email=user.email) | Q(user=user))


def _invitations_by(user: User) -> Any:
    """Return the invitations to this person's tables, without the offers of seats in running games."""
    mine = Invitation.objects.filter(table__host=user, seat=None)
    return mine.select_related("table", "user").order_by("pk")


def _invitation(invitation: Invitation) -> dict[str, Any]:
    """Return an invitation as its host knows it: rematch invitations by name, not by address."""
    return {
        "table": invitation.table.name,
        "invited": invitation.addressed,
        "state": invitation.state,
        "created_at": invitation.created_at,
    }


def _table(table: Table, user: User, seat: Seat) -> dict[str, Any]:
    return {
        "table": table.pk,
        "name": table.name,
        "note": table.note if table.host_id == user.pk else "",
        "is_host": table.host_id == user.pk,
        "state": table.state,
        "seat": seat.number,
        "taken_at": seat.taken_at,
        "confirmed_at": seat.confirmed_at,
        "nonce_of_my_words": seat.nonce,
        "deadline": seat.due_at,
        "time_in_reserve": seat.reserve,
        "answers_missed_in_a_row": seat.misses,
    }


def _game(game: Game, seat: int, user: User) -> dict[str, Any]:
    return {
        "game": game.pk,
        "table": game.table_id,
        "seat": seat,
        "started_at": game.started_at,
        "ended_at": game.ended_at,
        "result": game.result,
        "my_moves": [[entry.move, entry.at, entry.via] for entry in _own_moves(game, seat, user)],
        "my_proposals": [
            {"what": proposal.what, "amount": proposal.amount, "made_at": proposal.made_at}
            for proposal in _own_proposals(game, seat, user)
        ],
        "what_i_did_to_the_clocks": list(
            game.time_events.filter(by=user).values("kind", "seat", "until", "amount", "at")
        ),
    }


def _own_moves(game: Game, seat: int, user: User) -> list[LogEntry]:
    """Return a seat's moves while this person had it, no bot's; no one who has left comes back (R49)."""
    held = game.log.filter(seat=seat).exclude(via=LogEntry.Via.BOT).order_by("ply")
    for change in SeatChange.objects.filter(game__table=game.table_id, seat=seat).select_related("game"):
        if change.after_id == user.pk:
            held = held.filter(_from(change, game))
        elif change.before_id == user.pk:
            held = held.exclude(_from(change, game))
    return list(held)


def _own_proposals(game: Game, seat: int, user: User) -> list[Proposal]:
    """Return what was proposed from a seat while this person had it."""
    made = game.proposals.filter(seat=seat).order_by("pk")
    for change in SeatChange.objects.filter(game__table=game.table_id, seat=seat):
        if change.after_id == user.pk:
            made = made.filter(made_at__gte=change.at)
        elif change.before_id == user.pk:
            made = made.filter(made_at__lt=change.at)
    return list(made)


def _from(change: SeatChange, game: Game) -> Q:
    """Return the entries that a seat's new holder could make, in this game or a later one of the match."""
    if game.number != change.game.number:
        return Q(pk__isnull=game.number < change.game.number)
    return Q(ply__gte=change.ply)


def _change(change: SeatChange, user: User) -> dict[str, Any]:
    """Return a seat change of this person; the other person is not part of their data."""
    return {
        "game": change.game_id,
        "seat": change.seat,
        "what": "given up" if change.before_id == user.pk else "taken over",
        "at": change.at,
    }
