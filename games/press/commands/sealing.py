"""Sealed letters: words that nobody but their writer reads before an event, and that are proven unchanged."""

from __future__ import annotations

import secrets
from hashlib import sha256

from django.db import transaction
from django.utils.translation import gettext as _

from games.commands import Refused
from games.commands.locking import locked_seat
from games.models import Game, Seat
from games.press.commands.adding import add, require_voice
from games.press.commands.writing import require_pace, spend_message
from games.press.models import Circle, Message, Seal
from games.replaying import replayed
from games.rules import REGIONS, State, observe, region_name


def digest_of(salt: str, text: str) -> str:
    """What is published when a letter is sealed: SHA-256 of the salt, a line feed and the words in UTF-8."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()


def takable_regions(state: State) -> tuple[str, ...]:
    """The regions that somebody can still take: all that are free, and held ones where the rules let them be
    taken again."""
    if state.options.is_1995 or state.options.captures_regions:
        return tuple(REGIONS)
    held = dict(observe(state, None).control)
    return tuple(region for region in REGIONS if region not in held)


@transaction.atomic
def seal_letter(seat: Seat, circle: Circle, text: str, opens: str, region: str = "") -> Message:
    """Seal a cleaned text for the readers of a circle until an event of the running game.

    The same words for the same event, while they are still sealed there, are a second click and give the
    first message. Raises Refused where they cannot be sealed, and TooMany.
    """
    game, seat = locked_seat(seat)
    if game.is_over:
        raise Refused(_("The game is over: there is nothing left that could open a letter."))
    require_voice(circle, seat, game.table)
    state = replayed(game).state
    region = _region(state, opens, region)
    twice = _sealed_already(circle, seat, text, opens, region)
    if twice is not None:
        return twice
    require_pace(seat.person, game.table)
    spend_message(seat.person)
    message = add(circle, author=seat.person, kind=Message.Kind.SEALED)
    _keep(message, game, state, text, opens=opens, region=region)
    return message


def _keep(message: Message, game: Game, state: State, text: str, **event: str) -> None:
    salt = secrets.token_hex(16)
    Seal.objects.create(
        message=message,
        game=game,
        text=text,
        salt=salt,
        digest=digest_of(salt, text),
        made_ply=state.ply,
        looked_step=state.step,
        **event,
    )


def _region(state: State, opens: str, region: str) -> str:
    """The region that the event is about: to be taken, or fought for at this moment; empty for none."""
    if opens == Seal.Opens.BATTLE:
        return observe(state, None).battle or ""
    if opens != Seal.Opens.REGION:
        return ""
    if region not in REGIONS:
        raise Refused(_("Choose the region that is to be taken."))
    if region not in takable_regions(state):
        said = _("%(region)s is taken already, and nobody can take it again: choose another region.")
        raise Refused(said % {"region": region_name(region)})
    return region


def _sealed_already(circle: Circle, seat: Seat, text: str, opens: str, region: str) -> Message | None:
    sealed = Seal.objects.filter(
        message__circle=circle.pk,
        message__author=seat.user,
        text=text,
        opens=opens,
        region=region,
        opened_at__isnull=True,
    )
    first = sealed.select_related("message__circle").order_by("pk").first()
    return first.message if first else None
