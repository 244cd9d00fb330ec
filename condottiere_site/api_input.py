"""What is wrong with a request of a program, in sentences of the reader's language, field by field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

# The library has many kinds of each; their names begin with one of these.
_NUMBERS = ("int_", "finite_number", "float_")
_TEXTS = ("string_type", "string_sub_type", "string_unicode", "bytes_")
_CHOICES = ("literal_error", "enum", "union_tag_")
_OBJECTS = ("model_", "dict_type", "dataclass_")


def errors_of(found: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return the wrong fields, each with a sentence; `found` is what the library found wrong."""
    return [{"field": _field(one), "detail": _sentence(one)} for one in found]


def _field(one: Mapping[str, Any]) -> str:
    """Return the path of a field, without the name that the program's own function gave the body."""
    where = [str(part) for part in one["loc"]]
    return ".".join(where[2:] if where[:1] == ["body"] else where[1:])


def _sentence(one: Mapping[str, Any]) -> str:
    kind, limits = one["type"], one.get("ctx", {})
    if kind == "missing":
        return _("This field is missing.")
    if kind == "extra_forbidden":
        return _("There is no such field.")
    if kind == "greater_than_equal":
        return _("Enter a whole number of at least %(least)d.") % {"least": limits["ge"]}
    if kind == "less_than_equal":
        # Translators: most is a number
        return _("Enter a whole number of at most %(most)d.") % {"most": limits["le"]}
    if kind == "string_too_long":
        most = limits["max_length"]
        said = ngettext("Enter at most %(most)d character.", "Enter at most %(most)d characters.", most)
        return said % {"most": most}
    return _sentence_of_kind(kind)


def _sentence_of_kind(kind: str) -> str:
    """Return what should stand in a field instead."""
    if kind.startswith(_NUMBERS):
        return _("Enter a whole number.")
    if kind.startswith(_TEXTS):
        return _("This must be text.")
    if kind.startswith(_CHOICES):
        return _("This isn’t one of the possible values.")
    if kind.startswith(_OBJECTS):
        return _("This must be an object with fields.")
    if kind.startswith("bool_"):
        return _("This must be true or false.")
    if kind.startswith("uuid_"):
        return _("This must be a UUID.")
    if kind.startswith("list_"):
        return _("This must be a list.")
    return _("This value can’t be used here.")
