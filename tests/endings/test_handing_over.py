"""A seat of a running game is handed over by invitation; its former holder loses access (R49)."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.privacy import erase, everything_about
from games import services
from games.links import LinkedDecision, answer_token, invitation_token, seat_token
from games.models import Game, Invitation, Proposal, Seat, SeatChange
from games.selectors.integrity import differences
from games.services import Refused
from games.services.table_invitations import forget_old_invitations
from games.urls import urlpatterns
from games.views import play
from tests.games.playing import decision_of, legal_texts, play_to_the_end, play_until

pytestmark = pytest.mark.django_db

DARIO = "dario@example.org"


def seat(number: int) -> Seat:
    return Seat.objects.get(number=number)


@pytest.fixture
def asked(game: Game) -> Seat:
    """The seat to move, whose holder hands it over."""
    return seat(decision_of(game).seat)


def test_someone_who_takes_it_over_is_asked_and_plays_on(game: Game, asked: Seat, dario: User) -> None:
    old = asked.person
    decision = decision_of(game)
    offer = services.hand_over(asked, DARIO)
    assert seat(asked.number).user == old
    services.take_over(offer, dario)
    taken = seat(asked.number)
    assert (taken.user, taken.decision_step, taken.bot) == (dario, decision.decision_step, "")
    assert OutgoingEmail.objects.filter(kind="your_turn", to_user=dario).count() == 1
    told = OutgoingEmail.objects.filter(kind="seat_changed")
    assert {email.to_user for email in told} == {one.user for one in Seat.objects.exclude(pk=asked.pk)}
    assert differences(game.pk) == []
    for person, status in ((old, 404), (dario, 200)):
        link = answer_token(LinkedDecision(game.pk, asked.number, person.pk, decision.decision_step))
        assert Client().get(f"/answer/{link}/").status_code == status


def test_old_links_of_someone_who_lost_their_seat_say_so_kindly_and_tell_strangers_nothing(
    game: Game, asked: Seat, dario: User
) -> None:
    decision = decision_of(game)
    old = answer_token(LinkedDecision(game.pk, asked.number, asked.person.pk, decision.decision_step))
    links = [f"/answer/{old}/", f"/answer/{old}/confirm/", f"/seat/{seat_token(asked)}/"]
    services.take_over(services.hand_over(asked, DARIO), dario)
    wrong = Client().get("/seat/x/")
    for link in links:
        answer = Client().get(link)
        assert answer.status_code == 404
        assert "Someone else has this seat now" in unescape(answer.content.decode())
        assert answer.content == wrong.content
        assert game.table.name not in answer.content.decode()


@pytest.mark.parametrize("to_a_bot", [False, True])
def test_someone_who_left_a_game_is_told_so_at_its_page_and_a_stranger_is_not(
    game: Game, asked: Seat, dario: User, elena: User, signed_in: Any, to_a_bot: bool
) -> None:
    old, path = asked.person, f"/games/{game.pk}/"
    if to_a_bot:
        services.give_up(asked)
    else:
        services.take_over(services.hand_over(asked, DARIO), dario)
    answer = signed_in(old).get(path)
    page = answer.content.decode()
    assert answer.status_code == 404
    assert "You are no longer in this game" in page
    assert 'class="button" href="/games/"' in page
    assert answer["Cache-Control"] == "no-store, private"
    told = [game.table.name, "Dario", "Bruno" if old.name != "Bruno" else "Anna"]
    assert [words for words in told if words in page] == []
    stranger, nothing = (signed_in(elena).get(one) for one in (path, f"/games/{2**70}/"))
    assert (stranger.status_code, nothing.status_code) == (404, 404)
    assert "no longer in this game" not in stranger.content.decode()
    assert "no longer in this game" not in signed_in(old).get("/games/999999/").content.decode()


@pytest.mark.parametrize("to_a_bot", [False, True])
@pytest.mark.parametrize("by_link", [False, True])
def test_a_move_that_crosses_a_handover_is_refused(
    game: Game,
    asked: Seat,
    dario: User,
    signed_in: Any,
    monkeypatch: pytest.MonkeyPatch,
    to_a_bot: bool,
    by_link: bool,
) -> None:
    """Just before the game is locked, when a link's seat has been found already."""
    logged: list[int] = []

    def hands_over_first(*move: Any) -> object:
        seen = seat(asked.number)
        services.give_up(seen) if to_a_bot else services.take_over(services.hand_over(seen, DARIO), dario)
        logged.append(game.log.count())
        return services.submit_move(*move)

    monkeypatch.setattr(play, "submit_move", hands_over_first)
    decision = decision_of(game)
    link = answer_token(LinkedDecision(game.pk, asked.number, asked.person.pk, decision.decision_step))
    client, path = (
        (Client(), f"/answer/{link}/") if by_link else (signed_in(asked.person), f"/games/{game.pk}/")
    )
    typed = {"move": legal_texts(game)[0], "decision_step": decision.decision_step}
    told = client.post(f"{path}move/", typed, follow=True)
    assert told.status_code == 404
    said = "Someone else has this seat now" if by_link else "You are no longer in this game"
    assert said in unescape(told.content.decode())
    assert [game.log.count()] == logged
    assert differences(game.pk) == []


