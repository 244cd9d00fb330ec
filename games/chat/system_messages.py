"""System messages in a channel, rendered for each reader from facts, never from a player's text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.names import first_in_sentence
from accounts.time_elements import moment_element, with_times
from games.chat.access import LIFTED, Reader, ban_of_event
from games.chat.deal_text import deals_path, is_asked_of, promises_text
from games.chat.models import Ban, Deal, Message, SealedNote, ShownCards
from games.chat.models.channels import TAKEN_OUT
from games.chat.services.sealed_notes import HAPPENED, digest_of
from games.map.region_names import region_name
from games.models import Game, Table
from games.models.replay import BrokenLog, replayed
from games.narration.cast import and_list
from games.narration.vocabulary import card_names
from games.rules import observe

# System messages. Each kind has a renderer, which reads its rows for a whole page at once.


@dataclass(frozen=True)
class SystemMessage:
    """One system message: a sentence for emails; for pages, a template and its value."""

    sentence: str
    part: str  # a template, which gets this object as `system`
    value: Hashable
    words: str = ""  # the author's words as typed, shown apart from the system message
    is_impersonal: bool = False  # comes from the site alone, not from anyone's action in the chat


Renderer = Callable[[Sequence[Message], Reader], dict[int, SystemMessage]]  # by message number

# Shown cards. A running game gives the moment in steps, because a ply would reveal more (R17).


SHOWN_PART = "chat/_system_shown.html"


@dataclass(frozen=True)
class Shown:
    """Cards that the site confirms; fields below `held` are known once the game is over."""

    cards: tuple[str, ...]
    held: str  # a sentence: when
    is_right: bool | None = None  # whether the game's record agrees; None while the record is secret
    position_url: str = ""
    proof_url: str = ""
    ply: int = 0

    @property
    def copies(self) -> list[tuple[str, int]]:
        """Return each card once, with its number of copies."""
        return list(Counter(self.cards).items())

    @property
    def checked(self) -> str:
        """Return a sentence comparing the cards with the record; empty while the record is secret."""
        if self.is_right is None:
            return ""
        if self.is_right:
            return _("The game's record confirms it.")
        return _("The game's record says something else: either the record or this message was changed.")


def shown_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the messages about shown cards among these messages of one channel, by number."""
    by_key = {message.pk: message for message in messages}
    found: dict[int, SystemMessage] = {}
    games: dict[int, Game] = {}
    for shown in ShownCards.objects.filter(message__in=by_key).select_related("game"):
        message, shown.game = by_key[shown.message_id], games.setdefault(shown.game_id, shown.game)
        shown.game.table = reader.table
        found[message.number] = _shown_message(shown, reader, message.author_id)
    return found


def _shown_message(shown: ShownCards, reader: Reader, author: int | None) -> SystemMessage:
    value = _value(shown, reader)
    words = {"name": first_in_sentence(reader.name_of(author)), "cards": card_names(value.cards)}
    # Translators: name is a player, cards is a list of cards
    showed = _("You showed %(cards)s.") if reader.is_you(author) else _("%(name)s showed %(cards)s.")
    return SystemMessage(f"{showed % words} {value.held} {value.checked}".rstrip(), SHOWN_PART, value)


def _value(shown: ShownCards, reader: Reader) -> Shown:
    cards = tuple(shown.cards)
    if not shown.game.is_over:
        return Shown(cards, _held_at_step(shown))
    history, proof = _addresses(shown, reader)
    return Shown(cards, _held_at_ply(shown), is_in_record(shown), history, proof, shown.ply)


def _held_at_step(shown: ShownCards) -> str:
    words = {"step": shown.step, "game": shown.game.number}
    if shown.game.number > 1 or shown.game.table.is_match:
        # Translators: step and game are numbers.
        return _("The site confirms that this was in the hand at step %(step)d of game %(game)d.") % words
    # Translators: step is a number.
    return _("The site confirms that this was in the hand at step %(step)d.") % words


def _held_at_ply(shown: ShownCards) -> str:
    words = {"entry": shown.ply, "game": shown.game.number}
    if shown.game.number > 1 or shown.game.table.is_match:
        # Translators: entry, of the game's log, and game are numbers.
        return _("The site confirms that this was in the hand at entry %(entry)d of game %(game)d.") % words
    # Translators: entry, of the game's log, is a number.
    return _("The site confirms that this was in the hand at entry %(entry)d.") % words


def is_in_record(shown: ShownCards) -> bool:
    """Return whether a replay of the finished game finds the cards in that hand at that ply."""
    try:
        played = replayed(shown.game)
    except BrokenLog:
        return False
    if shown.ply >= len(played.states):
        return False
    state = played.states[shown.ply]
    hand = observe(state, shown.seat).hand or ()
    return state.step == shown.step and not Counter(shown.cards) - Counter(hand)


