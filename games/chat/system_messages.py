"""System messages in a channel, rendered for each reader from facts, never from a player's text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from accounts.times import moment
from games.chat.access import LIFTED, Reader, ban_of_event
from games.chat.links import deal_path
from games.chat.models import Ban, Deal, DealParty, DealPromise, Message, SealedNote, ShownCards
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
    """Cards that the site attests; fields below `held` are known once the game is over."""

    name: str
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
            return _("Checked against the record: so it was.")
        return _("The record of the game says otherwise: it was changed, or this was.")


def shown_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the messages about shown cards among these messages of one channel, by number."""
    by_key = {message.pk: message for message in messages}
    found: dict[int, SystemMessage] = {}
    games: dict[int, Game] = {}
    for shown in ShownCards.objects.filter(message__in=by_key).select_related("game"):
        message, shown.game = by_key[shown.message_id], games.setdefault(shown.game_id, shown.game)
        shown.game.table = reader.table
        found[message.number] = _shown_message(shown, reader, reader.name_of(message.author_id))
    return found


def _shown_message(shown: ShownCards, reader: Reader, name: str) -> SystemMessage:
    value = _value(shown, reader, name)
    sentence = _("The table attests: %(name)s showed %(cards)s. %(held)s")
    words = {"name": name, "cards": card_names(value.cards), "held": value.held}
    return SystemMessage(f"{sentence % words} {value.checked}".rstrip(), SHOWN_PART, value)


def _value(shown: ShownCards, reader: Reader, name: str) -> Shown:
    cards = tuple(shown.cards)
    name = first_in_sentence(name)
    if not shown.game.is_over:
        return Shown(name, cards, _held_at_step(shown))
    history, proof = _addresses(shown, reader)
    return Shown(name, cards, _held_at_ply(shown), is_in_record(shown), history, proof, shown.ply)


def _held_at_step(shown: ShownCards) -> str:
    if shown.game.number > 1 or shown.game.table.is_match:
        said = _("Held in the hand at step %(step)d of game %(game)d; the table attests it.")
        return said % {"step": shown.step, "game": shown.game.number}
    return _("Held in the hand at step %(step)d; the table attests it.") % {"step": shown.step}


def _held_at_ply(shown: ShownCards) -> str:
    if shown.game.number > 1 or shown.game.table.is_match:
        said = _("Held in the hand at ply %(ply)d of game %(game)d; the table attests it.")
        return said % {"ply": shown.ply, "game": shown.game.number}
    return _("Held in the hand at ply %(ply)d; the table attests it.") % {"ply": shown.ply}


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
    words = _("%(sentence)s The reason: “%(reason)s”") % {"sentence": sentence, "reason": reason}
    return SystemMessage(words if reason else sentence, BAN_PART, BanText(sentence, reason))


def ban_sentence(what: str, ban: Ban, reader: Reader) -> str:
    """Return who may not write at this table, or may again, and who decided so; without the reason."""
    name = first_in_sentence(reader.name_of(ban.whom_id))
    words = {"name": name, "until": moment(ban.until) if ban.until else ""}
    is_host = ban.by_id is not None and ban.by_id == reader.table.host_id
    return _sentence(what, is_host=is_host, lasts=ban.until is not None) % words


def _sentence(what: str, *, is_host: bool, lasts: bool) -> str:
    if what == LIFTED:
        return _("%(name)s may write at this table again.")
    if is_host and lasts:
        return _("%(name)s may not write at this table until %(until)s: the host said so.")
    if is_host:
        return _("%(name)s may not write at this table until that is lifted: the host said so.")
    if lasts:
        return _("%(name)s may not write at this table until %(until)s: an operator of this site said so.")
    return _("%(name)s may not write at this table until that is lifted: an operator of this site said so.")


# Sealed notes. Nothing here reads the words of a sealed note, except for its writer.


SEALED, OPENED = "chat/_system_sealed.html", "chat/_system_opened.html"


