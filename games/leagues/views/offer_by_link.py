"""A substitute's offer of a seat, opened by an email's link."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.time_elements import moment_element, with_times
from games.leagues.models import OpenSeat, SubstituteOffer
from games.leagues.selectors.league_tables import others_at
from games.leagues.services import offer_answers
from games.leagues.services.open_seats import seat_of
from games.leagues.views.link_page import Button, LinkPage
from games.links import seat_url

_MAY_STILL_ACCEPT = (SubstituteOffer.Answer.DECLINED, SubstituteOffer.Answer.SILENT)


def offer_page(ask: SubstituteOffer) -> LinkPage:
    """Return the page on which a substitute accepts or declines a seat."""
    row = ask.open_seat.table
    is_open = ask.answer == SubstituteOffer.Answer.OPEN
    return LinkPage(
        row.round.division.season,
        _("Can you take a seat?") if is_open else _("A seat we offered you"),
        tuple(_offer_text(ask, {"table": row.game_table.name, "until": moment_element(ask.until)})),
        tuple(_buttons_for(ask)),
        {"accept": lambda request: _accept(ask), "decline": lambda request: _decline(ask)},
        leads_to=_own_seat_url(ask),
    )


def _own_seat_url(ask: SubstituteOffer) -> str:
    """Return the URL of the seat, while it's the substitute's."""
    seat = seat_of(ask.open_seat)
    return seat_url(seat) if seat.user_id == ask.substitute.user_id else ""


def _offer_text(ask: SubstituteOffer, words: dict[str, str]) -> Iterator[str]:
    if ask.answer != SubstituteOffer.Answer.OPEN:
        # Translators: table is the table's name.
        yield _("We asked you to take a seat at “%(table)s”.") % words
        yield _answer_text(ask)
        return
    # Translators: table is the table's name.
    yield _("A seat at “%(table)s” needs a substitute.") % words
    # Translators: names is a list of players.
    yield _("Players there: %(names)s.") % {"names": others_at(ask.open_seat)}
    yield _("You get the seat’s hand and log, and the full time for your first move.")
    # Translators: until is a date and time.
    yield with_times(_("Please answer by %(until)s. After that, we ask the next substitute."), words)
    yield _("Taking a seat never costs you points or rating.")


def _buttons_for(ask: SubstituteOffer) -> Iterator[Button]:
    """Yield the buttons for an offer.

    Substitutes who declined or didn't answer can still take the seat while it is open.
    """
    if ask.answer == SubstituteOffer.Answer.OPEN:
        yield Button("accept", _("Take the seat"))
        yield Button("decline", pgettext("a seat as a substitute", "Decline this time"), is_quiet=True)
    elif ask.answer in _MAY_STILL_ACCEPT and ask.open_seat.state in OpenSeat.SOUGHT:
        yield Button("accept", _("Take the seat after all"), is_quiet=True)


def _answer_text(ask: SubstituteOffer) -> str:
    return {
        SubstituteOffer.Answer.ACCEPTED: _("You took the seat."),
        SubstituteOffer.Answer.DECLINED: _("You declined."),
        SubstituteOffer.Answer.SILENT: _("You didn’t answer in time, so we asked others."),
        SubstituteOffer.Answer.NEEDLESS: _("The seat no longer needs a substitute."),
    }[SubstituteOffer.Answer(ask.answer)]


def _accept(ask: SubstituteOffer) -> str:
    offer_answers.accept(ask)
    return _("You took the seat. We’ll email you when it’s your turn.")


def _decline(ask: SubstituteOffer) -> str:
    offer_answers.decline(ask)
    return _("You declined. Thanks for answering: we’re asking the next substitute.")
