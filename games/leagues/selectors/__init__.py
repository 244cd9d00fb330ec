"""Read-only queries for a league's pages, files and feeds.

The number of queries doesn't grow with the number of people, rounds or events.
"""
