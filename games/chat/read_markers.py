"""How far people have read in circles, and when they want letters of them. Each row is its person's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from accounts.models import User
from games.chat.models import Channel, Following


def mark_read(circle: Channel, user: User, number: int) -> None:
    """This person has read up to here. Nobody reads backwards; a reader's own row, so a GET may write it."""
    if circle.pk is None or number <= (circle.read_to or 0):
        return
    rows = Following.objects.filter(circle=circle, user=user)
    if not rows.filter(read_to__gte=number).exists() and not rows.update(read_to=number):
        Following.objects.bulk_create(
            [Following(circle=circle, user=user, read_to=number)], ignore_conflicts=True
        )


def unread_at(tables: Collection[int], user: User) -> Counter[int]:
    """How many messages this person has not read at each of these tables, where they play, by its number."""
    unread: Counter[int] = Counter()
    circles = Channel.objects.only("table", "newest")
    for circle in circles.readable_by(user).with_read_to(user).filter(table__in=tables):
        unread[circle.table_id] += circle.unread
    return unread


def frequencies_of_all(circle: Channel, people: Collection[User]) -> dict[int, str]:
    """When these people want letters of this circle, by their numbers: accounts.User.TalkLetters."""
    rows = Following.objects.filter(circle=circle, user__in=people).values_list("user_id", "letters")
    chosen = dict(rows)
    return {user.pk: chosen.get(user.pk) or user.talk_letters for user in people}


def frequency_in(circles: Collection[str], user: User) -> dict[str, str]:
    """The same of one person in several circles, by their numbers, which are text as JSON keeps them."""
    wanted = [int(circle) for circle in circles]
    rows = Following.objects.filter(circle__in=wanted, user=user).values_list("circle_id", "letters")
    chosen = {str(circle): letters for circle, letters in rows}
    return {circle: chosen.get(circle) or user.talk_letters for circle in circles}


def chosen_emails(circle: Channel, user: User) -> str:
    """What he chose for this circle; empty: as for all talk."""
    if circle._state.adding:
        return ""
    rows = Following.objects.filter(circle=circle, user=user)
    return rows.values_list("letters", flat=True).first() or ""
