"""Emails about reports, to operators and reporters. They quote no message: its text stays on the site."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext

from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.reader_links import own_page_url
from games.chat.models import Report
from games.models import Seat


@names_list("reports")
def _name_of_reports(_number: int = 0) -> str:
    return pgettext("kind of email", "Reports")


@email_kind("reported", name=gettext_lazy("Someone reported a message"))
def reported(email: OutgoingEmail) -> Content | None:
    """Build the email that tells an operator of a reported message and where to decide about it."""
    found = _report(email)
    operator = email.to_user
    if found is None or found.state != Report.State.OPEN or operator is None or not operator.is_staff:
        return None
    table = found.message.channel.table
    if Seat.objects.filter(table=table, user=operator).exists():
        return None
    page = own_page_url(operator, f"{reverse('operator_reports')}#report-{found.pk}")
    context = {"table": table, "report": found, "page": page}
    return Content("reported", context, f"report-{found.pk}", "reports", _name_of_reports())


@email_kind("report_decided", name=gettext_lazy("Your report was decided"))
def report_decided(email: OutgoingEmail) -> Content | None:
    """Build the email that tells the reporter what an operator did."""
    found = _report(email)
    if found is None or found.state == Report.State.OPEN:
        return None
    context = {
        "table": found.message.channel.table,
        "at": found.at,
        "has_acted": found.state == Report.State.ACTED,
        "decision": found.decision_text,
    }
    return Content("report_decided", context, f"report-{found.pk}-decided")


def _report(email: OutgoingEmail) -> Report | None:
    return Report.objects.select_related("message__channel__table").filter(pk=email.context["report"]).first()
