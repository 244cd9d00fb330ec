"""Check a game's shuffles step by step and explain each check (RECORD.md, "A provable shuffle")."""
