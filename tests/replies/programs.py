"""Replies as Gmail, Outlook, Apple Mail and Thunderbird write and quote them, in text and HTML."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from email.utils import make_msgid
from html import escape
from typing import Any

SENDER = "Condottiere by email &lt;condottiere@testserver&gt;"
PLAIN_SENDER = "Condottiere by email <condottiere@testserver>"
WHEN = "Mon, Nov 23, 2026 at 2:00 PM"

Program = Callable[[str, str, str], tuple[str, str]]  # words, quoted text, quoted HTML -> text, HTML


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def gmail(words: str, text: str, html: str) -> tuple[str, str]:
    plain = (
        f"{words}\n\nOn {WHEN} Condottiere by email <\ncondottiere@testserver> wrote:\n\n{_quoted(text)}\n"
    )
    page = (
        f'<div dir="ltr">{_lines(words)}</div><br><div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">On {WHEN} {SENDER} wrote:<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0px">{html}</blockquote></div>'
    )
    return plain, page


def gmail_in_russian(words: str, text: str, html: str) -> tuple[str, str]:
    said = "пн, 23 нояб. 2026\u202fг. в 14:00, Condottiere by email"
    plain = f"{words}\n\n{said} <\ncondottiere@testserver>:\n\n{_quoted(text)}\n\n-- \nАнна\n"
    page = (
        f'<div dir="ltr">{_lines(words)}</div><br><div class="gmail_quote">'
        f'<div class="gmail_attr">{said} {SENDER}:<br></div><blockquote>{html}</blockquote></div>'
    )
    return plain, page


def outlook(words: str, text: str, html: str) -> tuple[str, str]:
    sent, line = "Monday, November 23, 2026 2:00 PM", "<p class=MsoNormal>{}<o:p></o:p></p>"
    head = f"From: {PLAIN_SENDER} \nSent: {sent}\nTo: Anna <anna@example.org>\nSubject: Your turn: Table 42\n"
    own = "".join(line.format(escape(one) or "&nbsp;") for one in [*words.splitlines(), ""])
    page = (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><style>p{margin:0in}</style></head>"
        f"<body lang=EN-US><div class=WordSection1>{own}<div style='border:none;border-top:solid 1.0pt'>"
        f"<p class=MsoNormal><b>From:</b> {SENDER} <br><b>Sent:</b> {sent}<br><b>To:</b> Anna<br>"
        f"<b>Subject:</b> Your turn: Table 42<o:p></o:p></p></div>{html}</div></body></html>"
    )
    return f"{words}\n\n{head}\n{text}", page


def outlook_in_german(words: str, text: str, html: str) -> tuple[str, str]:
    head = (
        f"Von: {PLAIN_SENDER}\nGesendet: Montag, 23. November 2026 14:00\nAn: anna@example.org\nBetreff: x\n"
    )
    page = (
        f'<html><body><div class="elementToProof">{_lines(words)}</div><div id="appendonsend"></div>'
        f'<hr style="width:98%"><div id="divRplyFwdMsg"><font><b>Von:</b> {SENDER}<br></font></div>'
        f"{html}</body></html>"
    )
    return f"{words}\n\nMit freundlichen Grüßen\nAnna Schmidt\n\n{'_' * 32}\n{head}\n{text}", page


def apple_mail(words: str, text: str, html: str) -> tuple[str, str]:
    said = "On 23 Nov 2026, at 14:00,"
    plain = f"{words}\n\nSent from my iPhone\n\n> {said} {PLAIN_SENDER} wrote:\n> \n{_quoted(text)}\n"
    page = (
        f"<html><body dir='auto'>{_lines(words)}<br id='lineBreakAtBeginningOfSignature'>"
        f"<div dir='ltr'>Sent from my iPhone</div><div dir='ltr'><br><blockquote type='cite'>{said} {SENDER} "
        f"wrote:<br><br></blockquote></div><blockquote type='cite'>{html}</blockquote></body></html>"
    )
    return plain, page


def thunderbird(words: str, text: str, html: str) -> tuple[str, str]:
    said = "On 23/11/2026 14:00, Condottiere by email wrote:"
    page = (
        f"<html><body><p>{_lines(words)}</p><div class='moz-cite-prefix'>{said}<br></div>"
        f"<blockquote type='cite' cite='mid:x@testserver'>{html}</blockquote>"
        f"<div class='moz-signature'>-- <br>Anna</div></body></html>"
    )
    return f"{words}\n\n{said}\n{_quoted(text)}\n\n-- \nAnna\n", page


def thunderbird_below(words: str, text: str, html: str) -> tuple[str, str]:
    """Write below the quote, as Thunderbird proposes."""
    said = "On 23/11/2026 14:00, Condottiere by email wrote:"
    page = (
        f"<html><body><div class='moz-cite-prefix'>{said}<br></div>"
        f"<blockquote type='cite' cite='mid:x@testserver'>{html}</blockquote>"
        f"<p>{_lines(words)}</p></body></html>"
    )
    return f"{said}\n{_quoted(text)}\n\n{words}\n\n-- \nAnna\n", page


PROGRAMS: tuple[Program, ...] = (
    gmail, outlook, apple_mail, thunderbird, gmail_in_russian, outlook_in_german, thunderbird_below,
)  # fmt: skip


def _lines(words: str) -> str:
    return "<br>".join(map(escape, words.splitlines()))


def reply(program: Program, email: Any, words: str, *, only: str = "", **headers: str) -> bytes:
    """Return the reply that a program writes to this email of Django's; `only` "text" or "html" of it."""
    text, html = program(words, str(email.body), str(email.alternatives[0][0]))
    message = EmailMessage()
    message["From"], message["To"] = email.to[0], email.extra_headers["Reply-To"]
    message["Subject"], message["Message-ID"] = f"Re: {email.subject}", make_msgid(domain="example.org")
    message["In-Reply-To"] = email.extra_headers["Message-ID"]
    for name, value in headers.items():
        del message[name.replace("_", "-")]
        message[name.replace("_", "-")] = value
    if only == "html":
        message.set_content(html, subtype="html")
    else:
        message.set_content(text)
    if not only:
        message.add_alternative(html, subtype="html")
    return message.as_bytes()
