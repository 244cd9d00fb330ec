"""Why the rules refuse a move, in a sentence for the person who tried it."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.rules import IllegalMove, Reason

_SENTENCES = {
    Reason.GAME_OVER: gettext_lazy("The game is over."),
    Reason.SHUFFLE_OWED: gettext_lazy("The table must shuffle first."),
    Reason.NO_SHUFFLE_OWED: gettext_lazy("Only the table itself shuffles."),
    Reason.NOT_THE_PILE: gettext_lazy("Only the table itself shuffles."),
    Reason.NOT_ASKED: gettext_lazy("You are not asked for a move now."),
    Reason.NOT_THE_QUESTION: gettext_lazy("That does not answer what you are asked now."),
    Reason.REGION_CONTROLLED: gettext_lazy("That region is controlled already. Choose a free one."),
    Reason.REGION_UNDER_POPE: gettext_lazy("The Pope protects that region. Choose another."),
    Reason.REGION_OWN: gettext_lazy("That region is yours already. Choose another."),
    Reason.NOTHING_FACE_DOWN: gettext_lazy("You have no card face down to turn up."),
    Reason.BISHOP_WITHOUT_POPE: gettext_lazy("Say where the Bishop sends the Pope."),
    Reason.NO_POPE: gettext_lazy("There is no Pope in the game of 1995: play the Bishop alone."),
    Reason.SCARECROW_OWN_LINE: gettext_lazy("A Scarecrow takes from your own line only."),
    Reason.SCARECROW_WITHOUT_SEAT: gettext_lazy("Say from whose line the Scarecrow takes the Mercenary."),
    Reason.CARD_NOT_IN_HAND: gettext_lazy("You do not have that card in your hand."),
    Reason.POPE_REGION_CONTROLLED: gettext_lazy("The Pope can only go to a region that nobody controls."),
    Reason.POPE_REGION_FOUGHT_FOR: gettext_lazy("The Pope cannot go to the region being fought for."),
    Reason.POPE_STAYS: gettext_lazy("In the final battle the Pope stays where he is."),
    Reason.NO_SUCH_MERCENARY: gettext_lazy("There is no such Mercenary in your line to take back."),
    Reason.CARDS_NOT_IN_HAND: gettext_lazy("You do not have those cards in your hand."),
}


def refusal(error: IllegalMove) -> str:
    """What to tell the person whose move was refused."""
    return str(_SENTENCES[error.reason])


def unreadable(text: str) -> str:
    """What to tell somebody whose text is no move at all; long texts are cut."""
    shown = "".join(character for character in text if character.isprintable())
    if len(shown) > 40:
        shown = shown[:40] + "…"
    return _("“%(text)s” is not a move. Choose one of those offered.") % {"text": shown}
