"""A mail server of many moods, and a way to start it."""

import asyncio
import re
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session


class Moody:
    """A server that answers emails by its list of moods, and accepts them when the list is used up."""

    def __init__(self) -> None:
        self.moods: list[str] = []
        self.sender_moods: list[str] = []
        self.slow: dict[str, float] = {}  # recipient -> seconds until the answer
        self.cuts: set[str] = set()  # recipients whose emails break the connection
        self.taken: list[str] = []
        self.message_ids: list[str] = []
        self.senders: list[str | None] = []
        self.connections: set[Any] = set()
        self.attempts = 0
        self.asked = 0  # all emails of which this server has heard
        self.at: dict[str, str] = {}  # MAIL, RCPT or DATA -> the answer to everyone
        self.refused: dict[str, str] = {}  # recipient -> the answer

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.connections.add(session.peer)
        self.asked += 1
        if self.at.get("MAIL"):
            return self.at["MAIL"]
        if self.sender_moods:
            return self.sender_moods.pop(0)
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = self.refused.get(address) or self.at.get("RCPT")
        if not answer:
            envelope.rcpt_tos.append(address)
        return answer or "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.attempts += 1
        if self.at.get("DATA"):
            return self.at["DATA"]
        mood = self.moods.pop(0) if self.moods else "250 OK"
        assert isinstance(envelope.content, bytes)
        self.message_ids += re.findall(r"^Message-ID:\s*(\S+)", envelope.content.decode(), re.M | re.I)
        self.senders.append(envelope.mail_from)
        await asyncio.sleep(max(self.slow.get(address, 0) for address in envelope.rcpt_tos))
        if self.cuts.intersection(envelope.rcpt_tos):
            mood = "hang up"
        if mood == "hang up":
            assert server.transport is not None
            server.transport.close()
            return "250 never heard"
        if mood.startswith("250"):
            self.taken += envelope.rcpt_tos
            if mood == "250 and hang up":
                assert server.transport is not None
                server.loop.call_soon(server.transport.close)  # once the answer is said
        return "250 OK" if mood.startswith("250") else mood
