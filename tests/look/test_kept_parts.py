"""Parts of pages that are kept: equal values show the same part, made once, and nothing else does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.template import Context, Template, engines
from django.utils import timezone, translation
from django.utils.safestring import SafeString

from condottiere_site import kept

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
KEPT = re.compile(r"{%\s*kept(?:_each)?\s+(\S+)")
INCLUDED = re.compile(r"{%\s*include\s+(\S+)")
CHOSEN = {"line.said.part": "press/_said_*.html"}  # included by a value: one of these
TEXT = re.compile(r'"[^"]*"')
IN_TAGS = re.compile(r"{%(?!\s*comment).*?%}|{{.*?}}", re.DOTALL)
OF_ONE_VISIT = re.compile(r"\b(csrf_token|request|user|messages|perms)\b(?!\s*=)")

PARTS = {
    "value.html": "{{ value }}",
    "row.html": "<li>{{ row.name }} {{ row.n }}</li>",
    "page.html": "{{ value }}{{ secret }}",
    "moment.html": "{{ value|date:'H:i' }}",
}


class Row(NamedTuple):
    name: str
    n: int


class Other(NamedTuple):
    name: str
    n: int


class Large:
    """Is told from others by its number alone."""

    def __init__(self, number: int) -> None:
        self.kept_by = number
        self.words = ["a", "list", "cannot", "be", "compared"]

    def __str__(self) -> str:
        return f"number {self.kept_by}"


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The parts that were rendered, in that order, instead of the site's own."""
    found: list[str] = []

    class Counted:
        def __init__(self, name: str) -> None:
            self.name = name

        def render(self, values: dict[str, Any]) -> str:
            found.append(self.name)
            return engines["django"].from_string(PARTS[self.name]).render(values)

    monkeypatch.setattr(kept, "get_template", Counted)
    kept.forget()
    yield found
    kept.forget()


def shown(source: str, **context: object) -> str:
    return Template("{% load kept %}" + source).render(Context(context))


def part(value: object) -> str:
    return shown('{% kept "value.html" value=value %}', value=value)


def test_equal_values_show_the_part_that_was_made_once(made: list[str]) -> None:
    assert [part(Row("Anna", 1)), part(Row("Anna", 1))] == [part(Row("Anna", 1))] * 2
    assert made == ["value.html"]


def test_other_values_show_another(made: list[str]) -> None:
    assert [part("Anna"), part("Bruno"), part("Anna")] == ["Anna", "Bruno", "Anna"]
    assert made == ["value.html"] * 2


def test_values_that_are_equal_but_not_the_same_are_told_apart() -> None:
    assert [part(1), part(True), part(1.0)] == ["1", "True", "1.0"]
    assert part("<b>") == "&lt;b&gt;"
    assert part(SafeString("<b>")) == "<b>"
    assert part("<b>") == "&lt;b&gt;"


def test_rows_of_two_kinds_are_told_apart(made: list[str]) -> None:
    for kind in (Row, Other):
        shown('{% kept_each "row.html" rows %}', rows=[kind("Anna", 1)])
    assert len(made) == 2


def test_a_list_keeps_each_of_its_rows(made: list[str]) -> None:
    list_of = '{% kept_each "row.html" rows %}'
    assert shown(list_of, rows=[Row("Anna", 1), Row("<b>", 2)]) == "<li>Anna 1</li><li>&lt;b&gt; 2</li>"
    assert shown(list_of, rows=[Row("<b>", 2), Row("Anna", 3)]) == "<li>&lt;b&gt; 2</li><li>Anna 3</li>"
    assert len(made) == 3


def test_what_says_by_what_it_is_told_apart_is_kept_by_that(made: list[str]) -> None:
    assert [part(Large(1)), part(Large(2)), part(Large(1))] == ["number 1", "number 2", "number 1"]
    assert len(made) == 2


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(TypeError):
        part(["a list"])


def test_a_part_sees_nothing_of_its_page() -> None:
    page = '{% kept "page.html" value="seen" %}'
    assert shown(page, secret="a hand", value="another") == "seen"


def test_language_and_time_zone_make_a_difference(made: list[str]) -> None:
    noon = datetime(2026, 1, 6, 12, tzinfo=UTC)
    moment = '{% kept "moment.html" value=noon %}'
    with timezone.override("Europe/Rome"):
        assert shown(moment, noon=noon) == "13:00"
    with timezone.override("Asia/Tokyo"):
        assert shown(moment, noon=noon) == "21:00"
        with translation.override("de"):
            shown(moment, noon=noon)
            shown(moment, noon=noon)
    assert len(made) == 3


def test_no_more_than_so_many_are_kept(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 3)
    for number in range(5):
        part(number)
    assert len(kept._parts) == 3
    part(4)
    assert len(made) == 5
    part(0)
    assert len(made) == 6


def test_a_template_that_is_being_written_is_never_kept(made: list[str], settings: Any) -> None:
    settings.DEBUG = True
    part(1)
    part(1)
    assert len(made) == 2


def kept_parts() -> set[str]:
    """Every template that some page keeps, as it is named."""
    return {name for path in TEMPLATES.rglob("*.html") for name in KEPT.findall(path.read_text())}


def with_includes(name: str) -> set[str]:
    """This template and all that it shows inside itself."""
    found, ahead = set[str](), [name]
    while ahead:
        one = ahead.pop()
        if one in CHOSEN:
            ahead += [f'"{path.relative_to(TEMPLATES)}"' for path in TEMPLATES.glob(CHOSEN[one])]
            continue
        assert one.startswith('"'), f"{name} shows {one}, which cannot be looked into"
        if one not in found:
            found.add(one)
            ahead += INCLUDED.findall(text_of(one))
    return found


def text_of(name: str) -> str:
    return (TEMPLATES / name.strip('"')).read_text()


def of_one_visit(text: str) -> list[str]:
    """What belongs to one reader's visit, in what a template computes."""
    return [word for tag in IN_TAGS.findall(text) for word in OF_ONE_VISIT.findall(TEXT.sub("", tag))]


def test_no_part_that_is_kept_knows_of_the_visit() -> None:
    """Else somebody would be shown another's form, or his name."""
    parts = kept_parts()
    assert len(parts) > 15
    found = [
        f"{part}: {word} in {name}"
        for part in sorted(parts)
        for name in sorted(with_includes(part))
        for word in of_one_visit(text_of(name))
    ]
    if found:
        pytest.fail("\n".join(found), pytrace=False)


@pytest.mark.parametrize(
    "text", ["<form>{% csrf_token %}</form>", "{% if user.is_staff %}x{% endif %}", "{{ request.path }}"]
)
def test_a_part_that_knows_of_the_visit_would_be_noticed(text: str) -> None:
    assert of_one_visit(text)
