"""Sentences for redacted events, and for moves that the rules refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.narration.vocabulary import REASONS, card_name, card_names
from games.rules import IllegalMove, Reason, region_name
from games.rules import events as happened

Names = Sequence[str]


@dataclass(frozen=True)
class DealtAlike:
    """Several seats were dealt the same number of cards, which the reader does not see."""

    seats: tuple[int, ...]
    count: int


Narrated = happened.Event | DealtAlike


def narrate(events: Iterable[Narrated], names: Names) -> list[str]:
    """Return a sentence for each notable event, in order. `names` are the seats' shown names."""
    return [text for event in merge_deals(events) if (text := _WORDS[type(event)](event, names))]


def merge_deals(events: Iterable[Narrated]) -> Iterator[Narrated]:
    """Merge the seats of one deal into one event where the same is said of each."""
    for kind, run in groupby(events, type):
        if kind is happened.CardsDealt:
            yield from _gathered(run)
        else:
            yield from run


def _gathered(dealings: Iterable[Narrated]) -> Iterator[Narrated]:
    alike: dict[object, list[happened.CardsDealt]] = {}
    for dealing in dealings:
        assert isinstance(dealing, happened.CardsDealt)
        key = dealing.count if dealing.cards is None else (dealing.seat, dealing.cards)
        alike.setdefault(key, []).append(dealing)
    for first, *more in alike.values():
        seats = (first.seat, *(dealing.seat for dealing in more))
        yield DealtAlike(seats, first.count) if more else first


def and_list(words: Sequence[str]) -> str:
    """Return words in one phrase: "Anna", "Anna and Bruno", "Anna, Bruno and Carla"."""
    if len(words) < 2:
        return "".join(words)
    return _("%(first)s and %(last)s") % {"first": ", ".join(words[:-1]), "last": words[-1]}


def _silent(event: happened.Event, names: Names) -> str:
    """Return nothing: the sentences before and after say it already."""
    return ""


def _cards_shuffled(event: happened.CardsShuffled, names: Names) -> str:
    return _("The table shuffled %(count)d cards.") % {"count": event.count}


def _cards_dealt(event: happened.CardsDealt, names: Names) -> str:
    words = {"name": names[event.seat], "count": event.count}
    if event.cards is None:
        return ngettext("%(name)s got %(count)d card.", "%(name)s got %(count)d cards.", event.count) % words
    words["cards"] = card_names(event.cards)
    return (
        ngettext(
            "%(name)s got %(count)d card: %(cards)s.", "%(name)s got %(count)d cards: %(cards)s.", event.count
        )
        % words
    )


def _dealt_alike(event: DealtAlike, names: Names) -> str:
    words = {"names": and_list([names[seat] for seat in event.seats]), "count": event.count}
    if len(event.seats) == len(names):
        return (
            ngettext("Everybody got %(count)d card.", "Everybody got %(count)d cards.", event.count) % words
        )
    told = ngettext("%(names)s got %(count)d card each.", "%(names)s got %(count)d cards each.", event.count)
    return told % words


def _region_chosen(event: happened.RegionChosen, names: Names) -> str:
    return _("%(name)s chose to fight for %(region)s.") % {
        "name": names[event.seat],
        "region": region_name(event.region),
    }


def _card_played(event: happened.CardPlayed, names: Names) -> str:
    if event.card is None:
        return _("%(name)s played a card face down.") % {"name": names[event.seat]}
    words = {"name": names[event.seat], "card": card_name(event.card), "total": event.totals[event.seat]}
    if event.card == "surrender":
        return _("%(name)s played Surrender: the battle ends at once.") % words
    if event.is_face_down:
        return _("%(name)s played %(card)s face down.") % words
    return _("%(name)s played %(card)s, total %(total)d.") % words


def _cards_turned_up(event: happened.CardsTurnedUp, names: Names) -> str:
    return " ".join(
        _("%(name)s's face-down card is turned up: %(card)s, total %(total)d.")
        % {"name": names[seat], "card": card_name(card), "total": event.totals[seat]}
        for seat, card in event.cards
    )


def _season_swept(event: happened.SeasonSwept, names: Names) -> str:
    words = {"card": card_name(event.season), "names": and_list([names[seat] for seat in event.seats])}
    return _("%(card)s of %(names)s is discarded.") % words


