"""Simulated people: whole games and seasons by the site's own services, with a clock that jumps."""
