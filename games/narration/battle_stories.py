"""Battles as short paragraphs. Gets redacted events only, and says nothing that they do not say."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from games.narration.battles import Battle, Turn
from games.narration.moves import and_list, narrate
from games.narration.vocabulary import card_name
from games.rules import events as happened
from games.rules import region_name

NamesAt = Callable[[int], Sequence[str]]

TO_AND_FRO = 3  # consecutive changes of the lead that make one sentence
# Events between two battles, told with the one before or after.
_BESIDE = (happened.HandsShown, happened.HandsDropped)


def story(battle: Battle, names_at: NamesAt, clocked: Container[int] = ()) -> list[str]:
    """Return the battle in a few sentences: who began it, how the lead changed and why, and the result.

    `names_at` says who had the seats at an entry, `clocked` are the entries that the clock made.
    """
    return _Story(battle, names_at, clocked).told()


@dataclass(frozen=True)
class _Story:
    battle: Battle
    names_at: NamesAt
    clocked: Container[int]

    def told(self) -> list[str]:
        end = self.battle.end
        before = [self._beside(at) for at in self.battle.seen if end is None or at[0] < end]
        after = [self._beside(at) for at in self.battle.seen if end is not None and at[0] >= end]
        sentences = [self._opening_with_idle(), *before, *self._course(), *self._leaving()]
        return [told for told in [*sentences, *self._result(), *after] if told]

    def _name(self, seat: int, ply: int | None = None) -> str:
        return self.names_at(self._last if ply is None else ply)[seat]

    @property
    def _last(self) -> int:
        """The entry whose seat names are used at the battle's end."""
        return self.battle.seen[-1][0] if self.battle.end is None else self.battle.end

    def _named(self, seats: Sequence[int]) -> str:
        return and_list([self._name(seat) for seat in seats])

    def _opening_with_idle(self) -> str:
        """Return who began the battle, and who played no card in it."""
        opening, idle = self._opening(), self._idle()
        if not opening or not idle:
            return f"{opening or idle}." if opening or idle else ""
        return _("%(opening)s; %(idle)s.") % {"opening": opening, "idle": idle}

    def _opening(self) -> str:
        for ply, event in self.battle.seen:
            if isinstance(event, happened.RegionChosen):
                words = {"name": self._name(event.seat, ply), "region": region_name(event.region)}
                if ply in self.clocked:
                    return _("Time was out: the clock drew %(region)s for %(name)s") % words
                return _("%(name)s chose to fight for %(region)s") % words
            if isinstance(event, happened.FinalBattleBegun):
                return _("%(names)s fought it out") % {"names": self._named(event.seats)}
        return ""

    def _beside(self, at: tuple[int, happened.Event]) -> str:
        """Return a sentence on hands discarded before the first card, or after the last."""
        ply, event = at
        is_worth_it = isinstance(event, _BESIDE) and event.hands
        return " ".join(narrate([event], self.names_at(ply))) if is_worth_it else ""

    def _idle(self) -> str:
        """Return who played no card, where others did and the battle is over."""
        idle = [seat for seat in self._fighters if seat not in self.battle.played]
        if not idle or not self.battle.played or self.battle.end is None:
            return ""
        words = {"names": self._named(idle)}
        if list(self.battle.played) == [self._chooser]:
            return _("nobody else played a card")
        if len(self.battle.played) == 1:
            return _("%(name)s alone played cards") % {"name": self._named(list(self.battle.played))}
        return _("%(names)s played no card") % words

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
        told: list[str] = []
        run: list[Turn] = []
        leader = None
        for turn in self.battle.turns:
            changes = turn.leads not in (None, leader)
            leader = leader if turn.leads is None else turn.leads
            if turn.is_ordinary and turn is not self.battle.decisive and not turn.took_the_lead_away:
                run += [turn] if changes else []
                continue
            told += [*self._run(run), self._turn(turn)]
            run = []
        return [*told, *self._run(run)]

    def _run(self, run: Sequence[Turn]) -> list[str]:
        if len(run) < TO_AND_FRO:
            return [self._change(turn) for turn in run]
        leads = ", ".join(self._leader_with_total(turn) for turn in run)
        return [_("The lead went from hand to hand: %(leads)s.") % {"leads": leads}]

    def _leader_with_total(self, turn: Turn) -> str:
        assert turn.leads is not None
        return f"{self._name(turn.leads, turn.ply)} {turn.totals[turn.leads]}"

    def _level(self, turn: Turn) -> str:
        highest = max(turn.totals)
        return and_list(
            [self._name(seat, turn.ply) for seat, total in enumerate(turn.totals) if total == highest]
        )

    def _change(self, turn: Turn) -> str:
        """Return a sentence for an ordinary card that changed who leads."""
        words = self._words(turn)
        if turn.leads != turn.seat:
            return " ".join([self._taken(turn), _("%(leader)s led with %(total)d.") % words])
        if self._is_first_lead(turn):
            return _("%(name)s led first, with %(total)d.") % words
        if turn.is_turned_up:
            return _("%(name)s turned up %(card)s and took the lead with %(total)d.") % words
        if turn.is_mercenary:
            return _("%(name)s took the lead with %(total)d.") % words
        return _("%(name)s played %(card)s and took the lead with %(total)d.") % words

    def _is_first_lead(self, turn: Turn) -> bool:
        """Return whether nobody led, or was level with others, before this card."""
        earlier = [other for other in self.battle.turns if other.ply < turn.ply]
        return not any(any(other.totals) for other in earlier)

    def _taken(self, turn: Turn) -> str:
        """Return what a Scarecrow took when its own player does not lead afterwards."""
        taken = turn.taken
        if taken is None or taken.card is None:
            return ""
        owner = taken.seat if taken.from_seat is None else taken.from_seat
        words = {
            "name": self._name(taken.seat, turn.ply),
            "card": card_name(taken.card),
            "owner": self._name(owner, turn.ply),
        }
        if owner == taken.seat:
            return _("%(name)s took the %(card)s back.") % words
        return _("%(name)s's Scarecrow took the %(card)s of %(owner)s.") % words

    def _level_now(self, turn: Turn) -> str:
        """Return who shares the highest total; empty where nobody has any."""
        highest = max(turn.totals)
        words = {"names": self._level(turn), "total": highest}
        return _("%(names)s were level at %(total)d.") % words if highest else ""

    def _words(self, turn: Turn) -> dict[str, object]:
        leader = turn.leads
        return {
            "name": "" if turn.seat is None else self._name(turn.seat, turn.ply),
            "card": card_name(turn.card) if turn.card else _("a card face down"),
            "leader": "" if leader is None else self._name(leader, turn.ply),
            "total": max(turn.totals),
        }

    def _turn(self, turn: Turn) -> str:
        """Return a sentence for a card that is always told, or the one that decided the battle."""
        if turn.took_the_lead_away:
            return " ".join(filter(None, [self._taken(turn), self._level_now(turn)]))
        if turn.is_ordinary:
            return self._decided_by(turn)
        told = [self._turned_up(turn) if turn.seat is None else self._special(turn)]
        return " ".join(filter(None, [*told, self._new_lead(turn), self._pope(turn)]))

    def _decided_by(self, turn: Turn) -> str:
        words = self._words(turn)
        if len(self.battle.played) == 1:
            return ""  # the result says it
        if self._is_first_lead(turn):
            return _("%(leader)s led first, and was never caught.") % words
        if turn.leads != turn.seat:
            return " ".join([self._taken(turn), _("That gave %(leader)s the lead for good.") % words])
        if turn.is_turned_up:
            return _("%(name)s turned up %(card)s and took the lead for good, with %(total)d.") % words
        if turn.is_mercenary:
            return _("%(name)s took the lead for good, with %(total)d.") % words
        return _("%(name)s played %(card)s and took the lead for good, with %(total)d.") % words

    def _new_lead(self, turn: Turn) -> str:
        """Return who led after a card that changes more than its own line."""
        if turn is self.battle.decisive and turn.led is not None:
            return _("That gave %(leader)s the lead for good.") % self._words(turn)
        if turn.leads == turn.led:
            return ""
        if turn.leads is None:
            return self._level_now(turn)
        return _("%(leader)s led with %(total)d.") % self._words(turn)

    def _turned_up(self, turn: Turn) -> str:
        assert isinstance(turn.event, happened.CardsTurnedUp)
        cards = and_list(
            [
                _("%(name)s's %(card)s") % {"name": self._name(seat, turn.ply), "card": card_name(card)}
                for seat, card in turn.event.cards
            ]
        )
        words = {"cards": cards, "changes": self._changed_totals(turn)}
        if not words["changes"]:
            return _("Turned up at the end: %(cards)s.") % words
        return _("Turned up at the end: %(cards)s. That took %(changes)s.") % words

    def _special(self, turn: Turn) -> str:
        return self._bishop(turn) if turn.card == "bishop" else self._season(turn)

    def _season(self, turn: Turn) -> str:
        changes = self._changed_totals(turn)
        words = self._words(turn) | {"changes": changes}
        told = (
            _("%(card)s, played by %(name)s, took %(changes)s.") % words
            if changes
            else _("%(card)s, played by %(name)s, changed no total.") % words
        )
        swept = [effect.season for effect in turn.effects if isinstance(effect, happened.SeasonSwept)]
        return " ".join([told, *[_("It ended %(season)s.") % {"season": card_name(card)} for card in swept]])

    def _bishop(self, turn: Turn) -> str:
        """Return what a Bishop removed; in 1995 it ends the battle instead, which the result tells."""
        removed = next((e for e in turn.effects if isinstance(e, happened.MercenariesRemoved)), None)
        if removed is None:
            return ""
        words = self._words(turn) | {"value": removed.value, "changes": self._changed_totals(turn)}
        if removed.value is None:
            return _("%(name)s's Bishop found no Mercenary to remove.") % words
        return _("%(name)s's Bishop removed every %(value)s: it took %(changes)s.") % words

    def _pope(self, turn: Turn) -> str:
        """Return where a Bishop brought the Pope."""
        regions = [event.region for event in turn.effects if isinstance(event, happened.PopePlaced)]
        if turn.card != "bishop" or not regions or regions[0] is None:
            return ""
        return _("The Pope went to %(region)s.") % {"region": region_name(regions[0])}

    def _changed_totals(self, turn: Turn) -> str:
        return and_list(
            [
                _("%(name)s from %(before)d to %(after)d")
                % {"name": self._name(seat, turn.ply), "before": before, "after": after}
                for seat, (before, after) in enumerate(zip(turn.before, turn.totals, strict=True))
                if before != after
            ]
        )

    def _leaving(self) -> list[str]:
        """Return who left the battle without cards or an answer, which was not their choice."""
        empty = [event.seat for _p, event in self.battle.seen if isinstance(event, happened.RanOutOfCards)]
        late = [
            self._name(event.seat, ply)
            for ply, event in self.battle.seen
            if isinstance(event, happened.Passed) and ply in self.clocked
        ]
        told = []
        if empty:
            told.append(_("%(names)s ran out of cards.") % {"names": self._named(empty)})
        if late:
            told.append(
                _("Time was out: the clock passed for %(names)s.") % {"names": and_list(sorted(set(late)))}
            )
        return told

    def _result(self) -> list[str]:
        told = []
        for _ply, event in self.battle.seen:
            if isinstance(event, happened.BattleCompared) and event.surrendered_by is not None:
                words = {"name": self._name(event.surrendered_by)}
                told.append(_("%(name)s's Surrender ended the battle.") % words)
            elif type(event) in _RESULTS:
                told.append(_RESULTS[type(event)](self, event))
        if self.battle.region is None and self.battle.end is not None:
            told.append(self._final())
        return told

    def _against(self, winner: int) -> str:
        """Return the totals of the others that have any, highest first."""
        totals = self.battle.totals
        others = sorted(
            (seat for seat, n in enumerate(totals) if n and seat != winner), key=lambda s: -totals[s]
        )
        return and_list(
            [_("%(name)s's %(total)d") % {"name": self._name(seat), "total": totals[seat]} for seat in others]
        )

    def _won_by(self, winner: int) -> str:
        words = {
            "name": self._name(winner),
            "total": self.battle.totals[winner],
            "others": self._against(winner),
        }
        if len(self.battle.played) == 1:
            return _("%(name)s won with %(total)d") % words
        if not words["others"]:
            return _("%(name)s won with %(total)d, against nothing") % words
        return _("%(name)s won with %(total)d against %(others)s") % words

    def _conquered(self, event: happened.RegionConquered) -> str:
        words = {"won": self._won_by(event.seat), "region": region_name(event.region)}
        if event.lost_by is None:
            return _("%(won)s, and took %(region)s.") % words
        words["loser"] = self._name(event.lost_by)
        return _("%(won)s, and took %(region)s from %(loser)s.") % words

    def _defended(self, event: happened.RegionDefended) -> str:
        words = {"region": region_name(event.region), "name": self._name(event.seat)}
        if self.battle.winner == event.seat:
            words["won"] = self._won_by(event.seat)
            return _("%(won)s, and so kept %(region)s.") % words
        return " ".join(filter(None, [self._tied(), _("%(region)s stayed with %(name)s.") % words]))

    def _nobody(self, event: happened.NobodyConquered) -> str:
        region = {"region": region_name(event.region)}
        return " ".join(filter(None, [self._tied(), _("Nobody took %(region)s.") % region]))

    def _tied(self) -> str:
        """Return why there was no sole highest total; empty where none was looked for."""
        totals = self.battle.totals
        if any(isinstance(event, happened.BattleStopped) for _ply, event in self.battle.seen):
            return ""
        if not self.battle.played:
            return _("Nobody played a card.")
        highest = max(totals, default=0)
        if not highest:
            return _("No line counted anything.")
        level = [seat for seat, total in enumerate(totals) if total == highest]
        words = {"names": self._named(level), "total": highest}
        return _("%(names)s ended level at %(total)d.") % words

    def _stopped(self, event: happened.BattleStopped) -> str:
        return _("%(name)s's Bishop ended the battle at once.") % {"name": self._name(event.seat)}

    def _token(self, event: happened.CondottiereHanded) -> str:
        """Return who got the Condottiere token, only where it did not simply go to the winner."""
        if event.why != "courtesans" or event.seat == self.battle.winner:
            return ""
        return _("%(name)s, with the most Courtesans, became Condottiere.") % {"name": self._name(event.seat)}

    def _final(self) -> str:
        if self.battle.winner is not None:
            return _("%(won)s.") % {"won": self._won_by(self.battle.winner)}
        return self._tied()


_RESULTS: dict[type[happened.Event], Callable[..., str]] = {
    happened.RegionConquered: _Story._conquered,
    happened.RegionDefended: _Story._defended,
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
    return _("nobody")
