"""Builds the letters about reports: to operators, and to who reported. No message is told in them: what was
written in a circle stays on this site."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.addresses import own_page_url
from accounts.post.content import Content
from accounts.post.models import Letter
from games.models import Seat
from games.press.models import Report


def reported(letter: Letter) -> Content | None:
    """To an operator: somebody reported a message, and where to decide about it."""
    found = _report(letter)
    operator = letter.to_user
    if found is None or found.state != Report.State.OPEN or operator is None or not operator.is_staff:
        return None
    table = found.message.circle.table
    if Seat.objects.filter(table=table, user=operator).exists():
        return None
    page = own_page_url(operator.email, f"{reverse('operator_reports')}#report-{found.pk}")
    context = {"table": table, "reason": found.reason, "page": page}
    return Content("reported", context, f"report-{found.pk}", "reports", _("reports"))


def report_decided(letter: Letter) -> Content | None:
    """To who reported a message: what an operator did about it."""
    found = _report(letter)
    if found is None or found.state == Report.State.OPEN:
        return None
    context = {
        "table": found.message.circle.table,
        "at": found.at,
        "has_acted": found.state == Report.State.ACTED,
        "decision": found.told_decision,
    }
    return Content("report_decided", context, f"report-{found.pk}-decided")


def _report(letter: Letter) -> Report | None:
    return Report.objects.select_related("message__circle__table").filter(pk=letter.about["report"]).first()
