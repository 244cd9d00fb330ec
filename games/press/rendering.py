"""Makes the HTML of a message, once, when it is written: Markdown without HTML, images or headings.

markdown-it writes it and nh3 lets through only what is listed here. Time is bounded by the text's length.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import nh3
from django.utils.html import escape, strip_tags
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from games.press.cleaning import carries_token, is_visible

TAGS = frozenset({"p", "br", "hr", "em", "strong", "a", "ul", "ol", "li", "blockquote", "code", "pre"})
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
SCHEMES = frozenset({"http", "https"})
LINK_REL = "nofollow noopener noreferrer"
DEEPEST = 10  # levels of lists, quotes and emphasis in each other

# "reference" would let one long address stand in a text hundreds of times.
_UNWANTED = ["heading", "lheading", "html_block", "html_inline", "image", "reference"]
_BARE = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]]")


def rendered(text: str) -> str:
    """Safe HTML of a cleaned text. What Markdown would swallow or nest too deeply is shown as typed."""
    tokens = _markdown.parse(text)
    if any(part.level >= DEEPEST for token in tokens for part in (token, *(token.children or ()))):
        return _as_typed(text)
    html = _checked(_markdown.renderer.render(tokens, _markdown.options, {}))
    return html if is_visible(strip_tags(html)) else _as_typed(text)


def _as_typed(text: str) -> str:
    return _checked("<p>" + escape(text).replace("\n", "<br>") + "</p>")


def _checked(html: str) -> str:
    """The last word on what gets through, whatever made the HTML."""
    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=_harmless,
        url_schemes=set(SCHEMES),
        link_rel=LINK_REL,
    )


def _harmless(tag: str, name: str, value: str) -> str | None:
    return None if name == "href" and not _may_be_linked(value) else value


def _may_be_linked(address: str) -> bool:
    """Whole http addresses only, and none that opens somebody's seat."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in SCHEMES and bool(parts.hostname) and not carries_token(address)


def _link_bare_addresses(state: StateCore) -> None:
    """People paste addresses without any marks around them."""
    for block in state.tokens:
        depth, children = 0, list[Token]()
        for token in block.children or ():
            depth += (token.type == "link_open") - (token.type == "link_close")
            children += [token] if depth or token.type != "text" else _split_at_addresses(token)
        if block.type == "inline":
            block.children = children


def _split_at_addresses(text: Token) -> list[Token]:
    pieces, end = list[Token](), 0
    for found in _BARE.finditer(text.content):
        if not _may_be_linked(found[0]):
            continue
        pieces.append(_text(text.content[end : found.start()]))
        pieces.append(Token("link_open", "a", 1, attrs={"href": _markdown.normalizeLink(found[0])}))
        pieces += [_text(found[0]), Token("link_close", "a", -1)]
        end = found.end()
    return [*pieces, _text(text.content[end:])] if pieces else [text]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _parser() -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": DEEPEST + 2}
    markdown = MarkdownIt("commonmark", options).disable(_UNWANTED)
    markdown.validateLink = _may_be_linked  # type: ignore[assignment, method-assign]  # its documented way
    markdown.core.ruler.push("bare_addresses", _link_bare_addresses)
    return markdown


_markdown = _parser()
