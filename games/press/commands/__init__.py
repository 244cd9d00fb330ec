"""What people do in the talk of a table, one verb each. Every door goes through here."""

from games.press.commands.notices import LETTER_KIND
from games.press.commands.writing import MOST_A_DAY, TooMany, begin_circle, write

__all__ = ["LETTER_KIND", "MOST_A_DAY", "TooMany", "begin_circle", "write"]
