"""The HTML of emails has no blank lines and no indentation, which templates leave behind."""
