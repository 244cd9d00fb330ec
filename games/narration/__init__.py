"""A game in words: events as sentences, battles as stories, clock and table events. Sees no State."""
