"""A game as one viewer sees it: values for pages and emails, made of observations and redacted events."""
