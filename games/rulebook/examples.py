"""The worked examples: what is played, with a word before and after it.

No result is typed here. The rules compute it (example_narration.py), and tests/rulebook checks that the last
word is about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from .staging import Script


@dataclass(frozen=True)
class Example:
    """A title, what to know before, what is played, and what to see in it."""

    title: str | Promise
    setting: str | Promise
    script: Script
    lesson: str | Promise
    shows_lines: bool = True


_ALMOST_A_GROUP = """
    Anna takes roma with 2
    Anna takes siena with 2
    Anna takes firenze with 2
"""
_THE_LAST_OF_A_GROUP = """
    Anna: place lucca
    Anna: play 3
    Bruno: pass
    Carla: pass
    Anna: pass
"""
_GROUP_HANDS = MappingProxyType({"Anna": "2 2 2 3", "Bruno": "", "Carla": ""})
_ROUND_HANDS = MappingProxyType(
    {
        "Anna": "10 5 4 4 3 3 2 2 1 1",
        "Bruno": "1 courtesan courtesan courtesan scarecrow scarecrow scarecrow drummer drummer surrender",
    }
)

EXAMPLES: Mapping[str, Example] = MappingProxyType(
    {
        "battle": Example(
            _("A whole battle"),
            _("As the Condottiere, Anna chooses the region and takes the first turn."),
            Script(
                hands={"Anna": "4 5 drummer", "Bruno": "6 3", "Carla": "10 2"},
                moves="""
                    Anna: place siena
                    Anna: play 4
                    Bruno: play 6
                    Carla: play 10
                    Anna: play drummer
                    Bruno: pass
                    Carla: pass
                    Anna: play 5
                    Anna: pass
                """,
            ),
            _("After Bruno and Carla had passed, Anna went on alone, card by card, and then passed too."),
        ),
        "standing-order": Example(
            _("Fighting on"),
            _("Anna plays a card and gives a standing order with it: to fight on with two more Mercenaries."),
            Script(
                hands={"Anna": "3 4 5", "Bruno": "2 1", "Carla": "6 1"},
                moves="""
                    Anna: place siena
                    Anna: play 3
                    Bruno: play 2
                    Carla: play 6
                    Anna: play 4
                    Bruno: pass
                    Carla: pass
                    Anna: pass
                """,
            ),
            _(
                "Anna decided once. The order played one more card. Then everyone else had passed and Anna "
                "was ahead. So it passed, and the last card is still in Anna’s hand."
            ),
        ),
        "standing-order-ends": Example(
            _("A standing order that ends"),
            _("Anna plays a card and gives a standing order with it: to fight on with two more Mercenaries."),
            Script(
                hands={"Anna": "3 4 5", "Bruno": "2 1 winter", "Carla": "6 1"},
                moves="""
                    Anna: place siena
                    Anna: play 3
                    Bruno: play 2
                    Carla: play 6
                    Anna: play 4
                    Bruno: play 1
                    Carla: pass
                    Anna: play 5
                    Bruno: play winter
                """,
            ),
            _(
                "Anna decided once, and the order played the other cards at once. Then Bruno played Winter. "
                "The order ended, and Anna decides again."
            ),
        ),
        "victory": Example(
            _("A victory"),
            _("Anna needs one more region for a connected group that wins."),
            Script(hands=_GROUP_HANDS, before=_ALMOST_A_GROUP, moves=_THE_LAST_OF_A_GROUP),
            _("Lucca borders on Firenze, so Anna's group is now big enough to win with three players."),
            shows_lines=False,
        ),
        "winter": Example(
            _("Winter and a Drummer"),
            _("Winter affects every line. A Drummer helps only its own line."),
            Script(
                hands={"Anna": "10 6 drummer", "Bruno": "3 heroine winter"},
                moves="""
                    Anna: place milano
                    Anna: play 10
                    Bruno: play 3
                    Anna: play 6
                    Bruno: play heroine
                    Anna: play drummer
                    Bruno: play winter
                """,
            ),
            _("The Drummer still doubles, but each Mercenary counts only one. The Heroine is not affected."),
        ),
        "spring": Example(
            _("Spring and a Drummer"),
            _("Spring helps the highest Mercenaries in anyone's line, no matter who played it."),
            Script(
                hands={"Anna": "5 5 3 drummer", "Bruno": "5 4 spring"},
                moves="""
                    Anna: place milano
                    Anna: play 5
                    Bruno: play 5
                    Anna: play 5
                    Bruno: play 4
                    Anna: play drummer
                    Bruno: play spring
                """,
            ),
            _("The Drummer doubles first. Then Spring adds its bonus to each of the highest Mercenaries."),
        ),
        "seasons": Example(
            _("Spring ends Winter"),
            _("Bruno has played Winter. Anna ends it."),
            Script(
                hands={"Anna": "10 spring", "Bruno": "2 winter"},
                before="Anna: place parma\nAnna: play 10\nBruno: play winter",
                moves="Anna: play spring\nBruno: play 2",
            ),
            _("The Winter is gone for this battle. Bruno would need another one."),
        ),
        "bishop": Example(
            _("A Bishop"),
            _("Anna and Bruno think they are safe once they have passed."),
            Script(
                hands={"Anna": "10 4", "Bruno": "10 6", "Carla": "3 3 bishop"},
                before="""
                    Anna: place bologna
                    Anna: play 10
                    Bruno: play 10
                    Carla: play 3
                    Anna: play 4
                    Bruno: play 6
                """,
                moves="""
                    Carla: play 3
                    Anna: pass
                    Bruno: pass
                    Carla: play bishop venezia
                """,
            ),
            _("All Mercenaries with the highest strength are gone, and no one may choose Venezia now."),
        ),
        "bishop-in-winter": Example(
            _("A Bishop in Winter"),
            _("Under Winter all Mercenaries count the same. The Bishop looks at their printed strength."),
            Script(
                hands={"Anna": "6 2", "Bruno": "4 winter bishop"},
                before="Anna: place bologna\nAnna: play 6\nBruno: play winter\nAnna: play 2\nBruno: play 4",
                moves="Anna: play 1\nBruno: play bishop off",
            ),
            _("Only the six was removed, though it counted no more than the others."),
        ),
        "scarecrow": Example(
            _("A Scarecrow"),
            _("Bruno has played a ten and fears a Bishop."),
            Script(
                hands={"Anna": "3 5 bishop", "Bruno": "10 2 scarecrow"},
                before="Anna: place bologna\nAnna: play 3\nBruno: play 10",
                moves="Anna: play 5\nBruno: play scarecrow 10\nAnna: play bishop off\nBruno: play 10",
            ),
            _("The ten went back to Bruno's hand, escaped the Bishop and could be played again."),
        ),
        "surrender": Example(
            _("A Surrender that helps no one"),
            _("Carla wants no one to win, because both others still have strong cards."),
            Script(
                hands={"Anna": "6 10", "Bruno": "6 10", "Carla": "2 surrender"},
                moves="""
                    Anna: place roma
                    Anna: play 6
                    Bruno: play 6
                    Carla: play surrender
                """,
            ),
            _("The battle was over at once. A tie stays a tie, though Anna and Bruno had more cards."),
        ),
        "courtesan": Example(
            _("The Courtesan's reward"),
            _("Bruno does not fight for the region, but for the right to choose the next one."),
            Script(
                hands={"Anna": "10 courtesan", "Bruno": "courtesan courtesan", "Carla": "4"},
                moves="""
                    Anna: place roma
                    Anna: play 10
                    Bruno: play courtesan
                    Carla: pass
                    Anna: play courtesan
                    Bruno: play courtesan
                    Anna: pass
                    Bruno: pass
                """,
            ),
            _("The strongest line takes the region. The most Courtesans take the Condottiere token."),
        ),
        "round": Example(
            _("A discarded hand and a new round"),
            _("Bruno has no Mercenaries left in hand, only special cards."),
            Script(
                hands=_ROUND_HANDS,
                before="Anna: place roma\nAnna: play 4\nBruno: play 1\nAnna: pass\nBruno: pass",
                moves="""
                    Anna: place siena
                    Bruno: discard hand
                    Anna: keep 10
                    the table shuffles
                """,
            ),
            _("Anna's kept card counts towards a full hand. Anna's region brings a card beyond it."),
            shows_lines=False,
        ),
        "smaller-kingdom": Example(
            _("Without the option"),
            _("Anna fights for one more region to enlarge a connected group."),
            Script(hands=_GROUP_HANDS, before=_ALMOST_A_GROUP, moves=_THE_LAST_OF_A_GROUP),
            _("The game is over."),
            shows_lines=False,
        ),
        "bigger-kingdom": Example(
            _("With Bigger Kingdoms"),
            _("The same cards and the same moves."),
            Script(
                hands=_GROUP_HANDS,
                before=_ALMOST_A_GROUP,
                moves=_THE_LAST_OF_A_GROUP,
                variants=("bigger-kingdoms",),
            ),
            _("The game goes on: Anna chooses the region of the next battle."),
            shows_lines=False,
        ),
        "defender": Example(
            _("A defender who waits"),
            _("Carla is the Condottiere and attacks a region that Anna holds."),
            Script(
                hands={"Anna": "2 10 5", "Bruno": "4", "Carla": "3 6"},
                variants=("capturing-regions",),
                before="""
                    Anna takes roma with 2
                    Anna: place siena
                    Anna: pass
                    Bruno: pass
                    Carla: play 3
                    Carla: pass
                """,
                moves="""
                    Carla: place roma
                    Carla: play 6
                    Anna: pass
                    Bruno: play 4
                    Carla: pass
                    Anna: pass
                    Bruno: pass
                    Anna: play 10
                    Anna: pass
                """,
            ),
            _("Anna's first passes were not final. When all others had passed, Anna got one more turn."),
        ),
        "defended-tie": Example(
            _("A tie for a region that is held"),
            _("Carla is the Condottiere and attacks a region that Anna holds."),
            Script(
                hands={"Anna": "2 6 5", "Bruno": "4", "Carla": "3 6"},
                variants=("capturing-regions",),
                before="""
                    Anna takes roma with 2
                    Anna: place siena
                    Anna: pass
                    Bruno: pass
                    Carla: play 3
                    Carla: pass
                """,
                moves="""
                    Carla: place roma
                    Carla: play 6
                    Anna: play 6
                    Bruno: pass
                    Carla: pass
                    Anna: pass
                """,
            ),
            _("A free region would stay free. Here the defender keeps the region, and takes the token too."),
        ),
        "draw": Example(
            _("Drawing after a battle"),
            _("Everyone started with a smaller hand."),
            Script(
                hands={"Anna": "5 4", "Bruno": "3"},
                variants=("draw-after-battle",),
                moves="""
                    Anna: place roma
                    Anna: play 5
                    Bruno: play 3
                    Anna: pass
                    Bruno: pass
                    Anna: place siena
                """,
            ),
            _("Everyone drew before the choice, the new Condottiere first. Then the lines were discarded."),
        ),
        "hidden-bishop": Example(
            _("A Bishop among hidden cards"),
            _("A card that gives strength lies face down until its player plays another card."),
            Script(
                hands={"Anna": "6 10", "Bruno": "6 5 bishop"},
                variants=("hidden-cards",),
                moves="""
                    Anna: place modena
                    Anna: play 6
                    Bruno: play 6
                    Anna: play 10
                    Bruno: play bishop off
                """,
            ),
            _(
                "The Bishop saw Anna's six, which was face up. He did not see Anna's newest card, nor "
                "Bruno's. Bruno's card was turned up only after that."
            ),
        ),
        "points": Example(
            _("The score of a game"),
            _("Anna is about to win by a connected group."),
            Script(
                hands={"Anna": "1 2 2 2 3", "Bruno": "2", "Carla": ""},
                variants=("playing-for-points",),
                before="""
                    Anna: place torino
                    Anna: play 1
                    Bruno: play 2
                    Carla: pass
                    Anna: pass
                    Bruno: pass
                    Bruno: place roma
                    Bruno: pass
                    Carla: pass
                    Anna: play 1
                    Anna: pass
                    Anna takes siena with 2
                    Anna takes firenze with 2
                """,
                moves=_THE_LAST_OF_A_GROUP,
            ),
            _("The connected group brings the bonus. Every region scores for the player who holds it."),
            shows_lines=False,
        ),
        "battle-1995": Example(
            _("A whole battle"),
            _("As the Condottiere, Anna chooses the region and takes the first turn."),
            Script(
                edition="1995",
                hands={"Anna": "6 4 drummer", "Bruno": "10 3", "Carla": "heroine winter"},
                moves="""
                    Anna: place siena
                    Anna: play 6
                    Bruno: play 10
                    Carla: play heroine
                    Anna: play drummer
                    Bruno: pass
                    Carla: play winter
                    Anna: play 4
                    Carla: pass
                    Anna: pass
                """,
            ),
            _("Under Winter a Mercenary counts one, or two with a Drummer. A Heroine counts as always."),
        ),
        "scarecrow-1995": Example(
            _("A Scarecrow that takes from another line"),
            _("Bruno wants the best card in Anna's line."),
            Script(
                edition="1995",
                hands={"Anna": "10 5", "Bruno": "4 scarecrow"},
                before="Anna: place siena\nAnna: play 10\nBruno: play 4\nAnna: play 5",
                moves="Bruno: play scarecrow 10 from 0\nAnna: pass\nBruno: play 10",
            ),
            _("The card went to Bruno's hand, and could be played in the same battle."),
        ),
        "bishop-1995": Example(
            _("A Bishop who saves a region"),
            _("Carla is the Condottiere, attacks a region that Anna holds, and gets far ahead."),
            Script(
                edition="1995",
                hands={"Anna": "2 bishop 3", "Bruno": "1", "Carla": "3 10"},
                before="""
                    Anna takes roma with 2
                    Anna: place siena
                    Anna: pass
                    Bruno: pass
                    Carla: play 3
                    Carla: pass
                """,
                moves="Carla: place roma\nCarla: play 10\nAnna: play bishop",
            ),
            _("Nothing was compared. The region stayed with Anna, who took the Condottiere token as well."),
        ),
        "surrender-1995": Example(
            _("A Surrender without a reply"),
            _("Anna holds the region and waits, as a defender may."),
            Script(
                edition="1995",
                hands={"Anna": "2 10 10", "Bruno": "1", "Carla": "3 6 surrender"},
                before="""
                    Anna takes roma with 2
                    Anna: place siena
                    Anna: pass
                    Bruno: pass
                    Carla: play 3
                    Carla: pass
                """,
                moves="""
                    Carla: place roma
                    Carla: play 6
                    Anna: pass
                    Bruno: pass
                    Carla: play surrender
                """,
            ),
            _("A defender who waits for the others to pass can be too late."),
        ),
        "round-1995": Example(
            _("A new round"),
            _("Bruno has no Mercenaries left in hand, only special cards."),
            Script(
                edition="1995",
                hands={
                    "Anna": "10 5 4 4 3 3 2 2 1 1",
                    "Bruno": "1 heroine heroine scarecrow scarecrow drummer drummer winter winter surrender",
                },
                before="Anna: place roma\nAnna: play 4\nBruno: play 1\nAnna: pass",
                moves="Bruno: pass\nBruno: discard hand\nthe table shuffles\nAnna: place siena",
            ),
            _("Anna had to give up all cards, but Anna's region brought more than a full hand."),
            shows_lines=False,
        ),
    }
)
