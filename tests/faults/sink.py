"""A mail server with moods: it accepts emails, or refuses, delays, hangs up or stays silent, as set.

Written line by line on sockets, for most of what it does no proper server would do.
"""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from email import message_from_bytes
from email.message import Message
from typing import Any, NamedTuple

ACCEPT = "accept"
LATER = "451 4.3.0 later"
NEVER = "550 5.1.1 no such person"
LATER_AFTER_DATA = "452 4.3.1 disk full"  # said after the whole email was heard
NEVER_AFTER_DATA = "554 5.7.1 not this one"
CUT_BEFORE_250 = "stores the email and hangs up"
CUT_AFTER_250 = "stores the email, says so and hangs up"
HANG = "stores nothing and says nothing more"
AFTER_DATA = {LATER_AFTER_DATA, NEVER_AFTER_DATA}


class Taken(NamedTuple):
    """An email this server stored, and so must deliver."""

    at: float
    message_id: str
    to: str
    message: Message


class Sink(socketserver.ThreadingTCPServer):
    """One mail server. `mood(address)` decides what happens to an email to this address."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 100

    def __init__(self, port: int) -> None:
        self.port = port
        self.taken: list[Taken] = []
        self.cut: list[str] = []  # Message-IDs stored without saying so: these will come again
        self.mood: Callable[[str], str] = lambda address: ACCEPT
        self.greets = True
        self.takes_seconds = 0.0  # how long it ponders each email
        self.before_saying_so: Callable[[int], Callable[[], None] | None] = lambda client_port: None
        self._chats: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Conversation)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        """Return the server's EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    def ids(self) -> Counter[str]:
        """Return how often each Message-ID was stored."""
        return Counter(email.message_id for email in list(self.taken))

    def process_request(self, request: Any, client_address: Any) -> None:
        self._chats.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._chats.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that were killed and hang up mid-word, as these tests want."""

    def close(self) -> None:
        """Stop listening, and cut all connections."""
        self.shutdown()
        self.server_close()
        for chat in list(self._chats):
            with suppress(OSError):
                chat.shutdown(socket.SHUT_RDWR)


class _Conversation(socketserver.StreamRequestHandler):
    """One connection, with the part of RFC 5321 that smtplib uses."""

    server: Sink
    timeout = 120

    def handle(self) -> None:
        if not self.server.greets:
            self._silence()
            return
        self.to = ""
        self._say("220 sink ESMTP")
        while line := self.rfile.readline(2000):
            verb = line[:4].upper()
            if verb == b"QUIT":
                self._say("221 bye")
                return
            if not self._answer(verb, line.decode("ascii", "replace").strip()):
                return

    def _answer(self, verb: bytes, line: str) -> bool:
        """Handle one command; return False at the end of the connection."""
        if verb == b"EHLO":
            self._say("250-sink\r\n250 8BITMIME")
        elif verb == b"RCPT":
            self.to = line.partition("<")[2].partition(">")[0]
            mood = self.server.mood(self.to)
            self._say(mood if mood[:1].isdigit() and mood not in AFTER_DATA else "250 OK")
        elif verb == b"DATA":
            self._say("354 go on")
            return self._email(self._content())
        else:
            self._say("250 OK")
        return True

    def _content(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b"..") else line)
        if line == b"":
            raise ConnectionResetError
        return b"".join(lines)

    def _email(self, content: bytes) -> bool:
        time.sleep(self.server.takes_seconds)
        mood = self.server.mood(self.to)
        if mood in AFTER_DATA:
            self._say(mood)
            return True
        if mood == HANG:
            self._silence()
            return False
        then = self.server.before_saying_so(self.client_address[1])
        message = message_from_bytes(content)
        self.server.taken.append(Taken(time.monotonic(), str(message["Message-ID"]), self.to, message))
        if mood == CUT_BEFORE_250:
            self.server.cut.append(str(message["Message-ID"]))
        else:
            self._say("250 OK")
        if then is not None:
            then()
        return mood not in (CUT_BEFORE_250, CUT_AFTER_250)

    def _silence(self) -> None:
        self.request.settimeout(self.timeout)
        with suppress(OSError):
            while self.request.recv(4096):
                pass

    def _say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")
