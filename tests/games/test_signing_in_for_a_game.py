"""The sign-in page names the page one wanted, without revealing whether it exists."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/games/7/", "Sign in to see this game."),
        ("/games/7/proof/", "Sign in to see this game."),
        ("/tables/7/chat/", "Sign in to see this table."),
        ("/me/", "Sign in to see and change your account."),
        ("/me/emails/preferences/", "Sign in to choose which emails you get."),
        ("/leagues/7/season/1/", "Sign in to see this league."),
        ("/leagues/7/organise/", "Sign in to run this league."),
    ],
)
def test_the_sign_in_page_says_what_one_was_about_to_see(path: str, sentence: str) -> None:
    assert sentence in Client().get(path, follow=True).content.decode()


@pytest.mark.parametrize("path", ["", "/", "/nowhere/", "/%00"])
def test_the_sign_in_page_says_nothing_more_of_other_places(path: str) -> None:
    answer = Client().get("/accounts/login/", {"next": path})
    assert answer.status_code == 200
    assert "Sign in to" not in answer.content.decode()