def _addresses(shown: ShownCards, reader: Reader) -> tuple[str, str]:
    """Return the addresses of the position and the proof; empty if this reader may not see them."""
    game, table = shown.game, reader.table
    if reader.seat is not None:
        return reverse("game_history", args=[game.pk, shown.ply]), reverse("game_proof", args=[game.pk])
    if table.watch == Table.Watch.NOBODY:
        return "", ""
    if table.is_match:
        place = [table.watch_key, game.number]
        history = reverse("watch_game_history", args=[*place, shown.ply])
        return history, reverse("watch_game_proof", args=place)
    history = reverse("watch_history", args=[table.watch_key, shown.ply])
    return history, reverse("watch_proof", args=[table.watch_key])


# Bans


BAN_PART = "chat/_system_banned.html"


@dataclass(frozen=True)
class BanText:
    """A system sentence about a ban, and the reason in the words of the person who banned."""

    sentence: str
    reason: str  # empty for a lifted ban


def bans_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the messages about bans among these messages, by number."""
    bans = Ban.objects.filter(table=reader.table).in_bulk()
    found = {}
    for message in messages:
        what, number = ban_of_event(message)
        if number in bans:
            found[message.number] = _ban_message(what, bans[number], reader)
    return found


def _ban_message(what: str, ban: Ban, reader: Reader) -> SystemMessage:
    sentence = ban_sentence(what, ban, reader)
    reason = "" if what == LIFTED else ban.reason
    # Translators: reason is what the host or an operator wrote.
    quoted = _("Reason: “%(reason)s”") % {"reason": reason} if reason else ""
    return SystemMessage(f"{sentence} {quoted}".rstrip(), BAN_PART, BanText(sentence, reason))


def ban_sentence(what: str, ban: Ban, reader: Reader) -> str:
    """Return who banned whom until when, or that they may write again; without the reason."""
    name = first_in_sentence(reader.name_of(ban.whom_id))
    words = {"name": name, "until": moment_element(ban.until) if ban.until else ""}
    sentence = _to_the_banned if reader.is_you(ban.whom_id) else _to_others
    is_host = ban.by_id is not None and ban.by_id == reader.table.host_id
    return with_times(sentence(what, ban.until, is_host=is_host), words)


def _to_the_banned(what: str, until: datetime | None, *, is_host: bool) -> str:
    if what == LIFTED:
        return _("You can write at this table again.")
    if is_host and until:
        # Translators: until is a day and time.
        return _("The host banned you from writing at this table until %(until)s.")
    if is_host:
        return _("The host banned you from writing at this table until the ban is lifted.")
    if until:
        # Translators: until is a day and time.
        return _("An operator of this site banned you from writing at this table until %(until)s.")
    return _("An operator of this site banned you from writing at this table until the ban is lifted.")


def _to_others(what: str, until: datetime | None, *, is_host: bool) -> str:
    if what == LIFTED:
        return _("%(name)s can write at this table again.")
    if is_host and until:
        # Translators: until is a day and time.
        return _("%(name)s was banned by the host and can't write at this table until %(until)s.")
    if is_host:
        return _("%(name)s was banned by the host and can't write at this table until the ban is lifted.")
    if until:
        # Translators: until is a day and time.
        return _(
            "%(name)s was banned by an operator of this site and can't write at this table until %(until)s."
        )
    return _(
        "%(name)s was banned by an operator of this site and can't write at this table until the ban is "
        "lifted."
    )


# Sealed notes. Nothing here reads the words of a sealed note, except for its writer.


SEALED, OPENED = "chat/_system_sealed.html", "chat/_system_opened.html"


@dataclass(frozen=True)
class Sealed:
    """A sealed note where it was sealed, before and after it opens."""

    sentence: str  # when it opens, or what became of it
    digest: str
    is_closed: bool
    opened_as: int = 0  # the number of the message with its words


@dataclass(frozen=True)
class Opened:
    """An opened note, and what proves it unchanged."""

    sentence: str  # why it opened
    salt: str
    digest: str
    is_same: bool
    is_taken_out: bool = False  # its writer deleted their account and removed the words


def sealed_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the sealed notes announced in these messages of one channel, by number."""
    wanted = {message.number for message in messages}
    return {
        sealed.number: _sealed(seal, sealed, opened, reader)
        for seal, sealed, opened in _seals(messages)
        if sealed.number in wanted
    }