def test_every_page_and_button_of_a_game_says_so(
    game: Game, asked: Seat, dario: User, elena: User, signed_in: Any
) -> None:
    old, form = asked.person, {"move": "pass", "decision_step": 1}
    services.take_over(services.hand_over(asked, DARIO), dario)
    said = set()
    for pattern in urlpatterns:
        address = str(pattern.pattern)
        if not address.startswith("games/<"):
            continue
        more = address.count("<") - 1  # such as the number of a proposal
        path = reverse(pattern.name, args=[game.pk, *[0] * more])
        for ask in ("get", "post"):
            answer, stranger = (getattr(signed_in(one), ask)(path, form) for one in (old, elena))
            assert answer.status_code == stranger.status_code, path
            assert "no longer in this game" not in stranger.content.decode(), path
            if answer.status_code == 404:
                assert "You are no longer in this game" in answer.content.decode(), path
                said.add(pattern.name)
    assert len(said) > 25


def test_taking_it_twice_is_taking_it_once(game: Game, asked: Seat, dario: User) -> None:
    offer = services.hand_over(asked, DARIO)
    services.take_over(offer, dario)
    services.take_over(offer, dario)
    assert SeatChange.objects.count() == 1


def test_people_who_offer_their_seat_see_that_the_email_is_delayed(
    game: Game, asked: Seat, signed_in: Any, smtp_sink: Any
) -> None:
    smtp_sink.refusals[DARIO] = "451 4.7.1 greylisted, try again later"
    services.hand_over(asked, DARIO)
    path = f"/games/{game.pk}/arrangements/"
    assert "has not accepted it yet" not in signed_in(asked.person).get(path).content.decode()
    deliver_due()
    assert "has not accepted it yet" in signed_in(asked.person).get(path).content.decode()
    smtp_sink.refusals.clear()
    OutgoingEmail.objects.update(not_before=timezone.now())
    deliver_due()
    assert "has not accepted it yet" not in signed_in(asked.person).get(path).content.decode()


def test_one_offer_at_a_time(asked: Seat) -> None:
    offer = services.hand_over(asked, DARIO)
    assert services.hand_over(asked, " Dario@example.org ") == offer
    with pytest.raises(Refused, match="Withdraw that offer first"):
        services.hand_over(asked, "elena@example.org")
    assert OutgoingEmail.objects.filter(kind="hand_over").count() == 1


def test_an_offer_taken_back_or_declined_gives_no_seat(asked: Seat, dario: User) -> None:
    for state in (Invitation.State.WITHDRAWN, Invitation.State.DECLINED):
        offer = services.hand_over(asked, DARIO)
        services.close_offer(offer, state)
        services.close_offer(offer, state)
        with pytest.raises(Refused):
            services.take_over(offer, dario)
    assert not SeatChange.objects.exists()


def test_an_offer_that_was_accepted_is_not_taken_back(asked: Seat, dario: User) -> None:
    offer = services.hand_over(asked, DARIO)
    services.take_over(offer, dario)
    with pytest.raises(Refused):
        services.close_offer(offer, Invitation.State.WITHDRAWN)


def test_no_one_gets_a_second_seat(asked: Seat, people: list[Any], dario: User) -> None:
    other = people[(asked.number + 1) % 3]
    with pytest.raises(Refused, match="already has a seat"):
        services.hand_over(asked, other.email)
    offer = services.hand_over(asked, DARIO)
    with pytest.raises(Refused, match="already"):
        services.take_over(offer, other)


def test_no_one_comes_back(asked: Seat, people: list[Any]) -> None:
    number, old = asked.number, asked.person
    services.give_up(asked)
    offer = services.hand_over(seat((number + 1) % 3), old.email)
    with pytest.raises(Refused, match="you can’t come back"):
        services.take_over(offer, old)


def test_giving_up_takes_the_offer_back(asked: Seat, dario: User) -> None:
    offer = services.hand_over(asked, DARIO)
    services.give_up(asked)
    with pytest.raises(Refused):
        services.take_over(offer, dario)


def test_an_offer_ends_with_the_game(game: Game, asked: Seat, dario: User) -> None:
    offer = services.hand_over(asked, DARIO)
    play_to_the_end(game)
    with pytest.raises(Refused, match="The game is over"):
        services.take_over(offer, dario)


def test_no_one_writes_to_one_address_all_day(asked: Seat) -> None:
    for _time in range(3):
        services.close_offer(services.hand_over(asked, DARIO), Invitation.State.WITHDRAWN)
    with pytest.raises(Refused, match="can’t invite"):
        services.hand_over(asked, DARIO)


def test_a_proposal_is_closed_with_the_change_of_company(game: Game, asked: Seat, dario: User) -> None:
    services.propose_end(asked, game, Proposal.What.NONE)
    services.take_over(services.hand_over(asked, DARIO), dario)
    assert not Proposal.objects.filter(closed_at=None).exists()


