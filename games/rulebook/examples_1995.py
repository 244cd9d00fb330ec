"""The worked examples of the 1995 edition."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext_lazy as _

from games.rulebook.staging import Example, Script

EXAMPLES_1995: Mapping[str, Example] = MappingProxyType(
    {
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
            _("Bruno wants the best card in Anna’s line."),
            Script(
                edition="1995",
                hands={"Anna": "10 5", "Bruno": "4 scarecrow"},
                before="Anna: place siena\nAnna: play 10\nBruno: play 4\nAnna: play 5",
                moves="Bruno: play scarecrow 10 from 0\nAnna: pass\nBruno: play 10",
            ),
            _("The card went to Bruno’s hand, and could be played in the same battle."),
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
            _("Anna had to give up all cards, but Anna’s region brought more than a full hand."),
            shows_lines=False,
        ),
    }
)
