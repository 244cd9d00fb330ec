"""What is stored of the talk at tables. Rows are written by the commands of this room and nobody else."""

from games.press.models.attested import Seal, ShownCards
from games.press.models.bargains import LOOKED_FOR_GOOD, Bargain, Party, Pledge, Verdict
from games.press.models.circles import EPILOGUE, Circle, Following, Member, people_key
from games.press.models.manners import Report, Silence
from games.press.models.messages import Message, newest_messages
from games.press.models.mutes import Mute

__all__ = [
    "EPILOGUE",
    "LOOKED_FOR_GOOD",
    "Bargain",
    "Circle",
    "Following",
    "Member",
    "Message",
    "Mute",
    "Party",
    "Pledge",
    "Report",
    "Seal",
    "ShownCards",
    "Silence",
    "Verdict",
    "newest_messages",
    "people_key",
]
