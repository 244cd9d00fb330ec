"""The email that tells operators that the site fails. It names no figure, no game and no person."""

from django.urls import reverse
from django.utils.translation import gettext_lazy, pgettext

from accounts import clock
from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import OutgoingEmail
from accounts.reader_links import own_page_url
from condottiere_site.health.alerts import ALERT, is_still_failing
from condottiere_site.health.signs import TITLES, WHAT_TO_DO, SignName

LIST = "health"


@names_list(LIST)
def _name_of_list(_number: int = 0) -> str:
    return pgettext("kind of email", "State of the site")


@email_kind(ALERT, name=gettext_lazy("Something has failed on the site"))
def site_failing(email: OutgoingEmail) -> Content | None:
    """Build the email that says what fails and what to do; None once nothing fails, or mail failed since."""
    operator = email.to_user
    if operator is None or not operator.is_staff or not is_still_failing(email.created_at, clock.now()):
        return None
    failed = [SignName(name) for name in email.context["failed"]]
    context = {
        "signs": [(TITLES[name], WHAT_TO_DO[name]) for name in failed],
        "page": own_page_url(operator, reverse("operator")),
    }
    return Content(ALERT, context, list_id=LIST, list_name=_name_of_list())
