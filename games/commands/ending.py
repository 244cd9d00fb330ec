"""A table's own ways to end a game, or to end it for one player: common consent and seats given up (R49).

Facts of the table, not moves of the rules. The game's row is locked first, as moves lock it, then the
table's.
"""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.addresses import normal_address
from accounts.limits import spend
from accounts.models import User
from accounts.post.outbox import queue
from games.commands.gather import (
    INVITATIONS_A_DAY,
    INVITATIONS_TO_ONE_A_DAY,
    MOST_SENDINGS,
)
from games.commands.match import begin_if_all_ready
from games.commands.record import Progress, end_by_table, regions_held, write_down
from games.commands.refusals import Refused
from games.matches import last_game
from games.models import Game, Invitation, Proposal, Seat, SeatChange, SeatQuerySet, Table
from games.replaying import replayed

STAND_IN = Seat.Bot.CAPTAIN
PROPOSALS_A_DAY = 10


@transaction.atomic
def propose_end(seat: Seat, game: Game, what: str) -> Proposal:
    """Propose to all that the game end now, with this result. Bots agree, and so may end it at once (R49).

    The same proposal again is the one that stands, or the one that ended the game. Raises Refused when
    another one waits, or the game is over.
    """
    game = _locked(game, seat)
    same = game.proposals.filter(seat=seat.number, what=what)
    standing = same.order_by("pk").last()
    if standing is not None and (standing.closed_at is None or game.ended == Game.Ended.AGREEMENT):
        return standing
    _require_running(game)
    if game.proposals.filter(closed_at=None).exists():
        raise Refused(_("A proposal to end this game waits for an answer already."))
    if not spend("propose end", str(seat.user_id), PROPOSALS_A_DAY):
        raise Refused(
            _("You have made %(most)d proposals today; go on tomorrow.") % {"most": PROPOSALS_A_DAY}
        )
    return _proposed(game, seat, what, present.now())


def _proposed(game: Game, seat: Seat, what: str, now: datetime) -> Proposal:
    proposal = Proposal.objects.create(
        game=game, seat=seat.number, what=what, accepted=[seat.number], made_at=now
    )
    if not _ended_if_all_agree(game, proposal, now):
        for other in _people(game).exclude(pk=seat.pk):
            about = {"game": game.pk, "proposal": proposal.pk}
            queue("end_proposed", to=other.person, key=f"end:{proposal.pk}:{other.pk}", about=about)
    return proposal


@transaction.atomic
def accept_end(seat: Seat, proposal: Proposal) -> None:
    """Agree to a proposal; the last to agree ends the game. Twice is once.

    Raises Refused when it is closed, or the game over.
    """
    game = _locked(proposal.game, seat)
    standing = game.proposals.get(pk=proposal.pk)
    if seat.number in standing.accepted and (standing.closed_at is None or game.is_over):
        return
    _require_running(game)
    if standing.closed_at is not None:
        raise Refused(_("That proposal was refused or taken back."))
    standing.accepted = sorted([*standing.accepted, seat.number])
    standing.save(update_fields=["accepted"])
    _ended_if_all_agree(game, standing, present.now())


@transaction.atomic
def refuse_end(seat: Seat, proposal: Proposal) -> None:
    """Say no to a proposal, or take one's own back: the game goes on. Twice is once.

    Raises Refused when the game is over.
    """
    game = _locked(proposal.game, seat)
    _require_running(game)
    game.proposals.filter(pk=proposal.pk, closed_at=None).update(closed_at=present.now())


@transaction.atomic
def give_up(seat: Seat) -> None:
    """Leave a game, or a match between two games, for good: a bot plays on in this seat at once.

    When nobody is left the game is abandoned and nobody wins. Raises Refused where nothing is played.
    """
    game, seat = _locked_seat(seat)
    now = present.now()
    _change_hands(game, seat, None, now)
    seat.invitations.filter(state=Invitation.State.SENT).update(state=Invitation.State.WITHDRAWN)
    if game.is_over:
        _go_on_between_games(game)
    elif not _people(game).exists():
        end_by_table(game, Game.Ended.ABANDONED, (), now)
    elif not _proposal_ended(game, now):
        write_down(game, Progress(replayed(game).state), now)


def _go_on_between_games(game: Game) -> None:
    """The others of a match need not wait for who has left; with nobody left it is over."""
    if _people(game).exists():
        begin_if_all_ready(game)
    else:
        Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED, next_game_at=None)


def _proposal_ended(game: Game, now: datetime) -> bool:
    """Whether the open proposal waited for nobody else."""
    standing = game.proposals.filter(closed_at=None).first()
    return standing is not None and _ended_if_all_agree(game, standing, now)


@transaction.atomic
def hand_over(seat: Seat, email: str) -> Invitation:
    """Offer one's seat in a running game to an address: the letter's link takes it. Till then one plays on.

    The same address again is the same offer. Raises Refused where nothing is played, while another offer
    waits, for somebody seated, and beyond the limits of all invitations.
    """
    _game, seat = _locked_seat(seat)
    email = normal_address(email)
    standing = seat.invitations.filter(state=Invitation.State.SENT).first()
    if standing is not None and standing.email != email:
        raise Refused(_("Your seat is offered to somebody already; take that offer back first."))
    if standing is not None:
        return standing
    if seat.table.seats.filter(user__email=email).exists():
        raise Refused(_("%(email)s already has a seat at this table.") % {"email": email})
    _count_offer(seat.person, email)
    offer = _offered(seat, email)
    queue("hand_over", to=email, key=offer.letter_key, about={"invitation": offer.pk})
    return offer


