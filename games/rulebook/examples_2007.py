"""The worked examples of the 2007 edition: battles, cards, standing orders, a victory and a round."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext_lazy as _

from games.rulebook.staging import Example, Script

ALMOST_A_GROUP = """
    Anna takes roma with 2
    Anna takes siena with 2
    Anna takes firenze with 2
"""
THE_LAST_OF_A_GROUP = """
    Anna: place lucca
    Anna: play 3
    Bruno: pass
    Carla: pass
    Anna: pass
"""
GROUP_HANDS = MappingProxyType({"Anna": "2 2 2 3", "Bruno": "", "Carla": ""})
_ROUND_HANDS = MappingProxyType(
    {
        "Anna": "10 5 4 4 3 3 2 2 1 1",
        "Bruno": "1 courtesan courtesan courtesan scarecrow scarecrow scarecrow drummer drummer surrender",
    }
)

EXAMPLES_2007: Mapping[str, Example] = MappingProxyType(
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
        "standing-order-holds": Example(
            _("An order to hold"),
            _("Anna plays a card that takes the lead, and orders to pass once everyone else has."),
            Script(
                hands={"Anna": "3 4 5", "Bruno": "2 1", "Carla": "6 1"},
                moves="""
                    Anna: place siena
                    Anna: play 3
                    Bruno: play 2
                    Carla: pass
                    Anna: play 4
                    Bruno: pass
                    Anna: pass
                """,
            ),
            _(
                "Anna held. Then Bruno passed too, and Anna was ahead. So the order passed without waiting "
                "for Anna."
            ),
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
            Script(hands=GROUP_HANDS, before=ALMOST_A_GROUP, moves=THE_LAST_OF_A_GROUP),
            _("Lucca borders on Firenze, so Anna’s group is now big enough to win with three players."),
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
            _("Spring helps the highest Mercenaries in anyone’s line, no matter who played it."),
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
            _("The ten went back to Bruno’s hand, escaped the Bishop and could be played again."),
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
            _("The Courtesan’s reward"),
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
            _("Anna’s kept card counts towards a full hand. Anna’s region brings a card beyond it."),
            shows_lines=False,
        ),
    }
)
