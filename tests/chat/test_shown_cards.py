"""Cards shown to a channel: what the site confirms, who sees it, and what can never look like it (R24)."""

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.own_name import site_name
from games import services
from games.chat import services as chat_services
from games.chat.models import Channel, Message, ShownCards
from games.chat.services import shown_cards
from games.chat.services.channels import public_channel
from games.chat.services.shown_cards import show_cards
from games.models import Game, Seat, Table
from games.models.replay import replayed
from games.rules import observe
from games.services.practice import begin_practice
from tests.chat.chatting import chat_emails, html_of
from tests.games.playing import answer, begin_game, legal_texts, play_to_the_end, seat_table
from tests.games.polls import poll
from tests.tidy import tidy

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(people: list[Any]) -> Game:
    return begin_game(people)


def seat_of(game: Game, person: Any) -> Seat:
    return game.table.seats.get(user=person)


def hand_of(game: Game, person: Any) -> list[str]:
    return list(observe(replayed(game).state, seat_of(game, person).number).hand or ())


def others(game: Game, *people: Any) -> list[Seat]:
    return [seat_of(game, person) for person in people]


def page_of(client: Client, game: Game, channel: Channel | None = None) -> str:
    slug = f"{channel.slug}/" if channel else ""
    return client.get(f"/tables/{game.table_id}/chat/{slug}").content.decode()


def show(client: Client, game: Game, **chosen: Any) -> Any:
    return client.post(f"/tables/{game.table_id}/show/", chosen)


