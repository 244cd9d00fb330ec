"""Why a command was not carried out, in words for the person who asked."""


class Refused(Exception):
    """Nothing was changed. The message is a translated sentence that may be shown."""
