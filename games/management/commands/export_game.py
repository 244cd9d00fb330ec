"""`manage.py export_game`: export a finished game, or its whole match, as records (rules/RECORD.md)."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.models import Game
from games.narration.seat_names import shown_names
from games.selectors.records import record_of, record_text


class Command(BaseCommand):
    """Write whole records to standard output, one per line; write nothing if one cannot be made."""

    help = "Writes a finished game's whole record, one line of JSON, to standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add arguments: the game, and whether to export its match."""
        parser.add_argument("game", type=int, metavar="GAME_ID", help="its number, as in /games/GAME_ID/")
        parser.add_argument("--match", action="store_true", help="all games of its match, in order")

    def handle(self, *, game: int, match: bool, **options: Any) -> None:
        """Write the records. A running game is refused, because its secret must stay secret."""
        asked = Game.objects.filter(pk=game).first()
        if asked is None:
            raise CommandError(f"There is no game {game}.")
        chosen = {"table": asked.table_id} if match else {"pk": asked.pk}
        games = Game.objects.filter(**chosen).select_related("table").order_by("number")
        text = "".join([_record(game) for game in games])
        if hasattr(self.stdout, "reconfigure"):  # a terminal's own encoding may lack characters of the names
            self.stdout.reconfigure(encoding="utf-8")
        self.stdout.write(text, ending="")


def _record(game: Game) -> str:
    if not game.is_over:
        raise CommandError(
            f"Game {game.pk} is still running, so its secret cannot be exported. Wait until it is over."
        )
    return record_text(record_of(game, shown_names(game.table.seats.select_related("user"), None)))
