"""Deals: proposed, answered, withdrawn, and judged promise by promise. They bind nobody."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils.translation import gettext as _

from accounts import clock
from accounts.rate_limits import hit
from games.chat.access import is_over, why_silent
from games.chat.models import LOOKED_FOR_GOOD, Channel, Deal, DealParty, DealPromise, Message, Verdict
from games.chat.promise_course import Course, course_of, course_since
from games.chat.promises import OPEN, Count, counted, judge
from games.chat.promises import Promise as Promised
from games.chat.services.messages import TooMany, add, locked_table, require_voice, stored
from games.chat.text import rendered
from games.models import Game, Seat, Table
from games.models.replay import BrokenLog
from games.rules import REGIONS
from games.services import Refused

MOST_DEALS_A_DAY = 20  # proposals of one person
MOST_SAYINGS = 60  # of whether words were kept
MOST_PROMISES = 6  # that the table judges, in one bargain
FURTHEST = 200  # the round or battle until which something can be promised


@dataclass(frozen=True)
class Promise:
    """What one seat is to do or leave, as the table can see it."""

    seat: int
    kind: str  # of Pledge.Kind, but for words
    region: str = ""


@dataclass(frozen=True)
class Proposed:
    """What somebody proposes to others: words, what the table shall judge, and for how long."""

    text: str
    seats: tuple[int, ...]  # of the others
    promises: tuple[Promise, ...] = ()
    until: str = Deal.Until.GAME
    until_number: int | None = None


@transaction.atomic
def propose(seat: Seat, circle: Channel, proposed: Proposed, after: int | None = None) -> Deal:
    """Put a bargain before others of a circle, its author having accepted it; they are told by letter.

    `after` is the number of the circle's last bargain when he was shown the form: the same words of his again
    from the same form are a second click and give the first bargain. Raises Refused, with the reason, where
    he may not propose it, and TooMany.
    """
    table = locked_table(seat.table_id)
    require_voice(circle, seat, table)
    game = running_game(table)
    circle, author = stored(circle), seat.person
    twice = _said_before(circle, seat, proposed.text, after)
    if twice is not None:
        return twice
    parties = _parties(seat, circle, table, proposed.seats)
    _require_promises(game, {party.number for party in parties}, proposed.promises)
    require_time(counted(course_of(game)), proposed.until, proposed.until_number)
    if not hit("bargain", str(author.pk), MOST_DEALS_A_DAY):
        raise TooMany(
            _("You have proposed %(most)d bargains today; that is all for a day.")
            % {"most": MOST_DEALS_A_DAY}
        )
    bargain = Deal.objects.create(
        circle=circle,
        game=game,
        number=newest_deal(circle) + 1,
        author=author,
        text=proposed.text,
        html=rendered(proposed.text),
        until=proposed.until,
        until_number=None if proposed.until == Deal.Until.GAME else proposed.until_number,
        looked_step=game.step,
    )
    _write_down(bargain, seat, parties, proposed.promises)
    add(
        circle,
        author=author,
        kind=Message.Kind.BARGAIN,
        event="proposed",
        bargain=bargain,
        text=bargain.text,
        html=bargain.html,
    )
    return bargain


def running_game(table: Table) -> Game:
    """The game for which something can be promised. Raises Refused where none is played."""
    if is_over(table):
        raise Refused(_("The game is over: nothing more can be promised in it."))
    game = Game.objects.select_related("table").filter(table=table, ended_at__isnull=True).last()
    if game is None:
        raise Refused(_("No game is being played at this table now: propose it when one has begun."))
    return game


def newest_deal(circle: Channel) -> int:
    """The number of the circle's last bargain; 0 for none."""
    if circle._state.adding:
        return 0
    return Deal.objects.filter(circle=circle).aggregate(last=Max("number"))["last"] or 0


