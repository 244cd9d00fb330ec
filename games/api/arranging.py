"""The interface for programs: what players of a game arrange besides their moves."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import PLAY, READ, owner_of_token
from accounts.api_problems import ApiProblem, field_errors
from games import services
from games.access import get_game_access
from games.api.gathering import seen_now as table_now
from games.api.logs import Step
from games.api.playing import seen_now
from games.api.shapes import GameSeen, TableSeen
from games.forms.arrangements import NoteForm
from games.models import Proposal
from games.presenters.options_section import note_at
from games.services.proposals import ENDS
from games.services.read_markers import mark_game_read, read_up_to

LONGEST_BODY = 100_000  # of a note, before it's counted as the form does

Amount = Annotated[int, Field(ge=1, le=1000)]
TimeChange = Literal["pause", "go on", "more time"]

router = Router(tags=["playing"])


class ProposalIn(Schema, extra="forbid"):
    """What to propose to everyone. `amount` is the days of a pause, or the hours of more time.

    `most regions` and `none` end the game: those with the most regions win, or no one does.
    """

    what: Literal["most regions", "none"] | TimeChange
    amount: Amount | None = None


class AnswerIn(Schema, extra="forbid"):
    """The person's answer to a proposal."""

    accepts: bool


class TimeIn(Schema, extra="forbid"):
    """What the host decides about time. `amount` is the days of a pause, or the hours of more time."""

    what: TimeChange
    amount: Amount | None = None


class NoteSeen(Schema):
    """The person's own note about a game; empty for none."""

    text: str


class NoteIn(Schema, extra="forbid"):
    """A note about a game; an empty one removes it."""

    text: Annotated[str, Field(max_length=LONGEST_BODY)]


class GameRead(Schema, extra="forbid"):
    """Up to which step of a game the person has read its news."""

    step: Step


@router.post(
    "/games/{number:game_id}/proposals",
    auth=PLAY,
    response=GameSeen,
    summary="Propose an end, a pause or more time",
)
def propose(request: HttpRequest, game_id: int, sent: ProposalIn) -> GameSeen:
    """Propose something to everyone; it's done once all agree. The same again makes no second proposal."""
    access = get_game_access(request, game_id)
    if sent.what in ENDS:
        services.propose_end(access.seat, access.game, sent.what)
    else:
        services.propose_time(access.seat, access.game, sent.what, sent.amount)
    return seen_now(request, game_id)


@router.post(
    "/games/{number:game_id}/proposals/{number:number}/answer",
    auth=PLAY,
    response=GameSeen,
    summary="Answer a proposal",
)
def answer_proposal(request: HttpRequest, game_id: int, number: int, sent: AnswerIn) -> GameSeen:
    """Agree to a proposal, refuse it, or withdraw your own by refusing it."""
    access = get_game_access(request, game_id)
    proposal = next(iter(access.game.proposals.order_by("pk")[max(0, number - 1) : number]), None)
    if proposal is None:
        raise Http404
    answer = services.accept_proposal if sent.accepts else services.refuse_proposal
    answer(access.seat, proposal)
    return seen_now(request, game_id)


@router.post(
    "/games/{number:game_id}/time", auth=PLAY, response=GameSeen, summary="Pause or give time as the host"
)
def change_time(request: HttpRequest, game_id: int, sent: TimeIn) -> GameSeen:
    """Pause the game, end the pause or give more time, where the host decides that alone.

    The same again within a minute changes nothing.
    """
    access = get_game_access(request, game_id)
    game, host, amount = access.game, access.seat.person, sent.amount or 0
    match Proposal.What(sent.what):
        case Proposal.What.PAUSE:
            services.host_pauses(game, host, amount)
        case Proposal.What.MORE_TIME:
            services.host_gives_time(game, host, amount)
        case _:
            services.host_resumes(game, host)
    return seen_now(request, game_id)


@router.post("/games/{number:game_id}/rematch", auth=PLAY, response=TableSeen, summary="Ask for a rematch")
def rematch(request: HttpRequest, game_id: int) -> TableSeen:
    """Return the table of a finished game's rematch, with a seat for the person; make it if there is none."""
    access = get_game_access(request, game_id)
    return table_now(request, services.make_rematch(access.game, owner_of_token(request)))


@router.post("/games/{number:game_id}/read", auth=PLAY, response=GameSeen, summary="Mark a game as read")
def mark_read(request: HttpRequest, game_id: int, sent: GameRead) -> GameSeen:
    """Mark what has happened before a step as read, on the pages too. It never goes back."""
    access = get_game_access(request, game_id)
    person = access.seat.person
    mark_game_read(access.game, person, sent.step, read_up_to(access.game, person))
    return seen_now(request, game_id)


@router.get("/games/{number:game_id}/note", auth=READ, response=NoteSeen, summary="Your note about a game")
def note(request: HttpRequest, game_id: int) -> NoteSeen:
    """Return the note that only the person can see."""
    return NoteSeen(text=note_at(get_game_access(request, game_id)))


@router.post(
    "/games/{number:game_id}/note", auth=PLAY, response=NoteSeen, summary="Write your note about a game"
)
def write_note(request: HttpRequest, game_id: int, sent: NoteIn) -> NoteSeen:
    """Write the note that only the person can see. It replaces the older one."""
    access, form = get_game_access(request, game_id), NoteForm({"text": sent.text})
    if not form.is_valid():
        raise ApiProblem(422, "bad-input", _("The note was not saved."), field_errors(form))
    services.write_note(access.game, access.seat.person, form.cleaned_data["text"])
    return NoteSeen(text=note_at(access))
