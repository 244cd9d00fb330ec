"""The site's content security policy, composed once for all answers that ask for no other."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


class SitePolicy(CSPMiddleware):
    """Django-csp's middleware; what a view changes for its own answer, and nonces, are its affair as ever."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if settings.DEBUG or hasattr(request, "_csp_nonce") or _asks_for_another(response):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self._policy)
        return response

    @cached_property
    def _policy(self) -> Any:
        return build_policy()


def _asks_for_another(response: HttpResponseBase) -> bool:
    """Whether one of django-csp's decorators has marked it."""
    return any(name.startswith("_csp") for name in vars(response))
