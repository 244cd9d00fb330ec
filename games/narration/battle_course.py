"""How the lead changed in a battle, and why, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from games.map.region_names import region_name
from games.narration.battle_telling import BattleTelling, level_at
from games.narration.battles import Turn
from games.narration.cast import comma_list
from games.narration.event_sentences import narrate
from games.narration.vocabulary import card_name
from games.rules import events as happened

TO_AND_FRO = 3  # consecutive changes of the lead that make one sentence


class BattleCourse(BattleTelling):
    """The cards of a battle, told where they changed the lead or more than one line."""

    def sentences(self) -> list[str]:
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
            sentences += [*self._tell_run(run), *self._tell_turn(turn)]
            run = []
        return [*sentences, *self._tell_run(run)]

    def _tell_run(self, run: Sequence[Turn]) -> list[str]:
        if len(run) < TO_AND_FRO:
            return [sentence for turn in run for sentence in self._tell_change(turn)]
        leads = comma_list(
            f"{self.cast(turn.ply).called(turn.leads)} {turn.totals[turn.leads]}"
            for turn in run
            if turn.leads is not None
        )
        # Translators: leads is a list of players and numbers, such as "Anna 1, Bruno 3, Anna 6".
        return [_("The lead changed hands, with this strength: %(leads)s.") % {"leads": leads}]

    def _tell_change(self, turn: Turn) -> list[str]:
        """Return sentences for an ordinary card that changed who leads."""
        if turn.leads != turn.seat:
            return [self._taken(turn), self._leads(turn)]
        if self._is_first_lead(turn):
            return [
                self._say_of_leader(
                    turn,
                    # Translators: strength is a number.
                    _("You led first, with strength %(strength)d."),
                    # Translators: name is a player, strength is a number.
                    _("%(name)s led first, with strength %(strength)d."),
                )
            ]
        if turn.is_turned_up:
            return [
                self._say_of_leader(
                    turn,
                    # Translators: card is a card's name, strength is a number.
                    _("You turned up %(card)s and took the lead with strength %(strength)d."),
                    # Translators: name is a player, card is a card's name, strength is a number.
                    _("%(name)s turned up %(card)s and took the lead with strength %(strength)d."),
                )
            ]
        if turn.is_mercenary:
            return [
                self._say_of_leader(
                    turn,
                    # Translators: strength is a number.
                    _("You took the lead with strength %(strength)d."),
                    # Translators: name is a player, strength is a number.
                    _("%(name)s took the lead with strength %(strength)d."),
                )
            ]
        return [
            self._say_of_leader(
                turn,
                # Translators: card is a card's name, strength is a number.
                _("You played %(card)s and took the lead with strength %(strength)d."),
                # Translators: name is a player, card is a card's name, strength is a number.
                _("%(name)s played %(card)s and took the lead with strength %(strength)d."),
            )
        ]

    def _say_of_leader(self, turn: Turn, you: str, name: str) -> str:
        """Return the message about the player who leads after this turn."""
        assert turn.leads is not None
        card = card_name(turn.card) if turn.card else ""
        return self.cast(turn.ply).say(turn.leads, you, name, card=card, strength=max(turn.totals))

    def _leads(self, turn: Turn) -> str:
        return self._say_of_leader(
            turn,
            # Translators: strength is a number.
            _("You led with strength %(strength)d."),
            # Translators: name is a player, strength is a number.
            _("%(name)s led with strength %(strength)d."),
        )

    def _leads_to_the_end(self, turn: Turn) -> str:
        return self._say_of_leader(
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
        return " ".join(narrate([turn.taken], self.cast(turn.ply)))

    def _tell_turn(self, turn: Turn) -> list[str]:
        """Return sentences for a card that is always told, or the one that decided the battle."""
        if turn.took_the_lead_away:
            return [self._taken(turn), self._level(turn)]
        if turn.is_ordinary:
            return self._tell_decisive(turn)
        text = self._tell_turned_up(turn) if turn.seat is None else self._tell_special(turn)
        return [*text, self._new_lead(turn), self._pope(turn)]

    def _tell_decisive(self, turn: Turn) -> list[str]:
        if len(self.battle.played) == 1:
            return []  # the result says it
        if self._is_first_lead(turn):
            return [
                self._say_of_leader(
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
                self._say_of_leader(
                    turn,
                    # Translators: card is a card's name, strength is a number.
                    _("You turned up %(card)s and took the lead for good, with strength %(strength)d."),
                    # Translators: name is a player, card is a card's name, strength is a number.
                    _("%(name)s turned up %(card)s and took the lead for good, with strength %(strength)d."),
                )
            ]
        if turn.is_mercenary:
            return [
                self._say_of_leader(
                    turn,
                    # Translators: strength is a number.
                    _("You took the lead for good, with strength %(strength)d."),
                    # Translators: name is a player, strength is a number.
                    _("%(name)s took the lead for good, with strength %(strength)d."),
                )
            ]
        return [
            self._say_of_leader(
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

    def _tell_turned_up(self, turn: Turn) -> list[str]:
        assert isinstance(turn.event, happened.CardsTurnedUp)
        cards = [(seat, card_name(card)) for seat, card in turn.event.cards]
        # Translators: cards is a list of players with a card each, such as "Anna Drummer, Bruno 10".
        text = _("Turned up at the end: %(cards)s.") % {"cards": self.cast(turn.ply).with_values(cards)}
        return [text, self._changed_strength(turn)]

    def _tell_special(self, turn: Turn) -> list[str]:
        return self._tell_bishop(turn) if turn.card == "bishop" else self._tell_season(turn)

    def _tell_season(self, turn: Turn) -> list[str]:
        assert turn.seat is not None
        assert turn.card is not None
        text = self.cast(turn.ply).say(
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

    def _tell_bishop(self, turn: Turn) -> list[str]:
        """Return what a Bishop removed; in 1995 it ends the battle instead, which the result tells."""
        removed = next((e for e in turn.effects if isinstance(e, happened.MercenariesRemoved)), None)
        if removed is None or turn.seat is None:
            return []
        cast = self.cast(turn.ply)
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
            (seat, f"{before}\u00a0→\u00a0{after}")
            for seat, (before, after) in enumerate(zip(turn.before, turn.totals, strict=True))
            if before != after
        ]
        # Translators: changes is a list of players and numbers, such as "Anna 10 → 1, Bruno 6 → 1".
        text = _("Strength: %(changes)s.")
        return text % {"changes": self.cast(turn.ply).with_values(changes)} if changes else ""

    def _level(self, turn: Turn) -> str:
        """Return who shares the highest strength; empty where no one has any."""
        return level_at(turn.totals, self.cast(turn.ply))
