"""Addresses of leagues."""

from __future__ import annotations

from django.urls import URLPattern

# What organisers do.
organising: list[URLPattern] = []

urlpatterns = [*organising]