def _mercenaries_removed(event: happened.MercenariesRemoved, names: Names) -> str:
    if not event.losses:
        return _("There is no Mercenary for the Bishop to remove.")
    losses = [
        _("%(name)s loses %(count)d × %(card)s")
        % {"name": names[seat], "count": count, "card": card_name(str(event.value))}
        for seat, count in event.losses
    ]
    return _("%(losses)s.") % {"losses": and_list(losses)}


def _pope_placed(event: happened.PopePlaced, names: Names) -> str:
    if event.region is None:
        return _("%(name)s took the Pope off the map.") % {"name": names[event.seat]}
    return _("%(name)s sent the Pope to %(region)s, which may not be chosen while he is there.") % {
        "name": names[event.seat],
        "region": region_name(event.region),
    }


def _mercenary_taken_back(event: happened.MercenaryTakenBack, names: Names) -> str:
    if event.card is None:
        return _("%(name)s took no Mercenary.") % {"name": names[event.seat]}
    if event.from_seat is not None and event.from_seat != event.seat:
        return _("%(name)s took the %(card)s from the line of %(owner)s.") % {
            "name": names[event.seat],
            "card": card_name(event.card),
            "owner": names[event.from_seat],
        }
    return _("%(name)s took the %(card)s back.") % {"name": names[event.seat], "card": card_name(event.card)}


def _passed(event: happened.Passed, names: Names) -> str:
    return _("%(name)s passed.") % {"name": names[event.seat]}


def _held_back(event: happened.HeldBack, names: Names) -> str:
    return _("%(name)s passed and, as the defender, stays in the battle.") % {"name": names[event.seat]}


def _ran_out_of_cards(event: happened.RanOutOfCards, names: Names) -> str:
    return _("%(name)s has no cards left and is out of this battle.") % {"name": names[event.seat]}


def _battle_compared(event: happened.BattleCompared, names: Names) -> str:
    totals = ", ".join(f"{name} {total}" for name, total in zip(names, event.totals, strict=True))
    if event.region is None:
        return _("The final battle is over: %(totals)s.") % {"totals": totals}
    return _("The battle for %(region)s is over: %(totals)s.") % {
        "region": region_name(event.region),
        "totals": totals,
    }


def _battle_stopped(event: happened.BattleStopped, names: Names) -> str:
    return _("The Bishop ends the battle for %(region)s at once: nobody wins it.") % {
        "region": region_name(event.region)
    }


def _region_conquered(event: happened.RegionConquered, names: Names) -> str:
    if event.lost_by is not None:
        return _("%(name)s takes %(region)s from %(loser)s.") % {
            "name": names[event.seat],
            "region": region_name(event.region),
            "loser": names[event.lost_by],
        }
    return _("%(name)s takes %(region)s.") % {"name": names[event.seat], "region": region_name(event.region)}


def _region_defended(event: happened.RegionDefended, names: Names) -> str:
    return _("%(region)s stays with %(name)s.") % {
        "name": names[event.seat],
        "region": region_name(event.region),
    }


def _nobody_conquered(event: happened.NobodyConquered, names: Names) -> str:
    return _("Nobody takes %(region)s.") % {"region": region_name(event.region)}


def _condottiere_handed(event: happened.CondottiereHanded, names: Names) -> str:
    words = {"name": names[event.seat]}
    if event.why == "courtesans":
        return _("%(name)s has the most Courtesans and becomes Condottiere.") % words
    if event.why == "winner":
        return _("%(name)s becomes Condottiere as the winner.") % words
    if event.why == "defender":
        return _("%(name)s becomes Condottiere as the defender.") % words
    if event.why == "chooser":
        return _("%(name)s stays Condottiere.") % words
    return _("The Condottiere passes to the left, to %(name)s.") % words


def _hands_opened(event: happened.HandsOpened, names: Names) -> str:
    return _("Who has no Mercenary may discard the whole hand; nobody is told who is asked.")


def _hand_decided(event: happened.HandDecided, names: Names) -> str:
    if event.discarded:
        return _("%(name)s decided to discard the hand.") % {"name": names[event.seat]}
    return _("%(name)s decided to keep the hand.") % {"name": names[event.seat]}


