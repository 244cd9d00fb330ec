"""Reports of programs that don't write RFC 3464, in the manner of each; {who} is whom the email was for."""

_HEAD = "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.net\nTo: {to}\nSubject: failure notice\n"
_COPY = "\nReceived: from games.example.net\nSubject: Your move\n\nPlay a card, or you are blocked.\n"

QMAIL = (
    _HEAD
    + """
Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{who}>:
192.0.2.7 does not like recipient.
Remote host said: {words}
Giving up on 192.0.2.7.

--- Below this line is a copy of the message.
"""
    + _COPY
)

EXIM_3 = (
    _HEAD.replace("To: ", "X-Failed-Recipients: {who}\nTo: ")
    + """
This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {who}
    SMTP error from remote mail server after RCPT TO:<{who}>:
    host mail.example.org [192.0.2.7]: {words}

------ This is a copy of the message, including all the headers. ------
"""
    + _COPY
)

SENDMAIL_5 = (
    _HEAD
    + """
   ----- The following addresses had permanent fatal errors -----
<{who}>

   ----- Transcript of session follows -----
... while talking to mail.example.org.:
>>> RCPT To:<{who}>
<<< {words}

   ----- Original message follows -----
"""
    + _COPY
)

POSTFIX_OLD = (
    _HEAD.replace("Subject:", "Content-Type: multipart/mixed; boundary=old\nSubject:")
    + """
--old
Content-Description: Notification
Content-Type: text/plain

This is the Postfix program at host mx.example.net.

I'm sorry to have to inform you that the message returned
below could not be delivered to one or more destinations.

\t\t\tThe Postfix program

<{who}>: host mail.example.org[192.0.2.7] said: {words}

--old
Content-Type: message/rfc822
"""
    + _COPY
    + "\n--old--\n"
)

YAHOO = (
    _HEAD.replace("mx.example.net", "yahoo.com")
    + """
Message from yahoo.com.
Unable to deliver message to the following address(es).

<{who}>:
{words}

--- Original message follows.
"""
    + _COPY
)

DELAYED = (
    _HEAD
    + """
Delivery to the following recipient has been delayed:

     {who}

Message will be retried for 2 more day(s)

Technical details: {words}
"""
)

OLDER = {"qmail": QMAIL, "Exim 3": EXIM_3, "Sendmail 5": SENDMAIL_5, "Postfix": POSTFIX_OLD, "Yahoo": YAHOO}


def older(text: str, words: str = "550 no such user here", who: str = "anna@example.org") -> bytes:
    """Return this report, as the mail server of the site hands it over."""
    filled = text.replace("{to}", "bounces@example.net").replace("{who}", who).replace("{words}", words)
    return filled.replace("\n", "\r\n").encode()
