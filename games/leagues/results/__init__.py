"""What the stored games of a league say: the facts of its tables, and its standings."""
