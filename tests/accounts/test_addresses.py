"""One mailbox is one account, however its address is written; two mailboxes are never one."""

from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.addresses import is_address, normal_address, readable_address
from accounts.mail.delivery import deliver_due
from accounts.mail.list_names import INVITATIONS
from accounts.mail.models import OutgoingEmail, SuppressedAddress, Unsubscription
from accounts.mail.own_addresses import numbers_in, tagged
from accounts.mail.subscriptions import is_unsubscribed, refuse_invitations
from accounts.mail.suppression import suppression_of
from accounts.models import User
from condottiere_site import environment
from condottiere_site.operators import operator
from games import services
from games.forms.invitations import InviteForm
from games.leagues.services.player_list_rows import BadRows
from games.leagues.services.player_lists import read_players
from games.models import Invitation
from tests.games.playing import seat_table

ANNA = "anna@example.org"
MUNICH = "anna@xn--mnchen-3ya.example"
IN_MUNICH = "anna@münchen.example"

SAME = [
    (ANNA, "Anna@Example.ORG"),
    (ANNA, "  anna@example.org\u00a0"),
    (ANNA, "anna@example.org\u200b"),
    (ANNA, "\ufeffanna@example.org"),
    (ANNA, "\u202aanna@example.org\u202c"),
    (ANNA, "anna\u200b@example.org"),
    (ANNA, "an\u00adna@exam\u00adple.org"),
    (ANNA, "anna@example.org."),
    (ANNA, "anna@example\u3002org"),
    (ANNA, "anna@ｅｘａｍｐｌｅ.org"),
    (ANNA, '"anna"@example.org'),
    (ANNA, '"a\\nna"@example.org'),
    ('"a..b"@example.org', '"a\\.\\.b"@example.org'),
    ("k@example.org", "\u212a@example.org"),  # the sign for kelvin is K in every normal form
    (MUNICH, IN_MUNICH),
    (MUNICH, "anna@MÜNCHEN.example"),
    (MUNICH, "anna@mu\u0308nchen.example"),
    (MUNICH, "anna@XN--MNCHEN-3YA.Example."),
    (MUNICH, "anna@münchen\u200b.example"),
    ("anna@xn--strae-oqa.example", "anna@straße.example"),
]
OTHERS = [
    (ANNA, "an.na@example.org"),
    (ANNA, "anna+games@example.org"),
    (ANNA, "anna@mail.example.org"),
    (ANNA, "anna@example.orgs"),
    (ANNA, '"anna "@example.org'),
    ("anna@straße.example", "anna@strasse.example"),
    (IN_MUNICH, "anna@muenchen.example"),
    (IN_MUNICH, "anna@munchen.example"),
    (ANNA, "anna@exаmple.org"),  # a Cyrillic letter: another domain
    (ANNA, "аnna@example.org"),
    ("anna@ınfo.example", "anna@info.example"),
    ("mike@example.org", "mıke@example.org"),
    ("sam@example.org", "ſam@example.org"),
    ("anna@xn--mgba3gch31f060k.com", "anna@نامهای.com"),  # the first has a joiner between its letters
    ("anna@xn--i-7iq.ws", "anna@i.ws"),
    ('"a@b"@example.org', "a@b@example.org"),
]
NO_ADDRESSES = [
    "",
    "anna",
    "@example.org",
    "anna@",
    "an na@example.org",
    "anna@exa mple.org",
    "anna@example..org",
    "anna@example.org..",
    "anna@[192.0.2.1]",
    "anna@[IPv6:2001:db8::1]",
    "anna@192.0.2.1",
    "anna(at home)@example.org",
    "anna@example.org (Anna)",
    "Anna <anna@example.org>",
    "ａｎｎａ@example.org",
    "аnna@example.org",
    "mıke@example.org",
    "ſam@example.org",
    "anna＠example.org",
    '"an na"@example.org',
    '"an\x01na"@example.org',
    '""@example.org',
    "anna@i❤.ws",
    "anna@ex\u202eample.org",
    "an\nna@example.org",
    "anna@example.org\0",
    f"{'a' * 250}@example.org",
    f"anna@{'ü' * 60}.example",
    f"anna@{'a' * 100_000}.example",
]


