"""What the table itself says in circles, a teller for each kind of message. Reads only."""
