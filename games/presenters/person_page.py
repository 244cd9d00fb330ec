"""A person's page as one reader sees it: results, opponents, how fast they answer, and if they stay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _

from accounts.models import User
from games.selectors.answering import usual_answer
from games.selectors.person_results import EditionResults, Opponent, opponents_of, results_by_edition
from games.selectors.played_games import MOST_GAMES, played_games
from games.selectors.seen_to_the_end import SeenToTheEnd, seen_to_the_end


@dataclass(frozen=True)
class PersonPage:
    """A person, and what the games that this reader may know came to."""

    person: User
    is_own: bool
    results: list[EditionResults]
    opponents: list[Opponent]
    seen: SeenToTheEnd
    answers: str  # how fast they come; empty if there were too few
    is_cut: bool  # whether older games are left out

    @property
    def is_empty(self) -> bool:
        """Whether the reader knows no finished game of this person."""
        return not self.seen.games


def person_page(person: User, reader: User | None) -> PersonPage:
    """Return a person's page for this reader, in a fixed number of queries."""
    played = played_games(person, reader)
    return PersonPage(
        person,
        person == reader,
        results_by_edition(played, person.pk),
        opponents_of(played, person.pk),
        seen_to_the_end([person.pk], reader)[person.pk],
        _in_words(usual_answer(person.pk, played)),
        len(played) == MOST_GAMES,
    )


def _in_words(usual: timedelta | None) -> str:
    """Return how fast someone usually answers, in words as coarse as people need."""
    if usual is None:
        return ""
    if usual <= timedelta(hours=1):
        # Translators: how fast a player answers turns
        return _("Usually within an hour")
    if usual <= timedelta(hours=4):
        # Translators: how fast a player answers turns
        return _("Usually within a few hours")
    if usual <= timedelta(hours=12):
        # Translators: how fast a player answers turns
        return _("Usually within half a day")
    if usual <= timedelta(days=1):
        # Translators: how fast a player answers turns
        return _("Usually within a day")
    if usual <= timedelta(days=2):
        # Translators: how fast a player answers turns
        return _("Usually within two days")
    # Translators: how fast a player answers turns
    return _("Often after more than two days")
