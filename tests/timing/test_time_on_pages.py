"""The clocks on a game's pages, for each kind of reader, and what players can do there."""

import re
from datetime import UTC, datetime, time, timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import Holiday
from games import services
from games.links import LinkedDecision, answer_token, seat_token
from games.models import Game, Invitation, Proposal, Seat, SeatChange, Table, TimeEvent
from games.models.replay import replayed
from games.rules import pending
from games.services.absence import play_for_absent
from tests.games.playing import answer, begin_game, decision_of, legal_texts, play_until

pytestmark = pytest.mark.django_db

FRIDAY = datetime(2026, 11, 20, 22, 10, tzinfo=UTC)


def read(client: Client, path: str) -> str:
    return text_of(client.get(path, follow=True))


def press(client: Client, path: str, **form: Any) -> str:
    return text_of(client.post(path, form, follow=True))


def refused(client: Client, path: str, **form: Any) -> str:
    """The page that tells why it was not done."""
    return text_of(client.post(path, form), status=400)


def text_of(answered: Any, status: int = 200) -> str:
    assert answered.status_code == status, answered.status_code
    page = unescape(answered.content.decode())
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"</?time[^>]*>", "", page))).replace(
        "\xa0", " "
    )


@pytest.fixture
def clients(people: list[Any], signed_in: Any) -> list[Client]:
    return [signed_in(person) for person in people]


def game_asking(
    people: list[Any], seat: int, at: datetime = FRIDAY, kind: str = "battle", **terms: Any
) -> Game:
    """A game in which this seat is asked such a decision at that moment."""
    with time_machine.travel(at - timedelta(days=1), tick=False) as clock:
        game = begin_game(people, **{"pace": "day"} | terms)
        play_until(game, lambda state, decision: (decision.seat, decision.kind) == (seat, kind))
        clock.move_to(at)
        Seat.objects.filter(table=game.table_id, number=seat).update(
            pending_decision=None, decision_step=None
        )
        ask_again(game)
    return game


def ask_again(game: Game) -> None:
    from accounts import clock as site_clock
    from games.models.locking import seats_of
    from games.services.decisions import put_decisions

    Seat.objects.filter(table=game.table_id).update(reserve=timedelta(hours=72))
    game = Game.objects.select_related("table").get(pk=game.pk)
    put_decisions(game, seats_of(game), pending(replayed(game).state), site_clock.now())


def away(game: Game, seat: int) -> Seat:
    """A bot plays for this seat's player, who is not asked now."""
    found = Seat.objects.select_related("user", "table").get(table=game.table_id, number=seat)
    play_for_absent(game, found, game.ply, game.moved_at)
    return found


# Deadlines


@pytest.fixture
def weekend_free(people: list[Any]) -> None:
    people[1].days_off = [5, 6]
    people[1].save()


def test_a_deadline_is_told_and_explained_to_someone_who_is_asked(
    people: list[Any], clients: list[Client], weekend_free: None
) -> None:
    game = game_asking(people, 1)
    with time_machine.travel(FRIDAY + timedelta(hours=1), tick=False):
        page = read(clients[1], f"/games/{game.pk}/")
    assert "Move by Monday 23 November, 22:10 (in 3 days)" in page
    assert "Time per move: 24 hours, counted from Friday 20 November, 22:10." in page
    assert "Not counted: your days off (Saturday, Sunday)." in page
    assert "Your reserve of 3 days would then last until Thursday 26 November, 22:10." in page
    assert "Times are in the time zone of UTC." in page


def test_quiet_hours_and_holidays_that_lie_on_the_way_are_named(
    people: list[Any], clients: list[Client]
) -> None:
    people[1].quiet_from, people[1].quiet_until = time(23), time(7, 30)
    people[1].save()
    Holiday.objects.create(
        user=people[1], first=datetime(2026, 11, 22).date(), last=datetime(2026, 11, 23).date()
    )
    game = game_asking(people, 1)
    with time_machine.travel(FRIDAY + timedelta(hours=1), tick=False):
        page = read(clients[1], f"/games/{game.pk}/")
    assert "Not counted: your quiet hours, 23:00 to 07:30." in page
    assert "Not counted: your holiday, Sunday 22 November to Monday 23 November." in page


