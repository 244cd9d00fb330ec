"""Mail to a return path: reports as various mail servers write them, and other mail."""

POSTFIX = """\
Return-Path: <>
Date: Sat, 4 Jul 2026 12:00:00 +0000
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: {to}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="4F1B2.1/mx.example.net"

This is a MIME-encapsulated message.

--4F1B2.1/mx.example.net
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--4F1B2.1/mx.example.net
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4F1B2
Arrival-Date: Sat, 4 Jul 2026 11:59:59 +0000

Final-Recipient: rfc822; anna@example.org
Original-Recipient: rfc822;anna@example.org
Action: {action}
Status: {status}
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; {words}

--4F1B2.1/mx.example.net
Content-Description: Undelivered Message
Content-Type: message/rfc822

From: Games <games@example.net>
To: anna@example.org
Subject: Your move

Play a card or pass.

--4F1B2.1/mx.example.net--
"""

EXIM = """\
Return-path: <>
X-Failed-Recipients: anna@example.org
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@exim.example.net>
To: {to}
References: <email-1@example.net>
Content-Type: multipart/report; report-type=delivery-status; boundary=1783166400-eximdsn-1804289383
MIME-Version: 1.0
Subject: Mail delivery failed: returning message to sender

--1783166400-eximdsn-1804289383
Content-type: text/plain; charset=us-ascii

This message was created automatically by mail delivery software.

--1783166400-eximdsn-1804289383
Content-type: message/delivery-status

Reporting-MTA: dns; exim.example.net

Action: failed
Final-Recipient: rfc822;anna@example.org
Status: 5.0.0
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550-Callback setup failed while verifying
\t<anna@example.org>
 550 Unknown user

--1783166400-eximdsn-1804289383--
"""

EXCHANGE = """\
From: postmaster@example.org
To: {to}
Date: Sat, 4 Jul 2026 12:00:00 +0000
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="9B095B5ADSN=_01DA?mail.example.org"
MIME-Version: 1.0
Subject: Undeliverable: Your move

This is a MIME-formatted message.

--9B095B5ADSN=_01DA?mail.example.org
Content-Type: multipart/alternative; differences=Content-Type;
\tboundary="inner"

--inner
Content-Type: text/plain; charset="windows-1252"
Content-Transfer-Encoding: quoted-printable

Ihre Nachricht konnte nicht zugestellt werden. =FC

--inner
Content-Type: text/html; charset="windows-1252"

<p>Not delivered</p>
--inner--

--9B095B5ADSN=_01DA?mail.example.org
Content-Type: message/delivery-status

Reporting-MTA: dns;mail.example.org
Received-From-MTA: dns;mx.example.net
Arrival-Date: Sat, 4 Jul 2026 11:59:59 +0000

Original-Recipient: rfc822;anna@example.org
Final-Recipient: rfc822;anna@example.org
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
X-Display-Name: anna@example.org

--9B095B5ADSN=_01DA?mail.example.org
Content-Type: message/rfc822

Subject: Your move

--9B095B5ADSN=_01DA?mail.example.org--
"""

VACATION = """\
From: Anna <anna@example.org>
To: {to}
Subject: Away until Monday
Auto-Submitted: auto-replied (vacation)
X-Auto-Response-Suppress: All
Content-Type: text/plain; charset=utf-8

I am away. Action: failed. Status: 5.1.1
"""

HIDDEN_INSIDE = """\
From: Anna <anna@example.org>
To: {to}
Subject: Fwd: look at this
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; bruno@example.org
Action: failed
Status: 5.1.1

--outer--
"""


def report(
    action: str = "failed", status: str = "5.1.1", words: str = "550 5.1.1 <anna@example.org>: unknown"
) -> bytes:
    """Return a report as Postfix writes it."""
    return (
        sent_to("bounces@example.net", POSTFIX)
        .replace(b"{action}", action.encode())
        .replace(b"{status}", status.encode())
        .replace(b"{words}", words.encode())
    )


def sent_to(to: str, text: str) -> bytes:
    return text.replace("{to}", to).replace("\n", "\r\n").encode()
