"""A table's own ways to end a game, or to end it for one player: common consent and seats given up (R49).

Facts of the table, not moves of the rules. The game's row is locked first, as moves lock it, then the
table's.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.post.outbox import queue
from games.commands.record import Progress, end_by_table, regions_held, write_down
from games.commands.refusals import Refused
from games.matches import last_game
from games.models import EndProposal, Game, Invitation, Seat, SeatChange, SeatQuerySet, Table
from games.replaying import replayed

STAND_IN = Seat.Bot.CAPTAIN


@transaction.atomic
def propose_end(seat: Seat, game: Game, result: str) -> EndProposal | None:
    """Propose to all that the game end now, with this result; bots agree. None: with that it ended.

    The same proposal again is the one that stands. Raises Refused when another one waits, or the game is
    over.
    """
    game = _locked_running(game)
    standing = game.proposals.filter(closed_at=None).first()
    if standing is not None and (standing.seat, standing.result) != (seat.number, result):
        raise Refused(_("A proposal to end this game waits for an answer already."))
    if standing is None:
        now = timezone.now()
        standing = EndProposal.objects.create(
            game=game, seat=seat.number, result=result, accepted=[seat.number], made_at=now
        )
        if _ended_if_all_agree(game, standing, now):
            return None
        for other in _people(game).exclude(pk=seat.pk):
            about = {"proposal": standing.pk, "seat": other.pk}
            queue("end_proposed", to=other.person, key=f"end:{standing.pk}:{other.pk}", about=about)
    return standing


@transaction.atomic
def accept_end(seat: Seat, proposal: EndProposal) -> None:
    """Agree to a proposal; the last to agree ends the game. Twice is once. Raises Refused for a closed
    one."""
    game = _locked_running(proposal.game)
    standing = game.proposals.filter(pk=proposal.pk, closed_at=None).first()
    if standing is None:
        raise Refused(_("That proposal was refused or taken back."))
    if seat.number not in standing.accepted:
        standing.accepted = sorted([*standing.accepted, seat.number])
        standing.save(update_fields=["accepted"])
    _ended_if_all_agree(game, standing, timezone.now())


@transaction.atomic
def refuse_end(seat: Seat, proposal: EndProposal) -> None:
    """Say no to a proposal, or take one's own back: the game goes on. Twice is once."""
    _locked_running(proposal.game)
    EndProposal.objects.filter(pk=proposal.pk, closed_at=None).update(closed_at=timezone.now())


@transaction.atomic
def give_up(seat: Seat) -> None:
    """Leave a game, or a match between two games, for good: a bot plays on in this seat at once.

    When nobody is left the game is abandoned and nobody wins. Raises Refused where nothing is played.
    """
    game, seat = _locked_seat(seat)
    person = seat.person
    now = timezone.now()
    _change_hands(game, seat, None, now)
    seat.invitations.filter(state=Invitation.State.SENT).update(state=Invitation.State.WITHDRAWN)
    for other in _people(game):
        about = {"game": game.pk, "seat": seat.number, "user": person.pk}
        queue("seat_changed", to=other.person, key=f"gave_up:{game.pk}:{seat.pk}:{other.pk}", about=about)
    if game.is_over:
        return
    if not _people(game).exists():
        end_by_table(game, Game.Ended.ABANDONED, (), now)
        return
    for proposal in game.proposals.filter(closed_at=None):
        if _ended_if_all_agree(game, proposal, now):
            return
    write_down(game, Progress(replayed(game).state), now)


def _change_hands(game: Game, seat: Seat, after: User | None, now: datetime) -> None:
    """The seat is another's from the next log entry on; what was asked is asked anew."""
    SeatChange.objects.create(
        game=game, seat=seat.number, ply=game.ply, before=seat.person, after=after, at=now
    )
    seat.user, seat.bot = after, "" if after else STAND_IN
    seat.asked_kind = seat.asked_at = seat.asked_since = None
    seat.save(update_fields=["user", "bot", "asked_kind", "asked_at", "asked_since"])


def _ended_if_all_agree(game: Game, proposal: EndProposal, now: datetime) -> bool:
    if _people(game).exclude(number__in=proposal.accepted).exists():
        return False
    winners = _with_most_regions(game) if proposal.result == EndProposal.Result.MOST_REGIONS else ()
    end_by_table(game, Game.Ended.AGREEMENT, winners, now)
    return True


def _with_most_regions(game: Game) -> tuple[int, ...]:
    """Who holds most regions now; in a match's final battle, who held most before it."""
    held = game.final_battle or regions_held(game)
    most = max(count for count in held if count is not None)
    return tuple(seat for seat, count in enumerate(held) if count == most)


def _locked_running(game: Game) -> Game:
    locked = Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game.pk)
    if locked.is_over:
        raise Refused(_("The game is over."))
    return locked


def _locked_seat(seat: Seat) -> tuple[Game, Seat]:
    """The game that is played at the seat's table, or was played last in a match that goes on."""
    game = last_game(seat.table)
    if game is None:
        raise Refused(_("The game has not begun."))
    game = Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game.pk)
    table = Table.objects.select_for_update(of=("self",)).get(pk=seat.table_id)
    if table.state != Table.State.PLAYING:
        raise Refused(_("The game is over."))
    locked = Seat.objects.select_related("user", "table").filter(pk=seat.pk, user=seat.user_id).first()
    if locked is None or locked.user is None:
        raise Refused(_("This seat is another's already."))
    return game, locked


def _people(game: Game) -> SeatQuerySet:
    return Seat.objects.people().filter(table_id=game.table_id)