def people_of(circle: Channel, table: Table) -> list[Seat]:
    """The seats of the people who read a circle, in order: between whom there can be a bargain."""
    seats = [seat for seat in table.all_seats() if seat.user_id is not None]
    if not circle.is_private:
        return seats
    members = set(circle.members.values_list("user", flat=True))
    return [seat for seat in seats if seat.user_id in members]


def _said_before(circle: Channel, seat: Seat, text: str, after: int | None) -> Deal | None:
    if after is None:
        return None
    return Deal.objects.filter(circle=circle, author=seat.user_id, number__gt=after, text=text).first()


def _parties(seat: Seat, circle: Channel, table: Table, numbers: Iterable[int]) -> list[Seat]:
    """Whom it is between, the author too, in the order of their seats."""
    chosen = {*numbers} - {seat.number}
    if not chosen:
        raise Refused(_("Choose somebody to propose it to."))
    readers = {one.number: one for one in people_of(circle, table)}
    if not chosen <= set(readers):
        raise Refused(_("Only people of this circle can be proposed something here: bots promise nothing."))
    return [readers[number] for number in sorted(chosen | {seat.number})]


def _require_promises(game: Game, parties: set[int], promises: tuple[Promise, ...]) -> None:
    if len(promises) > MOST_PROMISES:
        raise Refused(_("The table judges at most %(most)d pledges of a bargain.") % {"most": MOST_PROMISES})
    if len(set(promises)) < len(promises):
        raise Refused(_("The same pledge stands there twice: take one of the two out."))
    for promise in promises:
        _require_promise(game, parties, promise)


def _require_promise(game: Game, parties: set[int], promise: Promise) -> None:
    if promise.seat not in parties:
        raise Refused(_("Who shall do or leave something must be asked too: choose him as well."))
    if promise.kind not in judged_kinds(game):
        raise Refused(_("The table cannot judge this in the game that is played here."))
    if (promise.region in REGIONS) != (promise.kind != DealPromise.Kind.PASSES):
        raise Refused(_("Choose the region that is meant; passing is promised without one."))


def judged_kinds(game: Game) -> tuple[DealPromise.Kind, ...]:
    """What the table can judge in this game: in 1995 no Bishop moves the Pope (R43), and a final battle of a
    match is fought for no region (R28)."""
    if game.final_battle is not None:
        return (DealPromise.Kind.PASSES,)
    if game.table.options.is_1995:
        return (DealPromise.Kind.NO_ATTACK, DealPromise.Kind.PASSES)
    return (DealPromise.Kind.NO_ATTACK, DealPromise.Kind.PASSES, DealPromise.Kind.POPE)


def has_rounds(game: Game) -> bool:
    """Whether its rounds can be counted: with Draw After Battle there are none (R25)."""
    return not game.table.options.draws_after_battle and game.final_battle is None


def require_time(count: Count, until: str, number: int | None) -> None:
    """Raises Refused if the round or battle until which it is promised is over, or was never named."""
    if until == Deal.Until.GAME:
        return
    past = count.rounds if until == Deal.Until.ROUND else count.battles
    if number is None or number > FURTHEST:
        raise Refused(_("Say until which round or battle: a number up to %(most)d.") % {"most": FURTHEST})
    if number <= past:
        raise Refused(_("That is over already: say the number of a round or battle that is still to end."))


def _write_down(bargain: Deal, author: Seat, parties: list[Seat], promises: tuple[Promise, ...]) -> None:
    now, accepted = clock.now(), DealParty.Answer.ACCEPTED
    for seat in parties:
        answered = {"answer": accepted, "answered_at": now} if seat.number == author.number else {}
        DealParty.objects.create(bargain=bargain, user=seat.user, seat=seat.number, **answered)
    for promise in promises:
        DealPromise.objects.create(
            bargain=bargain, seat=promise.seat, kind=promise.kind, region=promise.region
        )
    DealPromise.objects.create(
        bargain=bargain, seat=author.number
    )  # what the words say beside, which people judge


