"""The pages of the chat, a module for each kind of page."""
