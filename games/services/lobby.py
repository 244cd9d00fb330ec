"""The lobby: create a table, take seats and confirm, until the first deal or its cancellation.

Every function locks the table first, so two people cannot both take the last seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts import clock
from accounts.blocking import is_blocked
from accounts.mail.outbox import queue, queue_each
from accounts.models import User
from accounts.rate_limits import hit
from games.models import Invitation, Seat, Table, TableAlert
from games.models.locking import Refused, locked_gathering, require_accounts, why_not_gathering
from games.rules import nonce_from_words
from games.selectors.seen_to_the_end import seen_to_the_end
from games.services.expiry import allow_time_to_confirm
from games.services.start import start_game
from games.services.table_invitations import invite, invite_person, tell_host

MOST_TABLES_OF_A_BOT = 20  # gathering players or playing
TABLES_A_DAY = 40  # of a person and their bots, who fill the list of open tables with them
# In a day, at one table: others get an email when someone leaves, or once all seats are taken.
SEATS_OF_A_PERSON, SEATS_OF_BOTS = 5, 20


def make_table(
    host: User,
    *,
    form_key: UUID | None = None,
    invited: Mapping[str, str] | Iterable[str] = (),
    people: Iterable[User] = (),
    **terms: Any,
) -> Table:
    """Create a table with the host in the first seat, and send the invitations.

    `invited` holds addresses, or names by address; `people` are invited by name. `terms` are the table's
    columns. Submitting the same form twice makes one table. Raises Refused if the host's account is closed,
    someone cannot be invited, or the host made too many tables today.
    """
    key = form_key or uuid4()
    names = invited if isinstance(invited, Mapping) else dict.fromkeys(invited, "")
    by_name = list(people)
    try:
        with transaction.atomic():
            return _make_table(host, names, by_name, form_key=key, **terms)
    except IntegrityError:
        made = Table.objects.filter(host=host, form_key=key).first()
        if made is not None:
            return made
    with transaction.atomic():
        # the key belonged to someone else's form
        return _make_table(host, names, by_name, form_key=uuid4(), **terms)


def _make_table(host: User, names: Mapping[str, str], people: Iterable[User], **terms: Any) -> Table:
    require_accounts([host])
    table = Table.objects.create(host=host, **terms | ({"takes_bots": True} if host.is_bot else {}))
    _count("make table", str(host.owner_id or host.pk), TABLES_A_DAY)
    if host.is_bot:
        require_bot_allowed(table, host)
    Seat.objects.create(table=table, number=0, user=host)
    to_invite: list[tuple[str, User | None]] = [(email, None) for email in names]
    to_invite += [(person.email, person) for person in people]
    # In a fixed order, because each counts against a shared limit.
    for email, person in sorted(to_invite, key=itemgetter(0)):
        if person is None:
            invite(table, email, names[email])
        else:
            invite_person(table, person)
    return table


@transaction.atomic
def take_seat(table: Table, user: User, invitation: Invitation | None = None, words: str = "") -> Seat:
    """Give this user a seat, by invitation where the table needs one; return their seat if they have one.

    Only a nonce derived from the user's own words for the shuffle is stored (RECORD.md, "A provable
    shuffle").

    Raises Refused if the table is full, has begun, or has withdrawn the invitation. Also raises Refused if
    someone there has blocked the user, the user's account is closed, they saw too few games to the end, or
    they sat down there too often today.
    """
    require_accounts([user])
    table = locked_gathering(table)
    seat = table.seats.filter(user=user).first()
    if seat is None:
        _require_chair(table)
        require_welcome(table, user)
        if invitation is None:
            require_games_seen(table, user)
        _count("take seat", f"{table.pk} {user.pk}", SEATS_OF_A_PERSON)
        seat = Seat.objects.create(table=table, user=user, number=_next_number(table), nonce=_nonce_of(words))
        TableAlert.objects.filter(user=user).delete()
    if invitation is not None:
        _accept(invitation)
    _accept_invitations_to(table, user)
    if table.seats.count() == table.size:
        ask_everybody_to_confirm(table)
    return seat


@transaction.atomic
def give_words(seat: Seat, words: str) -> None:
    """Set this player's own words for the shuffle, until they confirm; "" removes them.

    Only a nonce derived from them is stored. Raises Refused once the player has confirmed, unless the words
    are the same.
    """
    table = locked_gathering(seat.table, also_begun=True)
    if table.never_began:
        raise Refused(why_not_gathering(table))
    nonce, mine = _nonce_of(words), table.seats.filter(pk=seat.pk)
    changeable = mine.filter(confirmed_at__isnull=True, table__state=Table.State.GATHERING)
    if not changeable.update(nonce=nonce) and not mine.filter(nonce=nonce):
        raise Refused(_("You have confirmed, so you can’t change your words for the shuffle."))


def _nonce_of(words: str) -> str:
    return nonce_from_words(words).hex() if words else ""


@transaction.atomic
def seat_bot(table: Table, strength: str, roster: int) -> Seat:
    """Give a free seat to a bot, as the host; bots agree to everything.

    `roster` is how many were seated when the host chose, so a repeated submission seats one bot. Raises
    Refused if the table is rated, full or no longer gathers players, or someone else has sat down since. Also
    raises Refused after too many bots today.
    """
    table = locked_gathering(table)
    if table.is_rated:
        raise Refused(_("This game is rated, so bots can’t take a seat."))
    last = table.seats.last()
    if last is not None and last.bot == strength and table.seats.count() == roster + 1:
        return last
    _require_chair(table)
    if table.seats.count() != roster:
        raise Refused(_("The players have changed. Check who is at the table now."))
    _count("seat bot", str(table.pk), SEATS_OF_BOTS)
    number = _next_number(table)
    seat = Seat.objects.create(table=table, bot=strength, number=number, confirmed_at=clock.now())
    if table.seats.count() == table.size:
        ask_everybody_to_confirm(table)
    return seat


def _next_number(table: Table) -> int:
    last = table.seats.aggregate(last=Max("number"))["last"]
    return 0 if last is None else last + 1


def _count(action: str, key: str, most: int) -> None:
    """Count something of which others hear. Raises Refused beyond `most` a day."""
    if not hit(action, key, most):
        raise Refused(_("You’ve tried too often today. Try again tomorrow."))


def _require_chair(table: Table) -> None:
    if table.seats.count() >= table.size:
        raise Refused(_("All seats at this table are taken."))


def require_welcome(table: Table, user: User, leaving: Seat | None = None) -> None:
    """Raise Refused if the host or someone at the table has blocked the user; never say who.

    Also for a bot at a table that takes none.

    The player in `leaving`, who is giving up that seat, is ignored.
    """
    require_bot_allowed(table, user)
    seats = table.seats.exclude(pk=leaving.pk) if leaving else table.seats.all()
    roster = [seated for seated in seats.values_list("user_id", flat=True) if seated is not None]
    if table.host_id is not None:
        roster.append(table.host_id)
    if is_blocked(user, by=roster):
        raise Refused(_("You can’t take a seat at this table."))


def require_bot_allowed(table: Table, user: User) -> None:
    """Raise Refused for someone's own bot where the table takes none, or beyond what one may play at once."""
    if not user.is_bot:
        return
    if table.is_rated:
        raise Refused(_("This game is rated, so bots can’t take a seat."))
    if not table.welcomes_bots:
        raise Refused(_("Players’ own bots can’t take a seat at this table."))
    seated = Seat.objects.filter(user=user, table__state__in=(Table.State.GATHERING, Table.State.PLAYING))
    if seated.count() >= MOST_TABLES_OF_A_BOT:
        raise Refused(_("This bot already sits at as many tables as a bot may."))