def test_a_running_reserve_is_told_with_what_is_left_of_it(people: list[Any], clients: list[Client]) -> None:
    game = game_asking(people, 1)
    with time_machine.travel(FRIDAY + timedelta(hours=30), tick=False):
        page = read(clients[1], f"/games/{game.pk}/")
    assert "Move by Tuesday 24 November, 22:10 (in 3 days)" in page
    assert "You are using your reserve. Reserve left: 2 d 18 h." in page
    assert "Time per move: 24 hours, counted from " in page


def test_a_running_reserve_is_marked_and_a_time_that_is_out_told(
    people: list[Any], clients: list[Client]
) -> None:
    game = game_asking(people, 1)
    marked = '<div id="deadline" class="deadline soon">'
    with time_machine.travel(FRIDAY + timedelta(hours=10), tick=False):
        page = clients[1].get(f"/games/{game.pk}/").content.decode()
        assert marked not in page
        assert '<div id="deadline" class="deadline">' in page
    with time_machine.travel(FRIDAY + timedelta(hours=30), tick=False):
        assert marked in clients[1].get(f"/games/{game.pk}/").content.decode()
    with time_machine.travel(FRIDAY + timedelta(hours=97), tick=False):
        assert "You ran out of time. The site may move for you at any moment." in read(
            clients[1], f"/games/{game.pk}/"
        )


def test_the_emails_link_tells_it_in_the_players_own_zone(people: list[Any]) -> None:
    people[1].time_zone = "Asia/Tokyo"
    people[1].save()
    game = game_asking(people, 1)
    with time_machine.travel(FRIDAY + timedelta(hours=1), tick=False):
        link = answer_token(LinkedDecision(game.pk, 1, people[1].pk, decision_of(game).decision_step))
        page = read(Client(), f"/answer/{link}/")
    assert "Move by Sunday 22 November, 07:10" in page
    assert "would then last until Wednesday 25 November, 07:10." in page
    assert "Time per move: 24 hours, counted from Saturday 21 November, 07:10." in page
    assert "Times are in the time zone of Tokyo." in page


def test_the_others_see_until_when_and_nothing_of_the_reserve(
    people: list[Any], clients: list[Client], weekend_free: None
) -> None:
    people[0].time_zone = "America/New_York"
    people[0].save()
    game = game_asking(people, 1)
    Table.objects.update(watch="anyone")
    with time_machine.travel(FRIDAY + timedelta(hours=1), tick=False):
        pages = {
            "Thursday 26 November, 17:10": read(clients[0], f"/games/{game.pk}/"),
            "Thursday 26 November, 22:10": read(Client(), f"/watch/{game.table.watch_key}/"),
        }
    for until, page in pages.items():
        assert f"Bruno must move by {until} (in 6 days)" in page
        assert "your reserve" not in page
        assert "Not counted" not in page
        assert "Move by" not in page


