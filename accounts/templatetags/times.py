"""Template filters for times: elements for pages, plain text for emails."""

from __future__ import annotations

from django import template

from accounts import times

register = template.Library()

register.filter("moment", times.moment_element)
register.filter("day", times.day_element)
register.filter("ago", times.ago_element)
register.filter("time_in", times.time_in)
register.filter("city", times.city)
register.filter("moment_with_city", times.moment_with_city)
