"""What monitors of the site read: /healthz, /readyz and /metrics. Without the token, there are no figures.

A middleware answers them before any other asks for a host, for https, a session or the database. Load
balancers ask by plain http and by a machine's number.
"""

from collections.abc import Callable, Iterable
from hmac import compare_digest

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.utils import translation
from prometheus_client import CONTENT_TYPE_LATEST

from condottiere_site.health.metrics import current_metrics
from condottiere_site.health.readiness import current_signs
from condottiere_site.health.signs import Sign, SignName, Unit

NOWHERE_KEPT = {
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex",
    "X-Content-Type-Options": "nosniff",
}
PLAIN = "text/plain; charset=utf-8"


class HealthPages:
    """Answer the addresses of health, and leave all others to the site."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        page = PAGES.get(request.path_info)
        if page is None or (page is metrics and not settings.METRICS_TOKEN):
            return self._get_response(request)
        is_read = request.method in {"GET", "HEAD"}
        answer = page(request) if is_read else HttpResponseNotAllowed(["GET", "HEAD"])
        for name, value in NOWHERE_KEPT.items():
            answer[name] = value
        return answer


def healthz(_request: HttpRequest) -> HttpResponse:
    """Return that this process answers; nothing else is looked at."""
    return HttpResponse("ok\n", content_type=PLAIN)


def readyz(request: HttpRequest) -> HttpResponse:
    """Return which signs of health have failed, with figures for those who have the token."""
    has_token = _has_token(request)
    if has_token is False:
        return _refusal()
    signs = current_signs()
    with translation.override("en"):
        lines = [_in_full(sign) for sign in signs] if has_token else _in_short(signs)
    status = 503 if any(sign.failed for sign in signs) else 200
    return HttpResponse("".join(f"{line}\n" for line in lines), content_type=PLAIN, status=status)


def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics to those who have the token."""
    if not _has_token(request):
        return _refusal()
    return HttpResponse(current_metrics(), content_type=CONTENT_TYPE_LATEST)


PAGES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": healthz,
    "/readyz": readyz,
    "/metrics": metrics,
}


def _has_token(request: HttpRequest) -> bool | None:
    """Return whether the request has the site's token; None if it brings none, or the site has none."""
    given = request.headers.get("Authorization", "")
    if not given or not settings.METRICS_TOKEN:
        return None
    scheme, _space, token = given.partition(" ")
    return (
        compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode()) and scheme.lower() == "bearer"
    )


def _refusal() -> HttpResponse:
    answer = HttpResponse("Send METRICS_TOKEN as a bearer token.\n", content_type=PLAIN, status=401)
    answer["WWW-Authenticate"] = "Bearer"
    return answer


def _in_short(signs: Iterable[Sign]) -> list[str]:
    """Return one line for each kind of sign, without figures."""
    failed: dict[SignName, bool] = {}
    for sign in signs:
        failed[sign.name] = failed.get(sign.name, False) or sign.failed
    return [f"{name}: {'failed' if has_failed else 'ok'}" for name, has_failed in failed.items()]


def _in_full(sign: Sign) -> str:
    """Return one line with figures, and with what to do if it has failed."""
    name = f"{sign.name} {sign.about}".strip()
    if not sign.is_known:
        return f"{name}: failed, because it can't be read."
    figures = f" ({_figures(sign)})" if sign.value is not None and sign.limit is not None else ""
    return f"{name}: failed{figures}. {sign.what_to_do}" if sign.failed else f"{name}: ok{figures}"


def _figures(sign: Sign) -> str:
    bound = "at least" if sign.is_least else "at most"
    return f"{_number(sign.value, sign.unit)}, {bound} {_number(sign.limit, sign.unit)}"


def _number(value: float | None, unit: Unit) -> str:
    if unit == Unit.BYTES:
        return f"{(value or 0) / 1024**2:.0f} MiB"
    return f"{round(value or 0, 1):.15g} {unit}".strip()  # never 1e+06
