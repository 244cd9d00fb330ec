"""Battles as short paragraphs. Gets redacted events only, and says nothing that they do not say."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from games.map.region_names import region_name
from games.narration.battles import Battle, Turn
from games.narration.cast import Cast, comma_list
from games.narration.entries import entry_sentences
from games.narration.moves import narrate
from games.narration.vocabulary import card_name
from games.rules import events as happened

NamesAt = Callable[[int], Sequence[str]]

TO_AND_FRO = 3  # consecutive changes of the lead that make one sentence
# Events between two battles, told with the one before or after.
_DISCARDS = (happened.HandsShown, happened.HandsDropped)


def story(battle: Battle, names_at: NamesAt, clocked: Container[int] = ()) -> list[str]:
    """Return the battle in a few sentences: who began it, how the lead changed and why, and the result.

    `names_at` says who had the seats at an entry, `clocked` are the entries that the clock made.
    """
    return _Story(battle, names_at, clocked).sentences()


@dataclass(frozen=True)
class _Story:
    battle: Battle
    names_at: NamesAt
    clocked: Container[int]

    def sentences(self) -> list[str]:
        end = self.battle.end
        before = [self._discarded(at) for at in self.battle.seen if end is None or at[0] < end]
        after = [self._discarded(at) for at in self.battle.seen if end is not None and at[0] >= end]
        sentences = [self._opening(), self._idle(), *before, *self._course(), *self._leaving()]
        return [sentence for sentence in [*sentences, *self._result(), *after] if sentence]

    def _cast(self, ply: int | None = None) -> Cast:
        """Return who had the seats at an entry, or at the battle's end."""
        return Cast.of(self.names_at(self._last if ply is None else ply))

    @property
    def _last(self) -> int:
        """The entry whose seat names are used at the battle's end."""
        return self.battle.seen[-1][0] if self.battle.end is None else self.battle.end

    def _opening(self) -> str:
        """Return who began the battle."""
        for ply, event in self.battle.seen:
            if isinstance(event, happened.RegionChosen):
                return " ".join(entry_sentences(event, self._cast(ply), by_clock=ply in self.clocked))
            if isinstance(event, happened.FinalBattleBegun):
                # Translators: names are players, such as "Anna and Bruno".
                return _("Fought the final battle: %(names)s.") % {"names": self._cast().listed(event.seats)}
        return ""

    def _discarded(self, at: tuple[int, happened.Event]) -> str:
        """Return a sentence on hands discarded before the first card, or after the last."""
        ply, event = at
        is_worth_it = isinstance(event, _DISCARDS) and event.hands
        return " ".join(narrate([event], self.names_at(ply))) if is_worth_it else ""

    def _idle(self) -> str:
        """Return who played no card, where others did and the battle is over."""
        idle = [seat for seat in self._fighters if seat not in self.battle.played]
        if not idle or not self.battle.played or self.battle.end is None:
            return ""
        if list(self.battle.played) == [self._chooser]:
            return _("No one else played a card.")
        if len(self.battle.played) == 1:
            (alone,) = self.battle.played
            # Translators: name is a player.
            return self._cast().say(alone, _("Only you played cards."), _("Only %(name)s played cards."))
        if len(idle) == 1:
            # Translators: name is a player.
            return self._cast().say(idle[0], _("You played no card."), _("%(name)s played no card."))
        return self._cast().say_of_several(
            idle,
            # Translators: names are players, such as "You and Anna".
            pgettext("the reader and others", "%(names)s played no card."),
            # Translators: names are players, such as "Anna and Bruno".
            _("%(names)s played no card."),
        )

    @property
    def _chooser(self) -> int | None:
        chosen = [event for _ply, event in self.battle.seen if isinstance(event, happened.RegionChosen)]
        return chosen[0].seat if chosen else None

    @property
    def _fighters(self) -> Sequence[int]:
        for _ply, event in self.battle.seen:
            if isinstance(event, happened.FinalBattleBegun):
                return event.seats
        if self.battle.region is None:
            return list(self.battle.played)
        return range(len(self.names_at(self._last)))

    def _course(self) -> list[str]:
        """Return how the lead changed; consecutive ordinary changes are one sentence."""
        sentences: list[str] = []
        run: list[Turn] = []
        leader = None
        for turn in self.battle.turns:
            changes = turn.leads not in (None, leader)
            leader = leader if turn.leads is None else turn.leads
            if turn.is_ordinary and turn is not self.battle.decisive and not turn.took_the_lead_away:
                run += [turn] if changes else []
                continue
            sentences += [*self._run(run), *self._turn(turn)]
            run = []
        return [*sentences, *self._run(run)]

    def _run(self, run: Sequence[Turn]) -> list[str]:
        if len(run) < TO_AND_FRO:
            return [sentence for turn in run for sentence in self._change(turn)]
        leads = comma_list(
            f"{self._cast(turn.ply).called(turn.leads)} {turn.totals[turn.leads]}"
            for turn in run
            if turn.leads is not None
        )
        # Translators: leads is a list of players and numbers, such as "Anna 1, Bruno 3, Anna 6".
        return [_("The lead changed hands, with this strength: %(leads)s.") % {"leads": leads}]

    def _level(self, turn: Turn) -> str:
        """Return who shares the highest strength; empty where no one has any."""
        return _level_at(turn.totals, self._cast(turn.ply))

    def _change(self, turn: Turn) -> list[str]:
        """Return sentences for an ordinary card that changed who leads."""
        if turn.leads != turn.seat:
            return [self._taken(turn), self._leads(turn)]
        if self._is_first_lead(turn):
            return [
                self._of_leader(
                    turn,
                    # Translators: strength is a number.
                    _("You led first, with strength %(strength)d."),
                    # Translators: name is a player, strength is a number.
                    _("%(name)s led first, with strength %(strength)d."),
                )
            ]
        if turn.is_turned_up:
            return [
                self._of_leader(
                    turn,
                    # Translators: card is a card's name, strength is a number.
                    _("You turned up %(card)s and took the lead with strength %(strength)d."),
                    # Translators: name is a player, card is a card's name, strength is a number.
                    _("%(name)s turned up %(card)s and took the lead with strength %(strength)d."),
                )
            ]
        if turn.is_mercenary:
            return [
                self._of_leader(
                    turn,
                    # Translators: strength is a number.
                    _("You took the lead with strength %(strength)d."),
                    # Translators: name is a player, strength is a number.
                    _("%(name)s took the lead with strength %(strength)d."),
                )
            ]
        return [
            self._of_leader(
                turn,
                # Translators: card is a card's name, strength is a number.
                _("You played %(card)s and took the lead with strength %(strength)d."),
                # Translators: name is a player, card is a card's name, strength is a number.
                _("%(name)s played %(card)s and took the lead with strength %(strength)d."),
            )
        ]

    def _of_leader(self, turn: Turn, you: str, name: str) -> str:
        """Return the message about the player who leads after this turn."""
        assert turn.leads is not None
        card = card_name(turn.card) if turn.card else ""
        return self._cast(turn.ply).say(turn.leads, you, name, card=card, strength=max(turn.totals))

    def _leads(self, turn: Turn) -> str:
        return self._of_leader(
            turn,
            # Translators: strength is a number.
            _("You led with strength %(strength)d."),
            # Translators: name is a player, strength is a number.
            _("%(name)s led with strength %(strength)d."),
        )

    def _leads_to_the_end(self, turn: Turn) -> str:
        return self._of_leader(
            turn,
            _("After that, you led to the end."),
            # Translators: name is a player.
            _("After that, %(name)s led to the end."),
        )

    def _is_first_lead(self, turn: Turn) -> bool:
        """Return whether no one led, or was level with others, before this card."""
        earlier = [other for other in self.battle.turns if other.ply < turn.ply]
        return not any(any(other.totals) for other in earlier)

    def _taken(self, turn: Turn) -> str:
        """Return what a Scarecrow took when its own player does not lead afterwards."""
        if turn.taken is None or turn.taken.card is None:
            return ""
        return " ".join(narrate([turn.taken], self._cast(turn.ply)))

    def _turn(self, turn: Turn) -> list[str]:
        """Return sentences for a card that is always told, or the one that decided the battle."""
        if turn.took_the_lead_away:
            return [self._taken(turn), self._level(turn)]
        if turn.is_ordinary:
            return self._decided_by(turn)
        text = self._turned_up(turn) if turn.seat is None else self._special(turn)
        return [*text, self._new_lead(turn), self._pope(turn)]

    def _decided_by(self, turn: Turn) -> list[str]:
        if len(self.battle.played) == 1:
            return []  # the result says it
        if self._is_first_lead(turn):
            return [
                self._of_leader(
                    turn,
                    _("You led first and kept the lead."),
                    # Translators: name is a player.
                    _("%(name)s led first and kept the lead."),
                )
            ]
        if turn.leads != turn.seat:
            return [self._taken(turn), self._leads_to_the_end(turn)]
        if turn.is_turned_up:
            return [
                self._of_leader(
                    turn,
                    # Translators: card is a card's name, strength is a number.
                    _("You turned up %(card)s and took the lead for good, with strength %(strength)d."),
                    # Translators: name is a player, card is a card's name, strength is a number.
                    _("%(name)s turned up %(card)s and took the lead for good, with strength %(strength)d."),
                )
            ]
        if turn.is_mercenary:
            return [
                self._of_leader(
                    turn,
                    # Translators: strength is a number.
                    _("You took the lead for good, with strength %(strength)d."),
                    # Translators: name is a player, strength is a number.
                    _("%(name)s took the lead for good, with strength %(strength)d."),
                )
            ]
        return [
            self._of_leader(
                turn,
                # Translators: card is a card's name, strength is a number.
                _("You played %(card)s and took the lead for good, with strength %(strength)d."),
                # Translators: name is a player, card is a card's name, strength is a number.
                _("%(name)s played %(card)s and took the lead for good, with strength %(strength)d."),
            )
        ]

    def _new_lead(self, turn: Turn) -> str:
        """Return who led after a card that changes more than its own line."""
        if turn is self.battle.decisive and turn.led is not None:
            return self._leads_to_the_end(turn)
        if turn.leads == turn.led:
            return ""
        return self._level(turn) if turn.leads is None else self._leads(turn)

    def _turned_up(self, turn: Turn) -> list[str]:
        assert isinstance(turn.event, happened.CardsTurnedUp)
        cards = [(seat, card_name(card)) for seat, card in turn.event.cards]
        # Translators: cards is a list of players with a card each, such as "Anna Drummer, Bruno 10".
        text = _("Turned up at the end: %(cards)s.") % {"cards": self._cast(turn.ply).with_values(cards)}
        return [text, self._changed_strength(turn)]

    def _special(self, turn: Turn) -> list[str]:
        return self._bishop(turn) if turn.card == "bishop" else self._season(turn)

    def _season(self, turn: Turn) -> list[str]:
        assert turn.seat is not None
        assert turn.card is not None
        text = self._cast(turn.ply).say(
            turn.seat,
            # Translators: card is Winter or Spring.
            _("You played %(card)s."),
            # Translators: name is a player, card is Winter or Spring.
            _("%(name)s played %(card)s."),
            card=card_name(turn.card),
        )
        # Translators: card is Winter or Spring.
        ended = _("That ended %(card)s.")
        swept = [effect.season for effect in turn.effects if isinstance(effect, happened.SeasonSwept)]
        changed = self._changed_strength(turn) or _("No strength changed.")
        return [text, changed, *[ended % {"card": card_name(card)} for card in swept]]

    def _bishop(self, turn: Turn) -> list[str]:
        """Return what a Bishop removed; in 1995 it ends the battle instead, which the result tells."""
        removed = next((e for e in turn.effects if isinstance(e, happened.MercenariesRemoved)), None)
        if removed is None or turn.seat is None:
            return []
        cast = self._cast(turn.ply)
        if removed.value is None:
            return [
                cast.say(
                    turn.seat,
                    _("You played the Bishop, but there was no Mercenary to remove."),
                    # Translators: name is a player; Bishop and Mercenary are cards.
                    _("%(name)s played the Bishop, but there was no Mercenary to remove."),
                )
            ]
        text = cast.say(
            turn.seat,
            # Translators: value is the number on the cards that are removed.
            _("You played the Bishop, removing every %(value)s."),
            # Translators: name is a player, value is the number on the cards that are removed.
            _("%(name)s played the Bishop, removing every %(value)s."),
            value=removed.value,
        )
        return [text, self._changed_strength(turn)]

    def _pope(self, turn: Turn) -> str:
        """Return where a Bishop brought the Pope."""
        regions = [event.region for event in turn.effects if isinstance(event, happened.PopePlaced)]
        if turn.card != "bishop" or not regions or regions[0] is None:
            return ""
        # Translators: region is a region of the map.
        return _("The Pope went to %(region)s.") % {"region": region_name(regions[0])}

    def _changed_strength(self, turn: Turn) -> str:
        """Return whose strength changed; empty for no one's."""
        changes = [
            (seat, f"{before} → {after}")
            for seat, (before, after) in enumerate(zip(turn.before, turn.totals, strict=True))
            if before != after
        ]
        # Translators: changes is a list of players and numbers, such as "Anna 10 → 1, Bruno 6 → 1".
        text = _("Strength: %(changes)s.")
        return text % {"changes": self._cast(turn.ply).with_values(changes)} if changes else ""

    def _leaving(self) -> list[str]:
        """Return who left the battle without cards or an answer, which was not their choice."""
        empty = [event.seat for _p, event in self.battle.seen if isinstance(event, happened.RanOutOfCards)]
        late = [
            " ".join(entry_sentences(event, self._cast(ply), by_clock=True))
            for ply, event in self.battle.seen
            if isinstance(event, happened.Passed) and ply in self.clocked
        ]
        return [*([self._emptied(empty)] if empty else []), *sorted(set(late))]

    def _emptied(self, seats: Sequence[int]) -> str:
        if len(seats) == 1:
            # Translators: name is a player.
            return self._cast().say(seats[0], _("You ran out of cards."), _("%(name)s ran out of cards."))
        return self._cast().say_of_several(
            seats,
            # Translators: names are players, such as "You and Anna".
            pgettext("the reader and others", "%(names)s ran out of cards."),
            # Translators: names are players, such as "Anna and Bruno".
            _("%(names)s ran out of cards."),
        )

    def _result(self) -> list[str]:
        sentences = []
        for _ply, event in self.battle.seen:
            if isinstance(event, happened.BattleCompared) and event.surrendered_by is not None:
                sentences.append(self._surrendered(event.surrendered_by))
            elif type(event) in _RESULTS:
                sentences += _RESULTS[type(event)](self, event)
        if self.battle.region is None and self.battle.end is not None:
            sentences += self._final()
        return sentences

    def _surrendered(self, seat: int) -> str:
        return self._cast().say(
            seat,
            # Translators: Surrender is a card.
            _("You ended the battle with Surrender."),
            # Translators: name is a player, Surrender is a card.
            _("%(name)s ended the battle with Surrender."),
        )

    def _strengths(self) -> str:
        """Return the strength of all that have any, the highest first."""
        totals = self.battle.totals
        seats = sorted((seat for seat, total in enumerate(totals) if total), key=lambda seat: -totals[seat])
        # Translators: strengths is a list of players and numbers, such as "Anna 12, Bruno 9".
        text = _("Strength at the end: %(strengths)s.")
        return text % {"strengths": self._cast().with_values((seat, totals[seat]) for seat in seats)}

    def _decided(self, event: happened.RegionConquered | happened.RegionDefended) -> list[str]:
        """Return who has the region, after a tie too, and the strengths."""
        text = " ".join(narrate([event], self._cast()))
        if self.battle.winner == event.seat:
            return [text, self._strengths()]
        return [*self._tied(), text]

    def _nobody(self, event: happened.NobodyConquered) -> list[str]:
        return [*self._tied(), *narrate([event], self._cast())]

    def _tied(self) -> list[str]:
        """Return why there was no sole highest strength; nothing where none was looked for."""
        if any(isinstance(event, happened.BattleStopped) for _ply, event in self.battle.seen):
            return []
        if not self.battle.played:
            return [_("No one played a card.")]
        return [_level_at(self.battle.totals, self._cast()) or _("No line had any strength.")]

    def _stopped(self, event: happened.BattleStopped) -> list[str]:
        return [
            self._cast().say(
                event.seat,
                # Translators: the Bishop is a card.
                _("You ended the battle at once with the Bishop."),
                # Translators: name is a player, the Bishop is a card.
                _("%(name)s ended the battle at once with the Bishop."),
            )
        ]

    def _token(self, event: happened.CondottiereHanded) -> list[str]:
        """Return who got the Condottiere token, only where it did not simply go to the winner."""
        if event.why != "courtesans" or event.seat == self.battle.winner:
            return []
        return narrate([event], self._cast())

    def _final(self) -> list[str]:
        if self.battle.winner is None:
            return self._tied()
        # Translators: name is a player.
        won = self._cast().say(self.battle.winner, _("You won."), _("%(name)s won."))
        return [won, self._strengths()]


