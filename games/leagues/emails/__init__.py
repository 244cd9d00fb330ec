"""Builds the emails of leagues: what to write, or None where the reason to write is gone."""
