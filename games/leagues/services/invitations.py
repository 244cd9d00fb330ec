"""Invitations to a season, one by one or from a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.addresses import is_address, normal_address
from accounts.models import User
from accounts.rate_limits import hit
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.lifecycle import write_to
from games.leagues.services.permissions import locked_season, require_organiser
from games.leagues.services.registration import sign_up
from games.services import Refused
from games.services.lobby import INVITATIONS_TO_ONE_A_DAY

MOST_ROWS = 200  # as many as an organiser may invite in a day
MOST_BYTES = 2_000_000
COLUMNS = {"email": "email", "e-mail": "email", "mail": "email", "level": "level", "division": "level"}
_DELIMITERS = ",;\t"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Error = tuple[int, str]


class BadRows(Refused):
    """A rejected list, from which no one was invited. `errors` holds each problem as (line, sentence)."""

    def __init__(self, errors: Iterable[Error]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: error[0]))
        super().__init__("\n".join(f"{line}: {text}" for line, text in self.errors))


@dataclass(frozen=True, slots=True)
class Listed:
    """A player in the list, with the details for their invitation."""

    line: int
    email: str
    level: int | None


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]


def read_players(data: bytes | str, *, levels: int) -> tuple[Listed, ...]:
    """Parse a list of players whose first line names its columns: email and, optionally, level.

    Levels are numbers from 1 or the letters of the divisions.
    Cells are separated by commas, semicolons or tabs.
    Raises BadRows with everything that is wrong.
    """
    rows = _rows(_text_of(data))
    if not rows:
        raise BadRows([(1, _("The file is empty. Choose another one."))])
    columns = _columns(rows[0])
    players, errors = _players(rows[1:], columns, levels)
    errors += _twice(players)
    if len(rows) == 1:
        errors.append(
            (rows[0].line, _("There are no players below the column names. Add one player per line."))
        )
    if len(rows) - 1 > MOST_ROWS:
        text = ngettext(
            "The list has %(count)d player. You can import at most %(most)d at once.",
            "The list has %(count)d players. You can import at most %(most)d at once.",
            len(rows) - 1,
        )
        errors.append((rows[MOST_ROWS + 1].line, text % {"most": MOST_ROWS, "count": len(rows) - 1}))
    if errors:
        raise BadRows(errors)
    return tuple(players)


def _text_of(data: bytes | str) -> str:
    """Decode the data as UTF-8, with or without a byte order mark."""
    if len(data) > MOST_BYTES:
        raise BadRows([(1, _("The file is too large. Split it into smaller ones."))])
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadRows([(line, _("This is not UTF-8 text. Save the file as UTF-8 and try again."))]) from error


def _rows(text: str) -> list[_Row]:
    """Return the rows that are not empty, each with its first line number."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(_Row(line, tuple(cell.strip() for cell in cells)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadRows(
            [(line, _("We cannot read this row. Check that all its quotation marks are closed."))]
        ) from error
    return rows


def _delimiter(text: str) -> str:
    """Return the delimiter of the first line; any will do for a line with one cell."""
    first = text.lstrip().partition("\n")[0]
    return max(_DELIMITERS, key=first.count)


def _columns(header: _Row) -> tuple[str, ...]:
    """Return the field that each column holds."""
    names = [cell.casefold() for cell in header.cells]
    errors = [_unknown(cell) for cell in header.cells if cell.casefold() not in COLUMNS]
    columns = tuple(COLUMNS.get(name, "") for name in names)
    if len(set(columns)) < len(columns) and not errors:
        errors.append(_("Two columns have the same name. Use each name once."))
    if "email" not in columns:
        errors.append(
            _("There is no email column. The first line must name the columns: email and, optionally, level.")
        )
    if errors:
        raise BadRows([(header.line, text) for text in errors])
    return columns


def _unknown(cell: str) -> str:
    # Translators: name is a column's name as the organiser typed it; keep the words email and level
    return _("We do not know the column “%(name)s”. Use only email and level.") % {"name": shown(cell)}