@transaction.atomic
def answer(seat: Seat, bargain_id: int, *, accepts: bool) -> Deal:
    """This seat's person accepts a bargain, which stands when all have, or declines it, which ends it.

    The game waits meanwhile, so that nothing happens between his answer and the moment from which it stands.
    The same answer again changes nothing. Raises Refused.
    """
    bargain, party = _locked(seat, bargain_id)
    given = DealParty.Answer.ACCEPTED if accepts else DealParty.Answer.DECLINED
    if party.answer == given:
        return bargain
    _require_open(bargain)
    require_voice(bargain.circle, seat, bargain.circle.table, in_words=False)
    if accepts:
        require_acceptable(bargain)
    party.answer, party.answered_at = given, clock.now()
    party.save(update_fields=["answer", "answered_at"])
    return _go_on(bargain, seat, accepts=accepts)


def _locked(seat: Seat, bargain_id: int) -> tuple[Deal, DealParty]:
    """The bargain with its game and table, all held, and the part of this seat's person in it."""
    game = (
        Game.objects.select_for_update(of=("self",)).filter(bargains=bargain_id, table=seat.table_id).first()
    )
    table = locked_table(seat.table_id)
    bargain = Deal.objects.select_related("circle").filter(pk=bargain_id, game=game).first()
    if bargain is None or game is None or not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("You have no seat at this table any more."))
    game.table = bargain.circle.table = table
    bargain.game = game
    party = bargain.parties.filter(user=seat.user_id, user__isnull=False).first()
    if party is None:
        raise Refused(_("This is between others: you are not asked."))
    return bargain, party


def _require_open(bargain: Deal) -> None:
    """Raises Refused, with what became of it, unless it can still be answered."""
    if bargain.state == Deal.State.PROPOSED and not bargain.game.is_over:
        return
    match Deal.State(bargain.state):
        case Deal.State.STANDING:
            raise Refused(_("All have accepted it: it stands, and nobody takes that back."))
        case Deal.State.DECLINED:
            raise Refused(_("Somebody has declined it. Propose another, if you like."))
        case Deal.State.WITHDRAWN:
            raise Refused(_("It was withdrawn before all had accepted it. Propose another, if you like."))
    raise Refused(_("The game is over, or its time is: it was not accepted before."))


def require_acceptable(bargain: Deal) -> None:
    """Raises Refused if somebody it is between has left, or its time is over."""
    if has_lost_somebody(bargain):
        raise Refused(
            _("Somebody it is between has left the table, so it can no longer stand. Propose another.")
        )
    require_time(counted(course_of(bargain.game)), bargain.until, bargain.until_number)


def has_lost_somebody(bargain: Deal) -> bool:
    """Whether one of those it is between no longer has the seat that he had."""
    seated = {seat.number: seat.user_id for seat in bargain.circle.table.all_seats()}
    return any(
        party.user_id is None or seated.get(party.seat) != party.user_id for party in bargain.parties.all()
    )


def _go_on(bargain: Deal, seat: Seat, *, accepts: bool) -> Deal:
    """What an answer makes of the whole, told in the circle."""
    event = "accepted" if accepts else "declined"
    if not accepts:
        bargain.state, bargain.looked_step = Deal.State.DECLINED, LOOKED_FOR_GOOD
    elif not bargain.parties.exclude(answer=DealParty.Answer.ACCEPTED).exists():
        bargain.state, event = Deal.State.STANDING, "stands"
        bargain.stands_from = bargain.looked_step = bargain.game.step
        if not bargain.pledges.exclude(kind=DealPromise.Kind.WORDS).exists():
            bargain.looked_step = LOOKED_FOR_GOOD
    bargain.save(update_fields=["state", "stands_from", "looked_step"])
    add(bargain.circle, author=seat.person, kind=Message.Kind.BARGAIN, event=event, bargain=bargain)
    return bargain


