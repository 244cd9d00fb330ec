#!/usr/bin/env python3
"""A bot that plays whole games on a Condottiere site: one file, nothing but Python's standard library.

Make a bot on your account's page, and a token for it that may read and play. Then:

    export SITE=https://condottiere.example.org TOKEN=condottiere_...
    python3 example_bot.py                       play wherever the bot is invited, until you stop it
    python3 example_bot.py --against captain     make a table against the site's bot, and play to the result
    python3 example_bot.py --listen 8000 --key whsec_...     wait for the site's webhook instead of asking

`choose` is all that you need to change. docs/API.md describes the requests.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import os
import random
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ALL_OPTIONS = ["bigger-kingdoms", "capturing-regions", "draw-after-battle", "hidden-cards"]
OLDEST = 300  # seconds after which a webhook is too old to be believed
LONGEST = 10_000  # bytes that are read of one


def choose(game: dict[str, Any]) -> str:
    """Return the move to make: one of `game["moves"]`. Change this to make your bot play better.

    `game["observation"]` says what the bot's seat knows. This bot plays cards at random, and passes rarely.
    """
    moves: list[str] = [move["move"] for move in game["moves"]]
    return random.choice([move for move in moves if move != "pass" or random.random() < 0.3] or moves)


class Site:
    """The site's API. It sends each answer's `ETag` again, and waits where the site says so."""

    def __init__(self, address: str, token: str) -> None:
        self.address, self.token = address.rstrip("/"), token
        self.known: dict[str, tuple[str, Any]] = {}  # by path: the ETag of the last answer, and the answer

    def get(self, path: str) -> Any:
        """Return what the site says there."""
        return self.ask("GET", path)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Do something. The API makes it safe to send the same again."""
        return self.ask("POST", path, body)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send one request until there's an answer. Raises urllib.error.HTTPError if it's refused."""
        for attempt in range(10):
            try:
                return self._ask_once(method, path, body)
            except urllib.error.HTTPError as refused:
                if refused.code != 429 and refused.code < 500:
                    raise
                wait = int(refused.headers.get("Retry-After") or 2**attempt)
            except OSError:  # no connection, or no answer in time
                wait = 2**attempt
            time.sleep(wait)
        raise SystemExit(f"{self.address} doesn't answer.")

    def _ask_once(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "User-Agent": "example_bot"}
        if method == "GET" and path in self.known:
            headers["If-None-Match"] = self.known[path][0]
        data = None
        if body is not None:
            headers["Content-Type"], data = "application/json", json.dumps(body).encode()
        url = f"{self.address}/api/v1/{path}"
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                told = json.loads(answer.read())
                if method == "GET":
                    self.known[path] = (answer.headers["ETag"], told)
                return told
        except urllib.error.HTTPError as problem:
            if problem.code == 304:  # nothing has changed
                return self.known[path][1]
            raise


def play_what_waits(site: Site) -> int:
    """Do everything that waits for the bot; return how much it was."""
    for game in site.get("games"):
        if game["is_away"]:  # it missed turns, so the site's bot plays for it
            site.post(f"games/{game['id']}/back")
    waiting = site.get("waiting")
    for row in waiting:
        try:
            if row["kind"] == "table":
                take_part(site, row["id"])
            else:
                play(site, row["id"])
        except urllib.error.HTTPError as refused:
            print(row["name"], "-", json.loads(refused.read())["detail"])
    return len(waiting)


def take_part(site: Site, table: int) -> None:
    """Take a seat where the bot is invited, and confirm a full table."""
    seen = site.get(f"tables/{table}")
    if not any(seat["is_yours"] for seat in seen["seats"]):
        seen = site.post(f"tables/{table}/seat")
    if len(seen["seats"]) == seen["size"] and not seen["game"]:
        site.post(f"tables/{table}/confirmation")


def play(site: Site, number: int) -> dict[str, Any]:
    """Make the bot's moves in a game as long as it's the bot's turn; go on with a match."""
    game: dict[str, Any] = site.get(f"games/{number}")
    while game["decision"]:
        sent = {"step": game["decision"]["step"], "move": choose(game)}
        try:
            game = site.post(f"games/{number}/moves", sent)
        except urllib.error.HTTPError as refused:
            if refused.code != 409:
                raise
            game = site.get(f"games/{number}")  # the turn is over: look again
    match = game["match"]
    if match and match["waits_for_you"]:
        site.post(f"games/{number}/next", {"number": match["next_game"]})
    return game


