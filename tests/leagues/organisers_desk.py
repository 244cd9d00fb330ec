"""A league's organising pages, read by a signed-in test client."""

from __future__ import annotations

from typing import Any

from django import forms
from django.test import Client
from django.urls import reverse


def as_shown(form: forms.BaseForm) -> dict[str, Any]:
    """What a browser would send of a form that no one has touched."""
    sent: dict[str, Any] = {}
    for field in form:
        value = field.value()
        if value not in (None, []):
            sent[field.html_name] = value
    return sent


def plan_page(client: Client, league: int) -> dict[str, Any]:
    """The plan's form as the page shows it first."""
    answer = client.get(reverse("plan_season", args=[league]))
    assert answer.status_code == 200
    return as_shown(answer.context["form"])


def text_of(answer: Any) -> str:
    """What a page says, with single spaces and without the escapes of HTML."""
    from html import unescape

    return " ".join(unescape(answer.content.decode()).split())
