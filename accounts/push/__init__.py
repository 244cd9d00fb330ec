"""Push notifications: queue them in the caller's transaction, send them in a task. Knows no games."""
