"""How far people have read in circles, and when they want letters of them. Each row is its person's own."""

from __future__ import annotations

from accounts.models import User
from games.press.models import Circle, Following


def mark_read(circle: Circle, user: User, number: int) -> None:
    """This person has read up to here. Nobody reads backwards; a reader's own row, so a GET may write it."""
    if circle.pk is None or number <= (circle.read_to or 0):
        return
    rows = Following.objects.filter(circle=circle, user=user)
    if not rows.filter(read_to__gte=number).exists() and not rows.update(read_to=number):
        Following.objects.bulk_create(
            [Following(circle=circle, user=user, read_to=number)], ignore_conflicts=True
        )


def wanted_letters(circle: Circle, user: User) -> str:
    """When this person wants letters of this circle: one of accounts.User.TalkLetters."""
    chosen = Following.objects.filter(circle=circle, user=user).values_list("letters", flat=True).first()
    return chosen or user.talk_letters
