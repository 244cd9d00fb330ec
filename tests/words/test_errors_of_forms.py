"""Errors of forms are sentences of this site: they name what is possible, and Django's own never show."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from copy import deepcopy

import pytest
from django import forms
from django.core.exceptions import ValidationError

import accounts
import games
from accounts.form_limits import SaysLimits, say_limits

OWN = ("accounts.", "games.")
MADE_BY_ALLAUTH = ("accounts.forms.signing_in", "accounts.forms.codes", "accounts.forms.passkeys")


def _all_forms() -> Iterator[type[forms.BaseForm]]:
    for package in (accounts, games):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "form" in module.name or "presenters" in module.name:
                importlib.import_module(module.name)
    yield from _below(forms.BaseForm)


def _below(form: type[forms.BaseForm]) -> Iterator[type[forms.BaseForm]]:
    for one in form.__subclasses__():
        yield one
        yield from _below(one)


FIELDS = sorted(
    {
        (f"{form.__module__}.{form.__qualname__}", name)
        for form in _all_forms()
        if form.__module__.startswith(OWN) and not form.__module__.startswith(MADE_BY_ALLAUTH)
        for name, field in getattr(form, "base_fields", {}).items()
        if isinstance(field, forms.IntegerField) or getattr(field, "max_length", None) is not None
    }
)


def _form(path: str) -> type[forms.BaseForm]:
    module, _dot, name = path.rpartition(".")
    found: type[forms.BaseForm] = getattr(importlib.import_module(module), name)
    return found


def _errors(field: forms.Field, typed: str) -> str:
    try:
        field.clean(typed)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def test_there_are_forms_to_look_at() -> None:
    assert len(FIELDS) > 20


@pytest.mark.parametrize(("form", "name"), FIELDS)
def test_a_field_with_limits_names_them(form: str, name: str) -> None:
    assert issubclass(_form(form), SaysLimits), "its fields say what Django says"
    field = deepcopy(_form(form).base_fields[name])  # type: ignore[attr-defined]
    say_limits(field)
    for typed in ("-1", "0", "9" * 12, "a word", "1.5", "x" * 20_000, "http://x.example/" + "x" * 20_000):
        assert "Ensure" not in _errors(field, typed)


def test_a_number_beyond_its_limits_gets_both_ends() -> None:
    field = forms.IntegerField(min_value=2, max_value=3120)
    say_limits(field)
    for typed in ("1", "3121", "many"):
        assert _errors(field, typed) == "Enter a whole number from 2 to 3120."


def test_a_text_that_is_too_long_gets_its_length() -> None:
    field = forms.CharField(max_length=3)
    say_limits(field)
    assert _errors(field, "four") == "Enter at most 3 characters. You entered 4."
