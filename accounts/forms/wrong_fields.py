"""What a refused form shows first: its first wrong field, which may be far down the page, has the focus."""

from __future__ import annotations

from typing import Any

from django.forms import Widget
from django.forms.boundfield import BoundField, BoundWidget
from django.forms.renderers import DjangoTemplates
from django.utils.functional import cached_property


class FocusedIfWrong(BoundField):
    """A field with the focus if it is the first wrong one of its form; in a group, the first box has it."""

    def build_widget_attrs(self, attrs: dict[str, Any], widget: Widget | None = None) -> dict[str, Any]:
        """Return the attributes of the field's element."""
        built: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        if self.errors and self.name == _first_wrong(self):
            built["autofocus"] = True
        return built

    @cached_property
    def subwidgets(self) -> list[BoundWidget]:
        """Return the elements of a group, for templates that write out each."""
        found: list[BoundWidget] = super().subwidgets
        _focus_first([one.data for one in found])
        return found


class FormRenderer(DjangoTemplates):
    """Renders forms as Django does, with the first wrong field in focus."""

    bound_field_class = FocusedIfWrong

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> Any:
        """Render a form, a field or a widget."""
        groups = context.get("widget", {}).get("optgroups", ())
        _focus_first([option for _name, options, _index in groups for option in options])
        return super().render(template_name, context, request)


def _first_wrong(field: BoundField) -> str | None:
    return next((one.name for one in field.form.visible_fields() if one.errors), None)


def _focus_first(elements: list[dict[str, Any]]) -> None:
    """Leave the focus to the first of these elements: a page may name one alone."""
    for element in elements[1:]:
        element["attrs"].pop("autofocus", None)
