"""Rules pages, open to everyone. Only the frame around a page depends on the reader."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from .bodies import Page, body

FRESH = 600  # seconds


@require_safe
def page(request: HttpRequest, page: Page) -> HttpResponse:
    """Show one page of the rules."""
    shown = body(page, get_language() or "en")
    response = render(request, "rulebook/page.html", {"page": page, "body": shown})
    # The header shows who is signed in and recent messages. Only visitors without cookies get the page that
    # is shared with everyone else.
    if request.COOKIES:
        patch_cache_control(response, private=True, no_cache=True)
    else:
        patch_cache_control(response, public=True, max_age=FRESH)
    patch_vary_headers(response, ("Cookie", "Accept-Language"))
    return response
