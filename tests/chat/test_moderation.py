"""Muting, reporting and banning: what each player sees of it, and what operators do."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import Block, User
from games.chat import privacy
from games.chat.links import chat_token
from games.chat.models import Ban, Channel, Message, Mute, Report
from games.chat.services import TooMany, begin_channel, messages, moderation, write
from games.models import Seat, Table
from games.services import Refused
from tests.chat.chatting import chat_emails, hidden_fields, html_of, say
from tests.games.playing import answer, begin_game, decision_of, legal_texts, seat_table
from tests.games.test_reading_writes_nothing import queries_of
from tests.people import proven

pytestmark = pytest.mark.django_db

FOLDED = "You muted Bruno. Show this message"


@pytest.fixture
def operator(db: None) -> User:
    """Dina, who has no seat."""
    user = proven("dina@example.org", "Dina")
    User.objects.filter(pk=user.pk).update(is_staff=True)
    user.refresh_from_db()
    return user


def seat_of(table: Table, user: Any) -> Seat:
    return Seat.objects.select_related("table__host", "user").get(table=table, user=user)


def chat_page(client: Any, table: Table, slug: str = "") -> str:
    """Return the page without what differs at each visit."""
    path = f"/tables/{table.pk}/chat/{slug}/".replace("//", "/")
    page = client.get(path).content.decode()
    return re.sub(r'(name="csrfmiddlewaretoken" value=|have=|nonce=)"?[^"\s>]*', "", page)


def people_page(client: Any, table: Table) -> str:
    return str(client.get(f"/tables/{table.pk}/people/").content.decode())


def press(client: Any, table: Table, action: str, seat: int, **more: Any) -> Any:
    return client.post(f"/tables/{table.pk}/people/", {"action": action, "seat": seat, **more}, follow=True)


# Mute


def test_what_someone_muted_writes_is_folded_for_that_reader_alone(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    write(seat_of(table, bruno), "Buy my wine")
    for reader in people:
        chat_page(signed_in(reader), table)  # read
    before = {one.name: chat_page(signed_in(one), table) for one in (bruno, carla)}
    press(signed_in(anna), table, "mute", 1)
    page = chat_page(signed_in(anna), table)
    assert FOLDED in page
    assert page.index(FOLDED) < page.index("Buy my wine")  # there to be looked at
    assert {one.name: chat_page(signed_in(one), table) for one in (bruno, carla)} == before
    assert "Bruno" in people_page(signed_in(carla), table)
    assert "unmute" not in people_page(signed_in(bruno), table)


def test_someone_who_is_muted_is_neither_told_in_emails_nor_counted(
    people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    table = begin_game(people).table
    moderation.mute(seat_of(table, anna), bruno)
    write(seat_of(table, bruno), "Buy my wine")
    assert {email.to[0] for email in chat_emails()} == {carla.email}
    assert "new message" not in signed_in(anna).get("/games/").content.decode()
    assert "1 new message" in signed_in(carla).get("/games/").content.decode()


def test_a_mute_in_a_channel_of_others_leaves_no_trace_there(table: Table, people: list[Any]) -> None:
    anna, bruno, carla = people
    moderation.mute(seat_of(table, anna), bruno)
    channel = begin_channel(seat_of(table, bruno), [seat_of(table, carla)])
    write(seat_of(table, bruno), "Among us", channel=channel)
    assert not channel.read_markers.filter(user=anna).exists()


def test_one_unmutes_and_reads_again(table: Table, people: list[Any], signed_in: Any) -> None:
    write(seat_of(table, people[1]), "Good day")
    client = signed_in(people[0])
    press(client, table, "mute", 1)
    press(client, table, "unmute", 1)
    assert FOLDED not in chat_page(client, table)


def test_a_mute_is_of_one_table(table: Table, people: list[Any], signed_in: Any) -> None:
    other = seat_table(people, size=4)
    moderation.mute(seat_of(table, people[0]), people[1])
    write(seat_of(other, people[1]), "Good day")
    assert FOLDED not in chat_page(signed_in(people[0]), other)


def test_no_one_mutes_themselves_a_bot_or_a_stranger(
    table: Table, people: list[Any], signed_in: Any, stranger: Any
) -> None:
    client = signed_in(people[0])
    assert press(client, table, "mute", 0).status_code == 404
    assert press(client, table, "mute", 3).status_code == 404
    assert press(client, table, "nothing", 1).status_code == 404
    assert press(signed_in(stranger), table, "mute", 1).status_code == 404
    assert not Mute.objects.exists()


def test_at_an_anonymous_table_one_mutes_a_seat_and_blocks_no_one(people: list[Any], signed_in: Any) -> None:
    table = begin_game(people, is_anonymous=True).table
    mine = seat_of(table, people[0]).number
    other = next(seat for seat in table.seats.all() if seat.number != mine)
    client = signed_in(people[0])
    press(client, table, "mute", other.number)
    assert Mute.objects.filter(by=people[0], whom=other.user).exists()
    page = press(client, table, "block", other.number).content.decode()
    assert "You can block them when the game is over" in page
    assert not Block.objects.exists()
    assert not any(one.name in page for one in people[1:])


def test_before_an_anonymous_game_begins_no_one_is_told_from_another_by_muting(
    people: list[Any], signed_in: Any
) -> None:
    table = seat_table(people, size=4, is_anonymous=True)
    assert "Players at this table are anonymous until the game starts" in people_page(
        signed_in(people[0]), table
    )
    press(signed_in(people[0]), table, "mute", 1)
    assert not Mute.objects.exists()


# Block


def test_one_blocks_from_the_table_and_nothing_changes_there(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, _carla = people
    write(seat_of(table, bruno), "Good day")
    before = chat_page(signed_in(bruno), table), people_page(signed_in(bruno), table)
    page = press(signed_in(anna), table, "block", 1).content.decode()
    assert "Nothing changes at this table" in page
    assert Block.objects.filter(by=anna, whom=bruno).exists()
    assert "Bruno" in signed_in(anna).get("/me/blocks/").content.decode()
    after = chat_page(signed_in(bruno), table), people_page(signed_in(bruno), table)
    assert [without_tokens(page) for page in after] == [without_tokens(page) for page in before]


def without_tokens(page: str) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", page)


# Report


def report_of(client: Any, table: Table, number: int, slug: str = "", **more: Any) -> Any:
    path = f"/tables/{table.pk}/message/{slug}/{number}/".replace("//", "/")
    return client.post(path, {"reason": "insult", **more}, follow=True)


def test_a_report_carries_what_its_reader_read_to_the_operators(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    anna, bruno, _carla = people
    for n in range(12):
        write(seat_of(table, anna), f"Word {n}")
    write(seat_of(table, bruno), "You <b>mule</b>")
    assert "Report or mute" in chat_page(signed_in(anna), table)
    page = report_of(signed_in(anna), table, 13, words="Twice today").content.decode()
    assert "You reported this message" in page
    shown = signed_in(operator).get("/operator/reports/").content.decode()
    assert "It insults or threatens someone" in shown
    assert "Twice today" in shown
    kept = Report.objects.get()
    assert (kept.reason, kept.words) == ("insult", "Twice today")  # facts, put into words for each reader
    assert "You &lt;b&gt;mule&lt;/b&gt;" in shown
    assert "Word 2<" in shown  # ten before it
    assert "Word 1<" not in shown
    deliver_due(timezone.now() + timedelta(minutes=6))
    email = next(one for one in mail.outbox if one.to == [operator.email])
    assert "It insults or threatens someone" in email.body
    assert "Twice today" in email.body
    assert "/operator/reports/" in email.body
    assert "mule" not in email.body


def test_someone_who_wrote_it_learns_neither_that_nor_by_whom_it_was_reported(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    anna, bruno, carla = people
    write(seat_of(table, bruno), "You mule")
    for one in people:
        chat_page(signed_in(one), table)
    before = [chat_page(signed_in(one), table) for one in (bruno, carla)]
    emails = OutgoingEmail.objects.filter(to_user=bruno).count()
    report_of(signed_in(anna), table, 1)
    assert [chat_page(signed_in(one), table) for one in (bruno, carla)] == before
    assert OutgoingEmail.objects.filter(to_user=bruno).count() == emails


def test_a_message_is_reported_once_and_not_ones_own(table: Table, people: list[Any], signed_in: Any) -> None:
    write(seat_of(table, people[1]), "Good day")
    client = signed_in(people[0])
    report_of(client, table, 1)
    again = report_of(client, table, 1)
    assert again.status_code == 409
    assert "You already reported this message" in again.content.decode()
    own = report_of(signed_in(people[1]), table, 1)
    assert own.status_code == 409
    assert "report your own message." in own.content.decode()
    assert Report.objects.count() == 1


def test_without_a_reason_the_form_says_so(table: Table, people: list[Any], signed_in: Any) -> None:
    write(seat_of(table, people[1]), "Good day")
    got = report_of(signed_in(people[0]), table, 1, reason="", words="x" * 501)
    assert got.status_code == 400
    assert (
        "A reason can have at most 500 characters. This one has 501, so shorten it." in got.content.decode()
    )
    assert not Report.objects.exists()


def test_what_one_cannot_read_cannot_be_reported(
    table: Table, people: list[Any], signed_in: Any, stranger: Any
) -> None:
    anna, bruno, carla = people
    channel = begin_channel(seat_of(table, anna), [seat_of(table, bruno)])
    write(seat_of(table, bruno), "A secret", channel=channel)
    for reader, number, slug in (
        (carla, 1, channel.slug),
        (stranger, 1, channel.slug),
        (anna, 2, channel.slug),
    ):
        assert report_of(signed_in(reader), table, number, slug).status_code == 404
    assert report_of(signed_in(anna), table, 1).status_code == 404  # nothing was said to the table
    assert not Report.objects.exists()


def test_too_many_reports_a_day_are_refused(
    table: Table, people: list[Any], signed_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(moderation, "MOST_REPORTS_A_DAY", 1)
    for n in range(2):
        write(seat_of(table, people[1]), f"Word {n}")
    report_of(signed_in(people[0]), table, 1)
    got = report_of(signed_in(people[0]), table, 2)
    assert "You have reached the daily limit for reports (1). Report more tomorrow." in got.content.decode()


def made_report(table: Table, people: list[Any], signed_in: Any) -> Report:
    write(seat_of(table, people[1]), "You mule")
    report_of(signed_in(people[0]), table, 1)
    return Report.objects.get()


@pytest.mark.long
def test_an_operator_dismisses_and_who_reported_is_told(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    made = made_report(table, people, signed_in)
    client = signed_in(operator)
    without = client.post(f"/operator/reports/{made.pk}/", {"action": "dismiss", **USUAL})
    assert without.status_code == 400
    assert "Enter why you dismiss the report" in without.content.decode()
    client.post(
        f"/operator/reports/{made.pk}/", {**USUAL, "action": "dismiss", "decision": "Mules are noble."}
    )
    mail.outbox.clear()
    deliver_due(timezone.now() + timedelta(minutes=6))
    email = next(one for one in mail.outbox if "report" in one.subject)
    assert email.to == [people[0].email]
    assert "Mules are noble." in email.body
    assert not Ban.objects.exists()


USUAL = {"where": "table", "lasts": "day", "reason": "", "decision": ""}


@pytest.mark.parametrize("where", ["table", "everywhere"])
@pytest.mark.long
def test_an_operator_bans_at_the_table_or_everywhere(
    table: Table, people: list[Any], signed_in: Any, operator: User, where: str
) -> None:
    other = seat_table(people, size=4)
    made = made_report(table, people, signed_in)
    typed = {**USUAL, "action": "ban", "reason": "No insults", "where": where}
    signed_in(operator).post(f"/operator/reports/{made.pk}/", typed)
    with pytest.raises(Refused, match="No insults"):
        write(seat_of(table, people[1]), "But why")
    if where == "everywhere":
        with pytest.raises(Refused, match="at any table"):
            write(seat_of(other, people[1]), "But why")
        assert not Message.objects.filter(kind=Message.Kind.BANNED).exists()
    else:
        write(seat_of(other, people[1]), "Here I may")
        page = chat_page(signed_in(people[2]), table)
        assert "was banned by an operator of this site" in page
        assert "Dina" not in page
    made.refresh_from_db()
    assert (made.state, made.decided_by) == (Report.State.ACTED, operator)


def test_a_report_is_decided_once(table: Table, people: list[Any], signed_in: Any, operator: User) -> None:
    made = made_report(table, people, signed_in)
    moderation.dismiss(made, operator, "No.")
    with pytest.raises(Refused, match="already decided"):
        moderation.ban_for(made, operator, "Yes", "", None, everywhere=True)
    assert not Ban.objects.exists()


def test_the_page_of_reports_costs_as_many_queries_for_many_as_for_few(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    client, counts = signed_in(operator), []
    for number in range(3):
        message = write(seat_of(table, people[1]), f"Mule {number}")
        made = moderation.report(message, people[0], Report.Reason.choices[0][0], "", [])
        moderation.dismiss(made, operator, "No.")
        counts.append(len(queries_of(client, "/operator/reports/")))
    assert counts[1] == counts[2]


def test_an_operator_decides_nothing_and_reads_nothing_in_a_game_of_their_own(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    anna, bruno, carla = people
    User.objects.filter(pk=carla.pk).update(is_staff=True)
    before = reports_page(signed_in(carla))
    channel = begin_channel(seat_of(table, anna), [seat_of(table, bruno)])
    write(seat_of(table, bruno), "You mule", channel=channel)
    report_of(signed_in(anna), table, 1, channel.slug)
    made = Report.objects.get()
    assert reports_page(signed_in(carla)) == before
    assert not OutgoingEmail.objects.filter(kind="reported").exists()
    got = signed_in(carla).post(f"/operator/reports/{made.pk}/", {"action": "dismiss", "decision": "No"})
    assert got.status_code == 404


def reports_page(client: Any) -> str:
    return without_tokens(client.get("/operator/reports/").content.decode())


# Ban


def ban_bruno(client: Any, table: Table, **more: Any) -> Any:
    return press(client, table, "ban", 1, **{"lasts": "day", "reason": "Three insults", **more})


@pytest.mark.long
def test_the_host_bans_and_everyone_sees_who_and_why(table: Table, people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla = people
    ban_bruno(signed_in(anna), table)
    for reader in people:
        page = chat_page(signed_in(reader), table)
        you = "The host banned you from writing at this table until"
        assert (you if reader == people[1] else "Bruno was banned by the host and can’t write") in page
        assert "Three insults" in page
    assert {email.to[0] for email in chat_emails()} == {anna.email, bruno.email, carla.email}
    assert "Three insults" in people_page(signed_in(carla), table)


def test_someone_who_is_banned_reads_why_and_loses_no_word(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    client = signed_in(people[1])
    form = hidden_fields(client.get(f"/tables/{table.pk}/chat/").content.decode())
    ban_bruno(signed_in(people[0]), table)
    got = client.post(f"/tables/{table.pk}/chat/", form | {"text": "But I only said"})
    assert got.status_code == 409
    page = got.content.decode()
    assert "But I only said" in page
    assert "You can’t write at this table until" in page
    shown = client.get(f"/tables/{table.pk}/chat/").content.decode()
    assert "Three insults" in shown
    assert 'class="chat-form"' not in shown


def test_their_email_does_not_ask_them_to_reply(table: Table, people: list[Any], signed_in: Any) -> None:
    anna, bruno, carla = people
    ban_bruno(signed_in(anna), table)
    told = {email.to[0]: (" ".join(email.body.split()), html_of(email)) for email in chat_emails()}
    for person, invited in ((bruno, False), (carla, True)):
        for text in told[person.email]:
            assert ("Read the chat and reply" in text) == invited
            assert ("reply to this email" in text) == invited
            assert "Read the chat" in text


def test_nor_do_they_write_by_a_link_or_in_a_channel(table: Table, people: list[Any], signed_in: Any) -> None:
    anna, bruno, _carla = people
    channel = begin_channel(seat_of(table, anna), [seat_of(table, bruno)])
    ban_bruno(signed_in(anna), table)
    with pytest.raises(Refused, match="Three insults"):
        write(seat_of(table, bruno), "Among us", channel=channel)
    got = signed_in(anna).post(f"/chat/{chat_token(seat_of(table, bruno))}/", {"text": "By email"})
    assert got.status_code == 409
    assert "By email" in got.content.decode()
    begun = signed_in(bruno).post(f"/tables/{table.pk}/chat-with/", {"seats": ["2"], "text": "You then"})
    assert begun.status_code == 409
    assert Channel.objects.filter(table=table, kind=Channel.Kind.PRIVATE).count() == 1


def test_someone_who_is_banned_finds_the_reason_instead_of_a_form_for_a_new_channel(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    ban_bruno(signed_in(people[0]), table)
    page = signed_in(people[1]).get(f"/tables/{table.pk}/chat-with/").content.decode()
    assert "Reason: Three insults" in page
    assert "<textarea" not in page


@pytest.mark.long
def test_a_ban_ends_by_itself(table: Table, people: list[Any], signed_in: Any) -> None:
    ban_bruno(signed_in(people[0]), table)
    Ban.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert say(signed_in(people[1]), table, "Good day").status_code == 302
    ban_bruno(signed_in(people[0]), table)  # and can be said again
    assert Ban.objects.count() == 2


@pytest.mark.long
def test_the_host_lifts_it_and_the_table_is_told(table: Table, people: list[Any], signed_in: Any) -> None:
    ban_bruno(signed_in(people[0]), table, lasts="lifted")
    press(signed_in(people[0]), table, "lift", 1)
    assert say(signed_in(people[1]), table, "Good day").status_code == 302
    assert "Bruno can write at this table again." in chat_page(signed_in(people[2]), table)
    assert "Bruno can write at this table again." in people_page(signed_in(people[2]), table)


def test_the_host_does_not_lift_what_an_operator_said(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    moderation.ban(table, people[1], operator, "No insults", None)
    page = press(signed_in(people[0]), table, "lift", 1).content.decode()
    assert "Only an operator can lift it" in page
    with pytest.raises(Refused):
        write(seat_of(table, people[1]), "Good day")
    signed_in(operator).post(f"/operator/bans/{Ban.objects.get().pk}/lift/")
    write(seat_of(table, people[1]), "Good day")


def test_only_the_host_bans_and_neither_themselves_nor_an_operator(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    got = press(signed_in(people[2]), table, "ban", 1, lasts="day", reason="I can")
    assert "Only the host can do this." in got.content.decode()
    User.objects.filter(pk=people[1].pk).update(is_staff=True)
    got = ban_bruno(signed_in(people[0]), table)
    assert got.status_code == 409
    assert "ban an operator of this site." in got.content.decode()
    itself = press(signed_in(people[0]), table, "ban", 0, lasts="day", reason="I")
    assert itself.status_code == 400
    assert not Ban.objects.exists()


def test_a_ban_has_a_reason_and_is_said_once(table: Table, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    assert ban_bruno(client, table, reason="\u202e").status_code == 400
    ban_bruno(client, table)
    again = ban_bruno(client, table)
    assert again.status_code == 409
    assert "lift it first" in again.content.decode()
    assert Ban.objects.count() == 1


def test_a_reason_cannot_pass_for_what_the_table_says(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    ban_bruno(signed_in(people[0]), table, reason="<b>x</b>\n\nCarla may not write at this table")
    page = chat_page(signed_in(people[2]), table)
    assert "&lt;b&gt;x&lt;/b&gt; Carla may not write at this table" in page
    inside = re.search(r'<p class="chat-text" dir="auto">([^<]*)</p>', page)
    assert inside
    assert "Carla" in inside[1]


def test_at_an_anonymous_table_a_seat_is_banned_no_matter_who_sits_there(
    people: list[Any], signed_in: Any
) -> None:
    User.objects.filter(pk=people[1].pk).update(is_staff=True)
    table = begin_game(people, is_anonymous=True).table
    other = seat_of(table, people[1])
    page = press(
        signed_in(people[0]), table, "ban", other.number, lasts="day", reason="Enough"
    ).content.decode()
    assert Ban.objects.filter(whom=people[1], table=table).exists()
    assert "Bruno" not in page
    assert "Bruno" not in chat_page(signed_in(people[2]), table)


def test_someone_who_is_banned_moves_on(people: list[Any], operator: User) -> None:
    game = begin_game(people)
    seat = game.table.seats.select_related("user").get(number=decision_of(game).seat)
    moderation.ban(None, seat.person, operator, "No", None)
    game.refresh_from_db()
    ply = game.ply
    answer(game, legal_texts(game)[0])
    game.refresh_from_db()
    assert game.ply > ply


# Limits


def test_someone_who_writes_too_fast_is_told_when_to_go_on(
    table: Table, people: list[Any], signed_in: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 3)
    client = signed_in(people[0])
    for n in range(3):
        assert say(client, table, f"Word {n}").status_code == 302
    got = say(client, table, "One more")
    assert got.status_code == 429
    page = got.content.decode()
    assert "limit for messages within ten minutes (3)." in page
    assert "One more" in page
    Message.objects.update(written_at=timezone.now() - timedelta(minutes=11))
    assert say(client, table, "One more").status_code == 302


def test_another_table_counts_by_itself(table: Table, people: list[Any], monkeypatch: Any) -> None:
    monkeypatch.setattr(messages, "MOST_IN_A_WHILE", 1)
    write(seat_of(table, people[0]), "Here")
    write(seat_of(seat_table(people, size=4), people[0]), "There")
    with pytest.raises(TooMany):
        write(seat_of(table, people[0]), "Here again")


def test_a_megabyte_of_text_is_refused_and_stored_nowhere(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    got = say(signed_in(people[0]), table, "word " * 200_000)
    assert got.status_code == 400
    assert "A message can have at most 4000 characters" in got.content.decode()
    assert not Message.objects.exists()
    report = signed_in(people[0]).post(
        f"/tables/{table.pk}/people/", {"action": "ban", "seat": 1, "lasts": "day", "reason": "x" * 10**6}
    )
    assert report.status_code == 400


@pytest.mark.long
def test_ten_thousand_messages_cost_no_more_queries_than_thirty(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    client, path = signed_in(people[0]), f"/tables/{table.pk}/chat/"
    few = many = 0
    for count in (30, 10_000):
        fill(table, people[1], count)
        client.get(path)
        few, many = many, len(queries_of(client, path))
    assert many == few
    assert say(client, table, "The last word").status_code == 302


def fill(table: Table, author: Any, count: int) -> None:
    channel, _made = Channel.objects.get_or_create(table=table, slug="")
    first = channel.newest + 1
    Message.objects.bulk_create(
        Message(channel=channel, number=n, author=author, text="x", html="<p>x</p>")
        for n in range(first, first + count)
    )
    Channel.objects.filter(pk=channel.pk).update(newest=first + count - 1)


# What stays of a person


def test_the_export_has_ones_own_moderation(table: Table, people: list[Any], signed_in: Any) -> None:
    made_report(table, people, signed_in)
    ban_bruno(signed_in(people[0]), table)
    moderation.mute(seat_of(table, people[0]), people[1])
    mine, theirs = privacy.export(people[0]), privacy.export(people[1])
    assert [one["reason"] for one in mine["reports_by_me"]] == ["insult"]
    assert [one["table"] for one in mine["muted"]] == [table.name]
    assert [one["reason"] for one in theirs["bans"]] == ["Three insults"]
    assert (theirs["reports_by_me"], theirs["muted"]) == ([], [])


@pytest.mark.long
def test_someone_who_is_deleted_is_named_in_no_report_and_no_ban(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    made_report(table, people, signed_in)
    ban_bruno(signed_in(people[0]), table, reason="Bruno is Mr Rossi")
    privacy.erase(people[1])
    User.objects.filter(pk=people[1].pk).update(name="", deleted_at=timezone.now())
    shown = signed_in(operator).get("/operator/reports/").content.decode()
    assert "Bruno" not in shown
    assert "a former player" in shown
    assert "You mule" in shown
    assert "Rossi" not in chat_page(signed_in(people[2]), table)


def test_someone_who_is_deleted_is_named_in_no_report_of_a_ban_though_they_wrote_nothing(
    table: Table, people: list[Any], signed_in: Any, operator: User
) -> None:
    moderation.ban(table, people[1], operator, "Enough", None)
    write(seat_of(table, people[2]), "Good riddance")
    page = chat_page(signed_in(people[0]), table)
    assert "Bruno was banned" in page
    signed_in(people[0]).post(f"/tables/{table.pk}/message/2/", {"reason": "insult"})
    assert "Bruno" in str(Report.objects.get().context)
    privacy.erase(people[1])
    assert "Bruno" not in str(Report.objects.get().context)
