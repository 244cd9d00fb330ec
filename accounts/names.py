"""Player names: normalize them and refuse unsafe ones.

A name appears next to other names in pages, emails and subjects. It must not be invisible, reverse the text
around it, or overlap other lines.
"""

import re
import secrets
import unicodedata

import idna
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext

from accounts.characters import CODE_POINTS, EMOJI, count
from accounts.look_alikes import seen_as, skeletons_of_words
from accounts.normal_forms import normalized
from accounts.own_name import site_name

LONGEST_NAME = 40
NAME_COLUMN = LONGEST_NAME * CODE_POINTS
_ASCII = 128

# Names the site uses itself; no one may choose them.
# Translators: stands in sentences for a player's name
FORMER_PLAYER = gettext_noop("a former player")
# In words that people wrote, in whatever language, instead of the name of someone who was deleted
NAME_LEFT_OUT = "[…]"
# Translators: the name of someone without an account
GUEST = gettext_noop("Guest")
# Translators: stands in sentences for a player's name, which is hidden
SOMEBODY = gettext_noop("a player")
# Translators: name is a computer player's
BOT = gettext_noop("%(name)s (bot)")
# Translators: the name of the person who runs the site
OPERATOR = gettext_noop("operator")
_GAME = "Condottiere"
_ROUND = str.maketrans("[]{}", "()()")
_NUMBERED = re.compile(r".*\(\s*\d+\s*\)")  # how players with the same name at a table are distinguished

_JOINERS = frozenset("\u200c\u200d")  # needed inside Persian and Indic names
_ZWJ = "\u200d"
_VIRAMA = 9  # a combining class
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")  # letters by category, but invisible
_BLANK_MARKS = frozenset(
    map(chr, (0x034F, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)  # marks by category, but they only select the shape of the character before them
_BLANKS = _BLANK_LETTERS | _BLANK_MARKS
_ANY_EMOJI = "\N{WHITE SMILING FACE}"
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MOST_MARKS = 3


def clean_name(text: str) -> str:
    """Return the name as it is stored for a person.

    Raises ValidationError (one sentence for people) for unreadable names and for names the site uses itself.
    """
    name = readable_name(text)
    if _is_the_sites_own(name):
        message = _(
            "This name could be mistaken for the site, its operator, a bot or another player. Choose another."
        )
        raise ValidationError(message, code="reserved")
    return name


def readable_name(text: str, longest: int = LONGEST_NAME) -> str:
    """Return any name in its normal form: NFC, trimmed, with single spaces.

    Raises ValidationError (one sentence for people) for an empty or too long name.
    Also for control, bidirectional or invisible characters, and for stacked combining marks.
    """
    name = re.sub(r"\s+", " ", normalized("NFC", text)).strip()
    length = count(name)
    if length > longest:  # first, because the checks below read every character
        # Translators: most and count are numbers of characters
        message = ngettext(
            "A name can have at most %(most)d character; this one has %(count)d. Shorten it.",
            "A name can have at most %(most)d characters; this one has %(count)d. Shorten it.",
            longest,
        )
        raise ValidationError(message, code="length", params={"most": longest, "count": length})
    plain = EMOJI.sub(_ANY_EMOJI, name)
    if any(map(_is_refused, EMOJI.sub(_ANY_EMOJI, text))) or _has_needless_joiner(plain):
        raise ValidationError(_("Remove the invisible or control characters."), code="characters")
    if not any(map(_is_visible, plain)):
        raise ValidationError(_("Enter a name that others can see."), code="empty")
    if _has_tower_of_marks(name):
        raise ValidationError(_("One letter has too many accents. Remove some."), code="marks")
    return name


def check_name(name: str) -> None:
    """Raise ValidationError for an unreadable name, as a validator of a column."""
    readable_name(name)


def chosen_for_a_newcomer() -> str:
    """Return a name for a new user that reveals nothing of the email address."""
    return _("Player %(number)d") % {"number": secrets.randbelow(9000) + 1000}


def shown_name(name: str, *, is_deleted: bool) -> str:
    """Return the name that other people see."""
    return _(FORMER_PLAYER) if is_deleted else name


def without_bot(name: str) -> str:
    """Return a bot's shown name without the word that marks it; any other name as it is.

    No one may choose a name that looks like a bot's.
    """
    before, after = _(BOT).split("%(name)s")
    is_bot = name.startswith(before) and name.endswith(after)
    return name.removeprefix(before).removesuffix(after) if is_bot else name


def first_in_sentence(name: str) -> str:
    """Return a shown name for the start of a sentence: only the site's own phrases are capitalized."""
    own = _(FORMER_PLAYER), _(SOMEBODY)
    is_own = name in own or name in [marked_as_bot(one) for one in own]
    return name[:1].upper() + name[1:] if is_own else name


def marked_as_bot(name: str) -> str:
    """Return a bot's name with the mark of all bots."""
    return _(BOT) % {"name": name}


def _is_the_sites_own(name: str) -> bool:
    """Return whether the name equals or resembles one the site uses itself, in any of its languages."""
    return _NUMBERED.fullmatch(_folded(name)) is not None or any(
        _is_the_sites_own_in(language, name) for language, _name in settings.LANGUAGES
    )


def _is_the_sites_own_in(language: str, name: str) -> bool:
    with translation.override(language):
        before, after = (seen_as(part) for part in _(BOT).split("%(name)s"))
        own = (site_name(), _GAME, *map(_, (FORMER_PLAYER, GUEST, SOMEBODY, OPERATOR)))
        seen = seen_as(name)
        looks_like_a_bot = seen.startswith(before) and seen.endswith(after)
        return looks_like_a_bot or any(skeletons_of_words(name) & skeletons_of_words(each) for each in own)


def _folded(text: str) -> str:
    return normalized("NFKC", text).translate(_ROUND).casefold().strip()


def _is_refused(character: str) -> bool:
    return character in _BLANKS or (
        unicodedata.category(character) in _REFUSED_CATEGORIES and character not in _JOINERS
    )


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in _BLANK_LETTERS


def _has_needless_joiner(name: str) -> bool:
    """Return whether a joiner changes nothing that people see, such as one between Latin letters."""
    return any(one in _JOINERS and not _joins(name, place) for place, one in enumerate(name))


def _joins(name: str, place: int) -> bool:
    """Return whether the joiner shapes letters: by the rules for domains, or before an Indic virama."""
    virama_follows = unicodedata.combining(name[place + 1 : place + 2] or " ") == _VIRAMA
    return idna.valid_contextj(name, place) or (name[place] == _ZWJ and virama_follows)


def _has_tower_of_marks(name: str) -> bool:
    marks = 0
    for character in name:
        marks = marks + 1 if unicodedata.category(character)[0] == "M" else 0
        if marks > _MOST_MARKS:
            return True
    return False


def alphabetical(text: str) -> tuple[int, ...]:
    """Return a key that sorts words by the alphabet of the reader's language.

    Signs, and Latin letters in other scripts, sort before its letters. A letter with a mark that it does not
    have sorts as the letter without the mark.
    """
    # Translators: the letters of the language's alphabet, lower case, in its order.
    alphabet = pgettext("alphabet", "abcdefghijklmnopqrstuvwxyz")
    return tuple(_place_in(alphabet, letter) for letter in normalized("NFC", text).casefold())


def _place_in(alphabet: str, letter: str) -> int:
    for form in (letter, normalized("NFD", letter)[0]):
        if form in alphabet:
            return _ASCII + alphabet.index(form)
    return ord(letter) if ord(letter) < _ASCII else _ASCII + len(alphabet) + ord(letter)
