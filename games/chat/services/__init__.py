"""Services of the chat: one function for each action. All entry points use them."""

from games.chat.services.channel_openings import agree_to_open, keep_closed
from games.chat.services.channels import begin_channel, choose_emails
from games.chat.services.messages import TooMany, begin_and_write, write
