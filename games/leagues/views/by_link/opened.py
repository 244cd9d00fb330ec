"""What a letter's link opens, as values: the matter in words, and the buttons that act on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest

from accounts.models import User
from games.forms import TakeSeatForm
from games.leagues.models import Season


@dataclass(frozen=True)
class Button:
    """A deed that the page offers."""

    action: str
    label: str
    is_quiet: bool = False


class NothingSaid(Exception):
    """The form that came with a button has to be mended first; it says why."""

    def __init__(self, form: TakeSeatForm) -> None:
        self.form = form
        super().__init__()


@dataclass(frozen=True)
class Opened:
    """What a link opens, told to whom it was sent."""

    season: Season
    owner: User | None
    heading: str
    told: tuple[str, ...]
    buttons: tuple[Button, ...]
    deeds: dict[str, Callable[[HttpRequest], str]]
    form: TakeSeatForm | None = None
