"""Renders Markdown without HTML, images, headings or rules.

markdown-it writes the HTML, and nh3 allows only what is listed here. No typed text is lost. Time is
bounded by the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from django.conf import settings
from django.utils import translation
from django.utils.html import escape, strip_tags
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from accounts.token_links import carries_token
from games.chat.text_cleaning import is_visible
from games.map.region_names import region_name
from games.narration.vocabulary import CARD_NAMES
from games.rules import REGIONS

TAGS = frozenset({"p", "br", "em", "strong", "a", "ul", "ol", "li", "blockquote", "code", "pre", "span"})
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
CARD_WORD, REGION_WORD = "card-word", "region-word"
SCHEMES = frozenset({"http", "https"})
LINK_REL = "nofollow noopener noreferrer"
DEEPEST = 10  # levels of nested lists, quotes and emphasis

# "reference" would let a text repeat one long address hundreds of times. A rule could pass for the frame of a
# system message. An entity is shown as it was typed.
_UNWANTED = ["heading", "lheading", "hr", "html_block", "html_inline", "image", "reference", "entity"]
_BARE = re.compile(r"https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]]")
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")  # after normalization; anything else is not a host


def rendered(text: str) -> str:
    """Return safe HTML of a cleaned text.

    Text that Markdown would drop or nest too deeply is shown as typed.
    """
    tokens = _markdown.parse(text)
    if any(_is_too_deep(token) for token in tokens):
        return _as_typed(text)
    html = _checked(_markdown.renderer.render(tokens, _markdown.options, {}))
    is_whole = is_visible(strip_tags(html)) and "<a rel" not in html  # a link that lost its address
    return html if is_whole else _as_typed(text)


def _is_too_deep(token: Token) -> bool:
    """Return whether nesting is too deep, or a link contains another, which HTML does not allow."""
    parts, links = token.children or (), 0
    for part in parts:
        links += (part.type == "link_open") - (part.type == "link_close")
        if links > 1:
            return True
    return any(part.level >= DEEPEST for part in (token, *parts))


def _as_typed(text: str) -> str:
    return _checked("<p>" + escape(text).replace("\n", "<br>") + "</p>")


def _checked(html: str) -> str:
    """Return the HTML with everything removed that is not allowed, whatever made it."""
    return nh3.clean(
        html,
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=_harmless,
        url_schemes=set(SCHEMES),
        tag_attribute_values={"span": {"class": {CARD_WORD, REGION_WORD}}},
        link_rel=LINK_REL,
    )


def _harmless(tag: str, name: str, value: str) -> str | None:
    return None if name == "href" and not _may_be_linked(value) else value


def _may_be_linked(address: str) -> bool:
    """Return whether an address may be a link: a complete http address that opens no one's seat."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    host = _HOST.fullmatch(parts.hostname or "")
    return parts.scheme in SCHEMES and host is not None and not carries_token(address)


def _show_hidden_text(state: StateCore) -> None:
    """Show text that Markdown would hide.

    This is the info string of a fence, a link's title, and the address of a link without text.
    """
    for block in state.tokens:
        if block.type == "fence" and block.info:
            block.content, block.info = f"{block.info}\n{block.content}", ""
        if block.children:
            block.children = _with_whole_links(block.children)


def _with_whole_links(children: list[Token]) -> list[Token]:
    shown, link, inside = list[Token](), None, 0
    for token in children:
        if token.type == "link_open":
            link, inside = token, len(shown) + 1
        elif token.type == "link_close" and link is not None:
            shown.append(_text(_hidden_parts(link, shown[inside:])))
        shown.append(token)
    return shown


def _hidden_parts(link: Token, words: list[Token]) -> str:
    """Return the parts of a link that its visible text leaves out."""
    title = str(link.attrs.pop("title", ""))
    said = "" if any(is_visible(token.content) for token in words) else str(link.attrs.get("href", ""))
    return said + (f" ({title})" if title else "")


def _link_bare_addresses(state: StateCore) -> None:
    """Make links of bare addresses, as people paste them."""
    _in_plain_text(state, _split_at_addresses)


def _mark_names(state: StateCore) -> None:
    """Mark the names of cards and regions, except in links and code."""
    _in_plain_text(state, _split_at_names)


def _in_plain_text(state: StateCore, split: Callable[[Token], list[Token]]) -> None:
    for block in state.tokens:
        depth, children = 0, list[Token]()
        for token in block.children or ():
            depth += (token.type == "link_open") - (token.type == "link_close")
            children += [token] if depth or token.type != "text" else split(token)
        if block.type == "inline":
            block.children = children


def _split_at_addresses(text: Token) -> list[Token]:
    pieces, end = list[Token](), 0
    for found in _BARE.finditer(text.content):
        address = _markdown.normalizeLink(found[0])
        if not _may_be_linked(address):
            continue
        pieces.append(_text(text.content[end : found.start()]))
        pieces.append(Token("link_open", "a", 1, attrs={"href": address}))
        pieces += [_text(found[0]), Token("link_close", "a", -1)]
        end = found.end()
    return [*pieces, _text(text.content[end:])] if pieces else [text]


def _split_at_names(text: Token) -> list[Token]:
    pieces, end, classes = list[Token](), 0, _classes_of_names()
    for found in _names().finditer(text.content):
        pieces.append(_text(text.content[end : found.start()]))
        pieces.append(Token("name_open", "span", 1, attrs={"class": classes[found[0]]}))
        pieces += [_text(found[0]), Token("name_close", "span", -1)]
        end = found.end()
    return [*pieces, _text(text.content[end:])] if pieces else [text]


@lru_cache(maxsize=1)
def _classes_of_names() -> dict[str, str]:
    """Return the CSS classes of card and region names, as printed, in every language of the site."""
    classes = dict[str, str]()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            classes |= {region_name(region): REGION_WORD for region in REGIONS}
            classes |= {str(name): CARD_WORD for name in CARD_NAMES.values()}
    return classes


@lru_cache(maxsize=1)
def _names() -> re.Pattern[str]:
    """Return a pattern for names as whole words, with their capitals.

    In "winter may come", winter is not a card.
    """
    names = sorted(_classes_of_names(), key=len, reverse=True)
    return re.compile(rf"(?<![\w@])(?:{'|'.join(map(re.escape, names))})(?!\w)")


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _parser() -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": DEEPEST + 2}
    markdown = MarkdownIt("commonmark", options).disable(_UNWANTED)
    markdown.validateLink = _may_be_linked  # type: ignore[assignment, method-assign]  # its documented way
    markdown.normalizeLinkText = str  # type: ignore[assignment, method-assign]  # shown as it was typed
    for rule in (_show_hidden_text, _link_bare_addresses, _mark_names):
        markdown.core.ruler.push(rule.__name__, rule)
    return markdown


_markdown = _parser()
