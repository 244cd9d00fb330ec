"""Errors of forms are sentences of this site: they name what is possible, and Django's own never show."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django import forms
from django.core import validators
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import QueryDict
from django.utils import translation
from django.utils.datastructures import MultiValueDict
from django.utils.http import urlencode

import accounts
import games
from accounts.form_limits import SaysLimits, say_limits

OWN = ("accounts.", "games.")
LANGUAGES = ("en", "pl", "ru")
WRONG = (
    "", "-1", "0", "9" * 12, "a word", "1.5", "x" * 20_000, "http://x.example/" + "x" * 20_000, "a\0b",
    "2020-02-30", "25:00",
)  # fmt: skip
WRONG_FILES = (SimpleUploadedFile("empty.csv", b""), SimpleUploadedFile("x" * 300 + ".csv", b"a"))
PLAIN = ("Enter a whole number.", "Enter a valid email address.")  # Django's, and as good as our own


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
        if form.__module__.startswith(OWN)
        for name in getattr(form, "base_fields", {})
    }
)


def _their_sentences(language: str) -> list[re.Pattern[str]]:
    """Return what Django's and allauth's fields and validators say, with anything in place of values."""
    messages = [
        text
        for one in (*_below_field(forms.Field), *filter(inspect.isclass, vars(validators).values()))
        if not one.__module__.startswith(OWN)
        for text in (*vars(one).get("default_error_messages", {}).values(), vars(one).get("message", ""))
    ]
    with translation.override(language):
        said = {text for one in messages for text in _with_numbers(one)}
        return [_pattern_of(text) for text in said - {"", *map(translation.gettext, PLAIN)}]


def _with_numbers(text: Any) -> Iterator[str]:
    """Yield a message as it is, or each form of a plural; its numbers are 1, 2, 5 and 22."""
    if str(text):
        yield str(text)
        return
    for n in (1, 2, 5, 22):
        yield text % dict.fromkeys(("limit_value", "show_value", "max", "length", "count"), n)


def _pattern_of(text: str) -> re.Pattern[str]:
    placeholder = r"%\\\((\w+)\\\)[sdr]|%[sd]|\b(1|2|5|22)\b"
    return re.compile(re.sub(placeholder, ".*", re.escape(text)), re.S)


def _below_field(one: type[Any]) -> Iterator[type[Any]]:
    yield one
    for lower in one.__subclasses__():
        yield from _below_field(lower)


def _form(path: str) -> type[forms.BaseForm]:
    module, _dot, name = path.rpartition(".")
    found: type[forms.BaseForm] = getattr(importlib.import_module(module), name)
    return found


def _messages(field: forms.Field, typed: Any) -> list[str]:
    try:
        field.clean(typed)
    except ValidationError as error:
        return list(error.messages)
    return []


def _errors(field: forms.Field, typed: str) -> str:
    return " ".join(_messages(field, typed))


def _sent(field: forms.Field) -> Iterator[Any]:
    """Yield wrong input as the field's widget reads it from a form."""
    for typed in WRONG:
        yield field.widget.value_from_datadict(QueryDict(urlencode({"x": typed})), MultiValueDict(), "x")
    for file in WRONG_FILES if isinstance(field, forms.FileField) else ():
        yield field.widget.value_from_datadict(QueryDict(), MultiValueDict({"x": [file]}), "x")


def test_there_are_forms_to_look_at() -> None:
    assert len(FIELDS) > 20


@pytest.mark.parametrize(
    "language", [pytest.param(code, marks=[] if code == "en" else pytest.mark.long) for code in LANGUAGES]
)
def test_no_field_says_what_django_says(language: str) -> None:
    theirs, found = _their_sentences(language), []
    assert len(theirs) > 20
    with translation.override(language):
        for path, name in FIELDS:
            form = _form(path)
            assert issubclass(form, SaysLimits), f"{path}: its fields say what Django says"
            field = deepcopy(form.base_fields[name])  # type: ignore[attr-defined]
            say_limits(field)
            said = {text for sent in _sent(field) for text in _messages(field, sent)}
            found += [(path, name, text) for text in said if any(one.fullmatch(text) for one in theirs)]
    assert found == []


def test_a_number_beyond_its_limits_gets_both_ends() -> None:
    field = forms.IntegerField(min_value=2, max_value=3120)
    say_limits(field)
    for typed in ("1", "3121", "many"):
        assert _errors(field, typed) == "Enter a whole number from 2 to 3120."


def test_a_text_that_is_too_long_gets_its_length() -> None:
    field = forms.CharField(max_length=3)
    say_limits(field)
    assert _errors(field, "four") == "Enter at most 3 characters. You entered 4."