def _players(rows: Iterable[_Row], columns: tuple[str, ...], levels: int) -> tuple[list[Listed], list[Error]]:
    players: list[Listed] = []
    errors: list[Error] = []
    for row in rows:
        wrong = list(_wrong(row, columns, levels))
        errors += [(row.line, text) for text in wrong]
        if not wrong:
            cells = _cells(row, columns)
            email, level = normal_address(cells["email"]), _level(cells.get("level", ""), levels)
            players.append(Listed(row.line, email, level))
    return players, errors


def _cells(row: _Row, columns: tuple[str, ...]) -> Mapping[str, str]:
    return dict(zip(columns, row.cells, strict=False))


def _wrong(row: _Row, columns: tuple[str, ...], levels: int) -> Iterator[str]:
    if len(row.cells) > len(columns):
        text = ngettext(
            "This row has %(count)d cell, but the first line has %(columns)d.",
            "This row has %(count)d cells, but the first line has %(columns)d.",
            len(row.cells),
        )
        yield text % {"count": len(row.cells), "columns": len(columns)}
        return
    cells = _cells(row, columns)
    address, level = cells.get("email", ""), cells.get("level", "")
    if not is_address(normal_address(address)):
        # Translators: wrong is what the organiser typed
        yield _("This is not an email address: %(wrong)s") % {"wrong": shown(address) or "–"}
    if level and _level(level, levels) is None:
        # Translators: level is what the organiser typed; levels is the number of divisions
        text = _("There is no division %(level)s. Use a number from 1 to %(levels)d.")
        yield text % {"level": shown(level), "levels": levels}


def _level(cell: str, levels: int) -> int | None:
    """Return the level for this number or letter, or None if there is no such division."""
    if len(cell) == 1 and cell.upper() in _LETTERS:
        level = _LETTERS.index(cell.upper()) + 1
    else:
        level = int(cell) if cell.isascii() and cell.isdecimal() and len(cell) <= 2 else 0
    return level if 1 <= level <= levels else None


def _twice(players: Iterable[Listed]) -> list[Error]:
    first: dict[str, int] = {}
    errors = []
    for player in players:
        line = first.setdefault(player.email, player.line)
        if line != player.line:
            text = _("%(email)s is already on line %(line)d.")
            errors.append((player.line, text % {"email": shown(player.email), "line": line}))
    return errors


