"""Emails of the chat. Importing this package registers all kinds."""

from games.chat.emails import chat_emails, report_emails
