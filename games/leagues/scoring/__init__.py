"""Points, standings, divisions and ratings of a league, computed from what happened at its tables.

Pure: reads neither the database nor the clock. Players are plain numbers.
"""
