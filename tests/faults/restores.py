"""A site is lost hours after its backup, and goes on elsewhere: another folder, port, broker, database."""

from __future__ import annotations

import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.faults.counts import Counts
from tests.faults.site import Site
from tests.releases.own_sites import programs
from tests.servers import wait_until

SLACK = timedelta(minutes=2)
LEFT = "SELECT id, due_at - now() FROM games_seat WHERE due_at IS NOT NULL"
# Of one game, whose email has left, two hours remain: they run out before the restore.
TWO_HOURS_LEFT = (
    "UPDATE games_seat SET due_at = now() + interval '2 hours', "
    "counted_from = counted_from - (due_at - now() - interval '2 hours') "
    "WHERE due_at IS NOT NULL AND table_id = (SELECT max(table_id) FROM games_seat WHERE due_at IS NOT NULL)"
)
CLOCK_RAN = (
    "SELECT count(*) FROM condottiere_site_taskrun WHERE task = 'games.tasks.run_clock' AND ended_at > %s"
)


def three_hours_later(hours: float, games: int) -> Counts:
    """Play, back up, play on, lose everything; restore hours later, and play on there."""
    counts = Counts(f"restored elsewhere {hours:.0f} h later")
    with tempfile.TemporaryDirectory() as kept:
        file = Path(kept, "site.backup")
        with Site(SECRET_KEY="", PATH=programs()) as here:
            left = _back_up_while_playing(here, games, file, counts)
            _play_on_and_lose(here, counts)
        with Site(SECRET_KEY="", PATH=programs()) as there:
            _restore(there, file, hours)
            _go_on(there, hours, left, counts)
    return counts


def _back_up_while_playing(site: Site, games: int, file: Path, counts: Counts) -> dict[int, timedelta]:
    """Return how much time each seat had left at the backup."""
    worker = site.start_worker()
    site.start_beat()
    site.staged("games", str(games), "hours")
    site.ask("UPDATE games_table SET hours = 'all'")  # an hour is an hour
    site.staged("answers")
    site.wait_all_out()
    worker.kill()
    site.staged("answers", str(2 * games // 3))  # asks by emails that wait
    site.staged("answers", str(games // 3))  # and answers some of these before they leave
    site.ask(TWO_HOURS_LEFT)
    counts.queued = site.waiting()
    site.run("manage.py", "backup", str(file))
    return dict(site.ask(LEFT))


def _play_on_and_lose(site: Site, counts: Counts) -> None:
    """Answers after the backup, and their emails, of which the backup knows nothing."""
    before = len(site.sink.taken)
    site.start_worker()
    site.staged("answers")
    site.staged("answers")
    site.wait_all_out()
    counts.more["sent after the backup"] = len(site.sink.taken) - before
    counts.expect(len(site.sink.taken) > before, "the site did not go on after the backup")


def _restore(site: Site, file: Path, hours: float) -> None:
    site.ask("DROP SCHEMA public CASCADE")
    site.ask("CREATE SCHEMA public")
    site.hang_up()
    site.set_clock(hours)
    site.run("manage.py", "restore", str(file), FAULTS_CLOCK=str(site.clock))


def _go_on(site: Site, hours: float, left: dict[int, timedelta], counts: Counts) -> None:
    clock = {"FAULTS_CLOCK": str(site.clock)}
    began = site.ask("SELECT now() + make_interval(secs => %s)", hours * 3600)[0][0]
    site.start_worker(**clock)
    site.start_beat(**clock)
    site.start_web(**clock)
    wait_until(lambda: site.ask(CLOCK_RAN, began + timedelta(seconds=15))[0][0], "the clock's ticks")
    counts.seconds = site.wait_all_out()
    site.wait_page()
    _check_emails(site, counts)
    _check_deadlines(site, hours, left, counts)
    _play_on(site, counts)


def _check_deadlines(site: Site, hours: float, left: dict[int, timedelta], counts: Counts) -> None:
    """Each seat has as much time as at the backup, and the clock has played for no one."""
    now = {seat: time - timedelta(hours=hours) for seat, time in site.ask(LEFT)}
    counts.expect(now.keys() == left.keys(), "other seats are to move than at the backup")
    wrong = [seat for seat in now.keys() & left.keys() if abs(now[seat] - left[seat]) > SLACK]
    counts.more |= {"deadlines": len(now), "moved": len(wrong)}
    counts.expect(not wrong, f"{len(wrong)} deadlines differ from the backup's")
    ran_out = sum(time < timedelta(hours=hours) for time in left.values())
    counts.expect(ran_out, "no deadline would have run out")
    played = site.ask("SELECT count(*) FROM games_logentry WHERE via = 'clock'")[0][0]
    counts.more |= {"would have run out": ran_out, "played by the clock": played}
    counts.expect(not played, f"the clock played {played} moves")


def _check_emails(site: Site, counts: Counts) -> None:
    """Each email asks for a decision that is open, and every waiting one about such a decision went out."""
    rows = {number: (kind, context) for number, kind, context in site.ask(ROWS)}
    open_now = {(game, seat, step) for game, seat, step, *_more in site.staged("turns")}
    sent = [rows[number] for number in site.sink.ids()]
    closed = [context for _kind, context in sent if _asked_for(context) not in open_now]
    waited = site.ask("SELECT count(*) FROM mail_outgoingemail WHERE state = 'overtaken'")[0][0]
    counts.accepted, counts.distinct = len(site.sink.taken), len(sent)
    counts.doubled = counts.accepted - counts.distinct
    counts.more |= {"about closed turns": len(closed), "overtaken": waited}
    counts.expect(sent, "no email went out, though turns in the backup had not been told")
    counts.expect(not closed, f"{len(closed)} emails are about closed turns: {closed}")
    counts.expect(not counts.doubled, f"{counts.doubled} emails came twice")


ROWS = "SELECT message_id, kind, context FROM mail_outgoingemail"


def _asked_for(context: dict[str, Any]) -> tuple[object, ...]:
    return context.get("game"), context.get("seat"), context.get("decision_step")


def _play_on(site: Site, counts: Counts) -> None:
    before = len(site.sink.taken)
    counts.more["played on"] = site.staged("answers", FAULTS_CLOCK=str(site.clock))
    site.wait_all_out()
    counts.expect(counts.more["played on"], "no move was accepted after the restore")
    counts.expect(len(site.sink.taken) > before, "no email went out about moves after the restore")
