"""Builders of league emails; each returns None when the email is no longer relevant."""
