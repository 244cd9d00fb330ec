"""Headers of pages that show a hand or were opened by a link that is itself the key."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.http import HttpRequest, HttpResponse
from django.utils.http import http_date

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def private_page(view: View[P]) -> View[P]:
    """Mark a page as never stored by a browser or a proxy, and never indexed.

    `SECURE_REFERRER_POLICY` keeps its address from other sites and lets its forms send their origin.
    """

    @wraps(view)
    def shown(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response["Cache-Control"] = "no-store, private"
        response["Expires"] = http_date()
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return cast(View[P], shown)