def shown(text: str) -> str:
    """Make user input safe to show in a sentence: one line, at most 80 characters, nothing invisible."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= 80 else f"{line[:79]}…"


# Inviting by email address. No one is put into a season: invited people sign up themselves, or don't.


INVITATIONS_A_DAY = MOST_ROWS  # by one organiser, over all their seasons


@transaction.atomic
def invite(season: Season, by: User, email: str, level: int | None = None, name: str = "") -> Invitation:
    """Invite this address to sign up, at once or when the sign-up opens.

    Inviting again only changes the level, unless an earlier invitation was withdrawn.
    Raises Refused for an invalid address, for someone who is in the season or has declined, and over the
    daily limit.
    """
    season = _locked(season, by)
    email = normal_address(email)
    if not is_address(email):
        # Translators: wrong is what the organiser typed
        raise Refused(_("This is not an email address: %(wrong)s") % {"wrong": shown(email) or "–"})
    if level is not None and not 1 <= level <= season.most_divisions:
        raise Refused(_("There is no division %(level)s. Choose another.") % {"level": level})
    for reason in _in_the_way(season, [email]).values():
        raise Refused(reason)
    known = season.invited.filter(email=email, state=Invitation.State.SENT).first()
    if known is not None:
        known.level, known.name = level, name or known.name
        known.save(update_fields=["level", "name"])
        return known
    record_event(AuditEvent.Kind.INVITED, season, by)
    return _send(season, by, email, level, name)


def _locked(season: Season, by: User) -> Season:
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state not in Season.BEFORE_PLAY:
        raise Refused(_("The season has begun or was cancelled. You can no longer invite anyone."))
    return season


def _in_the_way(season: Season, emails: Iterable[str]) -> dict[str, str]:
    """Return the addresses that cannot be invited, with the reason for each."""
    asked = set(emails)
    here = season.entries.exclude(state__in=(*Registration.OUT, Registration.State.EXPECTED))
    entered = _("%(email)s is already in this season.")
    refused = _("%(email)s has declined. They can still sign up on the season’s page.")
    reasons = {email: entered for email in here.values_list("user__email", flat=True) if email in asked}
    declined = season.invited.filter(state=Invitation.State.DECLINED).values_list("email", flat=True)
    reasons |= {email: refused for email in declined if email in asked and email not in reasons}
    return {email: sentence % {"email": shown(email)} for email, sentence in reasons.items()}


def _send(season: Season, by: User, email: str, level: int | None, name: str = "") -> Invitation:
    _count(by, email)
    fields = {"name": name, "level": level, "by": by, "state": Invitation.State.SENT, "sent_at": clock.now()}
    invited, _is_new = Invitation.objects.update_or_create(season=season, email=email, defaults=fields)
    if season.state != Season.State.PLANNED:
        write_to(invited)
    return invited


def _count(by: User, email: str) -> None:
    """Limit the invitations per day that one organiser sends and that one address receives."""
    if not hit("invite to league", str(by.pk), INVITATIONS_A_DAY):
        text = ngettext(
            "You have sent %(most)d invitation today. Send the others tomorrow.",
            "You have sent %(most)d invitations today. Send the others tomorrow.",
            INVITATIONS_A_DAY,
        )
        raise Refused(text % {"most": INVITATIONS_A_DAY})
    if not hit("be invited", email, INVITATIONS_TO_ONE_A_DAY):
        raise Refused(
            _("%(email)s has received too many invitations today. Try again tomorrow.")
            % {"email": shown(email)}
        )


@transaction.atomic
def import_players(season: Season, by: User, data: bytes | str) -> int:
    """Invite everyone in a CSV list; return how many. Either all of them are invited or no one is.

    Raises BadRows with every line that is wrong, and Refused as `invite` does.
    """
    season = _locked(season, by)
    players = read_players(data, levels=season.most_divisions)
    if errors := list(_not_to_invite(season, players)):
        raise BadRows(errors)
    for player in sorted(players, key=lambda player: player.email):  # in a fixed order: limits are shared
        _send(season, by, player.email, player.level)
    record_event(AuditEvent.Kind.IMPORTED, season, by, facts={"players": len(players)})
    return len(players)


def _not_to_invite(season: Season, players: Iterable[Listed]) -> Iterator[tuple[int, str]]:
    players = list(players)
    in_the_way = _in_the_way(season, [player.email for player in players])
    sent = set(season.invited.filter(state=Invitation.State.SENT).values_list("email", flat=True))
    for player in players:
        if player.email in in_the_way:
            yield player.line, in_the_way[player.email]
        elif player.email in sent:
            yield player.line, _("%(email)s has already been invited.") % {"email": shown(player.email)}


@transaction.atomic
def accept_invitation(invited: Invitation, user: User) -> Registration:
    """Sign up by an invitation, with the level reserved in it.

    Raises Refused if the invitation was withdrawn, and as `sign_up` does.
    """
    entry = sign_up(invited.season, user)
    changed = (
        Invitation.objects.filter(pk=invited.pk)
        .exclude(state=Invitation.State.WITHDRAWN)
        .update(state=Invitation.State.ACCEPTED)
    )
    if not changed:
        raise Refused(_("This invitation was withdrawn."))
    if invited.level and entry.reserved is None and entry.division_id is None:
        entry.reserved = invited.level
        entry.save(update_fields=["reserved"])
    return entry


@transaction.atomic
def decline_invitation(invited: Invitation) -> None:
    """Decline an invitation; no one can invite this address to the season again. Safe to repeat."""
    locked_season(invited.season_id)
    sent = Invitation.objects.filter(pk=invited.pk, state=Invitation.State.SENT)
    sent.update(state=Invitation.State.DECLINED)


@transaction.atomic
def withdraw_invitation(invited: Invitation, by: User) -> None:
    """Withdraw an unanswered invitation. Raises Refused if it has been answered."""
    season = locked_season(invited.season_id)
    require_organiser(season.league, by)
    sent = Invitation.objects.filter(pk=invited.pk, state=Invitation.State.SENT)
    if not sent.update(state=Invitation.State.WITHDRAWN):
        raise Refused(_("That invitation has already been answered."))