def require_games_seen(table: Table, user: User) -> None:
    """Raise Refused if the host asks for more games seen to the end; not of invited people or newcomers."""
    least = table.games_seen_asked
    if not least or table.invitations.to_person(user).filter(state=Invitation.State.SENT).exists():
        return
    seen, games = seen_to_the_end([user.pk], user)[user.pk]
    if seen * 10 < games * least:
        raise Refused(
            _(
                "The host asks for players who see at least %(least)d of 10 games to the end. Of your "
                "finished games, you saw %(seen)d of %(games)d to the end."
            )
            % {"least": least, "seen": seen, "games": games}
        )


def _accept(invitation: Invitation) -> None:
    """Accept by compare-and-set, so that a withdrawal a moment ago wins."""
    takeable = (Invitation.State.SENT, Invitation.State.DECLINED, Invitation.State.ACCEPTED)
    changed = Invitation.objects.filter(pk=invitation.pk, state__in=takeable).update(
        state=Invitation.State.ACCEPTED
    )
    if not changed:
        raise Refused(_("The host has withdrawn this invitation."))


def _accept_invitations_to(table: Table, user: User) -> None:
    sent = table.invitations.to_person(user).filter(state=Invitation.State.SENT)
    sent.update(state=Invitation.State.ACCEPTED)


