"""Whether every shuffle of a game follows from its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from games.fairness.check import CheckedShuffle, FairnessCheck, entry_numbers
from games.narration.cast import Cast, comma_list
from games.narration.vocabulary import card_name
from games.rules import CardsDealt, Replay, shuffled


def check_shuffles(
    key: bytes | None,
    played: Replay,
    names: tuple[str, ...],
    position_url: Callable[[int], str],
    copied: int = 0,
) -> FairnessCheck:
    """Compare each shuffle of the log after the `copied` entries with what the key makes."""
    title = pgettext("heading", "Shuffles")
    if key is None:
        return FairnessCheck(title, [_("Without a key the shuffles can’t be computed.")], False)
    compared = _compare(key, played, names, position_url)
    found = [shuffle for shuffle in compared if shuffle.ply >= copied]
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
    elif played.error is not None:
        # Translators: %(entry)d and %(ply)d identify an entry of the log.
        said = _(
            "Entry %(entry)d of the log (ply %(ply)d in the record) can’t be played. Nothing after it "
            "was compared."
        )
        sentences.append(said % entry_numbers(played.error[0]))
    right = None if wrong is None and played.error is not None else wrong is None
    return FairnessCheck(title, sentences, right, [], found)


def _compare(
    key: bytes, played: Replay, names: tuple[str, ...], position_url: Callable[[int], str]
) -> Iterator[CheckedShuffle]:
    for ply, (before, entry) in enumerate(zip(played.states, played.plies, strict=False)):
        if entry.seat is None:
            computed = shuffled(key, before.shuffles, before.shuffle_pile)
            yield CheckedShuffle(
                before.shuffles,
                ply,
                _deals_served(names, [event for event in entry.events if isinstance(event, CardsDealt)]),
                entry.move.cards == computed,
                comma_list(map(card_name, entry.move.cards)),
                comma_list(map(card_name, computed)),
                position_url(ply + 1),
            )


def _deals_served(names: tuple[str, ...], dealt: list[CardsDealt]) -> str:
    """Return which deal a shuffle was for."""
    hands = [(event.seat, event.count) for event in dealt if event.count]
    # Translators: hands is a list of players and numbers of cards, such as "Anna 10, Bruno 10".
    text = _("Cards drawn from it at once: %(hands)s.")
    return text % {"hands": Cast(names).with_values(hands)} if hands else ""
