"""`python -m tests.catalogues`: write the catalogues in locale/ from what is marked for translation.

Every language keeps its translations. Those of a message whose English changed are marked fuzzy, and used
again when a translator has looked at them. With a language's code, such as pl or pt_BR, that language begins.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import django.conf
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf.locale import LANG_INFO
from django.utils.translation import to_language, to_locale

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
SOURCE = "en"
# Without dates and versions, so that the same messages give the same file.
HEADER = """msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural_forms}\\n"

"""
ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
_HASH = (r"\bSHA-(?=256\b)", "SHA\u2011")
# Where no line may break: translators type a usual hyphen or space, and pages get one that holds.
UNBROKEN = {
    "pl": [_HASH, (r"\b([Ee])-(?=mail)", "\\1\u2011"), (r" (?=– |…)|(?<=, >) ", "\u00a0")],
    "ru": [_HASH, (r"(?<=\d)-(?=е\b)", "\u2011"), (r" (?=…)|(?<=, >) ", "\u00a0")],
}


def folder_of(language: str) -> Path:
    """Return where a language's two files are."""
    return LOCALE / language / "LC_MESSAGES"


def files(*new: str) -> dict[Path, bytes]:
    """Return each file that should be in locale/, with its content."""
    found = {folder.name for folder in LOCALE.glob("*") if folder.is_dir()}
    return {path: content for code in sorted(found | {SOURCE, *new}) for path, content in _files_of(code)}


def _files_of(language: str) -> Iterator[tuple[Path, bytes]]:
    catalog, text = _updated(language), BytesIO()
    write_po(text, catalog, omit_header=True, include_lineno=False, ignore_obsolete=True)
    header = HEADER.format(language=language, plural_forms=catalog.plural_forms)
    content = header.encode() + text.getvalue()
    yield folder_of(language) / "django.po", content
    yield folder_of(language) / "django.mo", _compiled(content, language)


def _compiled(content: bytes, language: str) -> bytes:
    catalog, compiled = read_po(BytesIO(content), locale=language), BytesIO()
    catalog.creation_date = catalog.revision_date = ALWAYS
    for message in catalog:
        if language == SOURCE and message.id:
            # Django would look for a message that is missing here in the catalogues of all apps, twice.
            message.string = message.id
        one = isinstance(message.string, str)
        texts = [_unbroken(text, language) for text in ([message.string] if one else message.string)]
        message.string = texts[0] if one else texts
    write_mo(compiled, catalog)
    return compiled.getvalue()


def _unbroken(text: str, language: str) -> str:
    for breaks, holds in UNBROKEN.get(language, []):
        text = re.sub(breaks, holds, text)
    return text


def _updated(language: str) -> Catalog:
    """Return the language's translations of what is marked now."""
    path = folder_of(language) / "django.po"
    if language == SOURCE or not path.exists():
        catalog = Catalog(locale=language)
        if language != SOURCE:
            catalog.mime_headers = [("Plural-Forms", _plural_forms(language))]
    else:
        with path.open("rb") as file:
            catalog = read_po(file, locale=language)
    catalog.update(marked())
    return catalog


def _plural_forms(language: str) -> str:
    """Return the plural forms as Django's own catalogue of the language has them, fractions included."""
    path = Path(django.conf.__file__).parent / "locale" / language / "LC_MESSAGES" / "django.mo"
    with path.open("rb") as file:
        return GNUTranslations(file).info()["plural-forms"].removesuffix(";")


def marked() -> Catalog:
    """Return every marked message, by file and line, without its translation."""
    from tests.words.messages import messages

    catalog = Catalog(locale=SOURCE)
    for message in messages():
        place = message.path.relative_to(ROOT).as_posix()
        text = message.texts if len(message.texts) > 1 else message.texts[0]
        meanings = [f"{name}: {meaning}" for name, meaning in message.placeholders.items()]
        comments = [*message.comments, *meanings]
        catalog.add(text, locations=[(place, 0)], auto_comments=comments, context=message.context)
    return catalog


def main(new: list[str]) -> None:
    """Write the files that are missing or out of date, and name them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "condottiere_site.settings")
    if unknown := [code for code in new if to_language(code) not in LANG_INFO]:
        sys.exit(f"Django knows no language {unknown[0]!r}. Give a code such as pl or pt_BR.")
    for path, content in files(*map(to_locale, new)).items():
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"Wrote {path.relative_to(LOCALE.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
