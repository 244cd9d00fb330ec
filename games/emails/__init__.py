"""Emails of tables and games, one module per subject; settings name the builder of each kind."""
