"""Sentences for redacted events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, npgettext, pgettext

from games.map.region_names import region_name
from games.narration.cast import Cast
from games.narration.vocabulary import REASONS, card_name, card_names
from games.rules import events as happened

Names = Sequence[str]


@dataclass(frozen=True)
class DealtAlike:
    """Several seats were dealt the same number of cards, which the reader does not see."""

    seats: tuple[int, ...]
    count: int


Narrated = happened.Event | DealtAlike


def narrate(events: Iterable[Narrated], names: Names) -> list[str]:
    """Return what is said of each notable event, in order.

    `names` are the seats' shown names; a `Cast` also says who of them is the reader.
    """
    cast = Cast.of(names)
    return [text for event in merge_deals(events) if (text := WORDS[type(event)](event, cast))]


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


def _silent(event: happened.Event, cast: Cast) -> str:
    """Return nothing: the sentences before and after say it already."""
    return ""


def _cards_shuffled(event: happened.CardsShuffled, cast: Cast) -> str:
    text = ngettext("The site shuffled %(count)d card.", "The site shuffled %(count)d cards.", event.count)
    return text % {"count": event.count}


def _cards_dealt(event: happened.CardsDealt, cast: Cast) -> str:
    count = event.count
    if event.cards is None:
        return cast.say(
            event.seat,
            ngettext("You drew %(count)d card.", "You drew %(count)d cards.", count),
            # Translators: name is a player.
            ngettext("%(name)s drew %(count)d card.", "%(name)s drew %(count)d cards.", count),
            count=count,
        )
    return cast.say(
        event.seat,
        # Translators: cards is a list such as "10, 4, Drummer".
        ngettext("You drew %(count)d card: %(cards)s.", "You drew %(count)d cards: %(cards)s.", count),
        # Translators: name is a player, cards is a list such as "10, 4, Drummer".
        ngettext(
            "%(name)s drew %(count)d card: %(cards)s.", "%(name)s drew %(count)d cards: %(cards)s.", count
        ),
        count=count,
        cards=card_names(event.cards),
    )


def _dealt_alike(event: DealtAlike, cast: Cast) -> str:
    count = event.count
    if len(event.seats) == len(cast):
        text = ngettext("Everyone drew %(count)d card.", "Everyone drew %(count)d cards.", count)
        return text % {"count": count}
    return cast.say_of_several(
        event.seats,
        # Translators: names are players, such as "You and Anna".
        npgettext(
            "the reader and others",
            "%(names)s drew %(count)d card each.",
            "%(names)s drew %(count)d cards each.",
            count,
        ),
        # Translators: names are players, such as "Anna and Bruno".
        ngettext("%(names)s drew %(count)d card each.", "%(names)s drew %(count)d cards each.", count),
        count=count,
    )


def _region_chosen(event: happened.RegionChosen, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map, such as "Roma".
        _("You chose to fight for %(region)s."),
        # Translators: name is a player, region is a region of the map, such as "Roma".
        _("%(name)s chose to fight for %(region)s."),
        region=region_name(event.region),
    )


def _card_played(event: happened.CardPlayed, cast: Cast) -> str:
    seat = event.seat
    if event.card is None:
        # Translators: name is a player.
        return cast.say(seat, _("You played a card face down."), _("%(name)s played a card face down."))
    if event.card == "surrender":
        return cast.say(
            seat,
            # Translators: Surrender is a card.
            _("You played Surrender: the battle ends at once."),
            # Translators: name is a player, Surrender is a card.
            _("%(name)s played Surrender: the battle ends at once."),
        )
    card, strength = card_name(event.card), event.totals[seat]
    if event.is_face_down:
        return cast.say(
            seat,
            # Translators: card is a card's name.
            _("You played %(card)s face down."),
            # Translators: name is a player, card is a card's name.
            _("%(name)s played %(card)s face down."),
            card=card,
        )
    return cast.say(
        seat,
        # Translators: card is a card's name, strength is the number that the line now counts.
        _("You played %(card)s: strength %(strength)d."),
        # Translators: name is a player, card is a card, strength is the number that the line now counts.
        _("%(name)s played %(card)s: strength %(strength)d."),
        card=card,
        strength=strength,
    )


def _cards_turned_up(event: happened.CardsTurnedUp, cast: Cast) -> str:
    return " ".join(_turned_up(seat, card, event.totals[seat], cast) for seat, card in event.cards)


def _turned_up(seat: int, card: str, strength: int, cast: Cast) -> str:
    return cast.say(
        seat,
        # Translators: card is a card's name, strength is the number that the line now counts.
        _("You turned up %(card)s: strength %(strength)d."),
        # Translators: name is a player, card is a card, strength is the number that the line now counts.
        _("%(name)s turned up %(card)s: strength %(strength)d."),
        card=card_name(card),
        strength=strength,
    )


def _season_swept(event: happened.SeasonSwept, cast: Cast) -> str:
    return cast.say_of_lines(
        event.seats,
        # Translators: card is Winter or Spring.
        _("%(card)s was discarded from your line."),
        # Translators: card is Winter or Spring, names are the players whose lines had it, "Anna and you".
        ngettext(
            "%(card)s was discarded from the line of %(names)s.",
            "%(card)s was discarded from the lines of %(names)s.",
            len(event.seats),
        ),
        card=card_name(event.season),
    )


def _mercenaries_removed(event: happened.MercenariesRemoved, cast: Cast) -> str:
    if not event.losses:
        return _("There was no Mercenary for the Bishop to remove.")
    return cast.say_of_lines(
        [seat for seat, _count in event.losses],
        # Translators: card is the number of a Mercenary.
        _("The Bishop removed every %(card)s from your line."),
        # Translators: card is the number of a Mercenary; names are the players whose lines had it.
        ngettext(
            "The Bishop removed every %(card)s from the line of %(names)s.",
            "The Bishop removed every %(card)s from the lines of %(names)s.",
            len(event.losses),
        ),
        card=card_name(str(event.value)),
    )


def _pope_placed(event: happened.PopePlaced, cast: Cast) -> str:
    if event.region is None:
        return cast.say(
            # Translators: name is a player.
            event.seat,
            _("You took the Pope off the map."),
            _("%(name)s took the Pope off the map."),
        )
    return cast.say(
        event.seat,
        # Translators: region is a region of the map. "He" is the Pope.
        _("You sent the Pope to %(region)s. No one can choose it while he is there."),
        # Translators: name is a player, region is a region of the map. "He" is the Pope.
        _("%(name)s sent the Pope to %(region)s. No one can choose it while he is there."),
        region=region_name(event.region),
    )


def _mercenary_taken_back(event: happened.MercenaryTakenBack, cast: Cast) -> str:
    seat, owner = event.seat, event.from_seat
    if event.card is None:
        # Translators: name is a player. A Mercenary is a card with a number.
        return cast.say(seat, _("You took no Mercenary."), _("%(name)s took no Mercenary."))
    if owner is not None and owner != seat:
        return cast.say_of_two(
            seat,
            owner,
            # Translators: card is the number on a card, other is a player.
            _("You took the %(card)s that %(other)s had played."),
            # Translators: name is a player, card is the number on a card.
            _("%(name)s took the %(card)s that you had played."),
            # Translators: name and other are players, card is the number on a card.
            _("%(name)s took the %(card)s that %(other)s had played."),
            card=card_name(event.card),
        )
    return cast.say(
        seat,
        # Translators: card is the number on a card.
        _("You took back the %(card)s."),
        # Translators: name is a player, card is the number on a card.
        _("%(name)s took back the %(card)s."),
        card=card_name(event.card),
    )


def _passed(event: happened.Passed, cast: Cast) -> str:
    # Translators: name is a player.
    return cast.say(event.seat, _("You passed."), _("%(name)s passed."))


def _held_back(event: happened.HeldBack, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You passed, but as the defender you stay in the battle."),
        # Translators: name is a player.
        _("%(name)s passed, but as the defender stays in the battle."),
    )


def _ran_out_of_cards(event: happened.RanOutOfCards, cast: Cast) -> str:
    return cast.say(
        event.seat,
        _("You have no cards left, so you leave this battle."),
        # Translators: name is a player.
        _("%(name)s has no cards left and leaves this battle."),
    )


def _battle_compared(event: happened.BattleCompared, cast: Cast) -> str:
    strengths = cast.with_values(enumerate(event.totals))
    if event.region is None:
        # Translators: strengths is a list of players and numbers, such as "Anna 12, Bruno 9".
        return _("The final battle is over. Strength: %(strengths)s.") % {"strengths": strengths}
    # Translators: region is a region of the map; strengths is a list such as "Anna 12, Bruno 9".
    return _("The battle for %(region)s is over. Strength: %(strengths)s.") % {
        "region": region_name(event.region),
        "strengths": strengths,
    }


def _battle_stopped(event: happened.BattleStopped, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("The Bishop ended the battle for %(region)s at once. No one won it.") % {
        "region": region_name(event.region)
    }


def _region_conquered(event: happened.RegionConquered, cast: Cast) -> str:
    if event.lost_by is not None:
        return cast.say_of_two(
            event.seat,
            event.lost_by,
            # Translators: region is a region of the map, other is the player who held it.
            _("You took %(region)s, which %(other)s held."),
            # Translators: name is a player, region is a region of the map.
            _("%(name)s took %(region)s, which you held."),
            # Translators: name is a player, region is a region of the map, other is the player who held it.
            _("%(name)s took %(region)s, which %(other)s held."),
            region=region_name(event.region),
        )
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You took %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s took %(region)s."),
        region=region_name(event.region),
    )


def _region_defended(event: happened.RegionDefended, cast: Cast) -> str:
    return cast.say(
        event.seat,
        # Translators: region is a region of the map.
        _("You kept %(region)s."),
        # Translators: name is a player, region is a region of the map.
        _("%(name)s kept %(region)s."),
        region=region_name(event.region),
    )


def _nobody_conquered(event: happened.NobodyConquered, cast: Cast) -> str:
    # Translators: region is a region of the map.
    return _("No one took %(region)s.") % {"region": region_name(event.region)}


def _condottiere_handed(event: happened.CondottiereHanded, cast: Cast) -> str:
    match event.why:
        case "courtesans":
            return cast.say(
                event.seat,
                _("You had the most Courtesans and became the Condottiere."),
                # Translators: name is a player; Courtesan is a card; the Condottiere has that token.
                _("%(name)s had the most Courtesans and became the Condottiere."),
            )
        case "winner":
            return cast.say(
                event.seat,
                _("You won, so you became the Condottiere."),
                # Translators: name is a player; the Condottiere is the player with that token.
                _("%(name)s won and became the Condottiere."),
            )
        case "defender":
            return cast.say(
                event.seat,
                _("You defended the region, so you became the Condottiere."),
                # Translators: name is a player; the Condottiere is the player with that token.
                _("%(name)s defended the region and became the Condottiere."),
            )
        case "chooser":
            return cast.say(
                event.seat,
                _("You stayed the Condottiere."),
                # Translators: name is a player; the Condottiere is the player with that token.
                _("%(name)s stayed the Condottiere."),
            )
    return cast.say(
        event.seat,
        _("The Condottiere token passed to the left, so you became the Condottiere."),
        # Translators: name is a player.
        _("The Condottiere token passed to the left, so %(name)s became the Condottiere."),
    )


def _hands_opened(event: happened.HandsOpened, cast: Cast) -> str:
    return _("Players without a Mercenary may discard their whole hand. The site keeps secret who they are.")


def _hand_decided(event: happened.HandDecided, cast: Cast) -> str:
    if event.discarded:
        return cast.say(
            event.seat,
            _("You decided to discard your hand."),
            # Translators: name is a player.
            _("%(name)s decided to discard their hand."),
        )
    return cast.say(
        event.seat,
        _("You decided to keep your hand."),
        # Translators: name is a player.
        _("%(name)s decided to keep their hand."),
    )


def _hands_shown(event: happened.HandsShown, cast: Cast) -> str:
    if not event.hands:
        return _("No hand was discarded.")
    return _discarded(event.hands, cast)


def _discarded(hands: happened.SeatCards, cast: Cast) -> str:
    """Return a sentence for each hand that was discarded."""
    return " ".join(_hand_discarded(seat, cards, cast) for seat, cards in hands)


def _hand_discarded(seat: int, cards: Sequence[str], cast: Cast) -> str:
    return cast.say(
        seat,
        # Translators: cards is a list such as "Courtesan, Drummer".
        _("You discarded your hand: %(cards)s."),
        # Translators: name is a player, cards is a list such as "Courtesan, Drummer".
        _("%(name)s discarded their hand: %(cards)s."),
        cards=card_names(cards),
    )


def _hands_dropped(event: happened.HandsDropped, cast: Cast) -> str:
    why = _("As many battles in a row as there are players saw no card played, so all hands are discarded.")
    return " ".join(filter(None, [why, _discarded(event.hands, cast)]))


def _round_ended(event: happened.RoundEnded, cast: Cast) -> str:
    if event.keeper is None:
        return _("The round is over: no one has cards left.")
    return cast.say(
        event.keeper,
        _("The round is over: only you have cards left."),
        # Translators: name is a player.
        _("The round is over: only %(name)s has cards left."),
    )


def _cards_kept(event: happened.CardsKept, cast: Cast) -> str:
    seat, count = event.seat, event.count
    if count == 0:
        # Translators: name is a player.
        return cast.say(seat, _("You kept no card."), _("%(name)s kept no card."))
    if event.cards is None:
        return cast.say(
            seat,
            ngettext("You kept %(count)d card.", "You kept %(count)d cards.", count),
            # Translators: name is a player.
            ngettext("%(name)s kept %(count)d card.", "%(name)s kept %(count)d cards.", count),
            count=count,
        )
    return cast.say(
        seat,
        # Translators: cards is a list of card names such as "10, Drummer".
        _("You kept %(cards)s."),
        # Translators: name is a player, cards is a list of card names such as "10, Drummer".
        _("%(name)s kept %(cards)s."),
        cards=card_names(event.cards),
    )


def _final_battle_begun(event: happened.FinalBattleBegun, cast: Cast) -> str:
    # Translators: names are players, such as "Anna and Bruno".
    fight = _("A final battle decides the game. In it fight: %(names)s.") % {
        "names": cast.listed(event.seats)
    }
    # Translators: name is a player.
    first = cast.say(event.starter, _("You play first."), _("%(name)s plays first."))
    return f"{fight} {first}"


def _game_ended(event: happened.GameEnded, cast: Cast) -> str:
    sentences = [_victory(event.winners, cast), str(REASONS[event.reason])]
    if event.points is not None:
        points = {"points": cast.with_values(enumerate(event.points))}
        # Translators: points is a list of players and numbers, such as "Anna 4, Bruno 2".
        sentences.append(_("Points: %(points)s.") % points)
    return " ".join(sentences)


def _victory(winners: Sequence[int], cast: Cast) -> str:
    if len(winners) == 1:
        # Translators: name is a player.
        return cast.say(winners[0], _("You won the game."), _("%(name)s won the game."))
    return cast.say_of_several(
        winners,
        # Translators: names are players, such as "You and Anna".
        pgettext("the reader and others", "%(names)s share the victory."),
        # Translators: names are players, such as "Anna and Bruno".
        _("%(names)s share the victory."),
    )


WORDS: dict[type[Narrated], Callable[..., str]] = {
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