def play_against(site: Site, strength: str, size: int, settings: dict[str, Any]) -> list[str]:
    """Make a table, seat the site's bots there, play to the end; return the result of each game."""
    new = {"key": str(uuid.uuid4()), "name": f"Against {strength}", "size": size, "settings": settings}
    table = site.post("tables", new)
    for taken in range(1, size):
        site.post(f"tables/{table['id']}/bots", {"strength": strength, "taken": taken})
    number = site.post(f"tables/{table['id']}/confirmation")["game"]
    results = []
    while number:
        game = play(site, number)
        while not game["is_over"]:
            time.sleep(1)
            game = play(site, number)
        results.append(game["result"])
        match = site.get(f"games/{number}")["match"]
        number = match and match["following"]
    return results


def is_from_site(key: str, headers: Any, body: bytes, believed: dict[str, float]) -> bool:
    """Return whether the site signed this webhook a short time ago, and it's new (Standard Webhooks).

    `believed` holds the signatures of those that came before. If the site tries again, it signs again.
    """
    identifier, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    now = time.time()
    if not (sent.isascii() and sent.isdecimal() and len(sent) <= 12) or abs(now - int(sent)) > OLDEST:
        return False
    secret = base64.b64decode(key.removeprefix("whsec_"))
    mac = hmac.new(secret, f"{identifier}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = f"v1,{base64.b64encode(mac).decode()}"
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(expected.encode(), one) for one in given):
        return False
    for old in [one for one, when in believed.items() if now - when > 2 * OLDEST]:
        del believed[old]
    is_new = expected not in believed
    believed.setdefault(expected, now)
    return is_new


def listen(port: int, key: str, woken: threading.Event) -> ThreadingHTTPServer:
    """Listen for webhooks, and set `woken` at each. A server before it must speak https."""

    believed: dict[str, float] = {}
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # seconds in which a request must arrive

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length") or ""
            body = self.rfile.read(min(int(length) if length.isdecimal() else 0, LONGEST))
            with lock:
                is_ours = is_from_site(key, self.headers, body, believed)
            self.send_response(204 if is_ours else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()
            if is_ours:
                woken.set()

    server = ThreadingHTTPServer(("", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main() -> None:
    """Read the command line, and play."""
    parser = argparse.ArgumentParser(description="A bot that plays on a Condottiere site.")
    parser.add_argument("--site", default=os.environ.get("SITE"), help="the site's address; or $SITE")
    parser.add_argument("--against", choices=("recruit", "captain", "strategist"), help="play the site's bot")
    parser.add_argument("--size", type=int, default=3, help="how many play")
    parser.add_argument("--edition", choices=("2007", "1995"), default="2007")
    parser.add_argument("--all-options", action="store_true", help="with all optional rules, as a match")
    parser.add_argument("--every", type=float, default=60, help="seconds between two questions")
    parser.add_argument("--listen", type=int, metavar="PORT", help="wait for the site's webhook here")
    parser.add_argument("--key", default=os.environ.get("KEY", ""), help="the webhook's signing key; or $KEY")
    given = parser.parse_args()
    if not given.site or "TOKEN" not in os.environ:
        parser.error("Set SITE to the site's address, and TOKEN to your bot's token.")
    site = Site(given.site, os.environ["TOKEN"])
    print("Playing as", site.get("me")["name"])
    if given.against:
        settings: dict[str, Any] = {"edition": given.edition}
        if given.all_options:
            settings |= {"variants": ALL_OPTIONS, "match": "20"}
        for result in play_against(site, given.against, given.size, settings):
            print(result)
        return
    woken = threading.Event()
    if given.listen:
        listen(given.listen, given.key, woken)
    while True:
        play_what_waits(site)
        woken.wait(given.every * (10 if given.listen else 1))  # a webhook may get lost, so ask now and then
        woken.clear()


if __name__ == "__main__":
    main()
