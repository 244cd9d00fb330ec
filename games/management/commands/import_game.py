"""`manage.py import_game`: import finished games from records (rules/RECORD.md) as tables to view."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from games.models import Table
from games.rules import InvalidRecord, Record, read_record
from games.rules.errors import quoted
from games.rules.jsonlines import lines_of, parsed
from games.services.import_game import NotImported, check_order, check_record, import_games

SOME_RECORD_REFUSED, UNREADABLE_FILE = 1, 2
MOST_LINES_WITHOUT_JSON = 20


@dataclass
class Read:
    """One line of the file: a record ready to be stored, or the reason why it is not."""

    number: int
    record: Record | None = None
    match_game: int | None = None  # as the record claims
    is_final_battle: bool = False  # as the record claims; it ends a match
    refusal: str = ""
    is_json: bool = True

    def says_it_follows(self, before: "Read") -> bool:
        """Return whether this record claims to be the game after `before` in the same match."""
        if before.match_game is None or not self._is_proved_as(before):
            return False
        if self.match_game is None:
            return self.is_final_battle
        return self.match_game == before.match_game + 1

    def _is_proved_as(self, before: "Read") -> bool:
        """Return whether both records have their secret or neither has, as one table requires."""
        if self.record is None or before.record is None:
            return True
        return (self.record.secret is None) == (before.record.secret is None)

    def refuse(self, reason: str, entry: int | None = None) -> None:
        """Record why it is not stored, and the log entry at fault if there is one."""
        self.record = None
        self.refusal = f": {reason}" if entry is None else f", entry {entry}: {reason}"


class Command(BaseCommand):
    """Store each record or match as a finished table; print where to see it, or why it is refused."""

    help = "Imports finished games from records, one per line. Games of a match, in order, become one table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the file, and who may watch."""
        parser.add_argument("file", metavar="FILE", help="JSON Lines; - is standard input")
        parser.add_argument(
            "--watch",
            choices=[Table.Watch.LINK.value, Table.Watch.ANYONE.value],
            default=Table.Watch.LINK.value,
            help="who can watch the games: anyone with the link, or anyone (default: link)",
        )

    def handle(self, *, file: str, watch: str, **options: Any) -> None:
        """Import the file; exit with status 1 if any record is refused, 2 if the file cannot be read."""
        refused = False
        for match in _matches(_each_read(file)):
            refused |= not self._import(match, watch)
        if refused:
            sys.exit(SOME_RECORD_REFUSED)

    def _import(self, match: list[Read], watch: str) -> bool:
        records = [read.record for read in match if read.record is not None]
        if len(records) == len(match):
            try:
                games = import_games(records, watch)
            except NotImported as known:
                match[known.record].refuse(str(known))
            else:
                self._tell(match, [game.pk for game in games], games[0].table)
                return True
        guilty = next(read for read in match if read.refusal)
        for read in match:
            reason = read.refusal or f": refused with record {guilty.number}, which is of the same match"
            self.stderr.write(f"record {read.number}{reason}")
        return False

    def _tell(self, match: list[Read], games: list[int], table: Table) -> None:
        records = _span("record", [read.number for read in match])
        proved = "" if table.secret else ", unproved"
        key = table.watch_key
        pages = reverse("watch", args=[key]), reverse("watch_history", args=[key, 0])
        addresses = " ".join([settings.SITE_URL + page for page in pages])
        self.stdout.write(f"{records}: {_span('game', games)}{proved}: {addresses}")


def _span(thing: str, numbers: list[int]) -> str:
    return f"{thing} {numbers[0]}" if len(numbers) == 1 else f"{thing}s {numbers[0]} to {numbers[-1]}"


def _matches(reads: Iterable[Read]) -> Iterator[list[Read]]:
    """Yield the records to store together: a single one, or the games of a match in order."""
    match: list[Read] = []
    for read in reads:
        if match and not read.says_it_follows(match[-1]):
            yield match
            match = []
        if match and read.record is not None and match[-1].record is not None:
            try:
                check_order(match[-1].record, read.record)
            except NotImported as wrong:
                read.refuse(str(wrong))
        match.append(read)
    if match:
        yield match


def _each_read(name: str) -> Iterator[Read]:
    """Yield the file's records one by one; stop early if the file clearly holds no records."""
    without_json = 0
    for number, line in enumerate(_lines(name)):
        read = Read(number)
        _fill(read, line)
        without_json += not read.is_json
        if without_json == MOST_LINES_WITHOUT_JSON:
            read.refusal = " and all after it: this is no file of records, one a line"
        yield read
        if without_json == MOST_LINES_WITHOUT_JSON:
            return


def _fill(read: Read, line: bytes) -> None:
    try:
        obj = parsed(line)
    except InvalidRecord as invalid:
        read.is_json = False
        read.refuse(str(invalid))
        return
    _note_place(read, obj)
    try:
        record = read_record(obj)
        check_record(record)
    except (InvalidRecord, NotImported) as wrong:
        read.refuse(str(wrong), wrong.entry)
    else:
        read.record = record


def _note_place(read: Read, obj: object) -> None:
    """Note the record's claimed place in a match, even if the rest of it cannot be read."""
    if isinstance(obj, dict):
        match = obj.get("match")
        game = match.get("game") if isinstance(match, dict) else None
        read.match_game = game if isinstance(game, int) else None
        read.is_final_battle = obj.get("final_battle") is not None


def _lines(name: str) -> Iterator[bytes]:
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            yield from lines_of(file)
    except (OSError, ValueError) as unreadable:  # ValueError: a name with a NUL in it
        reason = getattr(unreadable, "strerror", None) or unreadable
        raise CommandError(f"Cannot read {quoted(name)}: {reason}", returncode=UNREADABLE_FILE) from None
