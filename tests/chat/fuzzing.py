"""Malicious and random texts, and what must hold for their rendering.

`python -m tests.chat.fuzzing --inputs 100000` types so many, and says what it did and found.
"""

from __future__ import annotations

import argparse
import html as entities
import random
import re
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from tests.work import calls_of

TOKEN = "WzEsMiwzXQ:1xUMyq:f4nVlUwx0uAi85sc8T4qX5jx22gbhACcOnsJ8HquLLw"
DOORS = (
    "accounts/login/for",
    "answer",
    "api/v1/join",
    "api/v1/watch",
    "calendar",
    "chronicle",
    "deal",
    "invitation",
    "join",
    "leagues/by-link",
    "leagues/calendar",
    "leagues/feed",
    "leagues/join",
    "live",
    "operator/sign-in",
    "mail/undo",
    "mail/unsubscribe",
    "practice",
    "push/shown",
    "seat",
    "chat",
    "watch",
)
OWN_HOSTS = ("testserver", "localhost", "127.0.0.1")
REL = "nofollow noopener noreferrer"
NAME_CLASSES = {"card-word", "region-word"}
DEEPEST_TREE = 25
LONGEST_HTML = 20 * 4000
SECONDS = 0.75  # of the processor, for the longest text; it takes a tenth
MOST_CALLS = 10_000_000  # about as long

INLINE = {"em", "strong", "a", "code", "span", "br"}
FLOW = {"p", "ul", "ol", "blockquote", "pre"}
MAY_HOLD: dict[str, set[str]] = {
    "": FLOW,
    "p": INLINE,
    "em": INLINE,
    "strong": INLINE,
    "a": INLINE - {"a", "span"},
    "span": set(),
    "code": set(),
    "pre": {"code"},
    "ul": {"li"},
    "ol": {"li"},
    "li": FLOW | INLINE,
    "blockquote": FLOW,
}
HOLDS_NO_TEXT = {"", "ul", "ol", "blockquote"}
UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufff8\ud800-\udfff"
    "\ue000-\uf8ff\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)


class Finding(AssertionError):
    """Something forbidden is shown, or something is lost."""


def require(holds: object, what: str) -> None:
    if not holds:
        raise Finding(what)


class Tree(HTMLParser):
    """The parsed tree. Fails at the first thing in it that is not on the list, or that an HTML parser would
    move elsewhere."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.links: list[str] = []
        self.said: list[str] = []  # text and addresses, in order
        self.deepest = 0
        self.address, self.since = "", 0
        self.feed(html)
        self.close()
        require(not self.open, f"left open: {self.open}")

    @property
    def inside(self) -> str:
        return self.open[-1] if self.open else ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        require(tag in MAY_HOLD[self.inside], f"<{tag}> in <{self.inside}>")
        require(tag != "a" or "a" not in self.open, "a link in a link")
        given = dict(attrs)
        require(len(given) == len(attrs), f"an attribute twice: {attrs}")
        getattr(self, f"_check_{tag}", self._check_nothing)(given)
        require(not given, f"<{tag}> has {given}")
        if tag in FLOW | {"br", "li"}:
            self.text.append("\n")
        if tag != "br":
            self.open.append(tag)
            self.deepest = max(self.deepest, len(self.open))

    def _check_nothing(self, given: dict[str, str | None]) -> None:
        """No attributes are removed, so none may be present."""

    def _check_a(self, given: dict[str, str | None]) -> None:
        require(given.pop("rel", None) == REL, "a link that vouches")
        self.address, self.since = "", len(self.said)
        if "href" in given:
            self._check_address(given.pop("href") or "")

    def _check_ol(self, given: dict[str, str | None]) -> None:
        require(re.fullmatch(r"\d{1,9}", given.pop("start", "1") or ""), "a list starts nowhere")

    def _check_span(self, given: dict[str, str | None]) -> None:
        require(given.pop("class", None) in NAME_CLASSES, "a span of another class")

    def _check_address(self, address: str) -> None:
        parts = urlsplit(address)
        require(parts.scheme in ("http", "https") and parts.hostname, f"a link to {address}")
        require(not shows_token(address), f"a personal link: {address}")
        self.links.append(address)
        self.address = address

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise Finding(f"<{tag}/>")

    def handle_endtag(self, tag: str) -> None:
        require(self.inside == tag, f"</{tag}> in <{self.inside}>")
        self.open.pop()
        if tag == "a":
            self._say_link()

    def _say_link(self) -> None:
        """The address was typed after the words, with its title after it; or the words are the address."""
        address, words = self.address, self.said[self.since :]
        self.said += [address, unquote(address), unquote(_unpunycoded(address)), *words]
        self.address = ""

    def handle_data(self, data: str) -> None:
        require(self.inside not in HOLDS_NO_TEXT or not data.strip(), f"text in <{self.inside}>: {data!r}")
        self.text.append(data)
        self.said.append(data)

    def handle_comment(self, data: str) -> None:
        raise Finding(f"a comment: {data}")

    def handle_decl(self, decl: str) -> None:
        raise Finding(f"a declaration: {decl}")

    def handle_pi(self, data: str) -> None:
        raise Finding(f"an instruction: {data}")

    def unknown_decl(self, data: str) -> None:
        raise Finding(f"a declaration: {data}")


def _unpunycoded(address: str) -> str:
    """Return the address with its host as it may have been typed."""
    host = urlsplit(address).hostname or ""
    return address.replace(host, ".".join(map(_label, host.split("."))), 1)


def _label(part: str) -> str:
    try:
        return part[4:].encode().decode("punycode") if part.startswith("xn--") else part
    except UnicodeError:
        return ""


_DOOR = re.compile(
    rf"(?:{'|'.join(map(re.escape, OWN_HOSTS))})\.?(?::\d*)?/+(?:{'|'.join(DOORS)})/+{TOKEN[:12]}", re.I
)


def shows_token(text: str) -> bool:
    """Return whether reading it, or copying it into a browser, leads to someone's seat."""
    text = re.sub(r"""[*_`~<>()\[\]{}"'|^\\]""", "", text)
    for _layer in range(2):
        text = unquote(entities.unescape(text))
    return _DOOR.search(unicodedata.normalize("NFKC", text)) is not None


