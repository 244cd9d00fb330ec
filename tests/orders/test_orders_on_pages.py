"""Standing orders on the game page, at the practice table, through email links and in emails."""

import html
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.utils import timezone, translation
from django.utils.html import escape

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.forms.typed_moves import read_fight
from games.models import Game, Seat, StandingOrder
from games.models.replay import replayed
from games.narration.cast import and_list
from games.narration.vocabulary import card_name
from games.orders import HOLD, MARGIN, Aside, Fight, Order, limit_above, suggested
from games.presenters.orders import FightOn
from games.privacy import export
from games.rules import MERCENARIES, Decision, State, observe, parse_move
from games.services.game_endings import end_by_table
from tests.games.playing import begin_game, play_until, submit
from tests.orders.test_giving_orders import Battle

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def battle(people: list[Any]) -> Battle:
    begin_game(people)  # in the first battle of a first game, no one is offered to fight on
    OutgoingEmail.objects.all().delete()
    return Battle(begin_game(people))


def page_of(client: Client, battle: Battle) -> str:
    return client.get(f"/games/{battle.game.pk}/").content.decode()


def step_of(battle: Battle) -> int:
    return replayed(battle.game).state.step


def order(client: Client, battle: Battle, what: str, **typed: Any) -> Any:
    typed = {"order": what, "step": step_of(battle)} | typed
    return client.post(f"/games/{battle.game.pk}/order/", typed, follow=True)


def picked(page: str) -> dict[str, Any]:
    """Return what the fields of fighting on send if nothing in them is changed."""
    cards = re.findall(r'type="checkbox" name="cards" value="(\w+)" checked', page)
    (above,) = re.findall(r'<option value="(\d+)" selected', page)
    return {"cards": cards, "above": above}


