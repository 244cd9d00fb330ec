"""What replies say in each language of the site, read whatever the reader's language is."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, pgettext

from games.chat.models import Message as ChatMessage
from games.models import Game, LogEntry
from games.narration.orders import hold_label
from games.narration.typed_names import normal
from games.orders import HOLD, Aside, Fight, kind_of
from games.presenters.choices import Choices
from games.replies.chat_lines import WrittenMessage, message_in
from games.replies.commands import Command, first_word, words_for
from games.replies.line_meanings import OrderAlone, Play, Unclear, Unread, meaning_of
from games.rules import State, observe, parse_move
from tests.games.playing import play_until
from tests.replies.conftest import delivered
from tests.rules.stage import played, staged

NAMES = ("Anna", "Bruno", "Carla")
BATTLE = staged("10 3 winter bishop scarecrow drummer | 2 | 3", lines="5 1 | 4 | -", control="siena=1")
OF_1995 = staged("10 scarecrow bishop | 2 | 3", lines="5 | 5 | 4", edition="1995")
REGION = staged("1 | 2 | 3", battle=None)
HAND = played(staged("drummer | heroine courtesan | 1 | 1", battle=None), "place siena")[0]
CARDS = played(staged("5 10 drummer | - | -", battle=None), "place siena")[0]

QUOTED = re.compile(r"[“„«](.+?)[”»]")

EVERYWHERE = {
    "pass": ["pass", "I pass.", "PASS!", "pas", "Pasuję", "spasuj", "пас", "Я пас.", "пасую", "pass, thanks",
             "OK, pass", "pas, dzięki", "пас, спасибо", "Hello, I pass. Good luck!"],
    "play 10": [
        "10", "play 10", "I play 10", "zagrywam 10", "zagraj kartę 10", "играю 10", "карта «10»",
        "play10", "Zagraj10!", "играю10", "10, thanks", "Hi all, 10 please", "10, dzięki", "10, спасибо",
        "Cześć, 10",
        "Play 10  http://testserver/answer/1.aa/confirm/?move=play+10",
    ],
    "play winter": [
        "winter", "Play Winter.", "zima", "zimę", "Zagrywam Zimę!", "gram zimę", "зиму", "играю зиму",
        "Сыграть карту «Зима»",
    ],
    "play bishop siena": [
        "bishop siena", "Bishop to Siena", "play bishop, Pope to Siena", "biskup Siena", "biskup do Sieny",
        "Zagraj Biskupa, papież trafi do regionu Siena", "zagrywam biskupa, papież do Sieny",
        "епископ Сиена", "играю епископа в Сиену", "Епископ, Папа в Сиену",
    ],
    "play bishop off": [
        "bishop off", "bishop off the map", "biskup z mapy", "zagraj biskupa, papież poza mapę",
        "епископ с карты", "Епископ: Папа покидает карту",
    ],
    "play scarecrow 5": [
        "scarecrow 5", "scarecrow and take back the 5", "kukła 5", "Kukłę, weź 5", "kukła i zabierz kartę 5",
        "пугало 5", "Пугало, взять карту 5", "играю пугало и возьми 5",
    ],
    "play scarecrow nothing": [
        "scarecrow nothing", "scarecrow, take no card", "kukła nic", "kukłę i weź nic",
        "zagraj kukłę i nic nie zabieraj", "пугало ничего", "Сыграть Пугало и ничего не брать",
    ],
}  # fmt: skip
IN_1995 = {
    "play scarecrow 5 from 1": [
        "scarecrow 5 from Bruno", "scarecrow, take the 5 from Bru", "kukła 5 od Bruno",
        "kukłę 5 gracza Bruno", "kukła, weź 5 od gracza Bruno", "пугало 5 у Bruno",
        "пугало, взять 5 у игрока Bruno",
    ],
    "play scarecrow 4 from 2": ["scarecrow 4", "kukła 4", "пугало 4"],
    "play bishop": ["bishop", "biskupa", "епископ"],
}  # fmt: skip
OF_REGIONS = {
    "place siena": [
        "siena", "fight for Siena", "place Siena", "walczę o Sienę", "region Siena", "Сиену",
        "сражаюсь за Сиену", "регион Сиена",
    ],
    "place roma": ["Roma", "Rzym", "walcz o Rzym", "walcz o region Rzym", "Рим", "сразиться за Рим"],
}  # fmt: skip
OF_HANDS = {
    "discard hand": ["discard", "Discard my hand.", "odrzucam karty", "odrzuć", "сбросить", "сброс"],
    "keep hand": ["keep", "zachowuję", "zostaw", "оставить", "не сбрасывать"],
}
OF_CARDS = {
    "keep nothing": ["nothing", "keep no cards", "nic", "zachowaj żadnej karty", "ничего", "без карт"],
    "keep 10": ["10", "keep 10", "zachowaj 10", "zostaw 10", "оставляю 10"],
    "keep 10 drummer": [
        "keep 10 and Drummer", "drummer, 10", "zachowaj 10 i dobosza", "10 oraz dobosz",
        "оставить 10 и барабанщика",
    ],
}  # fmt: skip


def view_of(state: State, seat: int = 0) -> Any:
    seen = observe(state, seat)
    return SimpleNamespace(seen=seen, names=NAMES, choices=Choices(seen, NAMES, lambda move: []))


def rows() -> list[Any]:
    tables = [
        (BATTLE, 0, EVERYWHERE), (OF_1995, 0, IN_1995), (REGION, 0, OF_REGIONS), (HAND, 1, OF_HANDS),
        (CARDS, 0, OF_CARDS),
    ]  # fmt: skip
    return [
        pytest.param(state, seat, move, words, id=words)
        for state, seat, table in tables
        for move, replies in table.items()
        for words in replies
    ]


@pytest.mark.parametrize(("state", "seat", "move", "words"), rows())
def test_a_reply_is_read_whatever_the_reader_s_language_is(
    state: State, seat: int, move: str, words: str
) -> None:
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            assert meaning_of(words, view_of(state, seat)) == Play(parse_move(move))


@pytest.mark.parametrize(
    "words",
    ["aside", "I stand aside.", "z boku", "Zostań z boku", "в стороне", "Остаюсь в стороне"],
)
def test_a_reply_stands_aside(words: str) -> None:
    assert meaning_of(words, view_of(BATTLE)) == OrderAlone(Aside())


@pytest.mark.parametrize(
    ("words", "move"),
    [
        ("10 and hold", "play 10"), ("Play 10, hold.", "play 10"), ("winter and I hold", "play winter"),
        ("bishop to Siena and hold", "play bishop siena"),
        ("Play 10, and pass once everyone else has", "play 10"),
        ("Play 10, and pass once everyone else has http://x/confirm/?move=play+10&order=hold", "play 10"),
        ("10 and hold http://x/confirm/?move=play+10", "play 10"),
        ("http://x/confirm/?move=play+10&order=hold", "play 10"),
    ],
)  # fmt: skip
def test_a_reply_holds(words: str, move: str) -> None:
    assert meaning_of(words, view_of(BATTLE)) == Play(parse_move(move), HOLD)


def test_a_reply_that_only_holds_gives_an_order_without_a_card() -> None:
    assert meaning_of("hold", view_of(BATTLE)) == OrderAlone(HOLD)
    link = "http://x/confirm/?move=pass&order=aside"
    for words in ("Stand aside in this battle", f"Stand aside in this battle {link}", link):
        assert meaning_of(words, view_of(BATTLE)) == OrderAlone(Aside())


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_what_emails_call_holding_and_its_button_are_understood(language: str) -> None:
    with translation.override(language):
        said = [f"10 {first_word(Command.HOLD)}", hold_label("10")]
    for words in said:
        assert meaning_of(words, view_of(BATTLE)) == Play(parse_move("play 10"), HOLD)


@pytest.mark.parametrize(
    "words",
    ["pass and hold", "aside and hold", "5 from and hold", "10 and hold http://x/confirm/?move=play+3&order=hold",
     "10 http://x/confirm/?move=play+10&order=hold", "10 and fight on http://x/confirm/?move=play+10&order=hold"],
)  # fmt: skip
def test_what_holds_nothing_is_not_read(words: str) -> None:
    assert meaning_of(words, view_of(BATTLE)) == Unread()
    assert meaning_of("bishop and hold", view_of(BATTLE)) == Unclear("bishop")


@pytest.mark.parametrize(
    "words",
    ["10 and fight on", "play 10, fight on", "zagrywam 10 i walczę dalej", "10, walcz dalej",
     "10 и сражаюсь дальше", "играю 10 и сражаться дальше"],
)  # fmt: skip
def test_a_reply_fights_on(words: str) -> None:
    found = meaning_of(words, view_of(BATTLE))
    assert isinstance(found, Play)
    assert (str(found.move), isinstance(found.order, Fight)) == ("play 10", True)


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("say: hi", ()), ("Write: hi", ()), ("napisz: hi", ()), ("Piszę: hi", ()), ("скажи: hi", ()),
        ("Напишу: hi", None),
        ("to Bruno: hi", ("Bruno",)), ("say to Bruno, Carla: hi", ("Bruno", "Carla")),
        ("do Bruno: hi", ("Bruno",)), ("napisz do gracza Bruno: hi", ("Bruno",)),
        ("для Bruno: hi", ("Bruno",)), ("Для игрока Bruno: hi", ("Bruno",)), ("to: hi", None),
        ("see http://x", None),
    ],
)  # fmt: skip
def test_a_reply_writes_to_the_chat(line: str, names: tuple[str, ...] | None) -> None:
    expected = None if names is None else WrittenMessage("hi\nyou", names)
    assert message_in([line, "you"]) == expected


@pytest.mark.parametrize(
    "words",
    ["10 nie", "nie pasuję", "не пас", "ja i 10", "zima i walcz", "scarecrow 5 from", "kukła 5 od Dario",
     "пугало из", "bishop to", "biskup do", "do siena", "from Bruno", "and", "i", "и", "nic", "pasuję?",
     "zagraj", "играю карту"],
)  # fmt: skip
def test_nothing_is_guessed_in_any_language(words: str) -> None:
    for state in (BATTLE, OF_1995):
        assert meaning_of(words, view_of(state)) == Unread()


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_what_the_site_calls_a_command_is_among_its_words(language: str) -> None:
    with translation.override(language):
        named = {command: first_word(command) for command in Command}
        buttons = {Command.PASS: pgettext("button", "Pass"), Command.ASIDE: gettext("Stand aside")}
        for command, words in [*named.items(), *buttons.items()]:
            assert normal(words) in words_for(command)


@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_the_reply_box_names_a_word_that_is_understood(language: str) -> None:
    text = (
        "The site reads it as a reply from a mail program. "
        "In reply to a turn email, begin with a move or “say:”."
    )
    with translation.override(language):
        (named,) = QUOTED.findall(gettext(text))
        assert named == f"{first_word(Command.SAY)}:"
    assert message_in([f"{named} hi"]) == WrittenMessage("hi")


def test_no_words_stand_for_two_commands_that_may_begin_a_reply() -> None:
    first = (
        Command.PASS,
        Command.ASIDE,
        Command.HOLD,
        Command.SAY,
        Command.TO,
        Command.PLAY,
        Command.FIGHT_FOR,
    )
    ways = [way for command in (*first, Command.KEEP, Command.DISCARD) for way in words_for(command)]
    assert len(ways) == len(set(ways))


@pytest.mark.django_db
@pytest.mark.parametrize("language", [code for code, _name in settings.LANGUAGES])
def test_the_words_that_an_email_proposes_are_understood(
    game: Game, people: list[Any], replied: Any, language: str
) -> None:
    for person in people:
        person.language = language
        person.save()
    play_until(game, lambda state, decision: state.phase == "battle")
    email = next(email for email in delivered() if "Reply-To" in email.extra_headers)
    quoted = (QUOTED.findall(" ".join(one.split())) for one in email.body.split("\n\n") if "http" not in one)
    first, *orders, last, aside, say = next(found for found in quoted if len(found) > 3)
    replied(email, f"{say} {first}")
    assert ChatMessage.objects.get().text == first
    replied(email, first)
    assert game.log.filter(via=LogEntry.Via.EMAIL, move__startswith="play ").count() == 1
    assert meaning_of(last, view_of(BATTLE)) == Play(parse_move("pass"))
    assert meaning_of(aside, view_of(BATTLE)) == OrderAlone(Aside())
    given = [meaning_of(words.replace(first, "10"), view_of(BATTLE)) for words in orders]
    kinds = [kind_of(found.order) for found in given if isinstance(found, Play) and found.order]
    assert kinds == ["hold", "fight"]
