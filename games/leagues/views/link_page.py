"""A page that an email's link opens: its text, its buttons, and what they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.forms import BaseForm
from django.http import HttpRequest

from games.leagues.models import League, Season


@dataclass(frozen=True)
class Button:
    """A button that the page offers."""

    action: str
    label: str
    is_quiet: bool = False


class InvalidForm(Exception):
    """Raised when the form sent with a button is invalid; carries that form."""

    def __init__(self, form: BaseForm) -> None:
        self.form = form
        super().__init__()


@dataclass(frozen=True)
class LinkPage:
    """The content and buttons of a page opened by an email's link."""

    subject: League | Season
    heading: str
    paragraphs: tuple[str, ...]
    buttons: tuple[Button, ...]
    actions: dict[str, Callable[[HttpRequest], str]]  # by button; each returns what to say afterwards
    form: BaseForm | None = None
    leads_to: str = ""  # the URL of the reader's seat, which opens without signing in

    @property
    def season(self) -> Season | None:
        """Return the season whose rules it shows, if any."""
        return self.subject if isinstance(self.subject, Season) else None

    @property
    def league(self) -> League:
        """Return the league it belongs to."""
        return self.subject.league if isinstance(self.subject, Season) else self.subject
