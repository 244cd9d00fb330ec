"""The worked examples: what is played, with a word before and after it.

No result is typed in them. The rules compute it (example_narration.py), and tests/rulebook checks that the
last word is about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.rulebook.examples_1995 import EXAMPLES_1995
from games.rulebook.examples_2007 import EXAMPLES_2007
from games.rulebook.examples_of_options import EXAMPLES_OF_OPTIONS
from games.rulebook.staging import Example

EXAMPLES: Mapping[str, Example] = MappingProxyType({**EXAMPLES_2007, **EXAMPLES_OF_OPTIONS, **EXAMPLES_1995})