def emails(text: str) -> str:
    """Return the characters that must survive, with accents apart because they may be composed."""
    return "".join(
        c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] == "L"
    ).casefold()


def require_whole(text: str, tree: Tree) -> None:
    """Check that every character of the text is in the tree, in order; addresses count at their words."""
    source = re.sub(r"&#?\w{1,40};", "", text)  # within an address it is what it stands for
    wanted, said = emails(source), iter(emails("".join(tree.said)))
    for place, email in enumerate(wanted):
        if email not in said:  # goes on from where the last was found
            raise Finding(f"swallowed: {wanted[place : place + 20]!r}")


@dataclass
class Shown:
    """The result of one text."""

    text: str | None  # as it is stored; None: refused with a sentence
    html: str = ""
    tree: Tree | None = None
    seconds: float = 0.0


def check(typed: str) -> Shown:
    """Type it into the form and render it as sending would. Raises Finding."""
    shown = _shown(typed)
    if shown.seconds >= SECONDS:  # the text may be slow, or the machine busy: the calls tell
        calls = calls_of(lambda: _shown(typed))
        require(calls < MOST_CALLS, f"took {calls:,} calls and {shown.seconds:.2f} seconds")
    if shown.text is not None:
        shown.tree = _checked_tree(typed, shown.text, shown.html)
    return shown


def _shown(typed: str) -> Shown:
    from django.core.exceptions import ValidationError

    from games.chat.forms.message_forms import MessageField
    from games.chat.text import rendered

    started = time.process_time()
    try:
        text = MessageField("").clean(typed)
        html = rendered(text)
    except ValidationError as refused:
        require(refused.messages and all(refused.messages), "refused without a sentence")
        text, html = None, ""
    return Shown(text, html, seconds=time.process_time() - started)


def _checked_tree(typed: str, text: str, html: str) -> Tree:
    require(len(html) <= LONGEST_HTML, f"{len(html)} characters of HTML")
    hidden = UNSEEN.search(html)
    require(hidden is None, f"an invisible character: {hidden and hidden[0]!r}")
    tree = Tree(html)
    require(tree.deepest <= DEEPEST_TREE, f"{tree.deepest} elements in each other")
    require(any(not piece.isspace() for piece in tree.text), "nothing to be seen")
    if "(link removed)" not in text:
        require(emails(typed) == emails(text), "cleaning swallowed emails")
    require_whole(text, tree)
    for piece in "".join(tree.text).split():
        require(not shows_token(piece), f"a personal link: {piece}")
    return tree


