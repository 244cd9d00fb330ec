"""How the numbers of rows stand in this site's addresses."""

from django.urls.converters import IntConverter


class RowNumber(IntConverter):
    """A number that a row can have: one of 64 bits. A longer one is no address of this site."""

    regex = "[0-9]{1,18}"
