"""The outbox: emails queued in the caller's transaction, delivered by tasks; knows no game."""
