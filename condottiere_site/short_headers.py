"""Cut headers short before Django sees them: it reads some in quadratic time, and has no answer to others."""

import re
from collections.abc import Callable, Iterable
from typing import Any

LONGEST_CONTENT_TYPE = 500  # characters; browsers send some 80
_CHARACTER_SETS = frozenset({"utf-8", "utf8", "us-ascii", "iso-8859-1"})  # that programs name
_CHARSET = re.compile(r"charset\s*=([^;]*)", re.IGNORECASE)

Application = Callable[..., Iterable[bytes]]


def with_short_headers(application: Application) -> Application:
    """Return this WSGI application, which then gets a short Content-Type and cookies without escapes.

    Django reads parameters of a Content-Type, and Python before 3.12.6 undoes escapes in cookies, each in a
    time that grows with the square of their number. No cookie of this site has an escape.
    """

    def shortened(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = _content_type(environ.get("CONTENT_TYPE", ""))
        if "\\" in environ.get("HTTP_COOKIE", ""):
            environ["HTTP_COOKIE"] = environ["HTTP_COOKIE"].replace("\\", "")
        return application(environ, start_response)

    return shortened


def _content_type(written: str) -> str:
    """Return it short, and without parameters if they name a strange character set.

    Django would read forms in it, and has no answer where that fails. Names in the form of RFC 2231 end in
    an asterisk.
    """
    short = written[:LONGEST_CONTENT_TYPE]
    named = {name.strip('\t "').lower() for name in _CHARSET.findall(short)}
    return short.partition(";")[0] if "*" in short or named - _CHARACTER_SETS else short
