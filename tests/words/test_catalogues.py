"""The catalogues in locale/ hold exactly the messages that are marked, and the site reads them."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import translation
from django.utils.translation import gettext

from games.map.region_names import region_name
from tests import catalogues
from tests.catalogues import LOCALE, ROOT, files

pytestmark = pytest.mark.once
MEND = "Run `python -m tests.catalogues` and commit what it writes in locale/."


def test_the_catalogues_hold_what_is_marked() -> None:
    wanted = files()
    present = {path: path.read_bytes() for path in LOCALE.glob("*/LC_MESSAGES/*")}
    texts = [{path: text.decode(errors="replace") for path, text in f.items()} for f in (present, wanted)]
    changed = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in sorted(present.keys() | wanted.keys())
        if present.get(path) != wanted.get(path)
        for line in list(unified_diff(*(text.get(path, "").splitlines() for text in texts), n=0))[2:20]
    ]
    assert changed == [], MEND


def test_the_site_speaks_the_languages_that_have_a_folder() -> None:
    assert {code for code, _name in settings.LANGUAGES} == {
        translation.to_language(path.parent.name) for path in LOCALE.glob("*/LC_MESSAGES")
    }


def test_no_line_ends_in_the_middle_of_what_belongs_together() -> None:
    """Polish e-mail keeps its letter, Russian ordinals their ending, and no line starts with a dash."""
    with translation.override("pl"):
        assert gettext("Email address") == "Adres e\u2011mail"
        assert gettext("SHA\u2011256 of the secret").startswith("SHA\u2011256")
    with translation.override("ru"):
        assert gettext("1st place").startswith("1\u2011е ")
        assert gettext("You are the Condottiere.") == "Вы\u00a0— Кондотьер."


def test_a_language_begins_and_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    catalogues.main(["pl"])
    path = tmp_path / "pl" / "LC_MESSAGES" / "django.po"
    begun = path.read_text(encoding="utf-8")
    path.write_text(begun.replace('msgid "Roma"\nmsgstr ""', 'msgid "Roma"\nmsgstr "Rzym"'), encoding="utf-8")
    catalogues.main([])
    with override_settings(LOCALE_PATHS=[tmp_path]), translation.override("pl"):
        assert (region_name("roma"), region_name("siena")) == ("Rzym", "Siena")
