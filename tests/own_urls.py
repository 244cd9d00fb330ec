"""A middleware that answers by a module's own URLs, for what benchmarks compare the site with."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

Answer = Callable[[HttpRequest], HttpResponse]


def own_urls(module: str) -> Callable[[Answer], Answer]:
    """Return the middleware for this module's `urlpatterns`.

    Overriding ROOT_URLCONF would make Django forget the site's URLs, and its next answer would pay for that.
    """

    def middleware(answer: Answer) -> Answer:
        def answered(request: HttpRequest) -> HttpResponse:
            request.urlconf = module  # type: ignore[attr-defined]
            return answer(request)

        return answered

    return middleware
