"""Answer, withdraw and publish deals, and say whether their words were kept."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.rate_limits import hit
from games.chat.models import CHECKED_FOR_GOOD, Deal, DealParty, DealPromise, Verdict
from games.chat.promise_course import progress_of
from games.chat.services.channels import locked_table
from games.chat.services.deals import announce, has_lost_somebody, require_time
from games.chat.services.messages import TooMany, require_may_write
from games.chat.writing import is_over, why_silent
from games.models import Game, Seat
from games.services import Refused

MOST_SAYINGS = 60  # verdicts on words by one person


@transaction.atomic
def answer(seat: Seat, deal_id: int, *, accepts: bool) -> Deal:
    """Accept a deal for this seat's person, or decline it.

    It holds once all have accepted; one refusal ends it. The game is locked, so that nothing happens between
    the answer and the step from which the deal holds. Safe to repeat. Raises Refused.
    """
    deal, party = _locked(seat, deal_id)
    given = DealParty.Answer.ACCEPTED if accepts else DealParty.Answer.DECLINED
    if party.answer == given:
        return deal
    _require_open(deal)
    require_may_write(deal.channel, seat, deal.channel.table, in_words=False)
    if accepts:
        require_acceptable(deal)
    party.answer, party.answered_at = given, clock.now()
    party.save(update_fields=["answer", "answered_at"])
    return _apply_answer(deal, seat, accepts=accepts)


def _locked(seat: Seat, deal_id: int) -> tuple[Deal, DealParty]:
    """Return the deal with its game and table, all locked, and this person's part in it."""
    game = Game.objects.select_for_update(of=("self",)).filter(deals=deal_id, table=seat.table_id).first()
    table = locked_table(seat.table_id)
    deal = Deal.objects.select_related("channel").filter(pk=deal_id, game=game).first()
    if deal is None or game is None or not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("You no longer have a seat at this table."))
    game.table = deal.channel.table = table
    deal.game = game
    party = deal.parties.filter(user=seat.user_id, user__isnull=False).first()
    if party is None:
        raise Refused(_("This deal is between other players. There is nothing for you to answer."))
    return deal, party


def _require_open(deal: Deal) -> None:
    """Raise Refused, with the deal's outcome, unless it can still be answered."""
    if deal.state == Deal.State.PROPOSED and not deal.game.is_over:
        return
    match Deal.State(deal.state):
        case Deal.State.STANDING:
            raise Refused(_("Everyone has accepted this deal. It is in force and can’t be withdrawn."))
        case Deal.State.DECLINED:
            raise Refused(_("Someone declined this deal. You can propose another."))
        case Deal.State.WITHDRAWN:
            raise Refused(
                _("This deal was withdrawn before everyone had accepted it. You can propose another.")
            )
    raise Refused(_("This deal was not accepted in time. There is nothing left to answer."))


def require_acceptable(deal: Deal) -> None:
    """Raise Refused if one of the parties has left, or the deal's time is over."""
    if has_lost_somebody(deal):
        raise Refused(
            _("Someone in this deal has left the table, so it can’t come into force. Propose another.")
        )
    require_time(progress_of(deal.game), deal.until, deal.until_number)


def _apply_answer(deal: Deal, seat: Seat, *, accepts: bool) -> Deal:
    """Update the deal after an answer and announce the result in the channel."""
    event = "accepted" if accepts else "declined"
    if not accepts:
        deal.state, deal.checked_step = Deal.State.DECLINED, CHECKED_FOR_GOOD
    elif not deal.parties.exclude(answer=DealParty.Answer.ACCEPTED).exists():
        deal.state, event = Deal.State.STANDING, "stands"
        deal.stands_from = deal.checked_step = deal.game.step
        if not deal.judged:
            deal.checked_step = CHECKED_FOR_GOOD
    deal.save(update_fields=["state", "stands_from", "checked_step"])
    announce(deal, event, seat.person)
    return deal


@transaction.atomic
def withdraw(seat: Seat, deal_id: int) -> Deal:
    """Withdraw the author's deal before all have accepted it. Safe to repeat. Raises Refused."""
    deal, party = _locked(seat, deal_id)
    if deal.author_id != party.user_id:
        raise Refused(_("Only the player who proposed this deal can withdraw it. You can decline it."))
    if deal.state == Deal.State.WITHDRAWN:
        return deal
    _require_open(deal)
    deal.state, deal.checked_step = Deal.State.WITHDRAWN, CHECKED_FOR_GOOD
    deal.save(update_fields=["state", "checked_step"])
    if not why_silent(deal.channel, deal.channel.table):
        announce(deal, "withdrawn", seat.person)
    return deal


@transaction.atomic
def say(seat: Seat, deal_id: int, says: str) -> Deal:
    """Record this person's verdict on the words of a deal that is in force. The last verdict counts.

    The words are marked kept or broken while all verdicts agree. Raises Refused and TooMany.
    """
    deal, party = _locked(seat, deal_id)
    if deal.state != Deal.State.STANDING or says not in (DealPromise.State.KEPT, DealPromise.State.BROKEN):
        raise Refused(_("This deal is not in force, so no one can keep or break it."))
    promise = deal.words
    if Verdict.objects.filter(promise=promise, seat=party.seat, says=says).exists():
        return deal
    if not hit("verdict", str(seat.user_id), MOST_SAYINGS):
        raise TooMany(_("You have judged as many deals as you can in one day. Continue tomorrow."))
    Verdict.objects.update_or_create(
        promise=promise, seat=party.seat, defaults={"says": says, "at": clock.now()}
    )
    _agree_on(promise, deal.game)
    if not why_silent(deal.channel, deal.channel.table):
        announce(deal, f"says {says}", seat.person)
    return deal


def _agree_on(promise: DealPromise, game: Game) -> None:
    said = set(promise.verdicts.values_list("says", flat=True))
    promise.state = said.pop() if len(said) == 1 else DealPromise.State.OPEN
    is_open = promise.state == DealPromise.State.OPEN
    promise.judged_at, promise.judged_step = (None, None) if is_open else (clock.now(), game.step)
    promise.save(update_fields=["state", "judged_at", "judged_step"])


@transaction.atomic
def agree_to_publish(seat: Seat, deal_id: int) -> Deal:
    """Agree, for this seat's person, to make a deal public after the end.

    Once all agree, anyone who may watch the table can read it permanently. Raises Refused.
    """
    deal, party = _locked(seat, deal_id)
    if not is_over(deal.channel.table):
        raise Refused(_("You can make this deal public when the game is over."))
    if deal.is_public:
        return deal
    if has_lost_somebody(deal):
        raise Refused(
            _(
                "Someone in this deal has left and can’t agree to make it public. "
                "Only players at this table can read it."
            )
        )
    deal.parties.filter(pk=party.pk, opens_at__isnull=True).update(opens_at=clock.now())
    deal.is_public = not deal.parties.filter(opens_at__isnull=True).exists()
    deal.save(update_fields=["is_public"])
    return deal


ACTIONS: dict[str, Callable[[Seat, int], Deal]] = {  # what a reader can do with a deal, by the form's words
    "accept": lambda seat, pk: answer(seat, pk, accepts=True),
    "decline": lambda seat, pk: answer(seat, pk, accepts=False),
    "withdraw": withdraw,
    "kept": lambda seat, pk: say(seat, pk, DealPromise.State.KEPT),
    "broken": lambda seat, pk: say(seat, pk, DealPromise.State.BROKEN),
    "publish": agree_to_publish,
}
