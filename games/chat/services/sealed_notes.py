"""Sealed notes: words no one else can read before an event, proven unchanged when they open."""

from __future__ import annotations

import secrets
from hashlib import sha256

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.chat.models import Channel, Message, SealedNote
from games.chat.services.messages import add, count_message, require_may_write, require_pace
from games.map.region_names import region_name
from games.models import Game, Seat, Table
from games.models.locking import locked_seat
from games.models.replay import replayed
from games.rules import REGIONS, State, observe
from games.services import Refused


def digest_of(salt: str, text: str) -> str:
    """Return the hash published on sealing: SHA-256 of the salt, a line feed and the words in UTF-8."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()


def takable_regions(state: State) -> tuple[str, ...]:
    """Return the regions that someone can still take.

    These are all free regions, and held ones if the rules let them be taken again.
    """
    if state.options.is_1995 or state.options.captures_regions:
        return tuple(REGIONS)
    held = dict(observe(state, None).control)
    return tuple(region for region in REGIONS if region not in held)


@transaction.atomic
def seal_note(seat: Seat, channel: Channel, text: str, opens: str, region: str = "") -> Message:
    """Seal a cleaned text for the readers of a channel until an event of the running game.

    The same words for the same event, while still sealed there, are a second click and return the first
    message. Raises Refused if they can't be sealed, and TooMany.
    """
    game, seat = locked_seat(seat)
    if game.is_over:
        raise Refused(_("The game is over, so you can’t seal a note."))
    require_may_write(channel, seat, game.table)
    state = replayed(game).state
    region = _region(state, opens, region)
    twice = _sealed_already(channel, seat, text, opens, region)
    if twice is not None:
        return twice
    require_pace(seat.person, game.table)
    count_message(seat.person)
    message = add(channel, author=seat.person, kind=Message.Kind.SEALED)
    _store_note(message, game, state, text, opens=opens, region=region)
    return message


def _store_note(message: Message, game: Game, state: State, text: str, **event: str) -> None:
    salt = secrets.token_hex(16)
    SealedNote.objects.create(
        message=message,
        game=game,
        text=text,
        salt=salt,
        digest=digest_of(salt, text),
        made_ply=state.ply,
        checked_step=state.step,
        **event,
    )


def _region(state: State, opens: str, region: str) -> str:
    """Return the event's region: to be taken, or fought for at this moment; empty for none."""
    if opens == SealedNote.Opens.BATTLE:
        return observe(state, None).battle or ""
    if opens != SealedNote.Opens.REGION:
        return ""
    if region not in REGIONS:
        raise Refused(_("Choose the region whose taking opens the note."))
    if region not in takable_regions(state):
        said = _("%(region)s is already taken for good. Choose another region.")
        raise Refused(said % {"region": region_name(region)})
    return region


def _sealed_already(channel: Channel, seat: Seat, text: str, opens: str, region: str) -> Message | None:
    sealed = SealedNote.objects.filter(
        message__channel=channel.pk,
        message__author=seat.user,
        text=text,
        opens=opens,
        region=region,
        opened_at__isnull=True,
    )
    first = sealed.select_related("message__channel").order_by("pk").first()
    return first.message if first else None


def closed_notes() -> QuerySet[SealedNote]:
    return SealedNote.objects.filter(opened_at__isnull=True)


@transaction.atomic
def withdraw_sealed_notes(user: User) -> None:
    """Empty a deleted person's notes that have not been opened, so that they never will be.

    The games' rows are locked first, as for every change to them. So are those of games in which the person
    will give up a seat. The order is always by table.
    """
    mine = closed_notes().filter(message__author=user)
    if not mine.exists():
        return
    affected = Q(seals__in=mine) | Q(table__seats__user=user, table__state=Table.State.PLAYING, ended_at=None)
    games = Game.objects.filter(pk__in=Game.objects.filter(affected).values("pk")).order_by("table", "pk")
    list(games.select_for_update(of=("self",)))
    mine.update(text="", opened_at=clock.now())
