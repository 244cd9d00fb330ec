"""Choosing people one has played with, by name.

Their keys tell neither an address nor how many accounts there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.names import readable_name
from games.forms.plain import PlainForm
from games.links import person_key
from games.models import PlayerGroup
from games.models.player_groups import LONGEST_GROUP_NAME
from games.selectors.fellow_players import KnownPeople


class PeopleField(forms.MultipleChoiceField):
    """Checkboxes of people; cleaned: those checked, in the order in which they are offered."""

    widget = forms.CheckboxSelectMultiple

    def offer(self, people: Iterable[User]) -> None:
        """Offer these people."""
        self.people = {person_key(person.pk): person for person in people}
        self.choices = [(key, person.shown_name) for key, person in self.people.items()]

    def clean(self, value: Any) -> list[User]:
        keys = set(super().clean(value))
        return [person for key, person in self.people.items() if key in keys]


class GroupsField(forms.MultipleChoiceField):
    """Checkboxes of groups with the names of their members; cleaned: the groups checked."""

    widget = forms.CheckboxSelectMultiple

    def offer(self, groups: Iterable[PlayerGroup]) -> None:
        """Offer these groups."""
        self.groups = {str(group.pk): group for group in groups}
        self.choices = [(key, _group_in_words(group)) for key, group in self.groups.items()]

    def clean(self, value: Any) -> list[PlayerGroup]:
        return [self.groups[key] for key in super().clean(value)]


def _group_in_words(group: PlayerGroup) -> str:
    # Translators: group is a person's own name for a group of people, such as Sunday friends
    return _("%(group)s: %(names)s") % {
        "group": group.name,
        "names": ", ".join(person.shown_name for person in group.members.all()),
    }


class KnownPeopleForm(PlainForm):
    """The part of a form that invites people by name; a field without anyone to offer is left out."""

    groups = GroupsField(label=gettext_lazy("Invite a group"), required=False)
    people = PeopleField(label=gettext_lazy("Invite people you have played with"), required=False)

    def offer(self, known: KnownPeople | None) -> None:
        """Offer these people and groups."""
        people, groups = self.fields["people"], self.fields["groups"]
        assert isinstance(people, PeopleField)
        assert isinstance(groups, GroupsField)
        known = known or KnownPeople()
        people.offer(known.people)
        groups.offer(known.groups)
        for name, offered in (("people", known.people), ("groups", known.groups)):
            if not offered:
                del self.fields[name]

    @property
    def known_people(self) -> list[forms.BoundField]:
        """The groups and people that can be invited by name."""
        return [self[name] for name in ("groups", "people") if name in self.fields]

    def chosen(self) -> list[User]:
        """Return the people chosen by name or with a group, each once."""
        groups: list[PlayerGroup] = self.cleaned_data.get("groups", [])
        members = [person for group in groups for person in group.members.all()]
        return list(dict.fromkeys([*self.cleaned_data.get("people", []), *members]))


class GroupForm(PlainForm):
    """The name of a group and the people in it."""

    name = forms.CharField(label=gettext_lazy("Name of the group"))
    people = PeopleField(label=gettext_lazy("People in it"))

    def __init__(
        self, *args: Any, offered: Iterable[User], group: PlayerGroup | None = None, **kwargs: Any
    ) -> None:
        """Offer these people besides the group's own members."""
        members = list(group.members.all()) if group else []
        super().__init__(*args, auto_id=f"group-{group.pk if group else 'new'}-%s", **kwargs)
        self.group = group
        people = self.fields["people"]
        assert isinstance(people, PeopleField)
        people.offer(dict.fromkeys([*members, *offered]))
        if group is not None:
            self.initial = {"name": group.name, "people": [person_key(one.pk) for one in members]}

    def clean_name(self) -> str:
        return readable_name(self.cleaned_data["name"], LONGEST_GROUP_NAME)
