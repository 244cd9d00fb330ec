"""Day before month, and a 24-hour clock, as everywhere on the site: "24 December 2026, 18:00".

Numeric dates are accepted only with the year first, because 3/4 is a day in March or in April.
"""

DATE_FORMAT = "j F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = "j F Y, H:i"
SHORT_DATE_FORMAT = "j M Y"
SHORT_DATETIME_FORMAT = "j M Y, H:i"
DATE_INPUT_FORMATS = ["%Y-%m-%d", "%d %B %Y", "%d %b %Y"]
