"""Why a reader has nothing to answer in a deal."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from games.chat.access import Reader
from games.chat.deal_text import is_asked_of, party_of
from games.chat.models import Deal, DealParty
from games.chat.services.deal_answers import require_acceptable
from games.chat.writing import why_silent
from games.services import Refused


def why_not_asked(deal: Deal, reader: Reader) -> str:
    """Return why this reader has nothing to answer, in a sentence; empty if they can answer."""
    if is_asked_of(deal, reader):
        return why_silent(deal.channel, reader.table) or _why_too_late(deal)
    mine = party_of(deal, reader)
    if mine is None:
        return _("This deal is between other players. There is nothing for you to answer.")
    if deal.state == Deal.State.STANDING:
        return _("Everyone has accepted this deal. There is nothing left to answer.")
    if deal.state == Deal.State.PROPOSED and not deal.game.is_over:
        if mine.seat == deal.author_seat:
            return _("You proposed this deal. It comes into force when everyone has accepted.")
        return _("You accepted this deal. It comes into force when everyone has accepted.")
    return _why_void(deal, reader, mine)


def _why_too_late(deal: Deal) -> str:
    try:
        require_acceptable(deal)
    except Refused as refused:
        return str(refused)
    return ""


def _why_void(deal: Deal, reader: Reader, mine: DealParty) -> str:
    if deal.state == Deal.State.WITHDRAWN:
        if mine.seat == deal.author_seat:
            return _("You withdrew this deal. There is nothing left to answer.")
        words = {"name": first_in_sentence(reader.name_of(deal.author_id))}
        # Translators: name is the player who proposed the deal.
        return _("%(name)s withdrew this deal. There is nothing left to answer.") % words
    if deal.state == Deal.State.DECLINED:
        if mine.answer == DealParty.Answer.DECLINED:
            return _("You declined this deal. There is nothing left to answer.")
        return _("This deal was declined. There is nothing left to answer.")
    return _("This deal was not accepted in time. There is nothing left to answer.")
