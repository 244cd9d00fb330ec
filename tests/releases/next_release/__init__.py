"""What a later release adds, for tests: an app with a table, and rows that a migration writes."""
