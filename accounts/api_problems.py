"""What the interface for programs answers when it can't do what was asked (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse
from django.utils.translation import gettext as _

MEDIA_TYPE = "application/problem+json"


class ApiProblem(Exception):
    """Raised to answer with a problem: a status, a word for programs and a sentence for people."""

    def __init__(self, status: int, code: str, detail: str, errors: Sequence[object] = ()) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.errors = status, code, detail, errors


def problem(status: int, code: str, detail: str, errors: Sequence[object] = ()) -> HttpResponse:
    """Return the answer that describes a problem; `errors` name the fields that are wrong."""
    response = HttpResponse(status=status, content_type=MEDIA_TYPE)
    told = {"status": status, "title": response.reason_phrase, "code": code, "detail": detail}
    response.content = as_json(told | ({"errors": list(errors)} if errors else {}))
    return response


def as_json(told: object, **how: Any) -> bytes:
    """Return JSON whose letters people can read in every language; halves of characters are escaped."""
    return json.dumps(told, ensure_ascii=False, **how).encode(errors="backslashreplace")


def field_errors(form: BaseForm) -> list[dict[str, str]]:
    """Return what is wrong with a form, by field, as a problem names it."""
    return [{"field": name, "detail": str(text)} for name, texts in form.errors.items() for text in texts]


def problem_of_status(status: int) -> HttpResponse:
    """Return the problem for an answer that has only a status."""
    match status:
        case 404:
            return problem(status, "not-found", _("There is nothing here, or you may not see it."))
        case 405:
            return problem(status, "wrong-method", _("This address takes no requests of this kind."))
        case 503:
            return problem(status, "unavailable", _("The site can’t answer now. Try again later."))
    if status >= 500:
        return problem(status, "failed", _("Something went wrong on the site. Nothing was changed."))
    return problem(status, "bad-request", _("The site can’t understand this request."))
