"""Propose, answer, withdraw and judge deals. They bind no one."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Max, Q
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.rate_limits import hit
from games.chat.access import is_over, why_silent
from games.chat.models import CHECKED_FOR_GOOD, Channel, Deal, DealParty, DealPromise, Message, Verdict
from games.chat.promise_course import Course, course_since, progress_of
from games.chat.promises import OPEN, Count, judge
from games.chat.promises import Promise as Promised
from games.chat.services.messages import TooMany, add, locked_table, require_voice, stored
from games.chat.text import rendered
from games.models import Game, Seat, Table
from games.models.replay import BrokenLog
from games.rules import REGIONS
from games.services import Refused

logger = logging.getLogger(__name__)

MOST_DEALS_A_DAY = 20  # proposals by one person
MOST_SAYINGS = 60  # verdicts on words by one person
MOST_PROMISES = 6  # that the site judges, in one deal
FURTHEST = 200  # the last round or battle a promise can name


@dataclass(frozen=True)
class Promise:
    """What one seat promises to do or not to do, if the site can judge it."""

    seat: int
    kind: str  # of Promise.Kind, except words
    region: str = ""


@dataclass(frozen=True)
class Proposed:
    """A proposal to others: words, promises that the site judges, and how long it holds."""

    text: str
    seats: tuple[int, ...]  # of the others
    promises: tuple[Promise, ...] = ()
    until: str = Deal.Until.GAME
    until_number: int | None = None


@transaction.atomic
def propose(seat: Seat, channel: Channel, proposed: Proposed, after: int | None = None) -> Deal:
    """Propose a deal to others in a channel and email them. The author has accepted it.

    `after` is the number of the channel's last deal when the form was shown. The same words again from the
    same form are a second click and return the first deal. Raises Refused, with the reason, if the author may
    not propose it, and TooMany.
    """
    table = locked_table(seat.table_id)
    require_voice(channel, seat, table)
    game = running_game(table)
    channel, author = stored(channel), seat.person
    twice = _said_before(channel, seat, proposed.text, after)
    if twice is not None:
        return twice
    parties = _parties(seat, channel, table, proposed.seats)
    _require_promises(game, {party.number for party in parties}, proposed.promises)
    require_time(progress_of(game), proposed.until, proposed.until_number)
    if not hit("deal", str(author.pk), MOST_DEALS_A_DAY):
        said = _("You have reached the daily limit for deals (%(most)d). Propose more tomorrow.")
        raise TooMany(said % {"most": MOST_DEALS_A_DAY})
    deal = Deal.objects.create(
        channel=channel,
        game=game,
        number=newest_deal(channel) + 1,
        author=author,
        text=proposed.text,
        html=rendered(proposed.text),
        until=proposed.until,
        until_number=None if proposed.until == Deal.Until.GAME else proposed.until_number,
        checked_step=game.step,
    )
    _write_down(deal, seat, parties, proposed.promises)
    _announce(deal, "proposed", author, text=deal.text, html=deal.html)
    return deal


def running_game(table: Table) -> Game:
    """Return the game that promises can be about. Raises Refused if none is running."""
    if is_over(table):
        raise Refused(_("The game is over, so you can't propose deals in it any more."))
    game = Game.objects.select_related("table").filter(table=table, ended_at__isnull=True).last()
    if game is None:
        raise Refused(_("No game is being played at this table. Propose the deal when a game has started."))
    return game


def newest_deal(channel: Channel) -> int:
    """Return the number of the channel's last deal; 0 for none."""
    if channel._state.adding:
        return 0
    return Deal.objects.filter(channel=channel).aggregate(last=Max("number"))["last"] or 0


def people_of(channel: Channel, table: Table) -> list[Seat]:
    """Return the seats of the people who read a channel, in order. They can make deals with each other."""
    seats = [seat for seat in table.all_seats() if seat.user_id is not None]
    if not channel.is_private:
        return seats
    members = set(channel.members.values_list("user", flat=True))
    return [seat for seat in seats if seat.user_id in members]


def _said_before(channel: Channel, seat: Seat, text: str, after: int | None) -> Deal | None:
    if after is None:
        return None
    return Deal.objects.filter(channel=channel, author=seat.user_id, number__gt=after, text=text).first()


