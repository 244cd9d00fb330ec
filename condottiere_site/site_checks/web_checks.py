"""The site as a visitor meets it: https, redirects, headers, static files, the time of a page."""

import gzip
import re
from collections.abc import Callable
from statistics import median
from urllib.parse import urlsplit

from accounts import clock
from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning
from condottiere_site.site_checks.site_facts import SiteFacts
from condottiere_site.site_checks.web_requests import BadCertificate, NoAddress, NoPage, SiteResponse, get

DAY = 24 * 3600
_SOON = 14 * DAY  # a certificate is renewed long before
_QUICK, _SLOW = 1.0, 3.0  # seconds
_VISITS = 3
_STYLE = re.compile(r'<link[^>]+rel="stylesheet"[^>]*>')
_HREF = re.compile(r'href="([^"]+)"')
_USUAL_PORTS = {80, 443}
_START_WEB = "Start web server and gunicorn, and look into their logs."
_NO_PAGE = "The home page doesn't arrive."
_NEEDED: dict[str, Callable[[str], bool]] = {
    "X-Content-Type-Options": lambda value: value == "nosniff",
    "Content-Security-Policy": lambda value: "default-src" in value,
    "Referrer-Policy": lambda value: value == "same-origin",
}


def check_https(facts: SiteFacts) -> CheckResult:
    """Check that the site answers by https with a certificate that browsers trust for some time."""
    name = "https"
    if facts.is_at_home and not facts.is_https:
        return skipped(name, f"The site is at home ({facts.host}), where http will do.")
    if not facts.is_https:
        advice = "Get a certificate (docs/HOSTING.md), and set SITE_URL to https://. Passkeys need it."
        return failed(name, f"{facts.url} isn't encrypted: links to seats can be read on the way.", advice)
    try:
        answer = get(facts)
    except BadCertificate as error:
        return failed(name, str(error), f"Get a certificate for {facts.host}, and give the whole chain.")
    except NoAddress as error:
        return skipped(name, str(error))
    except NoPage as error:
        return failed(name, str(error), _START_WEB)
    days = ((answer.certificate_ends or 0.0) - clock.now().timestamp()) / DAY
    if days * DAY < _SOON:
        why = f"The certificate of {facts.host} ends in {days:.0f} days."
        return warning(name, why, "See why it wasn't renewed: certbot renew --dry-run, or Caddy's log.")
    return passed(name, f"The certificate of {facts.host} is valid for {days:.0f} more days.")


def check_redirect(facts: SiteFacts) -> CheckResult:
    """Check that plain http leads to https."""
    name = "redirect"
    if not facts.is_https:
        return skipped(name, "The site has no https to lead to.")
    if facts.port not in _USUAL_PORTS and facts.plain_port in _USUAL_PORTS:
        return skipped(name, f"The site is at port {facts.port}, and port 80 isn't its own.")
    try:
        answer = get(facts, plain=True)
    except NoAddress as error:
        return skipped(name, str(error))
    except NoPage as error:
        advice = "Let the web server listen at port 80 too, and redirect to https."
        return warning(name, f"Plain http isn't answered. {error}", advice)
    target = answer.header("Location")
    if answer.status not in (301, 302, 307, 308):
        why = f"Plain http is answered with {answer.status}, not with a redirect to https."
        return failed(name, why, "Redirect in the web server, and set TRUSTED_PROXIES (docs/HOSTING.md).")
    if not target.startswith(f"{facts.url}/"):
        return failed(
            name, f"Plain http leads to {target}, not to {facts.url}/.", "Correct SITE_URL or the redirect."
        )
    return passed(name, f"Plain http leads to {facts.url}.")


def check_home_page(facts: SiteFacts) -> CheckResult:
    """Check that the home page arrives, and how long it takes, connection included."""
    name = "home page"
    try:
        answers = [get(facts) for _visit in range(_VISITS)]
    except NoAddress as error:
        return skipped(name, str(error))
    except NoPage as error:
        return failed(name, str(error), _START_WEB)
    status, seconds = answers[-1].status, median(answer.seconds for answer in answers)
    if status == 400:
        advice = (
            "Let the web server pass on the Host header, and let SITE_URL be the address that visitors use."
        )
        return failed(name, "The site refuses its own name (400).", advice)
    if status != 200:
        return failed(name, f"The home page is answered with {status}.", _START_WEB)
    took = f"The home page takes {seconds:.2f} s."
    advice = "Look at the load of machine and database, and at the number of gunicorn's workers."
    if seconds > _SLOW:
        return failed(name, took, advice)
    return warning(name, took, advice) if seconds > _QUICK else passed(name, took)


def check_headers(facts: SiteFacts) -> CheckResult:
    """Check that the home page arrives with the site's security headers."""
    name = "headers"
    page = _home_page(facts)
    if page is None:
        return skipped(name, _NO_PAGE)
    missing = [field for field, is_right in _NEEDED.items() if not is_right(page.header(field))]
    if missing:
        why = f"The home page arrives without the right {' and '.join(missing)}."
        return failed(name, why, "Let the web server pass on the site's headers unchanged.")
    if facts.is_https and "max-age" not in page.header("Strict-Transport-Security"):
        return failed(
            name,
            "The home page arrives without Strict-Transport-Security: the site takes visits for plain http.",
            "Set TRUSTED_PROXIES, and let the web server set X-Forwarded-Proto (docs/HOSTING.md).",
        )
    return passed(name, "The home page arrives with all security headers.")


def check_static_files(facts: SiteFacts) -> CheckResult:
    """Check that the style sheet of the home page arrives, and that browsers may keep it."""
    name, collect = "static files", "Run python3 manage.py collectstatic, then restart the web processes."
    page = _home_page(facts)
    if page is None:
        return skipped(name, _NO_PAGE)
    links = [link for tag in _STYLE.findall(_text_of(page)) for link in _HREF.findall(tag)]
    if not links:
        return failed(name, "The home page has no style sheet. Is it another site's?", "Check SITE_URL.")
    path = urlsplit(links[0]).path
    try:
        sheet = get(facts, path)
    except NoPage as error:
        return failed(name, str(error), _START_WEB)
    if sheet.status != 200 or not sheet.header("Content-Type").startswith("text/css"):
        return failed(name, f"{path} is answered with {sheet.status}, not with a style sheet.", collect)
    if "immutable" not in sheet.header("Cache-Control"):
        return warning(name, "Static files aren't collected: browsers ask for them again and again.", collect)
    return passed(name, f"{path} arrives, and browsers may keep it.")


def _home_page(facts: SiteFacts) -> SiteResponse | None:
    """Return the home page; None if it doesn't arrive, which its own check says."""
    try:
        page = get(facts)
    except NoPage:
        return None
    return page if page.status == 200 else None


def _text_of(page: SiteResponse) -> str:
    body = page.body
    if page.header("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return body.decode("utf-8", "replace")