def ask_everybody_to_confirm(table: Table) -> None:
    """Ask everyone who has not confirmed this exact roster to confirm it."""
    allow_time_to_confirm(table, clock.now())
    roster = ",".join(str(pk) for pk in table.seats.values_list("pk", flat=True).order_by("pk"))
    for seat in table.seats.people().filter(confirmed_at__isnull=True):
        queue("confirm", to=seat.person, key=f"confirm:{seat.pk}:{roster}", context={"seat": seat.pk})


@transaction.atomic
def confirm(seat: Seat) -> None:
    """Confirm the settings and the roster for this player. The last confirmation starts the game."""
    table = locked_gathering(seat.table, also_begun=True)
    if not table.is_gathering:
        if table.never_began:
            raise Refused(why_not_gathering(table))
        return
    if table.seats.count() < table.size:
        raise Refused(_("There are still free seats. You can confirm when the table is full."))
    changed = table.seats.filter(pk=seat.pk, confirmed_at__isnull=True).update(confirmed_at=clock.now())
    if changed and not table.seats.filter(confirmed_at__isnull=True).exists():
        start_game(table)


@transaction.atomic
def leave(seat: Seat) -> None:
    """Give up a seat before the game begins. The host cannot leave, only cancel the table."""
    table = locked_gathering(seat.table)
    if seat.user_id == table.host_id:
        raise Refused(_("The host can’t leave the table. Cancel it instead."))
    _free(seat)
    tell_host(table, "left", key=f"left:{seat.pk}", context={"table": table.pk, "user": seat.user_id})


@transaction.atomic
def remove(seat: Seat) -> None:
    """Remove a player before the game begins, as the host, and tell them."""
    table = locked_gathering(seat.table)
    if seat.user_id == table.host_id:
        raise Refused(_("The host can’t be removed. Cancel the table instead."))
    _free(seat)
    if seat.user is not None:
        table.invitations.to_person(seat.user).update(state=Invitation.State.WITHDRAWN)
        queue("removed", to=seat.user, key=f"removed:{seat.pk}", context={"table": table.pk})


def _free(seat: Seat) -> None:
    """Free a seat; the roster changes, so everyone must confirm again."""
    Seat.objects.filter(pk=seat.pk).delete()
    Seat.objects.filter(table_id=seat.table_id, bot="").update(confirmed_at=None)


@transaction.atomic
def cancel(table: Table) -> None:
    """Cancel a table before its game begins and tell everyone seated or invited."""
    table = locked_gathering(table)
    table.state, table.closes_at = Table.State.CANCELLED, clock.now()
    table.save(update_fields=["state", "closes_at"])
    others = table.seats.people().exclude(user=table.host)
    people = {f"cancelled:{table.pk}:{seat.pk}": seat.person for seat in others}
    queue_each("cancelled", people, {"table": table.pk})
    sent = table.invitations.filter(state=Invitation.State.SENT, is_kept_back=False).select_related("user")
    for invitation in sent:
        queue(
            "cancelled",
            to=invitation.user or invitation.email,
            key=f"cancelled:{table.pk}:invitation:{invitation.pk}",
            context={"table": table.pk},
            by=table.host,
        )
