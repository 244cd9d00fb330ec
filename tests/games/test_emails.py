"""The emails of a game: recipients, times, contents, and what they never say."""

import re
from typing import Any

import pytest
from django.core import mail

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from condottiere_site.privacy import erase
from games import services
from games.emails.choices import MOST_SHOWN
from games.models import Game
from games.models.replay import replayed
from games.narration.vocabulary import card_rule
from games.presenters.idle_cards import idle_reason
from games.rules import MERCENARIES, REGIONS, observe, pending
from tests.games.playing import (
    answer,
    begin_game,
    decision_of,
    game_where,
    play_to_the_end,
    play_until,
    seat_table,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


def delivered(kind: str | None = None) -> list[Any]:
    """Return the emails that leave now; only those of one kind if it is given."""
    mail.outbox.clear()
    deliver_due()
    if kind is None:
        return list(mail.outbox)
    ids = set(OutgoingEmail.objects.filter(kind=kind).values_list("message_id", flat=True))
    return [email for email in mail.outbox if email.extra_headers["Message-ID"] in ids]


def html_of(email: Any) -> str:
    return str(email.alternatives[0][0])


def test_the_invitation_names_host_table_and_terms_with_one_link(anna: Any) -> None:
    seat_table([anna], size=4, entry="invitation", invited=["zoe@example.org"], note="Bring wine & cheese.")
    (email,) = delivered()
    assert email.to == ["zoe@example.org"]
    assert email.subject == "Anna invites you to play: Table 42"
    assert "Bring wine & cheese." in email.body
    assert len(set(re.findall(r"http://testserver/invitation/[^\s#?]+", email.body))) == 1  # in any language
    assert "Bring wine &amp; cheese." in html_of(email)


def test_the_first_emails_go_one_to_each(game: Game, people: list[Any]) -> None:
    emails = delivered()
    emails = [email for email in emails if "confirm" not in email.subject]
    asked = people[decision_of(game).seat]
    subjects = {email.to[0]: email.subject for email in emails}
    assert len(emails) == 3
    assert subjects.pop(asked.email) == "Your turn: Table 42"
    assert set(subjects.values()) == {"Game started: Table 42"}


@pytest.mark.parametrize(
    ("terms", "is_linked"),
    [({"pace": "day"}, True), ({"pace": "day", "hours": "all"}, False), ({"pace": "none"}, False)],
)
def test_someone_who_has_open_hours_is_shown_where_to_choose_them(
    people: list[Any], terms: dict[str, str], is_linked: bool
) -> None:
    begin_game(people, **terms)
    for email in delivered("started"):
        for body in (email.body, html_of(email)):
            assert ("next=/me/hours/" in body) is is_linked


def test_your_turn_tells_news_lines_hand_and_choices(game: Game, people: list[Any]) -> None:
    answer(game, "place siena")
    decision = decision_of(game)
    state = replayed(game).state
    (email,) = delivered("your_turn")
    assert email.to == [people[decision.seat].email]
    assert email.subject == "Your turn: Table 42"
    for text in (email.body, html_of(email)):
        assert "chose to fight for Siena" not in text  # their own move is no news to them
        assert "Pass" in text
        for card in observe(state, decision.seat).hand or ():
            assert card.capitalize() in text
    links = re.findall(r"http://testserver/answer/\S+", email.body)
    assert any(link.endswith("confirm/?move=pass") for link in links)
    assert sum(link.endswith("/#ask") for link in links) == 1


def test_a_decision_answered_within_the_hold_sends_no_email(people: list[Any], settings: Any) -> None:
    from datetime import timedelta

    settings.EMAIL_HOLD = timedelta(minutes=1)
    game = begin_game(people)
    answer(game, "place roma")
    assert delivered("your_turn") == []
    from django.utils import timezone

    mail.outbox.clear()
    deliver_due(timezone.now() + timedelta(seconds=61))
    subjects = [email.subject for email in mail.outbox]
    assert "Your turn: Table 42" in subjects
    assert not any("Choose the region" in email.body for email in mail.outbox)
    assert OutgoingEmail.objects.filter(kind="your_turn", state="overtaken").count() == 1


@pytest.mark.long
def test_a_decision_is_never_written_about_twice(game: Game) -> None:
    play_until(game, lambda state, decision: state.ply > 30)
    keys = list(OutgoingEmail.objects.filter(kind="your_turn").values_list("key", flat=True))
    assert len(keys) == len(set(keys))
    deliver_due()
    assert delivered() == []


def test_the_hand_stays_out_of_the_email_of_someone_who_prefers_that(game: Game, people: list[Any]) -> None:
    for person in people:
        person.hand_in_emails = False
        person.save()
    answer(game, "place siena")
    (email,) = delivered("your_turn")
    for text in (email.body, html_of(email)):
        assert "Your hand" not in text
        assert "move=play" not in text
        assert "drew 10 cards:" not in text
        assert "move=" not in text  # "Pass" alone would read as if there were no other choice
        assert len(re.findall(r"http://testserver/answer/[^\s\"]+", text)) == 1


def test_no_email_tells_another_seats_hand(people: list[Any]) -> None:
    game = begin_game(people)
    for _ in range(12):
        state = replayed(game).state
        decision = pending(state)[0]
        for email in delivered("your_turn"):
            seat = [person.email for person in people].index(email.to[0])
            line = re.search(r"Your hand: (.*?)\n\n", email.body, re.S)
            assert line
            own = observe(state, seat).hand or ()
            assert " ".join(line[1].lower().split()) == ", ".join(own)
            for other in range(3):
                dealt = f"{people[other].name} drew 10 cards:"
                assert (dealt in email.body) <= (other == seat)
        moves = [str(move) for move in observe(state, decision.seat).legal]
        answer(game, moves[0])


def test_the_emails_of_a_game_are_one_thread_with_all_headers(game: Game) -> None:
    play_until(game, lambda state, decision: state.ply > 12)
    emails = delivered("your_turn")
    for email in emails:
        headers = email.extra_headers
        assert headers["References"] == f"<game-{game.pk}@testserver>"
        assert headers["Auto-Submitted"] == "auto-generated"
        assert f"<game-{game.pk}.testserver>" in headers["List-Id"]
        assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert len(email.to) == 1
        assert not email.cc
        assert not email.bcc


def test_the_last_emails_name_the_winner_and_show_the_map(game: Game, people: list[Any]) -> None:
    play_to_the_end(game, seed=6)
    game.refresh_from_db()
    services.make_rematch(game, people[0])
    emails = delivered("game_over")
    assert {email.to[0] for email in emails} == {person.email for person in people}
    assert game.result is not None
    names = [people[seat].name for seat in game.result["winners"]]
    for email in emails:
        told = ["you"] if [person.email for person in people if person.name in names] == email.to else names
        assert all(name in email.subject for name in told)
        _results, turning_points = email.body.split("Turning points")
        assert "This battle decided the game." in " ".join(turning_points.split())
        assert " won the game" not in turning_points.replace("have won the game", "")  # the heading says it
        is_host = email.to == [people[0].email]
        assert (">Take your seat in the rematch</a>" in html_of(email)) != is_host
        assert ("Play a rematch (no sign-in needed):" in email.body) != is_host
        assert 'src="cid:map"' in html_of(email)
        (picture,) = email.attachments
        assert picture.get_payload(decode=True).startswith(b"\x89PNG")


def test_a_strange_name_cannot_break_an_emails_headers(anna: Any, bruno: Any) -> None:
    anna.name = 'Ann<a> & "Co"'
    anna.save()
    begin_game([anna, bruno], name='Sündig "& <b>bold</b>')
    for email in delivered():
        raw = email.message().as_string()
        assert "<b>bold" not in html_of(email)
        assert "\nBcc:" not in raw
        assert "&amp;" not in email.subject


def test_an_email_that_cannot_be_built_does_not_stop_the_others(game: Game, people: list[Any]) -> None:
    other = begin_game(people, name="Table 43")
    game.log.filter(ply=0).update(move="shuffle 1")  # someone damaged the database
    emails = delivered("your_turn")
    assert len(emails) == 1
    assert "Table 43" in emails[0].subject
    assert OutgoingEmail.objects.exclude(last_error="").filter(kind="your_turn", state="queued").count() == 1
    assert other.log.count() == 1


def test_cancelled_and_removed_emails_say_what_happened(people: list[Any]) -> None:
    table = seat_table(people, size=4)
    services.remove(table.seats.get(user=people[1]))
    services.leave(table.seats.get(user=people[2]))
    services.cancel(table)
    subjects = {email.to[0]: email.subject for email in delivered()}
    assert subjects["bruno@example.org"] == "You were removed: Table 42"
    assert subjects.get("anna@example.org") is None  # the table she hosts is gone: no news of who left it


def test_r17_decisions_go_only_to_those_asked(people: list[Any]) -> None:
    _, state = game_where(people, lambda state, q: q.kind == "hand" and len(pending(state)) == 2)
    asked = {people[decision.seat].email for decision in pending(state)}
    emails = [email for email in delivered("your_turn") if "your whole hand, or keep it" in email.body]
    assert {email.to[0] for email in emails} == asked


def test_a_turn_shows_its_map_and_folds_all_choices_but_the_most_interesting(game: Game) -> None:
    (email,) = delivered("your_turn")
    assert [part["Content-ID"] for part in email.attachments] == ["<map>"]
    assert len(re.findall(r"move=place", html_of(email))) == MOST_SHOWN
    assert len(re.findall(r"move=place", email.body)) == len(REGIONS)
    assert f"See the map and all {len(REGIONS)} choices" in html_of(email)


def test_a_choice_is_a_card_with_what_it_does_and_a_pass_is_never_folded(game: Game) -> None:
    answer(game, "place siena")
    state = replayed(game).state
    seat = decision_of(game).seat
    (email,) = delivered("your_turn")
    assert email.attachments == []  # no battle has ended
    choices = re.findall(r'<table class="choice".*?</a>', html_of(email), re.S)
    hand = set(observe(state, seat).hand or ())
    assert len(choices) == min(len(hand), MOST_SHOWN)  # all others, or as many as are shown besides the pass
    assert all(choice.count("move=") == 1 and 'class="card"' in choice for choice in choices)
    assert html_of(email).count('move=pass"') == 1
    observed, text = observe(state, seat), " ".join(email.body.split())
    for card in hand - MERCENARIES:  # what a card does is said where it has an effect
        assert (card_rule(card, "2007").sentence in text) == (not idle_reason(observed, card))


def test_the_end_of_a_battle_is_told_at_the_top_and_only_there(people: list[Any]) -> None:
    game = begin_game(people)
    play_until(game, lambda state, decision: any(state.holdings) and state.phase == "place")
    (email,) = delivered("your_turn")
    (event,) = re.findall(r'class="event-cell".*?</td>', html_of(email), re.S)
    taken = re.search(r"(\w+) took (\w+)\.", event)
    assert taken
    assert html_of(email).count(taken[0]) == email.body.count(taken[0]) == 1
    assert "Strength: " not in event  # the lines below tell it
    assert [part["Content-ID"] for part in email.attachments] == ["<map>"]


def test_the_emails_text_says_how_many_cards_everyone_has(game: Game) -> None:
    emails = delivered()
    for email in emails:
        if "Players" in email.body:
            assert len(re.findall(r"^  \w+ +10 ", email.body.split("Players")[1], re.M)) == 3
    assert any("Players" in email.body for email in emails)


@pytest.mark.parametrize("shown", [True, False])
def test_a_blank_line_stands_before_the_link_to_a_game_that_has_begun(people: list[Any], shown: bool) -> None:
    for person in people:
        person.hand_in_emails = shown
        person.save()
    begin_game(people)
    for email in delivered("started"):
        words = re.escape("See the table (no sign-in needed):")
        assert re.search(rf"\n\n{words}\nhttp://testserver/seat/", email.body)
        assert ("Your hand:" in email.body) == shown


def test_rows_of_terms_have_one_kind_of_rule_below_them(anna: Any) -> None:
    seat_table([anna], size=4, entry="invitation", invited=["zoe@example.org"])
    (email,) = delivered("invitation")
    found = re.search(r'<table class="lines".*?</table>', html_of(email), re.S)
    assert found
    assert "Players</th>" in found[0]
    cells = " ".join(re.findall(r"<t[hd][^>]*>", found[0]))
    for trait in ("border-bottom", "padding", "vertical-align"):
        assert len(set(re.findall(rf"(?<=[ \";]){trait}:[^;\"]*", cells))) == 1, trait


def test_an_email_begins_with_a_capital_also_when_who_it_is_about_has_gone(people: list[Any]) -> None:
    table = seat_table(people, size=4)
    OutgoingEmail.objects.all().delete()
    erase(people[1])
    emails = delivered("left")
    assert [email.subject for email in emails] == ["A former player left: Table 42"]
    assert emails[0].body.startswith("A former player left the table.")
    services.invite(table, "zoe@example.org")
    erase(people[0])
    for email in delivered("cancelled"):
        assert email.body.startswith("A former player, the host, cancelled")