class _Boxes(HTMLParser):
    """Return the contents of elements that only the site may use."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.classes: set[str] = set()
        self._depth = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.classes |= set((dict(attrs).get("class") or "").split())
        if tag in ("br", "hr", "input", "meta", "link", "img"):
            return
        if self._depth:
            self._depth += 1
        elif "system-message" in (dict(attrs).get("class") or "").split():
            self._depth = 1
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self._depth = max(0, self._depth - 1)

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.found[-1] += data


def attested(page: str) -> list[str]:
    """Return all that the site says on a page or in an email."""
    return [" ".join(words.split()) for words in _Boxes(page).found]


def test_cards_are_chosen_confirmed_and_shown(game: Game, people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla = people
    client, hand = signed_in(anna), hand_of(game, anna)
    page = client.get(f"/tables/{game.table_id}/show/").content.decode()
    assert re.findall(r'name="card" value="(\w+)"', page) == hand
    chosen = {"card": hand[:2], "to": "people", "seats": [str(seat_of(game, bruno).number)]}
    sure = show(client, game, **chosen).content.decode()
    assert "Only you and Bruno will see these cards." in sure
    assert "You can’t undo this." in sure
    assert not Message.objects.exists()
    fields = dict.fromkeys(["to", "card", "seats"], ()) | {
        name: re.findall(rf'type="hidden" name="{name}" value="([^"]*)"', sure)
        for name in ("to", "card", "seats")
    }
    assert fields == {"to": ["people"], "card": hand[:2], "seats": chosen["seats"]}
    done = show(client, game, sure="yes", **fields)
    channel = Channel.objects.get()
    assert done["Location"] == f"/tables/{game.table_id}/chat/{channel.slug}/#message-1"
    step = replayed(game).state.step
    for reader in (anna, bruno):
        (said,) = attested(page_of(signed_in(reader), game, channel))
        assert f"in the hand at step {step}" in said
    assert signed_in(carla).get(f"/tables/{game.table_id}/chat/{channel.slug}/").status_code == 404
    assert hand_of(game, anna) == hand


def test_opening_the_pages_shows_nothing(game: Game, anna: Any, signed_in: Any) -> None:
    client = signed_in(anna)
    card = hand_of(game, anna)[0]
    client.get(f"/tables/{game.table_id}/show/?card={card}&to=table&sure=yes")
    show(client, game, card=[card], to="table")
    show(client, game, card=[card], to="table", again="yes")
    assert not Message.objects.exists()


def test_an_email_tells_of_cards_shown(game: Game, people: list[Any]) -> None:
    anna, bruno, _carla = people
    hand = hand_of(game, anna)
    show_cards(seat_of(game, anna), hand[:1], others=others(game, bruno))
    (email,) = chat_emails()
    assert email.to == ["bruno@example.org"]
    assert "| Anna showed" in " ".join(email.body.split("\n"))
    (said,) = attested(html_of(email))
    assert "Anna showed" in said


def test_two_of_the_same_card_can_both_be_shown_and_never_more(people: list[Any], signed_in: Any) -> None:
    for _try in range(30):
        game = begin_game(people)
        hand = hand_of(game, people[0])
        card, count = Counter(hand).most_common(1)[0]
        if count > 1:
            break
    more = show(signed_in(people[0]), game, card=[card] * (count + 1), to="table", sure="yes")
    assert more.status_code == 400
    assert "You no longer hold all of these cards" in more.content.decode()
    with pytest.raises(services.Refused):
        show_cards(seat_of(game, people[0]), [card] * (count + 1), public_channel(game.table))
    show_cards(seat_of(game, people[0]), [card] * count, public_channel(game.table))
    assert ShownCards.objects.get().cards == [card] * count


def test_a_second_click_shows_once(game: Game, people: list[Any], signed_in: Any) -> None:
    client, hand = signed_in(people[0]), hand_of(game, people[0])
    chosen = {"card": hand[1:3], "to": "people", "seats": ["1"], "sure": "yes"}
    first, second = show(client, game, **chosen), show(client, game, **chosen)
    assert first["Location"] == second["Location"]
    assert ShownCards.objects.count() == 1
    show(client, game, **(chosen | {"card": hand[:1]}))
    assert ShownCards.objects.count() == 2


def test_what_was_held_is_asked_of_the_hand_at_that_very_moment(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    mover = next(person for person in people if seat_of(game, person).decision_step is not None)
    answer(game, legal_texts(game)[0])
    while seat_of(game, mover).decision_step is None:
        answer(game, legal_texts(game)[0])
    played = next(
        text for text in legal_texts(game) if text.startswith("play ") and text.split()[1].isdigit()
    )
    card, hand = played.split()[1], hand_of(game, mover)
    chosen = {"card": [card] * hand.count(card), "to": "table"}
    assert (
        show(signed_in(mover), game, **chosen).status_code == 200
    )  # the page that asks whether they are sure
    answer(game, played)
    late = show(signed_in(mover), game, sure="yes", **chosen)
    assert late.status_code == 400
    assert "Choose from your hand as it is now" in late.content.decode()
    assert not ShownCards.objects.exists()


def test_after_the_end_the_ply_the_proof_and_a_check_are_told(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, _carla = people
    message = show_cards(seat_of(game, anna), hand_of(game, anna)[:2], others=others(game, bruno))
    shown = ShownCards.objects.get()
    running = page_of(signed_in(bruno), game, message.channel)
    assert "ply" not in attested(running)[0]
    play_to_the_end(game)
    page = page_of(signed_in(bruno), game, message.channel)
    assert f"in the hand at entry {shown.ply}" in attested(page)[0]
    assert "The game’s record confirms it." in attested(page)[0]
    for link in (f"/games/{game.pk}/history/{shown.ply}/", f"/games/{game.pk}/proof/"):
        assert f'href="{link}"' in page
        assert signed_in(bruno).get(link).status_code == 200


def test_an_attestation_that_was_changed_behind_the_tables_back_is_found_out(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, _carla = people
    message = show_cards(seat_of(game, anna), hand_of(game, anna)[:1], others=others(game, bruno))
    play_to_the_end(game)
    ShownCards.objects.update(cards=["heroine"] * 4)
    assert "record says something else" in page_of(signed_in(bruno), game, message.channel)


TERMS = [({"chat": chat}, 302) for chat in Table.Chat.values] + [({"shows_cards": False}, 409)]


@pytest.mark.parametrize(("terms", "status"), TERMS)
def test_the_terms_of_showing_are_their_own(
    people: list[Any], signed_in: Any, terms: dict[str, Any], status: int
) -> None:
    game = begin_game(people)
    Table.objects.filter(pk=game.table_id).update(**terms)
    card = hand_of(game, people[0])[0]
    for to in ({"to": "table"}, {"to": "people", "seats": ["1"]}):
        done = show(signed_in(people[0]), game, card=[card], sure="yes", **to)
        assert done.status_code == status
    if status == 409:
        page = signed_in(people[0]).get(f"/tables/{game.table_id}/show/").content.decode()
        assert "allow showing cards." in page
        assert 'name="card"' not in page
        assert not Message.objects.exists()


def test_a_channel_where_words_are_forbidden_holds_attestations_alone(
    people: list[Any], signed_in: Any
) -> None:
    game = begin_game(people)
    Table.objects.filter(pk=game.table_id).update(chat=Table.Chat.NONE)
    message = show_cards(
        seat_of(game, people[0]), hand_of(game, people[0])[:1], others=others(game, people[1])
    )
    path = f"/tables/{game.table_id}/chat/{message.channel.slug}/"
    assert signed_in(people[1]).post(path, {"text": "Thank you"}).status_code == 409
    assert len(attested(page_of(signed_in(people[1]), game, message.channel))) == 1


def test_before_and_after_the_game_there_is_nothing_to_show(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people, size=4)
    page = f"/tables/{table.pk}/show/"
    assert "no one has cards yet" in signed_in(people[0]).get(page).content.decode()
    assert signed_in(people[0]).post(page, {"to": "table", "card": "1", "sure": "yes"}).status_code == 409
    game = begin_game(people)
    play_to_the_end(game)
    over = show(signed_in(people[0]), game, to="table", card="1", sure="yes")
    assert (over.status_code, "The game is over" in over.content.decode()) == (409, True)


def test_whose_hand_a_bot_plays_is_told_to_come_back_first(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    Seat.objects.filter(table=game.table, user=people[0]).update(played_by_bot=Seat.Bot.CAPTAIN)
    refused = show(signed_in(people[0]), game, to="table", card=hand_of(game, people[0])[0], sure="yes")
    assert refused.status_code == 409
    assert "come back to the game first" in refused.content.decode()


def test_someone_who_has_left_shows_nothing(game: Game, people: list[Any], signed_in: Any) -> None:
    seat, hand = seat_of(game, people[0]), hand_of(game, people[0])
    channel = chat_services.begin_channel(seat, others(game, people[1]))
    services.give_up(seat)
    assert show(signed_in(people[0]), game, to="table", card=hand[0], sure="yes").status_code == 404
    with pytest.raises(services.Refused):
        show_cards(seat, hand[:1], channel)


def test_bots_cannot_be_shown_cards(people: list[Any], signed_in: Any) -> None:
    table = seat_table(people[:2], size=3)
    services.seat_bot(table, strength="recruit", roster=2)
    for seat in table.seats.people():
        services.confirm(seat)
    game = Game.objects.get(table=table)
    client, card = signed_in(people[0]), hand_of(game, people[0])[0]
    bot = table.seats.get(user=None)
    refused = show(client, game, to="people", seats=[str(bot.number)], card=card, sure="yes")
    assert (refused.status_code, "not to bots" in refused.content.decode()) == (400, True)
    with pytest.raises(services.Refused):
        show_cards(seat_of(game, people[0]), [card], others=[bot])
    services.give_up(seat_of(game, people[1]))
    alone = client.get(f"/tables/{table.pk}/show/").content.decode()
    assert "No other player is there to see your cards" in alone
    with pytest.raises(services.Refused):
        show_cards(seat_of(game, people[0]), [card], public_channel(table))


def test_a_stranger_to_a_channel_cannot_show_there(game: Game, people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla = people
    channel = chat_services.begin_channel(seat_of(game, anna), others(game, bruno))
    card = hand_of(game, carla)[0]
    assert show(signed_in(carla), game, to=channel.slug, card=card, sure="yes").status_code == 400
    with pytest.raises(services.Refused):
        show_cards(seat_of(game, carla), [card], channel)


def test_there_is_a_most_for_a_day(
    game: Game, people: list[Any], signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_cards, "MOST_SHOWN_A_DAY", 1)
    hand = hand_of(game, people[0])
    assert show(signed_in(people[0]), game, to="table", card=hand[0], sure="yes").status_code == 302
    over = show(signed_in(people[0]), game, to="table", card=hand[:2], sure="yes")
    assert (over.status_code, "daily limit" in over.content.decode()) == (429, True)


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"to": "table"}, "Choose the cards that you want to show."),
        ({"card": "{held}"}, "Choose who will see the cards."),
        ({"card": "{held}", "to": "people"}, "Choose the players who will see the cards."),
        ({"card": "{held}", "to": "table", "seats": "1"}, "Choose one or the other"),
        ({"card": "excalibur", "to": "table"}, "You no longer hold all of these cards"),
        (
            {"card": "{held}", "to": "people", "seats": "0"},
            "You can only show cards to players at this table",
        ),
        ({"card": "{held}", "to": "guessed"}, "That isn’t one of the choices. Choose again."),
    ],
)
def test_a_choice_that_cannot_be_is_answered_and_kept(
    game: Game, people: list[Any], signed_in: Any, chosen: dict[str, str], why: str
) -> None:
    held = hand_of(game, people[0])[0]
    chosen = {name: value.format(held=held) for name, value in chosen.items()}
    answered = show(signed_in(people[0]), game, sure="yes", **chosen)
    page = tidy(answered.content.decode())
    assert (answered.status_code, why in page) == (400, True), page
    if chosen.get("card") == held:
        assert re.search(rf'name="card" value="{held}" checked', page)
    assert not Message.objects.exists()


def test_a_practice_table_has_none(signed_in: Any, anna: Any) -> None:
    from uuid import uuid4

    game = begin_practice(None, opponents=2, strength="recruit", form_key=uuid4())
    assert signed_in(anna).get(f"/tables/{game.table_id}/show/").status_code == 404


def test_the_hand_and_every_channel_lead_to_showing(game: Game, people: list[Any], signed_in: Any) -> None:
    channel = chat_services.begin_channel(seat_of(game, people[0]), others(game, people[1]))
    client, path = signed_in(people[0]), f"/tables/{game.table_id}/show/"
    assert f'href="{path}"' in client.get(f"/games/{game.pk}/").content.decode()
    lead = f"{path}?channel={channel.slug}"
    assert f'href="{lead}"' in page_of(client, game, channel)
    assert re.search(rf'value="{channel.slug}"[^>]* checked', client.get(lead).content.decode())
    Table.objects.filter(pk=game.table_id).update(shows_cards=False)
    assert path not in client.get(f"/games/{game.pk}/").content.decode()
    assert path not in page_of(client, game, channel)


FORGED = [
    "Anna showed Heroine..",
    '<div class="system-message"><p class="system-title">The site confirms shown cards</p></div>',
    "> > > **The site confirms shown cards**\n> > > `10` `10`\n> > > in the hand at step 9",
    "`<div class=system-message>`\n\n```\n<div class=system-message>The site confirms shown cards</div>\n```",
    "| The site confirms shown cards: Anna showed 10, 10.\n\n    | The site confirms shown cards",
    "\u202eThe site confirms shown cards\u202c \u2066The table says\u2069 🂡 🃁 👑",
    '</div></li><li><div class="system-message">The site confirms shown cards',
    '[The site confirms shown cards](https://example.org/ "system-message"){.system-message}',
    "&lt;div class=system-message&gt; <!-- --> <p class='system-title'>",
    f"{site_name()}, Sunday 22 November, 06:00 (UTC):\n\n| The site confirms shown cards",
]


def test_words_can_never_look_like_an_attestation(game: Game, people: list[Any], signed_in: Any) -> None:
    for forged in FORGED:
        chat_services.write(seat_of(game, people[0]), forged)
    page = page_of(signed_in(people[1]), game)
    assert attested(page) == []
    assert not {"system-message", "system-title", "shown-cards"} & _Boxes(page).classes
    email = chat_emails()[0]
    assert attested(html_of(email)) == []
    assert not [line for line in email.body.split("\n") if line.startswith("|")]
    assert f"\n{site_name()}, " not in email.body


def test_next_to_a_forgery_stands_only_what_was_shown(game: Game, people: list[Any], signed_in: Any) -> None:
    for forged in FORGED:
        chat_services.write(seat_of(game, people[0]), forged)
    show_cards(seat_of(game, people[0]), hand_of(game, people[0])[:1], public_channel(game.table))
    assert len(attested(page_of(signed_in(people[1]), game))) == 1
    email = chat_emails()[0]
    assert len(attested(html_of(email))) == 1
    assert email.body.count(f"\n{site_name()}, ") == 1


def _bytes_for(client: Client, game: Game) -> list[bytes]:
    """Return all that a player gets, without the forms' tokens."""
    paths = [f"/games/{game.pk}/", f"/tables/{game.table_id}/", f"/tables/{game.table_id}/chat/"]
    paths += ["/games/", f"/tables/{game.table_id}/chat-with/", f"/tables/{game.table_id}/show/"]
    token = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')
    return [token.sub(b"", client.get(path).content) for path in paths]


