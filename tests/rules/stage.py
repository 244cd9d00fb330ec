"""Sets up a position in the middle of a game, for tests that need certain hands and a certain map."""

from collections import Counter

from games.rules import Options, Reason, State, apply, legal_moves, new_game, parse_move, pending
from games.rules.board import REGION_NUMBER
from games.rules.cards import CARDS, NUMBER_OF, Cards, names
from games.rules.engine import Event
from games.rules.errors import IllegalMove
from games.rules.rounds import begin
from games.rules.strength import totals

RULES = Options()


def cards(text: str) -> tuple[int, ...]:
    """Return `5 5 drummer` as the rules' numbers; `-` is no card."""
    return tuple(NUMBER_OF[name] for name in text.split() if name != "-")


def hand(text: str) -> tuple[int, ...]:
    return tuple(sorted(cards(text)))


def staged(
    hands: str,
    lines: str = "",
    holder: int = 0,
    battle: str | None = "roma",
    control: str = "",
    pope: str | None = None,
    idle: int = 0,
    battles: int = 1,
    finalists: tuple[int, ...] = (),
    edition: str = "2007",
    variants: tuple[str, ...] = (),
    down: str = "",
    pile: str = "",
) -> State:
    """A battle about to begin (or, with no `battle`, a region to be chosen). Hands, lines and cards face down
    are parted by `|`, control is `roma=0 siena=1`, the pile begins at the top. All other cards lie in the
    discard pile, or in the hand that is `rest`."""
    options = Options(edition, variants)
    drawn = cards(pile)
    seats = hands.count("|") + 1
    laid = tuple(cards(text) for text in lines.split("|")) if lines else ((),) * seats
    covered = tuple(cards(text) for text in down.split("|")) if down else ((),) * seats
    told = tuple(() if text.strip() == "rest" else hand(text) for text in hands.split("|"))
    rest = _rest(options, *told, *laid, *covered, drawn)
    held = tuple(
        rest if text.strip() == "rest" else owned for text, owned in zip(hands.split("|"), told, strict=True)
    )
    holdings = [0] * len(held)
    for pair in control.split():
        region, seat = pair.split("=")
        holdings[int(seat)] |= 1 << REGION_NUMBER[region]
    state = new_game(options, seats, holder).replace(
        ply=1,
        step=1,
        shuffles=1,
        owed=(),
        shares=(),
        hands=held,
        lines=laid,
        face_down=covered,
        totals=totals(laid),
        holdings=tuple(holdings),
        pope=None if pope is None else REGION_NUMBER[pope],
        battle=None if battle is None or finalists else REGION_NUMBER[battle],
        idle=idle,
        battles=battles,
        finalists=finalists,
        discards=() if "rest" in hands else rest,
        pile=drawn,
    )
    if battle is None:
        return state.replace(phase="place", turn=holder)
    return begin(state, holder)


def _rest(options: Options, *groups: Cards) -> Cards:
    left = Counter(options.deck)
    for group in groups:
        left.subtract(group)
    assert min(left.values()) >= 0, "more copies on the table than in the deck"
    return tuple(sorted(left.elements()))


def played(state: State, *moves: str) -> tuple[State, list[Event]]:
    """Plays moves of the asked seats; `1: pass` names the seat; `shuffle` alone leaves the pile in canonical
    order."""
    told: list[Event] = []
    for text in moves:
        seat, move = _read(state, text)
        state, events = apply(state, seat, move)
        told += events
    return state, told


def _read(state: State, text: str):
    named, _, rest = text.rpartition(":")
    if rest.strip() == "shuffle":
        return None, parse_move(" ".join(("shuffle", *state.shuffle_pile)))
    seat = int(named) if named else pending(state)[0].seat
    return seat, parse_move(rest.strip())


def refused(state: State, text: str) -> Reason:
    """Return why a move is refused; check that it is not listed either."""
    seat, move = _read(state, text)
    assert move not in legal_moves(state, seat)
    try:
        apply(state, seat, move)
    except IllegalMove as illegal:
        return illegal.reason
    raise AssertionError(f"{text} was taken")


def choices(state: State) -> list[str]:
    """Return all moves of the first seat with a decision."""
    return [str(move) for move in legal_moves(state, pending(state)[0].seat)]


__all__ = ["CARDS", "RULES", "cards", "choices", "hand", "names", "played", "refused", "staged"]
