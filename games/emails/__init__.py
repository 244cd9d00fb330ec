"""Emails of tables and games, one module per subject; importing them registers their kinds."""

from games.emails import deadlines, digest, invitations, notifications, turns

__all__ = ["deadlines", "digest", "invitations", "notifications", "turns"]
