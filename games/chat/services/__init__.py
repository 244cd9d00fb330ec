"""Services of the chat: one function for each action. All entry points use them."""

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
