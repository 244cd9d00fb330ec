"""User accounts and how to reach people. Knows nothing about games."""