@time_machine.travel("2031-03-03 12:00:30+00:00", tick=False)
def test_someone_who_is_not_in_the_channel_gets_the_same_whether_cards_were_shown_or_not(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    client = signed_in(carla)
    _bytes_for(client, game)  # what is new to her is so once
    before = _bytes_for(client, game)
    quiet = poll(client, before[0].decode())
    show_cards(seat_of(game, anna), hand_of(game, anna)[:2], others=others(game, bruno))
    news = poll(client, before[0].decode())
    assert news.status_code == 304
    assert (news.status_code, news.content) == (quiet.status_code, quiet.content)
    assert _bytes_for(client, game) == before
    assert "carla@example.org" not in [address for email in chat_emails() for address in email.to]


def test_spectators_see_what_was_shown_to_the_whole_table_and_nothing_else(people: list[Any]) -> None:
    game = begin_game(people, watch="link")
    show_cards(seat_of(game, people[0]), hand_of(game, people[0])[:1], others=others(game, people[1]))
    page = f"/watch/{game.table.watch_key}/chat/"
    assert attested(Client().get(page).content.decode()) == []
    message = show_cards(seat_of(game, people[0]), hand_of(game, people[0])[:2], public_channel(game.table))
    assert len(attested(Client().get(page).content.decode())) == 1
    play_to_the_end(game)
    shown = ShownCards.objects.get(message=message)
    page = Client().get(page).content.decode()
    assert f"/watch/{game.table.watch_key}/history/{shown.ply}/" in page or "Chat after the game" in page
