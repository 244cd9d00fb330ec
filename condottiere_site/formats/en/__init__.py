"""English formats for readers in every country."""
