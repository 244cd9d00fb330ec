"""The pages of the talk, a module for each kind of page."""