def _parties(seat: Seat, channel: Channel, table: Table, numbers: Iterable[int]) -> list[Seat]:
    """Return the seats of all parties, including the author, in seat order."""
    chosen = {*numbers} - {seat.number}
    if not chosen:
        raise Refused(_("Choose at least one player to propose it to."))
    readers = {one.number: one for one in people_of(channel, table)}
    if not chosen <= set(readers):
        raise Refused(_("You can only propose deals to players in this channel, not to bots."))
    return [readers[number] for number in sorted(chosen | {seat.number})]


def _require_promises(game: Game, parties: set[int], promises: tuple[Promise, ...]) -> None:
    if len(promises) > MOST_PROMISES:
        raise Refused(
            _("This deal has too many promises for the site to check (at most %(most)d). Remove some.")
            % {"most": MOST_PROMISES}
        )
    if len(set(promises)) < len(promises):
        raise Refused(_("The deal has the same promise twice. Remove one of them."))
    for promise in promises:
        _require_promise(game, parties, promise)


def _require_promise(game: Game, parties: set[int], promise: Promise) -> None:
    if promise.seat not in parties:
        raise Refused(_("Every player who promises something must be in the deal. Choose them too."))
    if promise.kind not in judged_kinds(game):
        raise Refused(_("The site can't check this promise in the current game. Choose another."))
    if (promise.region in REGIONS) != (promise.kind != DealPromise.Kind.PASSES):
        raise Refused(_("Choose a region for the promise. A promise to pass has none."))


def judged_kinds(game: Game) -> tuple[DealPromise.Kind, ...]:
    """Return the kinds of promise that the site can judge in this game.

    In 1995 no Bishop moves the Pope (R43). The final battle of a match is not fought for a region (R28).
    """
    if game.final_battle is not None:
        return (DealPromise.Kind.PASSES,)
    if game.table.options.is_1995:
        return (DealPromise.Kind.NO_ATTACK, DealPromise.Kind.PASSES)
    return (DealPromise.Kind.NO_ATTACK, DealPromise.Kind.PASSES, DealPromise.Kind.POPE)


def has_rounds(game: Game) -> bool:
    """Return whether the game's rounds can be counted. With Draw After Battle there are none (R25)."""
    return not game.table.options.draws_after_battle and game.final_battle is None


def require_time(count: Count, until: str, number: int | None) -> None:
    """Check the round or battle that ends a promise.

    Raises Refused if it is over or was not named.
    """
    if until == Deal.Until.GAME:
        return
    past = count.rounds if until == Deal.Until.ROUND else count.battles
    if number is None or number > FURTHEST:
        raise Refused(_("Enter the number of a round or battle, up to %(most)d.") % {"most": FURTHEST})
    if number <= past:
        raise Refused(_("That round or battle is already over. Enter the number of one that has not ended."))


def _write_down(deal: Deal, author: Seat, parties: list[Seat], promises: tuple[Promise, ...]) -> None:
    now, accepted = clock.now(), DealParty.Answer.ACCEPTED
    for seat in parties:
        answered = {"answer": accepted, "answered_at": now} if seat.number == author.number else {}
        DealParty.objects.create(deal=deal, user=seat.user, seat=seat.number, **answered)
    for promise in promises:
        DealPromise.objects.create(deal=deal, seat=promise.seat, kind=promise.kind, region=promise.region)
    DealPromise.objects.create(deal=deal, seat=author.number)  # the words, which people judge


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
    require_voice(deal.channel, seat, deal.channel.table, in_words=False)
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
    """Raise Refused, with what became of the deal, unless it can still be answered."""
    if deal.state == Deal.State.PROPOSED and not deal.game.is_over:
        return
    match Deal.State(deal.state):
        case Deal.State.STANDING:
            raise Refused(_("Everyone has accepted this deal. It is in force and can't be withdrawn."))
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
            _("Someone in this deal has left the table, so it can't come into force. Propose another.")
        )
    require_time(progress_of(deal.game), deal.until, deal.until_number)


def has_lost_somebody(deal: Deal) -> bool:
    """Return whether one of the parties no longer has their seat."""
    seated = {seat.number: seat.user_id for seat in deal.channel.table.all_seats()}
    return any(
        party.user_id is None or seated.get(party.seat) != party.user_id for party in deal.parties.all()
    )


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
    _announce(deal, event, seat.person)
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
        _announce(deal, "withdrawn", seat.person)
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
        _announce(deal, f"says {says}", seat.person)
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
                "Someone in this deal has left and can't agree to make it public. "
                "Only players at this table can read it."
            )
        )
    deal.parties.filter(pk=party.pk, opens_at__isnull=True).update(opens_at=clock.now())
    deal.is_public = not deal.parties.filter(opens_at__isnull=True).exists()
    deal.save(update_fields=["is_public"])
    return deal


