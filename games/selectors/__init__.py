"""Selectors for lists and dashboards: pending, running and finished games. Reads stored columns only.

No game is replayed here. No player is named as asked if that is secret (R17).
"""
