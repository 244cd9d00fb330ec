"""Who people are and how they are reached; knows no game."""
