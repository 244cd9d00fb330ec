"""Pages without the whitespace by which templates are laid out, for tests that look for markup."""

from __future__ import annotations

import re


def tidy(page: str) -> str:
    """Return a page on one line: no space after an opening tag, before a closing one or at a tag's end."""
    one_line = re.sub(r"\s+", " ", page)
    return re.sub(r"(<\w[^>]*>) ", r"\1", re.sub(r" (?=</|/?>)", "", one_line))
