"""Outbox: queue emails in the caller's transaction and deliver them in tasks. Knows nothing about games."""