def _level_at(totals: Sequence[int], cast: Cast) -> str:
    """Return who shares the highest strength; empty where no one has any."""
    highest = max(totals, default=0)
    if not highest:
        return ""
    level = [seat for seat, total in enumerate(totals) if total == highest]
    return cast.say_of_several(
        level,
        # Translators: names are players, such as "You and Anna"; strength is a number.
        pgettext("the reader and others", "%(names)s were level at strength %(strength)d."),
        # Translators: names are players, such as "Anna and Bruno"; strength is a number.
        _("%(names)s were level at strength %(strength)d."),
        strength=highest,
    )


_RESULTS: dict[type[happened.Event], Callable[..., list[str]]] = {
    happened.RegionConquered: _Story._decided,
    happened.RegionDefended: _Story._decided,
    happened.NobodyConquered: _Story._nobody,
    happened.BattleStopped: _Story._stopped,
    happened.CondottiereHanded: _Story._token,
}


def outcome_in_brief(battle: Battle, names_at: NamesAt) -> str:
    """Return who has the region now, for a list of battles; empty while the battle goes on."""
    if battle.end is None:
        return ""
    if battle.winner is not None:
        return names_at(battle.end)[battle.winner]
    # Translators: who won a battle, in a list of battles.
    return pgettext("winner of a battle", "no one")
