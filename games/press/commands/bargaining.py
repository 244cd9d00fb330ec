"""Promises and bargains among the people of a circle, one verb each. They bind nobody: the table remembers
them, and nothing in the game knows of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts import present
from accounts.limits import spend
from games.commands import Refused
from games.models import Game, Seat, Table
from games.pledges import Count, counted
from games.press.access import is_over, why_silent
from games.press.commands.adding import add, locked_table, require_voice, stored
from games.press.commands.writing import TooMany
from games.press.courses import course_of
from games.press.models import LOOKED_FOR_GOOD, Bargain, Circle, Message, Party, Pledge, Verdict
from games.press.text.rendering import rendered
from games.rules import REGIONS

MOST_A_DAY = 20  # proposals of one person
MOST_SAYINGS = 60  # of whether words were kept
MOST_PLEDGES = 6  # that the table judges, in one bargain
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
    until: str = Bargain.Until.GAME
    until_number: int | None = None


@transaction.atomic
def propose(seat: Seat, circle: Circle, proposed: Proposed, after: int | None = None) -> Bargain:
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
    if not spend("bargain", str(author.pk), MOST_A_DAY):
        raise TooMany(
            _("You have proposed %(most)d bargains today; that is all for a day.") % {"most": MOST_A_DAY}
        )
    bargain = Bargain.objects.create(
        circle=circle,
        game=game,
        number=newest_bargain(circle) + 1,
        author=author,
        text=proposed.text,
        html=rendered(proposed.text),
        until=proposed.until,
        until_number=None if proposed.until == Bargain.Until.GAME else proposed.until_number,
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


def newest_bargain(circle: Circle) -> int:
    """The number of the circle's last bargain; 0 for none."""
    if circle._state.adding:
        return 0
    return Bargain.objects.filter(circle=circle).aggregate(last=Max("number"))["last"] or 0


def people_of(circle: Circle, table: Table) -> list[Seat]:
    """The seats of the people who read a circle, in order: between whom there can be a bargain."""
    seats = [seat for seat in table.all_seats() if seat.user_id is not None]
    if not circle.is_private:
        return seats
    members = set(circle.members.values_list("user", flat=True))
    return [seat for seat in seats if seat.user_id in members]


def _said_before(circle: Circle, seat: Seat, text: str, after: int | None) -> Bargain | None:
    if after is None:
        return None
    return Bargain.objects.filter(circle=circle, author=seat.user_id, number__gt=after, text=text).first()


def _parties(seat: Seat, circle: Circle, table: Table, numbers: Iterable[int]) -> list[Seat]:
    """Whom it is between, the author too, in the order of their seats."""
    chosen = {*numbers} - {seat.number}
    if not chosen:
        raise Refused(_("Choose somebody to propose it to."))
    readers = {one.number: one for one in people_of(circle, table)}
    if not chosen <= set(readers):
        raise Refused(_("Only people of this circle can be proposed something here: bots promise nothing."))
    return [readers[number] for number in sorted(chosen | {seat.number})]


def _require_promises(game: Game, parties: set[int], promises: tuple[Promise, ...]) -> None:
    if len(promises) > MOST_PLEDGES:
        raise Refused(_("The table judges at most %(most)d pledges of a bargain.") % {"most": MOST_PLEDGES})
    if len(set(promises)) < len(promises):
        raise Refused(_("The same pledge stands there twice: take one of the two out."))
    for promise in promises:
        _require_promise(game, parties, promise)


def _require_promise(game: Game, parties: set[int], promise: Promise) -> None:
    if promise.seat not in parties:
        raise Refused(_("Who shall do or leave something must be asked too: choose him as well."))
    if promise.kind not in judged_kinds(game):
        raise Refused(_("The table cannot judge this in the game that is played here."))
    if (promise.region in REGIONS) != (promise.kind != Pledge.Kind.PASSES):
        raise Refused(_("Choose the region that is meant; passing is promised without one."))


def judged_kinds(game: Game) -> tuple[Pledge.Kind, ...]:
    """What the table can judge in this game: in 1995 no Bishop moves the Pope (R43), and a final battle of a
    match is fought for no region (R28)."""
    if game.final_battle is not None:
        return (Pledge.Kind.PASSES,)
    if game.table.options.is_1995:
        return (Pledge.Kind.NO_ATTACK, Pledge.Kind.PASSES)
    return (Pledge.Kind.NO_ATTACK, Pledge.Kind.PASSES, Pledge.Kind.POPE)