def test_without_a_clock_nothing_is_said_of_time(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    for person in people:
        page = read(signed_in(person), f"/games/{game.pk}/")
        assert "Move by" not in page
        assert "must move by" not in page
        assert "more time" not in read(signed_in(person), f"/games/{game.pk}/arrangements/")


@pytest.mark.long
def test_whom_a_secret_decision_was_put_to_is_shown_by_no_deadline(
    people: list[Any], dario: Any, elena: Any, signed_in: Any
) -> None:
    """R17: the asked person sees their deadline, and everyone else sees the same page."""
    players = [*people, dario, elena]
    game = begin_game(players, pace="day", watch="anyone")
    play_until(game, lambda state, decision: decision.kind == "hand", seed=5)
    asked = {decision.seat for decision in pending(replayed(game).state)}
    assert asked
    assert all(Seat.objects.get(table=game.table_id, number=seat).due_at for seat in asked)
    for number, person in enumerate(players):
        client = signed_in(person)
        for path in (f"/games/{game.pk}/", "/games/", "/"):
            page = read(client, path)
            assert "must move by" not in page
            if number not in asked:
                assert "Move by" not in page
                assert "deadline" not in page.lower().replace("told in it.", "")
    for number in asked:
        page = read(signed_in(players[number]), f"/games/{game.pk}/")
        assert "Move by" in page
        assert "leaves out the quiet hours and days off of everyone" in page
        assert "Your reserve" not in page
    assert "must move by" not in read(Client(), f"/watch/{game.table.watch_key}/")


# Emails


def test_the_email_says_by_when_first_of_all_and_explains_it(
    people: list[Any], weekend_free: None, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    OutgoingEmail.objects.all().delete()
    game_asking(people, 1)
    with time_machine.travel(FRIDAY + timedelta(minutes=5), tick=False):
        OutgoingEmail.objects.exclude(kind="your_turn").delete()
        deliver_due()
    email = [email for email in mail.outbox if email.to == ["bruno@example.org"]][-1]
    text = re.sub(r"\s+", " ", email.body)
    assert text.startswith("Play a card or pass. Move by Monday 23 November, 22:10 (UTC)")
    assert "Not counted: your days off (Saturday, Sunday)." in text
    assert "Your reserve of 3 days would then last until Thursday 26 November, 22:10." in text
    html = unescape(email.alternatives[0].content)
    assert "<b>Move by Monday 23 November, 22:10 (UTC)</b>" in html
    assert html.index("Play a card or pass.</h1>") < html.rindex("Move by") < html.index("Your hand")


# Pauses and more time


@pytest.mark.long
def test_a_pause_is_proposed_answered_and_told(game: Game, people: list[Any], clients: list[Client]) -> None:
    path = f"/games/{game.pk}/"
    page = press(clients[0], f"{path}time/", what="pause", how="propose", days="3")
    assert "You made a proposal. The others have to agree." in page
    assert "You propose to pause this game for 3 days." in page
    assert "Anna proposes to pause this game for 3 days." in read(clients[1], path)
    assert "Anna proposes to pause this game for 3 days." in read(
        Client(), f"/seat/{seat_token(Seat.objects.get(number=1))}/"
    )
    answer_path = f"{path}end/{Proposal.objects.get().pk}/"
    press(clients[1], answer_path, action="accept")
    page = press(clients[2], answer_path, action="accept")
    assert "The game is paused until " in page
    assert "No one loses time, but you can still move." in page
    assert "Everyone agreed to pause the game" in page
    page = press(clients[1], f"{path}time/", what="go on", how="propose")
    assert "You propose to end the pause now." in page
    answer_path = f"{path}end/{Proposal.objects.latest('pk').pk}/"
    press(clients[0], answer_path, action="accept")
    page = press(clients[2], answer_path, action="accept")
    assert "The game is paused" not in page
    assert "Everyone agreed to end the pause" in page


def test_more_time_is_proposed_and_can_be_refused(game: Game, clients: list[Client]) -> None:
    path = f"/games/{game.pk}/"
    press(clients[0], f"{path}time/", what="more time", how="propose", hours="1")
    assert "Anna proposes to give everyone whose turn it is 1 hour more." in read(clients[2], path)
    answer_path = f"{path}end/{Proposal.objects.get().pk}/"
    assert "The proposal is closed" in press(clients[2], answer_path, action="refuse")
    assert not TimeEvent.objects.exists()


def test_the_host_decides_alone_where_the_terms_say_so_and_a_double_click_does_it_once(
    people: list[Any], clients: list[Client]
) -> None:
    game = begin_game(people, pace="day", time_by="host")
    path = f"/games/{game.pk}/"
    assert "Pause the game as the host" in read(clients[0], f"{path}arrangements/")
    assert "as the host" not in read(clients[1], f"{path}arrangements/")
    due = [seat.due_at for seat in Seat.objects.filter(due_at__isnull=False)]
    for _click in range(2):
        press(clients[0], f"{path}time/", what="more time", how="decide", hours="24")
    later = [seat.due_at for seat in Seat.objects.filter(due_at__isnull=False)]
    assert [round((b - a) / timedelta(hours=1)) for a, b in zip(due, later, strict=True) if a and b] == [24]
    page = press(clients[0], f"{path}time/", what="pause", how="decide", days="2")
    assert "You paused the game" in page
    assert "Anna paused the game" in read(clients[1], path)
    press(clients[0], f"{path}time/", what="go on", how="decide")
    page = press(clients[0], f"{path}time/", what="go on", how="decide")
    assert "You ended the pause." in page
    assert [event.kind for event in TimeEvent.objects.all()] == ["extended", "paused", "resumed"]


def test_someone_who_is_not_the_host_decides_nothing_alone(people: list[Any], clients: list[Client]) -> None:
    game = begin_game(people, pace="day", time_by="host")
    page = refused(clients[1], f"/games/{game.pk}/time/", what="pause", how="decide", days="2")
    assert "At this table, the players decide this together. Propose it to them." in page
    assert not TimeEvent.objects.exists()


@pytest.mark.parametrize("how", ["propose", "decide"])
def test_what_makes_no_sense_is_refused_with_the_reason(
    people: list[Any], clients: list[Client], how: str
) -> None:
    game = begin_game(people, pace="day", time_by="host")
    no_sense: list[tuple[dict[str, str], str]] = [
        ({"what": "pause", "days": "31"}, "A pause can last 1 to 30 days."),
        ({"what": "pause", "days": "x"}, "A pause can last 1 to 30 days."),
        ({"what": "pause"}, "A pause can last 1 to 30 days."),
        ({"what": "more time", "hours": "0"}, "You can add 1 to 168 hours at once."),
        ({"what": "more time", "hours": "9" * 99}, "You can add 1 to 168 hours at once."),
        ({"what": "go on"}, "The game isn’t paused."),
        ({"what": "none"}, "Choose one of the actions on the page."),
        ({}, "Choose one of the actions on the page."),
    ]
    for form, said in no_sense:
        assert said in refused(clients[0], f"/games/{game.pk}/time/", how=how, **form)
    assert not TimeEvent.objects.exists()
    assert not Proposal.objects.exists()


def test_a_pause_cannot_be_proposed_as_an_end(game: Game, clients: list[Client]) -> None:
    assert "Choose one of the results on the page." in refused(
        clients[0], f"/games/{game.pk}/end/", result="pause"
    )
    assert not Proposal.objects.exists()


# Players who stay away


@pytest.mark.long
def test_someone_who_stays_away_comes_back_from_page_list_or_email(
    people: list[Any], clients: list[Client]
) -> None:
    for access in ("page", "list", "email"):
        game = game_asking(people, 0, name=f"By {access}")
        seat = away(game, 1)
        assert "Bruno is away. A bot plays until they are back." in read(clients[0], f"/games/{game.pk}/")
        assert "A bot is playing for you" in read(clients[1], f"/games/{game.pk}/")
        assert f"By {access} until you come back" in read(clients[1], "/games/")
        if access == "email":
            page = press(Client(), f"/seat/{seat_token(seat)}/", action="back")
        else:
            page = press(clients[1], f"/games/{game.pk}/come-back/")
        assert "Welcome back. You are playing again." in page
        seat.refresh_from_db()
        assert seat.played_by_bot == ""
        assert "Bruno is back and plays again." in read(clients[0], f"/games/{game.pk}/")
        assert "A bot is playing for you" not in read(clients[1], "/games/")
        press(clients[1], f"/games/{game.pk}/come-back/")
        assert game.time_events.filter(kind="back").count() == 1


def offered(people: list[Any], **terms: Any) -> tuple[Game, Seat]:
    game = game_asking(people, 0, **{"absent": "offer", "entry": "open"} | terms)
    return game, away(game, 1)


def test_an_absent_seat_is_listed_and_taken_once(
    people: list[Any], dario: Any, stranger: Any, signed_in: Any, clients: list[Client]
) -> None:
    game, seat = offered(people)
    assert "Seat: Bruno" in read(Client(), "/tables/")
    join = f"/join/{game.table.join_key}/"
    page = read(Client(), join)
    assert "Bruno is away." in page
    assert "Sign in to take a seat" in page
    client = signed_in(dario)
    assert "Take this seat (Bruno)" in read(client, join)
    for _click in range(2):
        page = press(client, f"{join}absent/{seat.pk}/")
        assert "You have taken the seat and play on from here." in page
    assert SeatChange.objects.count() == 1
    assert "Bruno was away, so Dario took the seat." in read(clients[0], f"/games/{game.pk}/")
    assert clients[1].get(f"/games/{game.pk}/").status_code == 404
    assert "no longer free" in press(signed_in(stranger), f"{join}absent/{seat.pk}/")
    assert "Seat: Bruno" not in read(Client(), "/tables/")


def test_a_seat_whose_player_is_back_is_not_to_be_had(people: list[Any], dario: Any, signed_in: Any) -> None:
    game, seat = offered(people)
    services.come_back(seat)
    page = press(signed_in(dario), f"/join/{game.table.join_key}/absent/{seat.pk}/")
    assert "Its player is back, or someone else has taken it" in page
    assert not SeatChange.objects.exists()


def test_seats_are_listed_only_where_the_terms_offer_them_to_anyone(
    people: list[Any], dario: Any, signed_in: Any
) -> None:
    by_link, seat = offered(people, entry="link", name="By link")
    assert "By link" not in read(Client(), "/tables/")
    assert "Take this seat (Bruno)" in read(signed_in(dario), f"/join/{by_link.table.join_key}/")
    private, hidden = offered(people, entry="invitation", name="Private")
    assert "Private" not in read(Client(), "/tables/")
    client = signed_in(dario)
    assert client.get(f"/join/{private.table.join_key}/").status_code == 404
    assert client.post(f"/join/{private.table.join_key}/absent/{hidden.pk}/").status_code == 404
    assert client.post(f"/join/{by_link.table.join_key}/absent/{hidden.pk}/").status_code == 404
    waits, kept = offered(people, absent="bot", name="Waits")
    assert "Waits" not in read(Client(), "/tables/")
    assert "no longer free" in press(client, f"/join/{waits.table.join_key}/absent/{kept.pk}/")
    assert seat.user == people[1]


@pytest.mark.long
def test_the_host_offers_an_absent_seat_to_an_address(
    people: list[Any], clients: list[Client], settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    game, seat = offered(people, entry="invitation")
    path = f"/games/{game.pk}/absent/{seat.pk}/"
    assert "Offer this seat (Bruno)" in read(clients[0], f"/games/{game.pk}/")
    assert "Seat: Bruno" in read(clients[0], f"/games/{game.pk}/arrangements/")
    for page in ("", "arrangements/"):
        assert "Offer the seat of Bruno" not in read(clients[2], f"/games/{game.pk}/{page}")
    assert "Only the host" in refused(clients[2], path, email="dario@example.org")
    assert "Enter the email address of the new player." in refused(clients[0], path, email="nobody")
    for _click in range(2):
        assert "You offered the seat to dario@example.org by email." in press(
            clients[0], path, email="dario@example.org"
        )
    assert Invitation.objects.count() == 1
    OutgoingEmail.objects.exclude(kind="hand_over").delete()
    mail.outbox.clear()
    deliver_due()
    (email,) = mail.outbox
    assert email.subject == "Anna offers you a seat: Table 42"
    assert "Bruno is away from a running game of Condottiere. The host, Anna" in re.sub(
        r"\s+", " ", email.body
    )
    link = re.search(r"http://testserver(/invitation/\S+)", email.body)
    assert link is not None
    page = read(Client(), link[1])
    assert "Anna is offering you a seat, dario@example.org. Its player, Bruno, is away." in page
    assert "You have taken a seat." in press(Client(), link[1], action="accept", name="Dario")


def test_the_host_sees_that_the_offer_of_an_absent_seat_is_delayed(
    people: list[Any], clients: list[Client], smtp_sink: Any
) -> None:
    game, seat = offered(people, entry="invitation")
    services.offer_absent_seat(seat, people[0], "dario@example.org")
    smtp_sink.refusals["dario@example.org"] = "451 4.7.1 greylisted, try again later"
    page = f"/games/{game.pk}/arrangements/"
    delayed = "The email to dario@example.org is delayed"
    assert delayed not in read(clients[0], page)
    deliver_due()
    assert delayed in read(clients[0], page)
    smtp_sink.refusals.clear()
    OutgoingEmail.objects.update(not_before=timezone.now())
    deliver_due()
    assert delayed not in read(clients[0], page)


def test_a_stranger_finds_none_of_it(people: list[Any], stranger: Any, signed_in: Any) -> None:
    game, seat = offered(people, entry="invitation")
    client = signed_in(stranger)
    for path in ("time/", "come-back/", f"absent/{seat.pk}/"):
        assert client.post(f"/games/{game.pk}/{path}", {"what": "pause", "days": 2}).status_code == 404
        assert Client().post(f"/games/{game.pk}/{path}")["Location"].startswith("/accounts/login/")


def test_another_games_seat_is_not_found(people: list[Any], clients: list[Client]) -> None:
    game, _seat = offered(people)
    _other, elsewhere = offered(people)
    path = f"/games/{game.pk}/absent/{elsewhere.pk}/"
    assert clients[0].post(path, {"email": "dario@example.org"}).status_code == 404


# One's own list


def test_my_games_say_until_when_and_mark_what_is_due_first(people: list[Any], clients: list[Client]) -> None:
    """The longest waiting stays on top; the next deadline may be another game's."""
    slow = game_asking(people, 1, FRIDAY, pace="week", name="Slow")
    quick = game_asking(people, 1, FRIDAY + timedelta(hours=5), pace="hours", name="Quick")
    for game in (slow, quick):
        hours = {"week": 168, "hours": 24}[game.table.pace]
        Seat.objects.filter(table=game.table_id).update(reserve=timedelta(hours=hours))
    with time_machine.travel(FRIDAY + timedelta(hours=6), tick=False):
        page = read(clients[1], "/games/")
    assert page.index("Slow") < page.index("Quick")
    assert re.search(r"Slow Play a card or pass .{0,80}?Move by \w+ \d+ \w+, \d\d:\d\d", page)
    assert re.search(
        r"Quick Play a card or pass .{0,80}?Next deadline Move by \w+ \d+ \w+, \d\d:\d\d \(in ", page
    )
    with time_machine.travel(FRIDAY + timedelta(days=40), tick=False):
        assert "You ran out of time" in read(clients[1], "/games/")


def test_an_answer_stops_the_clock_that_is_shown(people: list[Any], clients: list[Client]) -> None:
    game = game_asking(people, 1)
    answer(game, next(text for text in legal_texts(game) if text == "pass"))
    assert "Move by" not in read(clients[1], f"/games/{game.pk}/") or decision_of(game).seat == 1
