"""Names people are called by at a table: what is cleaned, what is refused.

A name is shown to strangers beside other names, in pages, letters and subjects; it must not be able to
hide, to turn the text around it, or to climb over other lines.
"""

import re
import secrets
import unicodedata

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

LONGEST_NAME = 40

# What the site itself calls somebody; nobody may take such a name.
FORMER_PLAYER = gettext_noop("a former player")
GUEST = gettext_noop("Guest")
SOMEBODY = gettext_noop("a player")  # at a table where nobody knows who is who
BOT = gettext_noop("%(name)s (bot)")
_NUMBERED = re.compile(r".*\(\s*\d+\s*\)")  # namesakes at a table are told apart so

_JOINERS = frozenset("\u200c\u200d")  # needed inside Persian and Indic names and in emoji
_BLANK_LETTERS = frozenset(
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800"
)  # letters by category, empty to the eye
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MOST_MARKS = 3


def clean_name(text: str) -> str:
    """The name as a person's is stored. Raises ValidationError (one sentence for people) for what cannot be
    read, and for what the site itself calls somebody."""
    name = readable_name(text)
    if _is_the_sites_own(name):
        message = _(
            "The site itself calls bots, guests, former players or namesakes so. Please choose another."
        )
        raise ValidationError(message, code="reserved")
    return name


def readable_name(text: str, longest: int = LONGEST_NAME) -> str:
    """Any name in one form: NFC, trimmed, inner white space made single spaces.

    Raises ValidationError (one sentence for people) for an empty or too long name, for control, bidirectional
    or invisible characters, and for towers of combining marks.
    """
    if any(map(_is_refused, text)):
        raise ValidationError(_("A name cannot contain invisible or control characters."), code="characters")
    name = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    if not any(map(_is_visible, name)):
        raise ValidationError(_("Please give a name that can be seen."), code="empty")
    if len(name) > longest:
        message = _("A name has at most %(most)d characters; this one has %(count)d.")
        raise ValidationError(message, code="length", params={"most": longest, "count": len(name)})
    if _has_tower_of_marks(name):
        raise ValidationError(_("A name cannot pile up so many accents on one letter."), code="marks")
    return name


def chosen_for_a_newcomer() -> str:
    """A name for someone who has not said one; it must betray nothing of the e-mail address."""
    return _("Player %(number)d") % {"number": secrets.randbelow(9000) + 1000}


def shown_name(name: str, *, is_deleted: bool) -> str:
    """What other people may see of a person."""
    return _(FORMER_PLAYER) if is_deleted else name


def first_in_sentence(name: str) -> str:
    """A shown name as a sentence begins with it: the site's own phrases get a capital, names stay."""
    return name[:1].upper() + name[1:] if name in (_(FORMER_PLAYER), _(SOMEBODY)) else name


def _is_the_sites_own(name: str) -> bool:
    """Whether the site calls somebody so in one of its languages; joiners and width make no difference."""
    seen = _folded("".join(character for character in name if character not in _JOINERS))
    return _NUMBERED.fullmatch(seen) is not None or any(
        _is_the_sites_own_in(language, seen) for language, _name in settings.LANGUAGES
    )


def _is_the_sites_own_in(language: str, seen: str) -> bool:
    with translation.override(language):
        before, after = _folded(_(BOT)).split("%(name)s")
        return seen in {_folded(_(own)) for own in (FORMER_PLAYER, GUEST, SOMEBODY)} or (
            seen.startswith(before.strip()) and seen.endswith(after.strip())
        )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _is_refused(character: str) -> bool:
    return character in _BLANK_LETTERS or (
        unicodedata.category(character) in _REFUSED_CATEGORIES and character not in _JOINERS
    )


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in _BLANK_LETTERS


def _has_tower_of_marks(name: str) -> bool:
    marks = 0
    for character in name:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks > _MOST_MARKS:
            return True
    return False
