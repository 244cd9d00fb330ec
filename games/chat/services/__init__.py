"""What people do in the chat of a table, one verb each. Every door goes through here."""

from games.chat.services.messages import (
    MOST_A_DAY,
    TooMany,
    agree_to_open,
    begin_channel,
    choose_emails,
    keep_closed,
    write,
)

__all__ = ["MOST_A_DAY", "TooMany", "agree_to_open", "begin_channel", "choose_emails", "keep_closed", "write"]
