"""Names that look like another's, or like the site's own: refused, or told apart."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import translation
from django.utils.translation import gettext

from accounts.names import BOT, clean_name, without_bot
from games.models import Game
from tests.games.playing import begin_game

LOOK_ALIKES = [
    ("Anna", "\u0410nna"),  # the Cyrillic capital that looks like A
    ("Anna", "A\u03b7\u03b7\u0430"),
    ("Nina", "\u039dina"),
    ("ANNA", "\u0391\u039d\u039d\u0391"),
    ("Sara", "\u0405\u0430\u0433\u0430"),
    ("Iris", "lris"),
    ("Oleg", "0leg"),
    ("Marna", "Mama"),
    ("Otto", "\uff2ftto"),
    ("Bruno", "bruno"),
    ("Anna", "\u1d00nna"),  # a small capital
    ("Anna", "\u13aanna"),  # Cherokee
    ("Anna", "\ua4eenna"),  # Lisu
    ("Anna", "\U0001d400nna"),
    ("Anna", "\U0001f170nna"),
    ("Anna", "\u00c4nna"),
    ("Zofia", "Zo\ua730ia"),
    ("Luca", "\u0141uca"),
    ("Anna", "Anna."),
    ("Anna B", "Anna\u00a0 B"),
    ("Anna \u2764", "Anna \u2764\ufe0f"),
]


def invisible(name: str) -> str:
    return name.encode("ascii", "backslashreplace").decode()


@pytest.mark.parametrize(
    "name",
    [
        "An\u200dna",
        "Anna\u200d",
        "\u200cAnna",
        "A\u0301\u200dnna",
        "\u0410\u200d\u043d\u043d\u0430",
        "Anna\ufe0f",
        "Anna\ufe00",
        "An\u034fna",
        "Anna\U000e0100",
    ],
    ids=invisible,
)
def test_a_name_cannot_differ_by_what_no_one_sees(name: str) -> None:
    with pytest.raises(ValidationError, match="invisible"):
        clean_name(name)


@pytest.mark.parametrize(
    "name", ["\u0645\u06cc\u200c\u0634\u0648\u062f", "\u0915\u094d\u200d\u0937", "\U0001f469\u200d\U0001f680"]
)
def test_joiners_that_are_needed_stay(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "Operator",
        "0PERAT0R",
        "\u041eperator",
        "Condottiere",
        "Condottiere by email",
        "C\u043endottiere  by email",
        "Gu\u0435st",
        "Bruno (b\u043et)",
        "Były gracz",
        "[игрок]",
        "Condottiere by e-mail",
        "Op\u00e9rator",
        "O.p.e.r.a.t.o.r",
        "\u1d0fp\u1d07rator",
        "Operator \u2713",
        "\u2709\ufe0f Condottiere by email",
        "Anna [bot]",
        "Anna [1]",
    ],
    ids=invisible,
)
def test_no_name_passes_for_the_site_its_operator_or_its_bots(name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        clean_name(name)
    assert refused.value.code == "reserved"


def test_the_sites_name_is_reserved_as_the_operator_has_set_it(settings: Any) -> None:
    settings.SITE_NAME = "Friday Games"
    with pytest.raises(ValidationError):
        clean_name("friday games")
    assert clean_name("Friday Gamer") == "Friday Gamer"


@pytest.mark.parametrize("name", ["Talbot", "Botond", "Annabel", "Gustav", "Anna \u2713"])
def test_names_that_only_begin_or_end_like_one_of_the_sites_are_free(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.django_db
@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES)
def test_people_at_a_table_whose_names_look_alike_are_told_apart(
    one: str, other: str, anna: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    anna.name, bruno.name = one, other
    anna.save()
    bruno.save()
    game: Game = begin_game([anna, bruno, carla])
    page = signed_in(carla).get(f"/games/{game.pk}/").content.decode()
    assert f"{one} (1)" in page
    assert f"{other} (2)" in page
    assert "Carla (3)" not in page


@pytest.mark.django_db
@pytest.mark.parametrize("to", ["http://localhost/x", "http://127.0.0.1:8000/", "https://[::1]/x"])
def test_signing_in_leads_to_no_site_on_ones_own_machine(to: str, anna: Any, signed_in: Any) -> None:
    client: Client = signed_in(anna)
    assert client.get("/accounts/login/", {"next": to})["Location"] == "/"


@pytest.mark.django_db
def test_signing_in_leads_to_the_site_where_it_is(anna: Any, signed_in: Any, settings: Any) -> None:
    client: Client = signed_in(anna)
    here = client.get("/accounts/login/", {"next": "http://localhost/watch/"}, headers={"host": "localhost"})
    assert here["Location"] == "http://localhost/watch/"
    settings.SITE_URL = "http://games.example.org"
    there = client.get("/accounts/login/", {"next": "http://games.example.org/watch/"})
    assert there["Location"] == "http://games.example.org/watch/"


@pytest.mark.parametrize(
    "name",
    [
        "Anna \u2764\ufe0f",
        "\u2600\ufe0f Sol",
        "Tom \U0001f1e9\U0001f1ea",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f Ewan",
        "Player 1\ufe0f\u20e3",
        "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3fd",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u09b0\u200d\u09cd\u09af\u09be\u099a\u09c7\u09b2",  # a Bengali Rachel
        "\U0001fae8",  # newer than Python's own table
    ],
    ids=invisible,
)
def test_a_name_may_have_any_emoji_as_phones_write_it(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "Anna\ufe0f \u2764",
        "Anna 1\ufe0f",
        "Anna \u2764\ufe0f\ufe0f",
        "Anna \u2764\u200d",
        "\U0001f3f4\U000e0061\U000e006e\U000e006e\U000e0061\U000e007f",
        "\u5b89\u200d\u5a1c",
        "An\u00adna",
        "Anna\u2060",
        "Anna\u3164",
    ],
    ids=invisible,
)
def test_what_is_invisible_outside_an_emoji_stays_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="invisible"):
        clean_name(name)


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"


@pytest.mark.parametrize("character", ["a", "\u2764\ufe0f", "\U0001f1e9\U0001f1ea", FAMILY, "q\u0323\u0301"])
def test_a_name_has_forty_characters_as_people_count_them(character: str) -> None:
    assert clean_name(40 * character) == 40 * character
    with pytest.raises(ValidationError) as refused:
        clean_name(41 * character)
    assert refused.value.messages == ["A name can have at most 40 characters; this one has 41. Shorten it."]


@pytest.mark.django_db
def test_the_longest_name_of_emoji_is_stored(anna: Any, signed_in: Any) -> None:
    form = {"name": 40 * FAMILY, "language": "en", "time_zone": "UTC"}
    assert signed_in(anna).post("/me/", form).status_code == 302
    anna.refresh_from_db()
    assert anna.name == 40 * FAMILY


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_only_a_bot_s_name_is_shortened(language: str) -> None:
    with translation.override(language):
        assert without_bot(gettext(BOT) % {"name": "Colleoni"}) == "Colleoni"
        assert without_bot("Anna (2)") == "Anna (2)"
        with pytest.raises(ValidationError):
            clean_name(gettext(BOT) % {"name": "Anna"})
