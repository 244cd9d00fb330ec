"""The template filter for email addresses as people read them."""

from __future__ import annotations

from django import template

from accounts.addresses import readable_address

register = template.Library()

register.filter("readable_address", readable_address)
