"""Whether a mail server's answer blames the address: one rule for SMTP answers and delivery reports."""

import re

_LONGEST = 2000  # characters that are read
_CODE = re.compile(r"\s*([245])\d\d\b")
_STATUS = r"([245]\.\d{1,3}\.\d{1,3})(?!\d|\.\d)"
# Where servers put a status: first, after the code of a line, or after a sharp; else anywhere.
_LEADING = re.compile(rf"(?:^\s*|(?<![\d.])[245]\d\d[ -]\s*|#){_STATUS}", re.MULTILINE)
_ANYWHERE = re.compile(rf"(?<![\d.]){_STATUS}")

_OF_THE_ADDRESS = frozenset({"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"})
# About the sender, this email, or a mailbox that is full. Servers use 5.7.0 and 5.7.1 for anything.
_OF_SOMETHING_ELSE = re.compile(r"[24]\..*|5\.1\.[789]|5\.2\.[234]|5\.3\.4|5\.6\..*|5\.7\.(?![01]$).*")

_ADDRESS = re.compile(r"[^\s<>:;,()\"']{1,320}@[^\s<>:;,()\"']{1,320}")
# What the reporting server says of the one that answered it, or that one of whom it heard this from.
_ANSWERING_HOST = re.compile(
    r"\bhost:? [\w.-]{1,255} ?[\[(][\da-f.:]{1,45}[\])]|\brelay=\[?[\da-f.:]{1,45}"
    r"|\b[\d.]{7,15} does not like recipient|\bgiving up on [\d.]{7,15}"
    r"|\bremote (?:host|server)(?: \([\d.]{7,15}\))? (?:said|replied|issued an error)"
)
_PUNCTUATION = re.compile(r"[\s_*\-–—]+")