DANGEROUS = [
    *"*_`~[]()<>!#&\\\"'=:;/-+.|{}^$@ \n\t\r\0", "**", "__", "***", "``", "```", "````", "~~~", "\n\n",
    "\n    ", "  \n", "\\\n", "\r\n", "http://a.example/x", "https://", "http://[",
    "https://b.example/?q=%3Cscript%3E", "http://ü.example/é", "http://xn--e1afmkfd.example/",
    "HTTP://A.EXAMPLE", "//evil.example/x", "mailto:a@b.example", "ftp://a.example/", "javascript:alert(1)",
    "JaVaScRiPt:", "java\nscript:", "&#x6a;avascript:", "javascript&colon;", "\x01javascript:",
    "data:text/html;base64,PHNjcmlwdD4=", "vbscript:x", "blob:x", "file:///etc/passwd", "about:blank", "](",
    "![", "[a](", "[a]: http://b.example 'title'", "[a][b]", "[^1]", "[x](<", ">)", ' "title words")',
    "<http://a.example/>", "<javascript:alert(1)>", "<a@b.example>", "<script>", "</script>", "<style>",
    "</p>", "</div></li></ol>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<math><mtext>",
    "<iframe src=//x>", "<a href=x>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "<!DOCTYPE html>",
    "<plaintext>", "<template>", "<form>", "<input autofocus>", "<base href=//x>",
    "<meta http-equiv=refresh>", "<span class=card-word>", "style=x", "onclick=alert(1)",
    'class="system-message"', "&lt;script&gt;", "&#60;", "&amp;", "&nbsp;", "&NotANameAtAll;", "&#0;",
    "&#x110000;", "> ", ">>>> ", "- ", "* ", "+ ", "1. ", "999999999) ", "0. ", "# ",
    "## The site confirms", "=====", "-----", "***\n", "___\n", "| a | b |\n|---|---|", "    code",
    "- [ ] ", "\u202e", "\u2066", "\u2069", "\u200f", "\u200b", "\u200c", "\u200d", "\u2028", "\u2029",
    "\x85", "\x1b[31m", "\x07", "\u0301", "\u0301" * 9, "\u0489", "\ufeff", "\u00ad", "\u3164", "\u2800",
    "\ufffe", "\ufdd0", "\U000e0041", "\ue000", "\ud800", "\u20dd", "é", "漢", "🂡", "👩\u200d🎨", "שלום",
    "مرحبا", "Ａ", "ﬁ", "ß", "İ", "Winter", "Siena", "Sienas", "winter", "Heroine",
    "The site confirms shown cards: held in the hand", "Roma-Napoli",
]  # fmt: skip
PERSONAL = [
    f"http://testserver/answer/{TOKEN}/", f"/seat/{TOKEN}", f"https://TESTSERVER:8000/join/{TOKEN}",
    f"//testserver/watch/{TOKEN}", f"http://user@testserver/chat/{TOKEN}/",
    f"http://testserver/**live**/{TOKEN}", f"http://testserver/%61nswer/{TOKEN}",
    f"http://ｔｅｓｔｓｅｒｖｅｒ/practice/{TOKEN}", f"http://testserver&#47;calendar&#x2f;{TOKEN}",
    f"http://testserver/x/../answer/{TOKEN}", f"http://127.0.0.1:8000/operator/sign-in/{TOKEN}/",
    f"http://x.example/?u=http%3A%2F%2Ftestserver%2Fseat%2F{TOKEN}", "http://testserver/",
    f"http://testserver/leagues/by-link/{TOKEN}/", f"http://testserver/leagues%2Fjoin/{TOKEN}",
    f"http://testserver/leagues/x/../feed/{TOKEN}.atom", f"testserver/leagues/calendar/{TOKEN}.ics",
    "testserver/answer/", TOKEN, "answer/", "%2F", "http://testserver/games/12/",
]  # fmt: skip
CORPUS = [
    """\
Shall we begin on **Sunday**? I hold *Winter*, and you?

- Siena is yours
- Roma is mine
  1. for now
  2. and later
""",
    """\
> You said
>
> > and I said
> >
> > > and he said

No. See [the rules](http://rules.example/r "ruling 24") or <http://a.example/b?c=d>.""",
    """\
Play `10` first:

```text of it
play 10
play drummer
```

then http://b.example/x_y_z?p=1. And __never__ *ever* again!""",
    "The site confirms shown cards: Bruno held **Winter** at step 57.\n\n---\n\n# The table\n\n===\n",
    "Ciao a tutti — «prendo Firenze», poi l'*Ancona*… 5 < 6 & 7 > 3 \\* \\_ \\` 100%",
]


def _of_fragments(chance: random.Random) -> str:
    return "".join(chance.choices(DANGEROUS, k=chance.randint(1, 40)))


def _of_links(chance: random.Random) -> str:
    pieces = chance.choices(
        PERSONAL + DANGEROUS, weights=[4] * len(PERSONAL) + [1] * len(DANGEROUS), k=chance.randint(1, 12)
    )
    return "".join(pieces)


