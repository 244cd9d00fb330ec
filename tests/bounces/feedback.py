"""Feedback reports (RFC 5965) about an email, as various providers write them."""

from tests.bounces.reports import sent_to

# As in RFC 5965, appendix B.2: the returned email whole, with its return path.
WHOLE = """\
Return-Path: <feedback@provider.example>
From: <abusedesk@provider.example>
Date: Thu, 8 Mar 2026 17:40:36 +0000
Subject: FW: Your turn: Friday game
To: <{to}>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="part1_13d.2e68ed54_boundary"

--part1_13d.2e68ed54_boundary
Content-Type: text/plain; charset="US-ASCII"
Content-Transfer-Encoding: 7bit

This is an email abuse report for an email message received from IP 192.0.2.1.

--part1_13d.2e68ed54_boundary
Content-Type: message/feedback-report

Feedback-Type: {type}
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <{path}>
Original-Rcpt-To: <anna@example.org>
Reporting-MTA: dns; mail.provider.example
Source-IP: 192.0.2.1

--part1_13d.2e68ed54_boundary
Content-Type: message/rfc822
Content-Disposition: inline

Return-Path: <{path}>
Received: from mail.example.net (192.0.2.1) by provider.example
From: Games <games@example.net>
To: anna@example.org
Subject: Your turn: Friday game
Message-ID: <email-1@example.net>
X-Condottiere-Email: {tag}

Play a card or pass.

--part1_13d.2e68ed54_boundary--
"""

# As Microsoft's: bare fields, everything else in the headers of the email, and no recipient.
SPARSE = """\
Return-Path: <jmrp@provider.example>
From: Junk Mail Reporting <jmrp@provider.example>
Subject: complaint about message from 192.0.2.1
To: <{to}>
MIME-Version: 1.0
Content-Type: multipart/report; boundary="xyz"; report-type="feedback-report"

--xyz
Content-Type: text/plain

This is an abuse report.

--xyz
Content-Type: message/feedback-report

Feedback-Type: {type}
User-Agent: JMRP/1.0
Version: 1

--xyz
Content-Type: text/rfc822-headers

From: Games <games@example.net>
To: redacted
Subject: Your turn: Friday game
Message-ID: <email-1@example.net>
X-Condottiere-Email: {tag}

--xyz--
"""

# Everything that names a person is made anonymous (RFC 6590), and our header with it.
REDACTED = """\
Return-Path: <>
From: <feedback@provider.example>
Subject: Abuse report
To: <{to}>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: text/plain

A user has reported this message.

--b
Content-Type: message/feedback-report

Feedback-Type: {type}
User-Agent: Provider/2
Version: 0.1
Original-Mail-From: {path}

--b
Content-Type: message/rfc822

From: [redacted]@example.net
To: kz3tyn2q3s@example.org
Subject: [redacted]

--b--
"""

# Only the path to which it comes names the email.
SHORTENED = """\
From: <feedback@provider.example>
Subject: Abuse report
To: <{to}>
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b
Content-Type: message/feedback-report

Feedback-Type: {type}
User-Agent: Provider/2
Version: 0.1

--b--
"""


def feedback(text: str, *, to: str, path: str, tag: str, kind: str = "abuse") -> bytes:
    """Return a report to this address about the email with this return path and tag."""
    told = text.replace("{path}", path).replace("{tag}", tag).replace("{type}", kind)
    return sent_to(to, told)
