"""The parts of a received message, without reading its texts.

`get_payload()` also decodes a text, in whatever codec its sender names, and some raise or take ever longer.
So it is asked only of a message that has parts.
"""

from email.message import Message


def parts_of(message: Message) -> list[Message]:
    """Return the parts of a message, or the message it encloses; none of a text or a file."""
    payload = message.get_payload() if message.is_multipart() else None
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []
