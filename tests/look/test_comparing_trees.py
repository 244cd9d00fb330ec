"""Trees of pages are compared as a reader sees them."""

import pytest

from tests.look.trees import lines_of


def shown(body: str, kind: str = "text/html") -> list[str]:
    return [str(line) for line in lines_of(kind, "", body)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p>One <b>two</b></p>", "<p>\n  One\n  <b>two</b>\n</p>"),
        ("<ul><li>One</li><li>Two</li></ul>", "<ul>\n  <li> One</li>\n\n  <li>Two </li>\n</ul>"),
        ("<div><p>One</p><p>Two</p></div>", "<div>\n<p>One</p> <p>Two</p></div>"),
        ("<p>One<br>two</p>", "<p>One <br> two</p>"),
        ('<a href="/" class="b a">x</a>', '<a class="a  b"\n  href="/">x</a>'),
        ("<p>One</p><!-- a reason -->", "<p>One</p>"),
        ("<p>One <b>two </b>three</p>", "<p>One <b>two </b> three</p>"),
        ('<input name="csrfmiddlewaretoken" value="a">', '<input name="csrfmiddlewaretoken" value="b">'),
        ("<svg><g><path/></g></svg>", "<svg>\n <g>\n  <path/></g></svg>"),
        ('<p><a class="button">One</a> two</p>', '<p><a class="button">\n  One\n</a> two</p>'),
        (
            '<ul class="table-list"><li><a>One</a><b>two</b></li></ul>',
            '<ul class="table-list">\n<li>\n<a> One </a>\n<b>two</b></li></ul>',
        ),
    ],
)
def test_what_nobody_sees_is_no_difference(before: str, after: str) -> None:
    assert shown(before) == shown(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<p>One <b>two</b></p>", "<p>One<b> two</b></p>"),
        ("<p><a>One</a><a>two</a></p>", "<p><a>One</a>\n<a>two</a></p>"),
        (
            "<p><button>One</button><button>two</button></p>",
            "<p><button>One</button> <button>two</button></p>",
        ),
        (
            '<div class="players"><h2>One</h2><p>two</p></div>',
            '<div class="players"><h2>One</h2> <p>two</p></div>',
        ),
        ("<pre>One\n two</pre>", "<pre>One\ntwo</pre>"),
        ('<a href="/">x</a>', '<a href="/me/">x</a>'),
        ("<p>One&nbsp;two</p>", "<p>One two</p>"),
        ("<p>One</p><p>two</p>", "<div>One</div><p>two</p>"),
        ("<p>&lt;b&gt;</p>", "<p><b></b></p>"),
        ("<p>One", "<p>One</p></p>"),
    ],
)
def test_what_somebody_sees_is_a_difference(before: str, after: str) -> None:
    assert shown(before) != shown(after)


def test_texts_are_compared_line_by_line() -> None:
    assert shown("One\n  two", "text/plain") == ["One", "  two"]
