"""The players' nonces, which are part of the key of every shuffle, and where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from games.fairness.check import FairnessCheck
from games.models import Game, Seat
from games.rules import nonce_from_secret

OWN_WORDS, TABLE, NOT_KNOWN, WRONG = "own words", "table", "not known", "wrong"
_NONCE_TEXTS = {
    OWN_WORDS: lambda: _(
        "%(name)s: made from the player’s own words. Only someone who knows the words can check it."
    ),
    TABLE: lambda: _(
        "%(name)s: computed from the secret just now, because the player gave no words. It matches."
    ),
    NOT_KNOWN: lambda: _(
        "%(name)s: not computed from the secret. It should be from the player’s own words, but this site "
        "does not know."
    ),
    WRONG: lambda: _(
        "%(name)s: made neither from words entered here nor from the secret. One of them was changed."
    ),
}


@dataclass(frozen=True)
class Nonce:
    """A seat's part in every shuffle, and its origin, as far as one may know at this point."""

    name: str
    value: str
    origin: str
    is_of_words_typed: bool = False  # whether the words that the reader has just typed make it

    @property
    def is_own_words(self) -> bool:
        """Whether the player's own words made it."""
        return self.origin == OWN_WORDS


def nonces_of(game: Game, names: Sequence[str], words_nonce: str) -> list[Nonce]:
    """Return the nonces that are part of the key: in a final battle only those of its seats (R28).

    `words_nonce` is made from the words that the reader has just typed; empty for none.
    """
    given = dict(Seat.objects.filter(table=game.table).values_list("number", "nonce"))
    return [
        Nonce(
            names[seat],
            game.nonces[seat],
            _origin_of(game, seat, given.get(seat, "")),
            bool(words_nonce) and words_nonce == game.nonces[seat].lower(),
        )
        for seat in game.fighters
    ]


def _origin_of(game: Game, seat: int, given: str) -> str:
    """Return a nonce's origin: during the game from the seat's row; afterwards recomputed."""
    value = game.nonces[seat]
    if not game.is_over:
        return OWN_WORDS if given else TABLE
    if given:
        return OWN_WORDS if given == value else WRONG
    if nonce_from_secret(game.table.secret_of(1), seat).hex() == value.lower():  # in a match nonces stay
        return TABLE
    return NOT_KNOWN if game.table.is_imported else WRONG


def check_nonces(nonces: Sequence[Nonce]) -> FairnessCheck:
    """Check what each nonce was made from."""
    sentences = [_NONCE_TEXTS[nonce.origin]() % {"name": nonce.name} for nonce in nonces]
    origins = {nonce.origin for nonce in nonces}
    right = None if NOT_KNOWN in origins and WRONG not in origins else bool(origins) and WRONG not in origins
    values = [(nonce.name, nonce.value) for nonce in nonces]
    return FairnessCheck(_("Nonces of the players"), sentences, right, values)
