"""Replies to emails: read, understood, done and answered. Importing it registers who takes them."""

from games.replies import answering, chat_answering
