"""Check a game's shuffles step by step and explain each check (RECORD.md, "A provable shuffle").

Reads only, and replays once. For a running game it holds only what is public: no secret, and no log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.models import Game, LogEntry, Seat
from games.models.matches import what_follows
from games.narration.cast import Cast, comma_list
from games.narration.vocabulary import card_name
from games.rules import (
    CardsDealt,
    FinalBattle,
    MatchWon,
    Replay,
    commitment,
    drawn_by_clock,
    first_condottiere,
    legal_moves,
    nonce_from_secret,
    nonce_from_words,
    replay,
    result_json,
    shuffled,
)

OWN_WORDS, TABLE, NOT_KNOWN, WRONG = "own words", "table", "not known", "wrong"


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


@dataclass(frozen=True)
class Shuffle:
    """One shuffle of the log, next to what the key makes of the same cards."""

    number: int  # from 0, as in the scheme
    ply: int
    text: str
    is_right: bool
    logged: str
    computed: str
    url: str  # address of the position after it

    @property
    def entry(self) -> int:
        """Its number in the history, which counts from 1."""
        return self.ply + 1


@dataclass(frozen=True)
class FairnessCheck:
    """One completed check; `is_right` is None where this page cannot tell."""

    title: str
    sentences: list[str]
    is_right: bool | None
    values: list[tuple[str, str]]
    shuffles: list[Shuffle]


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
        """The nonces that are part of the key: in a final battle only those of its seats (R28)."""
        if not self.game.nonces or self.hides_nonces:
            return []
        given = dict(Seat.objects.filter(table=self.table).values_list("number", "nonce"))
        return [
            Nonce(
                self._names[seat],
                self.game.nonces[seat],
                self._origin(seat, given.get(seat, "")),
                bool(self.words_nonce) and self.words_nonce == self.game.nonces[seat].lower(),
            )
            for seat in self.game.fighters
        ]

    @property
    def hides_nonces(self) -> bool:
        """Whether the nonces would reveal a player's seat to anyone who knows that player's words."""
        return bool(self.table.anonymity) and not self.game.is_over

    @property
    def owners_of_words(self) -> list[str]:
        """The players whose nonces the words make that the reader has just typed."""
        return [nonce.name for nonce in self.nonces if nonce.is_of_words_typed]

    def _origin(self, seat: int, given: str) -> str:
        """Return a nonce's origin: during the game from the seat's row; afterwards recomputed."""
        value = self.game.nonces[seat]
        if not self.game.is_over:
            return OWN_WORDS if given else TABLE
        if given:
            return OWN_WORDS if given == value else WRONG
        if nonce_from_secret(self.table.secret_of(1), seat).hex() == value.lower():  # in a match nonces stay
            return TABLE
        return NOT_KNOWN if self.table.is_imported else WRONG

    @cached_property
    def steps(self) -> list[FairnessCheck]:
        """The checks; none while the game runs."""
        if not self.game.is_over:
            return []
        proving = [self._fits, self._nonces, self._key_made, self._beginning, self._shuffles]
        if self._draws:
            proving.append(self._regions)
        return [make() for make in [*(proving if self.has_secret else []), self._moves]]

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

    def _fits(self) -> FairnessCheck:
        computed = commitment(self._secret)
        sentences = [_("The SHA-256 hash of the secret, computed just now, is the commitment.")]
        if self.is_later_game:
            sentences.append(
                _("It is also the secret of the previous game, which everyone saw when that game ended.")
            )
        elif not self.table.is_imported:
            sentences.append(
                _(
                    "This page reads both from the same database. Compare the commitment with the one you "
                    "wrote "
                    "down when you took your seat."
                )
            )
        values = [
            (pgettext("fair shuffle", "Secret"), self.secret),
            (_("SHA-256 of the secret"), computed),
            (pgettext("fair shuffle", "Commitment"), self.commitment),
        ]
        return _step(_("The secret matches the commitment"), sentences, computed == self.commitment, values)

    def _nonces(self) -> FairnessCheck:
        sentences = [_NONCE_TEXTS[nonce.origin]() % {"name": nonce.name} for nonce in self.nonces]
        origins = {nonce.origin for nonce in self.nonces}
        right = (
            None if NOT_KNOWN in origins and WRONG not in origins else bool(origins) and WRONG not in origins
        )
        values = [(nonce.name, nonce.value) for nonce in self.nonces]
        return _step(_("Nonces of the players"), sentences, right, values)

    def _key_made(self) -> FairnessCheck:
        if self._key is None:
            return _step(
                pgettext("fair shuffle", "Key"), [_("The nonces cannot be read, so there is no key.")], False
            )
        sentences = [
            _(
                "The secret and the nonces, in the order of the seats, make the key. Every shuffle "
                "follows from it."
            )
        ]
        return _step(
            pgettext("fair shuffle", "Key"),
            sentences,
            True,
            [(pgettext("fair shuffle", "Key"), self._key.hex())],
        )

    def _beginning(self) -> FairnessCheck:
        game, title = self.game, _("First player")
        said = {"name": self._names[game.first_condottiere]}
        if game.number > 1 or game.final_battle is not None:
            return self._followed(title, said)
        if game.is_first_set:
            # Translators: %(source)s is the name of a league.
            text = _("%(name)s was the first player, by the rules of %(source)s. No one was drawn.")
            return _step(title, [text % (said | {"source": self.table.source})], None)
        drawn = None if self._key is None else first_condottiere(self._key, game.players)
        if drawn == game.first_condottiere:
            return _step(title, [_("The key draws %(name)s as the first Condottiere.") % said], True)
        if self.table.is_imported:
            return _step(
                title,
                [_("%(name)s was the first player. The record does not say that this was drawn.") % said],
                None,
            )
        text = _("%(name)s was the first player, but the key draws someone else.")
        return _step(title, [text % said], False)

    def _followed(self, title: str, said: dict[str, str]) -> FairnessCheck:
        """Check a match's first player: no one draws, the previous game decides (R28, R29)."""
        before = Game.objects.filter(table=self.table, number=self.game.number - 1).first()
        if before is None or not before.is_over or not self.table.is_match:
            text = _("%(name)s was the first player. The previous game is not here, so this is not checked.")
            return _step(title, [text % said], None)
        before.table = self.table
        following = what_follows(before)
        if isinstance(following, MatchWon):
            return _step(title, [_("The match was over before this game.")], False)
        first = following.seats[following.first] if isinstance(following, FinalBattle) else following.first
        if first == self.game.first_condottiere:
            return _step(
                title, [_("%(name)s was the first player, as follows from the previous game.") % said], True
            )
        return _step(
            title,
            [_("%(name)s was the first player, which does not follow from the previous game.") % said],
            False,
        )

    def _shuffles(self) -> FairnessCheck:
        title = pgettext("heading", "Shuffles")
        if self._key is None:
            return _step(title, [_("Without a key the shuffles cannot be computed.")], False)
        found = list(self._shuffles_played(self._key))
        wrong = next((shuffle for shuffle in found if not shuffle.is_right), None)
        sentences = [
            ngettext(
                "%(count)d shuffle was computed from the key and compared with the log.",
                "%(count)d shuffles were computed from the key and compared with the log.",
                len(found),
            )
            % {"count": len(found)}
        ]
        if wrong is not None:
            # Translators: both are numbers that identify something.
            said = _("Shuffle %(number)d, in entry %(entry)d of the log, does not follow from the key.")
            sentences.append(said % {"number": wrong.number + 1, "entry": wrong.entry})
        elif self._played.error is not None:
            # Translators: %(entry)d and %(ply)d identify an entry of the log.
            said = _(
                "Entry %(entry)d of the log (ply %(ply)d in the record) cannot be played. Nothing after it "
                "was compared."
            )
            sentences.append(said % _entry(self._played.error[0]))
        right = None if wrong is None and self._played.error is not None else wrong is None
        return FairnessCheck(title, sentences, right, [], found)

    @cached_property
    def _draws(self) -> list[int]:
        """Return the entries in which the clock chose a region, as far as the log can be played."""
        clocks = set(self.game.log.filter(via=LogEntry.Via.CLOCK).values_list("ply", flat=True))
        return [
            ply
            for ply, entry in enumerate(self._played.plies)
            if ply in clocks and entry.move.kind == "place"
        ]

    def _regions(self) -> FairnessCheck:
        """Check the regions drawn by the site for players who ran out of time."""
        title, key = _("Regions drawn by the site"), self._key
        if key is None:
            return _step(title, [_("Without a key the regions cannot be drawn.")], False)
        wrong = next((ply for ply in self._draws if not self._is_drawn(ply, key)), None)
        text = ngettext(
            "%(count)d region was drawn from the key again and compared with the log.",
            "%(count)d regions were drawn from the key again and compared with the log.",
            len(self._draws),
        )
        said = [text % {"count": len(self._draws)}]
        if wrong is not None:
            # Translators: %(entry)d and %(ply)d identify an entry of the log.
            bad = _(
                "Entry %(entry)d of the log (ply %(ply)d in the record) has a region that the key does "
                "not draw."
            )
            said.append(bad % _entry(wrong))
        return _step(title, said, wrong is None)

    def _is_drawn(self, ply: int, key: bytes) -> bool:
        entry = self._played.plies[ply]
        assert entry.seat is not None
        regions = legal_moves(self._played.states[ply], entry.seat)
        return entry.move == regions[drawn_by_clock(key, ply, len(regions))]

    def _shuffles_played(self, key: bytes) -> Iterator[Shuffle]:
        for ply, (before, entry) in enumerate(zip(self._played.states, self._played.plies, strict=False)):
            if entry.seat is None:
                computed = shuffled(key, before.shuffles, before.shuffle_pile)
                yield Shuffle(
                    before.shuffles,
                    ply,
                    self._served([event for event in entry.events if isinstance(event, CardsDealt)]),
                    entry.move.cards == computed,
                    comma_list(map(card_name, entry.move.cards)),
                    comma_list(map(card_name, computed)),
                    self._position_url(ply + 1),
                )

    def _served(self, dealt: list[CardsDealt]) -> str:
        """Return which deal a shuffle was for."""
        hands = [(event.seat, event.count) for event in dealt if event.count]
        # Translators: hands is a list of players and numbers of cards, such as "Anna 10, Bruno 10".
        text = _("Cards dealt from it at once: %(hands)s.")
        return text % {"hands": Cast(self._names).with_values(hands)} if hands else ""

    def _moves(self) -> FairnessCheck:
        title, played = _("Moves and result"), self._played
        if played.error is not None:
            ply, reason = played.error
            # Translators: %(entry)d and %(ply)d identify an entry of the log; %(reason)s is in English.
            text = _(
                "Entry %(entry)d of the log (ply %(ply)d in the record) cannot be played. Reason: %(reason)s"
            )
            return _step(title, [text % {**_entry(ply), "reason": reason}], False)
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
            return _step(title, said, True)
        right = played.state.is_over and result_json(played.state.result) == self.game.result
        said.append(
            _("They lead to the recorded result.") if right else _("They do not lead to the recorded result.")
        )
        return _step(title, said, right)


def _entry(ply: int) -> dict[str, object]:
    """Return a log entry's number in the history and in the record."""
    return {"entry": ply + 1, "ply": ply}


def _step(
    title: str, sentences: list[str], right: bool | None, values: list[tuple[str, str]] | None = None
) -> FairnessCheck:
    return FairnessCheck(title, sentences, right, values or [], [])


_NONCE_TEXTS = {
    OWN_WORDS: lambda: _(
        "%(name)s: made from the player's own words. Only someone who knows the words can check it."
    ),
    TABLE: lambda: _(
        "%(name)s: computed from the secret just now, because the player gave no words. It matches."
    ),
    NOT_KNOWN: lambda: _(
        "%(name)s: not computed from the secret. It should be from the player's own words, but this site "
        "does not know."
    ),
    WRONG: lambda: _(
        "%(name)s: made neither from words given here nor from the secret. One of them was changed."
    ),
}