def _hands_shown(event: happened.HandsShown, names: Names) -> str:
    if not event.hands:
        return _("No hand was discarded.")
    return " ".join(
        _("%(name)s discarded a hand: %(cards)s.") % {"name": names[seat], "cards": card_names(cards)}
        for seat, cards in event.hands
    )


def _hands_dropped(event: happened.HandsDropped, names: Names) -> str:
    hands = " ".join(f"{names[seat]}: {card_names(cards)}." for seat, cards in event.hands)
    return _(
        "As many battles in a row as there are players saw no card played, so all hands are discarded. "
        "%(hands)s"
    ) % {"hands": hands}


def _round_ended(event: happened.RoundEnded, names: Names) -> str:
    if event.keeper is None:
        return _("The round is over: nobody has cards left.")
    return _("The round is over: only %(name)s has cards left.") % {"name": names[event.keeper]}


def _cards_kept(event: happened.CardsKept, names: Names) -> str:
    words = {"name": names[event.seat], "count": event.count}
    if event.count == 0:
        return _("%(name)s keeps no card.") % words
    if event.cards is None:
        return (
            ngettext("%(name)s keeps %(count)d card.", "%(name)s keeps %(count)d cards.", event.count) % words
        )
    return _("%(name)s keeps %(cards)s.") % {**words, "cards": card_names(event.cards)}


def _final_battle_begun(event: happened.FinalBattleBegun, names: Names) -> str:
    return _("A final battle decides between %(names)s; %(starter)s begins.") % {
        "names": and_list([names[seat] for seat in event.seats]),
        "starter": names[event.starter],
    }


def _game_ended(event: happened.GameEnded, names: Names) -> str:
    winners = and_list([names[seat] for seat in event.winners])
    words = {"names": winners, "reason": REASONS[event.reason]}
    if len(event.winners) > 1:
        ended = _("%(names)s share the victory %(reason)s.") % words
    else:
        ended = _("%(names)s wins the game %(reason)s.") % words
    return ended if event.points is None else f"{ended} {_points_scored(event.points, names)}"


def _points_scored(points: Sequence[int], names: Names) -> str:
    scored = and_list([f"{name} {score}" for name, score in zip(names, points, strict=True)])
    return _("Points: %(scored)s.") % {"scored": scored}


_WORDS: dict[type[Narrated], Callable[..., str]] = {
    happened.CardsShuffled: _cards_shuffled,
    happened.CardsDealt: _cards_dealt,
    DealtAlike: _dealt_alike,
    happened.RegionChosen: _region_chosen,
    happened.CardPlayed: _card_played,
    happened.CardsTurnedUp: _cards_turned_up,
    happened.SeasonSwept: _season_swept,
    happened.MercenariesRemoved: _mercenaries_removed,
    happened.PopePlaced: _pope_placed,
    happened.MercenaryTakenBack: _mercenary_taken_back,
    happened.Passed: _passed,
    happened.HeldBack: _held_back,
    happened.RanOutOfCards: _ran_out_of_cards,
    happened.BattleCompared: _battle_compared,
    happened.BattleStopped: _battle_stopped,
    happened.RegionConquered: _region_conquered,
    happened.RegionDefended: _region_defended,
    happened.NobodyConquered: _nobody_conquered,
    happened.CondottiereHanded: _condottiere_handed,
    happened.LinesDiscarded: _silent,
    happened.HandsOpened: _hands_opened,
    happened.HandDecided: _hand_decided,
    happened.HandsShown: _hands_shown,
    happened.HandsDropped: _hands_dropped,
    happened.RoundEnded: _round_ended,
    happened.CardsKept: _cards_kept,
    happened.FinalBattleBegun: _final_battle_begun,
    happened.GameEnded: _game_ended,
}


# Refusals: why the rules refuse a move, in a sentence for the person who tried it


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
    """Return the message for a person whose move was refused."""
    return str(_SENTENCES[error.reason])


def unreadable(text: str) -> str:
    """Return the message for text that is no move at all; long texts are cut."""
    shown = "".join(character for character in text if character.isprintable())
    if len(shown) > 40:
        shown = shown[:40] + "…"
    return _("“%(text)s” is not a move. Choose one of those offered.") % {"text": shown}
