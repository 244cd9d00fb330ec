"""A game in words: events as sentences, battles as stories, what clocks and the table did. Sees no State."""