def opened_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the opened notes among these messages of one channel, by number."""
    wanted = {message.number for message in messages}
    return {
        opened.number: _opened(seal, opened, reader)
        for seal, _sealed_message, opened in _seals(messages)
        if opened is not None and opened.number in wanted
    }


def _seals(messages: Sequence[Message]) -> list[tuple[SealedNote, Message, Message | None]]:
    either = Q(message__in=messages) | Q(opened__in=messages)
    seals = SealedNote.objects.filter(either).select_related("message", "opened")
    return [(seal, seal.message, seal.opened) for seal in seals]


def _sealed(seal: SealedNote, sealed: Message, opened: Message | None, reader: Reader) -> SystemMessage:
    fate, number = _fate(seal, opened), opened.number if opened else 0
    value = Sealed(fate, seal.digest, seal.opened_at is None, number)
    name = {"name": first_in_sentence(reader.name_of(sealed.author_id))}
    did = _("You sealed a note.") if reader.is_you(sealed.author_id) else _("%(name)s sealed a note.") % name
    is_mine = reader.user_id is not None and reader.user_id == sealed.author_id
    sentence = f"{did} {fate} SHA-256: {seal.digest}"
    return SystemMessage(sentence, SEALED, value, seal.text if is_mine else "")


def _fate(seal: SealedNote, opened: Message | None) -> str:
    if seal.is_withdrawn:
        return _("Its author deleted their account before it opened, so no one will ever read it.")
    if opened is not None:
        return _("It has been opened.")
    return opens_text(seal)


def opens_text(seal: SealedNote) -> str:
    """Return when a sealed note opens, in a sentence."""
    region = {"region": region_name(seal.region)} if seal.region else {}
    match SealedNote.Opens(seal.opens):
        case SealedNote.Opens.REGION:
            return _("It opens when someone takes %(region)s, or when the game ends.") % region
        case SealedNote.Opens.BATTLE if region:
            return _("It opens when the battle for %(region)s ends.") % region
        case SealedNote.Opens.BATTLE:
            return _("It opens when the next battle ends, or when the game ends.")
    return _("It opens when the game ends.")


def _opened(seal: SealedNote, opened: Message, reader: Reader) -> SystemMessage:
    name = {"name": first_in_sentence(reader.name_of(opened.author_id))}
    is_same = digest_of(seal.salt, opened.text) == seal.digest
    is_gone = not is_same and opened.text == TAKEN_OUT
    value = Opened(_why(seal, opened), seal.salt, seal.digest, is_same, is_gone)
    whose = (
        _("You sealed a note, which is now open.")
        if reader.is_you(opened.author_id)
        else _("%(name)s sealed a note, which is now open.") % name
    )
    sentence = f"{whose} {value.sentence} {_proven(value)} SHA-256: {seal.digest}"
    return SystemMessage(sentence, OPENED, value, opened.text)


def _proven(opened: Opened) -> str:
    if opened.is_taken_out:
        return _("Its author removed the text.")
    if opened.is_same:
        return _("The text is the one that was sealed.")
    return _("The text is not the one that was sealed.")


def _why(seal: SealedNote, opened: Message) -> str:
    region = {"region": region_name(seal.region)} if seal.region else {}
    if opened.event != HAPPENED:
        return _("The game ended before its event happened.")
    match SealedNote.Opens(seal.opens):
        case SealedNote.Opens.REGION:
            return _("%(region)s was taken.") % region
        case SealedNote.Opens.BATTLE if region:
            return _("The battle for %(region)s ended.") % region
        case SealedNote.Opens.BATTLE:
            return _("The battle ended.")
    return _("The game ended.")


# Deals: who proposed what to whom, who answered, and which promises were kept


DEAL_PART = "chat/_system_deal.html"


@dataclass(frozen=True)
class DealText:
    """One event in the life of a deal."""

    number: int
    sentence: str
    promises: tuple[str, ...]  # those the site judges; only in the proposal
    url: str  # of the deal on the deals page
    state: str = ""  # kept, broken or void, if the site says so
    judged: str = ""  # the promise of which it says so, in a sentence
    is_open: bool = False  # just proposed, and not yet answered by everyone
    # where the reader accepts without signing in; empty if they aren't asked or must sign in
    accept: str = ""
    decline: str = ""


def deals_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the system messages about deals among these messages of one channel, by number."""
    pks = {message.deal_id for message in messages if message.deal_id is not None}
    found = (
        Deal.objects.filter(pk__in=pks)
        .select_related("channel", "game")
        .prefetch_related("parties", "promises")
    )
    deals = {deal.pk: deal for deal in found}
    return {
        message.number: _deal_message(message, deals[message.deal_id], reader)
        for message in messages
        if message.deal_id in deals
    }


