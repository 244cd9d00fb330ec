"""The worked examples of optional rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext_lazy as _

from games.rulebook.examples_2007 import ALMOST_A_GROUP, GROUP_HANDS, THE_LAST_OF_A_GROUP
from games.rulebook.staging import Example, Script

EXAMPLES_OF_OPTIONS: Mapping[str, Example] = MappingProxyType(
    {
        "smaller-kingdom": Example(
            _("Without the option"),
            _("Anna fights for one more region to enlarge a connected group."),
            Script(hands=GROUP_HANDS, before=ALMOST_A_GROUP, moves=THE_LAST_OF_A_GROUP),
            _("The game is over."),
            shows_lines=False,
        ),
        "bigger-kingdom": Example(
            _("With Bigger Kingdoms"),
            _("The same cards and the same moves."),
            Script(
                hands=GROUP_HANDS,
                before=ALMOST_A_GROUP,
                moves=THE_LAST_OF_A_GROUP,
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
            _("Anna’s first passes were not final. When all others had passed, Anna got one more turn."),
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
                "The Bishop saw Anna’s six, which was face up. He did not see Anna’s newest card, nor "
                "Bruno’s. Bruno’s card was turned up only after that."
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
                moves=THE_LAST_OF_A_GROUP,
            ),
            _("The connected group brings the bonus. Every region scores for the player who holds it."),
            shows_lines=False,
        ),
    }
)
