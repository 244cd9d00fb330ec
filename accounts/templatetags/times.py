"""Template filters for times: elements for pages, plain text for emails."""

from __future__ import annotations

from django import template

from accounts import durations, time_elements, times

register = template.Library()

register.filter("moment", time_elements.moment_element)
register.filter("day", time_elements.day_element)
register.filter("ago", time_elements.ago_element)
register.filter("time_in", durations.time_in)
register.filter("city", times.city)
register.filter("moment_with_city", times.moment_with_city)
register.filter("time_of_day", times.time_of_day)
