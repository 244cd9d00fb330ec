"""What every page may say about the site itself."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, str]:
    """The site's name and its configured address (never the request's Host)."""
    return {"site_name": settings.SITE_NAME, "site_url": settings.SITE_URL}
