"""Structured logging, one line per event, without tokens.

A link's token gives access to a seat or an account, so it is removed from the records of all loggers.
"""

import logging
import re
from collections.abc import Mapping
from typing import Any

import structlog

# Paths whose next segment is a secret.
TOKEN_PATHS = (
    "accounts/login/for",
    "answer",
    "api/v1/join",
    "api/v1/watch",
    "calendar",
    "chronicle",
    "deal",
    "invitation",
    "join",
    "leagues/by-link",
    "leagues/calendar",
    "leagues/feed",
    "leagues/join",
    "live",
    "operator/sign-in",
    "mail/undo",
    "mail/unsubscribe",
    "practice",
    "push/shown",
    "seat",
    "chat",
    "watch",
)
MOST_OF_AN_EXCEPTION = (2_000, 6_000)  # characters of its beginning and end; a recursion has 1,000 frames
_SLASH = r"(?:/|%2[Ff])"
_TOKEN = re.compile(
    f"({_SLASH}(?:{'|'.join(path.replace('/', _SLASH) for path in TOKEN_PATHS)}){_SLASH})"
    r"(?!%2[Ff])[^/\s\"'<>?#&]+?(?=%2[Ff]|[/\s\"'<>?#&]|$)"
)


def without_tokens(text: str) -> str:
    """Return the text with the token of every signed link replaced by three dots."""
    return _TOKEN.sub(r"\1...", text)


class TokenlessRecord(logging.LogRecord):
    """Log record without tokens in its message, for every handler."""

    def getMessage(self) -> str:  # noqa: N802 (the standard library's name)
        return without_tokens(super().getMessage())


def _remove_tokens(_logger: Any, _name: str, event: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: without_tokens(value) if isinstance(value, str) else value for key, value in event.items()}


def _render(logger: Any, name: str, event: Any) -> str:
    line = structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "logger", "event"])
    exception = _without_middle(event.pop("exception", ""))  # after the line, where it is readable
    return without_tokens("\n".join(filter(None, [str(line(logger, name, event)), exception])))


def _without_middle(exception: str) -> str:
    """Return the beginning and the end of a long traceback."""
    first, last = MOST_OF_AN_EXCEPTION
    left_out = len(exception) - first - last
    if left_out <= 0:
        return exception
    return f"{exception[:first]}\n  ... {left_out} characters left out ...\n{exception[-last:]}"


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    _remove_tokens,
]


def logging_settings(level: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything to standard error through structlog, with tokens removed twice."""
    logging.setLogRecordFactory(TokenlessRecord)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, _render],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            "django.db.backends": {"level": "INFO"},
            "celery": {"level": "WARNING"},
            "kombu": {"level": "WARNING"},
            "waitress": {"level": "WARNING"},
        },
    }
