"""The browsers of tests/browser, for a newcomer."""

from tests.browser.conftest import open_browser

__all__ = ["open_browser"]