def press(client: Client, path: str, **form: str) -> str:
    return client.post(path, form, follow=True).content.decode()


def test_from_the_page_by_email_without_account(
    game: Game, asked: Seat, signed_in: Any, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    old = asked.person
    page = press(signed_in(old), f"/games/{game.pk}/hand-over/", email="zoe@example.org")
    assert "You offered your seat to zoe@example.org by email." in page
    assert "zoe@example.org can take your seat until you withdraw the offer." in page
    deliver_due()
    (email,) = [sent for sent in mail.outbox if sent.to == ["zoe@example.org"]]
    assert f"{old.name} offers you a seat: Table 42" in email.subject
    link = re.findall(r"http://testserver(/invitation/\S+)", email.body)[0]
    shown = Client().get(link).content.decode()
    assert f"{old.name} is offering you their seat in this game, zoe@example.org." in shown
    assert "Players" in shown
    taken = press(Client(), link, action="accept", name="Zoe")
    assert "You have taken a seat" in taken
    assert seat(asked.number).person.name == "Zoe"
    assert "You have taken a seat" in press(Client(), link, action="accept", name="Zoe")
    assert SeatChange.objects.count() == 1
    mail.outbox.clear()
    OutgoingEmail.objects.update(not_before=timezone.now())
    deliver_due()
    assert any("/answer/" in sent.body for sent in mail.outbox if sent.to == ["zoe@example.org"])
    page = signed_in(seat(asked.number).person).get(f"/games/{game.pk}/").content.decode()
    assert f"{old.name} left, and you took the seat." in page


def test_an_offer_is_declined_or_taken_back_by_its_buttons(game: Game, asked: Seat, signed_in: Any) -> None:
    client, path = signed_in(asked.person), f"/games/{game.pk}"
    press(client, f"{path}/hand-over/", email="zoe@example.org")
    link = f"/invitation/{invitation_token(Invitation.objects.get())}/"
    assert "You declined this offer." in press(Client(), link, action="decline")
    press(client, f"{path}/hand-over/", email="zoe@example.org")
    assert "You withdrew the offer." in press(client, f"{path}/take-back/")
    assert "This offer was withdrawn." in Client().get(link).content.decode()
    press(Client(), link, action="accept", name="Zoe")
    assert not SeatChange.objects.exists()
    assert not User.objects.filter(email="zoe@example.org").exists()


@pytest.mark.parametrize("email", ["", "zoe", "zoe@example.org, x@example.org", "x" * 5000])
def test_what_is_no_address_is_refused(game: Game, asked: Seat, signed_in: Any, email: str) -> None:
    page = press(signed_in(asked.person), f"/games/{game.pk}/hand-over/", email=email)
    assert "Enter the email address of the new player." in page
    assert not Invitation.objects.exists()


def test_someone_who_deletes_their_account_offers_nothing_any_more(asked: Seat) -> None:
    services.hand_over(asked, DARIO)
    erase(asked.person)
    assert not Invitation.objects.exists()


def test_an_offer_in_a_long_game_is_kept_until_it_ends(game: Game, asked: Seat) -> None:
    services.hand_over(asked, DARIO)
    later = timezone.now() + timedelta(days=40)
    assert forget_old_invitations(later) == 0
    play_to_the_end(game)
    assert forget_old_invitations(later) == 1


@pytest.mark.long
def test_the_export_has_the_moves_one_made_oneself(game: Game, asked: Seat, dario: User) -> None:
    number, old = asked.number, asked.person
    play_until(game, lambda state, decision: state.ply > 20)
    services.take_over(services.hand_over(seat(number), DARIO), dario)
    play_until(game, lambda state, decision: state.ply > 60)
    moves = [entry.move for entry in game.log.filter(seat=number)]
    mine = {person.pk: everything_about(person)["games"][0] for person in (old, dario)}
    handed_out = [[move[0] for move in mine[pk]["my_moves"]] for pk in (old.pk, dario.pk)]
    assert handed_out[0] + handed_out[1] == moves
    assert all(handed_out)


def test_the_export_has_what_one_proposed_oneself(game: Game, asked: Seat, dario: User) -> None:
    number, old = asked.number, asked.person
    first = services.propose_end(asked, game, Proposal.What.NONE)
    services.refuse_proposal(seat(number), first)
    services.take_over(services.hand_over(seat(number), DARIO), dario)
    services.propose_end(seat(number), game, Proposal.What.MOST_REGIONS)
    mine = {person.pk: everything_about(person)["games"][0]["my_proposals"] for person in (old, dario)}
    assert [[made["what"] for made in mine[pk]] for pk in (old.pk, dario.pk)] == [["none"], ["most regions"]]


def test_the_export_of_the_host_does_not_tell_to_whom_a_player_offers_their_seat(game: Game) -> None:
    host = game.table.host
    assert host is not None
    services.hand_over(seat(1), DARIO)
    assert seat(1).user != host
    assert DARIO not in str(everything_about(host))
