"""The interface for programs: the deals of a table, as its deals page shows them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Literal

from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.addresses import absolute_url
from accounts.api_access import ANYONE, CHAT, NO_TOKEN_NEEDED, READ
from accounts.api_problems import ApiProblem, field_errors
from games.access import reader_of
from games.chat.access import Reader, get_spectator, reader_at
from games.chat.api.channels import TABLE, Number, Seat, channel_of, in_words
from games.chat.deal_text import deals_path
from games.chat.deals_page import deal_view
from games.chat.forms.deal_form import ROWS
from games.chat.models import Deal
from games.chat.proposing_deals import deal_form, game_for_deals
from games.chat.readable_deals import find_deal, has_deals, readable_deals
from games.chat.services.deal_answers import ACTIONS
from games.chat.services.deals import FURTHEST, propose
from games.models import Table

_FIELD = re.compile(r"(who|kind|region)_(\d)")
_NAMES = {"who": "seat"}

router = Router(tags=["deals"])


class PromiseSeen(Schema):
    """A promise that the site checks. `state` is empty before the deal is in force."""

    sentence: str
    state: str


class DealSeen(Schema):
    """A deal. `outcome` is proposed, standing, broken, kept or void; `actions` are what the person can do.

    `channel` is empty where the person may read the deal but not its channel.
    """

    channel: str
    number: int
    title: str
    proposed: str
    made_at: datetime
    text: str
    until: str
    outcome: str
    promises: list[PromiseSeen]
    answers: list[str]
    verdicts: list[str]
    ended: str
    actions: list[str]
    page: str


class PromiseIn(Schema, extra="forbid"):
    """A promise of one of the players. A promise to pass has no region."""

    seat: Seat
    kind: Literal["no attack", "pope", "passes"]
    region: Annotated[str, Field(max_length=20)] = ""


class DealIn(Schema, extra="forbid"):
    """A deal with players of a channel, by their seats.

    Without `until_number` it holds for the current round or battle. `after` is the number of the channel's
    last deal that you have read; then a repeat is proposed once.
    """

    seats: Annotated[list[Seat], Field(min_length=1, max_length=6)]
    text: str
    promises: Annotated[list[PromiseIn], Field(max_length=ROWS)] = []
    until: Literal["game", "round", "battle"] = "game"
    until_number: Annotated[int, Field(ge=1, le=FURTHEST)] | None = None
    after: Number


class DealAnswerIn(Schema, extra="forbid"):
    """One of the deal's `actions`."""

    action: Literal["accept", "decline", "withdraw", "kept", "broken", "publish"]


@router.get(
    "/tables/{number:table_id}/deals", auth=READ, response=list[DealSeen], summary="The deals at a table"
)
def deals(request: HttpRequest, table_id: int) -> list[DealSeen]:
    """Return the deals that the person may read, the newest first."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), reader_of(request))
    if reader.seat is None:
        raise Http404
    return _deals_of(reader)


@router.get(
    "/watch/{slug:key}/deals",
    auth=ANYONE,
    response=list[DealSeen],
    summary="The deals that spectators read",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched_deals(request: HttpRequest, key: str) -> list[DealSeen]:
    """Return the deals that the table opens to spectators, the newest first."""
    return _deals_of(get_spectator(key))


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/deals",
    auth=CHAT,
    response=DealSeen,
    summary="Propose a deal",
)
def propose_deal(request: HttpRequest, table_id: int, slug: str, sent: DealIn) -> DealSeen:
    """Propose a deal to players of a channel. It binds no one; the site checks its promises."""
    channel, reader = channel_of(request, table_id, slug)
    if reader.seat is None or not reader.is_in(channel):
        raise Http404
    game = game_for_deals(channel, reader)
    form = deal_form(channel, reader, game, _as_typed(sent))
    if not form.is_valid():
        errors = [one | {"field": _named(one["field"])} for one in field_errors(form)]
        raise ApiProblem(422, "bad-input", _("The deal was not proposed."), errors)
    made = propose(reader.seat, channel, form.proposed, form.cleaned_data["after"])
    return _read_again(request, table_id, slug, made.number)


@router.post(
    "/tables/{number:table_id}/channels/{slug:slug}/deals/{number:number}/answer",
    auth=CHAT,
    response=DealSeen,
    summary="Answer a deal",
)
def answer_deal(request: HttpRequest, table_id: int, slug: str, number: int, sent: DealAnswerIn) -> DealSeen:
    """Accept, decline or withdraw a deal, judge its words, or agree to make it public after the end."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), reader_of(request))
    found = find_deal(reader, slug, number)
    if reader.seat is None or found is None:
        raise Http404
    ACTIONS[sent.action](reader.seat, found.pk)
    return _read_again(request, table_id, slug, number)


def _deals_of(reader: Reader) -> list[DealSeen]:
    if not has_deals(reader):
        raise Http404
    return [_seen(deal, reader) for deal in reversed(readable_deals(reader))]


def _read_again(request: HttpRequest, table_id: int, slug: str, number: int) -> DealSeen:
    """Return a deal after a change, with all that the person can do then."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), reader_of(request))
    found = find_deal(reader, slug, number)
    if found is None:
        raise Http404
    return _seen(found, reader)


def _seen(deal: Deal, reader: Reader) -> DealSeen:
    view = deal_view(deal, reader)
    can = {
        "accept": view.may_answer,
        "decline": view.may_answer,
        "withdraw": view.may_withdraw,
        "kept": view.words is not None and view.words.may_say,
        "broken": view.words is not None and view.words.may_say,
        "publish": view.publishing is not None and view.publishing.may_agree,
    }
    return DealSeen(
        channel=(deal.channel.slug or TABLE) if view.channel else "",
        number=view.number,
        title=view.title,
        proposed=view.proposed,
        made_at=view.made_at,
        text=in_words(deal.text),
        until=view.until,
        outcome=view.outcome,
        promises=[PromiseSeen(sentence=one.sentence, state=one.state) for one in view.promises],
        answers=[sentence for _answer, sentence in view.answers],
        verdicts=list(view.words.verdicts) if view.words else [],
        ended=view.ended,
        actions=[action for action, may in can.items() if may],
        page=absolute_url(deals_path(deal, reader)),
    )


def _as_typed(sent: DealIn) -> QueryDict:
    """Return the deal as a browser would post its form."""
    typed = QueryDict(mutable=True)
    typed.setlist("seats", [str(seat) for seat in sent.seats])
    typed.update({"text": sent.text, "until": sent.until, "after": str(sent.after)})
    if sent.until_number is not None:
        typed["until_number"] = str(sent.until_number)
    for number, promise in enumerate(sent.promises, 1):
        typed.update(
            {
                f"who_{number}": str(promise.seat),
                f"kind_{number}": promise.kind,
                f"region_{number}": promise.region,
            }
        )
    return typed


def _named(field: str) -> str:
    """Return a field of the form by its name in `DealIn`."""
    found = _FIELD.fullmatch(field)
    return field if found is None else f"promises.{int(found[2]) - 1}.{_NAMES.get(found[1], found[1])}"
