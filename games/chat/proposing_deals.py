"""The form to propose a deal, for one reader in one channel. Reads only."""

from __future__ import annotations

from typing import cast

from django.http import QueryDict
from django.utils.translation import gettext as _

from games.chat.access import Reader
from games.chat.deals_page import seat_choices
from games.chat.forms.deal_form import DealForm
from games.chat.models import Channel, Deal
from games.chat.promise_course import progress_of
from games.chat.services.deals import has_rounds, judged_kinds, newest_deal, people_of, running_game
from games.models import Game, Seat
from games.services import Refused


def game_for_deals(channel: Channel, reader: Reader) -> Game:
    """Return the game about which the reader can propose deals in this channel now. Raises Refused."""
    game = running_game(reader.table)
    if silent := reader.why_silent(channel) or _why_alone(channel, reader):
        raise Refused(silent)
    return game


def _why_alone(channel: Channel, reader: Reader) -> str:
    if len(people_of(channel, reader.table)) > 1:
        return ""
    return _("There is no one else in this channel. You can’t propose deals to bots.")


def deal_form(channel: Channel, reader: Reader, game: Game, typed: QueryDict | None) -> DealForm:
    """Return the form, with what was typed."""
    mine = cast(Seat, reader.seat).number
    others = [seat.number for seat in people_of(channel, reader.table) if seat.number != mine]
    ((number, name),) = seat_choices(reader, [mine])
    return DealForm(
        typed,
        me=(number, _("%(name)s (you)") % {"name": name}),
        others=seat_choices(reader, others),
        kinds=judged_kinds(game),
        current=current_numbers(game),
        initial={"after": newest_deal(channel)},
    )


def current_numbers(game: Game) -> dict[str, int]:
    """Return the numbers of the current round, if the game has rounds, and of the current or next battle."""
    count = progress_of(game)
    rounds = {str(Deal.Until.ROUND): count.rounds + 1} if has_rounds(game) else {}
    return {str(Deal.Until.BATTLE): count.battles + 1, **rounds}
