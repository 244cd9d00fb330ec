"""The page that shows the schema of the interface for programs. The schema's own texts are in English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from condottiere_site import api_requests
from condottiere_site.api import openapi

_REFERENCE = "#/components/schemas/"
_SCOPES = {"ReadToken": "read", "PlayToken": "play", "ChatToken": "chat"}


@dataclass(frozen=True)
class ShownField:
    """One field of a shape, or one parameter of a request."""

    name: str
    kind: str
    shape: str  # the name of the shape it has or holds; empty for plain values
    is_required: bool


@dataclass(frozen=True)
class Shape:
    """What a request or an answer holds."""

    name: str
    description: SafeString
    kind: str  # what it is, if it has no fields
    fields: tuple[ShownField, ...]


@dataclass(frozen=True)
class Operation:
    """One request: its address, who may send it, what it takes, and what it answers."""

    method: str
    path: str
    description: SafeString
    scopes: tuple[str, ...]  # of its token; empty if it needs none
    parameters: tuple[ShownField, ...]  # after the address's question mark
    body: str  # the name of a shape; empty for none
    answer: ShownField
    tag: str


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """Show what programs can ask for."""
    found = sorted(_operations(), key=lambda operation: operation.tag)
    groups = [(tag, list(some)) for tag, some in groupby(found, key=lambda operation: operation.tag)]
    context: dict[str, Any] = {"groups": groups, "shapes": list(_shapes())}
    limits_by_name = {"with_token": api_requests.WITH_TOKEN, "without_token": api_requests.WITHOUT_TOKEN}
    for name, limits in limits_by_name.items():
        context[name] = [number_format(most, force_grouping=True) for most in limits]
    return render(request, "site/api.html", context)


def _operations() -> Iterator[Operation]:
    for path, methods in openapi()["paths"].items():
        for method, described in methods.items():
            needs = [name for names in described["security"] for name in names]
            is_open = {} in described["security"]
            yield Operation(
                method=method.upper(),
                path=path,
                description=_in_html(described["description"]),
                scopes=() if is_open else tuple(_SCOPES[name] for name in needs),
                parameters=tuple(
                    _field(one["name"], one["schema"], is_required=one["required"])
                    for one in described.get("parameters", [])
                    if one["in"] == "query"
                ),
                body=_shape_in(described.get("requestBody", {})),
                answer=_field("", _schema_in(described["responses"].get("200", {})), is_required=True),
                tag=described["tags"][0],
            )


def _shapes() -> Iterator[Shape]:
    for name, described in sorted(openapi()["components"]["schemas"].items()):
        required = described.get("required", ())
        fields = [
            _field(field, schema, is_required=field in required)
            for field, schema in described.get("properties", {}).items()
        ]
        kind = "" if fields else _kind_of(described)
        yield Shape(name, _in_html(described.get("description", "")), kind, tuple(fields))


def _in_html(text: str) -> SafeString:
    """Return a description of the schema, whose words of code are between backticks."""
    pieces = enumerate(text.split("`"))
    marked = (format_html("<code>{}</code>" if number % 2 else "{}", piece) for number, piece in pieces)
    return format_html_join("", "{}", ((piece,) for piece in marked))


def _schema_in(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of a body or an answer; empty for none."""
    return next((one.get("schema", {}) for one in content.get("content", {}).values()), {})


def _shape_in(content: Mapping[str, Any]) -> str:
    return _shape_of(_schema_in(content))


def _field(name: str, schema: Mapping[str, Any], *, is_required: bool) -> ShownField:
    return ShownField(name, _kind_of(schema), _shape_of(schema), is_required)


def _shape_of(schema: Mapping[str, Any]) -> str:
    """Return the name of the first shape in a schema; empty if there is none."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    inner += [schema["items"]] if "items" in schema else []
    return next((shape for one in inner if (shape := _shape_of(one))), "")


def _kind_of(schema: Mapping[str, Any]) -> str:
    """Return what a value is, in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    for together in ("anyOf", "oneOf"):
        if together in schema:
            return " or ".join(dict.fromkeys(_kind_of(one) for one in schema[together]))
    if values := schema.get("enum") or ([schema["const"]] if "const" in schema else []):
        return " or ".join(f'"{value}"' for value in values)
    if "prefixItems" in schema:
        return f"list of {', '.join(_kind_of(one) for one in schema['prefixItems'])}"
    if schema.get("type") == "array":
        return f"list of {_kind_of(schema['items'])}" if schema.get("items") else "list"
    return " ".join([str(schema.get("type", "")), *_limits(schema)]).strip()


def _limits(schema: Mapping[str, Any]) -> list[str]:
    """Return the format and the limits of a plain value."""
    told = [f"({schema['format']})"] if "format" in schema else []
    if "minimum" in schema and "maximum" in schema:
        told.append(f"from {schema['minimum']} to {schema['maximum']}")
    if "maxLength" in schema:
        told.append(f"of at most {schema['maxLength']} characters")
    return told