def _announce(deal: Deal, event: str, author: User | None, **words: Any) -> None:
    """Post a system message about the deal: the site's own even after the end, when the channel is closed."""
    add(deal.channel, author=author, kind=Message.Kind.DEAL, event=event, deal=deal, **words)


# Judging: read, then lock the table and check again. Verdicts are final, so two ticks at once do no harm.


def judge_deals() -> int:
    """Judge the deals of all games that have moved on; return how many deals were checked."""
    moved_on = Q(game__step__gt=F("checked_step")) | Q(game__ended_at__isnull=False)
    waiting = Deal.objects.filter(moved_on, checked_step__lt=CHECKED_FOR_GOOD)
    games = waiting.order_by("game").values_list("game", "game__table").distinct()
    return sum(_check_game(game, table) for game, table in list(games))


def _check_game(game_id: int, table_id: int) -> int:
    try:
        with transaction.atomic():
            return _check_locked(game_id, table_id)
    except BrokenLog as broken:
        logger.error("the deals of game %d are not judged: %s", game_id, broken)
        return 0


def _check_locked(game_id: int, table_id: int) -> int:
    table = locked_table(table_id)
    game = Game.objects.get(pk=game_id)  # before its log: the log of a finished game is then complete
    game.table = table
    deals = Deal.objects.filter(game=game, checked_step__lt=CHECKED_FOR_GOOD).select_related("channel")
    checked = list(deals.order_by("pk"))
    for deal in checked:
        deal.game, deal.channel.table = game, table
        if deal.state == Deal.State.STANDING:
            _judge(deal)
        else:
            _lapse_if_too_late(deal)
    return len(checked)


def _lapse_if_too_late(deal: Deal) -> None:
    """End a deal that was not accepted in time."""
    game = deal.game
    if game.is_over or has_lost_somebody(deal) or _is_past(deal, progress_of(game)):
        deal.state, deal.checked_step = Deal.State.LAPSED, CHECKED_FOR_GOOD
        deal.save(update_fields=["state", "checked_step"])
        _announce(deal, "lapsed", None)
        return
    _record_check(deal, game.step)


def _is_past(deal: Deal, count: Count) -> bool:
    past = {Deal.Until.ROUND: count.rounds, Deal.Until.BATTLE: count.battles}
    return past.get(Deal.Until(deal.until), -1) >= (deal.until_number or 0)


def _judge(deal: Deal) -> None:
    assert deal.stands_from is not None
    course = course_since(deal.game, _stood_at(deal))
    promised = deal.judged
    for number, promise in enumerate(promised, 1):
        if promise.state == OPEN:
            _judge_one(deal, promise, number, course)
    is_done = all(promise.state != OPEN for promise in promised)
    _record_check(deal, CHECKED_FOR_GOOD if is_done or deal.game.is_over else deal.game.step)


def _stood_at(deal: Deal) -> datetime:
    """Return when the last party accepted the deal."""
    return max(party.answered_at for party in deal.parties.all() if party.answered_at is not None)


def _judge_one(deal: Deal, promise: DealPromise, number: int, course: Course) -> None:
    judgement = judge(promised_by(promise, deal), course)
    if judgement.state == OPEN:
        return
    promise.state, promise.judged_at, promise.judged_step = judgement.state, clock.now(), judgement.step
    promise.save(update_fields=["state", "judged_at", "judged_step"])
    _announce(deal, f"{promise.state} {number}", None)


def promised_by(promise: DealPromise, deal: Deal) -> Promised:
    """Convert a stored promise into the value that games.chat.promises judges."""
    limit = {str(deal.until): deal.until_number}
    return Promised(
        seat=promise.seat,
        kind=promise.kind,
        stands_from=deal.stands_from or 0,
        region=promise.region or None,
        rounds=limit.get(Deal.Until.ROUND),
        battles=limit.get(Deal.Until.BATTLE),
    )


def _record_check(deal: Deal, step: int) -> None:
    deal.checked_step = step
    deal.save(update_fields=["checked_step"])