def test_a_card_is_played_and_the_fight_goes_on_by_one_press(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    client, card = signed_in(people[battle.first]), battle.mercenary(battle.first)
    page = page_of(client, battle)
    assert f"Play {card} and fight on" in page
    fields = picked(page)
    rest = fields["cards"][1:]
    assert f"Fight on with {card_list(rest)}. You decide again once" in page
    typed = {"fight_on": f"play {card}", "decision_step": step_of(battle), **fields}
    after = client.post(f"/games/{battle.game.pk}/move/", typed, follow=True).content.decode()
    given = StandingOrder.objects.get().order
    assert given == Fight(tuple(rest), limit_above(battle.seen(battle.first).totals))
    assert f"player’s strength is {given.limit} or more" in page
    assert "Your standing order plays these cards one by one" in after
    assert "Ask me instead" in after


def card_list(cards: list[str]) -> str:
    return and_list([card_name(card) for card in cards])


def test_cards_and_a_limit_are_picked_or_typed(battle: Battle, people: list[Any], signed_in: Any) -> None:
    client, lowest = signed_in(people[battle.third]), battle.mercenary(battle.third)
    strongest = max(battle.seen(battle.third).totals)
    given: list[tuple[dict[str, Any], Order]] = [
        ({"cards": ["", lowest], "above": "10"}, Fight((lowest,), strongest + 10)),
        ({"cards": ["", lowest], "above": "x"}, Fight((lowest,), strongest + MARGIN)),
        ({"cards": [""], "above": "10"}, HOLD),
        ({"cards": [""], "above": "10", "listed": lowest}, Fight((lowest,), strongest + 10)),
        ({"cards": ["", lowest], "above": "10", "limit": "7"}, Fight((lowest,), 7)),
    ]
    for typed, expected in given:
        assert order(client, battle, "fight", **typed).status_code == 200
        assert StandingOrder.objects.get().order == expected


def leading(battle: Battle) -> str:
    """Return a Mercenary with which the asked seat takes the lead."""
    return max((card for card in battle.seen(battle.asked()).hand or () if card in MERCENARIES), key=int)


def test_a_card_is_played_and_holds_by_one_press(battle: Battle, people: list[Any], signed_in: Any) -> None:
    client, card = signed_in(people[battle.first]), leading(battle)
    page = page_of(client, battle)
    assert f'name="hold" value="play {card}">Play {card}, and pass once everyone else has</button>' in page
    typed = {"hold": f"play {card}", "decision_step": step_of(battle)}
    after = client.post(f"/games/{battle.game.pk}/move/", typed, follow=True).content.decode()
    assert StandingOrder.objects.get().order == HOLD
    assert "Your standing order passes for you once everyone else has and you are ahead." in after
    battle.play(battle.second, "pass")
    battle.play(battle.third, "pass")
    assert battle.log()[-1] == (battle.first, "pass", "order")


def test_only_a_card_that_leads_is_offered_to_hold(battle: Battle, people: list[Any], signed_in: Any) -> None:
    battle.play(battle.first, f"play {leading(battle)}")
    page = page_of(signed_in(people[battle.second]), battle)
    offered = set(re.findall(r'name="hold" value="play (\w+)"', page))
    seen, total = battle.seen(battle.second), max(battle.seen(battle.second).totals)
    mercenaries = {card for card in seen.hand or () if card in MERCENARIES}
    assert offered & mercenaries == {card for card in mercenaries if int(card) > total}


def test_nothing_is_offered_to_hold_against_a_card_that_lies_face_down(
    people: list[Any], signed_in: Any
) -> None:
    battle = Battle(begin_game(people, options_json={"edition": "2007", "variants": ["hidden-cards"]}))
    for seat in (battle.first, battle.second, battle.third):
        battle.play(seat, f"play {leading(battle)}")
    page = page_of(signed_in(people[battle.first]), battle)  # the next card turns up the first
    assert "you lead" in page
    assert 'name="hold"' not in page


def test_holding_while_others_decide_by_one_press(battle: Battle, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[battle.third])
    assert "Pass once everyone else has" in page_of(client, battle)
    assert "Your standing order is in." in order(client, battle, "hold").content.decode()
    assert StandingOrder.objects.get().order == HOLD


def test_players_who_play_with_one_press_can_give_orders_too(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    User.objects.filter(pk=people[battle.first].pk).update(plays_at_once=True)
    card = leading(battle)
    page = page_of(signed_in(people[battle.first]), battle)
    for name, label in (("fight_on", " and fight on"), ("hold", ", and pass once everyone else has")):
        assert page.count(f'name="{name}" value="play {card}">Play {card}{label}</button>') == 1


def test_an_export_has_its_owners_orders_alone(battle: Battle, people: list[Any]) -> None:
    battle.give(battle.third, Fight((battle.mercenary(battle.third),), 20))
    (order,) = export(people[battle.third])["my_standing_orders"]
    assert (order["kind"], order["cards"]) == ("fight", [battle.mercenary(battle.third)])
    assert export(people[battle.first])["my_standing_orders"] == []


def test_once_the_game_is_over_everyone_sees_what_orders_did(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    battle.give(battle.third, Aside())
    battle.play(battle.first)
    battle.play(battle.second)
    owner, other, ply = people[battle.third], people[battle.second], battle.game.log.count()
    with transaction.atomic():
        end_by_table(battle.game, Game.Ended.AGREEMENT, (), timezone.now())
    address, told = f"/games/{battle.game.pk}/", f"{owner.name}’s standing order passed."
    pages = {f"{address}history/{ply}/": told, f"{address}?open=log": told}
    pages[f"{address}chronicle/"] = f"Standing orders moved for: {owner.name}."
    for path, said in pages.items():
        assert said in html.unescape(signed_in(other).get(path).content.decode()), path
    for path in (f"{address}history/{ply}/", f"{address}?open=log"):
        assert "Your standing order passed." in signed_in(owner).get(path).content.decode()
    then = signed_in(other).get(f"{address}history/{ply}/?as={battle.second + 1}").content.decode()
    assert f"{owner.name} passed." in then
    assert "standing order" not in then


def test_standing_aside_and_back_by_one_press_each(battle: Battle, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[battle.third])
    assert "Stand aside" in page_of(client, battle)
    assert "Your standing order passes for you" in order(client, battle, "aside").content.decode()
    assert StandingOrder.objects.get().order == Aside()
    after = order(client, battle, "withdraw").content.decode()
    assert "You decide yourself again." in after
    again = order(client, battle, "withdraw").content.decode()
    assert "Your standing order had already ended." in again
    assert not StandingOrder.objects.exists()


def test_card_names_are_read_as_they_are_written(battle: Battle, people: list[Any], signed_in: Any) -> None:
    held = battle.seen(battle.third).hand or ()
    special = next((card for card in ("courtesan", "heroine", "drummer") if card in held), None)
    typed = [battle.mercenary(battle.third), *([special.title()] if special else [])]
    order(signed_in(people[battle.third]), battle, "fight", cards=" ; ".join(typed), limit="12")
    assert StandingOrder.objects.get().cards == [word.lower() for word in typed]


def test_a_bad_order_is_answered_with_a_sentence_and_changes_nothing(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    client, lowest = signed_in(people[battle.third]), battle.mercenary(battle.third)
    bad: list[tuple[dict[str, str], str]] = [
        ({"listed": "winter", "limit": "9"}, "A standing order can’t play “Winter”"),
        ({"listed": "<b>, 3", "limit": "9"}, "A standing order can’t play “&lt;b&gt;”"),
        ({"listed": "10 10 10 10 10 10", "limit": "9"}, "You don’t hold as many cards “10”"),
        ({"cards": lowest, "limit": "-1"}, "Enter a limit from 1 to 999."),
        ({"cards": lowest, "limit": "9" * 1000}, "Enter a limit from 1 to 999."),
        ({"cards": lowest, "limit": "99999999999" + "９"}, "Enter a limit from 1 to 999."),
        ({"listed": "1 " * 3000, "limit": "9"}, "You don’t hold as many cards “1”"),
        ({"cards": ["1"] * 900, "limit": "9"}, "You don’t hold as many cards “1”"),
        ({"listed": "1" * 100_000, "limit": "9"}, "can’t play “11111111111111111111”"),
        ({"order": "dance"}, "Nothing was changed. Choose a standing order"),
        ({"order": "aside", "step": "1"}, "The game has moved on"),
    ]
    for typed, said in bad:
        got = order(client, battle, "fight", **typed)
        page = got.content.decode()
        assert got.status_code in {400, 409}
        assert said in page
        assert page.count("A standing order can’t") <= 1
        for name in {"listed", "limit"} & typed.keys():  # no one types it twice
            assert f'name="{name}" value="{escape(typed[name][:6])}' in page
    assert not StandingOrder.objects.exists()


def test_only_the_seats_own_player_gives_its_order(battle: Battle, stranger: Any, signed_in: Any) -> None:
    assert order(signed_in(stranger), battle, "aside").status_code == 404
    assert order(Client(), battle, "aside").redirect_chain[0][0].startswith("/account")
    assert not StandingOrder.objects.exists()


def test_what_the_order_did_and_why_it_asks_is_told_to_its_owner_alone(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    battle.give(battle.third, Aside())
    battle.play(battle.first)
    battle.play(battle.second)
    owner, other = (page_of(signed_in(people[seat]), battle) for seat in (battle.third, battle.second))
    name = people[battle.third].name
    assert "Your standing order passed." in owner
    assert f"{name} passed." in other
    assert "order passed" not in other


def test_an_order_that_stands_is_shown_to_its_owner_alone(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    battle.give(battle.third, Aside())
    owner, other = (page_of(signed_in(people[seat]), battle) for seat in (battle.third, battle.second))
    assert "Your standing order passes for you" in owner
    assert "Your standing order passes for you" not in other


def test_after_a_stop_page_and_email_say_why_first(battle: Battle, people: list[Any], signed_in: Any) -> None:
    battle.fight(battle.first, limit=1)
    battle.play(battle.second)
    battle.play(battle.third)
    why = f"Your standing order has ended: {people[battle.second].name} has reached its limit."
    assert why in page_of(signed_in(people[battle.first]), battle)
    mail.outbox.clear()
    deliver_due(timezone.now())
    body = next(one.body for one in mail.outbox if one.to == [people[battle.first].email])
    assert why in body.split("Since your last move")[0]


def test_after_an_orders_battle_page_and_email_tell_its_end_alone(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    battle.fight(battle.first)
    battle.play(battle.second, "pass")
    mail.outbox.clear()
    battle.play(battle.third, "pass")
    assert battle.stop(battle.first) is None
    page = page_of(signed_in(people[battle.first]), battle)
    deliver_due(timezone.now())
    body = next(one.body for one in mail.outbox if one.to == [people[battle.first].email])
    for said in (page, body):
        assert "You took Ancona." in said
        assert "order has" not in said


def test_an_emails_link_plays_and_fights_on(battle: Battle, people: list[Any]) -> None:
    deliver_due(timezone.now())
    body = next(one.body for one in reversed(mail.outbox) if one.to == [people[battle.first].email])
    link = re.findall(r"https?://[^/\s]+(/answer/[^/\s]+/)#ask\s", body)[-1]
    client, card = Client(), battle.mercenary(battle.first)
    assert f"Play {card} and fight on" in client.get(link).content.decode()
    typed = {"fight_on": f"play {card}", "listed": "10, 10, 10, 10", "limit": "x", "pass": "on"}
    refused = client.post(f"{link}move/", typed)
    assert refused.status_code == 400
    page = refused.content.decode()
    assert "Choose cards from your hand. Nothing was changed." in page
    assert 'name="listed" value="10, 10, 10, 10"' in page
    assert 'name="limit" value="x"' in page
    assert 'name="pass" checked' in page
    assert battle.log() == []
    order = battle.seen(battle.first).hand or ()
    rest = [one for one in order if one.isdigit()][1:]
    typed = {"fight_on": f"play {card}", "cards": ", ".join([card, *rest]), "limit": "30"}
    assert client.post(f"{link}move/", typed, follow=True).status_code == 200
    assert StandingOrder.objects.get().order == Fight(tuple(rest), 30)
    StandingOrder.objects.all().delete()
    battle.play(battle.second)
    battle.play(battle.third)
    old = Client().post(f"{link}move/", {"fight_on": f"play {rest[-1]}", "cards": rest[-1], "limit": "30"})
    assert old.status_code == 409
    assert "You have already made your move for that turn." in old.content.decode()
    assert not StandingOrder.objects.exists()


def links_in(battle: Battle, people: list[Any]) -> dict[str, str]:
    """Return the links of the first player's turn email by their names."""
    deliver_due(timezone.now())
    body = next(one.body for one in reversed(mail.outbox) if one.to == [people[battle.first].email])
    return dict(re.findall(r"^  (\S.*?)(?: · .*?)?  +https?://[^/\s]+(/answer/\S+)$", body, re.MULTILINE))


def test_an_emails_second_link_holds_and_only_its_button_does(battle: Battle, people: list[Any]) -> None:
    links, card = links_in(battle, people), leading(battle)
    label = f"Play {card}, and pass once everyone else has"
    page = Client().get(links[label]).content.decode()
    assert battle.log() == []
    assert not StandingOrder.objects.exists()
    assert f"<h1>{label}</h1>" in page
    assert "You pass once everyone else has and you are ahead." in page
    assert f'name="move" value="play {card}">Play {card}</button>' in page
    move_url = links[label].partition("confirm/")[0] + "move/"
    assert f'name="hold" value="play {card}">{label}</button>' in page
    Client().post(move_url, {"hold": f"play {card}"})
    assert battle.log() == [(battle.first, f"play {card}", "link")]
    assert StandingOrder.objects.get().order == HOLD


def test_a_confirmation_offers_the_standing_orders(battle: Battle, people: list[Any]) -> None:
    links, card = links_in(battle, people), leading(battle)
    link = links[f"Play {card}"]
    page = Client().get(link).content.decode()
    assert f"<h1>Play {card}</h1>" in page
    assert f'name="hold" value="play {card}"' in page
    assert f'name="fight_on" value="play {card}"' in page
    cards = re.findall(r'type="hidden" name="cards" value="(\w+)"', page)
    (limit,) = re.findall(r'type="hidden" name="limit" value="(\d+)"', page)
    typed = {"fight_on": f"play {card}", "cards": cards, "limit": limit}
    Client().post(link.partition("confirm/")[0] + "move/", typed)
    rest = suggested(battle.seen(battle.first)).cards
    assert StandingOrder.objects.get().order == Fight(rest, limit_above(battle.seen(battle.first).totals))


def test_an_emails_link_stands_aside_before_or_after_the_move(battle: Battle, people: list[Any]) -> None:
    link = links_in(battle, people)["Stand aside in this battle"]
    move_url = link.partition("confirm/")[0] + "move/"
    page = Client().get(link).content.decode()
    assert "You pass, and play no more cards in this battle." in page
    assert 'name="aside" value="pass"' in page
    battle.play(battle.first)
    later = Client().get(link).content.decode()
    assert "You have already made your move for that turn." in later
    assert not StandingOrder.objects.exists()
    done = Client().post(move_url, {"aside": "pass"}, follow=True)
    assert "Your standing order is in." in done.content.decode()
    assert StandingOrder.objects.get().order == Aside()
    battle.play(battle.second)
    battle.play(battle.third)
    assert battle.log()[-1] == (battle.first, "pass", "order")
    assert Client().get(link).status_code == 409
    assert Client().post(move_url, {"aside": "pass"}).status_code == 409


def test_an_emails_link_to_stand_aside_passes(battle: Battle, people: list[Any]) -> None:
    link = links_in(battle, people)["Stand aside in this battle"]
    Client().post(link.partition("confirm/")[0] + "move/", {"aside": "pass"})
    assert battle.log() == [(battle.first, "pass", "link")]
    assert not StandingOrder.objects.exists()


def test_emails_name_the_words_of_standing_orders(battle: Battle, people: list[Any]) -> None:
    deliver_due(timezone.now())
    body = next(one.body for one in reversed(mail.outbox) if one.to == [people[battle.first].email])
    text = " ".join(body.split())
    card = re.search(r"Or reply with “(\w+)”, “\1 and hold”, “\1 and fight on”, “Pass” or “aside”", text)
    assert card is not None
    assert f"Play {card[1]}, and pass once everyone else has" in body


def test_cards_are_typed_in_any_language_or_shortened() -> None:
    typed = "10, Courtesan drum HEROINE; Куртизанка, барабан C Winter"
    known = ("10", "courtesan", "drummer", "heroine", "courtesan", "drummer")
    too_short_and_no_card_to_fight_with = ("C", "Winter")
    read = read_fight(QueryDict(urlencode({"listed": typed, "limit": "9"})), lambda margin: margin)
    assert read.cards == (*known, *too_short_and_no_card_to_fight_with)
    with translation.override("ru"):
        assert [card.name for card in FightOn(Fight(("10", "drummer"), 9)).cards] == ["10", "Барабанщик"]


def test_where_the_table_turned_them_off_there_are_none(people: list[Any], signed_in: Any) -> None:
    battle = Battle(begin_game(people))
    battle.game.table.has_orders = False
    battle.game.table.save()
    page = page_of(signed_in(people[battle.first]), battle)
    assert "fight on" not in page
    assert "Standing order" not in page
    got = order(signed_in(people[battle.third]), battle, "aside")
    assert "This table plays without standing orders." in got.content.decode()
    assert not StandingOrder.objects.exists()


def test_no_seat_that_is_out_of_the_battle_is_offered_one(
    battle: Battle, people: list[Any], signed_in: Any
) -> None:
    submit(battle.game, battle.first, parse_move("pass"), step_of(battle), "web")
    assert "Standing order" not in page_of(signed_in(people[battle.first]), battle)
    assert Seat.objects.filter(order_stop__isnull=False).count() == 0


def test_newcomers_see_a_battle_end_before_they_are_offered_to_fight_on(
    people: list[Any], signed_in: Any
) -> None:
    battle = Battle(begin_game(people))
    assert "fight on" not in page_of(signed_in(people[battle.first]), battle).lower()

    def could_fight_on(state: State, decision: Decision) -> bool:
        seen = observe(state, decision.seat)
        return bool(seen.control) and seen.phase == "battle" and len(suggested(seen).cards) > 1

    play_until(battle.game, could_fight_on)
    assert "fight on" in page_of(signed_in(people[battle.asked()]), battle)
