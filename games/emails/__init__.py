"""Emails of tables and games, one module per subject; importing them registers their kinds."""

from games.emails import (
    chat_receipts,
    deadlines,
    digest,
    every_move,
    hours,
    invitations,
    notifications,
    receipts,
    reminders,
    table_news,
    turns,
)