_PERSON = r"(?:user|recipient|mailbox|address|addressee|(?:e\ ?mail\ )?account|local\ part)"
_IS = r"(?:\ is|\ was|\ has\ been|'s\ account\ is|\ account\ is)?"
_KNOWN_WORDS = re.compile(
    rf"""
    \b(?:unknown|no\ such|invalid|nonexist[ae]nt|non\ exist[ae]nt|unroute?able|undeliverable|bad\ destination)
        \ (?:local\ |virtual\ |email\ |destination\ |recipient\ |user\ )?{_PERSON}
    |\b{_PERSON}s?\b(?:["'<>()\[\]:\ ]{{0,4}}x["'<>()\[\]:\ ]{{0,4}})?{_IS}["':\ ]{{0,3}}
        (?:unknown|not\ (?:be\ )?found|not\ known|invalid
          |no\ longer\ (?:valid|exists|active|in\ use|available))\b
    |\b{_PERSON}s?\ (?:x\ )?(?:that\ you\ tried\ to\ reach\ )?
        (?:does\ not|doesn't|did\ not|didn't|do\ not|don't)\ exist
    |\b{_PERSON}{_IS}\ not\ (?:a\ valid|valid|local)\b
    |\bno\ (?:mailbox|user|account)\ (?:here\ )?(?:by|with|under)\ that\ (?:name|address)
    |\bnot\ a\ (?:known|valid)\ (?:user|recipient|mailbox|address)
    |\buser\ doesn't\ have\ an?\ [\w.]+\ account
    |\brecip(?:ient)?\ ?not\ ?found|\bdisabled\ or\ discontinued\b
    |\b(?:mailbox|recipient)(?:'s)?(?:\ account)?{_IS}\ (?:disabled|inactive|deactivated|unavailable|closed)\b
    """,
    re.VERBOSE,
)
_WORDS_OF_SOMETHING_ELSE = re.compile(
    r"""
    (?<![\w.])\d{1,3}(?:\.\d{1,3}){3}\b | \[(?:ipv6:)?[\da-f]{1,4}:[\da-f:]{2,40}\]
    | \b(?:
    # the sender
    send(?:er|ers|ing)\b | mail\ from\b | messages?\ from\b |
    from\ (?:address|domain|header|field|you|your|this)\b | from: | return\ path | envelope | originat |
    identit | you're\b | you\ (?:are|have|must|may|need)\b |
    your\ (?:\w+\ )?(?:account|address|client|dns|domain|ehlo|helo|host|ip|ips|isp|mta|network|provider
    |range|server|smtp|system|organi[sz]ation)\b
    # the connection
    | (?:client|connecting)\ (?:host|server|ip) | host\ rejected\b | connect | network | dynamic | dial\ ?up
    | residential | ips?\b | ip\ ?addr | ipv[46]\b | helo\b | ehlo\b | r?dns\b | ptr\b | reverse\b | countr
    | (?:start)?tls\b | ssl\b | certificate | encrypt
    # reputation
    | rbls?\b | dns\ ?bl | (?:allow|bad|black|block|deny|gr[ae]y|safe|welcome|white)\ ?list | listed\b |
    (?:is|are)\ (?:on|in)\ (?:an?|our|the)\ .{0,30}\blist | reputation | scor | (?:un)?trust | [spx]bl\b |
    s?ur[bi]ls?\b | dul\b | sorbs\b | uce | barracuda | block(?:ed|ing|s)?\b | bann(?:ed|ing)\b | barred\b |
    compromis | hacked
    # who it says it is
    | spf\b | dkim\b | dmarc\b | arc\b | (?:un)?auth | signature | (?:un)?verif(?:y|ied|ication)\b | spoof |
    forg | imperson | fraud
    # the content
    | spam | content | contain | attach | virus | malware | malicious | trojan | worms?\b | infect |
    executable | phish | scam | suspicious | suspect | unsolicited | bulk\b | junk | marketing | unwanted |
    unsafe | harmful | profan | offensive | inappropriate | heuristic | detect | quarantin | subject\b |
    headers?\b | urls?\b | links?\b | message\ (?:rejected|refused)\b | malformed | mime\b | 8\ ?bit |
    bare\ (?:lf|cr)\b | line\ (?:length|too)
    # policy
    | polic | prohibit | denied | deny | refus(?:ed|es)\ (?:by|to)\b | forbid | restrict | rules?\b |
    permission | administrativ | (?:un)?welcome | declin | member | moderat | subscrib | abus | complain |
    compliance | violat | security | disallow | filter(?:ed|ing) | (?:by|content|mail|message)\ filter |
    relay(?!\ recipient) | sandbox | not\ ?(?:be\ )?(?:allowed|permitted|authori[sz]ed|accept|accepting)\b |
    billing | payment | unpaid | credits?\b
    # size, number and what passes
    | size\b | large\b | too\ (?:big|fast|large|long|many|much|often|quickly) | quota | full\b | storage |
    insufficient | disk\b | no\ space | out\ of\ space | limit | exceed | maximum |
    over\ ?(?:drawn|loaded|load) | capacity | resources?\b | rates?\b | throttl | concurren | daily\b |
    hourly\b | frequen | tempora | later\b | try\ again | retry | defer | timed?\ ?out | busy\b |
    maintenance | service\b | paused?\b | trial\b | loop | hops?\b
    )
    """,
    re.VERBOSE,
)


def blames_address(words: str, reported: str = "") -> bool:
    """Return whether any email to this address would be refused, whatever its sender and content.

    `words` is the answer with its code; `reported` is a delivery report's status (RFC 3463). A status in the
    words wins over the reported one. Where the words speak of anything but the address, it isn't blamed.
    """
    words = words[:_LONGEST]
    code = _CODE.match(words)
    if code is not None and code[1] != "5":
        return False
    statuses = _LEADING.findall(words) or _ANYWHERE.findall(words) or [reported]
    said = _plain(words)
    if _WORDS_OF_SOMETHING_ELSE.search(said) or any(map(_OF_SOMETHING_ELSE.fullmatch, statuses)):
        return False
    return _OF_THE_ADDRESS.issuperset(statuses) or _KNOWN_WORDS.search(said) is not None


def _plain(words: str) -> str:
    """Return the words in lower case, without addresses and the answering host, with single spaces."""
    words = _ADDRESS.sub(" x ", words.lower().replace("’", "'"))
    return _PUNCTUATION.sub(" ", _ANSWERING_HOST.sub(" ", words))