@dataclass(frozen=True)
class Sealed:
    """A sealed note where it was sealed, before and after it opens."""

    name: str
    sentence: str  # a sentence: when it opens, or what became of it
    digest: str
    is_closed: bool
    opened_as: int = 0  # the number of the message with its words


@dataclass(frozen=True)
class Opened:
    """An opened note, and what proves it unchanged."""

    name: str
    sentence: str  # a sentence: why it opened
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
    name = first_in_sentence(reader.name_of(sealed.author_id))
    value = Sealed(
        name, _fate(seal, opened), seal.digest, seal.opened_at is None, opened.number if opened else 0
    )
    sentence = _("%(name)s sealed a note. %(sentence)s SHA-256: %(digest)s") % vars(value)
    is_mine = reader.user_id is not None and reader.user_id == sealed.author_id
    return SystemMessage(sentence, SEALED, value, seal.text if is_mine else "")


def _fate(seal: SealedNote, opened: Message | None) -> str:
    if seal.is_withdrawn:
        return _("Its writer's account was deleted before it opened, so nobody will ever read it.")
    if opened is not None:
        return _("It has been opened.")
    return opens_text(seal)


def opens_text(seal: SealedNote) -> str:
    """Return when a sealed note opens, in a sentence."""
    region = {"region": region_name(seal.region)} if seal.region else {}
    match SealedNote.Opens(seal.opens):
        case SealedNote.Opens.REGION:
            return _("It opens when somebody takes %(region)s, at the latest when the game is over.") % region
        case SealedNote.Opens.BATTLE if region:
            return _("It opens when the battle for %(region)s is over.") % region
        case SealedNote.Opens.BATTLE:
            return _("It opens when the next battle is over, at the latest when the game is.")
    return _("It opens when the game is over.")


def _opened(seal: SealedNote, opened: Message, reader: Reader) -> SystemMessage:
    name = first_in_sentence(reader.name_of(opened.author_id))
    is_same = digest_of(seal.salt, opened.text) == seal.digest
    is_gone = not is_same and opened.text == TAKEN_OUT
    value = Opened(name, _why(seal, opened), seal.salt, seal.digest, is_same, is_gone)
    proven = _proven(value)
    sentence = _("The note that %(name)s sealed is open. %(sentence)s %(proven)s SHA-256: %(digest)s")
    return SystemMessage(sentence % (vars(value) | {"proven": proven}), OPENED, value, opened.text)


def _proven(opened: Opened) -> str:
    if opened.is_taken_out:
        return _("Its writer has taken the words out.")
    if opened.is_same:
        return _("The words are those that were sealed.")
    return _("These are not the words sealed.")


def _why(seal: SealedNote, opened: Message) -> str:
    region = {"region": region_name(seal.region)} if seal.region else {}
    if opened.event != HAPPENED:
        return _("What it waited for did not happen before the game was over.")
    match SealedNote.Opens(seal.opens):
        case SealedNote.Opens.REGION:
            return _("%(region)s was taken.") % region
        case SealedNote.Opens.BATTLE if region:
            return _("The battle for %(region)s is over.") % region
        case SealedNote.Opens.BATTLE:
            return _("The battle is over.")
    return _("The game is over.")


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
    sentence = _judged(event, int(which), deal, reader) if is_judged else _done(message, deal, reader)
    promises = promises_text(deal, reader) if event == "proposed" else ()
    page = deals_path(deal, reader)
    is_asked = reader.by_link and event == "proposed" and is_asked_of(deal, reader)
    value = DealText(
        deal.number,
        sentence,
        promises,
        page,
        event if is_judged else "",
        event == "proposed" and deal.state == Deal.State.PROPOSED,
        f"{page}?answer=accept" if is_asked else "",
        f"{page}?answer=decline" if is_asked else "",
    )
    heading = _("Deal %(n)d: %(sentence)s") % {"n": deal.number, "sentence": sentence}
    return SystemMessage(
        "\n".join((heading, *promises)), DEAL_PART, value, is_impersonal=is_judged or event == "lapsed"
    )


