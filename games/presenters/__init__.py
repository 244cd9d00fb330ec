"""A game as one viewer sees it: values for pages and letters, made of observations and redacted events."""