def _count_offer(holder: User, email: str) -> None:
    """Counted with all invitations: nobody writes to many people, and nobody is written to by many."""
    if not spend("invite", str(holder.pk), INVITATIONS_A_DAY):
        raise Refused(
            _("You have sent %(most)d invitations today; go on tomorrow.") % {"most": INVITATIONS_A_DAY}
        )
    if not spend("be invited", email, INVITATIONS_TO_ONE_A_DAY):
        raise Refused(_("%(email)s has got enough invitations for today.") % {"email": email})


def _offered(seat: Seat, email: str) -> Invitation:
    """The table's one invitation to this address, which now is for this seat."""
    offer = seat.table.invitations.filter(email__iexact=email).first()
    if offer is None:
        return Invitation.objects.create(table=seat.table, seat=seat, email=email)
    if offer.sent_count >= MOST_SENDINGS:
        raise Refused(
            _("%(email)s has been invited %(most)d times to this table; that is enough.")
            % {"email": email, "most": MOST_SENDINGS}
        )
    offer.seat, offer.user, offer.state = seat, None, Invitation.State.SENT
    offer.sent_count += 1
    offer.save(update_fields=["seat", "user", "state", "sent_count"])
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

    Twice is once. An open proposal to end the game is closed, for the company is another. Raises Refused when
    the offer no longer stands, for somebody seated or who has left this table, and for a closed account.
    """
    here = User.objects.filter(pk=user.pk, is_active=True, deleted_at=None)
    if not here.select_for_update(no_key=True):  # before the game, as deleting an account locks them
        raise Refused(_("This account is closed: it takes no seat."))
    offered = Seat.objects.select_related("table", "user").get(pk=offer.seat_id or 0)
    if offered.user_id == user.pk:
        return offered
    if offered.user_id is None:
        raise Refused(_("That offer has been answered or taken back already."))
    game, seat = _locked_seat(offered)
    offers = seat.invitations.filter(pk=offer.pk, state=Invitation.State.SENT)
    if not offers.update(state=Invitation.State.ACCEPTED):
        raise Refused(_("That offer has been answered or taken back already."))
    _require_newcomer(game, user)
    now = present.now()
    _change_hands(game, seat, user, now)
    if not game.is_over:
        game.proposals.filter(closed_at=None).update(closed_at=now)
        write_down(game, Progress(replayed(game).state), now)
    return seat


def _require_newcomer(game: Game, user: User) -> None:
    """Nobody plays who sits here, or has sat here and knows a hand."""
    if _people(game).filter(user=user).exists():
        raise Refused(_("You have a seat at this table already."))
    if SeatChange.objects.filter(game__table=game.table_id, before=user).exists():
        raise Refused(_("You have left this table, and know what was in a hand: you cannot come back."))


def _change_hands(game: Game, seat: Seat, after: User | None, now: datetime) -> None:
    """The seat is another's from the next log entry on, the others are told, and what was asked is asked
    anew."""
    change = SeatChange.objects.create(
        game=game, seat=seat.number, ply=game.ply, before=seat.person, after=after, at=now
    )
    seat.user, seat.bot = after, "" if after else STAND_IN
    seat.asked_kind = seat.asked_at = seat.asked_since = None
    seat.save(update_fields=["user", "bot", "asked_kind", "asked_at", "asked_since"])
    for other in _people(game).exclude(pk=seat.pk):
        about = {"game": game.pk, "change": change.pk}
        queue("seat_changed", to=other.person, key=f"seat_changed:{change.pk}:{other.pk}", about=about)


def _ended_if_all_agree(game: Game, proposal: Proposal, now: datetime) -> bool:
    if _people(game).exclude(number__in=proposal.accepted).exists():
        return False
    winners = _with_most_regions(game) if proposal.what == Proposal.What.MOST_REGIONS else ()
    end_by_table(game, Game.Ended.AGREEMENT, winners, now)
    return True


def _with_most_regions(game: Game) -> tuple[int, ...]:
    """Who holds most regions now; in a match's final battle, who held most before it."""
    held = game.final_battle or regions_held(game)
    most = max(count for count in held if count is not None)
    return tuple(seat for seat, count in enumerate(held) if count == most)


def _locked(game: Game, seat: Seat) -> Game:
    """The game's row, held until the transaction ends. Raises Refused when the seat is another's by now."""
    locked = Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game.pk)
    if not Seat.objects.filter(pk=seat.pk, table=locked.table_id, user=seat.person).exists():
        raise Refused(_("This seat is another's already."))
    return locked


def _require_running(game: Game) -> None:
    if game.is_over:
        raise Refused(_("The game is over."))


def _locked_seat(seat: Seat) -> tuple[Game, Seat]:
    """The game that is played at the seat's table, or was played last in a match that goes on."""
    game = last_game(seat.table)
    if game is None:
        raise Refused(_("The game has not begun."))
    game = _locked(game, seat)
    table = Table.objects.select_for_update(of=("self",)).get(pk=seat.table_id)
    if table.state != Table.State.PLAYING:
        raise Refused(_("The game is over."))
    if last_game(table) != game:
        raise Refused(_("The next game has begun meanwhile; look at it and say so again."))
    game.table = table
    return game, Seat.objects.select_related("table", "user").get(pk=seat.pk)


def _people(game: Game) -> SeatQuerySet:
    return Seat.objects.people().filter(table_id=game.table_id)