def _done(message: Message, deal: Deal, reader: Reader) -> str:
    """Return a sentence: what someone did with the deal, or that it came to nothing."""
    words = {"name": first_in_sentence(reader.name_of(message.author_id))}
    match message.event:
        case "proposed":
            others = and_list([reader.name_of(party.user_id) for party in deal.others])
            return _("%(name)s proposes this to %(others)s.") % (words | {"others": others})
        case "accepted":
            return _("%(name)s accepts.") % words
        case "stands":
            return _("%(name)s accepts. So all have accepted: it stands.") % words
        case "declined":
            return _("%(name)s declines, so it does not stand.") % words
        case "withdrawn":
            return _("%(name)s withdraws it, so it does not stand.") % words
        case "says kept":
            return _("%(name)s says that the words were kept.") % words
        case "says broken":
            return _("%(name)s says that the words were broken.") % words
    return _("It was not accepted in time, so it does not stand.")


def _judged(state: str, number: int, deal: Deal, reader: Reader) -> str:
    words = {"promise": promises_text(deal, reader)[number - 1]}
    match state:
        case "kept":
            return _("Kept: %(promise)s") % words
        case "broken":
            return _("Broken: %(promise)s") % words
    return _("Neither kept nor broken: %(promise)s") % words


def promises_text(deal: Deal, reader: Reader) -> tuple[str, ...]:
    """Return a sentence for each promise that the site judges."""
    users = {party.seat: party.user_id for party in deal.parties.all()}
    return tuple(
        _promise_text(promise, deal, reader.name_of(users.get(promise.seat))) for promise in deal.judged
    )


def _promise_text(promise: DealPromise, deal: Deal, name: str) -> str:
    words = {"name": first_in_sentence(name), "until": until_text(deal)}
    if promise.region:
        words["region"] = region_name(promise.region)
    match DealPromise.Kind(promise.kind):
        case DealPromise.Kind.NO_ATTACK:
            return _("%(name)s starts no battle for %(region)s until %(until)s.") % words
        case DealPromise.Kind.POPE:
            return _("%(name)s places the Pope on %(region)s before %(until)s.") % words
    passes = _(
        "%(name)s passes without playing another card in the battle that is fought when all have accepted, "
        "or else in the next."
    )
    return passes % words


def until_text(deal: Deal) -> str:
    """Return until when the deal holds, as part of a sentence."""
    match Deal.Until(deal.until):
        case Deal.Until.ROUND:
            return _("the end of round %(n)d") % {"n": deal.until_number}
        case Deal.Until.BATTLE:
            return _("the end of battle %(n)d") % {"n": deal.until_number}
    return _("the end of the game")


def party_of(deal: Deal, reader: Reader) -> DealParty | None:
    """Return the reader's part in the deal, while they are at the table."""
    if reader.seat is None or reader.user_id is None:
        return None
    return next((party for party in deal.parties.all() if party.user_id == reader.user_id), None)


def is_asked_of(deal: Deal, reader: Reader) -> bool:
    """Return whether the deal waits for this reader's answer."""
    mine = party_of(deal, reader)
    is_open = deal.state == Deal.State.PROPOSED and not deal.game.is_over
    return is_open and mine is not None and mine.answer == DealParty.Answer.OPEN


def anchor_of(deal: Deal) -> str:
    """Return the deal's anchor on the deals page."""
    return f"deal-{deal.channel.slug or 'table'}-{deal.number}"


def deals_path(deal: Deal, reader: Reader) -> str:
    """Return the deal's address on the deals page.

    For a reader with an email's link, it is a page of its own.
    """
    table = reader.table
    if reader.by_link and reader.seat is not None:
        return deal_path(reader.seat, deal)
    page = reverse("watch_deals", args=[table.watch_key]) if reader.is_let_in else ""
    return f"{page or reverse('deals', args=[table.pk])}#{anchor_of(deal)}"


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
