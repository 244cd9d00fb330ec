"""A message's text: what is taken out of it, and the HTML that is made of it once."""
