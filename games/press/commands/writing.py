"""Writing in a circle, and beginning one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.limits import spend
from accounts.models import User
from games.commands import Refused
from games.models import Seat, Table
from games.press.access import main_slug, why_silent
from games.press.commands.adding import add, locked_table, require_voice
from games.press.models import EPILOGUE, Circle, Member, Message, people_key
from games.press.models.circles import new_slug
from games.press.text.rendering import rendered
from games.telling.told_times import time_until

MOST_A_DAY = 100
WHILE = timedelta(minutes=10)
MOST_IN_A_WHILE = 20
MOST_CIRCLES = 60  # private ones of one person at a table: with five others he can form 31


class TooMany(Refused):
    """The person has written enough, for today or for a while."""


@transaction.atomic
def write(seat: Seat, text: str, after: int | None = None, circle: Circle | None = None) -> Message:
    """Put a cleaned text into a circle, or where the whole table talks; the others are told by letter.

    `after` is the number of the circle's last message when he was shown the form: the same text of his again
    from the same form is a second click and gives the first message. Raises Refused where he may not write,
    and TooMany.
    """
    table = locked_table(seat.table_id)
    circle = _as_stored_now(circle) if circle else whole_table(table)
    require_voice(circle, seat, table)
    author = seat.person
    if after is not None and circle.pk:
        own = Message.objects.filter(circle=circle, author=author, number__gt=after, text=text)
        twice = own.select_related("circle").first()
        if twice is not None:
            return twice
    require_pace(author, table)
    spend_message(author)
    return add(circle, author=author, text=text, html=rendered(text))


def require_pace(author: User, table: Table) -> None:
    """Raises TooMany for who writes faster at this table than people read."""
    now = present.now()
    lately = Message.objects.filter(author=author, circle__table=table, written_at__gt=now - WHILE)
    times = list(lately.order_by("-written_at").values_list("written_at", flat=True)[:MOST_IN_A_WHILE])
    if len(times) == MOST_IN_A_WHILE:
        said = _(
            "You have written %(most)d messages at this table within ten minutes. "
            "Keep your text, and send it in %(wait)s."
        )
        wait = time_until(times[-1] + WHILE, now)
        raise TooMany(said % {"most": MOST_IN_A_WHILE, "wait": wait})


def spend_message(author: User) -> None:
    """One of the messages that a person may write in a day. Raises TooMany."""
    if not spend("message", str(author.pk), MOST_A_DAY):
        raise TooMany(
            _("You have written %(most)d messages today; that is all for a day.") % {"most": MOST_A_DAY}
        )


def _as_stored_now(circle: Circle) -> Circle:
    """One that was not stored yet when its page was read may be by now."""
    if circle.pk:
        return circle
    return Circle.objects.filter(table=circle.table, slug=circle.slug).first() or circle


def whole_table(table: Table) -> Circle:
    """Where the whole table talks now; not stored before something is said there."""
    slug = main_slug(table)
    kind = Circle.Kind.EPILOGUE if slug == EPILOGUE else Circle.Kind.TABLE
    return Circle.objects.filter(table=table, slug=slug).first() or Circle(table=table, kind=kind, slug=slug)


@transaction.atomic
def begin_circle(
    seat: Seat, others: Iterable[Seat], why_not: Callable[[Circle, Table], str] = why_silent
) -> Circle:
    """The private circle of this seat's person with the people of other seats; the one there is, if there is.

    Raises Refused for nobody else, for a seat without a person, and where `why_not` says why: else, where the
    terms allow no such talk.
    """
    table = locked_table(seat.table_id)
    people = _people(seat, others)
    kept = Circle.objects.filter(table=table, people_key=people_key(people), kind=Circle.Kind.PRIVATE).first()
    if kept is not None:
        return kept
    circle = Circle(table=table, kind=Circle.Kind.PRIVATE, slug=new_slug(), people_key=people_key(people))
    silent = why_not(circle, table)
    if silent:
        raise Refused(silent)
    if Member.objects.filter(circle__table=table, user=seat.user_id).count() >= MOST_CIRCLES:
        raise Refused(_("You talk in %(most)d circles at this table; that is all.") % {"most": MOST_CIRCLES})
    circle.save()
    Member.objects.bulk_create([Member(circle=circle, user=person) for person in people])
    return circle


def _people(seat: Seat, others: Iterable[Seat]) -> list[User]:
    """Who talks in the circle, in the order of seats, so that its rows tell nothing."""
    seats = {one.number: one for one in (seat, *others)}
    if len(seats) < 2:
        raise Refused(_("Choose somebody else to talk with."))
    for one in seats.values():
        if one.table_id != seat.table_id or one.user is None:
            raise Refused(_("Only people at this table can talk with you: bots do not."))
    return [seats[number].person for number in sorted(seats)]
