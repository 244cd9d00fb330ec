"""Faults on real processes: PostgreSQL, Redis, a mail server, workers, beat and web, killed and stopped.

`python -m tests.faults` prints what became of every email and move; test_*.py has the same in small counts.
"""
