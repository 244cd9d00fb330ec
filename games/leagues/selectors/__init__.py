"""What a league's pages, files and feeds tell, read from its rows: each in as many queries however many
people, rounds and events there are. Decides nothing and changes nothing."""