def _deal_message(message: Message, deal: Deal, reader: Reader) -> SystemMessage:
    event, _space, which = message.event.partition(" ")
    is_judged = which.isdigit()
    sentence = _judgement(event, deal) if is_judged else _done(message, deal, reader)
    promises = promises_text(deal, reader) if event == "proposed" else ()
    judged = promises_text(deal, reader)[int(which) - 1] if is_judged else ""
    page = deals_path(deal, reader)
    is_asked = reader.by_link and event == "proposed" and is_asked_of(deal, reader)
    value = DealText(
        deal.number,
        sentence,
        promises,
        page,
        event if is_judged else "",
        judged,
        event == "proposed" and deal.state == Deal.State.PROPOSED,
        f"{page}?answer=accept" if is_asked else "",
        f"{page}?answer=decline" if is_asked else "",
    )
    lines = (sentence, *promises, judged) if judged else (sentence, *promises)
    return SystemMessage("\n".join(lines), DEAL_PART, value, is_impersonal=is_judged or event == "lapsed")


def _done(message: Message, deal: Deal, reader: Reader) -> str:
    """Return a sentence: what someone did with the deal, or that it ended without effect."""
    if message.event == "proposed":
        return _proposal(deal, reader)
    if message.event == "lapsed":
        return _("Deal %(n)d was not accepted in time, so it is not in force.") % {"n": deal.number}
    words = {"name": first_in_sentence(reader.name_of(message.author_id)), "n": deal.number}
    done = _DONE_BY_YOU if reader.is_you(message.author_id) else _DONE
    return str(done[message.event]) % words


_DONE = {
    "accepted": gettext_lazy("%(name)s accepted deal %(n)d."),
    "stands": gettext_lazy("%(name)s accepted deal %(n)d. Everyone has accepted, so it is in force."),
    "declined": gettext_lazy("%(name)s declined deal %(n)d, so it is not in force."),
    "withdrawn": gettext_lazy("%(name)s withdrew deal %(n)d, so it is not in force."),
    "says kept": gettext_lazy("%(name)s says that the words of deal %(n)d were kept."),
    "says broken": gettext_lazy("%(name)s says that the words of deal %(n)d were broken."),
}
_DONE_BY_YOU = {
    "accepted": gettext_lazy("You accepted deal %(n)d."),
    "stands": gettext_lazy("You accepted deal %(n)d. Everyone has accepted, so it is in force."),
    "declined": gettext_lazy("You declined deal %(n)d, so it is not in force."),
    "withdrawn": gettext_lazy("You withdrew deal %(n)d, so it is not in force."),
    "says kept": gettext_lazy("You said that the words of deal %(n)d were kept."),
    "says broken": gettext_lazy("You said that the words of deal %(n)d were broken."),
}


def _proposal(deal: Deal, reader: Reader) -> str:
    others = [party.user_id for party in deal.others if not reader.is_you(party.user_id)]
    words = {
        "name": first_in_sentence(reader.name_of(deal.author_id)),
        "others": and_list([reader.name_of(user) for user in others]),
        "n": deal.number,
    }
    if reader.is_you(deal.author_id):
        # Translators: others are one or more players; n is the number of the deal.
        return _("You proposed deal %(n)d to %(others)s.") % words
    if len(others) == len(deal.others):
        # Translators: others are one or more players; n is the number of the deal.
        return _("%(name)s proposed deal %(n)d to %(others)s.") % words
    if others:
        # Translators: others are one or more players; n is the number of the deal.
        return _("%(name)s proposed deal %(n)d to you and %(others)s.") % words
    # Translators: n is the number of the deal.
    return _("%(name)s proposed deal %(n)d to you.") % words


def _judgement(state: str, deal: Deal) -> str:
    """Return what became of a promise, which follows in its own words."""
    words = {"n": deal.number}
    match state:
        case "kept":
            # Translators: n is the number of the deal; the promise follows.
            return _("This promise of deal %(n)d was kept:") % words
        case "broken":
            # Translators: n is the number of the deal; the promise follows.
            return _("This promise of deal %(n)d was broken:") % words
    # Translators: n is the number of the deal; the promise follows.
    return _("This promise of deal %(n)d was neither kept nor broken:") % words


RENDERERS: dict[str, Renderer] = {
    Message.Kind.SHOWN: shown_in,
    Message.Kind.BANNED: bans_in,
    Message.Kind.SEALED: sealed_in,
    Message.Kind.OPENED: opened_in,
    Message.Kind.DEAL: deals_in,
}


def system_messages_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the system messages among these messages of one channel, by number."""
    found: dict[int, SystemMessage] = {}
    for kind in dict.fromkeys(message.kind for message in messages if message.kind in RENDERERS):
        found |= RENDERERS[kind]([message for message in messages if message.kind == kind], reader)
    return found