def has_rounds(game: Game) -> bool:
    """Whether its rounds can be counted: with Draw After Battle there are none (R25)."""
    return not game.table.options.draws_after_battle and game.final_battle is None


def require_time(count: Count, until: str, number: int | None) -> None:
    """Raises Refused if the round or battle until which it is promised is over, or was never named."""
    if until == Bargain.Until.GAME:
        return
    past = count.rounds if until == Bargain.Until.ROUND else count.battles
    if number is None or number > FURTHEST:
        raise Refused(_("Say until which round or battle: a number up to %(most)d.") % {"most": FURTHEST})
    if number <= past:
        raise Refused(_("That is over already: say the number of a round or battle that is still to end."))


def _write_down(bargain: Bargain, author: Seat, parties: list[Seat], promises: tuple[Promise, ...]) -> None:
    now, accepted = present.now(), Party.Answer.ACCEPTED
    for seat in parties:
        answered = {"answer": accepted, "answered_at": now} if seat.number == author.number else {}
        Party.objects.create(bargain=bargain, user=seat.user, seat=seat.number, **answered)
    for promise in promises:
        Pledge.objects.create(bargain=bargain, seat=promise.seat, kind=promise.kind, region=promise.region)
    Pledge.objects.create(
        bargain=bargain, seat=author.number
    )  # what the words say beside, which people judge


@transaction.atomic
def answer(seat: Seat, bargain_id: int, *, accepts: bool) -> Bargain:
    """This seat's person accepts a bargain, which stands when all have, or declines it, which ends it.

    The game waits meanwhile, so that nothing happens between his answer and the moment from which it stands.
    The same answer again changes nothing. Raises Refused.
    """
    bargain, party = _locked(seat, bargain_id)
    given = Party.Answer.ACCEPTED if accepts else Party.Answer.DECLINED
    if party.answer == given:
        return bargain
    _require_open(bargain)
    require_voice(bargain.circle, seat, bargain.circle.table, in_words=False)
    if accepts:
        require_acceptable(bargain)
    party.answer, party.answered_at = given, present.now()
    party.save(update_fields=["answer", "answered_at"])
    return _go_on(bargain, seat, accepts=accepts)


def _locked(seat: Seat, bargain_id: int) -> tuple[Bargain, Party]:
    """The bargain with its game and table, all held, and the part of this seat's person in it."""
    game = (
        Game.objects.select_for_update(of=("self",)).filter(bargains=bargain_id, table=seat.table_id).first()
    )
    table = locked_table(seat.table_id)
    bargain = Bargain.objects.select_related("circle").filter(pk=bargain_id, game=game).first()
    if bargain is None or game is None or not table.seats.filter(pk=seat.pk, user=seat.user_id).exists():
        raise Refused(_("You have no seat at this table any more."))
    game.table = bargain.circle.table = table
    bargain.game = game
    party = bargain.parties.filter(user=seat.user_id, user__isnull=False).first()
    if party is None:
        raise Refused(_("This is between others: you are not asked."))
    return bargain, party


def _require_open(bargain: Bargain) -> None:
    """Raises Refused, with what became of it, unless it can still be answered."""
    if bargain.state == Bargain.State.PROPOSED and not bargain.game.is_over:
        return
    match Bargain.State(bargain.state):
        case Bargain.State.STANDING:
            raise Refused(_("All have accepted it: it stands, and nobody takes that back."))
        case Bargain.State.DECLINED:
            raise Refused(_("Somebody has declined it. Propose another, if you like."))
        case Bargain.State.WITHDRAWN:
            raise Refused(_("It was withdrawn before all had accepted it. Propose another, if you like."))
    raise Refused(_("The game is over, or its time is: it was not accepted before."))


def require_acceptable(bargain: Bargain) -> None:
    """Raises Refused if somebody it is between has left, or its time is over."""
    if has_lost_somebody(bargain):
        raise Refused(
            _("Somebody it is between has left the table, so it can no longer stand. Propose another.")
        )
    require_time(counted(course_of(bargain.game)), bargain.until, bargain.until_number)


def has_lost_somebody(bargain: Bargain) -> bool:
    """Whether one of those it is between no longer has the seat that he had."""
    seated = {seat.number: seat.user_id for seat in bargain.circle.table.all_seats()}
    return any(
        party.user_id is None or seated.get(party.seat) != party.user_id for party in bargain.parties.all()
    )


