"""Whether the mail server of EMAIL_URL can be reached and lets the site in. Nothing is sent."""

import smtplib
import ssl

from django.core import mail

from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped, warning
from condottiere_site.site_checks.site_facts import SiteFacts, has_own_mail_server


def check_mail_server(facts: SiteFacts) -> CheckResult:
    """Connect, encrypt and sign in as for sending, then say goodbye."""
    name = "mail server"
    if not facts.mail_server:
        advice = "Set EMAIL_URL, such as smtp+tls://name:password@mail.example.org:587."
        return skipped(name, "No mail server is set: emails are captured at /operator/emails/.", advice)
    where = f"{facts.mail_server}, port {facts.mail_server_port}"
    connection = mail.get_connection()
    try:
        connection.open()
        connection.close()
    except ssl.SSLCertVerificationError as error:
        why = f"The certificate of {where} isn't trusted: {error.verify_message}."
        return failed(name, why, "Write in EMAIL_URL the name that the certificate is for.")
    except smtplib.SMTPAuthenticationError as error:
        why = f"{where} refuses the name or password: {_words(error.smtp_error)}"
        return failed(
            name, why, "Correct name and password in EMAIL_URL, with % codes for special characters."
        )
    except (smtplib.SMTPException, OSError) as error:
        return failed(
            name, f"{where} can't be used: {error}", "Check EMAIL_URL, the server and the firewall."
        )
    if not facts.mail_is_encrypted and not has_own_mail_server(facts):
        why = f"The site talks to {where} without encryption."
        return warning(name, why, "Write smtp+tls:// (port 587) or smtps:// (port 465) in EMAIL_URL.")
    return passed(name, f"{where} lets the site in.")


def _words(said: bytes | str) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else said
