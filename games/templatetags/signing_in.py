"""Template tags for signing in: the reason for it, and third-party forms in the site's style.

Knows addresses, never what is there.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django import forms, template
from django.urls import Resolver404, resolve
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.forms.fields import put_in_our_words

register = template.Library()

_FOR_PEOPLE = {
    "my_games": gettext_lazy("Sign in to see your games."),
    "notice_target": gettext_lazy("Sign in to see your notification channel."),
    "notice_targets": gettext_lazy("Sign in to see your notification channels."),
    "my_hours": gettext_lazy("Sign in to choose your hours and holidays."),
    "profile": gettext_lazy("Sign in to see and change your account."),
    "tables": gettext_lazy("Sign in to get an email when someone opens a table."),
    "operator": gettext_lazy("Sign in to see the state of the site."),
    "operator_reports": gettext_lazy("Sign in to decide about a report."),
}


@register.simple_tag
def what_waits(address: str | None) -> str:
    """Return why to sign in, from the address that follows; the same whether or not the page exists."""
    try:
        path = urlsplit(address or "").path
        name = str(resolve(path).url_name)
    except (Resolver404, ValueError):  # ValueError: no address at all
        return ""
    if name == "game" or name.startswith("game_"):
        return _("Sign in to see this game.")
    if name == "email_preferences" or name.endswith("_emails"):
        return _("Sign in to choose which emails you get.")
    if name == "table" or name.startswith(("table_", "chat", "channel")):
        return _("Sign in to see this table.")
    if name == "organise":
        return _("Sign in to run this league.")
    if path.startswith("/leagues/"):
        return _("Sign in to see this league.")
    if name in _FOR_PEOPLE:
        return str(_FOR_PEOPLE[name])
    if name.startswith("practice"):
        return _("Sign in to keep this game.")
    return ""


@register.filter
def plainly(form: forms.BaseForm) -> SafeString:
    """Render another package's form with this site's labels."""
    put_in_our_words(form)
    return form.as_div()


@register.filter
def without_placeholder(field: forms.BoundField) -> SafeString:
    """Render another package's field without its placeholder, which repeats the label."""
    return field.as_widget(attrs={"placeholder": False})
