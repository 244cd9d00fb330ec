"""Propose deals. They bind no one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.rate_limits import hit
from games.chat.models import Channel, Deal, DealParty, DealPromise, Message
from games.chat.observed_course import Count
from games.chat.promise_course import progress_of
from games.chat.services.channels import locked_table, stored
from games.chat.services.messages import TooMany, add, require_may_write
from games.chat.text import rendered
from games.chat.writing import is_over
from games.models import Game, Seat, Table
from games.rules import REGIONS
from games.services import Refused

MOST_DEALS_A_DAY = 20  # proposals by one person
MOST_PROMISES = 6  # that the site judges, in one deal
FURTHEST = 200  # the last round or battle a promise can name


@dataclass(frozen=True)
class ProposedPromise:
    """What one seat promises to do or not to do, if the site can judge it."""

    seat: int
    kind: str  # of ProposedPromise.Kind, except words
    region: str = ""


@dataclass(frozen=True)
class Proposed:
    """A proposal to others: words, promises that the site judges, and how long it holds."""

    text: str
    seats: tuple[int, ...]  # of the others
    promises: tuple[ProposedPromise, ...] = ()
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
    require_may_write(channel, seat, table)
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
    announce(deal, "proposed", author, text=deal.text, html=deal.html)
    return deal


def running_game(table: Table) -> Game:
    """Return the game that promises can be about. Raises Refused if none is running."""
    if is_over(table):
        raise Refused(_("The game is over, so you can’t propose deals in it any more."))
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


def _require_promises(game: Game, parties: set[int], promises: tuple[ProposedPromise, ...]) -> None:
    if len(promises) > MOST_PROMISES:
        raise Refused(
            _("This deal has too many promises for the site to check (at most %(most)d). Remove some.")
            % {"most": MOST_PROMISES}
        )
    if len(set(promises)) < len(promises):
        raise Refused(_("The deal has the same promise twice. Remove one of them."))
    for promise in promises:
        _require_promise(game, parties, promise)


def _require_promise(game: Game, parties: set[int], promise: ProposedPromise) -> None:
    if promise.seat not in parties:
        raise Refused(_("Every player who promises something must be in the deal. Choose them too."))
    if promise.kind not in judged_kinds(game):
        raise Refused(_("The site can’t check this promise in the current game. Choose another."))
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


def _write_down(deal: Deal, author: Seat, parties: list[Seat], promises: tuple[ProposedPromise, ...]) -> None:
    now, accepted = clock.now(), DealParty.Answer.ACCEPTED
    for seat in parties:
        answered = {"answer": accepted, "answered_at": now} if seat.number == author.number else {}
        DealParty.objects.create(deal=deal, user=seat.user, seat=seat.number, **answered)
    for promise in promises:
        DealPromise.objects.create(deal=deal, seat=promise.seat, kind=promise.kind, region=promise.region)
    DealPromise.objects.create(deal=deal, seat=author.number)  # the words, which people judge


def has_lost_somebody(deal: Deal) -> bool:
    """Return whether one of the parties no longer has their seat."""
    seated = {seat.number: seat.user_id for seat in deal.channel.table.all_seats()}
    return any(
        party.user_id is None or seated.get(party.seat) != party.user_id for party in deal.parties.all()
    )


def announce(deal: Deal, event: str, author: User | None, **words: Any) -> None:
    """Post a system message about the deal: the site's own even after the end, when the channel is closed."""
    add(deal.channel, author=author, kind=Message.Kind.DEAL, event=event, deal=deal, **words)