@transaction.atomic
def withdraw(seat: Seat, bargain_id: int) -> Deal:
    """Its author takes a bargain back before all have accepted it; once more changes nothing. Raises
    Refused."""
    bargain, party = _locked(seat, bargain_id)
    if bargain.author_id != party.user_id:
        raise Refused(_("Only who proposed it can withdraw it. You can decline it."))
    if bargain.state == Deal.State.WITHDRAWN:
        return bargain
    _require_open(bargain)
    bargain.state, bargain.looked_step = Deal.State.WITHDRAWN, LOOKED_FOR_GOOD
    bargain.save(update_fields=["state", "looked_step"])
    if not why_silent(bargain.circle, bargain.circle.table):
        _tell(bargain, seat, "withdrawn")
    return bargain


@transaction.atomic
def say(seat: Seat, bargain_id: int, says: str) -> Deal:
    """This seat's person says whether the words of a standing bargain were kept; the last he says counts.

    They are marked kept or broken while all who have said say the same. Raises Refused and TooMany.
    """
    bargain, party = _locked(seat, bargain_id)
    if bargain.state != Deal.State.STANDING or says not in (DealPromise.State.KEPT, DealPromise.State.BROKEN):
        raise Refused(_("It does not stand, so there is nothing to keep or to break."))
    pledge = bargain.pledges.get(kind=DealPromise.Kind.WORDS)
    if Verdict.objects.filter(pledge=pledge, seat=party.seat, says=says).exists():
        return bargain
    if not hit("verdict", str(seat.user_id), MOST_SAYINGS):
        raise TooMany(_("You have said this of enough promises today; that is all for a day."))
    Verdict.objects.update_or_create(
        pledge=pledge, seat=party.seat, defaults={"says": says, "at": clock.now()}
    )
    _agree_on(pledge, bargain.game)
    if not why_silent(bargain.circle, bargain.circle.table):
        _tell(bargain, seat, f"says {says}")
    return bargain


def _agree_on(pledge: DealPromise, game: Game) -> None:
    said = set(pledge.verdicts.values_list("says", flat=True))
    pledge.state = said.pop() if len(said) == 1 else DealPromise.State.OPEN
    is_open = pledge.state == DealPromise.State.OPEN
    pledge.judged_at, pledge.judged_step = (None, None) if is_open else (clock.now(), game.step)
    pledge.save(update_fields=["state", "judged_at", "judged_step"])


@transaction.atomic
def agree_to_publish(seat: Seat, bargain_id: int) -> Deal:
    """This seat's person agrees that everybody may read a bargain after the end; when all have, anybody who
    may watch the table reads it, for good. Raises Refused."""
    bargain, party = _locked(seat, bargain_id)
    if not is_over(bargain.circle.table):
        raise Refused(_("It can be shown to everybody when the game is over."))
    if bargain.is_public:
        return bargain
    if has_lost_somebody(bargain):
        raise Refused(_("Somebody it is between has left and cannot be asked: it stays with the table."))
    bargain.parties.filter(pk=party.pk, opens_at__isnull=True).update(opens_at=clock.now())
    bargain.is_public = not bargain.parties.filter(opens_at__isnull=True).exists()
    bargain.save(update_fields=["is_public"])
    return bargain


def _tell(bargain: Deal, seat: Seat, event: str) -> None:
    add(bargain.circle, author=seat.person, kind=Message.Kind.BARGAIN, event=event, bargain=bargain)


# Marks what was promised as kept or broken when the table has seen it happen, and tells its circle.
#
# Reads first, then locks the table and looks again: what was marked stays marked, so two beats are harmless.


logger = logging.getLogger(__name__)

State = Deal.State


def judge_deals() -> int:
    """Looks at the bargains of all games that have moved on; returns how many were looked at."""
    moved_on = Q(game__step__gt=F("looked_step")) | Q(game__ended_at__isnull=False)
    waiting = Deal.objects.filter(moved_on, looked_step__lt=LOOKED_FOR_GOOD)
    games = waiting.order_by("game").values_list("game", "game__table").distinct()
    return sum(_look_at_game(game, table) for game, table in list(games))


