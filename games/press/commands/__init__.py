"""What people do in the talk of a table, one verb each. Every door goes through here."""

from games.press.commands.choosing import choose_letters
from games.press.commands.opening import agree_to_open, keep_closed
from games.press.commands.writing import MOST_A_DAY, TooMany, begin_circle, write

__all__ = ["MOST_A_DAY", "TooMany", "agree_to_open", "begin_circle", "choose_letters", "keep_closed", "write"]
