"""Time per move: pace, deadlines, pauses, calendars and outages."""