def readable(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()[:60]


@pytest.mark.parametrize(("one", "other"), SAME, ids=readable)
def test_what_a_mail_server_takes_for_one_address_is_one(one: str, other: str) -> None:
    assert normal_address(other) == normal_address(one) == one
    assert is_address(one)
    assert is_address(other)


@pytest.mark.parametrize(("one", "other"), OTHERS, ids=readable)
def test_what_a_mail_server_tells_apart_is_two(one: str, other: str) -> None:
    assert normal_address(one) != normal_address(other)


@pytest.mark.parametrize("text", NO_ADDRESSES, ids=readable)
def test_what_no_email_can_be_sent_to_is_no_address(text: str) -> None:
    assert not is_address(text)


LETTERS = st.sampled_from('anAN.+"\\ @0ｎñеıK\u200b\u200d\u00ad\u0308\ufeff\u202e-_üß。')
PARTS = st.one_of(st.text(LETTERS, max_size=12), st.text(max_size=8))


@given(PARTS, PARTS)
def test_the_normal_form_of_any_text_is_its_own(local: str, domain: str) -> None:
    for text in (local, f"{local}@{domain}", f"{local}@{domain}.org"):
        normal = normal_address(text)
        assert normal_address(normal) == normal
        assert is_address(normal) == is_address(text)
        if is_address(text):
            assert normal.isascii()
            assert normal.isprintable()
            assert normal_address(readable_address(normal)) == normal


ASCII_LOCAL = st.from_regex(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,8}(\.[a-z0-9+_-]{1,4})?", fullmatch=True)
ASCII_DOMAIN = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,5}[a-z0-9])?\.(org|example|xn--p1ai)", fullmatch=True)
MAILBOXES = st.tuples(ASCII_LOCAL, ASCII_DOMAIN)


@given(MAILBOXES, MAILBOXES)
def test_two_ascii_mailboxes_are_one_only_if_they_are_equal(one: Any, other: Any) -> None:
    first, second = ("@".join(mailbox) for mailbox in (one, other))
    assert (normal_address(first) == normal_address(second)) == (first == second)
    assert normal_address(first) == first


UNSEEN = st.sampled_from(["", " ", "\u200b", "\ufeff", "\u00a0", "\u2060", "\u200e", "\t"])


@given(MAILBOXES, UNSEEN, UNSEEN, st.booleans(), st.sampled_from(["", "."]))
def test_no_way_of_typing_an_address_makes_another_of_it(
    mailbox: Any, before: str, after: str, shouts: bool, dot: str
) -> None:
    address = "@".join(mailbox)
    typed = f"{before}{address.upper() if shouts else address}{dot}{after}"
    assert normal_address(typed) == address


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (MUNICH, IN_MUNICH),
        (ANNA, ANNA),
        ("anna@xn--i-7iq.ws", "anna@xn--i-7iq.ws"),
        ("anna@xn--80ak6aa92e.com", "anna@xn--80ak6aa92e.com"),  # looks like apple.com
        ("anna@xn--a.example", "anna@xn--a.example"),
        ("a former player", "a former player"),
    ],
)
def test_people_read_the_letters_of_a_domain_where_none_could_deceive(stored: str, shown: str) -> None:
    assert readable_address(stored) == shown


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("one", "other"),
    [SAME[3], SAME[14], *(pytest.param(*pair, marks=pytest.mark.long) for pair in (*SAME[4:14], *SAME[15:]))],
    ids=readable,
)
def test_every_spelling_signs_in_to_the_one_account(one: str, other: str, code_for: Any) -> None:
    user = User.objects.get_or_create_proven(one)
    client = Client()
    client.post("/accounts/login/", {"login": other})
    client.post("/accounts/login/code/confirm/", {"code": code_for(one)})
    assert client.session["_auth_user_id"] == str(user.pk)
    assert User.objects.count() == 1
    assert EmailAddress.objects.get().email == one


@pytest.mark.django_db
def test_a_password_goes_with_every_spelling(anna: User) -> None:
    anna.set_password("seventeen brown mules")
    anna.save()
    client = Client()
    client.post(
        "/accounts/login/", {"login": '\u200b"Anna"@Example.org.', "password": "seventeen brown mules"}
    )
    assert "_auth_user_id" in client.session


@pytest.mark.django_db
def test_signing_up_again_in_another_spelling_makes_no_second_account(code_for: Any) -> None:
    client = Client()
    client.post("/accounts/signup/", {"email": IN_MUNICH})
    client.post("/accounts/confirm-email/", {"code": code_for(MUNICH)})
    assert User.objects.get().email == MUNICH
    Client().post("/accounts/signup/", {"email": "Anna@xn--mnchen-3YA.example\u200b"})
    assert User.objects.count() == 1


