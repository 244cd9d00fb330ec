"""The views of leagues, with one module for each kind of page."""
