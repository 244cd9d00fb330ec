"""What the site itself says in a channel, a module for each kind of message."""
