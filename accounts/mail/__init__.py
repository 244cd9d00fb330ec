"""The outbox: letters queued in the caller's transaction, delivered by tasks; knows no game."""
