"""Cut headers short before Django sees them, because it reads some in quadratic time."""

from collections.abc import Callable, Iterable
from typing import Any

LONGEST_CONTENT_TYPE = 500  # characters; browsers send some 80

Application = Callable[..., Iterable[bytes]]


def with_short_headers(application: Application) -> Application:
    """Return this WSGI application, which then gets a short Content-Type and cookies without escapes.

    Django reads parameters of a Content-Type, and Python before 3.12.6 undoes escapes in cookies, each in a
    time that grows with the square of their number. No cookie of this site has an escape.
    """

    def shortened(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = environ.get("CONTENT_TYPE", "")[:LONGEST_CONTENT_TYPE]
        if "\\" in environ.get("HTTP_COOKIE", ""):
            environ["HTTP_COOKIE"] = environ["HTTP_COOKIE"].replace("\\", "")
        return application(environ, start_response)

    return shortened
