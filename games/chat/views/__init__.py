"""Views of the chat, with a module for each kind of page."""
