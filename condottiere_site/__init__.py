"""Wiring: settings from the environment, addresses, the Celery application and the entry points.

Nothing here knows a rule of the game or writes an email.
"""
