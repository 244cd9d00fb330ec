"""Turn emails are short, and say everything once: counted over whole games that follow from shuffles."""

import statistics
from typing import Any

import pytest

from tests.games.playing import begin_game
from tests.journeys.emails import LINK, text_of
from tests.journeys.playing import SECRETS, Company, delivered

pytestmark = pytest.mark.django_db
MEDIAN, MOST = 250, 350  # words


def words(text: str) -> int:
    """Return the number of words without addresses; a dash or a dot between words is none."""
    return sum(any(letter.isalnum() for letter in word) for word in LINK.sub("", text).split())


def turn_emails(people: list[Any], variants: list[str], most_moves: int) -> list[str]:
    """Play a game and return its turn emails as text."""
    options = {"edition": "2007", "variants": variants}
    game = begin_game(people, name="The long road", secret=SECRETS[3], pace="day", options_json=options)
    company, found = Company(game), list[str]()
    for _move in range(most_moves):
        questions = company.open_decisions()
        if not questions:
            break
        found += [text_of(email) for email in delivered() if str(email["Subject"]).startswith("Your turn")]
        company.answer(questions[0])
    return found


@pytest.mark.parametrize("variants", [[], ["hidden-cards"]])
@pytest.mark.long
def test_turn_emails_of_a_whole_game_are_short(
    anna: Any, bruno: Any, carla: Any, variants: list[str]
) -> None:
    emails = turn_emails([anna, bruno, carla], variants, most_moves=1000)
    counts = [words(text) for text in emails]
    assert len(counts) > 50
    assert statistics.median(counts) <= MEDIAN
    assert max(counts) <= MOST, max(emails, key=words)


def test_turn_emails_of_a_games_beginning_say_nothing_twice(anna: Any, bruno: Any, carla: Any) -> None:
    emails = turn_emails([anna, bruno, carla], ["hidden-cards"], most_moves=25)
    assert emails
    for text in emails:
        assert words(text) <= MOST, text
        joined = " ".join(text.split())
        sentences = [sentence for sentence in joined.split(". ") if len(sentence.split()) > 3]
        assert len(sentences) == len(set(sentences)), text
    # The other two read it in the email about the start.
    assert sum("Needs: more" in text for text in emails) == 1
