"""The use cases of a league, one function each; pages, links, the tick and commands all call these.

Locks are always taken in this order: the season's row, then the rows that belong to it.
After that, through the services of games, a game and its table.
"""
