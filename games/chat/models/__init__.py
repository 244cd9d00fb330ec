"""Models of the chat at tables. Only the services of this app write their rows."""

from games.chat.models.channels import (
    EPILOGUE,
    Channel,
    ChannelReadMarker,
    Member,
    Mute,
    new_slug,
    people_key,
)
from games.chat.models.deals import CHECKED_FOR_GOOD, Deal, DealParty, DealPromise, Verdict
from games.chat.models.messages import Message, newest_messages
from games.chat.models.moderation import Ban, Report
from games.chat.models.shown_and_sealed import SealedNote, ShownCards
