"""A plain visitor of web pages from Python's own library: keeps cookies, follows redirects, reads forms and
presses buttons. Knows nothing of this site but its addresses.
"""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode, urljoin

SECONDS = 20
UNSPOKEN = {"script", "style", "title"}


@dataclass
class Button:
    """Something to press, with what it says and what it sends."""

    name: str
    value: str
    words: str = ""


@dataclass
class Form:
    """A form as the page has it: what it sends unless something is typed, and what can be chosen in it."""

    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)
    # Of lists to choose from and of boxes to tick: all values.
    choices: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[Button] = field(default_factory=list)

    def button(self, words: str = "", value: str = "") -> Button:
        """The one button that says these words or sends this value."""
        found = [
            button
            for button in self.buttons
            if words in button.words and (not value or button.value == value)
        ]
        assert len(found) == 1, f"{len(found)} buttons for {words or value!r} of {self.buttons}"
        return found[0]


@dataclass
class Page:
    """What came back: where from, how, and what is on it."""

    url: str
    status: int
    headers: dict[str, str]
    html: str
    words: str = ""
    links: list[str] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)

    def form(self, sends: str) -> Form:
        """The one form whose address ends like this, or that has a field or a button of this name."""
        found = [
            form for form in self.forms if form.action.split("?")[0].endswith(sends) or self._has(form, sends)
        ]
        assert len(found) == 1, f"{len(found)} forms {sends!r} on {self.url}: {self.words[:2000]}"
        return found[0]

    def has_form(self, sends: str) -> bool:
        return any(form.action.split("?")[0].endswith(sends) or self._has(form, sends) for form in self.forms)

    @staticmethod
    def _has(form: Form, name: str) -> bool:
        return (
            name in form.fields or name in form.choices or any(button.name == name for button in form.buttons)
        )


class _Reader(HTMLParser):
    """Fills a page with what its HTML says."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.form: Form | None = None
        self.pressed: Button | None = None
        self.area = self.select = ""
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        self.silent += tag in UNSPOKEN
        if tag == "a" and "href" in about:
            self.page.links.append(urljoin(self.page.url, about["href"]))
        elif tag == "form":
            action = urljoin(self.page.url, about.get("action") or self.page.url)
            self.form = Form(about.get("method", "get").lower(), action)
            self.page.forms.append(self.form)
        elif self.form is not None:
            self._control(self.form, tag, about)

    def _control(self, form: Form, tag: str, about: dict[str, str]) -> None:
        name, value = about.get("name", ""), about.get("value", "")
        if tag == "button" and about.get("type", "submit") == "submit" and "disabled" not in about:
            self.pressed = Button(name, value)
            form.buttons.append(self.pressed)
        elif tag == "select":
            self.select = name
            form.choices[name] = []
        elif tag == "option" and self.select:
            form.choices[self.select].append(value)
            if "selected" in about or self.select not in form.fields:
                form.fields[self.select] = value
        elif tag == "textarea":
            self.area = name
            form.fields[name] = ""
        elif tag == "input" and about.get("type") in ("checkbox", "radio"):
            value = about.get("value", "on")
            form.choices.setdefault(name, []).append(value)
            if "checked" in about:
                form.fields[name] = value
        elif tag == "input" and name:
            form.fields[name] = value

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in UNSPOKEN
        if tag == "form":
            self.form = None
        elif tag == "button":
            self.pressed = None
        elif tag == "select":
            self.select = ""
        elif tag == "textarea" and self.area and self.form is not None:
            # As browsers do, drop the line break that follows the tag.
            self.form.fields[self.area] = self.form.fields[self.area].removeprefix("\n")
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        self.page.words += f" {data}"
        if self.pressed is not None:
            self.pressed.words = f"{self.pressed.words} {data.strip()}".strip()
        if self.area and self.form is not None:
            self.form.fields[self.area] += data


class Visitor:
    """One browser profile: its cookies, and nothing else that outlives a page."""

    def __init__(self) -> None:
        self.cookies = CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))

    def get(self, url: str) -> Page:
        return self._open(urllib.request.Request(url))

    def press(self, form: Form, button: Button | None = None, **typed: str | list[str]) -> Page:
        """Send a form by a button (the only one, if none is named), with what was typed and chosen."""
        if button is None:
            assert len(form.buttons) == 1, form.buttons
            button = form.buttons[0]
        sent: dict[str, str | list[str]] = {**form.fields, **typed}
        if button.name:
            sent[button.name] = button.value
        data = urlencode(sent, doseq=True)
        if form.method == "get":
            return self.get(f"{form.action.split('?')[0]}?{data}")
        return self._open(urllib.request.Request(form.action, data.encode()))

    def _open(self, request: urllib.request.Request) -> Page:
        try:
            answer = self._opener.open(request, timeout=SECONDS)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            html = answer.read().decode()
            page = Page(
                answer.url or request.full_url, answer.status or 0, dict(answer.headers.items()), html
            )
        _Reader(page).feed(html)
        return page


def page_of(client: Any, path: str) -> Page:
    """The page that Django's own test client gets there, read in the same way."""
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, f"{path}: {answer.status_code}"
    return page_in(answer)


def page_in(answer: Any) -> Page:
    """The page in an answer of Django's own test client."""
    html = answer.content.decode()
    page = Page(answer.request["PATH_INFO"], answer.status_code, dict(answer.headers), html)
    _Reader(page).feed(html)
    return page
