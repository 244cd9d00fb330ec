"""Keep Python from remembering each unknown character set that a request or a message names.

It keeps every name that its own search was asked for, so anyone could fill the memory of a process.
"""

import codecs
import encodings
from encodings.aliases import aliases
from pkgutil import iter_modules

_NAMES = frozenset({*aliases, *(module.name for module in iter_modules(encodings.__path__))})


def forget_unknown_names() -> None:
    """Let Python search only for the character sets that it has."""
    codecs.unregister(encodings.search_function)
    codecs.unregister(_found)
    codecs.register(_found)


def _found(name: str) -> codecs.CodecInfo | None:
    plain = encodings.normalize_encoding(name)
    is_known = plain in _NAMES or plain.replace(".", "_") in _NAMES
    return encodings.search_function(name) if is_known else None