def _of_grammar(chance: random.Random, depth: int = 0) -> str:
    """Return well-formed markup with something dangerous in its leaves."""
    if depth > 5 or chance.random() < 0.2:
        return chance.choice(DANGEROUS + PERSONAL)

    def inner() -> str:
        return _of_grammar(chance, depth + 1)

    shapes: list[Callable[[], str]] = [
        lambda: f"*{inner()}*",
        lambda: f"**{inner()}**",
        lambda: f"[{inner()}]({inner()})",
        lambda: f'[{inner()}](http://a.example/{inner()} "{inner()}")',
        lambda: f"<{inner()}>",
        lambda: f"`{inner()}`",
        lambda: f"```{inner()}\n{inner()}\n```\n",
        lambda: "\n".join(f"> {line}" for line in inner().split("\n")),
        lambda: "\n".join(f"- {inner()}" for _item in range(chance.randint(1, 3))),
        lambda: "3. " + inner().replace("\n", "\n   "),
        lambda: f"{inner()}\n\n{inner()}",
        lambda: f"{inner()}\n{inner()}",
        lambda: f"{inner()} {inner()}",
        lambda: inner() + inner(),
    ]
    return chance.choice(shapes)()


def _of_corpus(chance: random.Random) -> str:
    """Return a harmless text after some random edits."""
    text = chance.choice(CORPUS)
    for _time in range(chance.randint(1, 8)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randint(0, 12))
        accidents = (
            "",
            text[start:end] * 2,
            chance.choice(DANGEROUS),
            chance.choice(PERSONAL),
            text[start:end][::-1],
        )
        text = text[:start] + chance.choice(accidents) + text[end:]
    return text


def _of_unicode(chance: random.Random) -> str:
    planes = ((0x20, 0x7F), (0, 0x250), (0x250, 0x3000), (0x3000, 0x10000), (0, 0x110000))
    return "".join(chr(chance.randrange(*chance.choice(planes))) for _email in range(chance.randint(1, 120)))


def _of_repetition(chance: random.Random) -> str:
    """Return one thing repeated to the longest permitted text, and sometimes far beyond."""
    unit = "".join(chance.choices(DANGEROUS + PERSONAL, k=chance.randint(1, 4)))
    length = chance.choice((400, 1500, 4000, 4000, 15_000)) if chance.random() < 0.98 else 1_000_000
    end = "".join(chance.choices(DANGEROUS, k=2))
    return (unit * (length // len(unit) + 1))[: max(1, length - len(end))] + end


SOURCES: dict[str, tuple[int, Callable[[random.Random], str]]] = {
    "dangerous fragments in a row": (30, _of_fragments),
    "markup around dangerous leaves": (30, _of_grammar),
    "personal links in pieces": (15, _of_links),
    "decent texts after accidents": (15, _of_corpus),
    "any characters at all": (8, _of_unicode),
    "the same again and again": (2, _of_repetition),
}


def inputs(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield this many texts, each with its source; the same for the same seed."""
    chance = random.Random(seed)
    names, weights = list(SOURCES), [weight for weight, _make in SOURCES.values()]
    for _input in range(count):
        name = chance.choices(names, weights)[0]
        yield name, SOURCES[name][1](chance)


@dataclass
class Account:
    """The figures of a run."""

    typed: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    linked: int = 0
    taken_out: int = 0
    marked: int = 0
    deepest: int = 0
    longest: int = 0
    slowest: float = 0.0
    findings: list[tuple[str, str]] = field(default_factory=list)

    def take(self, source: str, typed: str) -> None:
        self.typed[source] += 1
        try:
            shown = check(typed)
        except Exception as finding:  # noqa: BLE001 (whatever is raised is what was looked for)
            self.findings.append((f"{type(finding).__name__}: {finding}", typed))
            return
        self.slowest = max(self.slowest, shown.seconds)
        if shown.tree is None:
            self.refused += 1
            return
        self.linked += bool(shown.tree.links)
        self.taken_out += "(link removed)" in (shown.text or "")
        self.marked += "<span" in shown.html
        self.deepest = max(self.deepest, shown.tree.deepest)
        self.longest = max(self.longest, len(shown.html))

    def told(self) -> str:
        lines = [f"{count:>8} {name}" for name, count in self.typed.most_common()]
        shown = f"{self.linked} with a link, {self.marked} with the name of a card or region"
        lines += [
            f"{self.typed.total():>8} in all, {self.refused} of them refused with a sentence;",
            f"{shown}, {self.taken_out} with a personal link taken out;",
            f"at most {self.deepest} elements in each other, {self.longest} characters of HTML,",
            f"{self.slowest:.3f} seconds of the processor for one",
            f"Findings: {len(self.findings)}",
        ]
        lines += [f"  {finding[:200]}\n    {typed[:300]!r}" for finding, typed in self.findings[:20]]
        return "\n".join(lines)


def run(count: int, seed: int) -> Account:
    """Render this many texts; stop early only after many findings."""
    account = Account()
    for source, typed in inputs(count, seed):
        account.take(source, typed)
        if len(account.findings) >= 100:
            break
    return account


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chat.fuzzing", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    _set_up()
    account = run(options.inputs, options.seed)
    print(account.told())
    return 1 if account.findings else 0


def _set_up() -> None:
    import os

    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "condottiere_site.settings"
    os.environ["SITE_URL"] = "http://testserver"
    django.setup()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
