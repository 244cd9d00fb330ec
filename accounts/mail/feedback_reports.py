"""Read feedback reports (RFC 5965): a mail provider says that a reader marked an email as spam.

Providers send them to an address that the operator registered, or to the return path. What they return of the
email is often cut or made anonymous; our own signed names in its headers are enough.
"""

from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser
from email.utils import parseaddr

from accounts.mail.message_parts import parts_of
from accounts.mail.return_paths import HEADER, email_named

# Of RFC 5965, 7.3. No reader complains with "virus", "not-spam" (RFC 6430) or "auth-failure" (RFC 6591).
COMPLAINTS = frozenset({"abuse", "fraud", "other", "opt-out", "opt-out-list"})
_REPORT, _TYPE = "multipart/report", "feedback-report"
_LONGEST_HEADERS = 64 * 1024  # characters of headers that come as text
_MOST_PARTS = 10
_PATHS = ("Original-Mail-From", "Return-Path")


def is_feedback_report(message: Message) -> bool:
    """Return whether a message's headers say that it is a feedback report."""
    kind = message.get_param("report-type")
    return message.get_content_type() == _REPORT and str(kind).lower() == _TYPE


def is_complaint(report: Message) -> bool:
    """Return whether the report says that a reader complained."""
    return any(_first_word(fields["Feedback-Type"]) in COMPLAINTS for fields in _fields(report))


def email_reported(report: Message) -> int | None:
    """Return the email that the report is about; None if it names none of this site's.

    Only fields that mail servers write, and our own header, are read: a subject may hold what anyone wrote.
    """
    headers = [*_fields(report), *_returned_headers(report)]
    tags = [str(one[HEADER]) for one in headers if one[HEADER] is not None]
    paths = [
        parseaddr(str(one[name])[:1000])[1] for one in headers for name in _PATHS if one[name] is not None
    ]
    return email_named(*tags, *paths)


def _fields(report: Message) -> Iterator[Message]:
    """Yield the machine-readable fields, which Python reads as the headers of a message."""
    for part in _parts(report):
        if part.get_content_type() == "message/feedback-report":
            yield from _parts(part)[:1]


def _returned_headers(report: Message) -> Iterator[Message]:
    """Yield the headers of the returned email, which may come alone, as text."""
    for part in _parts(report):
        if part.get_content_type() == "message/rfc822":
            yield from _parts(part)[:1]
        elif part.get_content_type() in {"text/rfc822-headers", "message/rfc822-headers"}:
            yield from _parts(part)[:1] or [_headers_in(part)]


def _headers_in(part: Message) -> Message:
    source = part.get_payload(decode=True)
    text = source.decode("utf-8", "replace") if isinstance(source, bytes) else ""
    return HeaderParser().parsestr(text[:_LONGEST_HEADERS].lstrip(), headersonly=True)


def _parts(part: Message) -> list[Message]:
    return parts_of(part)[:_MOST_PARTS]


def _first_word(value: object) -> str:
    words = str(value or "").lower().split()
    return words[0] if words else ""
