"""What a name looks like: names with a skeleton in common look alike, as in UTS 39."""

import unicodedata
from functools import lru_cache

import regex

from accounts.normal_forms import normalized

# Each line: a letter or digit, then what looks like it. The letters of Unicode's confusables.txt (UTS 39),
# without those that NFKD takes apart and those that `_latin_letter_of` finds. The one package with that file
# has no function for skeletons, and its data do not make "ᴀnna" look like "Anna".
_LOOK_ALIKES = (
    "2ꝚƧϨꙄᒿ",
    "3ꞫȜƷꝪⳌЗӠ𖼻𑣊",
    "4Ꮞ𑢯",
    "5Ƽ𑢻",
    "6ⳒбᏮ𑣕",
    "7𐓒𑣆",
    "8ȣȢ𐌚",
    "9ꝮⳊ𑣌𑢬𑣖",
    "aΑАᎪᗅꓮ𖽀𐊠ɑαа",
    "bꞴΒВᏴᗷꓐ𐊂𐊡𐌁ƄЬᏏᑲᖯь",
    "cⲤСᏟꓚ𐊢𐌂𐐕𐔜ⲥсꮯ𐐽",
    "dᎠᗞᗪꓓԁᏧᑯꓒ",
    "eΕЕⴹᎬꓰ𑢦𑢮𐊆ꬲеҽ",
    "fϜᖴꓝ𑣂𑢢𐊇𐊥𐔥ꬵẝք",
    "gԌᏀᏳꓖɡƍց",
    "hΗⲎНᎻᕼꓧ𐋏һհᏂ",
    "iıɩιіꙇӏꭵᎥ𑣃",
    "jͿЈᎫᒍꓙϳј",
    "kΚⲔКᏦᛕꓗ𐔘κ",
    "lⳐᏞᒪꓡ𖼖𑢣𑢲𐐛𐔦ƖǀΙⲒІӀⵏᛁꓲ𖼨𐊊𐌉I|1",
    "mΜϺⲘМᎷᗰᛖꓟ𐊰𐌑",
    "nΝⲚꓠ𐔓ոռη",
    "oΟⲞОՕⵔ𐓂ꓳ𑢵𐊒𐊫𐐄𐔖ᴑꬽοσⲟоჿօ𐓪𑣈𑣗𐐬0",
    "pΡⲢРᏢᑭꓑ𐊕ρⲣр",
    "qⵕԛգզ",
    "rƦᎡᏒ𐒴ᖇꓣ𖼵ꭇꭈᴦⲅгꮁ",
    "sЅՏᏕᏚꓢ𖼺𐊖𐐠ƽѕꮪ𑣁𐑈",
    "tΤⲦТᎢꓔ𖼊𑢼𐊗𐊱𐌕τ",
    "uՍ𐓎ᑌꓴ𖽂𑢸ꞟʋυս𐓶𑣘",
    "vѴⴸᏙᐯꛟꓦ𖼈𑢠𐔝νѵꮩ𑣀",
    "wԜᎳᏔꓪɯѡԝաꮃ",
    "xꞳΧⲬХⵝᚷꓫ𐊐𐊴𐌗𐔧хᕁᕽχ",
    "yΥⲨУҮᎩᎽꓬ𖽃𑢤𐊲ɣᶌγуүყ𑣜",
    "zΖᏃꓜ𑢩ꮓ𑣄",
    "(([{",
    "))]}",
)
_SEEN_AS = {one: line[0] for line in _LOOK_ALIKES for one in line[1:]}
# such as "LATIN LETTER SMALL CAPITAL A" or "LATIN SMALL LETTER L WITH STROKE"
_LATIN = regex.compile(r"LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL) ([A-Z])(?: WITH .+)?")
_FLAG_LETTER = regex.compile(r"REGIONAL INDICATOR SYMBOL LETTER ([A-Z])")
# Accents, and what no one sees. A kana's voicing marks make another letter of it.
_UNSEEN = regex.compile(r"[\p{Script=Inherited}\p{Cf}\p{DI}--[\u3099\u309A]]", regex.V1)
_PUNCTUATION = regex.compile(r"[\p{P}\p{Z}]")
_SYMBOLS = regex.compile(r"\p{S}")


@lru_cache(maxsize=4096)
def skeletons(name: str) -> frozenset[str]:
    """Return what a name looks like, as written and in capitals; names that share one look alike.

    Case, accents, punctuation and spaces make no difference.
    """
    return frozenset(_PUNCTUATION.sub("", seen) or seen for seen in (seen_as(name), seen_as(name.upper())))


def skeletons_of_words(name: str) -> frozenset[str]:
    """Return what the words of a name look like, without the emoji and other symbols around them."""
    return skeletons(_SYMBOLS.sub(" ", name)) | skeletons(name)


def seen_as(text: str) -> str:
    """Return what a text looks like, with its punctuation; all brackets are round."""
    bare = _UNSEEN.sub("", normalized("NFKD", text))
    return "".join(map(_letter_seen, bare)).casefold().replace("rn", "m").replace("vv", "w").strip()


@lru_cache(maxsize=4096)
def _letter_seen(character: str) -> str:
    return _SEEN_AS.get(character) or _latin_letter_of(character) or character


def _latin_letter_of(character: str) -> str:
    """Return the letter that a Latin one is a form of, by its name in Unicode, or ""."""
    name = unicodedata.name(character, "")
    found = _LATIN.search(name) or _FLAG_LETTER.search(name)
    return found[1] if found and not character.isascii() else ""
