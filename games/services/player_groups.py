"""Groups of people one plays with: make, change and delete one's own."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from games.models import PlayerGroup
from games.models.locking import Refused
from games.models.player_groups import MOST_GROUPS, MOST_MEMBERS


@transaction.atomic
def save_group(owner: User, group: PlayerGroup | None, name: str, members: Iterable[User]) -> PlayerGroup:
    """Make a group, or give one of the owner's its new name and members; None makes one.

    Raises Refused if the owner has another group of that name, or groups or members are too many.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)  # one group after the other
    own, chosen = owner.player_groups.all(), list(members)
    same = own.filter(name=name).first()
    if group is None and same is not None and {*same.members.all()} == {*chosen}:
        return same  # a second click
    if same is not None and same != group:
        raise Refused(_("You have a group with this name. Choose another name."))
    if len(chosen) > MOST_MEMBERS:
        raise Refused(
            ngettext(
                "A group has at most %(most)d person.", "A group has at most %(most)d people.", MOST_MEMBERS
            )
            % {"most": MOST_MEMBERS}
        )
    if group is None and own.count() >= MOST_GROUPS:
        raise Refused(
            ngettext(
                "You can have at most %(most)d group. Delete one first.",
                "You can have at most %(most)d groups. Delete one first.",
                MOST_GROUPS,
            )
            % {"most": MOST_GROUPS}
        )
    group = group or PlayerGroup(owner=owner)
    group.name = name
    group.save()
    group.members.set(chosen)
    return group


def delete_group(group: PlayerGroup) -> None:
    """Delete a group. No one who was in it notices."""
    PlayerGroup.objects.filter(pk=group.pk).delete()
