"""The use cases of a league, one verb each. Every door (page, link, tick, command) goes through these.

Locks are taken in one order: the season's row, then what belongs to it, then, through the commands of games,
a game and its table.
"""
