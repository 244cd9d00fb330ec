"""Why the rules refuse a move, in a sentence for the person who tried it."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.characters import printable, shortened
from games.rules import IllegalMove, Reason

_SENTENCES = {
    Reason.GAME_OVER: gettext_lazy("The game is over."),
    Reason.SHUFFLE_OWED: gettext_lazy("The site must shuffle first."),
    Reason.NO_SHUFFLE_OWED: gettext_lazy("Only the site shuffles."),
    Reason.NOT_THE_PILE: gettext_lazy("Only the site shuffles."),
    Reason.NOT_ASKED: gettext_lazy("It’s not your turn."),
    Reason.NOT_THE_QUESTION: gettext_lazy("That move isn’t possible now. Choose one of those offered."),
    Reason.REGION_CONTROLLED: gettext_lazy("That region is already taken. Choose another."),
    Reason.REGION_UNDER_POPE: gettext_lazy("The Pope protects that region. Choose another."),
    Reason.REGION_OWN: gettext_lazy("You already hold that region. Choose another."),
    Reason.NOTHING_FACE_DOWN: gettext_lazy("You have no face-down card to turn up."),
    Reason.BISHOP_WITHOUT_POPE: gettext_lazy("Choose where the Bishop sends the Pope."),
    Reason.NO_POPE: gettext_lazy("The 1995 game has no Pope. Play the Bishop alone."),
    Reason.SCARECROW_OWN_LINE: gettext_lazy(
        "A Scarecrow takes a Mercenary only from your own line. Choose one there."
    ),
    Reason.SCARECROW_WITHOUT_SEAT: gettext_lazy(
        "Choose the line from which the Scarecrow takes a Mercenary."
    ),
    Reason.CARD_NOT_IN_HAND: gettext_lazy("That card isn’t in your hand. Choose another."),
    Reason.POPE_REGION_CONTROLLED: gettext_lazy("Someone holds that region. Send the Pope to a free one."),
    Reason.POPE_REGION_FOUGHT_FOR: gettext_lazy(
        "The Pope can’t go to the region you’re fighting for. Choose another."
    ),
    Reason.POPE_STAYS: gettext_lazy("In the final battle the Pope stays where he is."),
    Reason.NO_SUCH_MERCENARY: gettext_lazy("That Mercenary isn’t in your line. Choose another."),
    Reason.CARDS_NOT_IN_HAND: gettext_lazy("Those cards aren’t in your hand. Choose others."),
}


def refusal(error: IllegalMove) -> str:
    """Return the message for a person whose move was refused."""
    return str(_SENTENCES[error.reason])


def unreadable(text: str) -> str:
    """Return the message for text that is no move at all; long texts are cut."""
    shown = shortened(printable(text, ""), 41)
    # Translators: text is what a person sent as a move.
    return _("“%(text)s” is not a move. Choose one of those offered.") % {"text": shown}
