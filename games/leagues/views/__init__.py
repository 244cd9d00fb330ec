"""The pages of leagues, a module for each kind of page."""
