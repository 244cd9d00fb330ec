"""The page of a game's shuffles: the commitment, the nonces and, after the game, all checks.

Reads only, and replays once. For a running game it holds only what is public: no secret, and no log.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.fairness.check import FairnessCheck, entry_numbers
from games.fairness.copied_entries import check_copied_entries
from games.fairness.drawn_regions import check_drawn_regions, entries_drawn
from games.fairness.first_player import check_first_player
from games.fairness.nonces import Nonce, check_nonces, nonces_of
from games.fairness.shuffles import check_shuffles
from games.models import Game
from games.rules import Replay, commitment, nonce_from_words, replay, result_json


class FairnessProof:
    """The content of a game's shuffles page. `words` are what a reader typed to find their nonce."""

    def __init__(
        self, game: Game, names: tuple[str, ...], position_url: Callable[[int], str], words: str = ""
    ) -> None:
        self.game, self.table = game, game.table
        self.words_nonce = nonce_from_words(words).hex() if words else ""
        self._names, self._position_url = names, position_url

    @property
    def has_secret(self) -> bool:
        """Whether this site knows the secret; not for records that came without it."""
        return bool(self.table.secret)

    @property
    def commitment(self) -> str:
        """The commitment to the game's secret."""
        return self.table.commitment_of(self.game.number)

    @property
    def is_later_game(self) -> bool:
        """Whether the commitment is the secret of the previous game, in a match."""
        return self.game.number > 1

    @property
    def secret(self) -> str:
        """The secret; empty while the game runs."""
        return self._secret.hex() if self.game.is_over else ""

    @cached_property
    def nonces(self) -> list[Nonce]:
        """The nonces that are part of the key; none while they are hidden."""
        if not self.game.nonces or self.hides_nonces:
            return []
        return nonces_of(self.game, self._names, self.words_nonce)

    @property
    def hides_nonces(self) -> bool:
        """Whether the nonces would reveal a player's seat to anyone who knows that player's words."""
        return bool(self.table.anonymity) and not self.game.is_over

    @property
    def owners_of_words(self) -> list[str]:
        """The players whose nonces the words make that the reader has just typed."""
        return [nonce.name for nonce in self.nonces if nonce.is_of_words_typed]

    @cached_property
    def steps(self) -> list[FairnessCheck]:
        """The checks; none while the game runs."""
        if not self.game.is_over:
            return []
        checks = self._checks_of_key() if self.has_secret else []
        return [*checks, self._check_moves()]

    def _checks_of_key(self) -> list[FairnessCheck]:
        """Check the secret, and all that follows from it and the nonces."""
        game, key, played = self.game, self._key, self._played
        checks = [
            self._check_commitment(),
            check_nonces(self.nonces),
            self._check_key(),
            check_first_player(game, self._names, key),
            *check_copied_entries(game),
            check_shuffles(key, played, self._names, self._position_url, game.copied_entries),
        ]
        if drawn := entries_drawn(game, played):
            checks.append(check_drawn_regions(key, played, drawn))
        return checks

    @property
    def failed(self) -> FairnessCheck | None:
        """The first check that fails."""
        return next((step for step in self.steps if step.is_right is False), None)

    @property
    def _secret(self) -> bytes:
        return self.table.secret_of(self.game.number)

    @cached_property
    def _key(self) -> bytes | None:
        try:
            return self.game.key
        except (ValueError, LookupError, TypeError):  # unreadable nonces
            return None

    @cached_property
    def _played(self) -> Replay:
        game = self.game
        entries = game.log.order_by("ply").values_list("seat", "move")
        return replay(game.table.options, game.players, game.first_condottiere, entries, game.final_battle)

    def _check_commitment(self) -> FairnessCheck:
        computed = commitment(self._secret)
        sentences = [_("The SHA‑256 hash of the secret, computed just now, is the commitment.")]
        if self.is_later_game:
            sentences.append(
                _("It is also the secret of the previous game, which everyone saw when that game ended.")
            )
        elif not self.table.is_imported:
            sentences.append(
                _(
                    "This page reads both from the same database. Compare the commitment with a copy from "
                    "before the game: players got one in their first email about it."
                )
            )
        values = [
            (pgettext("fair shuffle", "Secret"), self.secret),
            (_("SHA‑256 of the secret"), computed),
            (pgettext("fair shuffle", "Commitment"), self.commitment),
        ]
        return FairnessCheck(
            _("The secret matches the commitment"), sentences, computed == self.commitment, values
        )

    def _check_key(self) -> FairnessCheck:
        if self._key is None:
            return FairnessCheck(
                pgettext("fair shuffle", "Key"), [_("The nonces can’t be read, so there is no key.")], False
            )
        sentences = [
            _(
                "The secret and the nonces, in the order of the seats, make the key. Every shuffle "
                "follows from it."
            )
        ]
        return FairnessCheck(
            pgettext("fair shuffle", "Key"),
            sentences,
            True,
            [(pgettext("fair shuffle", "Key"), self._key.hex())],
        )

    def _check_moves(self) -> FairnessCheck:
        title, played = _("Moves and result"), self._played
        if played.error is not None:
            ply, reason = played.error
            # Translators: %(entry)d and %(ply)d identify an entry of the log; %(reason)s is in English.
            text = _(
                "Entry %(entry)d of the log (ply %(ply)d in the record) can’t be played. Reason: %(reason)s"
            )
            return FairnessCheck(title, [text % {**entry_numbers(ply), "reason": reason}], False)
        text = ngettext(
            "%(count)d entry of the log was played again by the rules, and it is legal.",
            "%(count)d entries of the log were played again by the rules, and all are legal.",
            len(played.plies),
        )
        said = [text % {"count": len(played.plies)}]
        if self.game.ended:
            said.append(
                _(
                    "The game ended by agreement or by decision, not by the rules, so the result is not "
                    "checked."
                )
            )
            return FairnessCheck(title, said, True)
        right = played.state.is_over and result_json(played.state.result) == self.game.result
        said.append(
            _("They lead to the recorded result.") if right else _("They do not lead to the recorded result.")
        )
        return FairnessCheck(title, said, right)
