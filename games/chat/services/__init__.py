"""Services of the chat: one function for each action. All entry points use them."""

from games.chat.services.messages import (
    TooMany,
    agree_to_open,
    begin_channel,
    choose_emails,
    keep_closed,
    write,
)

__all__ = ["TooMany", "agree_to_open", "begin_channel", "choose_emails", "keep_closed", "write"]
