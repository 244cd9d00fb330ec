"""Why an email was not sent: what a mail server's refusal or a broken connection means for it."""

import smtplib

from accounts.mail.answers import blames_address
from accounts.mail.smtp_connection import CutOff

_SIZE_EXCEEDED = 552
_GOING_AWAY = 421


class NotSent(Exception):
    """The email was not accepted; the subclasses say what that means for it."""


class EmailRefused(NotSent):
    """This email will never be accepted for this recipient."""


class Unwritable(EmailRefused):
    """This email can't be written to this recipient, or is too large; no other email is concerned."""


class NoSuchAddress(EmailRefused):
    """No email will ever be accepted for this recipient."""


class Delayed(NotSent):
    """This email may be accepted later; others may be accepted now."""


class Broken(NotSent):
    """The connection broke while this email was being sent; the cause is unknown."""


class Doubtful(Broken):
    """The connection broke after the data was sent, so a retry may duplicate the email."""


class ServerDown(NotSent):
    """The server accepts no email for any recipient at the moment."""


def meaning_of(error: Exception) -> NotSent:
    """Return what a mail library error means for the email."""
    text = f"{type(error).__name__}: {error}"
    match error:
        case smtplib.SMTPRecipientsRefused():
            code, answer = next(iter(error.recipients.values()))
            return _classify_refusal(code, _decode_answer(answer))
        case smtplib.SMTPSenderRefused():
            # Our own address is refused, as for every email; the size limit concerns only this one.
            return Unwritable(text) if error.smtp_code == _SIZE_EXCEEDED else ServerDown(text)
        case smtplib.SMTPDataError():
            return _classify_refusal(error.smtp_code, _decode_answer(error.smtp_error))
        case smtplib.SMTPNotSupportedError():
            return Unwritable(text)
        case CutOff():
            return Doubtful(text)
        case smtplib.SMTPException() | OSError():
            return Broken(text)
        case _:
            return Unwritable(text)  # ValueError: an invalid address or header


def _classify_refusal(code: int, answer: str) -> NotSent:
    """Classify a reply to RCPT or DATA."""
    text = f"{code} {answer}"
    if code == _GOING_AWAY:
        return ServerDown(text)
    if code < 500:
        return Delayed(text)
    return NoSuchAddress(text) if blames_address(text) else EmailRefused(text)


def _decode_answer(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