def _go_on(bargain: Bargain, seat: Seat, *, accepts: bool) -> Bargain:
    """What an answer makes of the whole, told in the circle."""
    event = "accepted" if accepts else "declined"
    if not accepts:
        bargain.state, bargain.looked_step = Bargain.State.DECLINED, LOOKED_FOR_GOOD
    elif not bargain.parties.exclude(answer=Party.Answer.ACCEPTED).exists():
        bargain.state, event = Bargain.State.STANDING, "stands"
        bargain.stands_from = bargain.looked_step = bargain.game.step
        if not bargain.pledges.exclude(kind=Pledge.Kind.WORDS).exists():
            bargain.looked_step = LOOKED_FOR_GOOD
    bargain.save(update_fields=["state", "stands_from", "looked_step"])
    add(bargain.circle, author=seat.person, kind=Message.Kind.BARGAIN, event=event, bargain=bargain)
    return bargain


@transaction.atomic
def withdraw(seat: Seat, bargain_id: int) -> Bargain:
    """Its author takes a bargain back before all have accepted it; once more changes nothing. Raises
    Refused."""
    bargain, party = _locked(seat, bargain_id)
    if bargain.author_id != party.user_id:
        raise Refused(_("Only who proposed it can withdraw it. You can decline it."))
    if bargain.state == Bargain.State.WITHDRAWN:
        return bargain
    _require_open(bargain)
    bargain.state, bargain.looked_step = Bargain.State.WITHDRAWN, LOOKED_FOR_GOOD
    bargain.save(update_fields=["state", "looked_step"])
    if not why_silent(bargain.circle, bargain.circle.table):
        _tell(bargain, seat, "withdrawn")
    return bargain


@transaction.atomic
def say(seat: Seat, bargain_id: int, says: str) -> Bargain:
    """This seat's person says whether the words of a standing bargain were kept; the last he says counts.

    They are marked kept or broken while all who have said say the same. Raises Refused and TooMany.
    """
    bargain, party = _locked(seat, bargain_id)
    if bargain.state != Bargain.State.STANDING or says not in (Pledge.State.KEPT, Pledge.State.BROKEN):
        raise Refused(_("It does not stand, so there is nothing to keep or to break."))
    pledge = bargain.pledges.get(kind=Pledge.Kind.WORDS)
    if Verdict.objects.filter(pledge=pledge, seat=party.seat, says=says).exists():
        return bargain
    if not spend("verdict", str(seat.user_id), MOST_SAYINGS):
        raise TooMany(_("You have said this of enough promises today; that is all for a day."))
    Verdict.objects.update_or_create(
        pledge=pledge, seat=party.seat, defaults={"says": says, "at": present.now()}
    )
    _agree_on(pledge, bargain.game)
    if not why_silent(bargain.circle, bargain.circle.table):
        _tell(bargain, seat, f"says {says}")
    return bargain


def _agree_on(pledge: Pledge, game: Game) -> None:
    said = set(pledge.verdicts.values_list("says", flat=True))
    pledge.state = said.pop() if len(said) == 1 else Pledge.State.OPEN
    is_open = pledge.state == Pledge.State.OPEN
    pledge.judged_at, pledge.judged_step = (None, None) if is_open else (present.now(), game.step)
    pledge.save(update_fields=["state", "judged_at", "judged_step"])


@transaction.atomic
def agree_to_publish(seat: Seat, bargain_id: int) -> Bargain:
    """This seat's person agrees that everybody may read a bargain after the end; when all have, anybody who
    may watch the table reads it, for good. Raises Refused."""
    bargain, party = _locked(seat, bargain_id)
    if not is_over(bargain.circle.table):
        raise Refused(_("It can be shown to everybody when the game is over."))
    if bargain.is_public:
        return bargain
    if has_lost_somebody(bargain):
        raise Refused(_("Somebody it is between has left and cannot be asked: it stays with the table."))
    bargain.parties.filter(pk=party.pk, opens_at__isnull=True).update(opens_at=present.now())
    bargain.is_public = not bargain.parties.filter(opens_at__isnull=True).exists()
    bargain.save(update_fields=["is_public"])
    return bargain


def _tell(bargain: Bargain, seat: Seat, event: str) -> None:
    add(bargain.circle, author=seat.person, kind=Message.Kind.BARGAIN, event=event, bargain=bargain)
