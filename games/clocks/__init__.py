"""Clocks: time per move, deadlines, pauses, calendars and outages."""
