"""Hostile input for every reader of foreign text, in any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

KB = 1024
MAIL, MESSAGE, RENDERED, CELL, SHEET = 512 * KB, 16_000, 4000, 120 * KB, 300_000
BODY, HEADER, RECORD, LOG_LINE = 2400 * KB, 256 * KB, 1024 * KB, 512 * KB


@dataclass(frozen=True)
class Shape:
    """Hostile input for one reader: how to make it in a size, and the largest size that comes there."""

    reader: str
    name: str
    make: Callable[[int], str]
    most: int


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return what makes a text of this unit again and again."""
    return lambda size: before + unit * max(1, (size - len(before) - len(after)) // len(unit)) + after


def numbered(form: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Return what makes a text of units that all differ, with %d for a number in each."""

    def make(size: int) -> str:
        units, length = list[str](), 0
        for number in count():
            unit = form.replace("%d", str(number))
            length += len(unit)
            if length > size:
                return before + "".join(units) + after
            units.append(unit)
        raise AssertionError

    return make


def both(first: Callable[[int], str], second: Callable[[int], str]) -> Callable[[int], str]:
    """Return what makes one half of a text, then another."""
    return lambda size: first(size // 2) + second(size // 2)


PLAIN = "Subject: x\n\n"
HTML = "Content-Type: text/html; charset=utf-8\n\n"
PARTS = "Content-Type: multipart/mixed; boundary=x\n\n"
MARKS = "\u0315\u0316"  # in an order that normalization must change

TEXTS = {  # of a message to read
    "dashes": repeated("-", PLAIN, "x"),
    "underscores": repeated("_", PLAIN, "x"),
    "empty lines": repeated("\n", f"{PLAIN}a", "b"),
    "carriage returns": repeated("\r", f"{PLAIN}a", "b"),
    "invisible lines": repeated("\u200b\n", f"{PLAIN}a", "b"),
    "lines of one letter": repeated("a\n", PLAIN),
    "one line of words": repeated("a ", PLAIN),
    "spaces": repeated(" ", f"{PLAIN}a", "b"),
    "lines of spaces": repeated("a" + " " * 290 + "b\n", PLAIN),
    "headers": repeated("From: a\nSent: 12:30\n", PLAIN),
    "a long header": repeated("a", f"{PLAIN}From: a@b\n", ":"),
    "attributions": repeated("On a ", PLAIN),
    "lines of attributions": repeated("On " + "a " * 140 + "wrot\n", PLAIN),
    "footers": repeated("Sent from " + "a " * 140 + "!\n", PLAIN),
    "quotes": repeated("> ", f"{PLAIN}a\n"),
    "rules of words": repeated("--- a ---", PLAIN, "-"),
    "links": repeated("http://testserver/answer/", PLAIN),
    "own addresses": repeated("reply+", PLAIN),
    "brackets": repeated("(", PLAIN),
    "marks on a letter": repeated(MARKS, f"{PLAIN}Ab"),
    "marks in order": both(repeated("\u0315", f"{PLAIN}Ab"), repeated("\u0316")),
    "names to write to": repeated("a,", f"{PLAIN}to ", ": hello"),
    "say and lines": repeated("x\n\n", f"{PLAIN}say: "),
    "stars": repeated("*\n", PLAIN),
    "disclaimers": repeated("CAUTION: mail mail\n", PLAIN),
    "zeros": repeated("\0", PLAIN),
}
PAGES = {  # HTML of a message to read
    "nested <div>": repeated("<div>", HTML, "a"),
    "nested <blockquote>": repeated("<blockquote>", HTML, "a"),
    "nested <b><div>": repeated("<b><div>", HTML, "a"),
    "<b> over each <p>": both(numbered("<b a=%d>", f"{HTML}<p>"), repeated("<p>x")),
    "<font> over each <td>": both(numbered("<font a=%d>", f"{HTML}<p>"), repeated("<td>x</p><p>")),
    "<b> in a table": both(numbered("<b a=%d>x", f"{HTML}<table>"), repeated("<tr>x")),
    "</b> after each <div>": both(repeated("<b><div>", HTML), repeated("</b>")),
    "<a> in <a>": numbered("<a href=%d><p>x", HTML),
    "attributes of <html>": both(numbered(" a%d", f"{HTML}<html"), numbered(" b%d", "><html", ">x")),
    "attributes of one tag": numbered(" a%d", f"{HTML}<div", ">x"),
    "one class": repeated("gmail ", f'{HTML}<div class="', '">x'),
    "<br>": repeated("<br>", f"{HTML}a", "b"),
    "spans in a line": repeated("<span>x</span>", HTML),
    "lists": repeated("<ul><li>x", HTML),
    "comments": repeated("<!--", HTML),
    "CDATA": repeated("<![CDATA[", HTML),
    "declarations": repeated("<!", HTML),
    "less than": repeated("<", HTML),
    "ends of tags": repeated("</", HTML),
    "entities": repeated("&", HTML),
    "numbered entities": repeated("&#x", HTML),
    "scripts": repeated("<script>", HTML),
    "select": repeated("<select><option>", HTML),
    "svg": repeated("<svg><p>", HTML),
}
STRUCTURES = {  # of a message to read
    "nested parts": numbered("Content-Type: multipart/mixed; boundary=%d\n\n--%d\n"),
    "lines under nested parts": lambda size: (
        "".join(f"Content-Type: multipart/mixed; boundary={n}\n\n--{n}\n" for n in range(45)) + "\n" * size
    ),
    "parts": repeated("--x\n\n", PARTS),
    "parts with long fields": repeated(f'--x\nContent-Type: text/plain; x="{";" * 1500}\n\n\n', PARTS),
    "empty multiparts": repeated("--x\nContent-Type: multipart/mixed\n\n", PARTS),
    "messages in messages": repeated("Content-Type: message/rfc822\n\n"),
    "blocks of a report": repeated(
        "Action: failed\nStatus: 5.1.1\n\n", "Content-Type: message/delivery-status\n\n"
    ),
    "parts of a report": repeated(
        "--x\nContent-Type: message/delivery-status\n\n\nAction: delayed\n\n",
        "Content-Type: multipart/report; boundary=x\n\n",
    ),
    "a calendar": repeated("METHOD:", "Content-Type: text/calendar\n\n"),
    "base64": repeated("YQ==\n", "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n"),
    "quoted-printable": repeated(
        "=\n", "Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n"
    ),
    "uuencode": repeated(
        "#0V%T\n", "Content-Type: text/plain\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 x\n"
    ),
    "punycode": repeated("99999a", "Content-Type: text/plain; charset=punycode\n\naaaaaaa-"),
    "idna": repeated("xn--a.", "Content-Type: text/plain; charset=idna\n\n"),
    "utf-7": repeated("+", "Content-Type: text/plain; charset=utf-7\n\n"),
}
FIELDS = {  # headers of a message to read
    "many fields": repeated("A: b\n", after="\nx"),
    "many recipients": repeated("To: a@b\n", after="\nx"),
    "folded": repeated(" x\n", "Subject: x\n", "\nx"),
    "brackets": repeated("(", "To: ", "\n\nx"),
    "angles": repeated("<", "To: ", "\n\nx"),
    "quotation marks": repeated('"', "Cc: ", "\n\nx"),
    "backslashes": repeated("\\", "To: ", "\n\nx"),
    "addresses": repeated("a@b,", "Delivered-To: ", "\n\nx"),
    "like own addresses": repeated("reply+1-", "To: ", "\n\nx"),
    "own addresses, forged": repeated("reply+1-aaaaaaaaaaaaaaaa@testserver,", "To: ", "\n\nx"),
    "semicolons": repeated(";", "Content-Type: multipart/mixed", "\n\nx"),
    "quoted semicolons": repeated(";", 'Content-Type: multipart/mixed; x="', "\n\nx"),
    "parameters": numbered(";a*%d=b", "Content-Type: text/plain", "\n\nx"),
    "encoded words": repeated("=?utf-8?q?", "Subject: ", "\n\nx"),
    "robots": repeated("no-", "From: ", "\n\nx"),
    "return paths": repeated("<", "Return-Path: ", "\n\nx"),
    "message numbers": repeated("<", "Message-ID: ", "\n\nx"),
    "words": repeated("no ", "Auto-Submitted: ", "\n\nx"),
    "bytes that are no text": repeated("\xff", "Subject: ", "\n\nx"),
}
MARKDOWN = {
    "stars": repeated("*"),
    "stars and letters": repeated("*a_"),
    "strong": repeated("**a "),
    "backticks": numbered("`" * 3 + "%d"),
    "more and more backticks": lambda size: " ".join("`" * n for n in range(1, int((2 * size) ** 0.5))),
    "opening brackets": repeated("["),
    "brackets": repeated("[]("),
    "links": repeated("[a](http://b.example)"),
    "links in links": repeated("[a](http://b.example "),
    "pictures": repeated("!["),
    "angles": repeated("<a "),
    "addresses": repeated("<http://a"),
    "bare addresses": repeated("http://a."),
    "dots of an address": repeated(".", "http://a", " x"),
    "quotes": repeated("> "),
    "lists": repeated("- "),
    "lists in lists": lambda size: "".join(" " * n + "- a\n" for n in range(0, int((2 * size) ** 0.5), 2)),
    "numbers": repeated("1. "),
    "fences": repeated("~~~\n"),
    "backslashes": repeated("\\"),
    "entities": repeated("&#x26;"),
    "percents": repeated("%25"),
    "tabs": repeated("\t"),
    "empty lines": repeated("a\n\n"),
    "marks": repeated(MARKS, "a"),
    "joiners": repeated("\u200d"),
    "own links": repeated("testserver/answer/"),
    "slashes": repeated("/", "testserver", "answer"),
    "detours": repeated("../", "http://testserver/"),
    "ports": repeated("1", "testserver:", "/"),
    "cards": repeated("Winter Siena "),
    "references": numbered("[%d]: x\n"),
    "tables": repeated("|-"),
}
WORDS = {  # of names, moves and searches
    "letters": repeated("a"),
    "spaces": repeated(" ", "a", "b"),
    "words": repeated("a "),
    "marks": repeated(MARKS, "a"),
    "joiners": repeated("\u200d", "a", "b"),
    "numbers in brackets": repeated("(1"),
    "ligatures": repeated("\ufdfa"),
    "Hangul": repeated("\u1100"),
    "commas": repeated("a, "),
}
SHEETS = {
    "addresses": repeated("anna@example.org\n"),
    "short addresses": repeated("a@b\n"),
    "names": repeated("a@b.example, Anna\n"),
    "lines": repeated("x\n"),
    "cells": repeated("x,"),
    "addresses in a row": repeated("@,"),
    "quotation marks": repeated('"', "a@b.example"),
    "quoted cells": repeated('"a",\n'),
    "one cell": repeated(" ", "a@b.example,A", "1"),
    "marks": repeated(MARKS, "a@b.example,Ab"),
    "angles": repeated("<", "a@b.example,"),
    "wide rows": repeated(",".join(["a@b.example", *"x" * 500]) + "\n"),
    "headings": repeated("name,", after="\na@b.example"),
}
RECORDS = {
    "lists in lists": repeated("["),
    "objects in objects": repeated('{"a":'),
    "digits": repeated("1"),
    "keys": numbered('"%d":0,', "{", '"a":0}'),
    "one key": repeated("a", '{"', '":0}'),
    "letters": repeated("a", '"', '"'),
    "escapes": repeated("\\u0041", '"', '"'),
    "log": repeated('[0,"pass"],', after='[0,"pass"]'),
    "a long move": repeated("winter ", '[null,"shuffle ', 'winter"]'),
    "notes": repeated('[0,"pass",{}],', after='[0,"pass"]'),
}
ADDRESS_LISTS = {
    "quotation marks": repeated('"'),
    "escaped quotation marks": repeated('\\"', '"'),
    "angles": repeated("<"),
    "words": repeated("a@b.example "),
    "commas": repeated(","),
}
HEADERS = {  # of a request, by name; a comma follows it
    "Cookie": repeated('\\"', 'a="', '"'),
    "Cookie, many": numbered("a%d=b;"),
    "Accept-Language": repeated("en;q=0.1,"),
    "Accept-Encoding": repeated("gzip;q=0.1,"),
    "If-None-Match": repeated('W/"a",'),
    "If-Modified-Since": repeated("1", "Mon, "),
    "Content-Type": repeated(";", 'multipart/form-data; boundary=x; a="'),
    "Referer": repeated("[", "https://"),
    "Origin": repeated("[", "https://"),
    "X-Forwarded-For": repeated("1.1.1.1,"),
    "HX-Current-URL": repeated("%25", "https://"),
    "Range": repeated("1-2,", "bytes="),
}
QUERIES = {
    "fields": numbered("a%d=b&"),
    "one field": repeated("a", "q="),
    "percents": repeated("%25", "q="),
    "semicolons": repeated(";a"),
}
PATHS = {
    "slashes": repeated("/"),
    "folders": repeated("/a"),
    "a token": repeated("a", "/answer/"),
    "percents": repeated("%2F", "/answer/"),
    "detours": repeated("/..", "/static"),
}
LOG_LINES = {
    "tokens": repeated("/answer/aaaa"),
    "one token": repeated("a", "/answer/"),
    "slashes": repeated("%2F"),
    "encoded tokens": repeated("%2Fanswer%2F"),
}


def shapes() -> Iterator[Shape]:
    """Yield all shapes, by reader."""
    tables = [
        ("reply", TEXTS, MAIL),
        ("reply", PAGES, MAIL),
        ("mail", STRUCTURES, MAIL),
        ("mail", FIELDS, MAIL),
        ("answer", TEXTS, MAIL),
        ("move", WORDS, MESSAGE),
        ("chat", MARKDOWN, MESSAGE),
        ("chat page", MARKDOWN, RENDERED),
        ("name", WORDS, CELL),
        ("sheet", SHEETS, SHEET),
        ("record", RECORDS, RECORD),
        ("addresses", ADDRESS_LISTS, 6000),
        ("form", WORDS, BODY),
        ("form with a message", MARKDOWN, BODY),
        ("header", HEADERS, HEADER),
        ("query", QUERIES, HEADER),
        ("path", PATHS, HEADER),
        ("search", WORDS, HEADER),
        ("log", LOG_LINES, LOG_LINE),
        ("own address", {"numbers": repeated("1-", "reply+", "@testserver")}, HEADER),
        ("LMTP command", {"brackets": repeated("(", "<")}, 500),
    ]
    for reader, table, most in tables:
        for name, make in table.items():
            yield Shape(reader, name, make, most)
