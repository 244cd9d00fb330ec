"""What phones and browsers need to install the site: its manifest, its service worker and its offline page.

All three are the same for everyone who reads a language. Nothing here may know who asks.
"""

import json
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import conditional_page, require_safe

from accounts.own_name import site_name

LONGEST_SHORT_NAME = 12  # letters below an icon
LASTS = 3600  # seconds for which a browser may keep the manifest
# --sheet and --ground of look/site.css
LIGHT = {"theme_color": "#fdf9ef", "background_color": "#f5eddb"}
DARK = {"theme_color": "#251f19", "background_color": "#1a1613"}
ICONS = (("icon-96", "any"), ("icon-192", "any"), ("icon-512", "any"), ("maskable-512", "maskable"))


@require_safe
def manifest(request: HttpRequest, language: str) -> HttpResponse:
    """Return the web app manifest in one language."""
    with _spoken(language):
        told = _manifest(language)
    headers = {"Cache-Control": f"public, max-age={LASTS}", "Content-Language": language}
    return JsonResponse(told, content_type="application/manifest+json", headers=headers)


@require_safe
def offline(request: HttpRequest, language: str) -> HttpResponse:
    """Return the page that the service worker shows when the site can't be reached."""
    with _spoken(language):
        page = render_to_string("offline.html")
    return HttpResponse(page, headers={"Cache-Control": "no-cache", "Content-Language": language})


@conditional_page
@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker, whose offline page is in the language that its address names."""
    asked = request.GET.get("language", "")
    language = asked if asked in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
    kind = "text/javascript; charset=utf-8"
    return HttpResponse(_worker(language), content_type=kind, headers={"Cache-Control": "no-cache"})


def _spoken(language: str) -> Any:
    if language not in dict(settings.LANGUAGES):
        raise Http404(language)
    return translation.override(language)


def _manifest(language: str) -> dict[str, Any]:
    name, icons = site_name(), [_icon(*icon) for icon in ICONS]
    return {
        "id": "/",
        "name": name,
        "short_name": wrap(name, LONGEST_SHORT_NAME)[0],
        "description": _("Play Condottiere by email"),
        "lang": language,
        "dir": "rtl" if translation.get_language_bidi() else "ltr",
        "start_url": reverse("my_games"),
        "scope": "/",
        "display": "standalone",
        **LIGHT,
        "color_scheme_dark": DARK,
        "categories": ["games"],
        "icons": icons,
        "shortcuts": [
            {"name": shortcut, "url": reverse(page), "icons": icons[:1]} for shortcut, page in _shortcuts()
        ],
    }


def _icon(name: str, purpose: str) -> dict[str, str]:
    size = name.rpartition("-")[2]
    return {
        "src": static(f"look/icons/{name}.png"),
        "sizes": f"{size}x{size}",
        "type": "image/png",
        "purpose": purpose,
    }


def _shortcuts() -> list[tuple[str, str]]:
    return [
        (pgettext("opened from the site's icon", "Next game"), "next_game"),
        (_("Find a table"), "tables"),
        (_("Create a table"), "new_table"),
    ]


@cache  # browsers look for a newer one after every page
def _worker(language: str) -> str:
    """Return the script and what it keeps: the offline page, and the files that it names.

    A change of any of them changes the script, so browsers fetch all of them again.
    """
    with translation.override(language):
        page = render_to_string("offline.html")
    files = re.findall(rf'href="({re.escape(settings.STATIC_URL)}[^"]+)"', page)
    kept = {
        "name": f"offline-{_digest(page)}",
        "page": reverse("offline", args=[language]),
        "files": sorted(set(files)),
    }
    return f"const OFFLINE = {json.dumps(kept)};\n{_source('look/service_worker.js')}"


def _digest(page: str) -> str:
    # Names of files that were not collected don't tell their content.
    sheets = "".join(_source(f"look/{name}.css") for name in ("site", "parts"))
    return sha256((page + sheets).encode()).hexdigest()[:12]


def _source(name: str) -> str:
    return Path(str(finders.find(name))).read_text(encoding="utf-8")
