"""Why a letter did not arrive, in words for its reader."""

import re

from django.utils.translation import gettext as _

from accounts.post.models import Letter

ADDRESS_FAILS = "letters to this address fail"  # how delivery records it; never shown

_ANSWER = re.compile(r"[245]\d\d\b")


def why(letter: Letter) -> str:
    """The reason in one sentence; empty for a letter that arrived, waits, or was not wanted."""
    if letter.state == Letter.State.BOUNCED:
        return _came_back(letter.last_error)
    if letter.state != Letter.State.FAILED:
        return ""
    if letter.last_error == ADDRESS_FAILS:
        return _("It was not sent, for letters to your address fail.")
    if _ANSWER.match(letter.last_error):
        return _("The mail server refused it: %(answer)s") % {"answer": letter.last_error}
    return _("It could not be sent; this site's operator can see why.")


def _came_back(answer: str) -> str:
    if not answer:
        return _("The mail server of your address sent it back.")
    return _("The mail server of your address sent it back: %(answer)s") % {"answer": answer}
