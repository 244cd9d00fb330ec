"""Forms of the chat."""