def _look_at_game(game_id: int, table_id: int) -> int:
    try:
        with transaction.atomic():
            return _look_again(game_id, table_id)
    except BrokenLog as broken:
        logger.error("the bargains of game %d are not judged: %s", game_id, broken)
        return 0


def _look_again(game_id: int, table_id: int) -> int:
    table = locked_table(table_id)
    game = Game.objects.get(pk=game_id)  # before its log: a game that is over has all of it
    game.table = table
    bargains = Deal.objects.filter(game=game, looked_step__lt=LOOKED_FOR_GOOD).select_related("circle")
    looked = list(bargains.order_by("pk"))
    for bargain in looked:
        bargain.game, bargain.circle.table = game, table
        if bargain.state == State.STANDING:
            _judge(bargain)
        else:
            _lapse_if_too_late(bargain)
    return len(looked)


def _lapse_if_too_late(bargain: Deal) -> None:
    """What was not accepted in time never will be."""
    game = bargain.game
    if game.is_over or has_lost_somebody(bargain) or _is_past(bargain, course_of(game)):
        bargain.state, bargain.looked_step = State.LAPSED, LOOKED_FOR_GOOD
        bargain.save(update_fields=["state", "looked_step"])
        _announce_verdict(bargain, "lapsed")
        return
    _looked(bargain, game.step)


def _is_past(bargain: Deal, course: Course) -> bool:
    count = counted(course)
    past = {Deal.Until.ROUND: count.rounds, Deal.Until.BATTLE: count.battles}
    return past.get(Deal.Until(bargain.until), -1) >= (bargain.until_number or 0)


def _judge(bargain: Deal) -> None:
    assert bargain.stands_from is not None
    course = course_since(bargain.game, _stood_at(bargain))
    promised = [pledge for pledge in bargain.pledges.all() if pledge.kind != DealPromise.Kind.WORDS]
    for number, pledge in enumerate(promised, 1):
        if pledge.state == OPEN:
            _judge_one(bargain, pledge, number, course)
    is_done = all(pledge.state != OPEN for pledge in promised)
    _looked(bargain, LOOKED_FOR_GOOD if is_done or bargain.game.is_over else bargain.game.step)


def _stood_at(bargain: Deal) -> datetime:
    """When the last of its parties accepted it."""
    return max(party.answered_at for party in bargain.parties.all() if party.answered_at is not None)


def _judge_one(bargain: Deal, pledge: DealPromise, number: int, course: Course) -> None:
    judgement = judge(promised_by(pledge, bargain), course)
    if judgement.state == OPEN:
        return
    pledge.state, pledge.judged_at, pledge.judged_step = judgement.state, clock.now(), judgement.step
    pledge.save(update_fields=["state", "judged_at", "judged_step"])
    _announce_verdict(bargain, f"{pledge.state} {number}")


def promised_by(pledge: DealPromise, bargain: Deal) -> Promised:
    """The stored pledge as the pure room knows it."""
    limit = {str(bargain.until): bargain.until_number}
    return Promised(
        seat=pledge.seat,
        kind=pledge.kind,
        stands_from=bargain.stands_from or 0,
        region=pledge.region or None,
        rounds=limit.get(Deal.Until.ROUND),
        battles=limit.get(Deal.Until.BATTLE),
    )


def _looked(bargain: Deal, step: int) -> None:
    bargain.looked_step = step
    bargain.save(update_fields=["looked_step"])


def _announce_verdict(bargain: Deal, event: str) -> None:
    """In the name of the table; also after the end, when nobody else says anything there any more."""
    add(bargain.circle, author=None, kind=Message.Kind.BARGAIN, event=event, bargain=bargain)
