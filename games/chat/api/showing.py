"""The interface for programs: cards shown to a channel, and notes sealed there."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import CHAT
from accounts.api_problems import ApiProblem, field_errors
from games.chat.api.channels import MessageSeen, channel_of, messages_of
from games.chat.forms.show_and_seal_forms import SealForm
from games.chat.models import Message
from games.chat.services.sealed_notes import seal_note
from games.chat.services.shown_cards import show_cards
from games.rules import REGIONS

MOST_CARDS = 40

Card = Annotated[str, Field(max_length=20)]

router = Router(tags=["chat"])


class CardsIn(Schema, extra="forbid"):
    """Cards of the person's hand, by their names in its `observation`."""

    cards: Annotated[list[Card], Field(min_length=1, max_length=MOST_CARDS)]


class SealIn(Schema, extra="forbid"):
    """A note, and what opens it: the end of the battle or of the game, or the taking of a region."""

    text: str
    opens: Literal["battle", "region", "game"]
    region: Annotated[str, Field(max_length=20)] = ""


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/shown-cards",
    auth=CHAT,
    response=MessageSeen,
    summary="Show cards",
)
def show(request: HttpRequest, table_id: int, slug: str, sent: CardsIn) -> MessageSeen:
    """Show cards of the person's hand to a channel: the site vouches for them. They stay in the hand.

    The same cards again, before the game goes on, are shown once.
    """
    channel, reader = channel_of(request, table_id, slug)
    assert reader.seat is not None
    message = show_cards(reader.seat, sent.cards, channel)
    return _seen(request, table_id, slug, message)


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/sealed-notes",
    auth=CHAT,
    response=MessageSeen,
    summary="Seal a note",
)
def seal(request: HttpRequest, table_id: int, slug: str, sent: SealIn) -> MessageSeen:
    """Seal a note for a channel. No one else can read it before it opens. The same again is sealed once."""
    channel, reader = channel_of(request, table_id, slug)
    assert reader.seat is not None
    form = SealForm({**sent.dict(), "to": slug}, channels=[(slug, slug)], regions=list(REGIONS))
    if not form.is_valid():
        raise ApiProblem(422, "bad-input", _("The note was not sealed."), field_errors(form))
    typed = form.cleaned_data
    message = seal_note(reader.seat, channel, typed["text"], typed["opens"], typed["region"])
    return _seen(request, table_id, slug, message)


def _seen(request: HttpRequest, table_id: int, slug: str, message: Message) -> MessageSeen:
    """Return a message as its author reads it in the channel."""
    found = messages_of(*channel_of(request, table_id, slug), message.number + 1)
    if not found or found[-1].number != message.number:
        raise Http404
    return found[-1]
