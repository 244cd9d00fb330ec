"""How a battle ended, in sentences: who won or why no one did, and who got the Condottiere token."""

from __future__ import annotations

from django.utils.translation import gettext as _

from games.narration.battle_telling import BattleTelling, level_at
from games.narration.event_sentences import narrate
from games.rules import events as happened


class BattleResult(BattleTelling):
    """The end of a battle: a surrender or a tie, who has the region, and the strengths."""

    def sentences(self) -> list[str]:
        sentences = []
        for _ply, event in self.battle.seen:
            if isinstance(event, happened.BattleCompared) and event.surrendered_by is not None:
                sentences.append(self._tell_surrender(event.surrendered_by))
            else:
                sentences += self._tell_event(event)
        if self.battle.region is None and self.battle.end is not None:
            sentences += self._tell_final()
        return sentences

    def _tell_event(self, event: happened.Event) -> list[str]:
        match event:
            case happened.RegionConquered() | happened.RegionDefended():
                return self._tell_region(event)
            case happened.NobodyConquered():
                return self._tell_no_winner(event)
            case happened.BattleStopped():
                return self._tell_stop(event)
            case happened.CondottiereHanded():
                return self._tell_token(event)
        return []

    def _tell_surrender(self, seat: int) -> str:
        return self.cast().say(
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
        return text % {"strengths": self.cast().with_values((seat, totals[seat]) for seat in seats)}

    def _tell_region(self, event: happened.RegionConquered | happened.RegionDefended) -> list[str]:
        """Return who has the region, after a tie too, and the strengths."""
        text = " ".join(narrate([event], self.cast()))
        if self.battle.winner == event.seat:
            return [text, self._strengths()]
        return [*self._tell_tie(), text]

    def _tell_no_winner(self, event: happened.NobodyConquered) -> list[str]:
        return [*self._tell_tie(), *narrate([event], self.cast())]

    def _tell_tie(self) -> list[str]:
        """Return why there was no sole highest strength; nothing where none was looked for."""
        if any(isinstance(event, happened.BattleStopped) for _ply, event in self.battle.seen):
            return []
        if not self.battle.played:
            return [_("No one played a card.")]
        return [level_at(self.battle.totals, self.cast()) or _("No line had any strength.")]

    def _tell_stop(self, event: happened.BattleStopped) -> list[str]:
        return [
            self.cast().say(
                event.seat,
                # Translators: the Bishop is a card.
                _("You ended the battle at once with the Bishop."),
                # Translators: name is a player, the Bishop is a card.
                _("%(name)s ended the battle at once with the Bishop."),
            )
        ]

    def _tell_token(self, event: happened.CondottiereHanded) -> list[str]:
        """Return who got the Condottiere token, only where it did not simply go to the winner."""
        if event.why != "courtesans" or event.seat == self.battle.winner:
            return []
        return narrate([event], self.cast())

    def _tell_final(self) -> list[str]:
        if self.battle.winner is None:
            return self._tell_tie()
        # Translators: name is a player.
        won = self.cast().say(self.battle.winner, _("You won."), _("%(name)s won."))
        return [won, self._strengths()]