@pytest.mark.django_db
def test_no_one_changes_to_anothers_address_in_another_spelling(
    anna: User, bruno: User, sign_in_by_code: Any, code_for: Any
) -> None:
    client = sign_in_by_code(bruno.email)
    client.post("/accounts/email/", {"action_add": "", "email": "\u200bANNA@example.org."})
    assert not EmailAddress.objects.filter(user=bruno, email__contains="nna").exists()
    client.post("/accounts/email/", {"action_add": "", "email": IN_MUNICH})
    client.post("/accounts/confirm-email/", {"code": code_for(MUNICH)})
    bruno.refresh_from_db()
    assert bruno.email == MUNICH


@pytest.mark.django_db
def test_a_new_password_is_for_the_account_of_the_mailbox(anna: User, code_for: Any) -> None:
    client = Client()
    client.post("/accounts/password/reset/", {"email": "anna@example.org\u200b"})
    client.post("/accounts/password/reset/confirm/", {"code": code_for(ANNA)})
    words = "seventeen brown mules"
    client.post("/accounts/password/reset/complete/", {"password1": words, "password2": words})
    anna.refresh_from_db()
    assert anna.check_password(words)


FORMS = [
    ("/accounts/login/", "login"),
    ("/accounts/signup/", "email"),
    ("/accounts/password/reset/", "email"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "typed", ["mıke@example.org", "anna@[192.0.2.1]", "anna@i❤.ws", '"an na"@example.org']
)
def test_every_form_refuses_what_no_email_can_be_sent_to(typed: str) -> None:
    for page, field in FORMS:
        answer = Client().post(page, {field: typed})
        assert "Enter a valid email address." in answer.content.decode(), page
    assert not User.objects.exists()
    assert not InviteForm({"invited": typed}).is_valid()
    if '"' not in typed:  # in a sheet, these are quotes around a cell
        with pytest.raises(BadRows, match="not an email address"):
            read_players(typed, levels=1)


@pytest.mark.django_db
def test_emails_go_to_the_domain_that_was_meant_and_not_to_an_older_reading(smtp_sink: Any) -> None:
    Client().post("/accounts/login/", {"login": "anna@straße.example"})
    deliver_due()
    assert smtp_sink.recipients == [["anna@xn--strae-oqa.example"]]


@pytest.mark.django_db
def test_invitations_blocks_and_suppressions_are_for_the_mailbox(anna: User, bruno: User) -> None:
    table = seat_table([bruno], size=3)
    services.invite(table, "ANNA@example.org\u200b")
    assert Invitation.objects.get().email == ANNA
    with pytest.raises(services.Refused):
        services.invite(seat_table([anna, bruno], size=3), '"anna"@example.org.')
    refuse_invitations("anna@example.org.", refused=True)
    assert Unsubscription.objects.get().address == ANNA
    assert is_unsubscribed("\ufeffAnna@example.org", INVITATIONS)
    SuppressedAddress.objects.create(address=MUNICH, since=timezone.now())
    assert suppression_of(IN_MUNICH) is not None


def test_a_sheet_names_each_mailbox_once() -> None:
    sheet = f"Anna,{IN_MUNICH}\nAnna,{MUNICH}\nBert,bert@example.org\u200b\n\u200bBert,bert@example.org"
    found = read_players(sheet, levels=1)
    assert [player.email for player in found.players] == [MUNICH, "bert@example.org"]


def test_a_list_of_invitations_names_each_mailbox_once() -> None:
    form = InviteForm({"invited": f"Anna <{IN_MUNICH}>, {MUNICH}\nanna@example.org\u200b; anna@example.org."})
    assert form.is_valid(), form.errors
    assert list(form.cleaned_data["invited"]) == [MUNICH, ANNA]


@pytest.mark.django_db
def test_a_name_on_a_sheet_keeps_its_emoji() -> None:
    [player] = read_players("Anna \u2764\ufe0f,anna@example.org", levels=1).players
    assert player.name == "Anna \u2764\ufe0f"


@pytest.mark.django_db
def test_the_operators_address_is_one_account_in_every_spelling(settings: Any) -> None:
    settings.OPERATOR_EMAIL = IN_MUNICH
    first = operator()
    settings.OPERATOR_EMAIL = "Anna@XN--mnchen-3ya.example"
    assert operator() == first
    assert first.email == MUNICH


def test_the_sites_own_addresses_are_written_as_mail_servers_read_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REPLY_ADDRESS", "Reply@Bücher.example")
    mailbox = environment.own_mailbox("REPLY_ADDRESS")
    assert mailbox == "reply@xn--bcher-kva.example"
    assert numbers_in(tagged("reply@bücher.example", "x", 7).upper(), mailbox, "x", 1) == [7]
    monkeypatch.setenv("DEFAULT_FROM_EMAIL", "Spiele <Spiele@Straße.example>")
    assert environment.mail_address("DEFAULT_FROM_EMAIL", "") == "Spiele <spiele@xn--strae-oqa.example>"


@pytest.fixture
def two_of_one_mailbox() -> list[User]:
    """Accounts as an older version stored them, the newer one in the present form."""
    older, newer, alone = (User.objects.create_user(f"{n}@example.org") for n in ("one", "two", "three"))
    spellings = {older: "anna@example.org\u200b", newer: ANNA, alone: IN_MUNICH}
    for user, spelling in spellings.items():
        User.objects.filter(pk=user.pk).update(email=spelling, name_chosen=True)
        EmailAddress.objects.create(user=user, email=spelling, verified=True, primary=True)
    return [older, newer, alone]


def command() -> str:
    out = StringIO()
    call_command("normalize_addresses", stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_of_two_accounts_of_one_mailbox_signing_in_opens_the_older_and_the_operator_gets_a_list(
    two_of_one_mailbox: list[User], sign_in_by_code: Any, smtp_sink: Any
) -> None:
    older, newer, alone = two_of_one_mailbox
    Unsubscription.objects.create(address=IN_MUNICH, list_id="game-1")
    OutgoingEmail.objects.create(
        kind="x", to_address=IN_MUNICH, key="x", not_before=timezone.now(), state="sent"
    )
    said = command()
    assert f"account {older.pk} and account {newer.pk}" in said
    assert ANNA in said
    assert sign_in_by_code(ANNA).session["_auth_user_id"] == str(older.pk)
    assert sign_in_by_code(MUNICH).session["_auth_user_id"] == str(alone.pk)
    assert User.objects.count() == 3
    newer.refresh_from_db()
    newer.name = "Annie"
    newer.save()
    smtp_sink.recipients.clear()
    OutgoingEmail.objects.all().delete()
    services.invite(seat_table([alone], size=3), newer.email)
    deliver_due()
    assert smtp_sink.recipients == [[ANNA]]
    assert Unsubscription.objects.get().address == MUNICH


@pytest.mark.django_db
def test_bringing_addresses_into_the_present_form_again_changes_nothing(
    two_of_one_mailbox: list[User],
) -> None:
    said = command()
    before = list(User.objects.order_by("pk").values_list("email", flat=True))
    assert command() == said
    assert list(User.objects.order_by("pk").values_list("email", flat=True)) == before


@pytest.mark.django_db
def test_a_site_without_such_accounts_is_told_so(anna: User) -> None:
    assert "No two accounts share a mailbox." in command()


@pytest.mark.django_db
def test_deleting_an_account_takes_the_address_in_any_spelling(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(email=MUNICH)
    client = signed_in(User.objects.get(pk=anna.pk))
    form = {"email": IN_MUNICH, "token": client.get("/me/delete/").context["token"]}
    assert client.post("/me/delete/", form).status_code == 302
    anna.refresh_from_db()
    assert anna.deleted_at is not None


@pytest.mark.django_db
def test_pages_and_emails_show_the_letters_of_a_domain(sign_in_by_code: Any, smtp_sink: Any) -> None:
    page = Client().post("/accounts/login/", {"login": MUNICH}, follow=True).content.decode()
    assert IN_MUNICH in page
    assert MUNICH not in page
    client = sign_in_by_code(MUNICH)
    assert IN_MUNICH in client.get("/accounts/email/").content.decode()


@pytest.mark.django_db
def test_operators_find_an_account_by_any_spelling_of_its_address(anna: User, signed_in: Any) -> None:
    User.objects.filter(pk=anna.pk).update(is_staff=True, is_superuser=True)
    found = User.objects.create_user(MUNICH)
    page = signed_in(anna).get("/operator/admin/accounts/user/", {"q": "Anna@MÜNCHEN.example\u200b"})
    assert f"/operator/admin/accounts/user/{found.pk}/change/" in page.content.decode()
    assert f"/operator/admin/accounts/user/{anna.pk}/change/" not in page.content.decode()
