"""Date and time formats by language, where they differ from Django's."""
