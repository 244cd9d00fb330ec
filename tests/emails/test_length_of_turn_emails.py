"""Turn emails are short, and say everything once: counted over whole games that follow from shuffles."""

import statistics
from typing import Any

import pytest

from games.bots import choose
from games.models import Game, LogEntry
from games.models.replay import replayed
from games.rules import observe, pending
from tests.games.playing import begin_game, submit
from tests.journeys.emails import LINK, text_of
from tests.journeys.playing import SECRETS, delivered

pytestmark = pytest.mark.django_db
MEDIAN, MOST = 250, 350  # words


def words(text: str) -> int:
    """Return the number of words without addresses; a dash or a dot between words is none."""
    return sum(any(letter.isalnum() for letter in word) for word in LINK.sub("", text).split())


def turn_emails(people: list[Any], variants: list[str], most_moves: int) -> list[tuple[str, str]]:
    """Play a game as bots would and return its turn emails: to whom, and the text."""
    options = {"edition": "2007", "variants": variants}
    game = begin_game(people, name="The long road", secret=SECRETS[3], pace="day", options_json=options)
    found = list[tuple[str, str]]()
    for _move in range(most_moves):
        state = replayed(Game.objects.get(pk=game.pk)).state
        questions = pending(state)
        if not questions:
            break
        found += [
            (str(email["To"]), text_of(email)) for email in delivered() if "/confirm/" in text_of(email)
        ]
        seat, step = questions[0].seat, questions[0].decision_step
        submit(game, seat, choose("captain", observe(state, seat)), step, LogEntry.Via.LINK)
    return found


@pytest.mark.parametrize("variants", [[], ["hidden-cards"]])
@pytest.mark.long
def test_turn_emails_of_a_whole_game_are_short(
    anna: Any, bruno: Any, carla: Any, variants: list[str]
) -> None:
    """Each player reads another language."""
    people = [anna, bruno, carla]
    for person, language in zip(people, ("en", "pl", "ru"), strict=True):
        person.language = language
        person.save()
    emails = turn_emails(people, variants, most_moves=1000)
    for person in people:
        texts = [text for to, text in emails if to == person.email]
        counts = [words(text) for text in texts]
        assert len(counts) > 10
        assert statistics.median(counts) <= MEDIAN, person.language
        assert max(counts) <= MOST, max(texts, key=words)


def test_turn_emails_of_a_games_beginning_say_nothing_twice(anna: Any, bruno: Any, carla: Any) -> None:
    emails = [text for _to, text in turn_emails([anna, bruno, carla], ["hidden-cards"], most_moves=25)]
    assert emails
    for text in emails:
        assert words(text) <= MOST, text
        joined = " ".join(text.split())
        sentences = [sentence for sentence in joined.split(". ") if len(sentence.split()) > 3]
        assert len(sentences) == len(set(sentences)), text
    # The other two read it in the email about the start.
    assert sum("Needs: more" in text for text in emails) == 1
