"""English, for readers everywhere."""
